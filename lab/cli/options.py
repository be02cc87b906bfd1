"""Options that many of the laboratory's commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

DataOption = Annotated[Path, typer.Option("--data", help="The folder of data sets.", exists=True, file_okay=False)]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of everything random.")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write the figures here as JSON too.")]
ReportOption = Annotated[Path | None, typer.Option("--report", help="Write Markdown and a plot into this folder.")]
WeightsOption = Annotated[Path | None, typer.Option("--out", help="Where the weights go (default: the shipped file).")]
StatesOption = Annotated[
    Path | None, typer.Option("--states", help="A file that keeps what the model held of each text, for the next time.")
]
