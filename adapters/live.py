"""A growing reply on its way to a platform, no faster than it allows: what Discord and Telegram share."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import structlog

LAST_REQUEST_S = 10.0
"""Seconds that the request under way may still take when the reply is final."""

_log = structlog.get_logger(__name__)


class Pump:
    """Implements `bot.ports.Live`: keeps the newest text and puts it out at most every `every_s` seconds.

    `put` shows a text; `nudge` is called every `nudge_s` seconds until something is shown (a typing indicator). Both
    must not raise for the platform's faults: what they raise ends the showing, not the reply. A request that has begun
    is not cut off, so that the id of a message that it creates is not lost.
    """

    def __init__(
        self,
        *,
        put: Callable[[str], Awaitable[None]] | None,
        every_s: float,
        nudge: Callable[[], Awaitable[None]],
        nudge_s: float,
    ) -> None:
        self._put = put
        self._every_s = every_s
        self._nudge = nudge
        self._nudge_s = nudge_s
        self._text = ""
        self._changed = asyncio.Event()
        self._closing = asyncio.Event()
        self._seen = False

    @property
    def seen(self) -> bool:
        """Whether something of the reply has been put out."""
        return self._seen

    def show(self, text: str) -> None:
        """Takes the newest text."""
        if self._put is not None and text and text != self._text:
            self._text = text
            self._changed.set()

    async def run(self) -> None:
        """Nudges and puts out until `close`."""
        while not self._closing.is_set():
            if self._changed.is_set() and self._put is not None:
                self._changed.clear()
                self._seen = True
                await self._put(self._text)
                await _pause(self._closing, self._every_s)
            else:
                if not self._seen:
                    await self._nudge()
                await _pause(self._changed, None if self._seen else self._nudge_s)

    def close(self) -> None:
        """Ends `run` after the request under way."""
        self._closing.set()
        self._changed.set()


async def _pause(until: asyncio.Event, seconds: float | None) -> None:
    """Waits for the event, at most `seconds` (None: without end)."""
    try:
        async with asyncio.timeout(seconds):
            await until.wait()
    except TimeoutError:
        return


@asynccontextmanager
async def pumping(
    *,
    put: Callable[[str], Awaitable[None]] | None,
    every_s: float,
    nudge: Callable[[], Awaitable[None]],
    nudge_s: float,
) -> AsyncIterator[Pump]:
    """A `Pump` that runs while the context is open."""
    pump = Pump(put=put, every_s=every_s, nudge=nudge, nudge_s=nudge_s)
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
