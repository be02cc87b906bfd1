"""`bot model`: which model answers. Each command loads what it needs late."""

from __future__ import annotations

import importlib
from typing import Annotated

import typer

from bot.cli.options import DEFAULT_CONFIG, ConfigOption, finish, finish_at_once, settings_of

model = typer.Typer(no_args_is_help=True, help="Which model answers, and getting one.")

NameArgument = Annotated[
    str, typer.Argument(help="A name that `list` shows, a GGUF file, a folder, or a model on the hub.")
]


@model.command("list")
def list_models(config: ConfigOption = None) -> None:
    """The models to choose from, what of them is here and fits, and the servers that run on this machine."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.models").list_models(settings_of(config)))

    finish(work())


@model.command()
def recommend(config: ConfigOption = None) -> None:
    """Which model suits this machine best, and why."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.models").recommend(settings_of(config)))

    finish(work())


@model.command()
def get(name: NameArgument, config: ConfigOption = None) -> None:
    """Fetch a model; a download that broke off goes on where it stopped."""
    finish_at_once(lambda: int(importlib.import_module("bot.commands.models").get(settings_of(config), name)))


@model.command()
def use(name: NameArgument, config: ConfigOption = None) -> None:
    """Write model.id into the settings file."""

    def work() -> int:
        file = config or DEFAULT_CONFIG
        return int(importlib.import_module("bot.commands.models").use(settings_of(config), name, file))

    finish_at_once(work)


@model.command("try")
def try_model(name: NameArgument, config: ConfigOption = None) -> None:
    """Load a model, have it say a sentence, and tell how quick it is."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.models").try_model(settings_of(config), name))

    finish(work())


@model.command()
def setup(
    voice: Annotated[str, typer.Option("--voice", help="small: the bundled model, nothing is fetched.")] = "",
    config: ConfigOption = None,
) -> None:
    """Fetch the default voice, as `make chat` does once; whatever fails, the bundled model is there."""
    finish_at_once(lambda: int(importlib.import_module("bot.commands.models").set_up(settings_of(config), voice)))
