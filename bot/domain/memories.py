"""What is derived from what was said, and what is recalled."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from bot.domain.conversation import Place, Utterance


@dataclass(frozen=True, slots=True)
class Event:
    """A summarised session: one record of the long-term memory M_L (LD-Agent §2.2.1)."""

    place: Place
    session_id: int
    summary: str
    topics: frozenset[str]
    time: datetime
    """The time of the session's last utterance."""
    speakers: frozenset[str]
    """Ids of the people and the agent who spoke in the session."""
    sources: tuple[int, ...]
    """Ids of the utterances it was made of, in order."""
    id: int = 0
    names: tuple[tuple[str, str], ...] = ()
    """(speaker id, their name then with their number, such as "Ann (3)"), for everybody whom `summary` may name.

    The summary has the name alone, except where two people share it. Names change; ids and numbers do not.
    """


@dataclass(frozen=True, slots=True)
class Trait:
    """One lasting thing known of a speaker, in the first person. Current while `until` is None."""

    speaker_id: str
    place: Place
    text: str
    since: datetime
    sources: tuple[int, ...]
    until: datetime | None = None
    """When it stopped being true; a superseded trait stays in the bank."""
    superseded_by: int | None = None
    refreshed: datetime | None = None
    """When it was last restated."""
    id: int = 0


@dataclass(frozen=True, slots=True)
class RecalledEvent:
    """An event with the parts of its score: `score` = `decay` · (`semantic` + `topic`) (LD-Agent eq. 2)."""

    event: Event
    score: float
    semantic: float
    topic: float
    decay: float


@dataclass(frozen=True, slots=True)
class RecalledTrait:
    """A trait that goes into the prompt; `score` is its cosine similarity to what was just said."""

    trait: Trait
    score: float


@dataclass(frozen=True, slots=True)
class Recollection:
    """All that was recalled for one reply. Empty `events` means "No relevant memory" (LD-Agent eq. 3)."""

    events: tuple[RecalledEvent, ...] = ()
    traits: tuple[RecalledTrait, ...] = ()


@dataclass(frozen=True, slots=True)
class UsedMemories:
    """A reply, and what it was shown when it was made."""

    reply: Utterance
    events: tuple[Event, ...] = ()
    traits: tuple[Trait, ...] = ()


class JobKind(StrEnum):
    """What can be done in the background."""

    SUMMARISE = "summarise"
    """Turn a closed session (`subject` = its id) into an event."""
    TRAITS = "traits"
    """Extract the traits of one utterance (`subject` = its id)."""


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of background work, a row that survives restarts. (`kind`, `subject`) is unique."""

    kind: JobKind
    subject: int
    id: int = 0
    attempts: int = 0


class VectorKind(StrEnum):
    """The kinds of things that have vectors."""

    EVENT = "event"
    TRAIT = "trait"


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """One collection of vectors: all things of one kind with the same place of origin (so the same audience)."""

    kind: VectorKind
    place_key: str


@dataclass(frozen=True, slots=True)
class Correction:
    """What an edit changed: `utterances` as they are now, and the vectors that must go."""

    utterances: tuple[Utterance, ...] = ()
    vectors: tuple[tuple[Scope, tuple[int, ...]], ...] = ()
    gone: tuple[Utterance, ...] = ()
    """What the companion had said with the old words in view, in order of id."""
    texts: tuple[str, ...] = ()
    """All words that went, the old ones among them. Kept in memory only, until the files hold none of them."""
    erasure_id: int = 0
    """Its row among the erasures, unfinished until then."""


@dataclass(frozen=True, slots=True)
class StoredCounts:
    """What is stored, for `bot data stats`."""

    rows: dict[str, int] = field(default_factory=dict)
    """Table or kind → number of rows."""
    first: datetime | None = None
    """The time of the oldest utterance."""
    last: datetime | None = None
    bytes_on_disk: int = 0
