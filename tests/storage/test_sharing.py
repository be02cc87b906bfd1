"""What several processes over one PostgreSQL have: leases, fences, claims, a shared outbox and a bell."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.config import load_settings
from bot.domain import Call, Choice, Job, JobKind, Lease, Outgoing, ProcessRole, Recollection
from bot.errors import LeaseLost, StorageError
from bot.ports import Listener
from bot.storage.conversation.jobs import SqlJobs
from bot.storage.conversation.leases import SqlClaims, SqlLeases
from bot.storage.conversation.shared_outbox import SqlSharedOutbox
from bot.storage.engine.database import Database
from bot.storage.engine.ringing import PostgresBell
from bot.storage.stores import open_stores
from tests.looking import add_jobs
from tests.postgres import Server
from tests.stored import AGENT, ANNS_DM, BENS_DM, START, Rows

LASTS_S = 60.0
PATIENCE_S = 60.0
BREAK_BELLS = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND (query ILIKE 'LISTEN %' OR query LIKE '%pg_notify%')
"""
CHOICES = ((Choice("Yes", Call("privacy consent", (("answer", "yes"),))), Choice("No", Call("privacy"))),)


@pytest.fixture
async def database(postgres: Server) -> AsyncIterator[Database]:
    """The one database of the tests, emptied."""
    database = await postgres.emptied()
    yield database
    await database.aclose()


@pytest.fixture
def leases(database: Database) -> SqlLeases:
    """One process's."""
    return SqlLeases(database, LASTS_S)


async def one(leases: SqlLeases, name: str = "telegram") -> Lease:
    """A lease that nobody has."""
    [lease] = await leases.claim([name])
    return lease


async def run_out(database: Database) -> None:
    """Has all leases end, as if nobody had renewed them."""
    async with database.leasing() as connection:
        await connection.execute(text("UPDATE leases SET until = clock_timestamp() - interval '1 second'"))


async def test_a_lease_is_one_processs_until_it_is_released(leases: SqlLeases) -> None:
    first = await one(leases)
    assert await leases.claim(["telegram"]) == []
    await leases.release([first])
    second = await one(leases)
    assert second.token > first.token
    assert await leases.renew([first, second]) == [second]


async def test_many_who_ask_at_once_get_one_lease(leases: SqlLeases) -> None:
    got = await asyncio.gather(*(leases.claim(["discord", "telegram"]) for _ in range(8)))
    assert sorted(lease.name for some in got for lease in some) == ["discord", "telegram"]


async def test_one_that_ran_out_is_renewed_as_long_as_nobody_has_taken_over(
    database: Database, leases: SqlLeases
) -> None:
    lease = await one(leases)
    await run_out(database)
    assert await leases.renew([lease]) == [lease]
    assert await leases.claim(["telegram"]) == []


async def test_a_holder_whose_lease_was_taken_over_writes_nothing(database: Database, leases: SqlLeases) -> None:
    rows = Rows(database)
    stalled = await one(leases)
    await run_out(database)
    with leases.holding(stalled):
        assert await rows.accept() is not None, "nobody has taken over yet"
        begun = asyncio.create_task(hears_later(rows))
    await asyncio.sleep(0)
    now = await one(leases)
    with leases.holding(stalled), pytest.raises(LeaseLost):
        await rows.accept()
    with pytest.raises(LeaseLost):
        await begun
    with leases.holding(now):
        assert await rows.accept() is not None
    assert await rows.accept() is not None, "outside nothing is fenced"
    assert len(await rows.inbox.pending()) == 3


async def hears_later(rows: Rows) -> None:
    """A task that was begun under a lease, and writes when it is somebody else's."""
    await asyncio.sleep(0.2)
    await rows.accept()


async def test_while_something_is_written_under_a_lease_nobody_takes_it_over(
    database: Database, leases: SqlLeases
) -> None:
    lease = await one(leases)
    await run_out(database)
    with leases.holding(lease):
        async with database.writing():
            assert await leases.claim(["telegram"]) == []
    assert len(await leases.claim(["telegram"])) == 1


async def test_a_place_is_claimed_while_something_waits_there(database: Database, leases: SqlLeases) -> None:
    rows, claims = Rows(database), SqlClaims(database, leases)
    first = await rows.accept()
    await rows.accept(place=BENS_DM)
    [(place, lease)] = (await claims.claim(1)).items()
    assert place == ANNS_DM
    assert list(await claims.claim(5)) == [BENS_DM]
    assert await claims.claim(5) == {}
    assert [said.id for said in await claims.waiting([ANNS_DM])] == [first.id]
    await claims.put_off([first.id], timedelta(minutes=1))
    await leases.release([lease])
    assert await claims.waiting([ANNS_DM]) == []
    assert await claims.claim(5) == {}
    await rows.accept()
    assert list(await claims.claim(5)) == [ANNS_DM]


async def test_a_job_that_another_process_claimed_again_is_not_written_for(database: Database) -> None:
    rows = Rows(database)
    jobs = SqlJobs(database)
    await add_jobs(jobs, [Job(JobKind.SUMMARISE, 1)])
    stalled = await jobs.claim(START, timedelta(seconds=1))
    now = await jobs.claim(START + timedelta(minutes=1), timedelta(seconds=1))
    assert stalled is not None
    assert now is not None
    with jobs.holding(stalled), pytest.raises(LeaseLost):
        await rows.accept()
    with jobs.holding(now):
        await rows.accept()
        await jobs.done(now.id)
        await rows.accept()


async def test_whoever_looks_for_a_job_in_vain_waits_for_no_writer(database: Database) -> None:
    jobs, lease = SqlJobs(database), timedelta(seconds=9)
    async with aclosing(Database(database.engine.url)) as another:
        async with another.writing(), asyncio.timeout(20):
            assert await jobs.claim(START, lease) is None
        await add_jobs(SqlJobs(another), [Job(JobKind.SUMMARISE, 1)])
    assert await jobs.claim(START, lease, [JobKind.TRAITS]) is None
    assert await jobs.claim(START, lease) is not None
    assert await jobs.claim(START, lease) is None
    assert await jobs.claim(START + lease, lease) is not None, "it ran out"


async def test_notices_and_replies_leave_in_the_order_in_which_they_were_said(database: Database) -> None:
    rows, shared = Rows(database), SqlSharedOutbox(database)
    await shared.post(Outgoing(0, ANNS_DM, "I am a machine.", "n1", choices=CHOICES))
    said = await rows.accept()
    await rows.sessions.append(said, timedelta(hours=1), 1000)
    reply = replace(said, speaker=AGENT, text="Hello.", message_id="", reply_to=said.message_id, id=0)
    assert await shared.commit(reply, [said.id], Recollection(), []) is not None
    await shared.post(Outgoing(0, ANNS_DM, "Shall I write first?", "n2", in_reply_to=said.message_id))

    assert await shared.places("chat") == [ANNS_DM]
    waiting = await shared.undelivered(ANNS_DM)
    assert [one.text for one in waiting] == ["I am a machine.", "Hello.", "Shall I write first?"]
    assert waiting[0].choices == CHOICES
    assert [one.id > 0 for one in waiting] == [False, True, False]
    await shared.sending(waiting[0].id)
    assert (await shared.undelivered(ANNS_DM))[0].uncertain
    await shared.put_back(waiting[0].id)
    assert not (await shared.undelivered(ANNS_DM))[0].uncertain
    for outgoing in waiting:
        await shared.sending(outgoing.id)
        assert await shared.part_sent(outgoing.id, f"shown {outgoing.id}", last=True)
        await shared.sent(outgoing.id)
    assert await shared.undelivered() == []
    assert await shared.places("chat") == []


async def test_a_notice_of_which_nobody_was_there_to_send_it_goes_after_an_hour(database: Database) -> None:
    shared = SqlSharedOutbox(database)
    await shared.post(Outgoing(0, ANNS_DM, "That failed.", "n1"))
    async with database.writing() as connection:
        await connection.execute(text("UPDATE notices SET created = created - interval '2 hours'"))
    await shared.undelivered()
    assert await shared.undelivered() == []


@asynccontextmanager
async def two_bells(database: Database) -> AsyncIterator[tuple[PostgresBell, Listener]]:
    """The bell of one process, and one who listens to that of another; both are connected."""
    bells = [PostgresBell(database), PostgresBell(database)]
    listeners = [bell.listener("inbox") for bell in bells]
    running = [asyncio.create_task(bell.run()) for bell in bells]
    try:
        async with asyncio.timeout(PATIENCE_S):
            for listener in listeners:
                await listener.heard(PATIENCE_S)  # connected: whatever rang before was not heard
        yield bells[0], listeners[1]
    finally:
        for task in running:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def rings_until_heard(bell: PostgresBell, listener: Listener) -> None:
    """Rings in one process until it is heard in another."""
    heard = asyncio.create_task(listener.heard(PATIENCE_S))
    async with asyncio.timeout(PATIENCE_S / 2):
        while not heard.done():
            bell.ring("inbox")
            await asyncio.wait({heard}, timeout=0.1)


async def test_a_bell_is_heard_in_another_process(database: Database) -> None:
    async with two_bells(database) as (bell, listener):
        await rings_until_heard(bell, listener)


async def test_a_bell_whose_connections_break_is_heard_again(database: Database) -> None:
    async with two_bells(database) as (bell, listener):
        async with database.reading() as connection:
            broken = await connection.execute(text(BREAK_BELLS))
        assert broken.scalars().all() == [True, True]
        bell.ring("inbox")  # nobody is connected: it may be lost
        async with asyncio.timeout(PATIENCE_S / 2):
            await listener.heard(PATIENCE_S)  # connected again, which rings
        await rings_until_heard(bell, listener)


async def test_a_ring_is_heard_by_every_loop_though_one_was_quicker(database: Database) -> None:
    bell = PostgresBell(database)
    quick, busy, other = bell.listener("outbox"), bell.listener("outbox"), bell.listener("inbox")
    heard = asyncio.create_task(quick.heard(60))
    await asyncio.sleep(0)
    bell.ring("outbox", here=True)
    async with asyncio.timeout(5):
        await heard
        await busy.heard(60)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await other.heard(60)


async def test_a_role_with_sqlite_is_refused_in_a_sentence(tmp_path: Path) -> None:
    settings = load_settings(None, {}, storage__data_dir=str(tmp_path))
    with pytest.raises(StorageError, match=r"--role worker shares its database.*PostgreSQL.*leave --role out"):
        async with open_stores(settings, "none", ProcessRole.WORKER):
            pass


async def test_roles_share_a_database_that_is_refused_to_one_who_is_alone(postgres: Server, tmp_path: Path) -> None:
    url = await postgres.fresh()
    settings = [
        load_settings(None, {}, storage__data_dir=str(tmp_path / name), storage__database_url=url) for name in "abc"
    ]
    async with (
        open_stores(settings[0], "none", ProcessRole.GATEWAY) as gateway,
        open_stores(settings[1], "none", ProcessRole.WORKER) as worker,
    ):
        assert gateway.shared is not None
        assert worker.shared is not None
        with pytest.raises(StorageError, match="Another Hello Again is running"):
            async with open_stores(settings[2], "none"):
                pass
