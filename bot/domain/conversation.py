"""Who says what, where, and what is answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Self

from bot.domain.calls import Choice

AGENT_ID = "agent"
"""The id of the one speaker that is the companion itself, on every platform."""

TOLD = "told:"
"""What the message ids of utterances begin with that were told with a command, and not said in a conversation."""

THREAD_DEPTH = 2
"""Slashes in the `ref` of a thread's place."""


class PlaceKind(StrEnum):
    """Who can read a place: one person (`DM`), or everyone in a channel."""

    DM = "dm"
    CHANNEL = "channel"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something was said: a DM with one person, or a channel of a server.

    `ref` is the platform's own stable name: a person's id for a DM, "server/channel" for a channel, and
    "server/channel/thread" for a thread, which is a channel of its own.
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
    def parent(self) -> Place | None:
        """The channel that a thread hangs on; None for everything else."""
        if self.kind is PlaceKind.DM or self.ref.count("/") < THREAD_DEPTH:
            return None
        return Place(self.platform, self.kind, self.ref.rpartition("/")[0])

    @property
    def whole_server(self) -> Place | None:
        """What stands for all channels of its server, where something is chosen for these; None for a DM."""
        return None if self.server is None else Place(self.platform, self.kind, self.server)

    def covers(self, place: Place) -> bool:
        """Whether what is chosen here holds there: itself, a channel's threads, all of a server."""
        return self in {place, place.parent, place.whole_server}

    @property
    def dm_person(self) -> str | None:
        """The speaker id of the person a DM is with; None for a channel."""
        return f"{self.platform}:{self.ref}" if self.kind is PlaceKind.DM else None

    @classmethod
    def dm_with(cls, speaker_id: str) -> Self:
        """The DM with the person of this speaker id, on its platform: whose `dm_person` that is."""
        platform, _, ref = speaker_id.partition(":")
        return cls(platform, PlaceKind.DM, ref)

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
    number: int = 0
    """A small number that the store gives each speaker at first sight, for ever: it tells namesakes apart. 0: none."""

    @property
    def is_agent(self) -> bool:
        """Whether this is the companion itself."""
        return self.id == AGENT_ID


@dataclass(frozen=True, slots=True)
class Quotation:
    """Words that somebody points to: replied to or quoted, by whomever, as everybody in the place can see them."""

    name: str
    """Whose words they are, as the platform shows it."""
    text: str
    speaker_id: str = ""
    """Empty: not known."""
    part: bool = False
    """Whether the words were picked out of a longer message."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message of one speaker. (`place.platform`, `message_id`) is unique: it makes a redelivery visible.

    What is no text (a picture, a sticker, a voice note) stands in `text` as a mark in words
    (`bot/language/attachments.py`).
    """

    place: Place
    message_id: str
    speaker: Speaker
    text: str
    time: datetime
    to_bot: bool = True
    """Whether it is for the companion: said in a DM, or mentions it, replies to it, or calls it by name."""
    reply_to: str | None = None
    """The message id, on the same platform, of what it replies to; a word that is none where that is not stored."""
    id: int = 0
    session_id: int = 0
    to_other: bool = False
    """Whether it is plainly for somebody else: it mentions them or replies to them. Not stored."""
    place_name: str = ""
    """What people call the place, such as "#kitchen in Home"; kept with the place. Empty when it has no name."""
    place_public: bool | None = None
    """Whether everybody on the server can read the place; kept with the place. None: not known."""
    off_record: bool = False
    """Whether it is to be forgotten when its session ends: its speaker has not agreed to more, or has paused."""
    refused: bool = False
    """Whether its speaker had said so, by a refusal or a pause, or it only asks for a reply again.

    Then it is not kept by agreeing later either.
    """
    heard_danger: bool | None = None
    """Whether the model that talks, asked as a second ear, heard what may be danger; None: it was not asked."""
    caught_up: bool = False
    """Whether it was read in its channel's history, and may have arrived before. Not stored."""
    quoting: Quotation | None = None
    """The words that it is about. Not stored, as they are somebody else's: for the reply alone."""


@dataclass(frozen=True, slots=True)
class Session:
    """Utterances of one place with gaps under β (LD-Agent eq. 4): the short-term memory M_S."""

    id: int
    place: Place
    utterances: tuple[Utterance, ...] = ()


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A reply on its way to a platform: a row of the outbox.

    `nonce` (24 hexadecimal digits) is the same at every attempt, so that a platform that can tell duplicates may drop
    them. `uncertain` is true when an earlier attempt may have arrived (the process died, or the answer to the send was
    lost): what is uncertain is the first part that `parts` does not have.
    """

    id: int
    """0, or below it in a shared outbox: a notice, which is no reply, is not kept, and says which message it is for."""
    place: Place
    text: str
    nonce: str
    in_reply_to: str | None = None
    uncertain: bool = False
    draft: str | None = None
    """The platform's id of a message in which the reply was shown while it grew; it becomes the first part."""
    parts: tuple[str, ...] = ()
    """The platform's ids of the parts that have certainly arrived, in order: a long reply takes several messages."""
    choices: tuple[tuple[Choice, ...], ...] = ()
    """Rows of buttons under the last part."""
    checkin_id: int = 0
    """The check-in that it is; 0: none. An uncertain one is not sent again where the platform can tell no doubles."""
    sought_from: datetime | None = None
    """Of an uncertain check-in that is not to be sent any more: it is only looked for, among what came since then."""
    answers: int = field(default=0, compare=False)
    """The last utterance that it answers: the number by which the log follows a message; 0: none."""
    alone: bool = field(default=False, compare=False)
    """Of a reply that was just stored: nothing else waits to be sent in its place, and no other draft is there."""


class LastPart(str):
    """The platform's id of the part of a reply after which none comes."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """What ends a session: a gap over `beta`, or a text of more than `max_words` words."""

    beta: timedelta
    max_words: int


@dataclass(frozen=True, slots=True)
class Spending:
    """Tokens of the model that count for a day and each of these subjects: people and servers."""

    day: date
    subjects: tuple[str, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class DayTokens:
    """Tokens of the model that the replies of one day have used."""

    people: tuple[int, ...] = ()
    """Of each person who was answered, the most first."""
    servers: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """(platform, server) → what its people have used there. It is in `people`, too."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A message on a platform that shows a reply that is not there yet."""

    place: Place
    in_reply_to: str | None
    """The message id of what the reply is to answer."""
    message_id: str
    asked: bool
    """Whether what it is to answer is stored and not dealt with, so that the reply is still to come."""


class ChannelMode(StrEnum):
    """When the companion speaks in a channel, and what it keeps of it."""

    MENTION = "mention"
    """Answers when it is addressed, and keeps only that."""
    LISTEN = "listen"
    """Remembers what is said, and speaks only when it is addressed."""
    OPEN = "open"
    """Remembers what is said, and may join in by itself."""
    OFF = "off"
    """Nothing is read, nothing is stored."""
