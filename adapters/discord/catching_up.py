"""What was said while the companion was away: Discord does not tell it again to a new session, so it is read.

Bounded by age and count (`discord.catch_up_hours`, `discord.catch_up_messages`); of more, the latest are read. Messages
that were edited or deleted meanwhile, and had been stored before, are not noticed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

import discord
import structlog

from adapters.discord.intake import Intake
from adapters.discord.messenger import FAULTS
from adapters.discord.reading import PLATFORM
from bot.config import Discord
from bot.ports import Core

AT_ONCE = 4
"""Channels that are read at the same time."""
PAUSES_S = (1.0, 5.0, 15.0)
"""Pauses before a channel is asked for again."""

AnyChannel: TypeAlias = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel in which something may have been missed."""

    lane: str
    opened: Callable[[], Awaitable[discord.abc.Messageable]]


@dataclass(frozen=True, slots=True)
class Missed:
    """Where something may have been missed, and since when."""

    after: discord.Object
    channels: tuple[Channel, ...]


def dm_lane(person: int | str) -> str:
    """The lane of a DM: by its person, who is known before the DM's channel is."""
    return f"dm {person}"


class CatchUp:
    """Reads what was missed, channel by channel, into the intake."""

    def __init__(self, client: discord.Client, core: Core, intake: Intake, settings: Discord) -> None:
        self._client = client
        self._core = core
        self._intake = intake
        self._settings = settings

    async def missed(self, since: datetime, now: datetime) -> Missed:
        """Where something may have been said after `since`, no further back than the settings want. StorageError."""
        oldest = max(since, now - timedelta(hours=self._settings.catch_up_hours))
        after = discord.Object(discord.utils.time_snowflake(oldest) - 1)
        if not (self._settings.catch_up_messages and self._settings.catch_up_hours):
            return Missed(after, ())
        return Missed(after, (*self._channels(after.id), *await self._dms()))

    async def read(self, missed: Missed) -> bool:
        """Reads it; False when some channel could not be read although it should be."""
        gate = asyncio.Semaphore(AT_ONCE)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._read(channel, missed.after, gate), name=f"history of {channel.lane}")
                for channel in missed.channels
            ]
        return all(task.result() for task in tasks)

    def _channels(self, after: int) -> list[Channel]:
        """Every channel and thread that may be read and has something newer."""
        channels = [channel for guild in self._client.guilds for channel in _with_messages(guild)]
        return [
            Channel(str(channel.id), _already(channel))
            for channel in channels
            if (channel.last_message_id or 0) > after and _may_read(channel)
        ]

    async def _dms(self) -> list[Channel]:
        """Every DM that there ever was: a bot is not told which of them have something newer."""
        return [Channel(dm_lane(place.ref), self._opening(place.ref)) for place in await self._core.known_dms(PLATFORM)]

    def _opening(self, person: str) -> Callable[[], Awaitable[discord.abc.Messageable]]:
        async def opened() -> discord.abc.Messageable:
            return await self._client.create_dm(discord.Object(int(person)))

        return opened

    async def _read(self, channel: Channel, after: discord.Object, gate: asyncio.Semaphore) -> bool:
        try:
            async with gate:
                return await self._tries(channel, after)
        finally:
            self._intake.release(channel.lane)

    async def _tries(self, channel: Channel, after: discord.Object) -> bool:
        for pause in (*PAUSES_S, None):
            try:
                history = (await channel.opened()).history(
                    limit=self._settings.catch_up_messages, after=after, oldest_first=False
                )
                latest_first = [message async for message in history]
            except (discord.Forbidden, discord.NotFound):
                return True
            except FAULTS as fault:
                if pause is None:
                    _log.warning("a channel's history cannot be read", lane=channel.lane, fault=type(fault).__name__)
                    return False
                await asyncio.sleep(pause)
            else:
                for message in reversed(latest_first):
                    self._intake.put_missed(channel.lane, message)
                return True
        return False


def _already(channel: discord.abc.Messageable) -> Callable[[], Awaitable[discord.abc.Messageable]]:
    async def known() -> discord.abc.Messageable:
        return channel

    return known


def _with_messages(guild: discord.Guild) -> list[AnyChannel]:
    """Channels and threads that people write in; the posts of a forum are threads."""
    return [*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads]


def _may_read(channel: AnyChannel) -> bool:
    allowed = channel.permissions_for(channel.guild.me)
    return allowed.read_messages and allowed.read_message_history
