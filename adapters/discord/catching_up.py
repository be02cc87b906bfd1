"""What was said while the companion was away: Discord does not tell it again to a new session, so it is read.

Bounded by age and count (`discord.catch_up_hours`, `discord.catch_up_messages`); of more, the latest are read. Messages
that were edited or deleted meanwhile, and had been stored before, are not noticed.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TypeAlias, TypeVar

import discord
import structlog

from adapters.discord.intake import Intake
from adapters.discord.messenger import FAULTS, UNKNOWN_USER
from adapters.discord.reading import PLATFORM, channel_place, is_deleted, is_said
from adapters.discord.sharding import ONLY, Shard
from adapters.discord.unreadable import UNREADABLE
from bot.config import Discord
from bot.ports import Core

AT_ONCE = 4
"""Channels of a server, and DMs, that are read at the same time: slow ones hold up no other server."""
MOST_AT_ONCE = 32
"""The same for all of them together."""
MAX_DMS = 100
"""DMs that are looked into. Each costs two requests, as Discord does not tell which of them have something newer."""
RECENT_DM = timedelta(days=30)
"""DMs in which nothing has been said for longer are not looked into."""
HISTORY_S = 15.0
"""Seconds for which nothing may come of a channel's history in one try."""
NAME_S = 3.0
"""Seconds that a nickname is waited for; then the person's name elsewhere does."""
NAMES_S = 10.0
"""Seconds for all the nicknames in one channel's history."""
PAUSES_S = (1.0, 5.0, 15.0)
"""Pauses before a channel is asked for again."""

AnyChannel: TypeAlias = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread

Found = TypeVar("Found")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel in which something may have been missed."""

    lane: str
    server: int
    """Its server; 0: it is a DM."""
    opened: Callable[[], Awaitable[discord.abc.Messageable]]


@dataclass(frozen=True, slots=True)
class Missed:
    """Where something may have been missed, and since when."""

    after: discord.Object
    channels: tuple[Channel, ...]

    @property
    def lanes(self) -> frozenset[str]:
        """The lanes of these channels."""
        return frozenset(channel.lane for channel in self.channels)


def dm_lane(person: int | str) -> str:
    """The lane of a DM: by its person, who is known before the DM's channel is."""
    return f"dm {person}"


@dataclass(eq=False, repr=False)
class CatchUp:
    """Reads what was missed, channel by channel, into the intake.

    `gone` hears the ids of people with whom there were DMs, and whose accounts have been deleted; `release` lets a lane
    go on, once it is read.
    """

    client: discord.Client
    core: Core
    intake: Intake
    settings: Discord
    gone: Callable[[str], None]
    release: Callable[[str], None]
    shard: Shard = ONLY

    def __post_init__(self) -> None:
        self._most = asyncio.Semaphore(MOST_AT_ONCE)
        self._members: dict[tuple[int, int], discord.Member | None] = {}
        """(Server, person) → who they are there, until something else is looked for."""

    async def missed(self, since: datetime, now: datetime, guilds: Sequence[discord.Guild] | None = None) -> Missed:
        """Where something may have been said after `since`, no further back than the settings want. StorageError.

        `guilds`: it is looked for on these servers alone.
        """
        oldest = max(since, now - timedelta(hours=self.settings.catch_up_hours))
        after = discord.Object(discord.utils.time_snowflake(oldest) - 1)
        if not (self.settings.catch_up_messages and self.settings.catch_up_hours):
            return Missed(after, ())
        self._members.clear()
        if guilds is not None:
            return Missed(after, (*await self._channels(guilds, after.id),))
        of_servers = await self._channels(self.client.guilds, after.id)
        return Missed(after, (*of_servers, *await self._dms(now - RECENT_DM)))

    async def read(self, missed: Missed) -> bool:
        """Reads it; False when some channel could not be read although it should be."""
        gates = defaultdict[int, asyncio.Semaphore](lambda: asyncio.Semaphore(AT_ONCE))
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(
                    self._read(channel, missed.after, gates[channel.server]), name=f"history of {channel.lane}"
                )
                for channel in missed.channels
            ]
        return all(task.result() for task in tasks)

    async def _channels(self, guilds: Iterable[discord.Guild], after: int) -> list[Channel]:
        """Every channel and thread that may be read, is read, and has something newer."""
        found = list[Channel]()
        for channel in (channel for guild in guilds for channel in with_messages(guild)):
            place = channel_place(channel)
            newer = (channel.last_message_id or 0) > after
            if newer and _may_read(channel) and place is not None and await self.core.reads(place):
                found.append(Channel(str(channel.id), channel.guild.id, partial(_already, channel)))
        return found

    async def _dms(self, after: datetime) -> list[Channel]:
        """The latest DMs, as far as something has been said in them after `after`; none where DMs do not come."""
        found = list[Channel]()
        if not self.shard.is_first:
            return found
        for place in (await self.core.known_dms(PLATFORM))[:MAX_DMS]:
            last = await self.core.recent(place, 1)
            if not last or last[-1].time > after:
                found.append(Channel(dm_lane(place.ref), 0, partial(self._opened, place.ref)))
        return found

    async def _opened(self, person: str) -> discord.abc.Messageable:
        try:
            channel = await self.client.create_dm(discord.Object(int(person)))
        except discord.NotFound as fault:
            if fault.code == UNKNOWN_USER:
                self.gone(person)
            raise
        if is_deleted(channel.recipient):
            self.gone(person)
        return channel

    async def _read(self, channel: Channel, after: discord.Object, gate: asyncio.Semaphore) -> bool:
        try:
            return await self._tries(channel, after, gate)
        finally:
            self.release(channel.lane)

    async def _tries(self, channel: Channel, after: discord.Object, gate: asyncio.Semaphore) -> bool:
        for pause in (*PAUSES_S, None):
            try:
                async with gate, self._most:
                    latest_first = await self._history(channel, after)
            except (discord.Forbidden, discord.NotFound):
                return True
            except UNREADABLE as fault:
                _log.warning("a channel cannot be read and is left out", lane=channel.lane, fault=type(fault).__name__)
                return True
            except FAULTS as fault:
                if pause is None:
                    _log.warning("a channel's history cannot be read", lane=channel.lane, fault=type(fault).__name__)
                    return False
                await asyncio.sleep(pause)
            else:
                for message in reversed(latest_first):
                    self.intake.put_missed(channel.lane, message)
                return True
        return False

    async def _history(self, channel: Channel, after: discord.Object) -> list[discord.Message]:
        """What was missed there, the latest first, with the names people have there. Raises what discord.py raises."""
        latest_first = list[discord.Message]()
        async with asyncio.timeout(HISTORY_S) as limit:
            history = (await channel.opened()).history(
                limit=self.settings.catch_up_messages, after=after, oldest_first=False
            )
            async for message in history:
                if message is not None:  # see `unreadable.py`
                    latest_first.append(message)
                limit.reschedule(asyncio.get_running_loop().time() + HISTORY_S)
        try:
            async with asyncio.timeout(NAMES_S):
                for message in filter(is_said, latest_first):
                    await self._name(message)
        except TimeoutError:
            _log.info("not all names in a channel could be asked for in time", lane=channel.lane)
        return latest_first

    async def _name(self, message: discord.Message) -> None:
        """Gives a message's author the nickname that the history leaves out."""
        if message.guild is None or not isinstance(message.author, discord.User):
            return
        key = (message.guild.id, message.author.id)
        if key not in self._members:
            self._members[key] = await asked(message.guild.fetch_member(message.author.id), NAME_S)
        message.author = self._members[key] or message.author


async def asked(request: Awaitable[Found], seconds: float) -> Found | None:
    """What Discord answers; None when it does not know, or does not answer in time."""
    try:
        async with asyncio.timeout(seconds):
            return await request
    except (discord.InvalidData, *UNREADABLE, *FAULTS) as fault:
        _log.info("Discord could not be asked about a message", fault=type(fault).__name__)
        return None


async def _already(channel: discord.abc.Messageable) -> discord.abc.Messageable:
    return channel


def with_messages(guild: discord.Guild) -> list[AnyChannel]:
    """Channels and threads that people write in; the posts of a forum are threads."""
    return [*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads]


def _may_read(channel: AnyChannel) -> bool:
    allowed = channel.permissions_for(channel.guild.me)
    return allowed.read_messages and allowed.read_message_history
