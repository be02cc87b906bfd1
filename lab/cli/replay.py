"""`lab replay`: recorded conversations, played to the core. It loads what it needs late."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.options import ConfigOption, DataDirOption, settings_of
from lab.cli.options import finish


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
        module = importlib.import_module("lab.commands.replay")
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
