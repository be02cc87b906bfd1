"""`hello-again chat`, `run` and `web` before anything heavy loads: what is not there or not free is told at once.

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

from adapters.web.listening import listening_at
from bot.config import Settings
from bot.domain import ProcessRole
from bot.errors import ModelUnavailable
from bot.llm.adapter_files import adapter_places, explained, read_layers
from bot.llm.bundled_encoder import BUNDLED as BUNDLED_ENCODER
from bot.llm.carriers import MODEL, by_hand, missing
from bot.llm.choosing import BUNDLED
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


def web(settings: Settings, file: Path) -> int:
    """See `commands.page.web`. The port is listened at from here on, too."""
    with (
        listening_at(settings.web.host, settings.web.port, "page", "web.port") as listening,
        ready(settings, model=False) as lock,
    ):
        typer.echo("Starting ...", err=True)
        return int(asyncio.run(importlib.import_module("bot.commands.page").web(settings, file, listening, lock)))


@contextmanager
def ready(settings: Settings, *, model: bool = True) -> Iterator[DataFolderLock]:
    """Holds the data folder while the context is open, if the encoder and, with `model`, the model seem to be there.

    Raises ModelUnavailable and StorageError.
    """
    if model and settings.model.engine != "remote":
        plan = describe_choice(settings.model)
        if plan.problem:
            raise ModelUnavailable(plan.problem)
        if plan.place is None and plan.choice.id != BUNDLED:
            importlib.import_module("bot.llm.fetching").ask_for(plan.choice.id, plan.engine)
        for place in adapter_places(settings.model, plan.choice.id):
            if not place.shipped:
                with explained(place):
                    read_layers(place.folder)
    lacking = [one for one in missing(settings.model, settings.encoder) if one != MODEL]  # which the plan told of
    if lacking:
        raise ModelUnavailable(f"The embedded models are not all installed. Install them: {by_hand(lacking)}")
    with DataFolderLock(settings.storage.data_dir) as lock:
        if settings.encoder.id != BUNDLED_ENCODER:
            importlib.import_module("bot.llm.encoder_source").encoder_source(settings.encoder.id)
        yield lock
