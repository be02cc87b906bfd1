"""How good a ranking is, and how sure that is.

A ranking is a list of ids, the best first, none of them twice; what is wanted is a set of ids that is not empty.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

Id = TypeVar("Id", bound=Hashable)

RESAMPLES = 2000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its interval at 95 %. Without one (None) there was a single conversation, or nothing at all."""

    mean: float
    low: float | None = None
    high: float | None = None
    count: int = 0
    """How many values there were."""


def recall_at(ranked: Sequence[Id], wanted: AbstractSet[Id], k: int) -> float:
    """The share of what is wanted that is among the first `k`."""
    return len(wanted & set(ranked[:k])) / len(wanted)


def all_at(ranked: Sequence[Id], wanted: AbstractSet[Id], k: int) -> float:
    """1.0 when everything that is wanted is among the first `k`, else 0.0."""
    return float(wanted <= set(ranked[:k]))


def ndcg_at(ranked: Sequence[Id], wanted: AbstractSet[Id], k: int) -> float:
    """Normalised discounted cumulative gain of the first `k`, each wanted one being worth 1: in [0, 1]."""
    gain = sum(1 / math.log2(rank + 2) for rank, found in enumerate(ranked[:k]) if found in wanted)
    return gain / sum(1 / math.log2(rank + 2) for rank in range(min(k, len(wanted))))


def recall_within(ranked: Sequence[Id], words: Sequence[int], wanted: AbstractSet[Id], budget: int) -> float:
    """The share of what is wanted in as many of the first as have no more than `budget` words together.

    `words`: the number of words of each of `ranked`.
    """
    used, taken = 0, 0
    for number in words:
        used += number
        if used > budget:
            break
        taken += 1
    return recall_at(ranked, wanted, taken)


def estimate(groups: Sequence[Sequence[float]], seed: int = 0) -> Estimate:
    """The mean over all values, with an interval from resampling whole groups (a cluster bootstrap).

    Questions on one conversation are not independent of each other, conversations are: so it is conversations that are
    drawn. nan without any value.
    """
    filled = [group for group in groups if len(group)]
    count = sum(map(len, filled))
    if not count:
        return Estimate(math.nan)
    sums, sizes = np.array([sum(group) for group in filled]), np.array([len(group) for group in filled])
    mean = float(sums.sum() / count)
    if len(filled) == 1:
        return Estimate(mean, count=count)
    drawn = np.random.default_rng(seed).integers(len(filled), size=(RESAMPLES, len(filled)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(mean, float(low), float(high), count)


def unique(ids: Sequence[Id]) -> list[Id]:
    """The ids in order, each where it comes first."""
    return list(dict.fromkeys(ids))
