"""Check-ins are exactly once, also with two processes, and a transaction is whole or not at all."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from bot.domain import CheckInState
from bot.storage.engine.database import open_database
from tests.contract.checkins import DAY, LEASE, WISHES, claimed, composed, message, said, state_of
from tests.looking import open_session
from tests.postgres import Server
from tests.stored import ANNS_DM, START, Rows

ROOT = Path(__file__).parents[2]


@pytest.fixture
async def two(server: Server | None, tmp_path: Path) -> AsyncIterator[tuple[Rows, Rows]]:
    """The stores twice, over two connections to one database, as two processes have them."""
    url = f"sqlite+aiosqlite:///{tmp_path / 'hello.db'}" if server is None else await server.fresh()
    first, second = await open_database(url), await open_database(url)
    yield Rows(first), Rows(second)
    await first.aclose()
    await second.aclose()


async def test_of_two_processes_one_claims(two: tuple[Rows, Rows]) -> None:
    for number in range(8):
        wishes = replace(WISHES, next_at=START + number * DAY)
        await two[0].checkins.choose(wishes)
        taken = await asyncio.gather(*(rows.checkins.claim(wishes, None, START) for rows in two))
        assert sum(one is not None for one in taken) == 1
    assert len(await two[1].checkins.latest(99)) == 8


async def test_of_two_processes_one_takes_over_and_one_composes(two: tuple[Rows, Rows]) -> None:
    checkin = await claimed(two[0])
    later = START + 2 * DAY
    taken = await asyncio.gather(*(rows.checkins.take_over(later, LEASE) for rows in two))
    [again] = [one for one in taken if one is not None]
    tries = (rows.checkins.compose(one, message(later), composed(), START) for rows in two for one in (checkin, again))
    assert sum(one is not None for one in await asyncio.gather(*tries)) == 1
    assert len(await two[0].outbox.undelivered()) == 1
    assert (await two[1].utterances.counts()).rows["checkin_words"] == 1


REFUSE_WORDS = {
    False: ("CREATE TRIGGER no BEFORE INSERT ON checkin_words BEGIN SELECT 1/0 FROM x; END", "DROP TRIGGER no"),
    True: ("ALTER TABLE checkin_words ADD CONSTRAINT no CHECK (false)", "ALTER TABLE checkin_words DROP CONSTRAINT no"),
}
"""By whether it is a server: what has a row be refused, and be allowed again."""


async def test_a_transaction_that_breaks_leaves_nothing(two: tuple[Rows, Rows]) -> None:
    """All that composing writes is there, or nothing: also when it ends in the middle."""
    rows, other = two
    await said(rows)
    checkin = await claimed(rows)
    before = await other.utterances.counts()
    refuse, allow = REFUSE_WORDS[rows.database.on_server]
    async with rows.database.writing() as connection:
        await connection.exec_driver_sql(refuse)
    with pytest.raises(Exception, match=r"no such table|violates check constraint"):
        await rows.checkins.compose(checkin, message(START + DAY), composed(), START)
    assert await other.utterances.counts() == replace(
        before, bytes_on_disk=(await other.utterances.counts()).bytes_on_disk
    )
    assert await state_of(other, checkin.id) == (CheckInState.CLAIMED, None, "")
    session = await open_session(other.sessions, ANNS_DM)
    assert session is not None
    assert [line.text for line in session.utterances] == ["I have an exam."]
    async with rows.database.writing() as connection:
        await connection.exec_driver_sql(allow)
    assert await rows.checkins.compose(checkin, message(START + DAY), composed(), START) is not None


CHILD = """
import asyncio, sys
from dataclasses import replace
from bot.storage.care.checkins import SqlCheckIns
from bot.storage.engine.database import open_database
from tests.contract.checkins import DAY, START, WISHES

async def main():
    database = await open_database(sys.argv[1])
    print("there", flush=True)
    sys.stdin.readline()
    checkins, taken = SqlCheckIns(database), 0
    for number in range(int(sys.argv[2])):
        wishes = replace(WISHES, next_at=START + number * DAY)
        taken += await checkins.claim(wishes, START + (number + 1) * DAY, START) is not None
    print(taken, flush=True)
    await database.aclose()

asyncio.run(main())
"""
"""A process that claims what is due, day after day, as fast as it can."""


async def test_two_processes_that_run_at_once_claim_each_once(tmp_path: Path) -> None:
    url, days = f"sqlite+aiosqlite:///{tmp_path / 'hello.db'}", 40
    database = await open_database(url)
    rows = Rows(database)
    await rows.checkins.choose(replace(WISHES, next_at=START))
    command = [sys.executable, "-c", CHILD, url, str(days)]
    async with AsyncExitStack() as stack:
        children = [
            await asyncio.create_subprocess_exec(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT)
            for _ in range(2)
        ]
        for child in children:
            stack.push_async_callback(ended, child)
            assert await line_of(child) == "there"
        for child in children:
            assert child.stdin is not None
            child.stdin.write(b"go\n")
        taken = [int(await line_of(child)) for child in children]
    # A process that falls behind finds the day claimed; one that is ahead waits for nobody.
    assert sum(taken) == days
    assert sorted(one.due for one in await rows.checkins.latest(99)) == [START + n * DAY for n in range(days)]
    assert (await rows.checkins.wishes(WISHES.speaker_id)).next_at == START + days * DAY
    await database.aclose()


async def line_of(child: asyncio.subprocess.Process) -> str:
    """What the process prints next."""
    assert child.stdout is not None
    return (await child.stdout.readline()).decode().strip()


async def ended(child: asyncio.subprocess.Process) -> None:
    """Waits for the end of the process, and stops it when it does not come."""
    with suppress(TimeoutError):
        await asyncio.wait_for(child.communicate(), 20)
    if child.returncode is None:
        child.kill()
        await child.wait()
