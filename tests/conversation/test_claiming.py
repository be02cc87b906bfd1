"""A worker's places: what is said in one is answered in the order in which it was said, whatever becomes of leases.

The whole worker runs here, over the tests' PostgreSQL, with a scripted model.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from bot.app.app import App, open_app
from bot.app.roles import _claiming, prepare_role
from bot.clock import SystemClock
from bot.conversation.claiming import Claiming
from bot.domain import Place, ProcessRole
from bot.errors import StorageAway
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.storage.conversation.channels import SqlChannels
from bot.storage.conversation.leases import PLACE, SqlClaims, SqlLeases
from bot.storage.conversation.shared_outbox import SqlSharedOutbox
from bot.storage.engine.database import Database, open_database
from lab.evaluation.several_child import NoGate, NoTopics, settings_for
from tests.postgres import Server
from tests.stored import ANN, BEN, HALL, Rows

LASTS_S = 60.0
"""Seconds of a lease: so long that nothing is renewed within a test."""
PATIENCE_S = 60.0


@dataclass
class Process:
    """A worker, its model, and the database that it shares."""

    app: App
    claiming: Claiming
    model: ScriptedChatModel
    database: Database

    async def answered(self, count: int) -> list[int]:
        """What was answered, in the order of the replies, once there are so many."""
        query = text("SELECT utterance_id FROM answers ORDER BY reply_id")
        async with asyncio.timeout(PATIENCE_S):
            while True:
                async with self.database.reading() as connection:
                    found = list((await connection.execute(query)).scalars())
                if len(found) >= count:
                    return found
                await asyncio.sleep(0.05)

    async def lasts_until(self) -> datetime:
        """Until when the only place is leased."""
        query = text("SELECT until FROM leases WHERE name LIKE 'place %'")
        async with self.database.reading() as connection:
            return datetime.fromisoformat(str(await connection.scalar(query)))

    async def run_out(self) -> None:
        """Has all leases end, as if nobody had renewed them."""
        async with self.database.leasing() as connection:
            await connection.execute(text("UPDATE leases SET until = clock_timestamp() - interval '1 second'"))


@asynccontextmanager
async def working(folder: Path, server: Server, lease_s: float = LASTS_S) -> AsyncIterator[Process]:
    """A worker that claims places and answers, as soon as its model is no longer held."""
    url = await server.fresh()
    settings = settings_for({"folder": str(folder), "url": url, "lease_s": lease_s})
    model = ScriptedChatModel("I see.", hold=asyncio.Event())
    async with open_app(
        settings,
        clock=SystemClock(),
        messengers={},
        model=model,
        encoder=ScriptedEncoder(),
        topics=NoTopics(),
        gate=NoGate(),
        role=ProcessRole.WORKER,
    ) as app:
        await prepare_role(app)
        assert app.stores.shared is not None
        database, claiming = await open_database(url), _claiming(app, app.stores.shared)
        running = asyncio.create_task(claiming.run())
        try:
            yield Process(app, claiming, model, database)
        finally:
            claiming.close()
            await app.finish()
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running
            await database.aclose()


def failing_once(patch: pytest.MonkeyPatch, of: type, name: str, fault: Exception) -> list[Exception]:
    """Has a method raise `fault` at its next call; returns what is still to be raised."""
    real, left = getattr(of, name), [fault]

    async def method(*given: Any, **named: Any) -> Any:
        if left:
            raise left.pop()
        return await real(*given, **named)

    patch.setattr(of, name, method)
    return left


def held_up(patch: pytest.MonkeyPatch, of: type, name: str) -> tuple[asyncio.Event, asyncio.Event, asyncio.Event]:
    """Has a method wait, at each call, until the second event is set; the others are set when one begins and ends."""
    real, reached, go_on, ended = getattr(of, name), asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def method(*given: Any, **named: Any) -> Any:
        reached.set()
        await go_on.wait()
        result = await real(*given, **named)
        ended.set()
        return result

    patch.setattr(of, name, method)
    return reached, go_on, ended


async def until(true: Callable[[], bool]) -> None:
    """Waits for something."""
    async with asyncio.timeout(PATIENCE_S):
        while not true():  # noqa: ASYNC110  what the worker does
            await asyncio.sleep(0.01)


async def test_what_could_not_be_handed_over_is_answered_before_what_came_later(
    tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with working(tmp_path, postgres) as process:
        process.model.hold = None
        rows, left = Rows(process.database), failing_once(monkeypatch, SqlChannels, "mode", StorageAway("It restarts."))
        first = await rows.accept(speaker=ANN, place=HALL)
        await until(lambda: not left)
        second = await rows.accept(speaker=BEN, place=HALL)
        assert await process.answered(2) == [first.id, second.id]


async def test_what_was_left_is_answered_first_though_the_place_is_claimed_before_it_was_let_go_of(
    tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with working(tmp_path, postgres) as process:
        rows, left = Rows(process.database), failing_once(monkeypatch, SqlSharedOutbox, "commit", StorageAway("Gone."))
        first = await rows.accept(speaker=ANN, place=HALL)
        await until(lambda: process.model.running == 1)
        await process.run_out()  # it is claimed anew, by the same process, at the next look
        assert process.model.hold is not None
        process.model.hold.set()
        await until(lambda: not left)
        second = await rows.accept(speaker=BEN, place=HALL)
        assert await process.answered(2) == [first.id, second.id]


async def test_a_worker_that_stood_still_answers_in_order_when_it_gets_its_place_back(
    tmp_path: Path, postgres: Server
) -> None:
    async with working(tmp_path, postgres, lease_s=1.0) as process:
        rows, other = Rows(process.database), SqlLeases(process.database, LASTS_S)
        said = [await rows.accept(speaker=speaker, place=HALL) for speaker in (ANN, BEN, ANN)]
        await until(lambda: process.model.running == 1)
        while not (taken := await other.claim([f"{PLACE}{HALL.key}"])):
            await process.run_out()
        await until(lambda: process.claiming.places == 0)
        assert process.model.hold is not None
        process.model.hold.set()
        await other.release(taken)
        assert await process.answered(3) == [one.id for one in said]


async def test_what_waits_behind_a_turn_that_found_no_database_is_not_answered_before_it(
    tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with working(tmp_path, postgres) as process:
        rows, left = Rows(process.database), failing_once(monkeypatch, SqlSharedOutbox, "commit", StorageAway("Gone."))
        said = [await rows.accept(speaker=speaker, place=HALL) for speaker in (ANN, BEN)]
        await until(lambda: process.model.running == 1)
        assert process.model.hold is not None
        process.model.hold.set()
        assert await process.answered(2) == [one.id for one in said]
        assert not left


async def test_a_lease_is_renewed_though_a_look_takes_long(
    tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with working(tmp_path, postgres, lease_s=1.0) as process:
        looks, go_on, _ = held_up(monkeypatch, SqlClaims, "waiting")
        said = await Rows(process.database).accept(speaker=ANN, place=HALL)
        async with asyncio.timeout(PATIENCE_S):
            await looks.wait()  # the place is claimed
            times = {await process.lasts_until()}
            while len(times) < 4:  # renewed three times in this one look
                times.add(await process.lasts_until())
                await asyncio.sleep(0.05)
        go_on.set()
        assert process.model.hold is not None
        process.model.hold.set()
        assert await process.answered(1) == [said.id]


async def test_a_place_that_is_let_go_of_is_not_renewed_afterwards(
    tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with working(tmp_path, postgres, lease_s=4.0) as process:
        await Rows(process.database).accept(speaker=ANN, place=HALL)
        await until(lambda: process.model.running == 1)
        renews, go_on, renewed = held_up(monkeypatch, SqlLeases, "renew")
        async with asyncio.timeout(PATIENCE_S):
            await renews.wait()
        assert process.app.stores.shared is not None
        leases = process.app.stores.shared.leases
        assert isinstance(leases, SqlLeases)
        leases.lease_s = 10 * PATIENCE_S  # if it is renewed again
        lets_go, released, real = asyncio.Event(), asyncio.Event(), Claiming._let_go

        async def let_go(claiming: Claiming, places: list[Place]) -> None:
            if places:
                lets_go.set()
                await real(claiming, places)
                released.set()

        monkeypatch.setattr(Claiming, "_let_go", let_go)
        assert process.model.hold is not None
        process.model.hold.set()
        await process.answered(1)
        async with asyncio.timeout(PATIENCE_S):
            await lets_go.wait()
        with suppress(TimeoutError):  # it waits
            async with asyncio.timeout(1.0):
                await released.wait()
        go_on.set()
        await until(lambda: renewed.is_set() and process.claiming.places == 0)
        other = SqlLeases(process.database, LASTS_S)
        async with asyncio.timeout(PATIENCE_S):
            while not await other.claim([f"{PLACE}{HALL.key}"]):  # noqa: ASYNC110  what the worker does
                await asyncio.sleep(0.05)


async def test_a_place_that_is_lost_before_its_turn_has_begun_is_answered_when_it_comes_back(
    tmp_path: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.conversation.claiming.AT_ONCE", 1)  # the next look follows at once, without a pause
    async with working(tmp_path, postgres, lease_s=1.0) as process:
        process.model.hold = None
        other = SqlLeases(process.database, LASTS_S)
        looks, go_on, _ = held_up(monkeypatch, SqlClaims, "waiting")
        said = await Rows(process.database).accept(speaker=ANN, place=HALL)
        async with asyncio.timeout(PATIENCE_S):
            await looks.wait()  # the place is claimed, and the process stands still
        while not (taken := await other.claim([f"{PLACE}{HALL.key}"])):
            await process.run_out()
        await until(lambda: HALL in process.claiming._lost)
        go_on.set()
        await until(lambda: process.claiming.places == 0)
        await other.release(taken)
        assert await process.answered(1) == [said.id]
