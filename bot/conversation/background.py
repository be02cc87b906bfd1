"""Work after the reply: rows that survive a restart, at lower priority, within a daily budget of model tokens."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from bot.config import Background
from bot.domain import Job, JobKind
from bot.errors import HelloAgainError, LeaseLost, ModelBusy, ModelError, ModelFailed, ModelUnavailable, StorageError
from bot.ports import Clock, Jobs

FIRST_PAUSE = timedelta(seconds=30)
"""Before the second try; doubled for each further one."""

UNASKED = frozenset({JobKind.ARCHIVE})
"""The kinds that never ask a model."""

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class BackgroundWork:
    """Runs jobs one after the other. Each kind's function ends its job itself and returns the tokens it used.

    `unasked`: the kinds that ask no model as things are set, so the daily budget of tokens never holds them up. Not
    `alone`, other processes do jobs of the same table, so that a lease may be somebody's.
    """

    jobs: Jobs
    work: Mapping[JobKind, Callable[[Job], Awaitable[int]]]
    clock: Clock
    settings: Background
    unasked: Collection[JobKind] = UNASKED
    alone: bool = True
    _wake: asyncio.Event = field(init=False, default_factory=asyncio.Event)

    def wake(self) -> None:
        """Says that there may be something to do."""
        self._wake.set()

    async def run(self) -> None:
        """Works until cancelled."""
        if self.alone:
            await self.jobs.release_all()
        while True:
            try:
                await self.drain()
            except StorageError as error:
                _log.error("background work waits for the storage", reason=str(error))
            self._wake.clear()
            try:
                async with asyncio.timeout(self.settings.poll_s):
                    await self._wake.wait()
            except TimeoutError:
                continue

    async def drain(self) -> int:
        """Does all that is due now and affordable today; returns how many jobs were tried."""
        tried = 0
        lease = timedelta(seconds=self.settings.lease_s)
        while True:
            spent = await self.jobs.spend_tokens(self.clock.now().date(), 0)
            kinds = tuple(JobKind if spent < self.settings.daily_tokens else self.unasked)
            job = await self.jobs.claim(self.clock.now(), lease, kinds)
            if job is None:
                return tried
            await self._do(job)
            tried += 1

    async def finish(self, seconds: float) -> int:
        """Does what is due when nothing else does it any more, for so long at most; returns how many jobs wait."""
        if seconds:
            if self.alone:
                await self.jobs.release_all()
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self.drain()
        return await self.jobs.waiting()

    async def _do(self, job: Job) -> None:
        try:
            with self.jobs.holding(job):
                tokens = await self.work[job.kind](job)
        except LeaseLost:
            _log.warning("background work is left to the process that has taken it over", job=job.id, kind=job.kind)
        except HelloAgainError as error:
            _log.warning("background work failed", job=job.id, kind=job.kind, error=type(error).__name__)
            if isinstance(error, ModelError) and error.tokens:
                await self.jobs.spend_tokens(self.clock.now().date(), error.tokens)
            await self._postpone(job, error)
        except Exception as error:  # noqa: BLE001  # edge: one background job; it is kept and tried again
            _log.exception("background work failed", job=job.id, kind=job.kind)
            await self._postpone(job, error)
        else:
            await self.jobs.spend_tokens(self.clock.now().date(), tokens)

    async def _postpone(self, job: Job, error: Exception) -> None:
        """A model that is away is waited for without end; any other failure is given up after some tries."""
        away = isinstance(error, ModelUnavailable | ModelBusy | ModelFailed)
        if job.attempts >= self.settings.max_attempts and not away:
            await self.jobs.give_up(job.id, type(error).__name__)
            return
        pause = FIRST_PAUSE * 2 ** min(job.attempts - 1, 10)
        await self.jobs.retry(job.id, self.clock.now() + pause, type(error).__name__)
