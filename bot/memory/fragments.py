"""Fragments of past dialogues, in people's own words (the dialogue-context retriever).

A key is a span of one to three utterances; what is shown of it is the key, the utterance after it, both (KeyNext), or
its whole session. Keys are taken by similarity until the budget of tokens is full; then what was chosen is put in the
order in which it was said (Table 4 of the paper). Pure.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bot.domain import AGENT_ID, Fragment, Utterance
from bot.memory.passage_shelf import Floats, PassageShelf

Value: TypeAlias = Literal["key", "next", "keynext", "session"]

LONGEST_QUOTE = 400
"""Characters of one line of a past dialogue that are shown."""

WHOLE = 10_000
"""More utterances than a session has."""

NONE_SUCH = np.float32(-2.0)
"""Below every cosine: not a key."""


@dataclass(frozen=True, slots=True)
class Key:
    """A span that was found: its positions on the shelf, in order, and how well it matches."""

    positions: tuple[int, ...]
    score: float


Shown: TypeAlias = tuple[Key, tuple[int, ...]]
"""A key, and the positions that are shown for it."""


def key_scores(shelf: PassageShelf, similarity: Floats, length: int, speaker_id: str) -> Floats:
    """The similarity of the key of `length` utterances that ends at each passage; −2 where there is none.

    A key ends with the speaker of the query (the paper). Where that person has said nothing yet, it ends with anybody
    but the companion (ours). `similarity`: of the span that ends at each passage, shape (n,).
    """
    speaker = shelf.speakers.get(speaker_id)
    ends = shelf.by == speaker if speaker is not None else np.zeros(len(shelf), dtype=np.bool_)
    if not ends.any():
        ends = shelf.by != shelf.speakers.get(AGENT_ID, -1)
    whole = np.ones(len(shelf), dtype=np.float32)
    for back in range(1, length):
        whole *= shelf.shifted(np.ones(len(shelf), dtype=np.float32), -back)
    return np.where(ends & (whole > 0), similarity, NONE_SUCH)


def shown_of(shelf: PassageShelf, key: Key, value: Value) -> tuple[int, ...]:
    """The positions of what is shown for a key, in order; empty where there is nothing (no next utterance)."""
    last = key.positions[-1]
    if value == "session":
        return tuple(shelf.in_session_of(last, WHOLE, WHOLE).tolist())
    following = tuple(at for at in shelf.in_session_of(last, 0, 1).tolist() if at != last)
    return {"key": key.positions, "next": following, "keynext": (*key.positions, *following)}[value]


def fill(
    shown: Sequence[Shown], said: Mapping[int, Utterance], budget: int, count: Callable[[str], int]
) -> list[Shown]:
    """The keys, best first, whose lines fit into `budget` tokens together; lines that several show count once.

    `said`: position → utterance, for all that is still there; `count`: the tokens of a text. The first key that does
    not fit ends it, but of the best one as much as fits around it is always taken, and the key itself.
    """
    taken: list[Shown] = []
    seen: set[int] = set()
    left = budget
    for key, positions in shown:
        new = [at for at in positions if at not in seen and at in said]
        cost = sum(count(said[at].text) for at in new)
        if cost > left and taken:
            break
        if cost > left:
            return [(key, tuple(_around(key, new, {at: count(said[at].text) for at in new}, left)))]
        left -= cost
        seen.update(new)
        taken.append((key, positions))
    return taken


def _around(key: Key, positions: Sequence[int], costs: Mapping[int, int], budget: int) -> list[int]:
    """Those of the positions nearest to the key that fit into the budget, in order; the key's own in any case."""
    last = positions.index(key.positions[-1]) if key.positions[-1] in positions else 0
    by_distance = sorted(range(len(positions)), key=lambda rank: (abs(rank - last), rank))
    kept = {rank for rank in range(len(positions)) if positions[rank] in key.positions} or {last}
    left = budget - sum(costs[positions[rank]] for rank in kept)
    for rank in by_distance:
        if rank in kept:
            continue
        left -= costs[positions[rank]]
        if left < 0:
            break
        kept.add(rank)
    return [positions[rank] for rank in sorted(kept)]


def joined(shelf: PassageShelf, chosen: Sequence[Shown], said: Mapping[int, Utterance]) -> list[Fragment]:
    """What was chosen as fragments, those that touch or overlap in a session joined into one; the best first."""
    best: dict[int, tuple[float, int]] = {}
    for rank, (key, positions) in enumerate(chosen):
        for at in positions:
            if at in said:
                best.setdefault(at, (key.score, rank))
    keys = {at: rank for rank, (key, _) in enumerate(chosen) for at in key.positions}
    fragments: list[tuple[int, Fragment]] = []
    for run in _runs(shelf, sorted(best)):
        lines = tuple(said[at] for at in run)
        found_by = sorted((keys[at], said[at].id) for at in run if at in keys)
        rank = min(best[at][1] for at in run)
        fragments.append((rank, Fragment(lines, tuple(id_ for _, id_ in found_by), max(best[at][0] for at in run))))
    return [fragment for _, fragment in sorted(fragments, key=lambda one: one[0])]


def _runs(shelf: PassageShelf, positions: Sequence[int]) -> list[list[int]]:
    """The positions in groups that follow one another without a gap in their session."""
    ranks = shelf.ranks(np.asarray(positions, dtype=np.int64))
    sessions = shelf.sessions
    runs: list[list[int]] = []
    last: tuple[int, int] | None = None
    for rank, at in sorted(zip(ranks.tolist(), positions, strict=True)):
        here = (int(sessions[at]), rank)
        if last is not None and here == (last[0], last[1] + 1):
            runs[-1].append(at)
        else:
            runs.append([at])
        last = here
    return runs


def best_first(scores: Floats, number: int, least: float = float(NONE_SUCH)) -> NDArray[np.int64]:
    """The positions of the `number` highest scores over `least`, best first; of equal ones the first."""
    positions = np.flatnonzero(scores > least)
    if len(positions) > number:
        cut = np.partition(scores[positions], len(positions) - number)[len(positions) - number]
        positions = positions[scores[positions] >= cut]
    order = np.lexsort((positions, -scores[positions]))
    return np.asarray(positions[order[:number]], dtype=np.int64)
