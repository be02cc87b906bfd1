"""`lab tune retriever`: the text encoder trained on past dialogues."""

from __future__ import annotations

import asyncio
import shlex
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from bot.config import Settings
from bot.errors import BadInput
from bot.llm.embedding import load_trainable
from bot.ports import Report
from bot.storage.engine.database import open_database
from lab.tuning import triplets
from lab.tuning.retriever import train
from lab.tuning.retriever_report import Course

LAYOUTS = {"locomo": (triplets.LOCOMO, triplets.read_locomo), "msc": (triplets.MSC, triplets.read_msc)}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What `tune retriever` was called with."""

    out: Path
    data: Path | None
    layout: str
    own: bool
    course: Course


async def tune_retriever(settings: Settings, wanted: Wanted) -> int:
    """Trains, and prints the report. Raises BadInput, ModelUnavailable or StorageError."""
    _check(settings, wanted)
    name, dialogues = await _read(settings, wanted)
    material = triplets.divide(name, dialogues, wanted.course.seed)
    console = Console(highlight=False, soft_wrap=True)
    model = load_trainable(settings.encoder)
    with reporting(console) as show:
        work = partial(train, model, material, wanted.out, wanted.course, command_of(wanted), show)
        report = await asyncio.to_thread(work)
    console.print(str(report), markup=False)
    return 0


def command_of(wanted: Wanted) -> str:
    """The command that does it again; without the folders, which are this machine's."""
    course, default = wanted.course, Course()
    parts = ["python -m lab tune retriever", "--own" if wanted.own else f"--data DIR --layout {wanted.layout}"]
    parts += ["--out FOLDER", f"--epochs {course.epochs}", f"--seed {course.seed}"]
    for name in ("steps", "limit", "blend", "batch", "margin"):
        value = getattr(course, name)
        if value != getattr(default, name):
            parts.append(f"--{name} {shlex.quote(str(value))}")
    return " ".join(parts)


def _check(settings: Settings, wanted: Wanted) -> None:
    if wanted.own == (wanted.data is not None):
        raise BadInput("Give either --data with the folder of a data set, or --own for what people said here.")
    if wanted.layout not in LAYOUTS:
        raise BadInput(f"--layout {wanted.layout!r} is none of {', '.join(LAYOUTS)}.")
    if wanted.out.resolve().is_relative_to(settings.storage.data_dir.resolve()):
        raise BadInput(
            f"{wanted.out} is in the data folder, which holds only what can be erased and backed up. Choose a folder "
            "outside of it with --out."
        )


async def _read(settings: Settings, wanted: Wanted) -> tuple[str, list[triplets.Dialogue]]:
    if wanted.data is not None:
        name, read = LAYOUTS[wanted.layout]
        return name, read(wanted.data)
    database = await open_database(settings.database_url)
    try:
        return triplets.OWN, await triplets.read_own(database)
    finally:
        await database.aclose()


def progress_bar(console: Console) -> Progress:
    """A bar with the time left, on a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TextColumn("left:"))
    return Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal, transient=True)


@contextmanager
def reporting(console: Console) -> Iterator[Report]:
    """The `Report` of a training in a thread, which ends at its next step once this is left, as after Ctrl-C."""
    with progress_bar(console) as bar:
        stop = threading.Event()
        try:
            yield partial(show_step, bar, bar.add_task("Reading …", total=None), stop)
        finally:
            stop.set()


def show_step(bar: Progress, task: TaskID, stop: threading.Event, step: str, share: float | None = None) -> None:
    """The `Report` of a training. Ends its thread after Ctrl-C."""
    if stop.is_set():
        raise asyncio.CancelledError
    bar.update(task, description=step, total=None if share is None else 1.0, completed=share or 0.0)
