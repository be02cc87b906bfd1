"""Talk whose topics are known, made of dialogues joined at random, and other ways to cut it and to sort its pieces."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

from bot.care.segments import LEAST, Segment
from bot.ports import Vectors

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]

SHORTEST_TURNS = 8
"""Turns of a dialogue that is told in two halves."""
TOPICS = (2, 10)
"""How many topics a person talks about, from and to."""
PIECES = 3
"""Halves that are one session, of a person's talk."""

AROUND = 2
"""Utterances on each side that the trained segmenter looks at."""
STRENGTH = 0.003
"""Inverse of the regularisation; the best of a cross-validation on `dev`."""
FOLDS = 3
THRESHOLDS = np.arange(0.1, 0.95, 0.05)
WINDOW = 4
"""Utterances on each side that depth scores compare."""


@dataclass(frozen=True, slots=True)
class Told:
    """A dialogue. `vectors`: one row a turn, shape (n, d)."""

    texts: tuple[str, ...]
    vectors: Vectors


@dataclass(frozen=True)
class Talk:
    """What was said, in order: `topics` is the dialogue that each utterance is from, `sessions` its session."""

    texts: tuple[str, ...]
    vectors: Vectors
    topics: Numbers
    sessions: Numbers

    @cached_property
    def borders(self) -> list[int]:
        """Where the topic changes within a session."""
        return (np.flatnonzero((np.diff(self.topics) != 0) & (np.diff(self.sessions) == 0)) + 1).tolist()

    @cached_property
    def segments(self) -> list[Segment]:
        """The true ones."""
        return cut_at(self, self.borders)


def joined(dialogues: Sequence[Told], least: int, most: int, seed: int) -> Iterator[Talk]:
    """Sessions of `least` to `most` whole dialogues, each number as likely. No dialogue is in two of them."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    drawn = list(dialogues)
    chance.shuffle(drawn)
    while len(drawn) >= (count := chance.randint(least, most)):
        chosen, drawn = drawn[:count], drawn[count:]
        yield _talk(list(enumerate(chosen)), count)


def returning(dialogues: Sequence[Told], seed: int) -> Iterator[Talk]:
    """Persons who come back to their topics: first halves of some dialogues, later the second halves, in any order."""
    chance = random.Random(seed)  # noqa: S311 - repeatable, not secret
    drawn = [told for told in dialogues if len(told.texts) >= SHORTEST_TURNS]
    chance.shuffle(drawn)
    while len(drawn) >= (count := chance.randint(*TOPICS)):
        chosen, drawn = list(enumerate(drawn[:count])), drawn[count:]
        first = [(number, _part(told, 0)) for number, told in chosen]
        second = [(number, _part(told, 1)) for number, told in chosen]
        chance.shuffle(first)
        chance.shuffle(second)
        yield _talk([*first, *second], PIECES)


def cut_at(talk: Talk, borders: Sequence[int]) -> list[Segment]:
    """The segments between these borders, and at the sessions' ends."""
    ends = (np.flatnonzero(np.diff(talk.sessions)) + 1).tolist()
    cuts = sorted({0, *ends, *borders, len(talk.texts)})
    return [Segment(start, end) for start, end in pairwise(cuts)]


def sessions_of(talk: Talk) -> list[tuple[int, int]]:
    """Where each session begins and ends."""
    return [(one.start, one.end) for one in cut_at(talk, ())]


class TrainedBorders:
    """The paper's segmenter, as near as can be: P(border) by a linear layer over what an encoder makes of both sides.

    The paper fine-tunes a BERT on SAMSum; here the encoder stays as it is and the examples are joined talks, of which
    it takes two or more. δ is 1, and the threshold is the one that is best for talks that the layer did not learn.
    """

    def __init__(self, talks: Sequence[Talk]) -> None:
        features = np.vstack([_features(talk) for talk in talks])
        labels = np.concatenate([_gap_labels(talk) for talk in talks])
        groups = np.concatenate([np.full(len(_gaps(talk)), number) for number, talk in enumerate(talks)])
        layer = LogisticRegression(C=STRENGTH, max_iter=300)
        folds = GroupKFold(min(FOLDS, len(talks)))
        unseen = cross_val_predict(layer, features, labels, groups=groups, cv=folds, method="predict_proba")[:, 1]
        self._threshold = float(max(THRESHOLDS, key=lambda threshold: _f1(unseen >= threshold, labels)))
        self._layer = layer.fit(features, labels)

    def __call__(self, talk: Talk) -> list[int]:
        """The borders of this talk."""
        if not len(gaps := _gaps(talk)):
            return []
        chance = self._layer.predict_proba(_features(talk))[:, 1]
        return [int(at) for at in gaps[chance >= self._threshold]]


def by_depth(talk: Talk, deviations: float) -> list[int]:
    """TextTiling with vectors (Hearst 1997): borders where the similarity of both sides dips most, within a session.

    Its depth is over the mean by so many standard deviations, and LEAST utterances are between two borders.
    """
    found: list[int] = []
    for start, end in sessions_of(talk):
        depths = _depths(np.array([_closeness(talk.vectors, at, start, end) for at in range(start + 1, end)]))
        least = depths.mean() + deviations * depths.std() if len(depths) else 0.0
        kept: list[int] = []
        for gap in np.argsort(-depths, kind="stable").tolist():
            at = start + 1 + gap
            if depths[gap] > least and all(abs(at - other) >= LEAST for other in (start, end, *kept)):
                kept.append(at)
        found += sorted(kept)
    return found


def by_length(talk: Talk, length: int) -> list[int]:
    """A border after every so many utterances of a session."""
    return [at for start, end in sessions_of(talk) for at in range(start + length, end, length)]


def _talk(pieces: Sequence[tuple[int, Told]], each: int) -> Talk:
    lengths = [len(told.texts) for _, told in pieces]
    return Talk(
        tuple(text for _, told in pieces for text in told.texts),
        np.vstack([told.vectors for _, told in pieces]),
        np.repeat([number for number, _ in pieces], lengths),
        np.repeat([place // each for place in range(len(pieces))], lengths),
    )


def _part(told: Told, half: int) -> Told:
    middle = len(told.texts) // 2
    part = slice(middle, None) if half else slice(None, middle)
    return Told(told.texts[part], told.vectors[part])


def _gaps(talk: Talk) -> Numbers:
    """The positions that could be borders."""
    return np.flatnonzero(np.diff(talk.sessions) == 0) + 1


def _gap_labels(talk: Talk) -> NDArray[np.bool_]:
    return np.isin(_gaps(talk), talk.borders)


def _features(talk: Talk) -> Floats:
    bounds = {at: bound for bound in sessions_of(talk) for at in range(*bound)}
    rows = []
    for at in _gaps(talk).tolist():
        left, right = _sides(talk.vectors, at, *bounds[at], AROUND)
        rows.append(np.concatenate([np.abs(left - right), left * right, [left @ right]]))
    dimension = talk.vectors.shape[1]
    # Entries of a unit vector are small where there are many; regularisation expects them to be about 1.
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2 * dimension + 1) * float(np.sqrt(dimension))


def _sides(vectors: Vectors, at: int, start: int, end: int, window: int) -> tuple[Floats, Floats]:
    """Unit-length means of the utterances before and after a gap, within the session."""
    parts = vectors[max(start, at - window) : at], vectors[at : min(end, at + window)]
    means = [np.asarray(part, dtype=np.float64).mean(axis=0) for part in parts]
    left, right = (mean / (float(np.linalg.norm(mean)) or 1.0) for mean in means)
    return left, right


def _closeness(vectors: Vectors, at: int, start: int, end: int) -> float:
    left, right = _sides(vectors, at, start, end, WINDOW)
    return float(left @ right)


def _depths(closeness: Floats) -> Floats:
    """How far each value lies below the peaks on its both sides, summed."""
    return np.array([_climb(closeness[at::-1]) + _climb(closeness[at:]) for at in range(len(closeness))])


def _climb(values: Floats) -> float:
    """How far it goes up from the first value until it goes down."""
    falls = np.flatnonzero(np.diff(values) < 0)
    return float(values[int(falls[0]) if len(falls) else -1] - values[0])


def _f1(found: NDArray[np.bool_], true: NDArray[np.bool_]) -> float:
    return float(2 * (found & true).sum() / max(int(found.sum() + true.sum()), 1))
