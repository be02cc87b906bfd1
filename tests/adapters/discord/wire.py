"""The real adapter over real sockets, against the project's own Discord."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.client import Companion
from adapters.discord.sharding import ONLY, IdentifyTurns, Shard
from bot.clock import SystemClock
from bot.ports import Core
from tests.adapters.discord.world import Ear, eventually, settings_with
from tests.platform.discord_client import Home


class QuickAdapter(DiscordAdapter):
    """Without the pauses that discord.py makes for the real Discord's sake."""

    def client(self, core: Core, shard: Shard = ONLY, turns: IdentifyTurns | None = None) -> Companion:
        """A client that begins at once."""
        client = super().client(core, shard, turns)
        client._connection.guild_ready_timeout = 0.05

        async def at_once(_shard: int | None, *, initial: bool = False) -> None:
            """Nothing to wait for."""

        if turns is None:
            client.before_identify_hook = at_once  # type: ignore[method-assign, assignment]
        return client


@asynccontextmanager
async def connected(home: Home, ear: Ear, *, extensions: Sequence[str] = ()) -> AsyncIterator[DiscordAdapter]:
    """A running adapter that may send, and its end by cancelling."""
    async with begun(home, ear, extensions=extensions) as adapter:
        await eventually(lambda: ear.connections == 1)
        yield adapter


@asynccontextmanager
async def begun(home: Home, ear: Ear, *, extensions: Sequence[str] = ()) -> AsyncIterator[DiscordAdapter]:
    """An adapter that has just been started, and its end by cancelling."""
    server = home.server
    settings = settings_with(
        {"discord__api_url": server.api_url, "discord__gateway_url": server.gateway_url}, server.token
    )
    adapter = QuickAdapter(settings, SystemClock(), extensions=extensions)
    ear.connections = 0
    task = asyncio.create_task(adapter.run(ear))
    try:
        yield adapter
    finally:
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
