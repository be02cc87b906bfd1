"""Every outside thing the core needs, as a Protocol whose docstring says what it promises and what it raises.

Each has a real implementation (`bot/llm`, `bot/storage`, `adapters`), and most a second one for tests. One suite in
`tests/contract/` runs on them all. A method that writes is one transaction: all or nothing, also after SIGKILL.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import date, datetime, timedelta
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bot.domain import (
    ChatMessage,
    Chunk,
    Event,
    GenerationRequest,
    Job,
    ModelDescription,
    Outgoing,
    Place,
    Recollection,
    Scope,
    Session,
    StoredCounts,
    Trait,
    Utterance,
)

Vectors = NDArray[np.float32]
"""Shape (n, dimension): one unit-length row a text."""


class Report(Protocol):
    """Is told what is being done while the program starts; may be called from any thread."""

    def __call__(self, step: str, share: float | None = None) -> None:
        """`step` is a short sentence; `share` in [0, 1] is how much of it is done, None when that is not known."""
        ...


class Clock(Protocol):
    """The time, so that a year can pass in a test."""

    def now(self) -> datetime:
        """The current time, timezone-aware, in UTC."""
        ...


class ChatModel(Protocol):
    """A language model that answers chats. Takes several requests at once; replies go before background work."""

    @property
    def description(self) -> ModelDescription:
        """Which model this is and how long its prompts may be."""
        ...

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """The number of tokens of the whole prompt, with the chat template and the opening of the reply."""
        ...

    def stream(self, request: GenerationRequest) -> AsyncIterator[Chunk]:
        """The reply, piece by piece; the last chunk has `finish` and the token counts.

        Closing the iterator early (or cancelling the task) cancels the generation. Raises PromptTooLong, ModelBusy,
        ModelFailed, or ModelUnavailable when the engine has gone.
        """
        ...

    async def aclose(self) -> None:
        """Ends what is running and frees all memory. Safe to call twice."""
        ...


class Encoder(Protocol):
    """A text encoder φ: texts to unit-length vectors."""

    @property
    def fingerprint(self) -> str:
        """A name that changes whenever the vectors would: vectors of two fingerprints are never compared."""
        ...

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        ...

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """One unit-length float32 row a text, shape (len(texts), dimension). An empty text gets a vector too."""
        ...


class TopicExtractor(Protocol):
    """The topic nouns V of a text (LD-Agent §2.2.1)."""

    def topics(self, text: str) -> frozenset[str]:
        """Lower-case lemmas of the nouns and proper nouns of `text`; empty when there are none. Never raises."""
        ...


class TraitGate(Protocol):
    """A cheap classifier: does an utterance carry a trait of its speaker?"""

    def probability(self, texts: Sequence[str], vectors: Vectors) -> NDArray[np.float64]:
        """For each text with its vector, the probability in [0, 1] that it carries a trait. Shape (len(texts),)."""
        ...


class Inbox(Protocol):
    """What arrived and is not yet dealt with."""

    async def accept(self, utterance: Utterance) -> Utterance | None:
        """Stores `utterance` as pending and returns it with its id; None when that message is stored already."""
        ...

    async def pending(self, place: Place | None = None) -> list[Utterance]:
        """The utterances of `place` (or of all places) that are not dealt with, oldest first."""
        ...

    async def remembered(self, ids: Sequence[int], jobs: Sequence[Job] = ()) -> None:
        """Marks utterances as dealt with that get no reply, and adds `jobs`, in one transaction."""
        ...


class Sessions(Protocol):
    """Short-term memory as rows (LD-Agent eq. 4)."""

    async def append(self, utterance: Utterance, beta: timedelta, max_words: int) -> Session:
        """Puts a stored utterance into its place's open session and returns that session with it as the last one.

        When the gap to the session's last utterance is over `beta`, in either direction (the clock may have been set
        back), or its text is over `max_words` words already, that session is closed, with a SUMMARISE job, and a new
        one starts, in the same transaction. Appending an utterance a second time changes nothing.
        """
        ...

    async def open_session(self, place: Place) -> Session | None:
        """The open session of `place`, or None."""
        ...

    async def get(self, session_id: int) -> Session | None:
        """A session with its utterances in order of arrival; None when there is none with that id."""
        ...

    async def close_idle(self, before: datetime, after: datetime) -> int:
        """Closes, with a SUMMARISE job each, the open sessions whose last utterance is not in [`before`, `after`].

        Later ones are of a clock that was ahead. Those with something pending stay open. Returns how many were closed.
        """
        ...

    async def close(self, place: Place) -> bool:
        """Closes the open session of `place` now, with its job. False when there is none, or a message is pending."""
        ...


class Outbox(Protocol):
    """Replies on their way to a platform."""

    async def commit(
        self, reply: Utterance, answers: Sequence[int], recalled: Recollection, jobs: Sequence[Job]
    ) -> Outgoing | None:
        """Stores `reply` as the one answer to the utterances `answers`: the text, in its session, as ready to send.

        In the same transaction the answered utterances are dealt with, the memories it used are recorded, and `jobs`
        are added; a job whose subject is 0 is about the reply itself. None when one of `answers` has a reply already:
        then nothing is stored.
        """
        ...

    async def sending(self, outgoing_id: int) -> None:
        """Records that an attempt to send begins now."""
        ...

    async def sent(self, outgoing_id: int, platform_message_id: str) -> None:
        """Records that the platform took it."""
        ...

    async def put_back(self, outgoing_id: int) -> None:
        """Records that the attempt certainly did not arrive: it is ready again."""
        ...

    async def failed(self, outgoing_id: int, reason: str) -> None:
        """Records that the platform refused it for good."""
        ...

    async def undelivered(self) -> list[Outgoing]:
        """What is ready or was being sent when the process ended, oldest first; the latter are `uncertain`."""
        ...


class Events(Protocol):
    """The long-term memory M_L, and which of it may be used where (`bot/memory/audience.py`)."""

    async def add(self, event: Event, job_id: int) -> Event:
        """Stores an event as not indexed yet, and ends the job, in one transaction. Returns it with its id.

        A session has at most one event: adding a second one returns the first and ends the job.
        """
        ...

    async def readable_in(self, place: Place) -> list[Event]:
        """The events that may be used in `place` by the audience rule, oldest first."""
        ...

    async def version(self) -> int:
        """A number that changes whenever an event is added or removed, so that callers can cache."""
        ...

    async def unindexed(self, limit: int) -> list[Event]:
        """Events whose vector is not in the index yet."""
        ...

    async def mark_indexed(self, ids: Sequence[int]) -> None:
        """Records that the vectors of these events are in the index."""
        ...


class Traits(Protocol):
    """The persona banks P_u and P_a, and which of them may be used where."""

    async def current(self, speaker_id: str, place: Place) -> list[Trait]:
        """The speaker's traits that were learnt in exactly `place` and are true now, oldest first."""
        ...

    async def readable_in(self, place: Place, speaker_ids: Sequence[str]) -> list[Trait]:
        """The current traits of these speakers that may be used in `place` by the audience rule, oldest first."""
        ...

    async def apply(
        self,
        job_id: int,
        new: Sequence[Trait] = (),
        refreshed: Sequence[tuple[int, datetime, tuple[int, ...]]] = (),
        superseded: Sequence[tuple[int, int, datetime]] = (),
    ) -> list[Trait]:
        """Applies what one utterance said and ends the job, in one transaction. Returns `new` with their ids.

        `refreshed`: (trait id, time, further source ids). `superseded`: (old trait id, index in `new` of the trait that
        replaces it, time since when the old one is no longer true). When the job has ended already nothing changes.
        """
        ...

    async def unindexed(self, limit: int) -> list[Trait]:
        """Traits whose vector is not in the index yet."""
        ...

    async def mark_indexed(self, ids: Sequence[int]) -> None:
        """Records that the vectors of these traits are in the index."""
        ...


class Jobs(Protocol):
    """Background work as rows."""

    async def add(self, jobs: Sequence[Job]) -> None:
        """Adds jobs; one that exists already (`kind`, `subject`) is left as it is."""
        ...

    async def claim(self, now: datetime, lease: timedelta) -> Job | None:
        """The oldest job that is due, leased until `now` + `lease`; None when nothing is due.

        A job whose lease ran out is due again. `attempts` counts this claim.
        """
        ...

    async def done(self, job_id: int) -> None:
        """Ends a job."""
        ...

    async def retry(self, job_id: int, at: datetime, reason: str) -> None:
        """Puts a job back, due again at `at`."""
        ...

    async def give_up(self, job_id: int, reason: str) -> None:
        """Sets a job aside for good, kept with its reason."""
        ...

    async def release_all(self) -> int:
        """At start: makes jobs due that are leased or put back (perhaps by another clock). Returns how many."""
        ...

    async def spend_tokens(self, day: date, tokens: int) -> int:
        """Adds to what background work has used on `day` (0 is allowed) and returns the day's sum."""
        ...


class Utterances(Protocol):
    """What was said."""

    async def get(self, ids: Sequence[int]) -> list[Utterance]:
        """The utterances with these ids, in order of id; ids that do not exist are left out."""
        ...

    async def recent(self, place: Place, limit: int) -> list[Utterance]:
        """The last `limit` utterances of a place, oldest first."""
        ...

    async def counts(self) -> StoredCounts:
        """What is stored, how much, and since when."""
        ...


class VectorIndex(Protocol):
    """Vectors with ids, and nothing else: no text ever goes in. Raises IndexUnusable.

    The index can be lost at any time: it is rebuilt from the tables.
    """

    async def upsert(self, scope: Scope, ids: Sequence[int], vectors: Vectors) -> None:
        """Adds vectors or replaces those that have the same id. `vectors` has shape (len(ids), dimension)."""
        ...

    async def similarities(
        self, scope: Scope, query: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The ids in `scope` and the cosine similarity of each to `query` (dimension,), in no particular order.

        Exact, and complete up to the exact-search limit of the implementation; beyond it, the nearest ones. An unknown
        scope gives two empty arrays.
        """
        ...

    async def remove(self, scope: Scope, ids: Sequence[int]) -> None:
        """Removes vectors; ids that are not there are no error."""
        ...

    async def count(self, scope: Scope) -> int:
        """How many vectors a scope holds."""
        ...


class Messenger(Protocol):
    """What the core asks of a platform."""

    def reaches(self, place: Place) -> bool:
        """Whether something can be shown in `place` now, to those who belong there and nobody else."""
        ...

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Shows that a reply is being thought of while the context is open. Never raises for the platform's faults."""
        ...

    async def show(self, place: Place, text: str) -> None:
        """Shows the reply as far as it is known; may do nothing. Never raises for the platform's faults."""
        ...

    async def send(self, outgoing: Outgoing) -> str:
        """Sends the final text and returns the platform's message id. Raises DeliveryFailed."""
        ...


class Core(Protocol):
    """What an adapter may ask of the core."""

    async def receive(self, utterance: Utterance) -> bool:
        """Stores what somebody said and has it dealt with; False when this message was stored before.

        Returns as soon as it is stored; the reply comes through the adapter's Messenger. Raises QueueFull.
        """
        ...

    async def connected(self) -> None:
        """Says that an adapter can send now: what an earlier run left unsent or unanswered is taken up."""
        ...

    async def end_session(self, place: Place) -> bool:
        """Ends the session of `place` as β of silence would; False when none is open or a reply is on its way."""
        ...

    async def idle(self) -> None:
        """Waits until every message received so far is dealt with."""
        ...

    async def recent(self, place: Place, limit: int) -> list[Utterance]:
        """The last utterances of `place`, oldest first."""
        ...


class Adapter(Protocol):
    """A platform: runs until it ends or is cancelled, and hands what it hears to the core."""

    @property
    def platform(self) -> str:
        """The platform's name, the first part of its places' keys."""
        ...

    @property
    def messenger(self) -> Messenger:
        """How replies get to this platform."""
        ...

    async def run(self, core: Core) -> None:
        """Connects, listens and hands over; returns when the person or the platform ends it."""
        ...
