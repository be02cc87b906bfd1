"""`lab bench engine`: how quick the language model is on this machine, and how quick the machine would let it be.

Tokens a second and the time to the first token, for requests that come in together: how many, how long their prompts
are, whether the start of a prompt is known already, and how the weights are kept. Beside it the floor: the time in
which weights and cache can be read at the speed at which this memory copies. The engine is the one that answers people;
the requests are token numbers drawn by chance, so that each has its exact length and no answer ends early.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import platform
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

import psutil
import torch
from rich.console import Console
from rich.progress import Progress, TaskID
from transformers import AutoTokenizer, PreTrainedModel

from bot.config import Model, Settings
from bot.errors import BadInput, ModelUnavailable
from bot.llm.bundled import prepare_bundled
from bot.llm.engine import Engine
from bot.llm.files import Quantization
from bot.llm.loading import load
from bot.llm.machine import free_bytes, resolve_device
from bot.llm.quiet import quiet_libraries
from bot.llm.sizes import cache_per_token
from lab.evaluation.engine_asked import CPU_TOKENS, Asked
from lab.evaluation.engine_floor import cache_read_bytes, copy_bandwidth, floor_step_s, weight_bytes
from lab.evaluation.engine_load import Cell, Load, Speed, middle
from lab.evaluation.engine_profile import EngineProfile, StepWatch
from lab.evaluation.engine_tables import SpeedRow, profile_tables, speed_table
from lab.evaluation.report import progress_bar

CACHE_SHARE = 0.5
"""Of the memory that is free beside the weights: what the cache may take. The rest is for what is computed."""
WARM_UP = Cell(1, 64, reused=False)
PACKAGES = ("torch", "transformers", "bitsandbytes")


@dataclass(frozen=True, slots=True)
class Subject:
    """A model in memory that is measured."""

    name: str
    model: PreTrainedModel
    decode: Callable[[Sequence[int]], str]
    context: int
    """Tokens that a prompt and its answer may have."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that was measured, as it is written to the file."""

    asked: Asked
    model: str
    machine: dict[str, str]
    copy_bandwidth: float
    """Bytes a second, read and written."""
    left_out: tuple[str, ...]
    rows: tuple[SpeedRow, ...]
    profiles: tuple[EngineProfile, ...]


async def run(settings: Settings, asked: Asked, out: Path | None) -> int:
    """Measures, prints, and writes JSON to `out`. Raises BadInput, ModelUnavailable, ModelFailed."""
    console = Console(highlight=False, width=130)
    with progress_bar(console) as progress:
        figures = await measure(settings.model, asked, progress)
    console.print(speed_table(figures.model, figures.rows))
    console.print(f"Memory copies {figures.copy_bandwidth / 1e9:.1f} GB a second here (read and written).")
    for line in figures.left_out:
        console.print(line)
    for profile in figures.profiles:
        console.print(*profile_tables(profile))
    if out is not None:
        _write(out, figures)
    return 0


def _write(path: Path, figures: Figures) -> None:
    try:
        path.write_text(json.dumps(asdict(figures), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None


async def measure(settings: Model, asked: Asked, progress: Progress) -> Figures:
    """All of the grid for each way to keep the weights, one after the other."""
    quiet_libraries()
    device = resolve_device(settings)
    if asked.shape is not None and device != "cuda":
        raise BadInput(
            f"--shape {asked.shape} needs a CUDA GPU, and none is used here. "
            "Leave it out to measure the model that the settings name."
        )
    cells, skipped = asked.cells(device)
    left_out = [f"Left out on a CPU, because of more than {CPU_TOKENS:,} tokens of prompts: {_named(skipped)}."]
    left_out = left_out[: len(skipped)]
    bandwidth = await asyncio.to_thread(copy_bandwidth, torch.device(device))
    rows: list[SpeedRow] = []
    profiles: list[EngineProfile] = []
    name = ""
    for kept in asked.quantizations:
        task = progress.add_task(f"{kept}: loading", total=None)
        subject = await asyncio.to_thread(_subject, settings, asked, kept, device)
        name = subject.name
        fitting, too_large = _fitting(cells, subject, asked)
        if too_large:
            left_out.append(f"{kept}: left out, because their cache does not fit into memory: {_named(too_large)}.")
        async with _engine(subject, fitting, asked) as (engine, load_):
            progress.update(task, total=sum(_work(cell, asked) for cell in fitting))
            rows += [await _row(subject, load_, cell, kept, asked, bandwidth, progress, task) for cell in fitting]
            if asked.profile:
                profiles += [await _profile(engine, subject, load_, cell, kept) for cell in _profiled(fitting)]
        progress.remove_task(task)
        del subject, engine, load_
    return Figures(asked, name, _machine(device), bandwidth, tuple(left_out), tuple(rows), tuple(profiles))


def _subject(settings: Model, asked: Asked, kept: Quantization, device: str) -> Subject:
    """Loads the model that the settings name, or makes one up. Blocks."""
    if asked.shape is not None:
        folder = prepare_bundled(settings.cache_dir, "none", _silent)
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        shapes = importlib.import_module("lab.evaluation.engine_shape")  # late: bitsandbytes talks when it is loaded
        config = shapes.qwen3_8b()
        made = shapes.made_up_model(config, kept, torch.device(device, torch.cuda.current_device()), asked.seed)
        context = int(config.max_position_embeddings)
        return Subject(
            "the shape of Qwen3-8B, made up", made, lambda tokens: str(tokenizer.decode(list(tokens))), context
        )
    loaded = load(settings.model_copy(update={"quantization": kept}), _silent)
    model = loaded.take_model()
    context = int(model.config.get_text_config().max_position_embeddings)
    return Subject(loaded.description.name, model, loaded.decode, context)


def _fitting(cells: Sequence[Cell], subject: Subject, asked: Asked) -> tuple[list[Cell], list[Cell]]:
    """The cells whose cache fits beside the weights, and the others. Raises BadInput when a prompt is too long."""
    longest = max(cell.prompt_tokens for cell in cells) + asked.new_tokens
    if longest > subject.context:
        raise BadInput(
            f"{subject.name} takes {subject.context:,} tokens with its answer, and {longest:,} are asked for. "
            "Lower --prompts or --tokens."
        )
    room = CACHE_SHARE * free_bytes(subject.model.device.type) / cache_per_token(subject.model.config)
    fitting = [cell for cell in cells if cell.cache_tokens(asked.new_tokens) <= room]
    if not fitting:
        raise BadInput("No cache for these requests fits into memory. Lower --concurrent or --prompts.")
    return fitting, [cell for cell in cells if cell not in fitting]


@asynccontextmanager
async def _engine(subject: Subject, cells: Sequence[Cell], asked: Asked) -> AsyncIterator[tuple[Engine, Load]]:
    """The engine, warm, with room for the largest of `cells`."""
    try:
        engine = Engine(
            subject.model,
            max_concurrent=max(cell.concurrent for cell in cells),
            kv_cache_tokens=max(cell.cache_tokens(asked.new_tokens) for cell in (*cells, WARM_UP)),
            eos=frozenset(),
            seed=asked.seed,
        )
    except ValueError as error:
        raise ModelUnavailable(f"{subject.name} cannot be measured ({error}). Choose another model.id.") from error
    try:
        await asyncio.to_thread(engine.start)
        if not engine.alive:
            raise engine.gone()
        vocabulary = int(subject.model.config.get_text_config().vocab_size)
        load_ = Load(engine, vocabulary, subject.decode, asked.new_tokens, asked.seed)
        await load_.measure(WARM_UP)
        yield engine, load_
    finally:
        await asyncio.to_thread(engine.close)


async def _row(
    subject: Subject,
    load_: Load,
    cell: Cell,
    kept: Quantization,
    asked: Asked,
    bandwidth: float,
    progress: Progress,
    task: TaskID,
) -> SpeedRow:
    speeds: list[Speed] = []
    progress.update(task, description=f"{kept}: {_named([cell])}")
    for _ in range(asked.repeats):
        speeds.append(await load_.measure(cell))
        progress.advance(task, _work(cell, asked) // asked.repeats)
    read = cache_read_bytes(
        cache_per_token(subject.model.config), cell.concurrent, cell.prompt_tokens, asked.new_tokens
    )
    weights = weight_bytes(subject.model)
    return SpeedRow(
        quantization=kept,
        concurrent=cell.concurrent,
        prompt_tokens=cell.prompt_tokens,
        reused=cell.reused,
        speed=middle(speeds),
        speeds=tuple(speeds),
        weight_bytes=weights,
        cache_bytes=read,
        floor_tokens_per_s=cell.concurrent / floor_step_s(weights, read, bandwidth),
    )


async def _profile(engine: Engine, subject: Subject, load_: Load, cell: Cell, kept: Quantization) -> EngineProfile:
    processor = engine.processor
    if processor is None:
        raise engine.gone()
    watch = StepWatch(processor, subject.model, operators=True)
    with watch.watching():
        await load_.measure(cell)
    operators = await asyncio.to_thread(watch.operators)  # tens of thousands of calls are added up
    return EngineProfile(
        kept, cell.concurrent, cell.prompt_tokens, watch.steps, watch.recorded, watch.stages(), operators
    )


def _profiled(cells: Sequence[Cell]) -> list[Cell]:
    """Each number of requests once, with its shortest prompts."""
    shortest = min(cell.prompt_tokens for cell in cells)
    return [cell for cell in cells if cell.prompt_tokens == shortest and not cell.reused]


def _work(cell: Cell, asked: Asked) -> int:
    """About what a cell takes, for the bar: tokens, where a new one counts as much as several of a prompt."""
    return asked.repeats * (cell.tokens + 8 * cell.concurrent * asked.new_tokens)


def _named(cells: Sequence[Cell]) -> str:
    """For people: "8 of 500 tokens, 8 of 500 tokens (reused)"."""
    return ", ".join(
        f"{cell.concurrent} of {cell.prompt_tokens:,} tokens{' (reused)' if cell.reused else ''}" for cell in cells
    )


def _machine(device: str) -> dict[str, str]:
    cores = f"{psutil.cpu_count()} cores, {platform.machine()}"
    name = torch.cuda.get_device_name() if device == "cuda" else cores
    return {"device": name, "system": platform.platform()} | {package: version(package) for package in PACKAGES}


def _silent(step: str, share: float | None = None) -> None:
    """Tells nobody: the bar stands on the console already."""
