"""What waits in the tables, counted."""

from datetime import timedelta

from bot.domain import Job, JobKind, Recollection
from bot.storage.conversation.backlog import SqlBacklog
from tests.looking import add_jobs
from tests.stored import START, Rows, reply_to

LEASE = timedelta(minutes=5)


async def test_an_empty_database_has_nothing_waiting(rows: Rows) -> None:
    found = await SqlBacklog(rows.database).waiting(START)
    assert set(found.queues.values()) == {(0, None)}
    assert set(found.leases.values()) == {(0, 0)}


async def test_what_waits_is_counted_and_since_when_the_oldest_does(rows: Rows) -> None:
    backlog = SqlBacklog(rows.database)
    said = await rows.accept()
    await rows.accept(after=timedelta(minutes=1))
    assert (await backlog.waiting(START)).queues["inbox"] == (2, said.time)
    await rows.outbox.commit(reply_to(said), [said.id], Recollection(), [Job(JobKind.TRAITS, said.id)])
    found = (await backlog.waiting(START)).queues
    assert found["inbox"] == (1, said.time + timedelta(minutes=1))
    assert (found["outbox"][0], found["jobs"][0]) == (1, 1)
    await rows.erasures.erase_messages("chat", ["m2"], START)
    assert (await backlog.waiting(START)).queues["erasures"] == (1, START)


async def test_a_lease_is_held_until_it_runs_out(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, 7)])
    assert await rows.jobs.claim(START, LEASE) is not None
    backlog = SqlBacklog(rows.database)
    assert (await backlog.waiting(START)).leases["job"] == (1, 0)
    assert (await backlog.waiting(START + 2 * LEASE)).leases["job"] == (0, 1)
