"""Features of a line for small linear nets: words, pairs, parts of words, each known by a hash only. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bot.ports import Vector

PART_SIZES = (4, 5)
"""Characters of the parts of words; shorter words have none."""


def hashed(
    kinds: Mapping[str, Sequence[str]], least: Mapping[str, int], buckets: int
) -> tuple[NDArray[np.int64], Vector]:
    """The buckets of a line's features and how much each counts, both of shape (n,).

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
