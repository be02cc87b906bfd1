"""A growing reply on its way to a platform, no faster than it allows: what Discord and Telegram share."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import structlog

LAST_REQUEST_S = 10.0
"""Seconds that the request under way may still take when the reply is final."""

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class Pump:
    """Implements `bot.ports.Live`: keeps the newest text and puts it out at most every `every_s` seconds.

    `put` shows a text; `nudge` is called every `nudge_s` seconds until something is shown (a typing indicator). Both
    must not raise for the platform's faults: what they raise ends the showing, not the reply. A request that has begun
    is not cut off, so that the id of a message that it creates is not lost.
    """

    put: Callable[[str], Awaitable[None]] | None
    every_s: float
    nudge: Callable[[], Awaitable[None]]
    nudge_s: float
    seen: bool = field(default=False, init=False)
    """Whether something of the reply has been put out."""

    def __post_init__(self) -> None:
        self._text = ""
        self._changed = asyncio.Event()
        self._closing = asyncio.Event()

    def show(self, text: str) -> None:
        """Takes the newest text."""
        if self.put is not None and text and text != self._text:
            self._text = text
            self._changed.set()

    async def run(self) -> None:
        """Nudges and puts out until `close`."""
        while not self._closing.is_set():
            if self._changed.is_set() and self.put is not None:
                self._changed.clear()
                self.seen = True
                await self.put(self._text)
                await _pause(self._closing, self.every_s)
            else:
                if not self.seen:
                    await self.nudge()
                await _pause(self._changed, None if self.seen else self.nudge_s)

    def close(self) -> None:
        """Ends `run` after the request under way."""
        self._closing.set()
        self._changed.set()


async def _pause(until: asyncio.Event, seconds: float | None) -> None:
    """Waits for the event, at most `seconds` (None: without end)."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await until.wait()


@asynccontextmanager
async def pumping(pump: Pump) -> AsyncIterator[Pump]:
    """Runs it while the context is open."""
    # Owned by this context, which ends it.
    task = asyncio.get_running_loop().create_task(pump.run(), name="growing reply")
    try:
        yield pump
    finally:
        pump.close()
        _, late = await asyncio.wait([task], timeout=LAST_REQUEST_S)
        for left in late:
            left.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a growing reply could not be shown", exc_info=error)  # the reply itself is sent all the same
