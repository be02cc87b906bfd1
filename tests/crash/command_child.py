"""Commands of `hello-again`, each in a process of its own: as they are, without models that load slowly.

ORDER is one line of JSON: name, arguments, folder, environment; `point`, if it is to be killed, is how the statement
begins before which it kills itself with SIGKILL, "#N" behind it for the N-th such one. For each order a process is
forked, so that the libraries are loaded once; its id is the answer. An order with `ended` waits for a process: how it
ended (-9: killed). What it says goes to NAME.log in its folder.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from sqlalchemy import Engine, event

from bot.__main__ import main
from bot.app.app import open_app
from bot.commands import run
from bot.llm.scripted import ScriptedEncoder
from bot.storage.backups import transfer
from tests.living import FirstPersonGate, WordTopics
from tests.nursery import serve
from tests.platform.telegram_server.wire import TOKEN as TELEGRAM_TOKEN

FEW = 2
"""How many rows are moved at a time."""

for late in (
    "adapters.telegram.adapter",
    "asyncpg",
    "bot.commands.starting",
    "bot.commands.stored",
    "bot.llm.remote",
    "trio",
    "uvicorn",
):
    importlib.import_module(late)  # once, and not by each process


def begin(order: dict[str, Any]) -> int:
    """Forks one process; its id."""
    child = os.fork()
    if not child:
        live(order)
    return child


def live(order: dict[str, Any]) -> NoReturn:
    """Does what a command does, and leaves."""
    file = Path(order["folder"]) / f"{order['name']}.log"
    log = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, sys.stdout.fileno())
    os.dup2(log, sys.stderr.fileno())
    os.environ.update(order["environment"], TELEGRAM_TOKEN=TELEGRAM_TOKEN)
    setattr(run, "open_app", partial(open_app, encoder=ScriptedEncoder(), topics=WordTopics(), gate=FirstPersonGate()))  # noqa: B010  # mypy knows no other way
    transfer.BATCH = FEW
    if point := order.get("point"):
        kill_at(point)
    sys.argv[1:] = order["arguments"]
    main()


def kill_at(point: str) -> None:
    """Arms the point."""
    beginning, _, nth = point.partition("#")
    left = int(nth or 1)

    def count(_connection: object, _cursor: object, statement: str, *_others: object) -> None:
        nonlocal left
        left -= statement.startswith(beginning)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(Engine, "before_cursor_execute", count)


def answers(order: str) -> Iterator[str]:
    """Begins a process, or waits for the end of one."""
    told = json.loads(order)
    if "ended" in told:
        yield str(os.waitstatus_to_exitcode(os.waitpid(told["ended"], 0)[1]))
    else:
        yield str(begin(told))


if __name__ == "__main__":
    serve(sys.stdin, answers)
