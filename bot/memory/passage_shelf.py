"""The passages that may be used in one place, laid out so that all of them are scored at once.

Everything here is arrays over the passages in the order in which they came onto the shelf. Words are kept only as terms
of BM25; what somebody said in full stays in the tables.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bot.domain import AGENT_ID, Passage, Utterance
from bot.language.lexicon import stems, words
from bot.language.patterns import Patterns
from bot.memory.bm25 import Bm25
from bot.ports import Vectors

Floats = NDArray[np.float32]
Positions = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOBODY = -1
NONE = np.zeros(0, dtype=np.bool_)
EPOCH = 1970
"""The year from which times are counted."""

TIME_WORDS = re.compile(Patterns.beside(__file__).written("time_words"))
"""English words that say when something was, in lower case: so it is three times as quick as without regard to case."""


class PassageShelf:
    """Grows and shrinks; not for several threads at once."""

    ids: Positions
    """Ids of the passages, shape (n,)."""
    utterances: Positions
    """The utterance of each passage, shape (n,)."""
    sessions: Positions
    """The session of each passage, shape (n,)."""
    by: Positions
    """The number of each passage's speaker, shape (n,)."""
    times: NDArray[np.float64]
    """When each was said, seconds since 1970, shape (n,)."""
    years: Sequence[int]
    """The years (UTC) in which something was said, ascending."""

    def __init__(self) -> None:
        self.bm25 = Bm25()
        """The words."""
        self._vectors = np.zeros((0, 0), dtype=np.float32)
        self._size = 0
        self._has_vector = np.zeros(0, dtype=np.bool_)
        self._columns: dict[str, NDArray[np.generic]] = {}
        self.speakers: dict[str, int] = {}
        """Speaker id → the number that `by` has for them."""
        self._names: dict[str, dict[str, None]] = {}
        self._arrange()

    def __len__(self) -> int:
        return self._size

    @property
    def vectors(self) -> Vectors:
        """One vector a passage, shape (n, dimension), of unit length, or zero where there is none yet."""
        return self._vectors[: self._size]

    @property
    def without_vector(self) -> Positions:
        """Ids of the passages that have no vector yet."""
        return self.ids[~self._has_vector]

    @property
    def names(self) -> Mapping[str, Sequence[str]]:
        """Speaker id → the lower-case words of all the names that they had."""
        return {speaker_id: tuple(names) for speaker_id, names in self._names.items()}

    def flag(self, name: str) -> Flags:
        """`ends_asking` or `tells_time`, shape (n,)."""
        return np.asarray(self._columns[name], dtype=np.bool_)

    def add(self, passages: Sequence[Passage], vectors: Mapping[int, Floats]) -> None:
        """Adds passages that are not here yet. `vectors`: passage id → vector, for those that have one."""
        if not passages:
            return
        said = [one.utterance for one in passages]
        self.bm25.add([stems(line.text) for line in said])
        for speaker_id, name in dict.fromkeys((line.speaker.id, line.speaker.name) for line in said):
            self._names.setdefault(speaker_id, {}).update(dict.fromkeys(words(name)))
        for column, new in ({"passage": [one.id for one in passages]} | self._read(said)).items():
            self._columns[column] = np.concatenate([self._columns.get(column, NONE), np.array(new)])
        self._has_vector = np.concatenate([self._has_vector, np.zeros(len(said), dtype=np.bool_)])
        self._make_room(len(said))
        self._size += len(said)
        self._arrange()
        self.put_vectors(vectors)

    def put_vectors(self, vectors: Mapping[int, Floats]) -> None:
        """Puts in the vectors of passages that are here; others are passed over."""
        if not vectors or not self._size:
            return
        dimension = len(next(iter(vectors.values())))
        if self._vectors.shape[1] != dimension:
            self._vectors = np.zeros((max(self._size, 64), dimension), dtype=np.float32)
            self._has_vector[:] = False
        order = np.argsort(self.ids, kind="stable")
        wanted = np.fromiter(vectors, dtype=np.int64, count=len(vectors))
        at = np.searchsorted(self.ids, wanted, sorter=order)
        inside = at < self._size
        at = order[np.minimum(at, self._size - 1)]
        here = inside & (self.ids[at] == wanted)
        rows = np.stack(list(vectors.values()))
        self._vectors[at[here]] = rows[here]
        self._has_vector[at[here]] = True

    def keep(self, kept: Flags) -> None:
        """Drops the passages that are not `kept`, shape (n,), with all that is known of them."""
        vectors = self.vectors[kept]
        self.bm25.keep(kept)
        self._columns = {name: column[kept] for name, column in self._columns.items()}
        self._has_vector = self._has_vector[kept]
        self._vectors, self._size = vectors, len(vectors)
        self._arrange()
        there = {number: speaker_id for speaker_id, number in self.speakers.items()}
        left = {there[int(number)] for number in np.unique(self.by)} if self._size else set()
        self._names = {speaker_id: names for speaker_id, names in self._names.items() if speaker_id in left}

    def shifted(self, values: Floats, by: int) -> Floats:
        """Of each passage the value of the one that was said `by` later in its session (earlier: −); else 0."""
        found = np.zeros_like(values)
        ordered, sessions = values[self._order], self._session_in_order
        near = abs(by)
        if near >= len(values):
            return found
        same = sessions[near:] == sessions[:-near]
        moved = np.zeros_like(ordered)
        if by > 0:
            moved[:-near] = np.where(same, ordered[near:], 0)
        else:
            moved[near:] = np.where(same, ordered[:-near], 0)
        found[self._order] = moved
        return found

    def around(self, values: Floats) -> Floats:
        """Of each passage the sum of the values right before and right after it in its session."""
        return self.shifted(values, -1) + self.shifted(values, 1)

    def beside(self, positions: Positions, step: int, missing: int | None = None) -> Positions:
        """The positions of those said `step` later (earlier: −) in the same session.

        Where there is none: `missing`, or left out when that is None.
        """
        ranks = self._rank[positions] + step
        inside = (ranks >= 0) & (ranks < len(self))
        found = self._order[np.clip(ranks, 0, max(len(self) - 1, 0))]
        there = inside & (self.sessions[found] == self.sessions[positions])
        return found[there] if missing is None else np.where(there, found, missing)

    def in_session_of(self, position: int, back: int, on: int) -> Positions:
        """The positions of this passage and of those up to `back` before and `on` after it in its session, in order."""
        at = int(self._rank[position])
        around = self._order[max(at - back, 0) : at + on + 1]
        return np.asarray(around[self.sessions[around] == self.sessions[position]], dtype=np.int64)

    def ranks(self, positions: Positions) -> Positions:
        """Where these stand when sessions are whole and in order: neighbours in a session differ by one."""
        return np.asarray(self._rank[positions], dtype=np.int64)

    def _read(self, said: Sequence[Utterance]) -> dict[str, Sequence[float]]:
        """What is kept of lines beside their terms and vectors, by column."""
        texts = [line.text.strip() for line in said]
        return {
            "utterance": [line.id for line in said],
            "session": [line.session_id for line in said],
            "speaker": [self.speakers.setdefault(line.speaker.id, len(self.speakers)) for line in said],
            "time": [line.time.timestamp() for line in said],
            "ends_asking": [text.endswith("?") for text in texts],
            "tells_time": [TIME_WORDS.search(text.lower()) is not None for text in texts],
        }

    def _make_room(self, more: int) -> None:
        """Doubles the room for vectors, so that adding a few does not copy all."""
        needed = self._size + more
        if needed <= len(self._vectors):
            self._vectors[self._size : needed] = 0.0
            return
        grown = np.zeros((max(needed, 2 * self._size), self._vectors.shape[1]), dtype=np.float32)
        grown[: self._size] = self._vectors[: self._size]
        self._vectors = grown

    def _arrange(self) -> None:
        """Works out who stands beside whom, sessions whole and in the order in which they were said; and the years."""
        self.ids, self.utterances, self.sessions, self.by = (
            np.asarray(self._columns.get(name, NONE), dtype=np.int64)
            for name in ("passage", "utterance", "session", "speaker")
        )
        self.times = np.asarray(self._columns.get("time", NONE), dtype=np.float64)
        years = np.unique(self.times.astype("datetime64[s]").astype("datetime64[Y]").astype(np.int64))
        self.years = [int(year) + EPOCH for year in years]
        self._order = np.lexsort((self.utterances, self.sessions)).astype(np.int64)
        self._session_in_order = self.sessions[self._order]
        self._rank = np.empty_like(self._order)
        self._rank[self._order] = np.arange(len(self._order))

    def agent(self) -> Flags:
        """Which of them the companion said, shape (n,)."""
        return np.asarray(self.by == self.speakers.get(AGENT_ID, NOBODY), dtype=np.bool_)
