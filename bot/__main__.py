"""The command line: `python -m bot --help`.

Each command loads what it needs late, so that `--help` answers at once; the heavy packages come with `bot.app`.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from bot.config import Settings, load_settings
from bot.errors import BadInput, HelloAgainError
from bot.log import set_up_logging

DEFAULT_CONFIG = Path("config.yaml")

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A companion that remembers people for years.",
)
stored = typer.Typer(no_args_is_help=True, help="What is stored.")
bench = typer.Typer(no_args_is_help=True, help="Speed, measured on this machine.")
tune = typer.Typer(no_args_is_help=True, help="Training of the parts that can be trained.")
evaluate = typer.Typer(no_args_is_help=True, help="Quality, measured on data sets.")
app.add_typer(stored, name="data")
app.add_typer(bench, name="bench")
app.add_typer(tune, name="tune")
app.add_typer(evaluate, name="evaluate")

ConfigOption = Annotated[Path | None, typer.Option("--config", help="The settings file (default: config.yaml here).")]
DataDirOption = Annotated[Path | None, typer.Option("--data-dir", help="Where everything is stored.")]
DataOption = Annotated[Path, typer.Option("--data", help="The folder of data sets.", exists=True, file_okay=False)]


def settings_of(config: Path | None, data_dir: Path | None = None, **overrides: Any) -> Settings:
    """The settings with what the command line overrides, and logging set up by them."""
    if config is None and DEFAULT_CONFIG.exists():
        config = DEFAULT_CONFIG
    folder = str(data_dir.resolve()) if data_dir is not None else None
    settings = load_settings(config.resolve() if config is not None else None, storage__data_dir=folder, **overrides)
    set_up_logging(settings.log, settings.secrets)
    return settings


def finish(work: Coroutine[Any, Any, int]) -> NoReturn:
    """Runs a command to its end and exits with its code; an error that people can mend is one sentence and code 1."""
    try:
        code = asyncio.run(work)
    except HelloAgainError as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(Text(str(error), style="red"))
        code = 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        code = 130
    raise typer.Exit(code)


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
            file, kind, as_bot, limit, out, answer, with_model=not no_model, keep=data_dir is not None
        )
        return int(await module.replay(settings, options))

    finish(work())


@app.command()
def doctor(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """Check everything the companion needs; exit code 1 if it would not run."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.doctor").doctor(lambda: settings_of(config, data_dir)))

    finish(work())


@stored.command()
def stats(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """What is stored, how much, and since when."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.stored").stats(settings_of(config, data_dir)))

    finish(work())


@stored.command()
def reindex(config: ConfigOption = None, data_dir: DataDirOption = None) -> None:
    """Make all vectors anew from the tables."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.stored").reindex(settings_of(config, data_dir)))

    finish(work())


@stored.command("backup-key")
def backup_key(file: Annotated[Path, typer.Argument(help="Where the new secret key goes.")]) -> None:
    """Make the key that backups are encrypted to; keep it away from this machine."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.backup").key(file))

    finish(work())


@stored.command()
def backup(
    to: Annotated[Path | None, typer.Option("--to", help="The folder to write to (default: backup.folder).")] = None,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Write an encrypted copy of everything, also while the companion runs; delete those that have expired."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.backup").backup(settings_of(config, data_dir), to))

    finish(work())


@stored.command()
def restore(
    file: Annotated[Path, typer.Argument(help="The backup: hello-again-….age.")],
    key: Annotated[Path, typer.Option("--key", help="The secret key that `backup-key` wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Delete the present data.")] = False,
    even_expired: Annotated[bool, typer.Option("--even-expired", help="Restore it though its time is over.")] = False,
    without_journal: Annotated[
        bool, typer.Option("--without-journal", help="Restore it though nobody knows what was erased since.")
    ] = False,
    config: ConfigOption = None,
    data_dir: DataDirOption = None,
) -> None:
    """Put a backup in the place of the data, without what was erased since it was made."""

    async def work() -> int:
        module = importlib.import_module("bot.commands.backup")
        permits = module.Permits(even_expired=even_expired, without_journal=without_journal, replace=replace)
        return int(await module.restore_backup(settings_of(config, data_dir), file, key, permits))

    finish(work())


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


@tune.command("trait-gate")
def tune_trait_gate(
    data: DataOption,
    out: Annotated[Path | None, typer.Option("--out", help="Where the weights go (default: the shipped file).")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of everything random.")] = 0,
    config: ConfigOption = None,
) -> None:
    """Train the classifier that decides whether an utterance carries a trait, on MSC persona data."""

    async def work() -> int:
        module = importlib.import_module("bot.commands.measure")
        return int(await module.tune_trait_gate(settings_of(config), data, out, seed))

    finish(work())


@tune.command("danger")
def tune_danger(
    data: DataOption,
    out: Annotated[Path | None, typer.Option("--out", help="Where the weights go (default: the shipped file).")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of everything random.")] = 0,
    config: ConfigOption = None,
) -> None:
    """Train the net that hears danger beside the rules, on the project's sentences and ordinary conversation."""

    async def work() -> int:
        module = importlib.import_module("bot.commands.measure")
        return int(await module.tune_danger(settings_of(config), data, out, seed))

    finish(work())


@evaluate.command("trait-gate")
def evaluate_trait_gate(data: DataOption, config: ConfigOption = None) -> None:
    """Trait/no-trait accuracy of the shipped classifier on the open test part of MSC."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.measure").evaluate_trait_gate(settings_of(config), data))

    finish(work())


@evaluate.command("topics")
def evaluate_topics(data: DataOption, config: ConfigOption = None) -> None:
    """Topic nouns by several libraries, compared on LoCoMo."""

    async def work() -> int:
        return int(await importlib.import_module("bot.commands.measure").evaluate_topics(settings_of(config), data))

    finish(work())


@evaluate.command("channel")
def evaluate_channel(
    data: DataOption,
    out: Annotated[Path | None, typer.Option("--json", help="Write the figures here as JSON too.")] = None,
    config: ConfigOption = None,
) -> None:
    """How often what somebody answers in a channel is in the prompt, and whether speakers are right, on IRC logs."""

    async def work() -> int:
        module = importlib.import_module("bot.commands.measure")
        return int(await module.evaluate_channel(settings_of(config), data, out))

    finish(work())


@evaluate.command("erasure")
def evaluate_erasure(
    data: DataOption,
    memories: Annotated[
        int | None, typer.Option("--memories", help="Measure the time at so many made-up memories too.", min=1000)
    ] = None,
    sessions: Annotated[int | None, typer.Option("--sessions", help="Sessions of each conversation at most.")] = None,
    config: ConfigOption = None,
) -> None:
    """LoCoMo told to the whole core, one person erased, and every file searched before and after."""

    async def work() -> int:
        module = importlib.import_module("bot.evaluation.erasure")
        return int(await module.run(settings_of(config), data, memories, sessions))

    finish(work())


@evaluate.command("safety")
def evaluate_safety(
    path: Annotated[Path | None, typer.Option("--file", help="Sentences as JSON lines (else the test set).")] = None,
    errors: Annotated[int, typer.Option("--errors", help="Mistakes to print.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Figures as JSON.")] = False,
) -> None:
    """How many cries for help are recognised, and how much else is taken for one, by language and kind of sentence."""

    async def work() -> int:
        return int(await importlib.import_module("bot.evaluation.safety").run(path, errors, as_json))

    finish(work())


@evaluate.command("leaks")
def evaluate_leaks(
    data: DataOption,
    probes: Annotated[int, typer.Option("--probes", help="Questions asked.", min=10)] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of everything random.")] = 0,
    out: Annotated[Path | None, typer.Option("--json", help="Write the figures here as JSON too.")] = None,
    config: ConfigOption = None,
) -> None:
    """Secrets said in DMs and channels, asked for everywhere: what comes up where it could not have been read."""

    async def work() -> int:
        module = importlib.import_module("bot.evaluation.leaks")
        return int(await module.run(settings_of(config), data, probes, seed, out))

    finish(work())


if __name__ == "__main__":
    app()
