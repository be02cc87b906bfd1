"""How one language speaks of danger: the files `patterns/<code>.yaml`, read and compiled. Pure after loading."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.conversation.crisis.folding import plain
from bot.errors import BadInput

FOLDER = Path(__file__).parent / "patterns"
LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "uk", "tr", "ar", "hi", "ja", "zh", "ko")
"""ISO 639-1 codes of the languages that have a file, in the order in which they are asked."""

NEVER = re.compile(r"(?!)")
"""Matches nothing."""

_GAP = r"(?: \S+){0,3} "

LONGEST_WORD, LONGEST_RUN = 40, 200
"""Characters of the longest word that a pattern goes over, and of the longest run in scripts without spaces.

Without an end, what looks for "a\\w*b" reads a long word again from each of its characters.
"""


class Danger(StrEnum):
    """Whom it threatens."""

    SELF = "self"
    """Whoever writes, or somebody they worry about."""
    OTHERS = "others"


class Weight(StrEnum):
    """What can take a sign back, see `bot/conversation/safety.py`."""

    ACUTE = "acute"
    """Said of oneself, of now and in so many words."""
    HINT = "hint"
    """May be meant otherwise: laughter, a game or an idiom beside it takes it back."""
    TOLD = "told"
    """Said of a third person, who may be one of a story."""


RULES: Mapping[str, tuple[Danger, Weight]] = {
    "intent": (Danger.SELF, Weight.ACUTE),
    "means": (Danger.SELF, Weight.ACUTE),
    "harm": (Danger.SELF, Weight.ACUTE),
    "plan": (Danger.SELF, Weight.HINT),
    "wish": (Danger.SELF, Weight.HINT),
    "despair": (Danger.SELF, Weight.HINT),
    "farewell": (Danger.SELF, Weight.HINT),
    "friend": (Danger.SELF, Weight.TOLD),
    "threatened": (Danger.SELF, Weight.TOLD),
    "attack": (Danger.OTHERS, Weight.ACUTE),
    "threat": (Danger.OTHERS, Weight.HINT),
}
"""The names of rules, the same in every language."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Shown(_Part):
    """A pattern of a rule, with a sentence that it finds and a similar, ordinary one that it does not."""

    find: str = Field(min_length=1)
    example: str = Field(min_length=1)
    counter: str = Field(min_length=1)


class WorrySource(_Part):
    """What `Worry` is made of."""

    macros: dict[str, list[str]]
    another: list[str]
    too: list[str]


class Source(_Part):
    """The file of a language; every list of patterns is one pattern, any of them."""

    words: bool
    umlauts: bool
    gate: list[str]
    macros: dict[str, list[str]]
    rules: dict[str, list[Shown]]
    idioms: list[str]
    play: list[str]
    story: list[str]
    past: list[str]
    present: list[str]
    negation: list[str]
    earnest: list[str]
    ages: list[str]
    minor: list[str]
    parts: list[str]
    worry: WorrySource
    ordinary: list[Shown] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a language's patterns are written down.

    In them a space is one space, `~` stands for up to three words, `'` for an apostrophe that people leave out or
    replace by a space, and `<name>` for what `macros` says. They are compared without accents. What is repeated without
    an end between two parts costs the square of a text's length, so it has one ("{0,12}"); that of a word is set here.
    """

    macros: Mapping[str, Sequence[str]]
    words: bool = True
    """Whether patterns begin and end at the boundaries of words."""
    umlauts: bool = False
    """Whether ä, ö and ü may be ae, oe and ue."""

    def pattern(self, sources: Iterable[str]) -> re.Pattern[str]:
        """One pattern for all of them; none: one that matches nothing. Raises BadInput when it is no pattern."""
        source = "|".join(sources)
        if not source:
            return NEVER
        for _ in range(3):  # Macros may use macros.
            for name, meanings in self.macros.items():
                source = source.replace(f"<{name}>", f"(?:{'|'.join(meanings)})")
        if self.umlauts:
            source = source.replace("ä", "ae?").replace("ö", "oe?").replace("ü", "ue?")
        source = _lower_plain(source).replace("'", " ?").replace("~", _GAP)
        longest = LONGEST_WORD if self.words else LONGEST_RUN
        source = re.sub(r"(\\[wS])([*+])", lambda found: f"{found[1]}{{{int(found[2] == '+')},{longest}}}", source)
        try:
            return re.compile(rf"\b(?:{source})\b" if self.words else source)
        except re.error as error:
            raise BadInput(f"no pattern: {error}: {source[:80]}") from None


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of sign. `name` is given as a reason."""

    name: str
    danger: Danger
    weight: Weight
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Worry:
    """How people say plainly that it is somebody else who is in danger, and what draws themselves in.

    Narrower than the rules named "friend", which see the danger: this only chooses between two kind texts, and where it
    is not plain whom it threatens, the writer gets their own. So only a person right before the words of danger counts,
    in the third person, with no comma and no "I" in between: in chat people leave out the "I" after a comma.
    """

    another: re.Pattern[str]
    """Somebody else is said to be in danger."""
    too: re.Pattern[str]
    """The writer is, as well, or may be: "me too", "together", "asking for a friend"."""


@dataclass(frozen=True)
class Wording:
    """One language, compiled when it is first asked for.

    Every pattern is for text as `folded`, a sentence at a time, words parted by one space.
    """

    code: str
    """ISO 639-1."""
    source: Source = field(repr=False, compare=False)

    @cached_property
    def spelling(self) -> Spelling:
        """How the patterns of this language are written down."""
        return Spelling(self.source.macros, self.source.words, self.source.umlauts)

    @cached_property
    def gate(self) -> tuple[str, ...]:
        """Of languages in Latin letters, except English: one of these is in what is written in it.

        A sentence without any is not looked at. A cheap guess of the language; words of other languages cost only time.
        """
        return tuple(plain(word).replace("_", " ") for word in self.source.gate)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """What is looked for."""
        shown = self.source.rules.items()
        return tuple(Rule(name, *RULES[name], self._pattern(one.find for one in ones)) for name, ones in shown)

    @cached_property
    def idioms(self) -> re.Pattern[str]:
        """Taken out of a sentence before anything is looked for."""
        return self._pattern(self.source.idioms)

    @cached_property
    def ordinary(self) -> re.Pattern[str]:
        """Whole sentences of every day that the net mistakes for a cry: it is not asked about them."""
        return self._pattern(one.find for one in self.source.ordinary)

    @cached_property
    def play(self) -> re.Pattern[str]:
        """Games, laughter, exaggeration: takes hints back."""
        return self._pattern(self.source.play)

    @cached_property
    def story(self) -> re.Pattern[str]:
        """Songs, films, books, studies, quotations: what is said there is not said of oneself."""
        return self._pattern(self.source.story)

    @cached_property
    def past(self) -> re.Pattern[str]:
        """It is over. Takes back unless `present` is there too."""
        return self._pattern(self.source.past)

    @cached_property
    def present(self) -> re.Pattern[str]:
        """It is of now."""
        return self._pattern(self.source.present)

    @cached_property
    def negation(self) -> re.Pattern[str]:
        """Right before a sign: it is denied."""
        sources = self.source.negation
        return re.compile(rf"(?:{self._pattern(sources).pattern}) ?$") if sources else NEVER

    @cached_property
    def earnest(self) -> re.Pattern[str]:
        """It is no joke: laughter and play beside it take nothing back."""
        return self._pattern(self.source.earnest)

    @cached_property
    def ages(self) -> re.Pattern[str]:
        """The writer's age, in a group whose name begins with `age`."""
        return self._pattern(self.source.ages)

    @cached_property
    def minor(self) -> re.Pattern[str]:
        """Says in other words that the writer is under 18: a class of school."""
        return self._pattern(self.source.minor)

    @cached_property
    def parts(self) -> re.Pattern[str]:
        """What parts two clauses, besides commas."""
        return self._pattern(self.source.parts)

    @cached_property
    def worry(self) -> Worry:
        """Whose danger it is."""
        worry = self.source.worry
        spelling = Spelling(worry.macros, self.source.words, self.source.umlauts)
        return Worry(spelling.pattern(worry.another), spelling.pattern(worry.too))

    def _pattern(self, sources: Iterable[str]) -> re.Pattern[str]:
        return self.spelling.pattern(sources)


def read_wording(code: str, folder: Path = FOLDER) -> Wording:
    """The wording of a language, from its file. Raises BadInput, which names what is wrong."""
    path = folder / f"{code}.yaml"
    try:
        source = Source.model_validate(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader))
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is no YAML: {' '.join(str(error).split())}.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise BadInput(f"{path}: {where}: {first['msg']}.") from None
    unknown = set(source.rules) - set(RULES)
    if unknown:
        raise BadInput(f"{path}: rules: {', '.join(sorted(unknown))}: no such rule; there are {', '.join(RULES)}.")
    return Wording(code, source)


@cache
def wordings() -> Mapping[str, Wording]:
    """Code → wording of every language, in the order of LANGUAGES."""
    return {code: read_wording(code) for code in LANGUAGES}


def _lower_plain(source: str) -> str:
    r"""`plain`, but classes such as `\S` keep their capital."""
    return re.sub(r"[^\x00-\x7f]+", lambda found: plain(found[0]), source)
