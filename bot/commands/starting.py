"""`hello-again chat` and `run` before anything heavy loads: what is not there or not free is told within seconds.

The data folder is locked here, once, and stays so to the end. Which model it is, and whether it fits, is looked at
again when it is loaded: by then the libraries and the encoder have taken their memory.
"""

import asyncio
import importlib
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path

import typer

from bot.config import Settings
from bot.domain import ProcessRole
from bot.errors import ModelUnavailable
from bot.llm.bundled_encoder import BUNDLED
from bot.llm.models import describe_choice
from bot.storage.engine.lock import DataFolderLock


def chat(settings: Settings, file: Path, user: str | None, start: datetime | None) -> int:
    """See `commands.chat.chat`."""
    with ready(settings) as lock:
        return int(asyncio.run(importlib.import_module("bot.commands.chat").chat(settings, file, user, start, lock)))


def run(settings: Settings, file: Path, role: ProcessRole) -> int:
    """See `commands.run.run`. Gateways and workers look for what they need as they start."""
    with ready(settings) if role is ProcessRole.ALL else nullcontext() as lock:
        typer.echo("Starting ...", err=True)
        return int(asyncio.run(importlib.import_module("bot.commands.run").run(settings, file, role, lock)))


@contextmanager
def ready(settings: Settings) -> Iterator[DataFolderLock]:
    """Holds the data folder while the context is open, if the models seem to be there.

    Raises ModelUnavailable and StorageError.
    """
    if settings.model.engine != "remote":
        plan = describe_choice(settings.model)
        if plan.problem:
            raise ModelUnavailable(plan.problem)
    with DataFolderLock(settings.storage.data_dir) as lock:
        if settings.encoder.id != BUNDLED:
            importlib.import_module("bot.llm.encoder_source").encoder_source(settings.encoder.id)
        yield lock
