"""`bot run`: the companion on every platform that the settings name and whose token is set."""

import asyncio
import importlib
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from rich.console import Console
from rich.text import Text

from bot.app.app import open_app
from bot.app.roles import prepare_role, serve_role
from bot.clock import SystemClock
from bot.commands.leaving import leave
from bot.commands.page import links_told, page_beside
from bot.commands.stopping import stopped_by_signals
from bot.commands.watched import watched
from bot.config import Settings
from bot.domain import ProcessRole
from bot.errors import AdapterStopped, ConfigError, NotSetUp, StorageError
from bot.ports import Adapter, Clock
from bot.storage.backups.backup import drop_expired
from bot.storage.engine.lock import DataFolderLock

LOOK_FOR_BACKUPS_S = 6 * 3600.0
"""Seconds between looks for backups whose time is over."""


async def run(
    settings: Settings, file: Path, role: ProcessRole = ProcessRole.ALL, lock: DataFolderLock | None = None
) -> int:
    """Serves until SIGINT or SIGTERM; returns the exit code. Raises ConfigError or AdapterStopped: nothing can run.

    `lock`: the data folder's, where it is held already.
    """
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    clock = SystemClock()

    def tell(sentence: str) -> None:
        console.print(Text(sentence))

    if role is ProcessRole.WORKER:
        return await work(settings, clock, tell)
    adapters = build_adapters(settings, clock, tell)
    messengers = {adapter.platform: adapter.messenger for adapter in adapters}
    with stopped_by_signals() as stop:
        async with (
            watched(settings, clock, tell, stop) as watch,
            open_app(settings, clock=clock, messengers=messengers, metrics=watch.metrics, role=role, lock=lock) as app,
        ):
            watch.app = app
            await (app.prepare() if role is ProcessRole.ALL else prepare_role(app))
            if app.engines.model is not None:
                model = app.engines.model.description
                tell(f"{model.name}, {model.detail}.{' ' + model.advice if model.advice else ''}")
            tell(f"Serving {' and '.join(sorted(name.capitalize() for name in messengers))}. Ctrl-C stops.")
            # Owned by this function, which cancels it when serving ends.
            expiry = asyncio.create_task(let_backups_expire(settings, clock, tell), name="backups that expire")
            try:
                async with (
                    page_beside(app, clock, file, tell) as shown,
                    links_told(app, tell) if shown and console.is_terminal else nullcontext(),
                ):
                    if role is ProcessRole.ALL:
                        await app.serve(adapters, stop=stop, told=tell)
                    else:
                        await serve_role(app, adapters, stop=stop, told=tell)
            finally:
                expiry.cancel()
            if role is ProcessRole.ALL:
                await leave(app, tell)
    tell("Stopped. What was said is kept.")
    return 0


async def work(settings: Settings, clock: Clock, tell: Callable[[str], None]) -> int:
    """Answers and remembers, on no platform, until SIGINT or SIGTERM; returns the exit code."""
    with stopped_by_signals() as stop:
        async with (
            watched(settings, clock, tell, stop) as watch,
            open_app(settings, clock=clock, messengers={}, metrics=watch.metrics, role=ProcessRole.WORKER) as app,
        ):
            watch.app = app
            await prepare_role(app)
            if app.engines.model is not None:
                tell(f"{app.engines.model.description.name}, {app.engines.model.description.detail}.")
            tell("Working for the gateways of the same database. Ctrl-C stops.")
            await serve_role(app, (), stop=stop, told=tell)
    tell("Stopped. What waits is another worker's.")
    return 0


async def let_backups_expire(settings: Settings, clock: Clock, tell: Callable[[str], None]) -> None:
    """Deletes, now and every few hours, the backups that are kept no longer: people were promised so."""
    while True:
        try:
            await asyncio.to_thread(drop_expired, settings, clock.now())
        except StorageError as error:
            tell(str(error))
        await asyncio.sleep(LOOK_FOR_BACKUPS_S)


def build_adapters(settings: Settings, clock: Clock, tell: Callable[[str], None]) -> list[Adapter]:
    """Every adapter that can work; those that cannot say why. Raises AdapterStopped when none is left.

    Of a platform that was not set up nothing is said, unless the settings name it or no other is there.
    """
    if not settings.adapters:
        raise ConfigError("No platform is enabled: list discord or telegram under 'adapters' in config.yaml.")
    named = "adapters" in settings.model_fields_set
    built: list[Adapter] = []
    not_set_up: list[str] = []
    for platform, path in settings.adapters.items():
        try:
            built.append(adapter_class(platform, path)(settings=settings, clock=clock))
        except NotSetUp as error:
            not_set_up.append(str(error))
        except AdapterStopped as error:
            tell(str(error))
    for sentence in not_set_up:
        if named or not built:
            tell(sentence)
    if not built:
        raise AdapterStopped("No platform can be served. `hello-again chat` needs none: it talks in the terminal.")
    return built


def adapter_class(platform: str, path: str) -> Callable[..., Adapter]:
    """The class that `adapters.<platform>` names as "module:Class". Raises ConfigError."""
    module_name, _, class_name = path.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), class_name, None)
    except (ImportError, ValueError) as error:
        raise ConfigError(f"'adapters.{platform}': the module {module_name!r} cannot be loaded: {error}.") from None
    if not isinstance(found, type):
        raise ConfigError(f"'adapters.{platform}' should be module:Class, and {path!r} names no class.")
    adapter: Callable[..., Adapter] = found
    return adapter
