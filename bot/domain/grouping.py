"""Pairs, put together by their first."""

from collections.abc import Iterable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Key → what it is paired with, both in the order in which they come."""
    found: dict[K, list[V]] = {}
    for key, one in pairs:
        found.setdefault(key, []).append(one)
    return found
