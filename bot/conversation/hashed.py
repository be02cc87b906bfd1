"""Small linear nets over a line's features: words, pairs, parts of words, each known by a hash only. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bot.language.weights import About, Arrays, finite
from bot.ports import Vector

N = TypeVar("N", bound="HashedNet")
Features = tuple[NDArray[np.int64], Vector]
"""The buckets of a line's features and how much each counts, both of shape (n,)."""

PART_SIZES = (4, 5)
"""Characters of the parts of words; shorter words have none."""


@dataclass(frozen=True, slots=True)
class HashedNet:
    """All weights of a logistic regression over them. Safe to use from several threads."""

    about: Mapping[str, object]
    """What they were made from."""
    weights: Vector
    """Shape (buckets,)."""
    bias: float
    threshold: float
    """The logit from which a line counts."""
    firmer: float
    """The same where the net has to be surer."""

    def logit_of(self, features: Features) -> float:
        """The logit of a line with these features."""
        buckets, values = features
        return float(self.weights[buckets] @ values) + self.bias


def unpacked_as(kind: type[N], buckets: int) -> Callable[[About, Arrays], N]:
    """What makes a net of the arrays of a weights file; it raises ValueError when they do not fit."""

    def unpacked(about: About, arrays: Arrays) -> N:
        weights, numbers = finite(arrays["weights"]), finite(arrays["numbers"])
        if weights.shape != (buckets,) or numbers.shape != (3,):
            raise ValueError("arrays of the wrong shape")
        return kind(about, weights, *map(float, numbers))

    return unpacked


def hashed(kinds: Mapping[str, Sequence[str]], least: Mapping[str, int], buckets: int) -> Features:
    """A line's features.

    `kinds`: the features by kind; each kind counts as much as another, however many there are. `least`: how many of
    a kind a line counts as having at least, so that a short one is not loud.
    """
    shares: dict[int, float] = {}
    for kind, names in kinds.items():
        share = 1 / sqrt(max(len(names), least[kind]))
        for name in names:
            bucket = crc32(name.encode("utf-8", "replace")) % buckets
            shares[bucket] = shares.get(bucket, 0.0) + share
    found = np.fromiter(shares, dtype=np.int64, count=len(shares))
    return found, np.fromiter(shares.values(), dtype=np.float32, count=len(shares))


def parts_of(token: str) -> Iterator[str]:
    """The parts of a word, its beginning and its end marked."""
    word = f"<{token}>"
    if len(token) >= PART_SIZES[0]:
        for size in PART_SIZES:
            yield from ("c" + word[begin : begin + size] for begin in range(len(word) - size + 1))
