"""How well a text is cut, and how well its pieces are sorted. Pure.

A border is the position of the utterance that begins a segment; the beginning of the whole is none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


def border_f1(found: Sequence[int], true: Sequence[int], within: int = 0) -> float:
    """F1 of borders, each counting once, found when one is at most `within` utterances off. 1.0 with none in either."""
    if not found and not true:
        return 1.0
    left = sorted(found)
    hits = 0
    for border in sorted(true):
        # The leftmost of those near enough: whatever lies further right can still serve the borders that follow.
        near = next((one for one in left if abs(one - border) <= within), None)
        if near is not None:
            left.remove(near)
            hits += 1
    return 2 * hits / (len(found) + len(true))


def pk(found: Sequence[int], true: Sequence[int], length: int) -> float:
    """P_k (Beeferman et al. 1999): how often two utterances half a true segment apart are wrongly parted, or not.

    In [0, 1], lower is better. `length`: utterances in all.
    """
    ours, theirs = _crossed(found, true, length)
    return float(np.mean((ours > 0) != (theirs > 0))) if len(ours) else 0.0


def window_diff(found: Sequence[int], true: Sequence[int], length: int) -> float:
    """WindowDiff (Pevzner & Hearst 2002): as P_k, but the number of borders between the two has to be right."""
    ours, theirs = _crossed(found, true, length)
    return float(np.mean(ours != theirs)) if len(ours) else 0.0


def _crossed(found: Sequence[int], true: Sequence[int], length: int) -> tuple[Numbers, Numbers]:
    """How many borders lie between each utterance and the one half a mean true segment later."""
    apart = max(1, round(length / (len(true) + 1) / 2))
    counted = []
    for borders in (found, true):
        before = np.isin(np.arange(length), list(borders)).cumsum()
        counted.append(before[apart:] - before[:-apart])
    return counted[0], counted[1]


def purity(labels: Numbers, true: Numbers) -> float:
    """The share of utterances that belong to their cluster's commonest topic; 1.0 when each has its own cluster."""
    commonest = [int(np.bincount(true[labels == number]).max()) for number in np.unique(labels)]
    return sum(commonest) / len(labels)
