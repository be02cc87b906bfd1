"""The Enter key, while a command serves."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def on_enter(pressed: Callable[[], object]) -> Iterator[bool]:
    """Calls `pressed` for each line that is entered; yields whether there is a keyboard at all."""
    if sys.stdin is None or not sys.stdin.isatty():
        yield False
        return
    loop, keyboard = asyncio.get_running_loop(), sys.stdin.fileno()

    def heard() -> None:
        # Who reads in the background is stopped by the system, so what is typed then is left to the shell.
        if not _in_foreground(keyboard) or not os.read(keyboard, 1000):
            loop.remove_reader(keyboard)
        else:
            pressed()

    loop.add_reader(keyboard, heard)
    try:
        yield True
    finally:
        loop.remove_reader(keyboard)


def _in_foreground(keyboard: int) -> bool:
    """Whether what is typed there is for this program."""
    try:
        return os.tcgetpgrp(keyboard) == os.getpgrp()
    except OSError:  # of a terminal that nobody's shell controls
        return True
