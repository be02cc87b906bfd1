"""`lab pictures`: the pictures of the README."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import finish_at_once


def pictures(
    out: Annotated[Path, typer.Option("--out", help="The folder to write to.")] = Path("pictures"),
) -> None:
    """Talk with the companion as Alice, and save pictures of that, of her timeline and of her page (in Chromium)."""

    finish_at_once(lambda: int(importlib.import_module("lab.commands.pictures").make(out)))
