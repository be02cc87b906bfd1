"""`lab bench start`: from the start of `bot chat` to its first prompt, and from `/quit` to the end of the process.

A terminal of its own shows what a person would see. Seconds by the clock depend on what else the machine does, so the
processor seconds that the program itself took stand beside them.
"""

from __future__ import annotations

import asyncio
import os
import pty
import select
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from subprocess import Popen
from tempfile import TemporaryDirectory

import psutil
from rich.console import Console

from bot.errors import BadInput

NAME = "Ada"
PROMPT = f"{NAME}:".encode()
LONGEST_S = 600.0
"""Seconds that one start may take before it counts as failed."""
SETTLING_S = 0.2
"""Seconds between the prompt and `/quit`."""


@dataclass(frozen=True, slots=True)
class Start:
    """One start and its end, in seconds."""

    prompt_s: float
    prompt_cpu_s: float
    """Of the processor, until then."""
    leave_s: float


async def run(runs: int, config: Path | None, data_dir: Path | None) -> int:
    """Prints each start and the medians. The first one may have to prepare the model, so it is not counted."""
    console = Console(highlight=False, soft_wrap=True)
    with TemporaryDirectory() as empty:
        folder = data_dir or Path(empty)
        starts = [await asyncio.to_thread(measure, config, folder) for _ in range(runs + 1)]
    for number, start in enumerate(starts):
        console.print(as_text(f"start {number}" if number else "not counted", [start]), markup=False)
    console.print(as_text(f"median of {runs}", starts[1:]), markup=False)
    return 0


def as_text(name: str, starts: Sequence[Start]) -> str:
    """One line with the medians of `starts`."""
    prompt, cpu, leave = (
        median(values)
        for values in zip(*((one.prompt_s, one.prompt_cpu_s, one.leave_s) for one in starts), strict=True)
    )
    return f"{name}: prompt after {prompt:.1f} s ({cpu:.1f} s of the processor), left in {leave:.1f} s"


def measure(config: Path | None, data_dir: Path) -> Start:
    """Starts `bot chat` in a terminal, waits for its prompt, and leaves. Raises BadInput when it does not start."""
    command = [sys.executable, "-m", "bot", "chat", "--user", NAME, "--data-dir", str(data_dir)]
    command += ["--config", str(config)] if config is not None else []
    ours, theirs = pty.openpty()
    began = time.perf_counter()
    process = Popen(  # noqa: S603  (this program itself)
        command, stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "PROMPT_TOOLKIT_NO_CPR": "1"}
    )
    os.close(theirs)
    try:
        seen = _until_prompt(ours, began)
        prompted = time.perf_counter()
        if PROMPT not in seen:
            said = seen.decode(errors="replace").strip().splitlines()
            raise BadInput(f"bot chat showed no prompt: {said[-1] if said else 'it said nothing'}")
        used = psutil.Process(process.pid).cpu_times()
        time.sleep(SETTLING_S)
        asked = time.perf_counter()
        os.write(ours, b"/quit\r")
        with suppress(OSError):  # raised at the end of what a terminal shows
            while os.read(ours, 65_536):
                pass
        process.wait(LONGEST_S)
        return Start(prompted - began, used.user + used.system, time.perf_counter() - asked)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _until_prompt(terminal: int, began: float) -> bytes:
    """What was shown until the prompt; all of it when none came."""
    seen = b""
    while PROMPT not in seen and select.select([terminal], [], [], LONGEST_S - (time.perf_counter() - began))[0]:
        try:
            piece = os.read(terminal, 65_536)
        except OSError:  # raised at the end of what a terminal shows
            break
        seen += piece
    return seen
