"""Our Discord and our Telegram for rehearsals: the tests' servers, which speak the protocols, and people who ask there.

The gateways connect to them with the adapters of the program, as they are. Half of the places are channels on Discord,
the other half groups on Telegram. Every message names the companion, so each wants one reply, which says what it
answers.
"""

from __future__ import annotations

import asyncio
import importlib
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import text

from bot.storage.engine.database import open_database

CHANNELS = 10
"""Channels of one server on Discord."""

APART_S = 5.0
"""Seconds that Discord wants between two connections that begin."""

LOOK_S = 0.2


class DiscordPlaces:
    """Channels on our Discord, in one place for each number of `places`, with so many people in each."""

    platform = "discord"
    adapter = "adapters.discord.adapter:DiscordAdapter"
    modules = ("adapters.discord.adapter", "cogs")

    def __init__(self, places: Sequence[int], people: int, shards: int) -> None:
        self._places, self._people, self._shards = places, people, shards
        self._server: Any = None
        self._channels: dict[int, Any] = {}
        self._talkers: dict[int, list[Any]] = {}
        self._numbers: dict[int, int] = {}
        """Id of a message → its number."""

    @asynccontextmanager
    async def serving(self, folder: Path) -> AsyncIterator[None]:
        """Listens while the block runs."""
        del folder
        async with importlib.import_module("tests.platform.discord_server").open_discord() as self._server:
            if self._shards > 1:
                starts = self._server.gateway.starts
                starts.shards, starts.apart_s = self._shards, APART_S
            for first in range(0, len(self._places), CHANNELS):
                self._open(first // CHANNELS, self._places[first : first + CHANNELS])
            yield

    def _open(self, number: int, places: Sequence[int]) -> None:
        """One server with its channels and its people."""
        server = self._server
        people = [server.add_user(f"person{where}x{one}") for where in places for one in range(self._people)]
        guild = server.add_guild(f"Server {number}", *people, shard=(number % self._shards, self._shards))
        for index, where in enumerate(places):
            self._channels[where] = server.add_channel(guild, f"channel-{where}")
            self._talkers[where] = people[index * self._people : (index + 1) * self._people]

    @property
    def chosen(self) -> Mapping[str, object]:
        """The settings with which a process gets here."""
        return {
            "discord__api_url": self._server.api_url, "discord__gateway_url": self._server.gateway_url,
            "discord__shards": self._shards,
        }  # fmt: skip

    @property
    def secrets(self) -> Mapping[str, str]:
        """The token, by the name of its variable."""
        return {"DISCORD_TOKEN": self._server.token}

    @property
    def connections(self) -> int:
        """1 when all shards are connected."""
        return int(len({*self._server.gateway.shards}) == self._shards)

    async def listens(self, url: str) -> None:
        """Waits until it is noted of each shard that it listens: what was said before is never looked for."""
        async with aclosing(await open_database(url)) as database:
            while True:
                async with database.reading() as connection:
                    noted = await connection.scalar(
                        text("SELECT count(*) FROM presence WHERE platform LIKE 'discord%'")
                    )
                if noted >= self._shards:
                    return
                await asyncio.sleep(LOOK_S)

    async def say(self, number: int, where: int, talker: int) -> None:
        """Somebody asks the companion something."""
        asked = f"{self._server.bot.mention} Question {number}?"
        message = await self._server.say(self._talkers[where][talker], self._channels[where], asked)
        self._numbers[message.id] = number

    @property
    def said(self) -> Sequence[int]:
        """The numbers of all that was asked."""
        return [*self._numbers.values()]

    def replies(self) -> list[tuple[str, int]]:
        """What people were shown, as it came in each place: the place, and the number of what it answers."""
        return [
            (str(channel.id), self._numbers[reply.reference])
            for channel in self._channels.values()
            for reply in self._server.replies(channel)
            if reply.reference in self._numbers
        ]

    @property
    def rules_broken(self) -> int:
        """How often a connection began too early."""
        return len(self._server.gateway.starts.refused)


class TelegramPlaces:
    """Groups on our Telegram, one for each number of `places`, with so many people in each."""

    platform = "telegram"
    adapter = "adapters.telegram.adapter:TelegramAdapter"
    modules = ("adapters.telegram.adapter",)

    def __init__(self, places: Sequence[int], people: int) -> None:
        self._places, self._people = places, people
        self._server: Any = None
        self._groups: dict[int, Any] = {}
        self._talkers: dict[int, list[Any]] = {}
        self._numbers: dict[tuple[int, int], int] = {}
        """Chat and number of a message in it → its number in the rehearsal."""

    @asynccontextmanager
    async def serving(self, folder: Path) -> AsyncIterator[None]:
        """Listens while the block runs."""
        del folder
        async with importlib.import_module("tests.platform.telegram_server").open_telegram() as self._server:
            world = self._server.world
            world.first_group = int.from_bytes(os.urandom(4))
            for where in self._places:
                people = [world.add_user(f"Person {where}-{one}") for one in range(self._people)]
                self._talkers[where] = people
                self._groups[where] = world.add_group(f"Group {where}", people)
            yield

    @property
    def chosen(self) -> Mapping[str, object]:
        """The settings with which a process gets here."""
        return {"telegram__api_url": self._server.base_url}

    @property
    def secrets(self) -> Mapping[str, str]:
        """The token, by the name of its variable."""
        return {"TELEGRAM_TOKEN": self._server.token}

    @property
    def connections(self) -> int:
        """How often updates were asked for."""
        return int(self._server.count("getUpdates"))

    async def listens(self, url: str) -> None:
        """What is said waits on Telegram until somebody asks for it."""

    async def say(self, number: int, where: int, talker: int) -> None:
        """Somebody asks the companion something."""
        world = self._server.world
        message = world.say(
            self._talkers[where][talker], self._groups[where], f"@{world.bot.username} Question {number}?"
        )
        self._numbers[message.chat.id, message.id] = number

    @property
    def said(self) -> Sequence[int]:
        """The numbers of all that was asked."""
        return [*self._numbers.values()]

    def replies(self) -> list[tuple[str, int]]:
        """What people were shown, as it came in each place: the place, and the number of what it answers."""
        world = self._server.world
        return [
            (str(group.id), self._numbers[group.id, reply.reply_to.id])
            for group in self._groups.values()
            for reply in world.messages(group)
            if reply.sender is world.bot and reply.reply_to is not None
        ]

    @property
    def rules_broken(self) -> int:
        """How often two asked for updates at once."""
        return int(self._server.conflicts)
