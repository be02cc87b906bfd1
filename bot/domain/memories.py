"""What is derived from what was said, and what is recalled."""

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
class TakenBack:
    """A correction that was taken back, and what counts again instead of it."""

    trait: Trait
    """What was told by it, true no more."""
    traits: tuple[int, ...]
    """Ids of the traits that it had ended and that are current again."""
    events: tuple[int, ...]
    """Ids of the events that it had corrected."""


@dataclass(frozen=True, slots=True)
class RecalledEvent:
    """An event with the parts of its score: `score` = `decay` · (`semantic` + `topic`) (LD-Agent eq. 2)."""

    event: Event
    score: float
    semantic: float
    topic: float
    decay: float
    outdated: bool = False
    """Whether a later event, which may be used in the same place, says what it changed to."""


@dataclass(frozen=True, slots=True)
class RecalledTrait:
    """A trait that goes into the prompt; `score` is its cosine similarity to what was just said."""

    trait: Trait
    score: float


class Relation(StrEnum):
    """What connects an event A with a later event B (THEANINE, the set R)."""

    CHANGED = "changed"
    """Events in A changed to events in B."""
    CAUSE = "cause"
    """Events in A caused events in B."""
    REASON = "reason"
    """Events in A are due to events in B."""
    HINDERED_BY = "hindered_by"
    """Events in B can be hindered by events in A, and the other way round."""
    REACT = "react"
    """As a result of A, the subject feels as B says."""
    WANT = "want"
    """As a result of A, the subject wants what B says."""
    SAME_TOPIC = "same_topic"
    """The specific topic of A is talked about in B, too."""


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """One edge of the memory graph, from the older event to the newer one; ids of events."""

    older: int
    newer: int
    relation: Relation


@dataclass(frozen=True, slots=True)
class Timeline:
    """A path through the memory graph (THEANINE eqs 9–10): `events` in order of time, at least one."""

    events: tuple[Event, ...]
    relations: tuple[Relation, ...]
    """What connects each event with the next one: one fewer than events."""
    through: int
    """The id of the retrieved event that the path goes through."""
    refined: str = ""
    """The timeline retold for the dialogue at hand (eq. 11); empty: not refined."""
    score: float = 0.0
    outdated: frozenset[int] = frozenset()
    """Ids of those of its events that something later changed, also where this timeline does not tell to what."""


@dataclass(frozen=True, slots=True)
class Passage:
    """An utterance that may be recalled word for word. Its `id` changes when its words do."""

    utterance: Utterance
    id: int = 0


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of a past dialogue, in its own words (KeyNext): `lines` in order, all of one session.

    `keys`: ids of the utterances among them that it was found by, the best first. `score`: of the best one.
    """

    lines: tuple[Utterance, ...]
    keys: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Recollection:
    """All that was recalled for one reply. All empty means "No relevant memory" (LD-Agent eq. 3).

    Each kind is in order of relevance, the best first, whatever order the prompt shows them in.
    """

    events: tuple[RecalledEvent, ...] = ()
    traits: tuple[RecalledTrait, ...] = ()
    timelines: tuple[Timeline, ...] = ()
    fragments: tuple[Fragment, ...] = ()

    @property
    def all_events(self) -> tuple[Event, ...]:
        """The events, those on timelines too, each once."""
        alone = (recalled.event for recalled in self.events)
        on_timelines = (event for timeline in self.timelines for event in timeline.events)
        return tuple({event.id: event for event in (*alone, *on_timelines)}.values())


@dataclass(frozen=True, slots=True)
class UsedMemories:
    """A reply, and what it was shown when it was made."""

    reply: Utterance
    events: tuple[Event, ...] = ()
    traits: tuple[Trait, ...] = ()
    said: tuple[Utterance, ...] = ()
    """What was said in sessions before its own, in order of id."""
    here: tuple[Utterance, ...] = ()
    """What was said before it in its own session, in order of id, without what it answers."""


class JobKind(StrEnum):
    """What can be done in the background."""

    SUMMARISE = "summarise"
    """Turn a closed session (`subject` = its id) into an event."""
    TRAITS = "traits"
    """Extract the traits of one utterance (`subject` = its id)."""
    ARCHIVE = "archive"
    """Make what was said in a closed session (`subject` = its id) passages that can be recalled."""
    LINK = "link"
    """Link an event (`subject` = its id) with older ones in the memory graph."""


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
    PASSAGE = "passage"


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
class Backlog:
    """What waits in the tables, for those who watch the program."""

    queues: dict[str, tuple[int, datetime | None]] = field(default_factory=dict)
    """Queue → how many wait there, and since when the oldest does."""
    leases: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Kind of lease → how many are held, and how many ran out and were not given back."""


@dataclass(frozen=True, slots=True)
class StoredCounts:
    """What is stored, for `hello-again data stats`."""

    rows: dict[str, int] = field(default_factory=dict)
    """Table or kind → number of rows."""
    first: datetime | None = None
    """The time of the oldest utterance."""
    last: datetime | None = None
    bytes_on_disk: int = 0
