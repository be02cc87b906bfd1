"""Language models for their owner: what there is and fits, what suits the machine, getting, choosing and trying one.

`hello-again model` prints what comes of it, and the owner's page shows it.
"""

import importlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from bot.app.engines import model_of
from bot.config import Model, Settings
from bot.config.editing import set_settings
from bot.domain import ChatMessage, GenerationRequest, OfferedModel, Role
from bot.errors import BadInput, ModelUnavailable
from bot.llm.catalogue import CATALOGUE, CatalogueModel, HubFile, PackageParts, catalogue_model
from bot.llm.choosing import BUNDLED, KNOWN, catalogue_need, fitting, is_here, models_folder, need_on_gpu
from bot.llm.fetching import SPARE_BYTES, fetch_named
from bot.llm.machine import Machine, gpu_name
from bot.llm.models import AUTO, describe_choice, machine_of
from bot.llm.repositories import gguf_repository
from bot.llm.servers import RunningServer
from bot.ports import Report
from bot.texts import models as texts

ID_VARIABLE = "HELLO_AGAIN__MODEL__ID"
GB = 1e9


@dataclass(frozen=True, slots=True)
class Recommended:
    """The model that suits a machine best, and why, in half a sentence."""

    name: str
    why: str
    here: bool

    @property
    def sentence(self) -> str:
        """Which, and why."""
        return (texts.SUITS_AND_IS_HERE if self.here else texts.SUITS).format(name=self.name, why=self.why)


def offered(settings: Model, machine: Machine) -> list[OfferedModel]:
    """The catalogue, weakest first, and then the other files that were fetched from the hub."""
    folder = models_folder(settings)
    return [_offered(model, settings, machine) for model in CATALOGUE] + [
        OfferedModel(file.relative_to(folder).as_posix(), file.stem, file.stat().st_size, here=True)
        for file in sorted(folder.glob("*/*/**/*.gguf"))
    ]


def recommended(machine: Machine, settings: Model) -> Recommended | None:
    """Which model suits the machine best; None: none but the bundled one fits."""
    ranked = [name for name in fitting(machine, settings) if is_here(name, settings) or _download(name) < machine.disk]
    if not ranked:
        return None
    best = ranked[0]
    if (model := catalogue_model(best)) is not None:
        told = {"licence": model.licence, "size": model.size / GB, "cores": machine.cores}
        why = (texts.FITS_MEMORY if machine.gguf_on_gpu else texts.FITS_PROCESSORS).format(**told)
    else:
        need = next(need_on_gpu(known, settings) for known in KNOWN if known.id == best)
        why = texts.FITS_GPU.format(need=need / GB)
    return Recommended(best, why, is_here(best, settings))


def describe_machine(machine: Machine) -> str:
    """The machine in a sentence."""
    on_gpu = machine.device == "cuda"
    gpu = texts.GPU.format(name=gpu_name(), free=machine.free / GB) if on_gpu else texts.NO_GPU
    room = {"memory": machine.memory / GB, "cores": machine.cores, "disk": machine.disk / GB}
    return texts.MACHINE.format(gpu=gpu, **room)


def in_words(server: RunningServer) -> str:
    """A running server as a sentence."""
    models = ", ".join(server.models) or texts.NO_MODEL
    return texts.SERVER.format(program=server.program, url=server.base_url, models=models)


def fetch(settings: Settings, name: str, report: Report) -> str:
    """Downloads a model, or the rest of it; says where it is. Blocks. Raises ModelUnavailable."""
    if name == BUNDLED or ((model := catalogue_model(name)) is not None and model.source is None):
        return texts.COMES_ALONG.format(name=name)
    if catalogue_model(name) is not None or gguf_repository(name) is not None:
        place = fetch_named(name, settings.model, report)
    else:
        wanted = settings.model.model_copy(update={"id": name})
        place = importlib.import_module("bot.llm.obtaining").obtain(describe_choice(wanted), wanted, report)
    return texts.IS_HERE.format(name=name, place=place)


def choose(settings: Settings, name: str, file: Path) -> list[str]:
    """Writes `model.id` into the settings file; says so. Raises BadInput: the model is not here; ConfigError."""
    wanted = settings.model.model_copy(update={"id": name, "engine": "auto"})
    if name != AUTO:
        plan = describe_choice(wanted)
        if plan.problem:
            raise ModelUnavailable(plan.problem)
        if plan.place is None and plan.choice.id != BUNDLED:
            raise BadInput(texts.NOT_HERE.format(name=name))
    was_remote = {"model.engine": AUTO} if settings.model.engine == "remote" else {}
    set_settings(file, {"model.id": name, **was_remote})
    lines = [texts.USED.format(file=file, name=name)]
    if was_remote:
        lines.append(texts.ENGINE_CHANGED)
    if ID_VARIABLE in os.environ:
        lines.append(texts.OVERRIDDEN.format(variable=ID_VARIABLE))
    return lines


async def hear(settings: Settings, name: str, report: Report) -> list[str]:
    """Loads a model, has it say a sentence, and tells how quick it was. Raises ModelError."""
    chosen = settings.model.model_copy(update={"id": name, "engine": "auto"})
    report(texts.LOADING.format(name=name))
    began = time.perf_counter()
    model = await model_of(settings.model_copy(update={"model": chosen}), report)
    loaded = time.perf_counter()
    try:
        request = GenerationRequest(
            (ChatMessage(Role.USER, texts.QUESTION),), max_tokens=80, temperature=0.7, top_p=0.9
        )
        said, asked, first, tokens = "", time.perf_counter(), 0.0, 0
        async for chunk in model.stream(request):
            report(texts.ANSWERING)
            first = first or time.perf_counter()
            said, tokens = said + chunk.text, chunk.completion_tokens or tokens
        ended = time.perf_counter()
        told = model.description
    finally:
        await model.aclose()
    timed = tokens > 1 and ended > first
    rate = texts.RATE.format(number=(tokens - 1) / (ended - first)) if timed else texts.TOO_SHORT
    return [
        texts.LOADED.format(name=told.name, detail=told.detail, seconds=loaded - began),
        texts.ASKED.format(words=texts.QUESTION),
        texts.SAID.format(words=said.strip()),
        texts.FIRST_WORD.format(seconds=first - asked, rate=rate),
    ]


def better_model(settings: Model) -> str:
    """The best model that fits this machine and has to be fetched first; empty: there is none better."""
    best = recommended(machine_of(settings), settings)
    return best.name if best is not None and not best.here else ""


def _offered(model: CatalogueModel, settings: Model, machine: Machine) -> OfferedModel:
    need = catalogue_need(model, settings)
    room = machine.free if machine.gguf_on_gpu else machine.memory
    quick = model.source is None or model.name in fitting(machine, settings)
    return OfferedModel(
        model.name,
        model.title,
        model.size,
        here=is_here(model.name, settings),
        need=need,
        licence=model.licence,
        languages=model.languages,
        publisher=model.source.publisher if isinstance(model.source, HubFile) else "",
        comes_along=model.source is None,
        fit="large" if need > room else "" if quick else "slow",
        verified=model.verified,
        about=model.about,
    )


def _download(name: str) -> int:
    """Bytes of disk that fetching it takes."""
    if (model := catalogue_model(name)) is not None:
        return SPARE_BYTES + model.size * (2 if isinstance(model.source, PackageParts) else 1)
    return SPARE_BYTES + 2 * next(known.size.weights for known in KNOWN if known.id == name)
