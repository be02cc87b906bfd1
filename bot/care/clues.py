"""Topic clues: segments of all sessions that are about one topic (CareAgent §3.3 and appendix D). Pure.

`lda` is the paper's way: single-pass clustering gives the number of topics, then LDA clusters the segments' words anew.
`linkage`, ours, joins the vectors of segments by average linkage, down to the same similarity. Segments are a handful
of lines, too few words for LDA to tell topics apart: `lab evaluate clues` has the figures.
"""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bot.care.segments import Segment, segments
from bot.language.lexicon import SMALL_TALK, stems
from bot.ports import Vectors

Clustering: TypeAlias = Literal["lda", "linkage"]
Labels: TypeAlias = NDArray[np.int64]
"""The number of each segment's cluster, from 0, in the order in which the clusters begin."""

MOST_SEGMENTS = 600
"""Segments that are clustered: the most recent ones. LDA takes some seconds for so many, linkage well under one."""
DAY = timedelta(days=1)
UNEVEN = 10
"""The paper's bound: the longest clue has at most so many times the utterances of the shortest."""


@dataclass(frozen=True, slots=True, eq=False)
class Clue:
    """What was said about one topic, in all sessions."""

    segments: tuple[int, ...]
    """Indices into the segments, in order of time."""
    utterances: tuple[int, ...]
    """The positions of these segments' utterances, in order of time."""
    vector: NDArray[np.float64]
    """The mean of the utterances' vectors, of unit length, shape (d,); zero when they have none."""
    days: float
    """The mean over the segments of when they were said, in the caller's days (CareAgent's Average_t, eq. 6)."""


@dataclass(frozen=True, slots=True)
class ClueRules:
    """How segments are clustered."""

    single_pass: float = 0.5
    """Cosine similarity from which on segments are about one topic."""
    most: int = 12
    """Topics at most, |T|max, at least 1."""
    clustering: Clustering = "linkage"
    seed: int = 0
    """Of LDA."""


def clues_of(
    vectors: Vectors,
    sessions: Sequence[int] | NDArray[np.int64],
    texts: Sequence[str],
    times: Sequence[datetime],
    *,
    border: float,
    rules: ClueRules,
) -> list[Clue]:
    """Segments and clues in one: of utterances in order of time, each with its vector, session, text and time.

    Days are counted from the first of `times`. As `segments` and `clues`.
    """
    first = min(times, default=None)
    days = np.array([(time - first) / DAY for time in times if first is not None])
    return clues(segments(vectors, sessions, border), vectors, days, texts, rules)


def clues(
    cut: Sequence[Segment],
    vectors: Vectors,
    days: Sequence[float] | NDArray[np.float64],
    texts: Sequence[str],
    rules: ClueRules,
) -> list[Clue]:
    """The clues of the MOST_SEGMENTS most recent segments, in the order in which they begin.

    `cut`: segments in order of time. `vectors`, `days` and `texts` are those of the utterances that their positions
    mean: rows of shape (n, d), when each was said (days since the person's first message), and what was said. Every one
    of these segments is in exactly one clue.
    """
    first = max(0, len(cut) - MOST_SEGMENTS)
    recent = cut[first:]
    if not recent:
        return []
    labels = _labels(recent, vectors, texts, rules)
    times = [float(np.mean(days[one.start : one.end])) for one in recent]
    found: list[Clue] = []
    for number in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == number).tolist()
        positions = [at for member in members for at in range(recent[member].start, recent[member].end)]
        mean_days = float(np.mean([times[member] for member in members]))
        middle = _unit(np.asarray(vectors[positions], dtype=np.float64).mean(axis=0))
        found.append(Clue(tuple(first + member for member in members), tuple(positions), middle, mean_days))
    return found


def _labels(cut: Sequence[Segment], vectors: Vectors, texts: Sequence[str], rules: ClueRules) -> Labels:
    middles = segment_vectors(cut, vectors)
    if rules.clustering == "linkage":
        return linkage(middles, rules.single_pass, rules.most)
    lengths = [one.end - one.start for one in cut]
    count = topic_count(single_pass(middles, rules.single_pass), lengths, rules.most)
    words = [[stem for text in texts[one.start : one.end] for stem in stems(text, SMALL_TALK)] for one in cut]
    return _with_wordless(lda(words, count, rules.seed), words, middles)


def segment_vectors(cut: Sequence[Segment], vectors: Vectors) -> NDArray[np.float64]:
    """The mean vector of each segment, of unit length (zero where there is none), shape (segments, d)."""
    rows = [_unit(np.asarray(vectors[one.start : one.end], dtype=np.float64).mean(axis=0)) for one in cut]
    return np.array(rows).reshape(len(cut), vectors.shape[1])


def single_pass(middles: NDArray[np.float64], threshold: float) -> Labels:
    """Single-pass clustering in order: a segment joins the most similar cluster so far, or begins one of its own.

    It joins when its cosine with the mean of that cluster's segments is at least `threshold`. `middles`: unit-length
    rows, shape (segments, d).
    """
    sums = np.zeros_like(middles)
    labels = np.zeros(len(middles), dtype=np.int64)
    count = 0
    for at, middle in enumerate(middles):
        lengths = np.linalg.norm(sums[:count], axis=1)
        cosines = sums[:count] @ middle / np.where(lengths > 0, lengths, 1.0)
        best = int(cosines.argmax()) if count else 0
        if not count or cosines[best] < threshold:
            best, count = count, count + 1
        sums[best] += middle
        labels[at] = best
    return labels


def topic_count(labels: Labels, lengths: Sequence[int], most: int) -> int:
    """|T| (CareAgent eq. 11): the number of clusters, or |T|max if there are more, or they are too uneven.

    `lengths`: utterances of each segment. Never more than there are segments, and 0 without any.
    """
    sizes = np.bincount(labels, weights=np.asarray(lengths, dtype=np.float64))
    if not len(sizes):
        return 0
    uneven = float(sizes.max()) > UNEVEN * float(sizes.min())
    return min(most if uneven or len(sizes) > most else len(sizes), len(labels))


def lda(words: Sequence[Sequence[str]], topics: int, seed: int) -> Labels:
    """The likeliest topic of each segment by LDA over their words; at most `topics` of them, as some are nobody's.

    The same for the same words and seed. All are one topic where there are no words at all, or a single topic.
    """
    if topics <= 1 or not any(words):
        return np.zeros(len(words), dtype=np.int64)
    return _in_order(_clustering().lda(words, topics, seed))


def linkage(middles: NDArray[np.float64], similarity: float, most: int) -> Labels:
    """Average linkage: clusters are joined while the mean cosine between their segments is at least `similarity`.

    When that leaves more than `most`, Ward's linkage makes `most`: average linkage would make a huge one and crumbs.
    """
    if len(middles) <= 1:
        return np.zeros(len(middles), dtype=np.int64)
    labels: Labels = _clustering().average_linkage(middles, similarity)
    if labels.max() + 1 > most:
        labels = _clustering().ward(middles, most)
    return _in_order(labels)


def _clustering() -> Any:
    """scikit-learn, which takes a second to import, so that no start waits for it."""
    return importlib.import_module("bot.care.clustering")


def _with_wordless(labels: Labels, words: Sequence[Sequence[str]], middles: NDArray[np.float64]) -> Labels:
    """Segments without words, which LDA cannot place, are put to the topic with the most similar mean vector."""
    spoken = np.array([bool(each) for each in words])
    if spoken.all() or not spoken.any():
        return labels
    known = np.unique(labels[spoken])
    means = np.array([_unit(middles[spoken & (labels == number)].mean(axis=0)) for number in known])
    placed = labels.copy()
    placed[~spoken] = known[(middles[~spoken] @ means.T).argmax(axis=1)]
    return _in_order(placed)


def _in_order(labels: Labels) -> Labels:
    """The same clusters, numbered by the first segment that each has."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[inverse], dtype=np.int64)


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector
