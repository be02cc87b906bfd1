"""The command line: `python -m bot --help`.

Each command loads what it needs late, so that `--help` answers at once; the heavy packages come with `bot.app`.
"""

from __future__ import annotations

import importlib
import logging
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from bot.cli.bench import bench
from bot.cli.evaluate import evaluate
from bot.cli.model import model
from bot.cli.options import ConfigOption, DataDirOption, finish, settings_of
from bot.cli.stored import stored
from bot.cli.tune import tune
from bot.errors import BadInput

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A companion that remembers people for years.",
)
app.add_typer(model, name="model")
app.add_typer(stored, name="data")
app.add_typer(bench, name="bench")
app.add_typer(tune, name="tune")
app.add_typer(evaluate, name="evaluate")


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
def replay(
    file: Annotated[Path, typer.Argument(help="Recorded utterances: JSON lines, a LoCoMo or MSC file, or an IRC log.")],
    kind: Annotated[str, typer.Option("--format", help="jsonl, locomo, msc or irc.")] = "jsonl",
    no_model: Annotated[bool, typer.Option("--no-model", help="Store, embed and recall without generating.")] = False,
    as_bot: Annotated[str | None, typer.Option("--as-bot", help="The speaker who stands in for the companion.")] = None,
    answer: Annotated[str, typer.Option("--answer", help="Reply to which lines: recorded, all or last.")] = "recorded",
    limit: Annotated[
        int | None, typer.Option("--limit", help="Sessions (locomo), dialogues (msc), messages (irc) to read.", min=1)
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Write the JSON lines here (default: standard output).")
    ] = None,
    check_ins: Annotated[
        list[str] | None, typer.Option("--check-ins", help="A speaker who has check-ins on from the start (several).")
    ] = None,
    check_in_days: Annotated[
        int, typer.Option("--check-in-days", help="Days after the last line on which they may come.", min=0, max=3660)
    ] = 90,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Feed recorded utterances through the whole core, with their own clock.

    What is stored goes to a temporary folder, unless --data-dir names one to keep. Exit code 2: lines were refused;
    1: lines could not be dealt with.
    """

    async def work() -> int:
        settings = settings_of(config, data_dir)
        module = importlib.import_module("bot.commands.replay")
        options = module.ReplayOptions(
            file,
            kind,
            as_bot,
            limit,
            out,
            answer,
            with_model=not no_model,
            keep=data_dir is not None,
            check_ins=tuple(check_ins or ()),
            check_in_days=check_in_days,
        )
        return int(await module.replay(settings, options))

    finish(work())


@app.command()
def doctor(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """Check everything the companion needs; exit code 1 if it would not run."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.doctor").doctor(lambda: settings_of(config, data_dir)))

    finish(work())


def leave(code: int) -> NoReturn:
    """Ends the process at once. All is closed by now: taking the libraries down takes seconds and saves nothing."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    os.umask(0o077)  # what is made here is for its owner alone, by libraries too
    try:
        app()
    except SystemExit as ended:
        leave(ended.code if isinstance(ended.code, int) else int(ended.code is not None))
