"""`bot model`: which models there are, which one suits this machine, getting one, choosing it, trying it."""

from __future__ import annotations

import importlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from bot.app.engines import model_of
from bot.config import Model, Settings
from bot.config.editing import set_settings
from bot.domain import ChatMessage, GenerationRequest, Role
from bot.errors import BadInput, ModelUnavailable
from bot.llm.catalogue import CATALOGUE, CatalogueModel, PackageParts, catalogue_model
from bot.llm.choosing import BUNDLED, KNOWN, catalogue_need, fitting, is_here, need_on_gpu
from bot.llm.fetching import SPARE_BYTES, fetch_named
from bot.llm.machine import Machine, gpu_name
from bot.llm.models import AUTO, describe_choice, machine_of
from bot.llm.repositories import gguf_repository
from bot.llm.servers import RunningServer, running_servers
from bot.llm.voice import set_up_voice
from bot.ports import Report

ID_VARIABLE = "HELLO_AGAIN__MODEL__ID"
QUESTION = "Say hello, and ask me one thing about my day."
GB = 1e9


async def list_models(settings: Settings) -> int:
    """Prints the catalogue, what of it is here and fits, and the servers that run here."""
    console = _console()
    machine = machine_of(settings.model)
    table = Table(box=None, pad_edge=False)
    for column in ("name", "file GB", "memory GB", "licence", "languages", "from", ""):
        table.add_column(column, no_wrap=column == "name")
    for model in CATALOGUE:
        table.add_row(*_row(model, settings.model, machine))
    console.print(table)
    console.print("model.id also takes a GGUF file, a folder, and a model on the hub (owner/name, owner/name:Q4_K_M).")
    for server in await running_servers():
        console.print(in_words(server))
    return 0


async def recommend(settings: Settings) -> int:
    """Prints which model suits this machine best, why, and how to get it."""
    console = _console()
    machine = machine_of(settings.model)
    console.print(describe_machine(machine))
    console.print(advice(machine, settings.model))
    for server in await running_servers():
        console.print(in_words(server))
        console.print(f"To have it answer, write into config.yaml:\n\n{server.settings}\n")
    return 0


def get(settings: Settings, name: str) -> int:
    """Downloads a model, or goes on with a download that broke off."""
    console = _console()
    if name == BUNDLED or ((model := catalogue_model(name)) is not None and model.source is None):
        console.print(f"{name} comes with the program: there is nothing to fetch.")
        return 0
    with _progress(console) as report:
        if catalogue_model(name) is not None or gguf_repository(name) is not None:
            place = fetch_named(name, settings.model, report)
        else:
            wanted = settings.model.model_copy(update={"id": name})
            place = importlib.import_module("bot.llm.obtaining").obtain(describe_choice(wanted), wanted, report)
    console.print(f"{name} is here: {place}\n`hello-again model use {name}` makes it answer.")
    return 0


def use(settings: Settings, name: str, file: Path) -> int:
    """Writes `model.id` into the settings file. Raises BadInput when the model is not here."""
    wanted = settings.model.model_copy(update={"id": name, "engine": "auto"})
    if name != AUTO:
        plan = describe_choice(wanted)
        if plan.problem:
            raise ModelUnavailable(plan.problem)
        if plan.place is None and plan.choice.id != BUNDLED:
            raise BadInput(f"{name} is not here yet: `hello-again model get {name}` fetches it. Nothing was changed.")
    was_remote = {"model.engine": AUTO} if settings.model.engine == "remote" else {}
    set_settings(file, {"model.id": name, **was_remote})
    console = _console()
    console.print(f"{file} says model.id: {name} now. It answers from the next start on.")
    if was_remote:
        console.print("model.engine was remote and is auto now.")
    if ID_VARIABLE in os.environ:
        console.print(f"But {ID_VARIABLE} is set in the environment, and overrides it.")
    return 0


async def try_model(settings: Settings, name: str) -> int:
    """Loads a model, has it say a sentence, and tells how quick it was."""
    console = _console()
    chosen = settings.model.model_copy(update={"id": name, "engine": "auto"})
    began = time.perf_counter()
    with _progress(console) as report:
        model = await model_of(settings.model_copy(update={"model": chosen}), report)
    loaded = time.perf_counter()
    try:
        described = model.description
        console.print(f"{described.name}, {described.detail}; loaded in {loaded - began:.1f} s.")
        request = GenerationRequest((ChatMessage(Role.USER, QUESTION),), max_tokens=80, temperature=0.7, top_p=0.9)
        said, asked, first, tokens = "", time.perf_counter(), 0.0, 0
        async for chunk in model.stream(request):
            first = first or time.perf_counter()
            said, tokens = said + chunk.text, chunk.completion_tokens or tokens
        ended = time.perf_counter()
    finally:
        await model.aclose()
    console.print(Text(f"You: {QUESTION}\nIt:  {said.strip()}"))
    rate = (
        f"{(tokens - 1) / (ended - first):.0f} tokens a second" if tokens > 1 and ended > first else "too short to time"
    )
    console.print(f"First word after {first - asked:.2f} s, then {rate}.")
    return 0


def set_up(settings: Settings, voice: str) -> int:
    """What `make chat` does once: fetches the voice. Never fails for want of one: the bundled model is there."""
    console = _console()
    with _progress(console) as report:
        set_up_voice(settings.model, voice, lambda sentence: console.print(f"  {sentence}"), report)
    return 0


def describe_machine(machine: Machine) -> str:
    """The machine in a sentence."""
    gpu = f"{gpu_name()} with {machine.free / GB:.1f} GB free" if machine.device == "cuda" else "no GPU that is used"
    return (
        f"This machine: {gpu}, {machine.memory / GB:.1f} GB of memory free, {machine.cores} processors, "
        f"{machine.disk / GB:.0f} GB of disk free."
    )


def advice(machine: Machine, settings: Model) -> str:
    """Which model suits the machine, why, and what to do for it."""
    ranked = [name for name in fitting(machine, settings) if is_here(name, settings) or _download(name) < machine.disk]
    if not ranked:
        return "Nothing better than the bundled model fits: it wants 4 GB of free memory and 3 GB of disk. It is used."
    best = ranked[0]
    if (model := catalogue_model(best)) is not None:
        limit = (
            "its memory"
            if machine.gguf_on_gpu
            else f"memory, and {machine.cores} processors read prompts quickly enough"
        )
        why = f"{model.licence}, {model.size / GB:.1f} GB: the best of the catalogue that fits {limit}"
    else:
        need = next(need_on_gpu(known, settings) for known in KNOWN if known.id == best)
        why = f"Apache-2.0: the largest that fits the GPU in four bits, {need / GB:.1f} GB"
    if is_here(best, settings):
        return f"{best} suits it best ({why}), and is here; model.id: auto takes it."
    return f"{best} suits it best ({why}). `hello-again model get {best}` fetches it; model.id: auto then takes it."


def better_model(settings: Model) -> str:
    """The best model that fits this machine and has to be fetched first; empty: there is none better."""
    machine = machine_of(settings)
    ranked = [name for name in fitting(machine, settings) if is_here(name, settings) or _download(name) < machine.disk]
    return ranked[0] if ranked and not is_here(ranked[0], settings) else ""


def in_words(server: RunningServer) -> str:
    """A running server as a sentence."""
    offers = ", ".join(server.models) or "no model loaded"
    return f"{server.program} runs at {server.base_url} and offers: {offers}."


@dataclass(slots=True)
class _PlainProgress:
    """Progress where nobody watches a bar: each step once, and every tenth of it."""

    console: Console
    step: str = ""
    tenth: int = 0

    def __call__(self, step: str, share: float | None = None) -> None:
        tenth = int((share or 0.0) * 10)
        if step != self.step:
            self.console.print(f"  {step}")
        elif tenth > self.tenth:
            self.console.print(f"  … {tenth * 10} %")
        self.step, self.tenth = step, tenth


@contextmanager
def _progress(console: Console) -> Iterator[Report]:
    """A bar on a terminal, lines elsewhere."""
    if not console.is_terminal:
        yield _PlainProgress(console)
        return
    columns = (TextColumn("  {task.description}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("…", total=None)

        def report(step: str, share: float | None = None) -> None:
            bar.update(task, description=step, total=None if share is None else 1.0, completed=share or 0.0)

        yield report


def _console() -> Console:
    return Console(highlight=False, soft_wrap=not sys.stdout.isatty())


def _row(model: CatalogueModel, settings: Model, machine: Machine) -> Sequence[str]:
    need = catalogue_need(model, settings)
    source = model.source
    origin = "the program" if source is None else "packages" if isinstance(source, PackageParts) else source.publisher
    here = "here" if is_here(model.name, settings) else ""
    room = machine.free if machine.gguf_on_gpu else machine.memory
    fit = "too large here" if need > room else "" if _quick(model, settings, machine) else "slow here"
    doubt = "" if model.verified else "not verified"
    notes = ", ".join(note for note in (here, fit, doubt) if note)
    return (model.name, f"{model.size / GB:.1f}", f"{need / GB:.1f}", model.licence, model.languages, origin, notes)


def _quick(model: CatalogueModel, settings: Model, machine: Machine) -> bool:
    return model.source is None or model.name in fitting(machine, settings)


def _download(name: str) -> int:
    """Bytes of disk that fetching it takes."""
    if (model := catalogue_model(name)) is not None:
        return SPARE_BYTES + model.size * (2 if isinstance(model.source, PackageParts) else 1)
    return SPARE_BYTES + 2 * next(known.size.weights for known in KNOWN if known.id == name)
