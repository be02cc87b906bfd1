"""What a text says that its source does not: names, numbers and nouns, by lemmas and stems. English.

It is stricter than `bot/language/grounding.py`, by which the parsers refuse answers, and made in another way, so that
it can judge them: every noun that spaCy's tagger finds counts, also those that a summary may well need
("conversation"), a word is the same only by its lemma or its Snowball stem ("baker" is new where the source has
"bakery"), and the words of the prompt's own examples are no source. So what people write is not without inventions
either: their share, which the reports give too, is what to compare with. It sees what is new, not what is wrong.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import Stemmer

from bot.errors import ModelUnavailable
from bot.memory.topics import MODEL_PACKAGE

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_NUMBERS = {word: value for value, word in enumerate(_UNITS.split())}
_TENS = {word: 10 * at for at, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_ORDINALS = {
    word: at for at, word in enumerate("first second third fourth fifth sixth seventh eighth ninth".split(), 1)
}
_VALUES = {**_NUMBERS, **_TENS, **_ORDINALS}
_DIGITS = {word for word, value in _NUMBERS.items() if 0 < value < 10}  # noqa: PLR2004  # "one" to "nine"
_BREAK = ";"
_PIECE = re.compile(rf"\d+|[^\W\d_]+|{_BREAK}")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_STEMMER = Stemmer.Stemmer("english")
_ENDS = frozenset(".!?…:;\"“”‘’'()[]-–—*•")
"""Marks after which a capital letter makes no name."""
_NOUNS = frozenset({"NOUN", "PROPN"})
_NO_NAMES = frozenset({"i", "ok", "okay", "ai"})


class Token(Protocol):
    """A word as spaCy tagged it."""

    text: str
    pos_: str
    lemma_: str


class Tagger(Protocol):
    """What is used of a spaCy pipeline."""

    def __call__(self, text: str) -> Iterable[Token]:
        """The tagged words of a text."""
        ...


@dataclass(frozen=True, slots=True)
class Invented:
    """What is new in a text, in lower case and in order of the alphabet."""

    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    """Common nouns: none of them is among the names."""

    def __bool__(self) -> bool:
        return bool(self.names or self.numbers or self.nouns)


NOTHING = Invented()


def load_tagger() -> Tagger:
    """The small English tagger. Raises ModelUnavailable."""
    try:
        tagger: Tagger = importlib.import_module(MODEL_PACKAGE).load(exclude=["parser", "ner", "senter"])
    except (ImportError, OSError, ValueError) as error:
        raise ModelUnavailable(
            f"The English tagger cannot be loaded: {error}. Install the package {MODEL_PACKAGE} again."
        ) from error
    return tagger


class Inventions:
    """Finds what is new in a text."""

    def __init__(self, tagger: Tagger) -> None:
        self._tagger = tagger

    def found(self, output: str, source: str) -> Invented:
        """The names, numbers and nouns of `output` that `source` (all that the model was given of people) has not."""
        claimed = list(self._tagger(output))
        known = set().union(*(_forms(token.text, token.lemma_) for token in self._tagger(source)))
        known |= {form for piece in _PIECE.findall(source) for form in _forms(piece, piece)}
        names, numbers, nouns = set[str](), set[str](), set[str]()
        for token, named in zip(claimed, _named(claimed), strict=True):
            if not _is_word(token.text.strip(".")) or not known.isdisjoint(_forms(token.text, token.lemma_)):
                continue
            if token.pos_ == "NUM":  # a number without a value of ours, such as "million"
                numbers.add(token.text.lower())
            elif named or token.pos_ in _NOUNS:
                (names if named else nouns).add(token.text.lower())
        numbers |= {str(value) for value in _claimed(claimed) - values(source)}
        return Invented(tuple(sorted(names)), tuple(sorted(numbers)), tuple(sorted(nouns - names)))


def values(text: str) -> frozenset[int]:
    """All numbers of a text, in digits or words: "twenty-five and 3rd, one" has 25, 20, 5, 3 and 1."""
    pieces = _pieces(text)
    return frozenset([*_counted(pieces), *(value for piece in pieces if (value := _value(piece)) is not None)])


def _claimed(tokens: Sequence[Token]) -> frozenset[int]:
    """The numbers that a text claims: "twenty-five" is 25 alone. "one" and "second" are none: "one of my friends"."""
    numeric = (
        (one.pos_ == "NUM" and one.text.lower() != "one") or one.text == "-" or any(map(str.isdigit, one.text))
        for one in tokens
    )
    spoken = " ".join(one.text if is_one else _BREAK for one, is_one in zip(tokens, numeric, strict=True))
    return frozenset(_counted(_pieces(spoken)))


def _pieces(text: str) -> list[str]:
    return [piece.lower() for piece in _PIECE.findall(_THOUSANDS.sub("", text))]


def _counted(pieces: Sequence[str]) -> list[int]:
    """The values of these words and digits, with "twenty five" as one number."""
    found: list[int] = []
    before = ""
    for piece in pieces:
        value = _value(piece)
        if value is not None and before in _TENS and piece in _DIGITS:
            found[-1] += value
        elif value is not None:
            found.append(value)
        before = piece
    return found


def _value(piece: str) -> int | None:
    return int(piece) if piece.isdecimal() else _VALUES.get(piece)


def _named(tokens: Sequence[Token]) -> list[bool]:
    """For each word whether it is a name: to the tagger, or by a capital letter where none has to be."""
    named, begins = [], True
    for token in tokens:
        capital = token.text[:1].isupper() and not begins and token.text.lower() not in _NO_NAMES
        named.append(token.pos_ == "PROPN" or (capital and "'" not in token.text and "’" not in token.text))
        if token.text.strip():
            begins = token.text[-1] in _ENDS
    return named


def _is_word(text: str) -> bool:
    return len(text) > 1 and any(letter.isalpha() for letter in text) and _value(text.lower()) is None


def _forms(text: str, lemma: str) -> set[str]:
    """What a word is compared by: itself, its lemma and the stems of both, in lower case."""
    words = {text.lower(), lemma.lower()}
    return words | {_STEMMER.stemWord(word) for word in words}
