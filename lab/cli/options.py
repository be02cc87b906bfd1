"""Options that many of the laboratory's commands have."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from bot.cli.options import finish_at_once

DataOption = Annotated[Path, typer.Option("--data", help="The folder of data sets.", exists=True, file_okay=False)]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of everything random.")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write the figures here as JSON too.")]
ReportOption = Annotated[Path | None, typer.Option("--report", help="Write Markdown and a plot into this folder.")]
WeightsOption = Annotated[Path | None, typer.Option("--out", help="Where the weights go (default: the shipped file).")]
StatesOption = Annotated[
    Path | None, typer.Option("--states", help="A file that keeps what the model held of each text, for the next time.")
]


def finish(work: Coroutine[Any, Any, int]) -> NoReturn:
    """Runs a command to its end and exits with its code, see `finish_at_once`."""
    finish_at_once(lambda: asyncio.run(work))
