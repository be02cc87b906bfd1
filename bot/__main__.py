"""The command line: `python -m bot --help`.

Each command loads what it needs late, so that `--help` answers at once; the heavy packages come with `bot.app.app`.
"""

from __future__ import annotations

import importlib
from datetime import UTC, datetime
from typing import Annotated

import typer

from bot.cli.model import model
from bot.cli.options import ConfigOption, DataDirOption, finish, settings_of, start
from bot.cli.stored import stored
from bot.errors import BadInput

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A companion that remembers people for years.",
)
app.add_typer(model, name="model")
app.add_typer(stored, name="data")


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
def chat(
    user: Annotated[str | None, typer.Option("--user", help="Your name.")] = None,
    clock: Annotated[
        str | None, typer.Option("--clock", help="Pretend it is this time, e.g. 2026-12-01T09:00.")
    ] = None,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Talk with the companion in this terminal."""

    async def work() -> int:
        settings = settings_of(config, data_dir)
        return int(await importlib.import_module("bot.commands.chat").chat(settings, user, moment(clock)))

    finish(work())


@app.command()
def run(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """Serve Discord, Telegram and whatever else the settings name, until Ctrl-C."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.run").run(settings_of(config, data_dir)))

    finish(work())


@app.command()
def web(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """Show the page in the browser, while nothing else runs; prints the owner's link."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.page").web(settings_of(config, data_dir)))

    finish(work())


@app.command()
def doctor(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """Check everything the companion needs; exit code 1 if it would not run."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.doctor").doctor(lambda: settings_of(config, data_dir)))

    finish(work())


if __name__ == "__main__":
    start(app)
