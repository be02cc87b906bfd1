"""`bot chat`: the companion in a terminal."""

from __future__ import annotations

import getpass
from contextlib import AsyncExitStack
from datetime import datetime
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from adapters.console import PLATFORM, ConsoleAdapter
from bot.app import open_app
from bot.clock import ShiftedClock, SystemClock
from bot.config import Settings
from bot.domain import ModelDescription
from bot.errors import BadInput

LONGEST_NAME = 40
NAMELESS = "Friend"
"""Who talks when neither --user nor the account says a name."""

NOBODYS_ACCOUNTS = frozenset({"root", "hello", "nobody"})
"""Accounts that are no person's name; `hello` is the container's."""


async def chat(settings: Settings, user: str | None, start: datetime | None) -> int:
    """Opens everything, talks until the person leaves, and closes everything. Returns the exit code."""
    console = Console(highlight=False)
    settings = settings.at_home(introduce=True)
    name = name_of(user)
    clock = ShiftedClock(start) if start is not None else SystemClock()
    adapter = ConsoleAdapter(
        user=name,
        agent_name=settings.agent.name,
        clock=clock,
        console=console,
        exports=settings.storage.data_dir / "exports",
    )
    async with AsyncExitStack() as stack:
        with StartUpBar(console) as report:
            app = await stack.enter_async_context(
                open_app(settings, clock=clock, messengers={PLATFORM: adapter.messenger}, report=report)
            )
            report("Going over what you talked about …")
            await app.prepare()
        if app.model is not None:
            lines = greeting(app.model.description, settings.agent.name, name)
            console.print(Text(lines, style="dim"), soft_wrap=True)
        await app.serve([adapter])
    return 0


class StartUpBar:
    """Shows what is being done at start-up, with a bar; gone when it is over."""

    def __init__(self, console: Console) -> None:
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._progress.add_task("Waking up …", total=None)

    def __enter__(self) -> Self:
        """Shows the bar."""
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Takes it away."""
        self._progress.stop()

    def __call__(self, step: str, share: float | None = None) -> None:
        """See `ports.Report`."""
        total = None if share is None else 1.0
        self._progress.update(self._task, description=step, total=total, completed=share or 0.0)


def name_of(user: str | None) -> str:
    """The person's name: what was given, or the account's. Raises BadInput."""
    if user is None:
        try:
            account = getpass.getuser()
        except (KeyError, OSError):  # an account without a name, as in some containers
            return NAMELESS
        return NAMELESS if account in NOBODYS_ACCOUNTS else account.capitalize()
    name = " ".join(user.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise BadInput(f"--user takes a name of 1 to {LONGEST_NAME} characters.")
    return name


def greeting(model: ModelDescription, agent: str, user: str) -> str:
    """The lines above the conversation: which model runs, what would be better, and how to leave."""
    lines = [f"{model.name}, {model.detail}.{' ' + model.advice if model.advice else ''}"]
    lines.append(f"You are {user}, and talk with {agent}, a machine that remembers. /help for help, /quit to leave.")
    return "\n".join(lines)
