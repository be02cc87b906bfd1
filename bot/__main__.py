"""The command line: `hello-again --help`, or `python -m bot --help`.

Each command loads what it needs late, so that `--help` answers at once; the heavy packages come with `bot.app.app`.
"""

from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from bot.cli.model import model
from bot.cli.options import (
    DEFAULT_CONFIG,
    ConfigOption,
    DataDirOption,
    perform,
    settings_of,
    start,
)
from bot.cli.stored import stored
from bot.domain import ProcessRole
from bot.errors import BadInput

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
app.add_typer(model, name="model")
app.add_typer(stored, name="data")


class Platform(StrEnum):
    """Where people can talk with it."""

    TERMINAL = "terminal"
    DISCORD = "discord"
    TELEGRAM = "telegram"


def tell_version(wanted: bool) -> None:
    """Prints the version and ends."""
    if wanted:
        typer.echo(f"hello-again {version('hello-again-bot')}")
        raise typer.Exit


@app.callback()
def hello_again(
    _version: Annotated[
        bool, typer.Option("--version", callback=tell_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """A companion that remembers people for years."""


def moment(text: str | None) -> datetime | None:
    """An ISO time, UTC when it names no zone. Raises BadInput."""
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(f"--clock {text!r} is not a time such as 2026-12-01T09:00.") from None
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


@app.command()
def setup(
    platform: Annotated[
        list[Platform] | None, typer.Option("--platform", help="Where you will talk; say it again for another.")
    ] = None,
    model: Annotated[str, typer.Option("--model", help="A model's name, or the address of a server.")] = "",
    name: Annotated[str, typer.Option("--name", help="What the companion is called.")] = "",
    yes: Annotated[
        bool, typer.Option("--yes", help="Ask nothing: tokens are in the environment, the rest is as it is by default.")
    ] = False,
    config: ConfigOption = None,
) -> None:
    """Ask what is needed, try it, write the settings, and start."""

    def arguments() -> tuple[object, ...]:
        file = config or DEFAULT_CONFIG
        chosen = tuple(one.value for one in platform or ())
        return settings_of(file if file.exists() else None), file, chosen, model, name, not yes

    perform("setup:set_up", arguments)


@app.command()
def init(
    file: Annotated[Path | None, typer.Argument(help="The service's file; else one among your own services.")] = None,
    compose: Annotated[bool, typer.Option("--compose", help="For Docker Compose instead.")] = False,
    environment: Annotated[
        Path | None, typer.Option("--environment-file", help="A file of variables that systemd hands over, tokens too.")
    ] = None,
    config: ConfigOption = None,
) -> None:
    """Write a service for systemd, so that it runs without you, and say what starts it."""
    if compose:
        perform("installing:init_compose", lambda: (config or DEFAULT_CONFIG,))
    perform("installing:init", lambda: (settings_of(config), file, config, environment))


@app.command()
def chat(
    user: Annotated[str | None, typer.Option("--user", help="Your name.")] = None,
    clock: Annotated[
        str | None, typer.Option("--clock", help="Pretend it is this time, e.g. 2026-12-01T09:00.")
    ] = None,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Talk with the companion in this terminal."""

    perform("starting:chat", lambda: (settings_of(config, data_dir), config or DEFAULT_CONFIG, user, moment(clock)))


@app.command()
def run(
    role: Annotated[
        ProcessRole,
        typer.Option("--role", help="What this process does; all: everything, alone."),
    ] = ProcessRole.ALL,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Serve Discord, Telegram and whatever else the settings name, until Ctrl-C."""
    perform("starting:run", lambda: (settings_of(config, data_dir), config or DEFAULT_CONFIG, role))


@app.command()
def web(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """Show the page in the browser, while nothing else runs; prints the owner's link."""
    perform("starting:web", lambda: (settings_of(config, data_dir), config or DEFAULT_CONFIG))


@app.command()
def settings(
    word: Annotated[str, typer.Argument(help="Only those with this word in the name or in what it is for.")] = "",
    config: ConfigOption = None,
) -> None:
    """List every setting: what it is now, and what it is for."""
    perform("explaining:explain", lambda: (settings_of(config), config or DEFAULT_CONFIG, word))


@app.command()
def doctor(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """Check everything the companion needs; exit code 1 if it would not run."""
    perform("doctor:doctor", lambda: (settings_of(config, data_dir),))


def main() -> NoReturn:
    """The executable `hello-again`."""
    start(app)


if __name__ == "__main__":
    main()
