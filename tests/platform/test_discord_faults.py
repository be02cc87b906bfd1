"""The fault table of PLATFORMS.md for Discord, with the real adapter and the whole core: what arrives, how often."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.client import Companion
from adapters.discord.sharding import ONLY, IdentifyTurns, Shard
from bot.app.app import App, open_app
from bot.clock import SystemClock
from bot.config import load_settings
from bot.domain import GenerationRequest
from bot.errors import AdapterStopped
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.ports import Core
from tests.living import UNASKED, FirstPersonGate, WordTopics
from tests.platform.discord_client import Home
from tests.platform.discord_server import HOST, Channel, DiscordServer, Fault, Intent, Message

CREATE, EDIT = r"/channels/\d+/messages", r"/channels/\d+/messages/\d+"


class QuickAdapter(DiscordAdapter):
    """Without the pauses that discord.py makes for the real Discord's sake."""

    def client(self, core: Core, shard: Shard = ONLY, turns: IdentifyTurns | None = None) -> Companion:
        """Two seconds for servers that come late, and five before it identifies anew, are left out."""
        client = super().client(core, shard, turns)
        client._connection.guild_ready_timeout = 0.05

        async def at_once(_shard: int | None, *, initial: bool = False) -> None:
            """Nothing to wait for."""

        if turns is None:
            client.before_identify_hook = at_once  # type: ignore[method-assign, assignment]
        return client


def answer(request: GenerationRequest) -> str:
    """Answers the last question by its number."""
    numbers = re.findall(r"question (\d+)", request.messages[-1].content)
    return said(numbers[-1]) if numbers else "I see."


def said(number: object) -> str:
    """What the companion answers to a question."""
    return f"This is the answer to number {number}."


@dataclass
class Life:
    """One run of the program."""

    app: App
    told: list[str]
    """Sentences about platforms that cannot be used."""


@asynccontextmanager
async def living(
    server: DiscordServer, folder: Path, *, stream: bool = True, **overrides: object
) -> AsyncIterator[Life]:
    """Runs the program on Discord until the context is left, as SIGTERM would end it."""
    settings = load_settings(
        None,
        {"DISCORD_TOKEN": server.token},
        storage__data_dir=str(folder),
        memory__summariser="extractive",
        persona__extractor="extractive",
        session__idle_check_s=1.0,
        discord__stream=stream,
        discord__edit_every_s=0.1,
        discord__api_url=server.api_url,
        discord__gateway_url=server.gateway_url,
        **{**UNASKED, **overrides},
    )
    clock, stop, told = SystemClock(), asyncio.Event(), list[str]()
    adapter = QuickAdapter(settings, clock)
    async with open_app(
        settings,
        clock=clock,
        messengers={adapter.platform: adapter.messenger},
        model=ScriptedChatModel(answer, word_s=0.03),
        encoder=ScriptedEncoder(),
        topics=WordTopics(),
        gate=FirstPersonGate(),
    ) as app:
        await app.prepare()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(app.serve([adapter], stop=stop, told=told.append), name="the program")
            try:
                yield Life(app, told)
            finally:
                stop.set()


async def until_it_ends(home: Home, folder: Path, lives: list[Life]) -> None:
    """Runs the program and waits for its own end."""
    async with living(home.server, folder) as life:
        lives.append(life)
        await asyncio.Event().wait()


async def ask(home: Home, place: Channel, number: int) -> Message:
    """Ann asks a question."""
    address = "" if place.recipient else f"{home.server.bot.mention} "
    return await home.server.say(home.ann, place, f"{address}question {number}")


async def answered(home: Home, place: Channel, number: int) -> Message:
    """Waits for the whole answer to a question."""

    def found() -> Message | None:
        return next((one for one in home.server.replies(place) if one.content == said(number)), None)

    return await home.server.until(found, 30.0)


async def each_once(home: Home, life: Life, place: Channel, *numbers: int) -> None:
    """Waits for these answers, asks something more, and finds exactly one answer to each, in order."""
    for number in numbers:
        await answered(home, place, number)
    await life.app.idle()
    await ask(home, place, 99)
    await answered(home, place, 99)
    await life.app.idle()
    assert [one.content for one in home.server.replies(place)] == [said(number) for number in (*numbers, 99)]


@pytest.fixture(params=["kitchen", "dm"])
def place(request: pytest.FixtureRequest, home: Home) -> Channel:
    """A channel, and a DM."""
    chosen: Channel = getattr(home, request.param)
    return chosen


@pytest.mark.parametrize("stream", [True, False], ids=["streaming", "at once"])
@pytest.mark.parametrize(
    "fault",
    [Fault.RATE_LIMITED, Fault.BAD_GATEWAY, Fault.UNAVAILABLE, Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.SLOW],
)
async def test_a_send_that_goes_wrong_arrives_once(
    home: Home, place: Channel, tmp_path: Path, fault: Fault, *, stream: bool
) -> None:
    async with living(home.server, tmp_path, stream=stream) as life:
        await home.server.until_connected()
        home.server.faults.next("POST", CREATE, fault)
        await ask(home, place, 1)
        await each_once(home, life, place, 1)


@pytest.mark.parametrize(
    "fault", [Fault.RATE_LIMITED, Fault.BAD_GATEWAY, Fault.UNAVAILABLE, Fault.DROP_BEFORE, Fault.DROP_AFTER]
)
async def test_an_edit_that_goes_wrong_leaves_one_whole_reply(home: Home, tmp_path: Path, fault: Fault) -> None:
    async with living(home.server, tmp_path) as life:
        await home.server.until_connected()
        home.server.faults.next("PATCH", EDIT, fault, times=2)
        await ask(home, home.kitchen, 1)
        await each_once(home, life, home.kitchen, 1)


async def test_a_send_that_fails_again_and_again_arrives_once(home: Home, tmp_path: Path) -> None:
    async with living(home.server, tmp_path, stream=False) as life:
        await home.server.until_connected()
        for fault in (Fault.DROP_AFTER, Fault.UNAVAILABLE, Fault.DROP_BEFORE):
            home.server.faults.next("POST", CREATE, fault)
        await ask(home, home.kitchen, 1)
        await each_once(home, life, home.kitchen, 1)


async def test_what_is_delivered_twice_is_answered_once(home: Home, place: Channel, tmp_path: Path) -> None:
    async with living(home.server, tmp_path) as life:
        await home.server.until_connected()
        home.server.faults.duplicate_dispatch("MESSAGE_CREATE")
        question = await ask(home, place, 1)
        await answered(home, place, 1)
        await home.server.redeliver(question)
        await each_once(home, life, place, 1)


@pytest.mark.parametrize("how", ["abort", "4000", "4007", "4009", "op 7", "op 9", "4009 for ever"])
async def test_what_was_said_during_a_reconnect_is_answered_once(
    home: Home, place: Channel, tmp_path: Path, how: str
) -> None:
    gateway = home.server.gateway
    async with living(home.server, tmp_path) as life:
        await home.server.until_connected()
        await ask(home, place, 1)
        await answered(home, place, 1)
        async with gateway.held():
            if how == "abort":
                gateway.abort()
            elif how == "op 7":
                await gateway.reconnect()
            elif how == "op 9":
                await gateway.invalid_session()
            else:
                await gateway.close(int(how[:4]), forget="for ever" in how)
            await ask(home, place, 2)
        await each_once(home, life, place, 1, 2)
    assert gateway.identified == (2 if how in {"op 9", "4009 for ever"} else 1)


async def test_what_was_said_between_two_runs_is_answered_once(home: Home, place: Channel, tmp_path: Path) -> None:
    async with living(home.server, tmp_path):
        await home.server.until_connected()
        await ask(home, place, 1)
        await answered(home, place, 1)
    await ask(home, place, 2)
    async with living(home.server, tmp_path) as life:
        await each_once(home, life, place, 1, 2)


async def test_a_discord_that_is_down_at_the_start_is_waited_for(home: Home, tmp_path: Path) -> None:
    tried = asyncio.Event()

    async def slam(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Nobody is in."""
        tried.set()
        writer.close()

    await home.server.stop()
    nobody = await asyncio.start_server(slam, HOST, home.server.port)
    async with living(home.server, tmp_path) as life:
        await tried.wait()
        nobody.close()
        await nobody.wait_closed()
        await home.server.start()
        await home.server.until_connected(20.0)
        await ask(home, home.kitchen, 1)
        await each_once(home, life, home.kitchen, 1)
        assert life.told == []


async def test_a_discord_that_goes_away_for_a_while_finds_everything_answered(home: Home, tmp_path: Path) -> None:
    async with living(home.server, tmp_path) as life:
        await home.server.until_connected()
        await ask(home, home.kitchen, 1)
        await answered(home, home.kitchen, 1)
        async with home.server.api_down():
            await ask(home, home.kitchen, 2)
        await each_once(home, life, home.kitchen, 1, 2)


async def test_a_reply_whose_discord_goes_away_is_sent_when_it_is_back(home: Home, tmp_path: Path) -> None:
    async with living(home.server, tmp_path, stream=False) as life:
        await home.server.until_connected()
        sending = home.server.faults.next("POST", CREATE, Fault.HOLD_AFTER)
        await ask(home, home.kitchen, 1)
        await sending.reached.wait()
        async with home.server.api_down():
            sending.release.set()
        await each_once(home, life, home.kitchen, 1)


async def test_a_dm_that_cannot_be_delivered_is_not_tried_again(home: Home, tmp_path: Path) -> None:
    async with living(home.server, tmp_path, stream=False) as life:
        await home.server.until_connected()
        home.ann.takes_dms = False
        await ask(home, home.dm, 1)
        await home.server.until(lambda: [one for one in home.server.asked if re.fullmatch(CREATE, one.path)])
        await life.app.idle()
        home.ann.takes_dms = True
        await ask(home, home.dm, 2)
        await answered(home, home.dm, 2)
        await life.app.idle()
    assert [one.content for one in home.server.replies(home.dm)] == [said(2)]


@pytest.mark.parametrize("wrong", ["token", "intent"])
async def test_what_only_the_owner_can_mend_is_told_in_a_sentence(home: Home, tmp_path: Path, wrong: str) -> None:
    if wrong == "token":
        home.server.token = "another-token"
    else:
        home.server.gateway.allowed &= ~Intent.MESSAGE_CONTENT
    lives: list[Life] = []
    with pytest.raises(ExceptionGroup) as raised:
        await until_it_ends(home, tmp_path, lives)
    assert isinstance(raised.value.exceptions[0], AdapterStopped)
    [life] = lives
    assert len(life.told) == 1
    assert ("DISCORD_TOKEN" if wrong == "token" else "Message Content Intent") in life.told[0]
