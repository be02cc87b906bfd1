"""A plain discord.py client, and a small home for it to sit in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import discord
from discord import app_commands

from tests.platform.discord_server import Channel, DiscordServer, Guild, User

WANTED = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True)


class Listener(discord.Client):
    """A client that keeps what it hears and does nothing else, unless it is told to."""

    def __init__(self, intents: discord.Intents = WANTED) -> None:
        super().__init__(intents=intents, guild_ready_timeout=0.05)
        self.heard: list[discord.Message] = []
        self.happened: list[str] = []
        self.edited: list[discord.RawMessageUpdateEvent] = []
        self.deleted: list[int] = []
        self.change = asyncio.Event()
        self.on_heard: Callable[[discord.Message], Awaitable[object]] | None = None
        self.tree = app_commands.CommandTree(self)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """discord.py waits five seconds here; this Discord has no such limit."""

    def tell(self, what: str) -> None:
        """Notes that something happened."""
        self.happened.append(what)
        self.change.set()
        self.change = asyncio.Event()

    async def on_ready(self) -> None:
        self.tell("ready")

    async def on_resumed(self) -> None:
        self.tell("resumed")

    async def on_message(self, message: discord.Message) -> None:
        if message.author != self.user:
            self.heard.append(message)
            if self.on_heard is not None:
                await self.on_heard(message)
            self.tell("message")

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        self.edited.append(payload)
        self.tell("edit")

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        self.deleted.append(payload.message_id)
        self.tell("delete")

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        self.deleted.extend(sorted(payload.message_ids))
        self.tell("delete")

    async def until(self, what: str, times: int = 1) -> None:
        """Waits until something has happened so often."""
        async with asyncio.timeout(15):
            while self.happened.count(what) < times:
                await self.change.wait()

    @property
    def texts(self) -> list[str]:
        return [message.content for message in self.heard]


@asynccontextmanager
async def running(server: DiscordServer, client: Listener) -> AsyncIterator[Listener]:
    """Runs the client until the context is left."""
    async with asyncio.TaskGroup() as tasks:
        connection = tasks.create_task(client.start(server.token), name="client")
        try:
            await client.until("ready")
            yield client
        finally:
            await client.close()
            await connection


class Home:
    """Ann and Bob, their server and its kitchen."""

    def __init__(self, server: DiscordServer) -> None:
        self.server = server
        self.ann: User = server.add_user("ann", "Ann")
        self.bob: User = server.add_user("bob", "Bob")
        self.guild: Guild = server.add_guild("Home", self.ann, self.bob)
        self.kitchen: Channel = server.add_channel(self.guild, "kitchen")
        self.dm: Channel = server.open_dm(self.ann)
