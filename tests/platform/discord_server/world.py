"""What this Discord knows: people, servers, channels, messages. In memory; nothing here speaks over a wire."""

from __future__ import annotations

import asyncio
import bisect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

JSON = dict[str, Any]
T = TypeVar("T")

EPOCH_MS = 1420070400000
NONCE_HOLDS = timedelta(minutes=3)
"""How long a nonce gives the message that it made: Discord says "the past few minutes"."""
EPHEMERAL, LOADING = 1 << 6, 1 << 7
"""Flags of messages: for one person's eyes; still thought of."""
PERMISSIONS = (1 << 6) | (1 << 10) | (1 << 11) | (1 << 14) | (1 << 15) | (1 << 16) | (1 << 31) | (1 << 35) | (1 << 38)
"""What everyone may: react, view, send, embed, attach, read history, use commands, open threads and write in them."""
ADMINISTRATOR, MANAGE_MESSAGES = 1 << 3, 1 << 13
_MENTION = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")


@dataclass(slots=True, eq=False)
class User:
    """A person or a bot."""

    id: int
    name: str
    global_name: str | None = None
    bot: bool = False
    takes_dms: bool = True
    """False: what is sent to their DM is refused with 50007."""
    known: bool = True
    """False: Discord does not know this id any more (10013)."""

    @property
    def mention(self) -> str:
        """As it is written in a message."""
        return f"<@{self.id}>"


@dataclass(slots=True, eq=False)
class Guild:
    """A server."""

    id: int
    name: str
    owner: User
    bot_role: int
    """The bot's own managed role."""
    members: dict[int, User] = field(default_factory=dict)
    nicks: dict[int, str] = field(default_factory=dict)
    managers: set[int] = field(default_factory=set)
    """Ids of members with every permission, beside the owner."""
    everyone: int = PERMISSIONS
    """What everyone may."""
    joined: datetime | None = None
    """When the bot was added; None: long ago."""
    system_channel: int | None = None
    """Where Discord tells who joins."""


@dataclass(slots=True, eq=False)
class Channel:
    """A text channel, a thread (with a parent) or a DM (with a recipient)."""

    id: int
    name: str
    guild: Guild | None = None
    parent: Channel | None = None
    recipient: User | None = None
    readable: bool = True
    """False: the bot may not see it."""
    public: bool = True
    """False: of everyone on the server, only the bot and some may see it; a thread is a private one then."""
    last_message_id: int | None = None
    deleted: bool = False
    more: JSON = field(default_factory=dict)
    """Further fields of the payload: another type, for adults only."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file."""

    name: str
    content_type: str = "image/jpeg"
    size: int = 1000
    voice: bool = False
    content: bytes = b""
    """What was uploaded, where the bot did it."""


@dataclass(slots=True, eq=False)
class Message:
    """What stands in a channel now, and what stood there before."""

    id: int
    channel: Channel
    author: User
    content: str
    at: datetime
    reference: int | None = None
    nonce: str | None = None
    flags: int = 0
    attachments: tuple[Attachment, ...] = ()
    components: list[JSON] = field(default_factory=list)
    edits: list[str] = field(default_factory=list)
    """Earlier contents, the oldest first."""
    edited_at: datetime | None = None
    mentions: tuple[User, ...] = ()
    role_mentions: tuple[int, ...] = ()
    pinged: tuple[User, ...] = ()
    """Whose phone rings: the mentions, and the author replied to, that `allowed_mentions` lets through."""
    everyone: bool = False
    shown_to: User | None = None
    """Ephemeral: the only person who sees it."""
    extra: JSON = field(default_factory=dict)
    """Further fields of the payload, for rare things such as polls or forwards."""

    @property
    def buttons(self) -> dict[str, str]:
        """Label → custom id of its buttons."""
        return {
            item.get("label") or item["custom_id"]: item["custom_id"]
            for row in self.components
            for item in row.get("components", [])
            if "custom_id" in item
        }


class Refused(Exception):
    """An error as Discord answers it."""

    def __init__(self, status: int, code: int, text: str) -> None:
        super().__init__(text)
        self.status, self.code, self.text = status, code, text


class Changes:
    """Wakes those who wait for something to become true."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def tell(self) -> None:
        """Something has changed."""
        self._next.set()
        self._next = asyncio.Event()

    async def until(self, question: Callable[[], T | None], within_s: float) -> T:
        """The answer as soon as there is one; raises TimeoutError."""
        async with asyncio.timeout(within_s):
            while not (answer := question()):
                await self._next.wait()
            return answer


class World:
    """All of it. `now` is the clock that new things are dated by."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.now = now
        self.changes = Changes()
        self._count = 0
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.messages: dict[int, Message] = {}
        self.removed: dict[int, Message] = {}
        self.in_channel: dict[int, list[Message]] = {}
        self._by_nonce: dict[tuple[Channel, User, str], Message] = {}
        self.typed: list[int] = []
        """Channels in which the bot was seen typing, in order."""
        self.commands: list[JSON] = []
        self.bot = self.add_user("Monica", bot=True)
        self.owner = self.add_user("owner")
        """Whose application it is."""

    def snowflake(self, at: datetime | None = None) -> int:
        """A new id, dated `at`."""
        self._count += 1
        moment = at or self.now()
        return ((int(moment.timestamp() * 1000) - EPOCH_MS) << 22) | (self._count & 0x3FFFFF)

    def add_user(self, name: str, global_name: str | None = None, *, bot: bool = False) -> User:
        """Somebody new."""
        user = User(self.snowflake(), name, global_name, bot)
        self.users[user.id] = user
        return user

    def dm(self, user: User) -> Channel:
        """The bot's DM with somebody, opened where it is not yet."""
        for channel in self.channels.values():
            if channel.recipient is user:
                return channel
        return self.add_channel(Channel(self.snowflake(), user.name, recipient=user))

    def add_channel(self, channel: Channel) -> Channel:
        """A new channel, DM or thread."""
        self.channels[channel.id] = channel
        self.in_channel[channel.id] = []
        return channel

    def find(self, channel_id: int) -> Channel:
        """The channel, as the bot may use it; raises Refused."""
        channel = self.channels.get(channel_id)
        if channel is None or channel.deleted:
            raise Refused(404, 10003, "Unknown Channel")
        if not channel.readable or (channel.parent and not channel.parent.readable):
            raise Refused(403, 50001, "Missing Access")
        return channel

    def message(self, channel: Channel, message_id: int) -> Message:
        """A message that stands in the channel; raises Refused."""
        message = self.messages.get(message_id)
        if message is None or message.channel is not channel or message.shown_to is not None:
            raise Refused(404, 10008, "Unknown Message")
        return message

    def history(self, channel: Channel) -> list[Message]:
        """What everybody in the channel sees, the oldest first."""
        return [message for message in self.in_channel[channel.id] if message.shown_to is None]

    def put(self, message: Message, allowed: JSON | None = None) -> Message:
        """Puts a new message into its channel, with whom it mentions."""
        self._find_mentions(message, allowed)
        self.messages[message.id] = message
        bisect.insort(self.in_channel[message.channel.id], message, key=lambda one: one.id)
        if message.nonce is not None:
            self._by_nonce[message.channel, message.author, message.nonce] = message
        if message.shown_to is None:
            message.channel.last_message_id = max(message.channel.last_message_id or 0, message.id)
        self.changes.tell()
        return message

    def rewrite(self, message: Message, content: str) -> None:
        """Edits a message. Nobody's phone rings for it."""
        message.edits.append(message.content)
        message.content, message.edited_at = content, self.now()
        message.mentions = self._named(content)
        self.changes.tell()

    def remove(self, message: Message) -> None:
        """Deletes a message; it stays in `removed`."""
        self.removed[message.id] = self.messages.pop(message.id)
        self.in_channel[message.channel.id].remove(message)
        self.changes.tell()

    def by_nonce(self, channel: Channel, author: User, nonce: str) -> Message | None:
        """What the author sent there with the same nonce, while that holds."""
        message = self._by_nonce.get((channel, author, nonce))
        return message if message is not None and self.now() - message.at < NONCE_HOLDS else None

    def _named(self, content: str) -> tuple[User, ...]:
        named = [self.users[int(found)] for found in _MENTION.findall(content) if int(found) in self.users]
        return tuple(dict.fromkeys(named))

    def _find_mentions(self, message: Message, allowed: JSON | None) -> None:
        message.mentions = named = self._named(message.content)
        message.role_mentions = tuple(int(found) for found in _ROLE.findall(message.content))
        answered = self.messages.get(message.reference or 0)
        if allowed is None:
            ringing: Sequence[User] = named
        else:
            listed = {int(one) for one in allowed.get("users", [])}
            ringing = [one for one in named if "users" in allowed.get("parse", []) or one.id in listed]
        replied = allowed is None or allowed.get("replied_user", False)
        if answered is not None and replied:
            ringing = [*ringing, answered.author]
            message.mentions = tuple(dict.fromkeys([*message.mentions, answered.author]))
        message.pinged = tuple(dict.fromkeys(ringing))
        message.everyone = "@everyone" in message.content and (
            allowed is None or "everyone" in allowed.get("parse", [])
        )


def real_now() -> datetime:
    """The computer's clock."""
    return datetime.now(UTC)
