"""The contract of `bot.ports.Jobs`."""

import asyncio
from datetime import date, timedelta

from bot.domain import Job, JobKind
from tests.looking import add_jobs
from tests.stored import START, Rows

LEASE = timedelta(minutes=5)


async def claimed(rows: Rows, number: int = 99) -> list[tuple[JobKind, int]]:
    found: list[tuple[JobKind, int]] = []
    while len(found) < number and (job := await rows.jobs.claim(START, LEASE)) is not None:
        found.append((job.kind, job.subject))
    return found


async def test_a_job_is_claimed_once(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, 7)])
    job = await rows.jobs.claim(START, LEASE)
    assert job == Job(JobKind.TRAITS, 7, id=job.id if job else 0, attempts=1)
    assert await rows.jobs.claim(START, LEASE) is None


async def test_a_job_is_added_once_also_after_its_end(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, 7), Job(JobKind.TRAITS, 7), Job(JobKind.SUMMARISE, 7)])
    jobs = [await rows.jobs.claim(START, LEASE) for _ in range(3)]
    assert jobs[2] is None
    for job in jobs[:2]:
        assert job is not None
        await rows.jobs.done(job.id)
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, 7)])
    assert await claimed(rows) == []


async def test_the_oldest_goes_first_and_no_kind_waits_for_all_of_another(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, subject) for subject in (1, 2, 3)])
    await add_jobs(rows.jobs, [Job(JobKind.SUMMARISE, subject) for subject in (8, 9)])
    order = await claimed(rows)
    assert [subject for kind, subject in order if kind is JobKind.TRAITS] == [1, 2, 3]
    assert [subject for kind, subject in order if kind is JobKind.SUMMARISE] == [8, 9]
    assert {kind for kind, _ in order[:2]} == {kind for kind, _ in order[2:4]} == {JobKind.TRAITS, JobKind.SUMMARISE}


async def test_all_kinds_have_their_turn_however_many_there_are_of_some(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(kind, subject) for kind in JobKind for subject in (1, 2)])
    kinds = [kind for kind, _ in await claimed(rows)]
    assert set(kinds[: len(JobKind)]) == set(kinds[len(JobKind) :]) == set(JobKind)


async def test_only_the_kinds_that_are_asked_for_are_claimed(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(kind, subject) for kind in JobKind for subject in (1, 2)])
    asked = [JobKind.LINK, JobKind.ARCHIVE]
    jobs = [await rows.jobs.claim(START, LEASE, asked) for _ in range(5)]
    claimed_of = [(job.kind, job.subject) for job in jobs if job is not None]
    assert sorted(claimed_of) == sorted((kind, subject) for kind in asked for subject in (1, 2))
    assert {kind for kind, _ in claimed_of[:2]} == {*asked}
    assert await rows.jobs.claim(START, LEASE, []) is None
    assert {kind for kind, _ in await claimed(rows)} == {*JobKind} - {*asked}


async def test_a_lease_that_ran_out_is_due_again(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, 7)])
    first = await rows.jobs.claim(START, LEASE)
    assert await rows.jobs.claim(START + LEASE - timedelta(seconds=1), LEASE) is None
    second = await rows.jobs.claim(START + LEASE, LEASE)
    assert first is not None
    assert second is not None
    assert (second.id, second.attempts) == (first.id, 2)


async def test_a_retry_waits_for_its_time(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, 7)])
    job = await rows.jobs.claim(START, LEASE)
    assert job is not None
    at = START + timedelta(seconds=30)
    await rows.jobs.retry(job.id, at, "ModelFailed")
    assert await rows.jobs.claim(at - timedelta(seconds=1), LEASE) is None
    again = await rows.jobs.claim(at, LEASE)
    assert again is not None
    assert again.attempts == 2


async def test_what_was_given_up_is_kept_and_never_due(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, 7)])
    job = await rows.jobs.claim(START, LEASE)
    assert job is not None
    await rows.jobs.give_up(job.id, "MalformedOutput")
    await rows.jobs.retry(job.id, START, "late")
    assert await claimed(rows) == []
    assert (await rows.utterances.counts()).rows["jobs failed"] == 1


async def test_release_all_frees_what_was_leased_and_nothing_that_ended(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, subject) for subject in (1, 2, 3)])
    first = await rows.jobs.claim(START, LEASE)
    second = await rows.jobs.claim(START, LEASE)
    assert first is not None
    assert second is not None
    await rows.jobs.done(first.id)
    assert await rows.jobs.release_all() == 1
    assert await claimed(rows) == [(JobKind.TRAITS, 2), (JobKind.TRAITS, 3)]


async def test_release_all_makes_due_what_another_clock_put_back(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, 1)])
    job = await rows.jobs.claim(START, LEASE)
    assert job is not None
    await rows.jobs.retry(job.id, START + timedelta(days=365), "ModelFailed")
    assert await claimed(rows) == []
    assert await rows.jobs.release_all() == 1
    assert await claimed(rows) == [(JobKind.TRAITS, 1)]


async def test_claims_at_once_get_different_jobs(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, subject) for subject in range(1, 9)])
    jobs = await asyncio.gather(*(rows.jobs.claim(START, LEASE) for _ in range(10)))
    assert sorted(job.subject for job in jobs if job is not None) == list(range(1, 9))


async def test_tokens_are_summed_by_day(rows: Rows) -> None:
    today, tomorrow = date(2026, 3, 1), date(2026, 3, 2)
    assert await rows.jobs.spend_tokens(today, 0) == 0
    assert await rows.jobs.spend_tokens(today, 100) == 100
    assert await rows.jobs.spend_tokens(today, 20) == 120
    assert await rows.jobs.spend_tokens(tomorrow, 1) == 1
    assert await rows.jobs.spend_tokens(today, 0) == 120


async def test_waiting_counts_what_has_not_ended_and_was_not_set_aside(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, subject) for subject in range(1, 5)])
    assert await rows.jobs.waiting() == 4
    first, second, _ = [await rows.jobs.claim(START, LEASE) for _ in range(3)]
    assert first is not None
    assert second is not None
    await rows.jobs.done(first.id)
    await rows.jobs.give_up(second.id, "MalformedOutput")
    assert await rows.jobs.waiting() == 2
