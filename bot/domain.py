"""The platform-neutral types at the centre. All are frozen, and none imports anything of ours.

Times are timezone-aware and in UTC. Ids of rows are positive integers; 0 means "not stored yet".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum
from typing import Self

AGENT_ID = "agent"
"""The id of the one speaker that is the companion itself, on every platform."""


class PlaceKind(StrEnum):
    """Who can read a place: one person (`DM`), or everyone in a channel."""

    DM = "dm"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something was said: a DM with one person, or a channel of a server.

    `ref` is the platform's own stable name: a person's id for a DM, "server/channel" for a channel.
    """

    platform: str
    kind: PlaceKind
    ref: str

    @property
    def key(self) -> str:
        """The place as one string, e.g. `discord:channel:42/7`; unique, and stable for ever."""
        return f"{self.platform}:{self.kind.value}:{self.ref}"

    @property
    def server(self) -> str | None:
        """The server that a channel belongs to; None for a DM."""
        return self.ref.partition("/")[0] if self.kind is PlaceKind.CHANNEL else None

    @property
    def dm_person(self) -> str | None:
        """The speaker id of the person a DM is with; None for a channel."""
        return f"{self.platform}:{self.ref}" if self.kind is PlaceKind.DM else None

    @classmethod
    def parse(cls, key: str) -> Self:
        """The place that has this `key`. Raises ValueError when it is no place's key."""
        platform, _, rest = key.partition(":")
        kind, _, ref = rest.partition(":")
        if not platform or not ref:
            raise ValueError(f"{key!r} is not a place: expected platform:dm:person or platform:channel:server/name")
        return cls(platform, PlaceKind(kind), ref)


@dataclass(frozen=True, slots=True)
class Speaker:
    """Someone who says things. `id` is stable (`platform:person`, or AGENT_ID); `name` is what to call them now."""

    id: str
    name: str

    @property
    def is_agent(self) -> bool:
        """Whether this is the companion itself."""
        return self.id == AGENT_ID


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of one speaker. (`place.platform`, `message_id`) is unique: it makes a redelivery visible."""

    place: Place
    message_id: str
    speaker: Speaker
    text: str
    time: datetime
    to_bot: bool = True
    reply_to: str | None = None
    id: int = 0
    session_id: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """Utterances of one place with gaps under β (LD-Agent eq. 4): the short-term memory M_S."""

    id: int
    place: Place
    utterances: tuple[Utterance, ...] = ()


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
class Outgoing:
    """A reply on its way to a platform: a row of the outbox.

    `nonce` is the same at every attempt, so that a platform that can tell duplicates may drop them. `uncertain` is
    true when an earlier attempt may have arrived (the process died, or the answer to the send was lost).
    """

    id: int
    place: Place
    text: str
    nonce: str
    in_reply_to: str | None = None
    uncertain: bool = False


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


class Role(StrEnum):
    """Who speaks in a chat prompt."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a chat prompt."""

    role: Role
    content: str


class Priority(IntEnum):
    """A reply goes before background work."""

    REPLY = 0
    BACKGROUND = 1


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What a chat model is asked. `deadline` counts from the call; what was generated when it passes is kept."""

    messages: tuple[ChatMessage, ...]
    max_tokens: int = 160
    temperature: float = 0.0
    """0 is greedy decoding."""
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    """Texts at which generation ends; they are not part of the output."""
    deadline: timedelta = timedelta(seconds=120)
    priority: Priority = Priority.REPLY


class FinishReason(StrEnum):
    """Why a generation ended."""

    STOP = "stop"
    LENGTH = "length"
    DEADLINE = "deadline"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a streamed generation. The last chunk has `finish`, and the token counts of the whole."""

    text: str
    finish: FinishReason | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """Which model answers, for people and for the prompt budget."""

    name: str
    """e.g. "SmolLM2-135M-Instruct"."""
    detail: str
    """e.g. "4-bit NF4 on the CPU"."""
    advice: str
    """One sentence: what would be better here; empty when nothing would."""
    context_tokens: int
    """The longest prompt plus reply the model takes."""
    comfortable_tokens: int
    """The longest prompt that a model of this size follows well; at most `context_tokens`."""
    follows_instructions: bool = True
    """False for very small models, whose structured answers are not worth asking for."""


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
class StoredCounts:
    """What is stored, for `bot data stats`."""

    rows: dict[str, int] = field(default_factory=dict)
    """Table or kind → number of rows."""
    first: datetime | None = None
    """The time of the oldest utterance."""
    last: datetime | None = None
    bytes_on_disk: int = 0
