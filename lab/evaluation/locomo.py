"""`lab evaluate locomo`: is what answers a question among what comes to mind?

Each conversation is told once, and all settings are asked on the same store (`locomo_asking.py`). What is finished, one
setting on one conversation, is kept, so that a run that was stopped goes on. `locomo_report.py` makes the tables.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from pydantic import TypeAdapter
from rich.console import Console
from rich.progress import Progress, TaskID

from bot.config import Settings
from bot.errors import BadInput
from bot.llm.embedding import load_encoder
from bot.memory.topics import load_topics
from bot.persona.gate import TrainedTraitGate
from bot.ports import Encoder, TopicExtractor, TraitGate
from lab.datasets.locomo import read_conversation
from lab.evaluation.locomo_asking import (
    BASELINES,
    CORE_SETTINGS,
    WITHOUT,
    Score,
    ask,
    asked_questions,
    lines_of,
    parts_of_fused,
    telling,
)
from lab.evaluation.locomo_report import Run, build
from lab.evaluation.report import EvaluationReport, progress_bar, show, write
from lab.evaluation.resuming import Pieces, fingerprint, progress_file

SCORES = TypeAdapter(tuple[Score, ...])
LINE_WORK = 8
"""A line takes about as long to be told as so many questions to be asked."""


@dataclass(frozen=True, slots=True)
class LocomoOptions:
    """What was asked for. `recall`: settings and baselines; empty: all of them."""

    recall: tuple[str, ...] = ()
    conversations: int | None = None
    """How many of the files are read; None: all."""
    ablate: bool = False
    """Whether each part of `fused` is left out in turn, too."""
    seed: int = 0
    out: Path | None = None
    """Where the figures go as JSON."""
    folder: Path | None = None
    """Where the Markdown report and its picture go."""


@dataclass(frozen=True, slots=True)
class Trained:
    """What is the same for all conversations."""

    encoder: Encoder
    topics: TopicExtractor
    gate: TraitGate


async def run(settings: Settings, data: Path, options: LocomoOptions, *, trained: Trained | None = None) -> int:
    """Measures, prints the tables and writes the report. `trained`: others than configured, for tests.

    Raises BadInput.
    """
    console = Console(highlight=False, width=140)
    report = await measure(settings, data, options, console, trained=trained)
    show(report, console)
    for path in write(report, options.out, options.folder):
        console.print(f"Written: {path}", markup=False)
    return 0


async def measure(
    settings: Settings, data: Path, options: LocomoOptions, console: Console, *, trained: Trained | None = None
) -> EvaluationReport:
    """Tells and asks what no earlier run has finished. Raises BadInput."""
    files, asked = _files(data, options.conversations), settings_to_ask(settings, options)
    started = perf_counter()
    async with AsyncExitStack() as stack:
        trained = trained or await _load(settings, stack)
        depends_on = fingerprint(settings, files, trained.encoder.fingerprint)
        pieces = stack.enter_context(Pieces(progress_file(settings, "locomo"), depends_on, SCORES))
        if pieces.told:
            console.print(pieces.told)
        with progress_bar(console) as progress:
            await _work(settings, files, asked, trained, pieces, progress)
        results = {one: {path.stem: pieces[_key(path, one)] for path in files} for one in asked}
        pieces.finish()
    took = f"Encoder {settings.encoder.id}; {perf_counter() - started:.0f} s."
    return build(Run(results, options.seed, (took,)))


def settings_to_ask(settings: Settings, options: LocomoOptions) -> list[str]:
    """The settings and baselines by name, those that were wanted and what is left out of `fused`. Raises BadInput."""
    known = (*CORE_SETTINGS, *BASELINES)
    unknown = [one for one in options.recall if one not in known]
    if unknown:
        raise BadInput(f"--recall {','.join(unknown)} is not known. Known: {', '.join(known)}.")
    chosen = [one for one in known if one in (options.recall or known)]
    if not options.ablate:
        return chosen
    without = [f"{WITHOUT}{name}" for name in parts_of_fused(settings.memory)]
    return list(dict.fromkeys([*chosen, "fused", *without]))


async def _work(
    settings: Settings,
    files: Sequence[Path],
    asked: Sequence[str],
    trained: Trained,
    pieces: Pieces[tuple[Score, ...]],
    progress: Progress,
) -> None:
    """Does all pieces that are missing. A conversation of which none is missing is not told."""
    missing = {path: [one for one in asked if _key(path, one) not in pieces] for path in files}
    total = sum(_amount(path, len(wanted)) for path, wanted in missing.items() if wanted)
    bar = progress.add_task("LoCoMo", total=total)
    for path, wanted in missing.items():
        if wanted:
            await _one(settings, path, wanted, trained, pieces, _Steps(progress, bar))


async def _one(
    settings: Settings,
    path: Path,
    wanted: Sequence[str],
    trained: Trained,
    pieces: Pieces[tuple[Score, ...]],
    steps: _Steps,
) -> None:
    steps.say(f"{path.stem}: telling")
    async with telling(path, settings, trained.encoder, trained.topics, trained.gate, steps.told) as told:
        for setting in wanted:
            steps.say(f"{path.stem}: {setting}")
            pieces.add(_key(path, setting), await ask(told, setting, steps.asked))


class _Steps:
    """Moves the bar on: telling a line is more work than asking a question."""

    def __init__(self, progress: Progress, bar: TaskID) -> None:
        self._progress = progress
        self._bar = bar

    def say(self, what: str) -> None:
        self._progress.update(self._bar, description=what)

    def told(self, lines: int) -> None:
        self._progress.advance(self._bar, lines * LINE_WORK)

    def asked(self, questions: int) -> None:
        self._progress.advance(self._bar, questions)


async def _load(settings: Settings, stack: AsyncExitStack) -> Trained:
    encoder = await load_encoder(settings.encoder)
    stack.push_async_callback(encoder.aclose)
    topics = await asyncio.to_thread(load_topics)
    return Trained(encoder, topics, TrainedTraitGate.load(fingerprint=encoder.fingerprint))


def _files(data: Path, number: int | None) -> list[Path]:
    files = sorted((data / "locomo").glob("*.json"))[:number]
    if not files:
        raise BadInput(f"There are no LoCoMo conversations in {data / 'locomo'}. Give the folder above it with --data.")
    return files


def _amount(path: Path, settings: int) -> int:
    return len(lines_of(path)) * LINE_WORK + len(asked_questions(read_conversation(path))) * settings


def _key(path: Path, setting: str) -> str:
    return f"{path.stem} {setting}"
