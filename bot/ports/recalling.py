"""What recall beyond events and traits is made of: the memory graph, and what people said word for word."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bot.domain import Edge, Passage, Place


@dataclass(frozen=True, slots=True)
class PassagesVersion:
    """While `audience` stays, the passages up to `latest` that may be used in a place stay what they are."""

    audience: int
    latest: int
    """The highest id of a passage."""
    events: int = 0
    """What `Events.version` gives."""


@dataclass(frozen=True, slots=True)
class PassageTokens:
    """Token vectors of a passage in eight bits: `scale` · `vectors` has unit rows. Holds no words."""

    passage_id: int
    vectors: NDArray[np.int8]
    """Shape (n, d); n may be 0."""
    scale: float


class Shelf(Protocol):
    """What is known of the person that a DM is with, the newest first: by the rules, their own or heard by them.

    Entries have codes: "t12" is trait 12, current and theirs; "e3" is event 3, of a session in which they spoke.
    """

    async def count(self, dm: Place, most: int, *, events_only: bool = False) -> int:
        """How many there are, `most` at most: who has more than that is not counted to the end."""

    async def newest(self, dm: Place, first: int, most: int, *, events_only: bool = False) -> list[str]:
        """The codes of at most `most`, from the `first` on, which is counted from 0; the newest first.

        A trait is as new as when it was said last. Of the same instant, the higher number comes first.
        """

    async def holding(self, dm: Place, words: Sequence[str], most: int, named: Mapping[str, str]) -> list[str] | None:
        """The codes of all that hold each of these words, folded as `str.casefold` does; None: they are over `most`.

        In no order, and with some that do not hold them, so whoever asks looks again: among them is every event that
        calls one of those who are `named` (speaker id → name) otherwise, but for a number behind the name.
        """

    async def called(self, dm: Place) -> dict[str, list[str]]:
        """Speaker id → what the events call them, the latest name last: of all others than person and companion."""


class Graph(Protocol):
    """The edges of the memory graph (THEANINE): between events, from the older to the newer.

    An edge goes with either of its events. It may be shown where both of them may be.
    """

    async def among(self, event_ids: Collection[int]) -> list[Edge]:
        """The edges both of whose events are among these, in order."""

    async def link(self, job_id: int, edges: Sequence[Edge]) -> int:
        """Stores edges and ends the LINK job, in one transaction; returns how many edges are new.

        Nothing is stored when the job has ended already, or was begun anew, and no edge whose events are not both
        there. Counts up `Events.version`.
        """


class Passages(Protocol):
    """What was said, as far as it may be recalled word for word, and where (`bot/storage/shared/audience.py`).

    The rule is that of events: what was said in a session may be used where its event may be. What somebody has
    corrected is not found where the correction counts.
    """

    async def archive(self, session_id: int, withheld: Collection[int], job_id: int) -> int:
        """Makes the utterances of a closed session passages, as not indexed yet, and ends the ARCHIVE job.

        Not those that are off the record or will be erased with such, nor `withheld` (ids). Those that are passages
        already stay as they are.
        Returns how many are new; 0, and nothing is stored, when the job has ended already or was begun anew.
        """

    async def readable_in(self, place: Place, after: int = 0) -> NDArray[np.int64]:
        """The ids, over `after`, of what may be used in `place` by the audience rule, ascending, shape (n,)."""

    async def get(self, ids: Sequence[int], place: Place | None = None) -> list[Passage]:
        """The passages with these ids, in order of id; ids that do not exist are left out.

        With `place`, speakers have the ids by which they go there: in a DM, every identity of its person is that one.
        """

    async def version(self) -> PassagesVersion:
        """Changes whenever `readable_in` may find something else anywhere. Survives restarts."""

    async def unindexed(self, limit: int) -> list[Passage]:
        """Passages whose vectors are not in the index yet."""

    async def mark_indexed(self, ids: Sequence[int]) -> None:
        """Records that the vectors of these passages are in the index."""

    async def without_tokens(self, limit: int) -> list[Passage]:
        """Passages whose token vectors are not stored yet, the latest first."""

    async def put_tokens(self, rows: Sequence[PassageTokens]) -> None:
        """Stores token vectors, in place of those that there are. Passages that are not there are passed over."""

    async def tokens(self, ids: Sequence[int]) -> dict[int, PassageTokens]:
        """Passage id → its token vectors, for those that have them. They go with their passage."""
