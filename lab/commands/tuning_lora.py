"""`lab tune summarizer | extractor | generator`: adapters for the local model (LD-Agent's tunable modules)."""

from __future__ import annotations

import asyncio
import shlex
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from rich.console import Console

from bot.config import Settings
from bot.conversation.prompt import PromptBuilder
from bot.domain import Skill
from bot.errors import BadInput
from bot.language.extractive import Topics
from bot.memory.topics import load_topics
from bot.ports import ChatModel, Report
from bot.storage.engine.database import open_database
from lab.commands.tuning import progress_bar, show_step
from lab.evaluation.heard import HeardModel
from lab.evaluation.rehearsal import load_engines
from lab.tuning.lora import Told, train
from lab.tuning.lora_data import Draw, Material, read_summaries, read_traits
from lab.tuning.lora_figures import judge_of
from lab.tuning.lora_listening import read_listening
from lab.tuning.lora_model import load_tunable
from lab.tuning.lora_own import own_material, read_own
from lab.tuning.lora_replay import Overhearing, read_replies
from lab.tuning.lora_report import Course, TuningReport
from lab.tuning.lora_written import written_material

READERS: Mapping[Skill, Callable[[Path, Topics, Draw], Material]] = {
    Skill.EXTRACTOR: read_traits,
    Skill.SUMMARIZER: read_summaries,
}
"""Data that are read as they are; the generator's prompts are made as they are live."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command was called with."""

    skill: Skill
    out: Path
    data: Path | None
    own: bool
    course: Course
    written: Path | None = None
    """The folder of conversations written for a generator."""


async def tune_skill(settings: Settings, wanted: Wanted) -> int:
    """Trains, and prints the report. Raises BadInput, ModelUnavailable or StorageError."""
    _check(settings, wanted)
    console = Console(highlight=False, soft_wrap=True)
    with progress_bar(console) as bar:
        stop = threading.Event()
        report = partial(show_step, bar, bar.add_task("Reading …", total=None), stop)
        told = Told(report, partial(console.print, markup=False))
        try:
            topics = cache(partial(_until, stop, (await asyncio.to_thread(load_topics)).topics))
            material = await _read(settings, wanted, topics, report)
            done = await asyncio.to_thread(_train, settings, wanted, material, topics, told)
        finally:
            stop.set()
    console.print(str(done), markup=False)
    return 0


def _until(stop: threading.Event, topics: Topics, text: str) -> frozenset[str]:
    """The topics of a text. Ends the reading of examples after Ctrl-C."""
    if stop.is_set():
        raise asyncio.CancelledError
    return topics(text)


def _train(settings: Settings, wanted: Wanted, material: Material, topics: Topics, told: Told) -> TuningReport:
    course = wanted.course
    model = load_tunable(settings.model, rank=course.rank, layers=course.layers, seed=course.seed, progress=told.report)
    return train(model, material, wanted.out, course, command_of(wanted), judge_of(wanted.skill, topics), told)


async def _read(settings: Settings, wanted: Wanted, topics: Topics, report: Report) -> Material:
    draw = wanted.course.draw
    if wanted.written is not None:
        return await asyncio.to_thread(written_material, wanted.written, settings.agent, draw)
    if wanted.data is None:
        return await _read_own(settings, wanted, topics)
    if wanted.skill is Skill.GENERATOR:
        async with load_engines(settings, draw.seed) as engines:
            if engines.model is not None:
                tuned, untuned = _prompts(settings, engines.model)
                if tuned.small:
                    return await asyncio.to_thread(read_listening, wanted.data, tuned, untuned, draw)
            return await read_replies(settings, wanted.data, engines, draw, report)
    return await asyncio.to_thread(READERS[wanted.skill], wanted.data, topics, draw)


async def _read_own(settings: Settings, wanted: Wanted, topics: Topics) -> Material:
    database = await open_database(settings.database_url)
    try:
        sessions = await read_own(database)
    finally:
        await database.aclose()
    if wanted.skill is not Skill.GENERATOR:
        return await asyncio.to_thread(own_material, wanted.skill, sessions, topics, None, wanted.course.draw)
    async with load_engines(settings, wanted.course.seed) as engines:
        if engines.model is None:
            raise BadInput("Replies cannot be learnt without a language model.")
        prompts = _prompts(settings, engines.model)
        return await asyncio.to_thread(own_material, wanted.skill, sessions, topics, prompts, wanted.course.draw)


def _prompts(settings: Settings, model: ChatModel) -> tuple[PromptBuilder, PromptBuilder]:
    """What builds the prompts of the model when it is tuned as generator, and of the same when it is not."""
    build = partial(
        PromptBuilder,
        card=settings.agent,
        settings=settings.prompt,
        reply_tokens=settings.model.max_new_tokens,
    )
    return build(model=Overhearing(model)), build(model=HeardModel(model, without=(Skill.GENERATOR,)))


def command_of(wanted: Wanted) -> str:
    """The command that does it again; without the folders, which are this machine's."""
    course = wanted.course
    source = "--own" if wanted.own else "--data DIR" if wanted.written is None else "--written lab/tuning/talk"
    return " ".join([f"python -m lab tune {wanted.skill}", source, *options_of(course, Course())])


def options_of(course: Course, default: Course) -> list[str]:
    """The options that set what differs from the command's default."""
    parts = [f"--out FOLDER --seed {course.seed}"]
    for name, option in OPTIONS.items():
        value = getattr(course, name)
        if value != getattr(default, name):
            parts.append(f"{option} {shlex.quote(str(value))}")
    return parts


OPTIONS = {
    "epochs": "--epochs",
    "steps": "--steps",
    "limit": "--limit",
    "batch": "--batch",
    "rank": "--rank",
    "rate": "--lr",
    "layers": "--layers",
    "measured": "--measure",
}
"""Field of `Course` → the option that sets it."""


def _check(settings: Settings, wanted: Wanted) -> None:
    sources = [wanted.own, wanted.data is not None, wanted.written is not None]
    if sum(sources) != 1:
        raise BadInput(
            "Give either --data with the folder of a data set, --own for what people said here, or, for a generator, "
            "--written with a folder of conversations."
        )
    if wanted.written is not None and wanted.skill is not Skill.GENERATOR:
        raise BadInput("Only a generator learns from written conversations: give --data or --own.")
    if wanted.out.resolve().is_relative_to(settings.storage.data_dir.resolve()):
        raise BadInput(
            f"{wanted.out} is in the data folder, which holds only what can be erased and backed up. Choose a folder "
            "outside of it with --out."
        )
    if wanted.out.exists() and (not wanted.out.is_dir() or any(wanted.out.iterdir())):
        raise BadInput(f"{wanted.out} is there already. Choose another folder with --out.")
