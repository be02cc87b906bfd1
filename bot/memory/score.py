"""The formulas of LD-Agent's memory retrieval (eqs 1–3), pure."""

import math
from collections.abc import Set as AbstractSet
from datetime import datetime

from bot.domain import Event, RecalledEvent


def topic_overlap(query: AbstractSet[str], key: AbstractSet[str]) -> float:
    """s_top of LD-Agent eq. 1, in [0, 1]; 0 when either set of topic nouns is empty."""
    if not query or not key:
        return 0.0
    shared = len(query & key)
    return 0.5 * (shared / len(query) + shared / len(key))


def time_decay(age_s: float, tau_s: float) -> float:
    """λ_t = exp(−age/τ) of LD-Agent eq. 2, in (0, 1]. `age_s` in seconds; a memory from the future counts as new.

    The paper gives no τ. The authors' program has 1e7 s, which leaves 0.04 after a year; ours, 1e9 s, leaves 0.97.
    """
    return math.exp(-max(age_s, 0.0) / tau_s)


def score_event(
    event: Event, semantic: float, query_topics: AbstractSet[str], now: datetime, tau_s: float
) -> RecalledEvent:
    """The event with its overall score λ_t · (s_sem + s_top) (LD-Agent eq. 2). `semantic` is a cosine in [−1, 1]."""
    topic = topic_overlap(query_topics, event.topics)
    decay = time_decay((now - event.time).total_seconds(), tau_s)
    return RecalledEvent(event=event, score=decay * (semantic + topic), semantic=semantic, topic=topic, decay=decay)
