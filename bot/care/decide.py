"""The decision adapter (CareAgent §3.4, appendices E, F): which memory to talk about, and whether to change it. Pure.

`M_t` is memory t of |T|; arrays have one entry a memory, in the same order. Vectors are of unit length, or zero.
"""

import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bot.config.care import CareWeights
from bot.domain import CareScores
from bot.errors import MalformedOutput

Floats = NDArray[np.float64]

LAST_SESSIONS = 3
"""Sessions that a memory is compared with (eq. 5)."""
LAST_UTTERANCES = 3
"""Utterances of the person that a memory is compared with during a session (eq. 12)."""
ENOUGH = 0.5
"""The sum of similarities below which a memory no longer fits, and above which another one does (appendix F)."""

_RATING = re.compile(r"10|[0-9]")
MOST = 10
"""The highest rating: small models use whole numbers up to it, and answer "0.00" where tenths are asked for."""


def rating(text: str) -> float:
    """S_I, the importance (eq. 4), in [0, 1]: a model's whole number from 0 to 10. Raises MalformedOutput."""
    if _RATING.fullmatch(text.strip()) is None:
        raise MalformedOutput("A rating from 0 to 10 was asked for, and something else was answered.")
    return int(text) / MOST


def recent_similarity(memories: Floats, vectors: NDArray[np.floating], sessions: Sequence[int]) -> Floats:
    """Σ_d Similar(M_t, S_d) over the last three sessions (eq. 5): cosines with their mean vectors, shape (|T|,).

    `memories`: shape (|T|, d). `vectors` and `sessions`: of each utterance, in order of time. Without any, zeros.
    """
    numbers = np.asarray(sessions, dtype=np.int64)
    last = list(dict.fromkeys(numbers[::-1].tolist()))[:LAST_SESSIONS]
    sums = np.zeros(len(memories))
    for number in last:
        middle = np.asarray(vectors[numbers == number], dtype=np.float64).mean(axis=0)
        length = float(np.linalg.norm(middle))
        sums += memories @ middle / (length or 1.0)
    return sums


def ranks(sums: Sequence[float] | Floats) -> NDArray[np.int64]:
    """R_t (eq. 5): 1 for the memory that is most similar to the last three sessions, |T| for the least.

    Equal ones are ranked in their order.
    """
    order = np.argsort(-np.asarray(sums, dtype=np.float64), kind="stable")
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.arange(1, len(order) + 1)
    return found


def balance(rank: int, topics: int) -> float:
    """S_B (eq. 5): 1 − Poisson(R_t; |T|/2), in (0, 1]. High at both ends of the ranking, lowest near its middle.

    `rank` in 1 … `topics`. Raises ValueError when it is not.
    """
    if not 1 <= rank <= topics:
        raise ValueError(f"rank {rank} of {topics} memories")
    mean = topics / 2
    # By logarithms: 171! is too large for a float.
    return 1.0 - math.exp(rank * math.log(mean) - math.lgamma(rank + 1) - mean)


def freshness(mean_days: Sequence[float] | Floats) -> Floats:
    """S_F (eq. 6): each memory's mean time as a share of their sum, shape (|T|,); they sum up to 1.

    `mean_days`: mean time of each memory's segments in days since the person's first message (ours: seconds since 1970
    would give all the same share). All are 1/|T| when all was said at the very first moment. Raises ValueError for a
    time before the first message.
    """
    days = np.asarray(mean_days, dtype=np.float64)
    if (days < 0).any():
        raise ValueError("a time before the first message")
    total_days = float(days.sum())
    if total_days == 0:
        return np.full(len(days), 1 / max(len(days), 1))
    return np.asarray(days / total_days)


def total(importance: float, balanced: float, fresh: float, weights: CareWeights) -> float:
    """Score_t = α S_I + β S_B + γ S_F (eq. 7), in [0, 1]."""
    return weights.importance * importance + weights.balance * balanced + weights.freshness * fresh


def decided(
    importance: Sequence[float],
    sums: Sequence[float] | Floats,
    mean_days: Sequence[float] | Floats,
    weights: CareWeights,
) -> list[CareScores]:
    """All scores of all memories (eqs 4–7). The one with the highest total is the background M.

    `importance`: S_I of each. `sums`: as of `recent_similarity`. `mean_days`: as for `freshness`. Raises ValueError
    when they differ in length.
    """
    balanced = [balance(rank, len(importance)) for rank in ranks(sums).tolist()]
    terms = zip(importance, balanced, freshness(mean_days).tolist(), strict=True)
    return [CareScores(*three, total(*three, weights)) for three in terms]


def turn_similarity(memory: NDArray[np.floating], said: NDArray[np.floating]) -> float:
    """Sim_Turn(m) (eq. 12): the sum of a memory's cosines with the person's last three utterances, in [−3, 3].

    0 without any. `memory`: shape (d,). `said`: vectors of the person's utterances in the session, in order, shape
    (n, d).
    """
    last = np.asarray(said, dtype=np.float64)[-LAST_UTTERANCES:]
    return float((last @ np.asarray(memory, dtype=np.float64)).sum()) if len(last) else 0.0


def feedback(current: float, others: Sequence[float], threshold: float = ENOUGH) -> int | None:
    """The index of the memory M̄ that a new session begins with (appendix F, eq. 13), or None: this one goes on.

    `current`: Sim_Turn(M). `others`: Sim_Turn of each other memory; of equal ones the first is taken. The current
    memory has to be below the threshold, and the best other one above it.
    """
    if current >= threshold or not len(others):
        return None
    best = int(np.argmax(others))
    return best if others[best] > threshold else None
