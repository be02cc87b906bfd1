"""How far a turn has come, for the place's worker, who may want to begin it anew."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from bot.ports import Live


class Progress:
    """One try at one turn. A turn is only ever stopped where nothing is being written (`stoppable`)."""

    def __init__(self, *, voluntary: bool = False) -> None:
        self._task: asyncio.Task[object] | None = None
        self.voluntary = voluntary
        """Whether nobody asked: then no notice and no apology is sent when there is no reply."""
        self.settled = False
        """Whether it can be stopped no more: the reply's text is final, or its people are told that none will come."""
        self.stopped = False
        """Whether it was asked to stop."""
        self.live: Live | None = None

    @property
    def seen(self) -> bool:
        """Whether people may have seen some of the reply."""
        return self.live is not None and self.live.seen

    def stop(self) -> None:
        """Asks the turn to stop, at once if it is where it can, else as soon as it gets there."""
        if not self.stopped and not self.settled:
            self.stopped = True
            if self._task is not None:
                self._task.cancel()

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """While it is open, `stop` cancels the task. Raises CancelledError at once when that was asked before."""
        if self.stopped:
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        try:
            yield
        finally:
            self._task = None
