"""Background work: in order, within the day's tokens, tried again, and given up only where that is right."""

import asyncio
from collections.abc import AsyncIterator, Collection
from datetime import UTC, datetime, timedelta

import pytest

from bot.clock import ManualClock
from bot.config import Background
from bot.conversation.background import FIRST_PAUSE, UNASKED, BackgroundWork
from bot.domain import Job, JobKind
from bot.errors import IndexUnusable, MalformedOutput, ModelBusy, ModelFailed, ModelUnavailable, PromptTooLong
from tests.looking import add_jobs
from tests.open_rows import open_rows
from tests.stored import START, Rows

DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)


class Office:
    """Background work over the real rows. `faults` are raised by the next jobs, first come; the others are done."""

    def __init__(
        self,
        rows: Rows,
        *,
        tokens: int = 0,
        start: datetime = START,
        unasked: Collection[JobKind] = UNASKED,
        **settings: object,
    ) -> None:
        self.rows = rows
        self.clock = ManualClock(start)
        self.tokens = tokens
        self.did: list[int] = []
        self.faults: list[Exception] = []
        self.worked = asyncio.Event()
        self.background = BackgroundWork(
            jobs=rows.jobs,
            work=dict.fromkeys(JobKind, self._work),
            clock=self.clock,
            settings=Background.model_validate(settings),
            unasked=unasked,
        )

    async def _work(self, job: Job) -> int:
        if self.faults:
            raise self.faults.pop(0)
        self.did.append(job.subject)
        await self.rows.jobs.done(job.id)
        self.worked.set()
        return self.tokens

    async def add(self, *subjects: int, kind: JobKind = JobKind.TRAITS) -> None:
        await add_jobs(self.rows.jobs, [Job(kind, subject) for subject in subjects])

    async def failed(self) -> int:
        return (await self.rows.utterances.counts()).rows.get("jobs failed", 0)


@pytest.fixture
async def rows() -> AsyncIterator[Rows]:
    async with open_rows() as opened:
        yield opened


async def test_all_that_is_due_is_done_in_order(rows: Rows) -> None:
    office = Office(rows)
    assert await office.background.drain() == 0
    await office.add(1, 2, 3)
    assert await office.background.drain() == 3
    assert office.did == [1, 2, 3]
    assert await office.background.drain() == 0


async def test_each_kind_has_its_own_work(rows: Rows) -> None:
    did: list[tuple[str, int]] = []

    async def summarise(job: Job) -> int:
        did.append(("summarise", job.subject))
        await rows.jobs.done(job.id)
        return 0

    async def learn(job: Job) -> int:
        did.append(("traits", job.subject))
        await rows.jobs.done(job.id)
        return 0

    work = {JobKind.SUMMARISE: summarise, JobKind.TRAITS: learn}
    background = BackgroundWork(jobs=rows.jobs, work=work, clock=ManualClock(START), settings=Background())
    await add_jobs(rows.jobs, [Job(JobKind.SUMMARISE, 1), Job(JobKind.TRAITS, 2)])
    assert await background.drain() == 2
    assert sorted(did) == [("summarise", 1), ("traits", 2)]


async def test_the_days_tokens_end_the_days_work(rows: Rows) -> None:
    office = Office(rows, tokens=60, start=datetime(2026, 3, 1, 23, 59, tzinfo=UTC), daily_tokens=100)
    await office.add(1, 2, 3, 4, 5)
    assert await office.background.drain() == 2
    assert await rows.jobs.spend_tokens(office.clock.now().date(), 0) == 120
    assert await office.background.drain() == 0
    office.clock.advance(timedelta(minutes=2))
    assert await office.background.drain() == 2
    office.clock.advance(DAY)
    assert await office.background.drain() == 1
    assert office.did == [1, 2, 3, 4, 5]


async def test_without_a_model_there_is_no_budget_to_wait_for(rows: Rows) -> None:
    await add_jobs(rows.jobs, [Job(JobKind.TRAITS, 1), Job(JobKind.TRAITS, 2)])
    assert await Office(rows, daily_tokens=0).background.drain() == 0
    assert await Office(rows, daily_tokens=0, unasked=tuple(JobKind)).background.drain() == 2


async def test_when_the_days_tokens_are_spent_what_asks_no_model_goes_on(rows: Rows) -> None:
    office = Office(rows, tokens=60, daily_tokens=100)
    await office.add(1, 2, 3)
    await office.add(11, 12, kind=JobKind.ARCHIVE)
    await office.add(21, 22, kind=JobKind.LINK)
    await office.background.drain()
    assert {11, 12} <= {*office.did}
    waiting = {1, 2, 3, 21, 22} - {*office.did}
    assert waiting
    by_rules = Office(rows, unasked=[JobKind.ARCHIVE, JobKind.LINK], daily_tokens=100)
    await by_rules.background.drain()
    assert {*by_rules.did} == waiting & {21, 22}
    by_rules.clock.advance(DAY)
    await by_rules.background.drain()
    assert {*by_rules.did} == waiting


async def test_work_without_a_model_costs_nothing_of_the_day(rows: Rows) -> None:
    office = Office(rows, tokens=0, daily_tokens=1)
    await office.add(*range(1, 9))
    assert await office.background.drain() == 8


async def test_a_failure_is_tried_again_after_pauses_that_double(rows: Rows) -> None:
    office = Office(rows)
    office.faults = [ModelFailed("broken"), ModelFailed("broken")]
    await office.add(1)
    assert await office.background.drain() == 1
    for pause in (FIRST_PAUSE, 2 * FIRST_PAUSE):
        office.clock.advance(pause - SECOND)
        assert await office.background.drain() == 0
        office.clock.advance(SECOND)
        assert await office.background.drain() == 1
    assert office.did == [1]


async def test_a_job_that_fails_holds_up_no_other(rows: Rows) -> None:
    office = Office(rows)
    office.faults = [ModelFailed("broken")]
    await office.add(1, 2, 3)
    assert await office.background.drain() == 3
    assert office.did == [2, 3]
    office.clock.advance(FIRST_PAUSE)
    await office.background.drain()
    assert office.did == [2, 3, 1]


@pytest.mark.parametrize(
    "fault", [MalformedOutput("no"), IndexUnusable("no"), PromptTooLong("no"), ValueError("no")], ids=repr
)
async def test_other_failures_are_given_up_after_some_tries_and_kept(rows: Rows, fault: Exception) -> None:
    office = Office(rows, max_attempts=3)
    office.faults = [fault] * 9
    await office.add(1)
    for attempt in range(1, 4):
        assert await office.failed() == 0
        assert await office.background.drain() == 1, attempt
        office.clock.advance(DAY)
    assert await office.failed() == 1
    assert await office.background.drain() == 0
    assert office.did == []


@pytest.mark.parametrize("kind", [ModelUnavailable, ModelBusy, ModelFailed])
async def test_a_model_is_waited_for_without_end(rows: Rows, kind: type[Exception]) -> None:
    office = Office(rows, max_attempts=2)
    office.faults = [kind("away")] * 15
    await office.add(1)
    for _ in range(15):
        assert await office.background.drain() == 1
        office.clock.advance(DAY)
    assert await office.failed() == 0
    assert await office.background.drain() == 1
    assert office.did == [1]


async def test_a_cancelled_job_is_done_at_the_next_start(rows: Rows) -> None:
    started = asyncio.Event()

    async def endless(job: Job) -> int:
        started.set()
        await asyncio.Event().wait()
        return 0

    slow = BackgroundWork(
        jobs=rows.jobs, work={JobKind.TRAITS: endless}, clock=ManualClock(START), settings=Background()
    )
    office = Office(rows)
    await office.add(1)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(slow.run())
        await started.wait()
        task.cancel()
    assert await office.background.drain() == 0
    async with asyncio.TaskGroup() as group:
        task = group.create_task(office.background.run())
        await office.worked.wait()
        task.cancel()
    assert office.did == [1]


async def test_it_is_woken_when_there_is_work(rows: Rows) -> None:
    office = Office(rows, poll_s=1000)
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        task = group.create_task(office.background.run())
        for subject in (1, 2):
            office.worked.clear()
            await office.add(subject)
            office.background.wake()
            await office.worked.wait()
        task.cancel()
    assert office.did == [1, 2]
