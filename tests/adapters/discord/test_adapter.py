"""What the adapter does when it cannot connect. discord.py's client is real; only its login is replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import discord
import pytest
from aiohttp import ClientConnectionError
from discord.gateway import DiscordWebSocket
from discord.http import Route

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.client import Companion, intents
from bot.clock import ManualClock
from bot.config import Discord, load_settings
from bot.errors import AdapterStopped
from bot.texts import platforms as texts
from tests.adapters.discord.world import Ear, settings_with

CLOCK = ManualClock(datetime(2026, 11, 2, 9, tzinfo=UTC))


def adapter_whose_login(monkeypatch: pytest.MonkeyPatch, raises: Callable[[], Exception]) -> DiscordAdapter:
    async def login(self: Companion, token: str) -> None:
        raise raises()

    monkeypatch.setattr(Companion, "login", login)
    monkeypatch.setattr("adapters.discord.adapter.PAUSES_S", (0.0,))
    return DiscordAdapter(settings_with({}), CLOCK, extensions=())


def test_without_a_token_it_says_where_to_find_one() -> None:
    with pytest.raises(AdapterStopped, match="DISCORD_TOKEN"):
        DiscordAdapter(load_settings(None, {}), CLOCK)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (discord.LoginFailure("no"), texts.DISCORD_LOGIN_REFUSED),
        (discord.PrivilegedIntentsRequired(None), texts.DISCORD_NO_INTENT),
    ],
)
async def test_what_only_the_owner_can_mend_ends_it_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str
) -> None:
    adapter = adapter_whose_login(monkeypatch, lambda: error)
    with pytest.raises(AdapterStopped) as raised:
        await adapter.run(Ear())
    assert str(raised.value) == sentence


async def test_while_discord_cannot_be_reached_it_keeps_trying_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tries = list[int]()

    def away() -> Exception:
        tries.append(1)
        return ClientConnectionError() if len(tries) < 4 else discord.LoginFailure("now it is there")

    adapter = adapter_whose_login(monkeypatch, away)
    with pytest.raises(AdapterStopped):
        await adapter.run(Ear())
    assert len(tries) == 4
    assert capsys.readouterr().out.count("keep trying") == 1


async def test_a_cancelled_adapter_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = asyncio.Event()

    async def login(self: Companion, token: str) -> None:
        waiting.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(Companion, "login", login)
    before = asyncio.all_tasks()
    adapter = DiscordAdapter(settings_with({}), CLOCK, extensions=())
    task = asyncio.create_task(adapter.run(Ear()))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert asyncio.all_tasks() == before


def test_it_asks_for_no_more_than_it_needs() -> None:
    wanted = {name for name, on in intents() if on}
    assert wanted == {"guilds", "guild_messages", "dm_messages", "message_content", "guild_reactions", "dm_reactions"}


def test_the_address_of_discord_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Route, "BASE", Discord().api_url)
    monkeypatch.setattr(DiscordWebSocket, "DEFAULT_GATEWAY", DiscordWebSocket.DEFAULT_GATEWAY)
    DiscordAdapter(settings_with({}), CLOCK)
    assert Discord().api_url == Route.BASE
    elsewhere = {"discord__api_url": "http://127.0.0.1:1/api/", "discord__gateway_url": "ws://127.0.0.1:1/"}
    DiscordAdapter(settings_with(elsewhere), CLOCK)
    assert Route.BASE == "http://127.0.0.1:1/api"
    assert str(DiscordWebSocket.DEFAULT_GATEWAY) == "ws://127.0.0.1:1/"
