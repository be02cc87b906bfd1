"""Numbers of a reply that nobody said: "Eleven, not fourteen" to somebody who told of fourteen. In English. Pure.

Of 2,400 replies that people wrote to what was told, three in a thousand have such a number; of a small model's, all
that have one were bad when read. What follows from what was said may stand: a sum or difference of two numbers, one
more or less, the year that "72" is short for, seven days of a week. In other languages it was not measured, and number
words are others too: Italian "sei" is "you are", German "gib acht" is no eight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.conversation.checking.wordings import fold, wording
from bot.conversation.phrases import ENGLISH
from bot.language.patterns import Patterns

LEAST = 4
"""Smaller numbers are words of any talk, and "the third time" is three times."""
ROUND = 100
"""Everybody's own: "a hundred times"."""
LONGEST = 9
"""Digits of a number; longer ones are no quantities."""
CENTURIES = (19, 20)

_WORD = re.compile(r"\d+|[^\W\d_]+|[^\w\s]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_READ = Patterns.beside(__file__)
_IDIOMS = _READ.exact("idioms")
_TENS, _UNITS = range(20, 100, 10), range(1, 10)
_MEANT = {word: int(number) for word, number in (pair.split(":") for pair in _READ.written("meant").split())}
"""What is said with other words than the number's own."""


def unsaid_number(reply: str, told: Sequence[str]) -> bool:
    """Whether `reply` has a number that neither stands in what was `told` nor follows from it."""
    numbers = {number for number in _numbers(reply) if number >= LEAST and number != ROUND}
    if not numbers:
        return False
    known = {number for line in told for number in _numbers(line, hinted=True)}
    return any(not _follows(number, known) for number in numbers)


def _follows(number: int, known: set[int]) -> bool:
    steps = known | {1}
    return any(
        number == one
        or number - one in steps
        or number + one in known
        or one - number in steps
        or _is_short_for(number, one)
        or _is_short_for(one, number)
        for one in known
    )


def _is_short_for(short: int, year: int) -> bool:
    return year // ROUND in CENTURIES and year % ROUND == short


def _numbers(text: str, *, hinted: bool = False) -> Iterator[int]:
    """The numbers in digits and words, "forty-one" and "forty one" as one. `hinted`: those of _MEANT, too."""
    tens = 0
    for word in _WORD.findall(_IDIOMS.sub(" ", _THOUSANDS.sub("", fold(text)))):
        spelt = not word.isdecimal()
        number = _meant(word, hinted=hinted) if spelt else int(word) if len(word) <= LONGEST else 0
        if tens and word == "-":
            continue
        if tens and spelt and number in _UNITS:
            number += tens
        elif tens:
            yield tens
        tens = number if spelt and number in _TENS else 0
        if number and not tens:
            yield number
    if tens:
        yield tens


def _meant(word: str, *, hinted: bool) -> int:
    """The number that a word is; 0 for other words."""
    return int(wording(ENGLISH).numbers.get(word, 0)) or (_MEANT.get(word, 0) if hinted else 0)
