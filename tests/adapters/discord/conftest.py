"""Fixtures for the tests of the Discord adapter over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from discord.gateway import DiscordWebSocket
from discord.http import Route

from tests.platform.discord_client import Home
from tests.platform.discord_server import open_discord


@pytest.fixture
async def home(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Home]:
    """Ann and Bob on a Discord of our own, their server and its kitchen."""
    async with open_discord() as server:
        monkeypatch.setattr(Route, "BASE", "")
        monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
        yield Home(server)
