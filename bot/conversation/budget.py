"""One token budget for everything in a prompt. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

SHORTEST_CUT = 40
"""Characters below which what was just said is not cut further to fit the budget."""


@dataclass(frozen=True, slots=True)
class Part(Generic[T]):
    """Something a prompt can do without. Parts with the largest `rank` are dropped first."""

    content: T
    rank: int


def fit(parts: Sequence[Part[T]], limit: int, count: Callable[[Sequence[Part[T]]], int]) -> list[Part[T]]:
    """The most important parts that fit, in the order given.

    `count` gives the tokens of the whole prompt with some of the parts; it must not fall when parts are added. What is
    dropped is the shortest tail of the ranking that brings the prompt under `limit` tokens, found by bisection, so that
    `count` is called once where all fit, and else O(log n) times. When the prompt is over the limit without any part,
    none is kept.
    """
    ranked = sorted(range(len(parts)), key=lambda position: (parts[position].rank, position))

    def chosen(number: int) -> list[Part[T]]:
        return [parts[position] for position in sorted(ranked[:number])]

    if count(parts) <= limit:  # as most often
        return list(parts)
    low, high = 0, max(len(parts) - 1, 0)
    while low < high:
        middle = (low + high + 1) // 2
        if count(chosen(middle)) <= limit:
            low = middle
        else:
            high = middle - 1
    return chosen(low)


def shorten(text: str, limit: float, count: Callable[[str], int]) -> str:
    """The text, or its head and tail, so that it `count`s at most `limit` tokens or has SHORTEST_CUT characters."""
    shown, length = text, len(text)
    while (tokens := count(shown)) > limit and length > SHORTEST_CUT:
        length = max(int(length * limit / (tokens + 1)), SHORTEST_CUT)
        shown = head_and_tail(text, length)
    return shown


def head_and_tail(text: str, length: int) -> str:
    """The text, or `length` characters of it with a mark for its left-out middle: people often ask at the end."""
    half = max((length - 3) // 2, 1)
    return text if len(text) <= length else f"{text[:half]} … {text[-half:]}"
