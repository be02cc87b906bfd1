"""How a command that serves is asked to stop."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stopped_by_signals() -> Iterator[asyncio.Event]:
    """An event that the first SIGINT or SIGTERM sets; the second one cancels what is still running."""
    stop, loop, task = asyncio.Event(), asyncio.get_running_loop(), asyncio.current_task()

    def heard() -> None:
        if stop.is_set() and task is not None:
            task.cancel()
        stop.set()

    for number in SIGNALS:
        loop.add_signal_handler(number, heard)
    try:
        yield stop
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
