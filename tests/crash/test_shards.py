"""Four of Discord's shards in gateways that are processes: killed, replaced, and what people see counted."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from bot.app.app import open_app
from bot.app.roles import prepare_role, serve_role
from bot.clock import SystemClock
from bot.domain import ProcessRole
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.storage.engine.database import Database, open_database
from tests.crash.gateway_child import settings_for
from tests.living import FirstPersonGate, WordTopics
from tests.nursery import Nursery
from tests.platform.discord_client import Home
from tests.platform.discord_server import Channel, DiscordServer, Fault, User, open_discord
from tests.platform.test_discord_faults import answer, said
from tests.postgres import Server

SHARDS = 4
PATIENCE_S = 60.0
SETTLED_S = 1.0
"""Seconds in which what would come twice has come."""
WANTED_APART_S = 0.8
APART_S = 2.0
"""More than Discord wants here, since a busy machine sends late."""


class Gateways:
    """Those that were begun: their process ids by name."""

    def __init__(self, nursery: Nursery, order: dict[str, Any]) -> None:
        self._nursery = nursery
        self._order = order
        self.ids: dict[str, int] = {}

    async def begin(self, name: str) -> None:
        """Begins one."""
        order = json.dumps({**self._order, "name": name}, separators=(",", ":"))
        self.ids[name] = int(await asyncio.to_thread(self._nursery.ask, "tests.crash.gateway_child", order))

    def end(self, name: str) -> None:
        """Ends one at once."""
        with suppress(ProcessLookupError):
            os.kill(self.ids.pop(name), signal.SIGKILL)


@asynccontextmanager
async def worker(order: dict[str, Any]) -> AsyncIterator[None]:
    """A worker in this process."""
    stop = asyncio.Event()
    async with open_app(
        settings_for(order, "worker"),
        clock=SystemClock(),
        messengers={},
        model=ScriptedChatModel(answer),
        encoder=ScriptedEncoder(),
        topics=WordTopics(),
        gate=FirstPersonGate(),
        role=ProcessRole.WORKER,
    ) as app:
        await prepare_role(app)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(serve_role(app, [], stop=stop), name="worker")
            try:
                yield
            finally:
                stop.set()


async def until(database: Database, query: str, wanted: int) -> None:
    """Waits until a query over the database gives so much."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            async with database.reading() as connection:
                if await connection.scalar(text(query)) == wanted:
                    return
            await asyncio.sleep(0.1)


async def holders(database: Database) -> dict[int, str]:
    """Shard → the process that has it."""
    query = "SELECT name, holder FROM leases WHERE name LIKE 'platform discord %' AND until > clock_timestamp()"
    async with database.reading() as connection:
        rows = (await connection.execute(text(query))).all()
    return {int(row.name.rpartition(" ")[2].partition("/")[0]): row.holder.rpartition(" ")[2] for row in rows}


class Talk:
    """People ask in every server and in private; what they were answered is counted."""

    def __init__(self, server: DiscordServer, kitchens: list[Channel]) -> None:
        self._server = server
        self._kitchens = kitchens
        self._channels = [*kitchens]
        self.asked = 0

    async def ask(self, person: User) -> None:
        """One question in each channel and in private. What one person asks before an answer has one answer for all."""
        private = self._server.open_dm(person)
        if private not in self._channels:
            self._channels.append(private)
        for channel in (*self._kitchens, private):
            self.asked += 1
            call = "" if channel is private else f"<@{self._server.bot.id}> "
            await self._server.say(person, channel, f"{call}I have question {self.asked}")

    def answers(self) -> Counter[str]:
        """How often each answer is seen."""
        return Counter(one.content for channel in self._channels for one in self._server.replies(channel))

    async def answered(self) -> None:
        """Waits until all is answered, and asserts that nothing is twice."""
        wanted = {said(number) for number in range(1, self.asked + 1)}
        await self._server.until(lambda: wanted <= self.answers().keys() or None, PATIENCE_S)
        await asyncio.sleep(SETTLED_S)
        assert self.answers() == Counter(wanted)


@asynccontextmanager
async def an_answer_held(server: DiscordServer, channel: Channel, asking: Awaitable[None]) -> AsyncIterator[None]:
    """Within, an answer has come to a channel, and who sent it does not know yet; others are on their way."""
    sent = server.faults.next("POST", f"/channels/{channel.id}/messages", Fault.HOLD_AFTER)
    await asking
    async with asyncio.timeout(PATIENCE_S):
        await sent.reached.wait()
    yield
    sent.release.set()


@pytest.fixture
def order(tmp_path: Path) -> dict[str, Any]:
    """What gateways are told, but for the database and where Discord is."""
    return {"folder": str(tmp_path), "lease_s": 4.0, "apart_s": APART_S}


async def test_a_gateway_that_dies_is_replaced_on_its_shards_and_nothing_is_lost_or_doubled(
    nursery: Nursery, postgres: Server, order: dict[str, Any]
) -> None:
    async with open_discord() as server:
        home = Home(server)
        people = (home.ann, home.bob, server.add_user("cid", "Cid"))
        guilds = [server.add_guild(f"Server {number}", *people, shard=(number, SHARDS)) for number in range(SHARDS)]
        kitchens = [server.add_channel(guild, "kitchen") for guild in guilds]
        talk = Talk(server, kitchens)
        starts = server.gateway.starts
        starts.apart_s, starts.shards = WANTED_APART_S, SHARDS
        order["url"] = await postgres.fresh()
        order["settings"] = {
            "api_url": server.api_url, "gateway_url": server.gateway_url, "stream": False,
            "shards": SHARDS, "shards_per_gateway": SHARDS // 2,
        }  # fmt: skip
        gateways, database = Gateways(nursery, order), await open_database(order["url"])
        try:
            async with worker(order):
                await gateways.begin("one")
                await gateways.begin("other")
                await until(database, "SELECT count(*) FROM presence", SHARDS)
                await gateways.begin("spare")
                assert Counter((await holders(database)).values()) == Counter(
                    {str(gateways.ids["one"]): 2, str(gateways.ids["other"]): 2}
                )
                for person in people:
                    await talk.ask(person)
                await talk.answered()

                first = (await holders(database))[0]
                async with an_answer_held(server, kitchens[0], talk.ask(home.ann)):
                    await talk.ask(home.bob)  # these are on their way in
                    gateways.end(next(name for name, process in gateways.ids.items() if str(process) == first))
                await server.until(lambda: len(server.gateway.shards) == SHARDS // 2 or None)
                await talk.ask(people[-1])  # in private and on its servers nobody hears it
                await talk.answered()
                after = await holders(database)
                assert set(after) == set(range(SHARDS))
                assert {str(process) for process in gateways.ids.values()} == set(after.values())
                assert server.gateway.shards == [*range(SHARDS)], "each shard is connected once"
                await talk.ask(home.ann)
                await talk.answered()
            assert starts.refused == [], "nobody identified too early"
        finally:
            for name in [*gateways.ids]:
                gateways.end(name)
            await database.aclose()
