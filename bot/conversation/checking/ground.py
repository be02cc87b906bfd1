"""What a reply may rest on, and what can be wrong with it."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from bot.conversation.checking.asking import ToldQuestion, told_question
from bot.conversation.checking.language import spoken_language
from bot.conversation.checking.wordings import LANGUAGES, Wording, content, fold, key_of, keys_of, wording, words

_TITLE = re.compile(r"(?<![\w'’])[A-ZÀ-Þ][^\W\d_]+")
RECENT_LINES = 8
"""Lines that tell in which language somebody writes, where the last one does not."""


class Fault(StrEnum):
    """What can be wrong with a reply. The order is how bad it is, the worst first."""

    EMPTY = "empty"
    """There are no words and no signs in it."""
    GARBLED = "garbled"
    """A loop, code, broken characters."""
    PERSON = "person"
    """Claims to be human, or somebody else than the companion; denies being a bot."""
    RECITES = "recites"
    """Its instructions, its examples, tags, notes, a word about the reply ("Sure! Here is …")."""
    LANGUAGE = "language"
    """Another language than the person's."""
    INVENTED = "invented"
    """Asked for a fact about the person's life, it gives one that nobody told."""
    LIVES = "lives"
    """Takes the person's life for its own ("My puppy is called Waffles")."""
    OWNS = "owns"
    """A pet, family, home, work, body or day of its own."""
    FORGETS = "forgets"
    """Says that it keeps nothing of what it is told, which is not so."""
    MOURNS = "mourns"
    """Comfort where nothing sad was told."""
    CHEERFUL = "cheerful"
    """Cheer at sad news."""
    CONGRATULATES = "congratulates"
    """Congratulations where nothing good was told."""
    HARMS = "harms"
    """Advice to hit somebody, or an animal; looked for where a small model spoke."""
    REJECTS = "rejects"
    """Turns the person away, or says that they will not manage; looked for where a small model spoke."""
    STOCK = "stock"
    """A stock sentence of assistants ("How can I help you today?"); looked for where a small model spoke."""
    KEEPS = "keeps"
    """A question to somebody who takes leave; looked for where a small model spoke."""
    LECTURES = "lectures"
    """Advice that nobody asked for; looked for where a small model spoke."""
    AGAIN = "again"
    """What an earlier reply said, or what the person said, and nothing else."""


@dataclass(frozen=True)
class Ground:
    """What a reply may rest on."""

    latest: str
    """What was just said."""
    speaker: str
    """The name of who is answered."""
    people: tuple[str, ...]
    """Names of the people present, and of the one answered."""
    agent: str
    """The companion's name."""
    card: tuple[str, ...]
    """The companion's own description and traits: it may say these of itself."""
    told: tuple[tuple[str, str], ...]
    """(who, words): all words of people that the model was shown, the latest among them."""
    said: tuple[str, ...]
    """The companion's earlier replies of this session, the last one last."""
    instructions: tuple[str, ...]
    """System text and example turns that the model was shown."""
    channel: bool = False
    strict: bool = False
    """Whether a model of up to some 3B parameters spoke, whose tone and stock sentences are looked at too."""
    leaving: bool = False
    """Whether they take leave with what was just said."""
    grave: bool = False
    """Whether something grave is what they talk about, whatever the lists of moods say."""
    asked: ToldQuestion | None = None
    """What they ask of what was told, where `latest` alone does not show it: "Who got engaged?" after "Lena did"."""

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """What people said, the latest last and once."""
        return (*(text for _, text in self.told if text != self.latest), self.latest)

    @cached_property
    def own(self) -> tuple[str, ...]:
        """What the one who is answered said."""
        return tuple(text for who, text in self.told if who == self.speaker)

    @cached_property
    def language(self) -> str | None:
        """The language that the person writes in, where that is sure or nothing speaks for another one."""
        return spoken_language(self.latest, self.own[-RECENT_LINES:])

    @cached_property
    def wordings(self) -> tuple[Wording, ...]:
        """Of the person's language and of English, into which models fall; of all where the language is not sure."""
        if self.language is None:
            return tuple(map(wording, LANGUAGES))
        return tuple(wording(code) for code in dict.fromkeys((self.language, LANGUAGES[0])))

    @cached_property
    def codes(self) -> tuple[str, ...]:
        """The languages of `wordings`; empty where those are all."""
        return () if self.language is None else tuple(one.code for one in self.wordings)

    @cached_property
    def told_keys(self) -> frozenset[str]:
        """The keys of all that people said."""
        return frozenset().union(*(keys_of(text, self.codes) for text in self.lines))

    @cached_property
    def earlier_keys(self) -> frozenset[str]:
        """The keys of what people said before the latest."""
        return frozenset().union(*(keys_of(text, self.codes) for text in self.lines[:-1]))

    @cached_property
    def told_words(self) -> frozenset[str]:
        """All folded words that people said, and the names."""
        named = (*self.people, self.speaker, self.agent, *(who for who, _ in self.told))
        return frozenset().union(*(words(text) for text in (*self.lines, *named)))

    @cached_property
    def card_keys(self) -> frozenset[str]:
        """The keys of what the companion may say of itself."""
        return frozenset().union(*(keys_of(text) for text in self.card)) | {key_of(fold(self.agent))}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The people present, and the words that people wrote with a capital inside a sentence: names, mostly."""
        found = (match.group() for text in self.lines[:-1] for match in _TITLE.finditer(text) if match.start())
        return (*self.people, *{name for name in found if content(name)})

    @cached_property
    def question(self) -> ToldQuestion | None:
        """What they ask of what was told; None: nothing."""
        return self.asked or told_question(self.latest, self.names)

    @cached_property
    def folded(self) -> str:
        """`latest`, folded."""
        return fold(self.latest)
