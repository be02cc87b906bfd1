"""Numbers of a reply that nobody said: "Eleven, not fourteen" to somebody who told of fourteen. Pure.

Of 2,400 replies that people wrote to what was told, three in a thousand have such a number; of a small model's, all
that have one were bad when read. What follows from what was said may stand: a sum or difference of two numbers, one
more or less, the year that "72" is short for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.conversation.checking.wordings import Wording, fold

LEAST = 4
"""Smaller numbers are words of any talk, and "the third time" is three times."""
ROUND = 100
"""Everybody's own: "a hundred times"."""
LONGEST = 9
"""Digits of a number; longer ones are no quantities."""

_WORD = re.compile(r"\d+|[^\W\d_]+|[^\w\s]")
_TENS, _UNITS = range(20, 100, 10), range(1, 10)


def unsaid_number(reply: str, told: Sequence[str], wordings: Sequence[Wording]) -> bool:
    """Whether `reply` has a number that neither stands in what was `told` nor follows from it."""
    known = {number for line in told for number in _numbers(line, wordings)}
    return any(
        number >= LEAST and number != ROUND and not _follows(number, known) for number in _numbers(reply, wordings)
    )


def _follows(number: int, known: set[int]) -> bool:
    steps = known | {1}
    return (
        number in known
        or any(number - one in steps or number + one in known or one - number in steps for one in known)
        or any(number // ROUND in {19, 20} and number % ROUND == one for one in known)
    )


def _numbers(text: str, wordings: Sequence[Wording]) -> Iterator[int]:
    """The numbers in digits and words, "forty-one" and "forty one" as one."""
    tens = 0
    for word in _WORD.findall(fold(text).replace(",", "")):
        number = int(word) if word.isdigit() and len(word) <= LONGEST else _meant(word, wordings)
        spelt = not word.isdigit()
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


def _meant(word: str, wordings: Sequence[Wording]) -> int:
    """The number that a word is; 0 for other words."""
    return next((int(one.numbers[word]) for one in wordings if word in one.numbers), 0)
