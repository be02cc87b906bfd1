"""`bot bench`: speed. Each command loads what it needs late."""

from __future__ import annotations

import importlib
from typing import Annotated

import typer

from bot.cli.options import ConfigOption, JsonOption, SeedOption, finish, settings_of

bench = typer.Typer(no_args_is_help=True, help="Speed, measured on this machine.")


@bench.command("turn")
def bench_turn(
    sizes: Annotated[str, typer.Option("--sizes", help="Numbers of memories of one person.")] = "100,1000,10000",
    turns: Annotated[int, typer.Option("--turns", help="Turns measured at each size.", min=5)] = 100,
    model: Annotated[bool, typer.Option("--model/--no-model", help="Measure the model's speed too.")] = True,
    config: ConfigOption = None,
) -> None:
    """Milliseconds of everything but the model for one turn, and the model's tokens a second."""

    async def work() -> int:
        module = importlib.import_module("bot.evaluation.bench_turn")
        numbers = [int(size) for size in sizes.split(",")]
        return int(await module.run(settings_of(config), numbers, turns, with_model=model))

    finish(work())


@bench.command("places")
def bench_places(
    people: Annotated[int, typer.Option("--people", help="People in DMs.", min=1)] = 50,
    channels: Annotated[int, typer.Option("--channels", help="Busy channels.", min=0)] = 5,
    messages: Annotated[int, typer.Option("--messages", help="Messages over all.", min=100)] = 10_000,
    pause: Annotated[float, typer.Option("--pause", help="Seconds that everybody waits before each.", min=0)] = 0.0,
    config: ConfigOption = None,
) -> None:
    """Many people at once against a scripted model: messages a second, time in the core, memory, order."""

    async def work() -> int:
        module = importlib.import_module("bot.evaluation.bench_places")
        return int(await module.run(settings_of(config), people, channels, messages, pause))

    finish(work())


@bench.command("recall")
def bench_recall(
    utterances: Annotated[int, typer.Option("--utterances", help="Made-up utterances of all people.", min=100)],
    people: Annotated[int, typer.Option("--people", help="People who said them, each in a DM.", min=1)] = 1,
    queries: Annotated[int, typer.Option("--queries", help="Questions timed.", min=20)] = 200,
    seed: SeedOption = 0,
    out: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Recall over a made-up store: milliseconds warm and at the first touch, start-up, disk, memory."""

    async def work() -> int:
        module = importlib.import_module("bot.evaluation.bench_recall")
        return int(await module.run(settings_of(config), module.Size(utterances, people, queries, seed), out))

    finish(work())


@bench.command("checkins")
def bench_checkins(
    people: Annotated[int, typer.Option("--people", help="People with check-ins.", min=2)] = 1_000_000,
    due: Annotated[int, typer.Option("--due", help="How many of them are due.", min=2)] = 1000,
    out: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Whose check-in is due, among very many people: milliseconds of the query, a claim, a plan."""

    async def work() -> int:
        module = importlib.import_module("bot.evaluation.bench_checkins")
        return int(await module.run(settings_of(config), people, due, out))

    finish(work())
