"""`lab tune candidates` and `preferences`: replies of the model's own, and an adapter that prefers the good ones."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from bot.config import Settings
from bot.domain import Skill
from bot.errors import BadInput
from bot.llm.adapter_files import AdapterPlace
from bot.llm.gguf_files import read_gguf
from bot.llm.gguf_lora import converted
from bot.llm.llama_server import LlamaServer, Start
from bot.llm.models import describe_choice
from bot.memory.topics import load_topics
from bot.ports import Report
from lab.commands.tuning import reporting
from lab.commands.tuning_lora import options_of
from lab.datasets.written import Written, read_written
from lab.tuning.candidates import TOGETHER, Sampler, write_marked
from lab.tuning.lora import Told, train
from lab.tuning.lora_figures import judge_of
from lab.tuning.lora_model import load_tunable
from lab.tuning.lora_preferences import MarkedReplies, read_marked
from lab.tuning.lora_report import Course, TuningReport
from lab.tuning.lora_written import example_of

ROOM = 8192
"""Tokens of llama.cpp's cache: the longest conversation, and its replies side by side."""

USUAL = Course(epochs=1, batch=2, rate=2e-4, measured=8)
"""What `lab tune preferences` does unless told otherwise."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """The adapter that replies are sampled with, and that the training begins as. `share`: how much of it is added."""

    folder: Path
    share: float


async def tune_candidates(settings: Settings, written: Path, out: Path, beginning: Beginning, seed: int) -> int:
    """Answers every line of the conversations several times; those that `out` has already are left as they are.

    Raises BadInput or ModelUnavailable.
    """
    console = Console(highlight=False, soft_wrap=True)
    wanted = await asyncio.to_thread(_unanswered, written, out)
    with reporting(console) as report:
        await asyncio.to_thread(_sample, settings, wanted, out, beginning, seed, report)
    console.print(f"Written: {out}, with {len(wanted)} conversations more.", markup=False)
    return 0


def _unanswered(written: Path, out: Path) -> list[Written]:
    """The private conversations that `out` does not have yet."""
    known = {one.name for one in read_marked(out)} if out.exists() else set()
    return [one for one in read_written(written) if one.name not in known and not one.channel]


def _sample(
    settings: Settings, wanted: Sequence[Written], out: Path, beginning: Beginning, seed: int, report: Report
) -> None:
    plan = describe_choice(settings.model)
    if plan.engine != "llama.cpp" or plan.place is None:
        raise BadInput("Replies are sampled with a GGUF file that is here: set model.id.")
    places = (AdapterPlace(Skill.GENERATOR, beginning.folder, shipped=False),)
    adapter = converted(places, read_gguf(plan.place), settings.model.cache_dir)[Skill.GENERATOR]
    card = settings.agent
    with TemporaryDirectory(prefix="hello-again-candidates-") as folder:
        start = Start(plan.place, TOGETHER + 1, ROOM, "cpu", os.cpu_count() or 1, Path(folder), [adapter])
        server = LlamaServer(start)
        try:
            sampler = Sampler(server, beginning.share, seed)
            for number, one in enumerate(wanted):
                report("Answering …", number / len(wanted))
                write_marked(out, sampler.answered(one.name, example_of(one, card, seed)))
        finally:
            server.close()


async def tune_preferences(settings: Settings, marked: Path, out: Path, beginning: Beginning, course: Course) -> int:
    """Trains an adapter on marked replies, and prints the report. Raises BadInput or ModelUnavailable."""
    console = Console(highlight=False, soft_wrap=True)
    replies = MarkedReplies.read(marked)
    source = f"python -m lab tune preferences --marked {marked.name} --begin FOLDER --share {beginning.share:g}"
    command = " ".join([source, *options_of(course, USUAL)])
    with reporting(console) as report:
        told = Told(report, partial(console.print, markup=False))

        def work() -> TuningReport:
            topics = cache(load_topics().topics)
            model = load_tunable(
                settings.model, rank=course.rank, layers=course.layers, seed=course.seed, progress=report
            )
            model.begin_as(beginning.folder, beginning.share)
            material = replies.material(course.draw)
            return train(model, material, out, course, command, judge_of(Skill.GENERATOR, topics), told, replies)

        done = await asyncio.to_thread(work)
    console.print(str(done), markup=False)
    return 0
