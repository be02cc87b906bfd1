"""Fixtures for the tests over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator

import discord
import pytest
import yarl
from discord.gateway import DiscordWebSocket

from tests.platform.discord_client import Home
from tests.platform.discord_server import DiscordServer, open_discord
from tests.platform.telegram_server import TelegramServer, open_telegram


@pytest.fixture
async def discord_server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DiscordServer]:
    """A Discord of our own, which discord.py in this process talks to until the test ends."""
    async with open_discord() as server:
        monkeypatch.setattr(discord.http.Route, "BASE", server.api_url)
        monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(server.gateway_url))
        yield server


@pytest.fixture
def home(discord_server: DiscordServer) -> Home:
    """Ann and Bob on Discord, their server and its kitchen."""
    return Home(discord_server)


@pytest.fixture
async def telegram_server() -> AsyncIterator[TelegramServer]:
    """A Telegram of our own: give the bot its `base_url` and `TOKEN`."""
    async with open_telegram() as server:
        yield server
