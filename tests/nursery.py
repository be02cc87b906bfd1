"""A process that has loaded everything, and forks a life for each order: one serves all tests of a worker.

    echo "tests.crash.child FOLDER POINT" | python -m tests.nursery

Each line of standard input names a module and an order for it. The module is imported when it is first named, and its
`answers(order)`, which forks, gives the lines of the answer. Only a process with one thread is forked: what a life has
(event loop, connections, threads) it makes itself.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from datetime import timedelta
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import create_engine

from bot.conversation import requests, safety, situations
from bot.conversation.checking import wordings
from bot.language import facts
from bot.llm.scripted import ScriptedChatModel
from bot.ports import Vectors
from bot.storage import stores
from bot.storage.engine import schema
from bot.storage.vectors.matrix import EMPTY
from bot.storage.vectors.memory import NumpyVectorIndex
from tests.compiled import Compiled
from tests.living import open_core
from tests.migrated import Copied

ROOT = Path(__file__).parent.parent
TASKS = Path("/proc/self/task")
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""NumPy and SciPy start threads on import otherwise. Threads of workers that share the cores wait for each other."""


class Nursery:
    """The near end: one order at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._orders, self._answers = process.stdin, process.stdout

    def ask(self, module: str, *order: object) -> str:
        """Gives an order; the first line of the answer."""
        self._orders.write(" ".join(map(str, (module, *order))) + "\n")
        self._orders.flush()
        return self.line()

    def line(self) -> str:
        """Waits for the next line of the answer."""
        line = self._answers.readline()
        assert line, "the nursery has ended; what it said is above"
        return line.rstrip("\n")


@contextmanager
def open_nursery() -> Iterator[Nursery]:
    """A nursery until the context ends."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.nursery"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, **ONE_THREAD}, stdin=pipe, stdout=pipe, text=True
    ) as process:
        yield Nursery(process)
        assert process.stdin is not None
        process.stdin.close()


def serve(orders: Iterable[str], answers: Callable[[str], Iterable[str]]) -> None:
    """Answers each order on standard output: what `python -m` of a module with lives does."""
    for order in orders:
        for line in answers(order.rstrip("\n")):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


def born(order: str) -> Iterable[str]:
    """The answer to an order whose first word is the module with the lives."""
    name, _, rest = order.partition(" ")
    module = importlib.import_module(name)
    tasks = len(list(TASKS.iterdir())) if TASKS.is_dir() else 1
    if max(threading.active_count(), tasks) > 1:
        raise RuntimeError(f"{name} starts threads when it is imported: a life forked here would not be whole.")
    lines: Iterable[str] = module.answers(rest)
    return lines


def remember_the_tables() -> None:
    """Has every life's empty database get the tables as the tests' do: a migration for each would take longer."""
    copies = Copied(schema.upgrade)
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        copies.upgrade(connection)
    engine.dispose()
    schema.upgrade = copies.upgrade


def read_the_words() -> None:
    """Compiles what a life reads lines with, and imports what it opens late: each would do so anew.

    A third of what a short life computes. Nothing that a life says itself is read here.
    """
    for code in facts.LANGUAGES:
        facts.words_of_facts(code)
    for one in wordings.every():
        for key in one._lists:
            one.pattern(key)
    line = "The old lighthouse stands at the harbour."
    safety.danger_in(line)
    requests.telling(line)
    situations.situation_of(line)
    for late in ("chromadb.api.rust", "chromadb.telemetry.product.posthog", "numpy.ma"):
        importlib.import_module(late)


class _NoThreads(NumpyVectorIndex):
    """Chroma's threads would stay: this index of a rehearsal has none, and no files."""

    async def aclose(self) -> None:
        """Nothing is open."""

    async def every_vector(self) -> AsyncIterator[Vectors]:
        """No file holds any."""
        for _ in ():
            yield EMPTY.rows


async def _open_no_index(*_: object) -> _NoThreads:
    return _NoThreads()


async def _short_life(folder: Path) -> None:
    async with open_core(folder, model=ScriptedChatModel("I listen.")) as core:
        for text in ("The old lighthouse stands at the harbour.", "I like its red door."):
            await core.say(text)
        await core.passes(timedelta(hours=3))


def rehearse() -> None:
    """Lives a short life here: what is loaded, read or compiled when it is first used, each life would do anew.

    Its threads end with it, so that lives can be forked.
    """
    Compiled().share(pytest.MonkeyPatch())
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        patch.setattr(stores, "open_index", _open_no_index)
        asyncio.run(_short_life(Path(folder)))


if __name__ == "__main__":
    remember_the_tables()
    read_the_words()
    rehearse()
    serve(sys.stdin, born)
