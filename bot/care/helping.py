"""Who was in danger is written down beside the help, which waits for nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

import structlog

from bot.errors import HelloAgainError
from bot.ports import Clock

_log = structlog.get_logger(__name__)


class HelpNotes:
    """Writes down by `store` (id of the person, when) whose words show danger, in a task of its own.

    What cannot be written down is kept in mind, and tried again by `written`.
    """

    def __init__(self, *, store: Callable[[str, datetime], Awaitable[None]], clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._waiting: dict[str, datetime] = {}
        self._writing: asyncio.Task[None] | None = None

    def add(self, speaker_id: str) -> None:
        """Notes that it was just now. Returns at once, in a running loop."""
        self._waiting[speaker_id] = self._clock.now()
        self._begin()

    async def written(self) -> None:
        """Waits until everything so far is written down, as far as it can be."""
        while self._writing is not None and not self._writing.done():
            await asyncio.shield(self._writing)
        if self._waiting:
            await asyncio.shield(self._begin())

    def _begin(self) -> asyncio.Task[None]:
        if self._writing is None or self._writing.done():
            # Owned by this object: `written` waits for it.
            self._writing = asyncio.create_task(self._write(), name="help is written down")
        return self._writing

    async def _write(self) -> None:
        failed: dict[str, datetime] = {}
        while self._waiting:
            speaker_id, at = self._waiting.popitem()
            try:
                await self._store(speaker_id, at)
            except HelloAgainError as error:
                _log.error("check-ins do not know yet that somebody was helped", error=type(error).__name__)
                failed[speaker_id] = at
        self._waiting = failed | self._waiting
