"""Discord in several shards: what belongs to which, and who may identify when."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import discord
import pytest
from discord.gateway import DiscordWebSocket

from adapters.discord.client import Companion
from adapters.discord.messenger import DiscordMessenger
from adapters.discord.sharding import ONLY, IdentifyTurns, NoTurn, Shard, ShardMessenger
from bot.clock import SystemClock
from bot.config import Discord
from bot.domain import Place, PlaceKind
from bot.errors import AdapterStopped, PartStopped
from bot.ports import Leases
from bot.storage.conversation.leases import SqlLeases
from tests.adapters.discord.wire import QuickAdapter
from tests.adapters.discord.world import Ear, eventually, settings_with
from tests.platform.discord_client import Home
from tests.platform.discord_server import DiscordServer, Guild
from tests.postgres import Server

APART_S = 0.6
BROKEN = 54
"""The error number after which discord.py connects again at once."""
FIRST, SECOND = Shard(0, 2), Shard(1, 2)


@pytest.fixture
async def leases(postgres: Server) -> AsyncIterator[SqlLeases]:
    """What one process holds."""
    database = await postgres.emptied()
    yield SqlLeases(database, 60.0)
    await database.aclose()


@pytest.fixture
def discord_server(home: Home) -> DiscordServer:
    """Ann's Discord."""
    return home.server


class Sharded(QuickAdapter):
    """One with turns that take less long."""

    def turns(self, leases: Leases) -> IdentifyTurns:
        """A little longer than the server wants."""
        return IdentifyTurns(leases, apart_s=APART_S + 0.4)


def adapter_for(server: DiscordServer, shards: int = 2) -> Sharded:
    """An adapter on this server, with so many shards."""
    where = {"discord__api_url": server.api_url, "discord__gateway_url": server.gateway_url}
    return Sharded(settings_with({**where, "discord__shards": shards}, server.token), SystemClock(), extensions=())


@asynccontextmanager
async def serving(adapter: Sharded, leases: Leases, ears: dict[int, Ear], *numbers: int) -> AsyncIterator[None]:
    """Runs these shards in this process until the block ends."""
    parts = adapter.parts(leases)
    tasks = [asyncio.create_task(parts[number].run(ears[number])) for number in numbers]
    try:
        await eventually(lambda: all(ears[number].connections == 1 for number in numbers))
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def channel_of(guild: Guild) -> Place:
    """Some channel of a server."""
    return Place("discord", PlaceKind.CHANNEL, f"{guild.id}/1")


def test_servers_are_dealt_out_by_discords_formula_and_dms_come_to_the_first() -> None:
    server, private = 81384788765712384, Place("discord", PlaceKind.DM, "80351110224678912")
    shards = [Shard(number, 16) for number in range(16)]
    belongs = (server >> 22) % 16
    thread = Place("discord", PlaceKind.CHANNEL, f"{server}/{server + 1}/{server + 2}")
    assert [shard.id for shard in shards if shard.holds(thread)] == [belongs]
    assert [shard.id for shard in shards if shard.holds(private)] == [0]
    assert ONLY.holds(thread)
    assert ONLY.holds(private)
    assert (shards[2].name, shards[2].seen_as, ONLY.name, ONLY.seen_as) == ("2/16", "discord 2/16", "", "discord")


async def test_each_shard_hears_and_keeps_what_is_its_own(
    home: Home, discord_server: DiscordServer, leases: SqlLeases
) -> None:
    ears = {0: Ear(), 1: Ear()}
    guilds = [discord_server.add_guild(f"Home {number}", home.ann, shard=(number, 2)) for number in range(2)]
    kitchens = [discord_server.add_channel(guild, "kitchen") for guild in guilds]
    discord_server.gateway.starts.apart_s = APART_S
    adapter = adapter_for(discord_server)
    gone = discord_server.add_guild("Gone", home.ann, shard=(0, 2))
    del discord_server.world.guilds[gone.id]
    for ear in ears.values():
        ear.servers = [str(one.id) for one in (*guilds, gone)]
    async with serving(adapter, leases, ears, 0, 1):
        assert discord_server.gateway.shards == [0, 1]
        for number, kitchen in enumerate(kitchens):
            await discord_server.say(home.ann, kitchen, f"in {number}")
        await discord_server.say(home.ann, home.dm, "in private")
        await eventually(lambda: len(ears[0].heard) + len(ears[1].heard) == 3)
        assert {said.text for said in ears[0].heard} == {"in 0", "in private"}
        assert {said.text for said in ears[1].heard} == {"in 1"}
        assert [whom for kind, whom in ears[0].told if kind == "left"] == [str(gone.id)]
        assert [whom for kind, whom in ears[1].told if kind == "left"] == [], "it is not the second one's server"
        assert adapter.messenger.reaches(channel_of(guilds[1]))
    assert discord_server.gateway.starts.refused == []
    told_of_commands = [one for one in discord_server.asked if one.path.endswith("/commands") and one.method == "GET"]
    assert len(told_of_commands) == 1, "once for the application"


async def test_dms_that_were_missed_are_read_by_the_first_shard_alone(
    home: Home, discord_server: DiscordServer, leases: SqlLeases
) -> None:
    ears, adapter = {0: Ear(), 1: Ear()}, adapter_for(discord_server)
    async with serving(adapter, leases, ears, 0, 1):
        await discord_server.say(home.ann, home.dm, "here I am")
        await eventually(lambda: len(ears[0].heard) == 1)
    for ear in ears.values():
        ear.connections, ear.dms = 0, [ears[0].heard[0].place]
    await discord_server.say(home.ann, home.dm, "and while you were away")
    async with serving(adapter, leases, ears, 1):
        await asyncio.sleep(0.2)
        assert ears[1].heard == []
    ears[1].connections = 0
    async with serving(adapter, leases, ears, 0, 1):
        await eventually(lambda: len(ears[0].heard) == 2)
    assert ears[1].heard == []


async def test_alone_it_says_that_shards_need_gateways(discord_server: DiscordServer) -> None:
    with pytest.raises(AdapterStopped, match="--role gateway"):
        await adapter_for(discord_server).run(Ear())


async def test_too_few_shards_are_told_of(home: Home, discord_server: DiscordServer, leases: SqlLeases) -> None:
    for number in range(2):
        discord_server.add_guild(f"Home {number}", home.ann, shard=(1, 2))
    discord_server.gateway.starts.most_servers = 1
    with pytest.raises(PartStopped, match=r"discord\.shards"):
        await adapter_for(discord_server).parts(leases)[1].run(Ear())


async def test_a_first_connection_that_fails_is_begun_again(
    discord_server: DiscordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ear, connect, failed = Ear(), DiscordWebSocket.from_client, asyncio.Event()

    async def once_broken(client: discord.Client, **options: Any) -> DiscordWebSocket:
        if failed.is_set():
            return await connect(client, **options)
        failed.set()
        raise OSError(BROKEN, "reset")

    monkeypatch.setattr(DiscordWebSocket, "from_client", once_broken)
    monkeypatch.setattr("adapters.discord.adapter.PAUSES_S", (0.01,))
    task = asyncio.create_task(adapter_for(discord_server, shards=1).run(ear))
    await eventually(lambda: ear.connections == 1 or task.done())
    assert failed.is_set()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


class Failing(Sharded):
    """One whose connections end by one error after the other; `had_session`: after they had begun."""

    errors: list[Exception]
    had_session = False

    async def _serve(self, client: Companion) -> None:
        client._session = int(self.had_session)
        if self.errors:
            raise self.errors.pop()


@pytest.mark.parametrize("error", [NoTurn(0.0), ConnectionError()])
async def test_pauses_grow_neither_by_waiting_for_a_turn_nor_by_faults_before_a_session(
    discord_server: DiscordServer, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    monkeypatch.setattr("adapters.discord.adapter.PAUSES_S", (0.01, 60.0))
    adapter = Failing(settings_with({}, discord_server.token), SystemClock(), extensions=())
    adapter.errors, adapter.had_session = [error] * 3, not isinstance(error, NoTurn)
    await asyncio.wait_for(adapter.run(Ear()), 5)
    assert adapter.errors == []


class Asked:
    """A client that is asked when connections may begin."""

    def __init__(self, server: DiscordServer) -> None:
        self.http = self
        self._server = server
        self.times = 0

    async def get_bot_gateway(self) -> tuple[int, str, dict[str, int]]:
        """As discord.py tells it."""
        self.times += 1
        told = self._server.gateway.starts.payload("")
        return told["shards"], told["url"], told["session_start_limit"]


async def begin(turns: IdentifyTurns, client: Asked, shard: int) -> float:
    """When a shard's turn came."""
    await turns.take(client, shard)  # type: ignore[arg-type]  # all that is asked of a client
    return time.monotonic()


async def test_processes_begin_one_after_the_other_in_each_bucket(
    discord_server: DiscordServer, leases: SqlLeases
) -> None:
    client, processes = Asked(discord_server), [IdentifyTurns(leases, apart_s=APART_S) for _ in range(2)]
    times = sorted(await asyncio.gather(*(begin(processes[number % 2], client, number) for number in range(3))))
    assert min(later - earlier for earlier, later in pairwise(times)) >= APART_S - 0.05
    discord_server.gateway.starts.buckets = 3
    for turns in processes:
        await begin(turns, client, 0)  # from now on it knows of the buckets
    await asyncio.sleep(APART_S)
    times = sorted(await asyncio.gather(*(begin(processes[number % 2], client, number) for number in range(3))))
    assert times[-1] - times[0] < APART_S, "each is in a bucket of its own"


async def test_what_discord_allows_in_a_day_is_kept_to(discord_server: DiscordServer, leases: SqlLeases) -> None:
    client, starts = Asked(discord_server), discord_server.gateway.starts
    starts.buckets, starts.remaining, starts.reset_after_s = 2, 1, 1800.0
    with pytest.raises(NoTurn) as refused:
        await begin(IdentifyTurns(leases, apart_s=APART_S), client, 1)
    assert refused.value.after_s == 1800.0
    starts.remaining = 2
    await begin(IdentifyTurns(leases, apart_s=APART_S), client, 1)


async def test_whoever_waits_too_long_says_so(discord_server: DiscordServer, leases: SqlLeases) -> None:
    await leases.claim(["identify discord 0"])
    with pytest.raises(NoTurn):
        await begin(IdentifyTurns(leases, patience_s=0.3), Asked(discord_server), 0)


class Connected(DiscordMessenger):
    """One that says whether it is connected."""

    def __init__(self, *, is_there: bool) -> None:
        super().__init__(Discord())
        self._is_there = is_there

    def _ready(self) -> discord.Client | None:
        return discord.Client(intents=discord.Intents.none()) if self._is_there else None


def test_a_place_is_sent_to_by_its_own_shard_or_by_another_that_is_here() -> None:
    private = Place("discord", PlaceKind.DM, "1")
    both = [Connected(is_there=True), Connected(is_there=True)]
    assert ShardMessenger([(FIRST, both[0]), (SECOND, both[1])])._of(private) is both[0]
    away = Connected(is_there=False)
    elsewhere = ShardMessenger([(FIRST, away), (SECOND, both[1])])
    assert elsewhere._of(private) is both[1]
    assert elsewhere.reaches(private)
    assert not ShardMessenger([(FIRST, away), (SECOND, away)]).reaches(private)
    assert not elsewhere.reaches(Place("telegram", PlaceKind.DM, "1"))
