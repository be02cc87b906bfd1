"""The tick of check-ins. APScheduler rings; the work is done in the task that runs this, which its caller owns."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler
from apscheduler.triggers.interval import IntervalTrigger

from bot.errors import StorageError

_log = structlog.get_logger(__name__)


class Ticking:
    """Calls `tick` every `every_s` seconds, never twice at once; ticks that were missed are one."""

    def __init__(self, *, tick: Callable[[], Awaitable[object]], every_s: float) -> None:
        self._tick = tick
        self._every_s = every_s

    async def run(self) -> None:
        """Ticks, at once and then from time to time, until cancelled.

        The scheduler goes by the computer's clock. When that is set back it would wait until the time it knew comes
        again; so a bell that is late by a whole round is not waited for, and its schedule begins anew.
        """
        bell = asyncio.Event()

        async def ring() -> None:  # a coroutine function, so that it runs in the loop and not in a thread
            bell.set()

        scheduler = AsyncIOScheduler(timezone=UTC)
        job = scheduler.add_job(ring, self._every(), coalesce=True, max_instances=1, misfire_grace_time=None)
        scheduler.start()
        try:
            while True:
                await self._tick_once()
                try:
                    async with asyncio.timeout(2 * self._every_s):
                        await bell.wait()
                except TimeoutError:
                    job.reschedule(self._every())
                bell.clear()
        finally:
            scheduler.shutdown(wait=False)

    def _every(self) -> IntervalTrigger:
        return IntervalTrigger(seconds=self._every_s, timezone=UTC)

    async def _tick_once(self) -> None:
        try:
            await self._tick()
        except StorageError as error:
            _log.error("check-ins wait for the storage", reason=str(error))
        except Exception:  # noqa: BLE001  # edge: one background job; it is tried again at the next tick
            _log.exception("check-ins failed, and are tried again")
