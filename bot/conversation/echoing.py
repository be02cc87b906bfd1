"""Echoes: replies that say again the one thing of a line that it was told for ("A whole trombone!"). English. Pure.

A friend who has nothing to add does so, and it shows what was heard, where "Oh wow." shows nothing. Which of the
echoes fits best, the model tells (`ReplyGenerator`); read blind, its choice was good four times as often as our
sentences that only listen, and fitted oftener than what the model said in its own words and less surely (BENCHMARKS).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.conversation.checking.mood import is_troubled
from bot.conversation.checking.wordings import digits_of, fold, keys_of, sentences, wording, words
from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH
from bot.conversation.situations import Situation, goes, laughs
from bot.domain import TaggedWord
from bot.language.patterns import Patterns

_ECHOED = frozenset({Situation.TALK, Situation.NICE, Situation.HARD})

LONGEST = 5
"""Words of a phrase that is echoed."""

LATELY = 4
"""Things told last, one of which an echo is of."""

LONGEST_PHRASE = 4
"""Words of a sentence that denies nothing though the line does: more may say the opposite."""

DOES = 5
"""Words of a line in which somebody and what they do stand together."""

LONGEST_CALL = 2
"""Words of an exclamation: "Oh no.", "Ha!"."""

TOGETHER = 5
"""Words of a line within which two that a reply says together stand."""

DENIED = 3
"""Words before a phrase in which a "no" or "without" denies it: "without making a noise"."""

SMALL = 100
"""Numbers below it say nothing when they stand alone, nor do times ("5.30")."""

MOST_PHRASES = 5
"""Phrases of a line that are offered, the last ones: English puts there what is new."""

PLAIN = ("{Phrase}!", "{Phrase}?")
MERRY = (*PLAIN, "Ha, {phrase}!")
"""Where they laugh, or call out. Elsewhere a laugh can hurt: "I'm fine and then I pair socks and my stomach goes"."""
COUNTED = PLAIN[:1]
"""Of a number alone: "12?" asks nothing."""

_TURNED = {"my": "your", "our": "your", "this": "that", "these": "those"}
_SUBJECTS = {
    "you": frozenset({"i", "im", "ive", "we", "were", "weve"}),
    **{one: frozenset({one, f"{one}s", f"{one}re"}) for one in ("he", "she", "they", "it")},
}
"""Who does something in a reply → who did it in the line."""
_READ = Patterns.beside(__file__)
_OF_THE_CLOCK = _READ.words("of_the_clock")
_FILLERS = _READ.words("fillers")
_TRAILING = _READ["trailing"]
_CLIPPED = _READ.words("clipped")
_EMPTY = _READ.words("empty")
_COARSE = _READ["coarse"]
_OF_LOSS = _READ.exact("of_loss")
_DENIES = _READ["denies"]
_SOUR = _READ["sour"]
_OH_NO = _READ["oh_no"]
_CALLS = _READ.words("calls")
_CONCLUDES = _READ.words("concludes")
_LAUGHING = _READ.exact("laughing")
_LAUGH = _READ.exact("laugh")

_INSIDE = frozenset({"DET", "ADJ", "NUM", "NOUN", "PROPN"})
_NOUNS = frozenset({"NOUN", "PROPN"})
_NEW = frozenset({"a", "an", "another"})
"""What English puts before a thing that is new. Of 58 marks on echoes of new or counted things 79 % were for fitting,
of 164 on others ("the kitchen", "your phone", "stone") 58 % (BENCHMARKS)."""
_LINKS = frozenset({"-", "'s", "’s"})
_YOURS = frozenset({"your", "ur"})
"""Of the companion's, or of people in general."""
_POSSESSIVES = _YOURS | {"my", "our", "his", "her", "its", "their"}


@dataclass(frozen=True, slots=True)
class Echoing:
    """What may be echoed, and how."""

    line: str
    """What was just said."""
    before: tuple[str, ...] = ()
    """The companion's earlier replies of this session."""
    somber: bool = False
    """Whether something sad is what they talk about."""
    merry: bool = False
    """Whether they laugh or call out."""
    again: bool = False
    """Whether the last reply was an echo, too: several in a row are what a parrot says."""

    def of(self, tagged: Sequence[TaggedWord]) -> tuple[str, ...]:
        """All echoes of the line, which has been `tagged`; none where it has nothing to echo.

        None in sorrow, and none of a line that tells of a loss: "A haircut!" to somebody whose brother had one that
        week is an empty word. None of a line that denies or complains either: "A party!" cheers at "she isnt talking to
        me bc i went to a party she wasnt invited to".
        """
        sour = _OF_LOSS.search(fold(self.line)) or _DENIES.search(self.line) or _SOUR.search(self.line)
        if self.again or self.somber or sour:
            return ()
        said = keys_of(" ".join(self.before))
        phrases = [phrase for phrase in _phrases(tagged) if not (keys_of(phrase) <= said or _is_grave(phrase))]
        return tuple(
            form.format(phrase=phrase, Phrase=phrase[:1].upper() + phrase[1:])
            for phrase in dict.fromkeys(phrases[-MOST_PHRASES:])
            for form in self._forms(phrase)
        )

    def _forms(self, phrase: str) -> tuple[str, ...]:
        if phrase[-1].isdigit() or len(phrase.split()) == 1:
            return COUNTED
        return MERRY if self.merry else PLAIN

    def beginning_of(self, reply: str) -> str:
        """The first sentence of a reply, with an exclamation before it, where it only says again what the line said.

        Of what the model is not sure of it is the part that holds: "Six ziplocks!" before "That's a lot of ice." Empty:
        there is none.
        """
        kept = []
        if self.somber and any(_LAUGH.fullmatch(word) for word in words(reply)[:1]):
            return ""
        for sentence in map(str.strip, sentences(reply)):
            kept.append(sentence)
            if not keys_of(sentence) and len(words(sentence)) <= LONGEST_CALL:
                continue
            called = self.somber and sentence.endswith("!") and words(reply)[0] != "oh"  # "Biscuit!", who is at the vet
            return " ".join(kept) if self._holds(sentence) and not called else ""
        return ""

    def _holds(self, sentence: str) -> bool:
        """Whether a sentence says what the line says, of whom it says it, and concludes nothing from it."""
        said = words(sentence)
        begins = next((word for word in said if word not in _CALLS), "")
        if sentence.endswith("?") or begins in _CONCLUDES or not only_echoes(sentence, self.line):
            return False
        if _is_name_alone(sentence, self.line) or not _stands_together(sentence, self.line):
            return False
        english, folded = wording(ENGLISH), fold(sentence)
        their_own = english.has("first_person_of_people", fold(self.line))
        if english.has("first_person_of_people", folded) or (english.has("second", folded) and not their_own):
            return False
        told = _OH_NO.sub("", sentence) if self.somber else sentence
        denies, denied = (_DENIES.search(text) is not None for text in (told, self.line))
        names_only = len(said) <= LONGEST_PHRASE and not any(word.partition("'")[0] in _SUBJECTS for word in said)
        return (denies == denied or (denied and names_only)) and _as_told(sentence, self.line)


def echoing_of(known: Known) -> Echoing | None:
    """What may be echoed in this situation; None where something else is due: comfort, an answer, a goodbye."""
    if known.situation not in _ECHOED or known.language != ENGLISH or goes(known.latest):
        return None
    said = tuple(known.said)
    heard = [one.words for one in known.told[-LATELY:]]
    again = bool(said) and any(only_echoes(said[-1], words) for words in heard)
    somber = known.sad or known.situation is Situation.HARD or is_troubled(known.latest)
    merry = "!" in known.latest or _LAUGHING.search(known.latest) is not None or laughs(known.latest, ENGLISH)
    return Echoing(known.latest, said, somber, merry and not somber, again)


def only_echoes(reply: str, line: str) -> bool:
    """Whether a reply has no word of its own beside those of `line`."""
    own = keys_of(reply)
    return bool(own) and own <= keys_of(line)


def _as_told(sentence: str, line: str) -> bool:
    """Whether who does something in a sentence does it in the line: "She drove you home" is not "I drove us home"."""
    spoken = words(sentence)
    at = next((place for place, word in enumerate(spoken) if word.partition("'")[0] in _SUBJECTS), None)
    if at is None:
        return True
    verb = next((word for word in spoken[at + 1 :] if keys_of(word)), "")
    heard, doers = words(line), _SUBJECTS[spoken[at].partition("'")[0]]
    places = [place for place, word in enumerate(heard) if word.partition("'")[0] in doers]
    return not verb or any(keys_of(verb) <= keys_of(" ".join(heard[place : place + DOES])) for place in places)


def _is_name_alone(sentence: str, line: str) -> bool:
    """Whether it is nothing but a name of the line: "Tajay!" says nothing of him."""
    said = words(sentence)
    return len(said) == 1 and re.search(rf"[^.!?\s] {re.escape(said[0].capitalize())}\b", line) is not None


def _stands_together(sentence: str, line: str) -> bool:
    """Whether its words stand near each other in the line: "One hour of onion!" puts together what was apart."""
    heard = [keys_of(word) for word in words(line)]
    places = [
        [place for place, keys in enumerate(heard) if not keys.isdisjoint(own)]
        for own in map(keys_of, words(sentence))
        if own
    ]
    found = [some for some in places if some]
    return all(
        min(abs(one - other) for one in before for other in behind) <= TOGETHER for before, behind in pairwise(found)
    )


def _is_grave(phrase: str) -> bool:
    return any(wording(ENGLISH).has(key, fold(phrase)) for key in ("trouble", "losses"))


def _phrases(tagged: Sequence[TaggedWord]) -> Iterator[str]:
    """The noun phrases of a line, turned to the one who said it: "my knee" is "your knee"."""
    phrase: list[TaggedWord] = []
    for at, word in enumerate((*tagged, TaggedWord("", "", ""))):
        possessive = word.text.lower() in _POSSESSIVES
        of = word.text == "of" and bool(phrase) and phrase[-1].tag == "NOUN"  # "a bag of oranges": "A bag!" is empty
        linked = of or (bool(phrase) and word.text in _LINKS)
        inside = (word.tag in _INSIDE and word.text[:1].isalnum()) or possessive or linked
        starts = word.tag == "DET" or possessive
        if phrase and (not inside or starts):
            before = " ".join(one.text for one in tagged[max(at - len(phrase) - DENIED, 0) : at - len(phrase)])
            if (said := _said(phrase)) is not None and not _DENIES.search(before):
                yield said
            phrase = []
        if inside:
            phrase.append(word)


def _said(phrase: Sequence[TaggedWord]) -> str | None:
    """A phrase as it is said again; None where it says nothing, or nothing new."""
    while phrase and phrase[0].text.lower() in _FILLERS:
        phrase = phrase[1:]
    while phrase and (phrase[-1].tag not in _NOUNS | {"NUM"} or _TRAILING.fullmatch(phrase[-1].text)):
        phrase = phrase[:-1]
    if not phrase or len(phrase) > LONGEST or phrase[0].text.lower() in _YOURS:
        return None
    head = phrase[-1]
    if head.tag == "NUM" and (_is_small(head.text.lower()) if len(phrase) == 1 else phrase[-2].tag == "PROPN"):
        return None  # "Arjun 9"
    if phrase[0].text.lower() not in _NEW and not any(word.tag == "NUM" for word in (phrase[0], head)):
        return None
    if any(word.text.lower() in _OF_THE_CLOCK for word in phrase):
        return None
    named = all(word.tag == "PROPN" for word in phrase)
    unfit = any(
        _COARSE.fullmatch(word.text) or word.text.lower() in _CLIPPED or (word.text.isupper() and len(word.text) > 1)
        for word in phrase
    )
    plain = head.text.lower().rstrip(".")
    if named or unfit or plain in _EMPTY or plain.removesuffix("s") in _EMPTY:
        return None
    text = "".join(_turned(word) + word.space for word in phrase).strip()
    return text if keys_of(text) else None


def _is_small(number: str) -> bool:
    """Whether a number says nothing alone: "9!" of 9 % of a battery, "Four!" of half past four."""
    digits = next(iter(digits_of((number,), (wording(ENGLISH),))), number)
    return not digits.isdigit() or int(digits) < SMALL


def _turned(word: TaggedWord) -> str:
    if (turned := _TURNED.get(word.text.lower())) is not None:
        return turned
    return word.text if word.tag == "PROPN" or word.text.isupper() else word.text[:1].lower() + word.text[1:]
