"""`bot web`: the page in the browser alone; and the same page beside `bot run` and `bot chat`, with `web.enabled`."""

import asyncio
import importlib
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

from rich.console import Console
from rich.text import Text

from adapters.pace import COMMANDS_PER_MINUTE, Pace
from adapters.web.server import page_served
from adapters.web.sessions import Sessions
from adapters.web.visiting import Page
from bot.app.app import App, open_app
from bot.clock import SystemClock
from bot.commands.keyboard import on_enter
from bot.commands.stopping import stopped_by_signals
from bot.config import Settings
from bot.errors import AdapterStopped
from bot.ports import Clock
from bot.storage.engine.lock import DataFolderLock
from bot.texts import page as texts
from bot.usecases.links import OWNER, VALID, link_of

LOOKS_S = 1.0
"""Seconds between two looks at whether a link still holds."""


async def web(
    settings: Settings, file: Path, listening: socket.socket | None = None, lock: DataFolderLock | None = None
) -> int:
    """Serves the page until Ctrl-C, and prints the owner's links; returns the exit code. Nobody is answered meanwhile.

    No model is loaded, so no background work is done that would need one. `listening`, `lock`: the page's socket and
    the data folder's lock, where they are held already. Raises AdapterStopped for a port in use.
    """
    console, clock = Console(highlight=False, soft_wrap=True), SystemClock()
    written = settings
    settings = settings.model_copy(update={"web": settings.web.model_copy(update={"enabled": True})})

    def tell(sentence: str) -> None:
        console.print(Text(sentence))

    with stopped_by_signals() as stop:
        await asyncio.to_thread(importlib.import_module, "bot.commands.doctor")
        async with open_app(settings, clock=clock, messengers={}, with_model=False, lock=lock) as app:
            await app.eraser.take_up()
            # Owned by this function, which cancels it when serving ends.
            erasing = asyncio.create_task(app.eraser.run(), name="erasures")
            try:
                async with served(app, clock, file, written, listening, alone=True):
                    tell(texts.CTRL_C_ENDS)
                    async with links_told(app, tell):
                        await stop.wait()
            finally:
                erasing.cancel()
    return 0


@asynccontextmanager
async def page_beside(
    app: App, clock: Clock, file: Path, tell: Callable[[str], None], written: Settings | None = None
) -> AsyncIterator[bool]:
    """Serves the page while the context is open, if the settings say so; yields whether it does.

    What keeps it from that is told. `written`: the settings as they were loaded, where the command has changed some.
    """
    async with AsyncExitStack() as stack:
        serving = app.settings.web.enabled
        if serving:
            try:
                await stack.enter_async_context(served(app, clock, file, written))
            except AdapterStopped as error:
                serving = False
                tell(str(error))
        yield serving


@asynccontextmanager
async def served(
    app: App,
    clock: Clock,
    file: Path,
    written: Settings | None = None,
    listening: socket.socket | None = None,
    *,
    alone: bool = False,
) -> AsyncIterator[None]:
    """Serves the page over this app. Raises AdapterStopped for an address in use.

    `file`: the settings' file; `written`: as in `page_beside`; `listening`: the socket, where it is open already;
    `alone`: nobody is answered.
    """
    answering = app.engines.model.description.name if app.engines.model is not None else ""
    late = await asyncio.to_thread(importlib.import_module, "bot.commands.backstage")
    async with late.open_backstage(app.settings, file, clock, answering, written) as backstage:
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
            resting=await asyncio.to_thread(late.configured, app.settings.model) if alone else "",
        )
        async with page_served(page, listening):
            yield


@asynccontextmanager
async def links_told(app: App, tell: Callable[[str], None]) -> AsyncIterator[None]:
    """Tells whoever starts the program their link while the context is open, and a new one at each Enter.

    Where there is no keyboard a new one comes as soon as the last has been used; none follows one that nobody used, so
    that no log ends in a link that holds.
    """
    # Owned by this context, which cancels it below.
    telling = asyncio.create_task(_tell_links(app, tell), name="the owner's links")
    try:
        yield
    finally:
        telling.cancel()


async def _tell_links(app: App, tell: Callable[[str], None]) -> None:
    pressed = asyncio.Event()
    with on_enter(pressed.set) as at_keyboard:
        while True:
            token = app.links.issue(OWNER)
            tell(texts.OWNERS_LINK.format(link=link_of(app.settings.web, token)))
            holds = texts.OWNERS_LINK_HOLDS.format(minutes=VALID.seconds // 60)
            tell(f"{holds} {texts.ENTER_FOR_ANOTHER}" if at_keyboard else holds)
            while not pressed.is_set() and (at_keyboard or app.links.whose(token) is not None):
                with suppress(TimeoutError):
                    await asyncio.wait_for(pressed.wait(), LOOKS_S)
            if not pressed.is_set() and not app.links.is_gone(token):
                return
            pressed.clear()
