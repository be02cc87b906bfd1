"""Parts of a platform in several processes: each is served once, and those of one that ended by another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import func, select

from bot.app.leasing import LeasedAdapter, _ended
from bot.domain import Lease, Place
from bot.errors import AdapterStopped, PartStopped
from bot.ports import Core, Leases, Part
from bot.storage.conversation.leases import SqlLeases
from bot.storage.engine import postgres as engine
from bot.storage.engine.database import Database
from tests.adapters.discord.world import Ear, eventually
from tests.postgres import Server

LASTS_S = 2.0
ALL = ["0/4", "1/4", "2/4", "3/4"]


@pytest.fixture
async def database(postgres: Server) -> AsyncIterator[Database]:
    """The one database of the tests, emptied."""
    database = await postgres.emptied()
    yield database
    await database.aclose()


class Connection:
    """A part that is served until it is cancelled."""

    def __init__(self, name: str, served: list[str], error: Exception | None) -> None:
        self.name = name
        self._served = served
        self.error = error
        self.serves = False
        self.begun = 0
        self.may_be_ready: Callable[[], bool] = lambda: True

    @property
    def ready(self) -> bool:
        """Whether it is connected: the next part is taken then."""
        return self.serves and self.may_be_ready()

    def holds(self, place: Place) -> bool:
        """All."""
        return True

    async def run(self, core: Core) -> None:
        """Begins, and goes on."""
        del core
        if self.error is not None:
            raise self.error
        self._served.append(self.name)
        self.serves = True
        self.begun += 1
        try:
            await asyncio.Event().wait()
        finally:
            self._served.remove(self.name)
            self.serves = False


class Divided:
    """A platform in four parts."""

    platform = "chat"

    def __init__(
        self, names: Sequence[str] = ALL, most: int = 4, errors: Mapping[str, Exception] | None = None
    ) -> None:
        self.served: list[str] = []
        self.most_parts = most
        self.parts_of_it = [Connection(name, self.served, (errors or {}).get(name)) for name in names]

    @property
    def messenger(self) -> Any:
        """There is none."""
        return None

    def parts(self, leases: Leases) -> Sequence[Part]:
        """Four."""
        del leases
        return self.parts_of_it

    async def run(self, core: Core) -> None:
        """It is run in parts."""
        raise NotImplementedError


class Silent:
    """Sends nothing."""

    async def run(self) -> None:
        """Goes on."""
        await asyncio.Event().wait()


def leased(database: Database, adapter: Any, stop: asyncio.Event | None = None) -> LeasedAdapter:
    """As a gateway runs it."""
    dispatch: Callable[[Part], Any] = lambda _part: Silent()  # noqa: E731
    return LeasedAdapter(adapter, SqlLeases(database, LASTS_S), dispatch, stop or asyncio.Event())


@asynccontextmanager
async def running(*adapters: LeasedAdapter) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Runs them, as processes of their own would."""
    tasks = [asyncio.create_task(adapter.run(Ear())) for adapter in adapters]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_parts_are_shared_and_those_of_one_that_ended_are_taken_over(database: Database) -> None:
    one, other = Divided(), Divided()
    for part in (*one.parts_of_it, *other.parts_of_it):  # they begin together, however slow the machine is
        part.may_be_ready = lambda: bool(one.served and other.served)
    async with running(leased(database, one), leased(database, other)) as (first, _):
        await eventually(lambda: sorted(one.served + other.served) == ALL)
        assert one.served
        assert other.served
        for part in other.parts_of_it:
            part.may_be_ready = lambda: True
        first.cancel()
        await eventually(lambda: sorted(other.served) == ALL)
        assert one.served == []


async def test_a_process_takes_no_more_than_it_may(database: Database) -> None:
    one, other, spare = Divided(most=2), Divided(most=2), Divided(most=2)
    async with running(leased(database, one), leased(database, other)) as (first, _):
        await eventually(lambda: sorted(one.served + other.served) == ALL)
        async with running(leased(database, spare)):
            await asyncio.sleep(LASTS_S / 2)
            assert spare.served == []
            first.cancel()
            await eventually(lambda: len(spare.served) == 2)
            assert sorted(spare.served + other.served) == ALL


async def test_a_part_that_does_not_connect_keeps_the_process_from_taking_another(database: Database) -> None:
    slow = Divided()
    async with running(leased(database, slow)):
        await eventually(lambda: len(slow.served) == 1)
        slow.parts_of_it[0].may_be_ready = lambda: False
        await asyncio.sleep(LASTS_S)
        assert len(slow.served) <= 2, "one may have begun in between"


async def test_a_platform_that_is_divided_in_another_way_waits(database: Database) -> None:
    whole, halves = Divided([""]), Divided(["0/2", "1/2"])
    async with running(leased(database, halves)) as (divided,):
        await eventually(lambda: len(halves.served) == 2)
        async with running(leased(database, whole)):
            await asyncio.sleep(LASTS_S)
            assert whole.served == []
            divided.cancel()
            await eventually(lambda: whole.served == [""])
            assert halves.served == []


class Stalled(SqlLeases):
    """Leases of a server that takes a renewal and never answers."""

    async def renew(self, held: Sequence[Lease], *, lasts_s: float | None = None) -> list[Lease]:
        """Waits for ever."""
        del held, lasts_s
        await asyncio.Event().wait()
        return []


async def test_who_hears_nothing_of_its_lease_serves_no_longer_than_that(database: Database) -> None:
    one, other = Divided([""]), Divided([""])
    silent: Callable[[Part], Any] = lambda _part: Silent()  # noqa: E731
    stalled = LeasedAdapter(one, Stalled(database, LASTS_S), silent, asyncio.Event())
    async with running(stalled):
        await eventually(lambda: one.served == [""])
        begun = one.parts_of_it[0].begun
        async with running(leased(database, other)):
            await eventually(lambda: other.served == [""] or one.parts_of_it[0].begun > begun)
            if other.served:  # the other was quicker than this one, which begins anew when it can
                await eventually(lambda: one.served == [])


async def test_what_its_owner_has_to_mend_comes_out(database: Database) -> None:
    wrong = Divided(errors={"2/4": AdapterStopped("The token is wrong.")})
    with pytest.raises(AdapterStopped, match="token"):
        await leased(database, wrong).run(Ear())
    assert wrong.served == []


async def test_a_part_that_is_refused_leaves_the_others_alone(database: Database) -> None:
    one = Divided(errors={"1/4": PartStopped("It has too many servers.")})
    async with running(leased(database, one)) as (task,):
        await eventually(lambda: one.served == ["0/4", "2/4", "3/4"])
        await asyncio.sleep(LASTS_S / 2)
        assert one.served == ["0/4", "2/4", "3/4"]
        assert not task.done()


async def test_when_all_parts_are_refused_that_comes_out(database: Database) -> None:
    with pytest.raises(AdapterStopped, match="many"):
        await leased(database, Divided(errors=dict.fromkeys(ALL, PartStopped("It has too many servers.")))).run(Ear())


async def test_a_part_that_fails_rests_and_leaves_the_others_alone(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.app.leasing.PAUSES_S", (LASTS_S,))
    one = Divided(errors={"1/4": RuntimeError("nobody foresaw this")})
    async with running(leased(database, one)):
        await eventually(lambda: one.served == ["0/4", "2/4", "3/4"])
        one.parts_of_it[1].error = None
        await eventually(lambda: one.served == ["0/4", "2/4", "3/4", "1/4"])


async def test_what_the_only_part_raises_comes_out(database: Database) -> None:
    with pytest.raises(RuntimeError, match="foresaw"):
        await leased(database, Divided([""], errors={"": RuntimeError("nobody foresaw this")})).run(Ear())


async def test_who_leaves_takes_no_more_parts(database: Database) -> None:
    one, other, stop = Divided(most=2), Divided(), asyncio.Event()
    async with running(leased(database, one)) as (first,):
        await eventually(lambda: len(one.served) == 2)
        async with running(leased(database, other, stop)):
            await eventually(lambda: len(other.served) == 2)
            stop.set()
            first.cancel()
            await eventually(lambda: one.served == [])
            await asyncio.sleep(LASTS_S)
            assert other.served == ["2/4", "3/4"]


async def test_who_hangs_while_it_asks_for_a_part_does_not_hold_up_others(database: Database) -> None:
    leases = SqlLeases(database, LASTS_S)
    async with database.leasing() as connection:
        await connection.execute(select(func.pg_advisory_xact_lock(engine.PARTS)))
        async with asyncio.timeout(5):
            assert await leases.claim_part("platform chat", ["platform chat"], ()) is None
    assert await leases.claim_part("platform chat", ["platform chat"], ()) is not None


async def test_a_second_wish_to_end_waits_for_the_end_too() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def slow() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.1)
            ended.set()

    work = asyncio.create_task(slow())
    await begun.wait()
    ending = asyncio.create_task(_ended([work]))
    await asyncio.sleep(0)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert ended.is_set()


async def test_a_part_that_ran_out_but_is_being_written_under_is_nobody_elses(database: Database) -> None:
    mine, theirs = SqlLeases(database, 0.0), SqlLeases(database, LASTS_S)
    lease = await mine.claim_part("platform chat", ["platform chat 0/2"], ())
    assert lease is not None
    with mine.holding(lease):
        async with database.writing():
            assert await theirs.claim_part("platform chat", ["platform chat"], ()) is None
            assert await theirs.claim_part("platform chat", ["platform chat 0/2"], ()) is None
    assert await theirs.claim_part("platform chat", ["platform chat 0/2"], ["platform chat 0/2"]) is None
    assert await theirs.claim_part("platform chat", ["platform chat"], ()) is not None
