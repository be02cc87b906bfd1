"""What is kept. A method that writes is one transaction: all or nothing, also after SIGKILL."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime, timedelta
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bot.domain import Correction, Event, Job, JobKind, Place, Scope, Session, StoredCounts, Trait, Utterance
from bot.ports.engines import Similarities, Vector, Vectors


class Sessions(Protocol):
    """Short-term memory as rows (LD-Agent eq. 4)."""

    async def append(self, utterance: Utterance, beta: timedelta, max_words: int) -> Session:
        """Puts a stored utterance into its place's open session and returns that session with it as the last one.

        When the gap to the session's last utterance is over `beta`, in either direction (the clock may have been set
        back), or its text is over `max_words` words already, that session is closed, with its jobs, and a new one
        starts, in the same transaction. Appending an utterance a second time changes nothing.

        A session that a check-in opened waits some days (`care.answer_days`) for the first word of a person, which
        joins it after a longer gap too. Closed before anybody has spoken in it, it gets no jobs.
        """

    async def any_open(self) -> bool:
        """Whether a session is open in which somebody has spoken: not one with a check-in alone."""

    async def get(self, session_id: int) -> Session | None:
        """A session with its utterances in order of arrival; None when there is none with that id."""

    async def close_idle(self, before: datetime, after: datetime) -> int:
        """Closes, with their jobs, the open sessions whose last utterance is not in [`before`, `after`].

        Later ones are of a clock that was ahead. Those with something pending stay open, and those in which a check-in
        waits for its answer, for as long as it waits. Returns how many were closed.
        """

    async def close(self, place: Place) -> bool:
        """Closes the open session of `place` now, with its job. False when there is none, or a message is pending."""

    async def put_on_record(self, speaker_ids: Sequence[str]) -> int:
        """What these people said off the record, in sessions that are open, is kept after all; returns how much.

        Not what they said while they had paused or refused (`Utterance.refused`).
        """

    async def off_record_left(self, before: datetime) -> list[int]:
        """The ids of what was said off the record and should be gone: before then, or in no open session any more."""


class Events(Protocol):
    """The long-term memory M_L, and which of it may be used where (`bot/storage/shared/audience.py`)."""

    async def get(self, ids: Sequence[int]) -> list[Event]:
        """The events with these ids, in order of id; ids that do not exist are left out."""

    async def add(self, event: Event, job_id: int) -> Event:
        """Stores an event as not indexed yet, and ends the job, in one transaction. Returns it with its id.

        A session has at most one event: adding a second one returns the first and ends the job. When the job has ended
        already, or a correction had it begun anew, nothing is stored and `event` comes back with the id 0.
        """

    async def readable_in(self, place: Place, only: Collection[int] | None = None) -> list[Event]:
        """The events that may be used in `place` by the audience rule, oldest first; `only` those with these ids."""

    async def version(self) -> int:
        """A number that changes whenever what may be used somewhere does, so that callers can cache.

        Events, their corrections, links between people, sharing and the visibility of channels all count.
        """

    async def unindexed(self, limit: int) -> list[Event]:
        """Events whose vector is not in the index yet."""

    async def mark_indexed(self, ids: Sequence[int]) -> None:
        """Records that the vectors of these events are in the index."""


class Traits(Protocol):
    """The persona banks P_u and P_a, and which of them may be used where."""

    async def current(self, speaker_id: str, place: Place) -> list[Trait]:
        """The speaker's traits that were learnt in exactly `place` and are true now, oldest first."""

    async def readable_in(
        self, place: Place, speaker_ids: Sequence[str], only: Collection[int] | None = None
    ) -> list[Trait]:
        """The current traits of these speakers that may be used in `place` by the audience rule, oldest first.

        `only`: those with these ids.
        """

    async def former(self, place: Place, speaker_ids: Sequence[str], ids: Sequence[int]) -> dict[int, list[Trait]]:
        """What each of these traits of these speakers ended, itself or by what it ended, the last that was true first.

        By the audience rule, as what is current. A trait that ended nothing is no key.
        """

    async def successor(self, place: Place, speaker_ids: Sequence[str], trait_id: int) -> int:
        """The current trait of these speakers that has this one among its `former`; 0: there is none."""

    async def apply(
        self,
        job_id: int,
        new: Sequence[Trait] = (),
        refreshed: Sequence[tuple[int, datetime, tuple[int, ...]]] = (),
        superseded: Sequence[tuple[int, int, datetime]] = (),
    ) -> list[Trait]:
        """Applies what one utterance said and ends the job, in one transaction. Returns `new` with their ids.

        `refreshed`: (trait id, time, further source ids). `superseded`: (old trait id, index in `new` of the trait that
        replaces it, time since when the old one is no longer true). When the job has ended already, or a correction had
        it begun anew, nothing changes.
        """

    async def unindexed(self, limit: int) -> list[Trait]:
        """Traits whose vector is not in the index yet."""

    async def mark_indexed(self, ids: Sequence[int]) -> None:
        """Records that the vectors of these traits are in the index."""


class Jobs(Protocol):
    """Background work as rows."""

    async def claim(self, now: datetime, lease: timedelta, kinds: Collection[JobKind] = tuple(JobKind)) -> Job | None:
        """The oldest job of these kinds that is due, leased until `now` + `lease`; None when there is none.

        A job whose lease ran out is due again. `attempts` counts this claim.
        """

    def holding(self, job: Job) -> AbstractContextManager[None]:
        """What is written within is refused, where processes share the database, once another has claimed the job."""

    async def done(self, job_id: int) -> None:
        """Ends a job."""

    async def retry(self, job_id: int, at: datetime, reason: str) -> None:
        """Puts a job back, due again at `at`."""

    async def give_up(self, job_id: int, reason: str) -> None:
        """Sets a job aside for good, kept with its reason."""

    async def release_all(self) -> int:
        """At start: makes jobs due that are leased or put back (perhaps by another clock). Returns how many."""

    async def waiting(self) -> int:
        """How many jobs have not ended and were not set aside."""

    async def spend_tokens(self, day: date, tokens: int) -> int:
        """Adds to what background work has used on `day` (0 is allowed) and returns the day's sum."""


class Utterances(Protocol):
    """What was said."""

    async def by_message(self, platform: str, message_ids: Sequence[str]) -> dict[str, Utterance]:
        """Platform message id → utterance, for those that are stored; any part of a sent reply finds that reply."""

    async def place_names(self, places: Sequence[Place]) -> dict[Place, str]:
        """What people call these places, for those whose name is known."""

    async def dms(self, platform: str) -> list[Place]:
        """The DMs of a platform in which something was said, the latest first."""

    async def get(self, ids: Sequence[int]) -> list[Utterance]:
        """The utterances with these ids, in order of id; ids that do not exist are left out."""

    async def recent(self, place: Place, limit: int) -> list[Utterance]:
        """The last `limit` utterances of a place, oldest first."""

    async def before(self, utterance: Utterance, limit: int) -> list[Utterance]:
        """The last `limit` utterances of its place before it, oldest first."""

    async def keep_heard(self, heard: Sequence[Utterance]) -> None:
        """Keeps `heard_danger` of these utterances, as far as they are stored and still say the same."""

    async def unprocessed(self, speaker_ids: Collection[str], limit: int) -> list[Utterance]:
        """The last things that these people said of which memories are still to be made, the latest first.

        Their session is open or waits for its summary, or their own traits wait; no trait comes from them yet. Not what
        is off the record, and not what was told with a command.
        """

    async def counts(self) -> StoredCounts:
        """What is stored, how much, and since when."""


class Corrections(Protocol):
    """What was said is edited on its platform: what was derived from it follows.

    In the same transaction as the change: events and traits that come from the utterance go, and replies that were made
    with its old words in view, with all that comes from them, as if those were erased; a trait that one of them
    had superseded is current again, and jobs derive anew what the remaining sources say. A job that is being done
    meanwhile begins anew under a new id: what it makes of the old words is not stored. The vectors to remove are
    returned; should the process end before they are removed, the next start finds and removes them.
    """

    async def edit(self, platform: str, message_id: str, text: str, now: datetime | None = None) -> Correction | None:
        """Replaces what an utterance says. None when it is not stored, or says exactly that already.

        `now`: the time; None: by the computer's clock.
        """


class VectorIndex(Protocol):
    """Vectors with ids, and nothing else: no text ever goes in. Raises IndexUnusable.

    The index can be lost at any time: it is rebuilt from the tables.
    """

    async def upsert(self, scope: Scope, ids: Sequence[int], vectors: Vectors) -> None:
        """Adds vectors or replaces those that have the same id. `vectors` has shape (len(ids), dimension)."""

    async def similarities(self, scope: Scope, query: Vector) -> Similarities:
        """The ids in `scope` and the cosine similarity of each to `query` (dimension,), in no particular order.

        Exact, and complete up to the exact-search limit of the implementation; beyond it, the nearest ones. An unknown
        scope gives two empty arrays.
        """

    async def remove(self, scope: Scope, ids: Sequence[int]) -> None:
        """Removes vectors; ids that are not there are no error."""

    async def get(self, scope: Scope, ids: Sequence[int]) -> Vectors:
        """The vectors with these ids, those that are there, shape (n, dimension), in no particular order."""

    async def load(self, scope: Scope, ids: Sequence[int]) -> tuple[NDArray[np.int64], Vectors]:
        """The vectors with these ids, those that are there: their ids, ascending, shape (n,), and themselves.

        The vectors have shape (n, dimension) and unit length. The caller keeps them; nothing is cached. An unknown
        scope gives two empty arrays, and ids that are not there are left out.
        """

    async def expunge(self, chosen: Sequence[tuple[Scope, Sequence[int]]]) -> None:
        """Removes vectors so that no file of the index holds them, nor what is left of ones removed before.

        Searches go on meanwhile. After SIGKILL at any point the index is as it was, or is noticed to be made anew.
        """
