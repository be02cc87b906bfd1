"""`bot web`: the page in the browser alone; and the same page beside `bot run` and `bot chat`, with `web.enabled`."""

import asyncio
import importlib
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from adapters.pace import COMMANDS_PER_MINUTE, Pace
from adapters.web.server import page_served
from adapters.web.sessions import Sessions
from adapters.web.visiting import Page
from bot.app.app import App, open_app
from bot.clock import SystemClock
from bot.commands.stopping import stopped_by_signals
from bot.config import Settings
from bot.errors import AdapterStopped
from bot.ports import Clock
from bot.texts import page as texts
from bot.usecases.links import OWNER, VALID, link_of


async def web(settings: Settings, file: Path) -> int:
    """Serves the page until Ctrl-C, and prints the owner's link; returns the exit code. Nobody is answered meanwhile.

    No model is loaded, so no background work is done that would need one. Raises AdapterStopped for a port in use.
    """
    console, clock = Console(highlight=False, soft_wrap=True), SystemClock()
    settings = settings.model_copy(update={"web": settings.web.model_copy(update={"enabled": True})})
    with stopped_by_signals() as stop:
        await asyncio.to_thread(importlib.import_module, "bot.commands.doctor")
        async with open_app(settings, clock=clock, messengers={}, with_model=False) as app:
            await app.eraser.take_up()
            # Owned by this function, which cancels it when serving ends.
            erasing = asyncio.create_task(app.eraser.run(), name="erasures")
            try:
                async with served(app, clock, file):
                    for line in owners_link(app):
                        console.print(Text(line))
                    await stop.wait()
            finally:
                erasing.cancel()
    return 0


@asynccontextmanager
async def page_beside(app: App, clock: Clock, file: Path, tell: Callable[[str], None]) -> AsyncIterator[None]:
    """Serves the page while the context is open, if the settings say so. What keeps it from that is told."""
    async with AsyncExitStack() as stack:
        if app.settings.web.enabled:
            try:
                await stack.enter_async_context(served(app, clock, file))
            except AdapterStopped as error:
                tell(str(error))
        yield


@asynccontextmanager
async def served(app: App, clock: Clock, file: Path) -> AsyncIterator[None]:
    """Serves the page over this app. `file`: the settings' file. Raises AdapterStopped for an address in use."""
    answering = app.model.description.name if app.model is not None else ""
    late = await asyncio.to_thread(importlib.import_module, "bot.commands.backstage")
    async with late.open_backstage(app.settings, file, clock, answering) as backstage:
        page = Page(
            core=app,
            looking=app.commands.looking,
            planned=app.commands.planned,
            overseeing=app.commands.overseeing,
            links=app.links,
            settings=app.settings,
            backstage=backstage,
            sessions=Sessions(clock),
            pace=Pace(clock, COMMANDS_PER_MINUTE),
        )
        async with page_served(page):
            yield


def owners_link(app: App) -> tuple[str, str]:
    """What whoever starts the program is told: their link, and how long it holds."""
    link = link_of(app.settings.web, app.links.issue(OWNER))
    return texts.OWNERS_LINK.format(link=link), texts.OWNERS_LINK_HOLDS.format(minutes=VALID.seconds // 60)
