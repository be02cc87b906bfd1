"""`lab bench`: speed. Each command loads what it needs late."""

from __future__ import annotations

import asyncio
import importlib
from pathlib import Path
from typing import Annotated, Literal

import typer

from bot.cli.options import ConfigOption, DataDirOption, settings_of
from bot.errors import BadInput
from lab.cli.options import JsonOption, SeedOption, finish

bench = typer.Typer(no_args_is_help=True, help="Speed, measured on this machine.")


@bench.command("turn")
def bench_turn(
    sizes: Annotated[str, typer.Option("--sizes", help="Numbers of memories of one person.")] = "100,1000,10000",
    turns: Annotated[int, typer.Option("--turns", help="Turns measured at each size.", min=5)] = 100,
    config: ConfigOption = None,
) -> None:
    """Milliseconds of everything but the model for one turn."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.bench_turn")
        numbers = [int(size) for size in sizes.split(",")]
        return int(await module.run(settings_of(config), numbers, turns))

    finish(work())


@bench.command("engine")
def bench_engine(
    concurrent: Annotated[str | None, typer.Option("--concurrent", help="Requests at once (1,8,32,128).")] = None,
    prompts: Annotated[str | None, typer.Option("--prompts", help="Tokens of a prompt (500,3500).")] = None,
    tokens: Annotated[int, typer.Option("--tokens", help="New tokens of each request.", min=2)] = 32,
    quantization: Annotated[
        str | None, typer.Option("--quantization", help="How transformers keeps weights (none,int8,nf4).")
    ] = None,
    shape: Annotated[str | None, typer.Option("--shape", help="8b: a made-up model of that size, on a GPU.")] = None,
    repeats: Annotated[int, typer.Option("--repeats", help="Times each is measured; medians are told.", min=1)] = 1,
    port: Annotated[bool, typer.Option("--port", help="Measure any engine as llama.cpp, to compare them.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Tell where the time of a step goes, too.")] = False,
    seed: SeedOption = 0,
    out: Annotated[Path | None, typer.Option("--out", "--json", help="Write the figures here as JSON too.")] = None,
    config: ConfigOption = None,
) -> None:
    """The model's tokens a second and time to the first token, alone and in company, beside what memory allows.

    On a CPU, more than 16,000 tokens of prompts at once are left out unless numbers are given: they take minutes.
    A model that llama.cpp runs is asked through the companion's own port, 1 and 8 at once unless numbers are given;
    with --port, every model is.
    """

    async def work() -> int:
        settings = settings_of(config)
        if quantization is None and shape is None and not profile:
            measured = await importlib.import_module("lab.evaluation.bench_port").run_through_port(
                settings,
                concurrent,
                prompts,
                new_tokens=tokens,
                repeats=repeats,
                seed=seed,
                out=out,
                any_engine=port,
            )
            if measured is not None:
                return int(measured)
        asked = importlib.import_module("lab.evaluation.engine_asked").asked_of(
            concurrent,
            prompts,
            quantization or "none,int8,nf4",
            shape,
            tokens=tokens,
            repeats=repeats,
            seed=seed,
            profile=profile,
        )
        return int(await importlib.import_module("lab.evaluation.bench_engine").run(settings, asked, out))

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
        module = importlib.import_module("lab.evaluation.bench_places")
        return int(await module.run(settings_of(config), people, channels, messages, pause))

    finish(work())


@bench.command("several")
def bench_several(
    database_url: Annotated[
        str | None, typer.Option("--database-url", help="An empty PostgreSQL database; else it starts a server itself.")
    ] = None,
    platforms: Annotated[
        Literal["invented", "real"],
        typer.Option("--platforms", help="real: our Discord and Telegram, with the adapters of the program."),
    ] = "invented",
    shards: Annotated[int, typer.Option("--shards", help="Connections to Discord (real).", min=1)] = 1,
    workers: Annotated[str, typer.Option("--workers", help="Numbers of workers, one rehearsal each.")] = "1,2,4",
    gateways: Annotated[int, typer.Option("--gateways", min=1)] = 2,
    messages: Annotated[int, typer.Option("--messages", min=10)] = 1000,
    places: Annotated[int, typer.Option("--places", min=1)] = 100,
    talk: Annotated[float, typer.Option("--talk", help="Seconds in which all is said; 0: at once.", min=0)] = 0.0,
    kills: Annotated[int, typer.Option("--kills", help="SIGKILL of any process, at random moments.", min=0)] = 0,
    pauses: Annotated[int, typer.Option("--pauses", help="Workers stopped for two leases, and woken.", min=0)] = 0,
    restarts: Annotated[int, typer.Option("--restarts", help="How often --restart is run.", min=0)] = 0,
    restart: Annotated[str | None, typer.Option("--restart", help="A command that restarts your server.")] = None,
    slots: Annotated[int, typer.Option("--slots", help="Requests that one worker's model takes at once.", min=1)] = 1,
    think: Annotated[float, typer.Option("--think", help="Seconds that the model takes for one.", min=0)] = 0.2,
    lease: Annotated[float, typer.Option("--lease", help="Seconds that a lease lasts.", min=1)] = 2.0,
    patience: Annotated[
        float, typer.Option("--patience", help="Seconds after the last message, for all replies.")
    ] = 600,
    seed: SeedOption = 7,
) -> None:
    """Gateways and workers over one PostgreSQL: messages a second; lost, doubled and out of order under trouble."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.several")
        plans = [
            module.Plan(
                platforms=module.Platforms(platforms), shards=shards, messages=messages, places=places,
                workers=int(number), gateways=gateways, talk_s=talk, kills=kills, pauses=pauses, restarts=restarts,
                lease_s=lease, slots=slots, think_s=think, seed=seed, patience_s=patience,
            )
            for number in workers.split(",")
        ]  # fmt: skip
        return int(await module.run(plans, database_url, restart))

    finish(work())


@bench.command("waking")
def bench_waking(
    messages: Annotated[int, typer.Option("--messages", help="Stored one at a time.", min=10)] = 200,
    workers: Annotated[str, typer.Option("--workers", help="How many, separated by commas.")] = "1,4",
    nats: Annotated[str | None, typer.Option("--nats", help="HOST:PORT of a NATS server, to compare it.")] = None,
    seed: SeedOption = 7,
) -> None:
    """Milliseconds until a worker claims what a gateway stored: PostgreSQL's bell, NATS, every ring lost."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.waking")
        counts = [int(number) for number in workers.split(",")]
        return int(await module.run(messages, counts, seed, nats))

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
        module = importlib.import_module("lab.evaluation.bench_recall")
        return int(await module.run(settings_of(config), module.Size(utterances, people, queries, seed), out))

    finish(work())


@bench.command("page")
def bench_page(
    memories: Annotated[int, typer.Option("--memories", help="Made-up memories of all people.", min=2)] = 100_000,
    own: Annotated[int, typer.Option("--own", help="Of these, memories of the one who looks.", min=2)] = 1000,
    people: Annotated[int, typer.Option("--people", help="People, each in a DM.", min=1)] = 1000,
    visits: Annotated[int, typer.Option("--visits", help="Times that each page is asked for.", min=2)] = 100,
    seed: SeedOption = 0,
    out: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Milliseconds until the first byte of every page in the browser; fails where the p95 of one is over 50."""

    async def work() -> int:
        module = importlib.import_module("lab.evaluation.bench_page")
        size = module.Size(memories, own, people, visits, seed)
        return int(await module.run(settings_of(config), size, out))

    finish(work())


@bench.command("vectors")
def bench_vectors(
    database: Annotated[
        str, typer.Option("--database", help="An empty PostgreSQL database; else it starts a server.")
    ] = "",
    chroma: Annotated[
        Path | None, typer.Option("--chroma", help="An empty folder, for a server of Chroma's instead.")
    ] = None,
    memories: Annotated[int, typer.Option("--memories", help="Made-up memories of all people.", min=100)] = 100_000,
    people: Annotated[int, typer.Option("--people", help="People, each in a DM.", min=1)] = 1000,
    queries: Annotated[int, typer.Option("--queries", help="Searches timed.", min=20)] = 500,
    seed: SeedOption = 0,
) -> None:
    """Search within a place in pgvector, or Chroma's server: milliseconds, what is found, disk, making and erasing."""

    async def work() -> int:
        if database and chroma is not None:
            raise BadInput("Name --database or --chroma, not both.")
        if chroma is not None:
            module = importlib.import_module("lab.evaluation.bench_chroma_server")
            return int(await asyncio.to_thread(module.run, chroma, memories, people, queries, seed))
        module = importlib.import_module("lab.evaluation.bench_vectors")
        return int(await module.run(database, memories, people, queries, seed))

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
        module = importlib.import_module("lab.evaluation.bench_checkins")
        return int(await module.run(settings_of(config), people, due, out))

    finish(work())


@bench.command("start")
def bench_start(
    runs: Annotated[int, typer.Option("--runs", help="Starts that are measured, after a first one.", min=1)] = 5,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Seconds from the start of `bot chat` to its first prompt, and from /quit to its end.

    In an empty temporary data folder, unless --data-dir names one.
    """

    async def work() -> int:
        return int(await importlib.import_module("lab.evaluation.bench_start").run(runs, config, data_dir))

    finish(work())
