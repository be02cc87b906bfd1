"""`lab evaluate`, the structured tasks part by part: what is related, what is important, what is invented."""

from __future__ import annotations

import importlib
from typing import Annotated

import typer

from bot.cli.options import ConfigOption, settings_of
from lab.cli.options import DataOption, JsonOption, SeedOption, finish

tasks = typer.Typer()


@tasks.command("grounding")
def evaluate_grounding(
    data: DataOption,
    sample: Annotated[int, typer.Option("--sample", help="Texts of each kind at most.", min=2)] = 1000,
    seed: SeedOption = 0,
) -> None:
    """The check for inventions on what people wrote themselves, with its own source and with another one's."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.grounding")
        return int(module.run(module.Options(data, sample, seed)))

    finish(work())


@tasks.command("corrections")
def evaluate_corrections(data: DataOption) -> None:
    """How often ordinary chat is taken to put right what was told a moment before, with each case to read."""

    async def work() -> int:
        return int(importlib.import_module("lab.evaluation.putting_right").run(data))

    finish(work())


@tasks.command("importance")
def evaluate_importance(seed: SeedOption = 0, config: ConfigOption = None) -> None:
    """How important the configured model, and the rules, find sixty lines, beside a person's grades."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.importance")
        return int(await module.run(settings_of(config), seed))

    finish(work())


@tasks.command("links")
def evaluate_links(
    data: DataOption,
    part: Annotated[str, typer.Option("--part", help="Conversations: open, kept or all.")] = "kept",
    out: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """How sessions of LoCoMo and REALTALK are related by rules, and how many of the judged links are right."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.links")
        return int(await module.run(settings_of(config), module.Options(data, part, out)))

    finish(work())
