"""`hello-again model`: which model answers. Each command loads what it needs late."""

from typing import Annotated

import typer

from bot.cli.options import DEFAULT_CONFIG, ConfigOption, perform, settings_of

model = typer.Typer(no_args_is_help=True, help="Which model answers, and getting one.")

NameArgument = Annotated[
    str, typer.Argument(help="A name that `list` shows, a GGUF file, a folder, or a model on the hub.")
]


@model.command("list")
def list_models(config: ConfigOption = None) -> None:
    """The models to choose from, what of them is here and fits, and the servers that run on this machine."""
    perform("models:list_models", lambda: (settings_of(config),))


@model.command()
def recommend(config: ConfigOption = None) -> None:
    """Which model suits this machine best, and why."""
    perform("models:recommend", lambda: (settings_of(config),))


@model.command()
def get(name: NameArgument, config: ConfigOption = None) -> None:
    """Fetch a model; a download that broke off goes on where it stopped."""
    perform("models:get", lambda: (settings_of(config), name))


@model.command()
def use(name: NameArgument, config: ConfigOption = None) -> None:
    """Write model.id into the settings file."""
    perform("models:use", lambda: (settings_of(config), name, config or DEFAULT_CONFIG))


@model.command("try")
def try_model(name: NameArgument, config: ConfigOption = None) -> None:
    """Load a model, have it say a sentence, and tell how quick it is."""
    perform("models:try_model", lambda: (settings_of(config), name))


@model.command()
def setup(
    voice: Annotated[str, typer.Option("--voice", help="small: the bundled model, nothing is fetched.")] = "",
    config: ConfigOption = None,
) -> None:
    """Fetch the default voice, as `make chat` does once; whatever fails, the bundled model is there."""
    perform("models:set_up", lambda: (settings_of(config), voice))
