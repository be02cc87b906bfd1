"""`bot web`: the page in the browser alone; and the same page beside `bot run` and `bot chat`, with `web.enabled`."""

import asyncio
import importlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import UTC, datetime
from types import ModuleType

from rich.console import Console
from rich.text import Text

from adapters.pace import COMMANDS_PER_MINUTE, Pace
from adapters.web.server import page_served
from adapters.web.sessions import Sessions
from adapters.web.visiting import Backstage, BackupFile, Checked, Explained, LogLine, Page
from bot.app.app import App, open_app
from bot.clock import SystemClock
from bot.commands.stopping import stopped_by_signals
from bot.config import Settings
from bot.config.explained import explained
from bot.errors import AdapterStopped
from bot.log import OURS
from bot.ports import Clock
from bot.texts import page as texts
from bot.usecases.links import OWNER, VALID, link_of

EXAMINED = ("disk", "database", "model", "servers", "gpu", "tokens")
"""What of the doctor's list is looked at while the program runs, and takes no time."""
KEPT_LINES = 100
MEGABYTE = 1_000_000


async def web(settings: Settings) -> int:
    """Serves the page until Ctrl-C, and prints the owner's link; returns the exit code. Nobody is answered meanwhile.

    No model is loaded, so no background work is done that would need one. Raises AdapterStopped for a port in use.
    """
    console, clock = Console(highlight=False, soft_wrap=True), SystemClock()
    settings = settings.model_copy(update={"web": settings.web.model_copy(update={"enabled": True})})
    with stopped_by_signals() as stop:
        await _doctor()
        async with open_app(settings, clock=clock, messengers={}, with_model=False) as app:
            await app.eraser.take_up()
            # Owned by this function, which cancels it when serving ends.
            erasing = asyncio.create_task(app.eraser.run(), name="erasures")
            try:
                async with served(app, clock):
                    for line in owners_link(app):
                        console.print(Text(line))
                    await stop.wait()
            finally:
                erasing.cancel()
    return 0


@asynccontextmanager
async def page_beside(app: App, clock: Clock, tell: Callable[[str], None]) -> AsyncIterator[None]:
    """Serves the page while the context is open, if the settings say so. What keeps it from that is told."""
    async with AsyncExitStack() as stack:
        if app.settings.web.enabled:
            try:
                await stack.enter_async_context(served(app, clock))
            except AdapterStopped as error:
                tell(str(error))
        yield


@asynccontextmanager
async def served(app: App, clock: Clock) -> AsyncIterator[None]:
    """Serves the page over this app. Raises AdapterStopped for an address in use."""
    with recent_lines() as lines:
        page = Page(
            core=app,
            looking=app.commands.looking,
            links=app.links,
            settings=app.settings,
            backstage=_backstage(app.settings, lines),
            sessions=Sessions(clock),
            pace=Pace(clock, COMMANDS_PER_MINUTE),
        )
        async with page_served(page):
            yield


def owners_link(app: App) -> tuple[str, str]:
    """What whoever starts the program is told: their link, and how long it holds."""
    link = link_of(app.settings.web, app.links.issue(OWNER))
    return texts.OWNERS_LINK.format(link=link), texts.OWNERS_LINK_HOLDS.format(minutes=VALID.seconds // 60)


class _Recent(logging.Handler):
    """Keeps the last lines of our own, without what was put into them."""

    def __init__(self, lines: deque[LogLine]) -> None:
        super().__init__(logging.WARNING)
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps a line that the program wrote with fixed words."""
        if record.name.partition(".")[0] in OURS and isinstance(record.msg, dict):
            time = datetime.fromtimestamp(record.created, UTC)
            self._lines.appendleft(LogLine(time, record.levelname.lower(), record.name, str(record.msg.get("event"))))


@contextmanager
def recent_lines() -> Iterator[Sequence[LogLine]]:
    """The last warnings and errors while the context is open, the latest first."""
    lines: deque[LogLine] = deque(maxlen=KEPT_LINES)
    handler = _Recent(lines)
    logging.getLogger().addHandler(handler)
    try:
        yield lines
    finally:
        logging.getLogger().removeHandler(handler)


def _backstage(settings: Settings, lines: Sequence[LogLine]) -> Backstage:
    async def check() -> list[Checked]:
        doctor = await _doctor()
        found = [await getattr(doctor, name)(settings) for name in EXAMINED]
        return [Checked(one.subject, one.verdict.value, one.found, one.do) for one in found]

    def backups() -> list[BackupFile]:
        found = [(file, file.stat()) for file in settings.backup.folder.glob("*.age")]
        made = [BackupFile(f.name, datetime.fromtimestamp(s.st_mtime, UTC), s.st_size / MEGABYTE) for f, s in found]
        return sorted(made, key=lambda one: one.made, reverse=True)

    return Backstage(
        check=check,
        explain=lambda: [Explained(*one) for one in explained(settings)],
        log=lambda: list(lines),
        backups=backups,
    )


async def _doctor() -> ModuleType:
    """The module of the doctor's list, which brings torch: seconds, when it is first asked for."""
    return await asyncio.to_thread(importlib.import_module, "bot.commands.doctor")
