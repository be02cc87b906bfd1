"""Semantic segments: sessions cut where their topic changes (CareAgent §3.3 and appendix C). Pure.

The paper trains a BERT on borders between short dialogues and cuts where P(border) × δ > threshold. Ours needs no
training and no model call, only the vectors that passages have. The utterances of a segment scatter around the middle
of what it is about. A border saves as much squared distance as two middles fit better than one; were the scatter
Gaussian, that is the log-likelihood ratio of there being a border, up to a factor. A session gets those borders that
save the most in all, where each has to save more than `border`: it is threshold and δ in one, as P × δ exceeds a
threshold exactly where the ratio exceeds a number. A session on one topic stays whole. `lab evaluate clues` compares
it with other ways.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bot.ports import Vectors

Floats = NDArray[np.float64]

LEAST = 3
"""Utterances of a segment at least, where its session has so many: fewer are an aside."""
LONGEST = 100
"""Utterances of a segment at most. It also bounds the time, which grows with utterances × LONGEST."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The utterances at the positions `start` to `end` − 1: of one session, and about one topic."""

    start: int
    end: int


def segments(vectors: Vectors, sessions: Sequence[int] | NDArray[np.int64], border: float) -> list[Segment]:
    """Segments in order, each within one session; together they hold every utterance once.

    `vectors`: one unit-length row an utterance, shape (n, d), in order of time; zero where there is none. `sessions`:
    the session of each; utterances of one are next to each other. `border`: the squared distance that a border has to
    save; higher makes longer segments. Raises ValueError when the two differ in length.
    """
    numbers = np.asarray(sessions, dtype=np.int64)
    if len(vectors) != len(numbers):
        raise ValueError(f"{len(vectors)} vectors, but the sessions of {len(numbers)} utterances")
    if not len(numbers):
        return []
    starts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)]
    found: list[Segment] = []
    for start, end in pairwise(starts):
        cuts = [0, *borders(vectors[start:end], border), end - start]
        found += [Segment(start + left, start + right) for left, right in pairwise(cuts)]
    return found


def borders(vectors: Vectors, border: float) -> list[int]:
    """The positions, ascending, before which one session is cut. As `segments`; exact, by dynamic programming."""
    count = len(vectors)
    if count < 2 * LEAST:
        return []
    rows = np.asarray(vectors, dtype=np.float64)
    sums = np.vstack([np.zeros(rows.shape[1]), np.cumsum(rows, axis=0)])
    squares = np.concatenate([[0.0], np.cumsum((rows * rows).sum(axis=1))])
    cheapest = np.full(count + 1, np.inf)
    cheapest[0] = -border
    came_from = np.zeros(count + 1, dtype=np.int64)
    for end in range(LEAST, count + 1):
        starts = np.arange(max(0, end - LONGEST), end - LEAST + 1)
        costs = cheapest[starts] + _scatter(sums, squares, starts, end) + border
        best = int(costs.argmin())
        cheapest[end], came_from[end] = costs[best], starts[best]
    found: list[int] = []
    at = int(came_from[count])
    while at > 0:
        found.append(at)
        at = int(came_from[at])
    return found[::-1]


def _scatter(sums: Floats, squares: Floats, starts: NDArray[np.int64], end: int) -> Floats:
    """For each start, the summed squared distances of the utterances up to `end` − 1 from their own middle."""
    inside = sums[end] - sums[starts]
    scatter: Floats = squares[end] - squares[starts] - (inside * inside).sum(axis=1) / (end - starts)
    return scatter
