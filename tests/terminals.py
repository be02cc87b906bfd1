"""A program in a terminal of its own: a pty, of which the test is the screen and the keyboard."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).parent.parent
PATIENCE_S = 60.0
KINDS = ("TERM", "TERM_PROGRAM", "KITTY_WINDOW_ID", "TMUX", "STY", "ZELLIJ", "COLUMNS", "LINES", "FORCE_COLOR", "LANG")
"""Variables that say what the terminal is; none comes from whoever runs the tests."""


class Terminal:
    """What a program shows, and what is typed into it."""

    def __init__(self, program: subprocess.Popen[bytes], screen: int) -> None:
        self.program = program
        self.shown = ""
        """All that was written so far, escape codes and all."""
        self._screen = screen
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def type(self, keys: str) -> None:
        """Presses keys; `\\r` is the one that ends a line."""
        os.write(self._screen, keys.encode())

    def until(self, words: str, *, after: int = 0) -> int:
        """Reads until these words are shown, not counting the first `after` characters. Returns where they end."""
        end = monotonic() + PATIENCE_S
        while words not in self.shown[after:]:
            assert self._read(max(end - monotonic(), 0.0)), f"{words!r} is not in {self.shown!r}"
        return self.shown.index(words, after) + len(words)

    def ended(self) -> int:
        """Reads to the end, and returns the exit code."""
        end = monotonic() + PATIENCE_S
        while self._read(max(end - monotonic(), 0.0)):
            pass
        return self.program.wait(max(end - monotonic(), 1.0))

    def _read(self, seconds: float) -> bool:
        """Whether anything more came in this time."""
        if not select.select([self._screen], [], [], seconds)[0]:
            return False
        try:
            some = os.read(self._screen, 65536)
        except OSError:  # what Linux says when the program is gone
            return False
        self.shown += self._decoder.decode(some)
        return bool(some)


@contextmanager
def in_terminal(
    command: Sequence[str], environment: Mapping[str, str], *, columns: int = 80, rows: int = 24, folder: Path = ROOT
) -> Iterator[Terminal]:
    """Runs `python COMMAND` in a terminal of this size, until the block ends."""
    screen, keyboard = pty.openpty()
    fcntl.ioctl(keyboard, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in KINDS}
    program = subprocess.Popen(
        [sys.executable, *command],
        stdin=keyboard,
        stdout=keyboard,
        stderr=keyboard,
        cwd=folder,
        env=inherited | {"PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "LANG": "C.UTF-8"} | dict(environment),
        start_new_session=True,
    )
    os.close(keyboard)
    try:
        yield Terminal(program, screen)
    finally:
        program.terminate()
        program.wait(PATIENCE_S)
        os.close(screen)
