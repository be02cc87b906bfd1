"""How well an encoder finds contexts of past dialogues: the figures before and after training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.ports import Vectors
from lab.tuning.triplets import Context, Dialogue, Triplet, contexts

NEAREST = 10
"""How many of the nearest count as found."""
FEWEST_WORDS = 8
"""Shorter utterances are not asked for by half of their words: what is left says too little."""

MOST_AGAIN = 200
"""So many utterances of a dialogue are looked for by their words, evenly chosen: one conversation has hundreds."""

Encode = Callable[[Sequence[str]], Vectors]
"""Texts to unit-length rows, shape (n, dimension)."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares from 0 to 1, over held-out dialogues; None: nothing to measure it on."""

    triplet_accuracy: float
    """Triplets whose positive is nearer to the anchor than the negative."""
    same_session: float | None
    """Utterances whose nearest other one, among the same speaker's of all sessions, is of the same session."""
    found_again: float | None
    """Utterances among the 10 nearest to every second one of their own words. Falls when words are forgotten."""
    evidence: float | None
    """Recall@10 of the lines that answer a question, by the vectors alone."""
    keynext: float | None
    """Of these lines, those that are in one of the 10 nearest keys or right after it."""

    @property
    def quality(self) -> float:
        """What is chosen by: evidence recall where there are questions, else the mean of the two kinds of finding."""
        if self.evidence is not None:
            return self.evidence
        kinds = [self.triplet_accuracy, *([] if self.found_again is None else [self.found_again])]
        return sum(kinds) / len(kinds)


NAMES = {
    "triplet_accuracy": "triplet accuracy",
    "same_session": "nearest utterance is of the same session",
    "found_again": "utterance found by half its words, recall@10",
    "evidence": "evidence recall@10, vectors alone",
    "keynext": "evidence in KeyNext of the 10 nearest keys",
}
"""Field of Figures → what it is called in tables."""


def measure(dialogues: Sequence[Dialogue], triplets: Sequence[Triplet], encode: Encode) -> Figures:
    """All figures of an encoder on these dialogues and the triplets made of them."""
    same, again, evidence, keynext = ([], [], [], [])  # type: tuple[list[float], list[float], list[float], list[float]]
    for dialogue in dialogues:
        by_speaker = contexts(dialogue, 1)
        keys = sorted((key for of_speaker in by_speaker.values() for key in of_speaker), key=lambda key: key[:2])
        if not keys:
            continue
        rows = encode([key.text for key in keys])
        at = {key[:2]: position for position, key in enumerate(keys)}
        for of_speaker in by_speaker.values():
            same += _same_session(of_speaker, rows[[at[key[:2]] for key in of_speaker]])
        again += _found_again(keys, rows, encode)
        for found, wanted in _answered(dialogue, at, rows, encode):
            evidence.append(len(wanted & found) / len(wanted))
            keynext.append(len(wanted & (found | {position + 1 for position in found})) / len(wanted))
    return Figures(triplet_accuracy(triplets, encode), *(map(_mean, (same, again, evidence, keynext))))


def triplet_accuracy(triplets: Sequence[Triplet], encode: Encode) -> float:
    """The share of triplets whose anchor is nearer to the positive than to the negative."""
    if not triplets:
        return 0.0
    anchor, positive, negative = (encode(texts) for texts in zip(*triplets, strict=True))
    near = np.einsum("nd,nd->n", anchor, positive) > np.einsum("nd,nd->n", anchor, negative)
    return float(near.mean())


def _same_session(keys: Sequence[Context], rows: Vectors) -> list[float]:
    """For each key that has a fellow in its session: whether the nearest other key is one."""
    sessions = np.array([key.session for key in keys])
    cosines = rows @ rows.T
    np.fill_diagonal(cosines, -np.inf)
    nearest = sessions[cosines.argmax(axis=1)]
    has_fellow = np.array([(sessions == session).sum() > 1 for session in sessions])
    return [float(hit) for hit in (nearest == sessions)[has_fellow]]


def _found_again(keys: Sequence[Context], rows: Vectors, encode: Encode) -> list[float]:
    long = [position for position, key in enumerate(keys) if len(key.text.split()) >= FEWEST_WORDS]
    if not long:
        return []
    long = long[:: -(-len(long) // MOST_AGAIN)]
    found = nearest(encode([" ".join(keys[position].text.split()[::2]) for position in long]) @ rows.T)
    return [float(position in some) for position, some in zip(long, found, strict=True)]


def _answered(
    dialogue: Dialogue, at: dict[tuple[int, int], int], rows: Vectors, encode: Encode
) -> list[tuple[set[int], set[int]]]:
    """For each question: the positions of the keys found, and of those that hold the answer."""
    asked = [(one.text, {at[line] for line in one.evidence if line in at}) for one in dialogue.questions]
    asked = [(text, wanted) for text, wanted in asked if wanted]
    if not asked:
        return []
    found = nearest(encode([text for text, _ in asked]) @ rows.T)
    return [(set(some.tolist()), wanted) for some, (_, wanted) in zip(found, asked, strict=True)]


def nearest(cosines: NDArray[np.float32]) -> NDArray[np.intp]:
    """The columns of the NEAREST largest in each row, shape (n, NEAREST) or all where there are fewer."""
    order: NDArray[np.intp] = np.argsort(-cosines, axis=1, kind="stable")[:, :NEAREST]
    return order


def _mean(every: Sequence[float]) -> float | None:
    return sum(every) / len(every) if every else None
