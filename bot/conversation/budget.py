"""One token budget for everything in a prompt. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


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
