"""Options that several commands of the laboratory take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

StatesOption = Annotated[
    Path | None, typer.Option("--states", help="A file that keeps what the model held of each text, for the next time.")
]
