"""Which model, where from, and does it fit: all that can be said before anything is loaded.

`model.id` is `auto`, `bundled`, a name of the catalogue, a GGUF file, a folder, or a model on the hub: `owner/name`,
and of a repository of GGUF files also `owner/name/file.gguf` or `owner/name:Q4_K_M`. Nothing here touches the network,
and torch is imported for folders of safetensors only.
"""

import importlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from bot.config import Model
from bot.errors import ModelUnavailable
from bot.llm.catalogue import SMALL, catalogue_model, memory_needed
from bot.llm.choosing import (
    BUNDLED,
    HUB,
    KNOWN,
    ModelChoice,
    bundled_folder,
    catalogue_need,
    choose_model,
    in_gib,
    is_here,
    models_folder,
    precision,
)
from bot.llm.files import Quantization, Size, needed_bytes, problem_with_files
from bot.llm.gguf_files import BUNDLED_NAME, NotAGguf, bundled_gguf, find_gguf, names_gguf, read_gguf
from bot.llm.machine import Machine, cores, free_bytes, free_disk, llama_cpp_uses_the_gpu, resolve_device
from bot.llm.repositories import gguf_repository

AUTO = "auto"
BUNDLED_SIZE = Size(linear=106_168_320, other=28_346_688, cache_per_token=23_040)

Engine = Literal["llama.cpp", "transformers"]


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """What would be loaded, with which engine and from where."""

    choice: ModelChoice
    engine: Engine
    device: str
    """"cuda" or "cpu"."""
    place: Path | None
    """The file (llama.cpp) or the folder (transformers); None when it has to be prepared or downloaded first."""
    source: str
    """A few words: "in the program's package", "in the cache", "from the hub", "a folder", "a file"."""
    needed: int | None
    """Bytes of memory it takes; None when that is not known before the download."""
    free: int
    """Bytes of memory that are free on the device now."""
    problem: str = ""
    """One sentence: why it cannot be loaded, and the setting to change. Empty when nothing is in the way."""

    @property
    def title(self) -> str:
        """What people call the model, e.g. "Qwen2.5-1.5B-Instruct"."""
        if self.choice.id == BUNDLED:
            return BUNDLED_NAME
        model = catalogue_model(self.choice.id)
        return model.title if model is not None else Path(self.choice.id).name.removesuffix(".gguf")


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a model is, and what is in the way."""

    place: Path | None
    source: str
    needed: int | None = None
    problem: str = ""


def machine_of(settings: Model) -> Machine:
    """What there is here for a model with these settings. Raises ModelUnavailable as `resolve_device` does."""
    device = resolve_device(settings)
    offloads = device == "cuda" and llama_cpp_uses_the_gpu()
    return Machine(
        device, free_bytes(device), free_bytes("cpu"), cores(), free_disk(settings.cache_dir), gguf_on_gpu=offloads
    )


def describe_choice(settings: Model, *, free: int | None = None) -> ModelPlan:
    """What `settings` stand for on this machine, without loading or downloading it.

    `free` replaces the measured free memory (bytes). Raises ModelUnavailable when nothing can be chosen at all.
    """
    machine = machine_of(settings)
    if free is not None:
        machine = replace(machine, free=free, memory=free)
    if settings.id == AUTO:
        choice = choose_model(machine, settings, lambda name: is_here(name, settings))
    else:
        choice = ModelChoice(BUNDLED if settings.id == SMALL else settings.id, "It is what model.id says.")
    return _plan(choice, settings, machine)


def damaged(name: str, folder: Path, problem: str) -> str:
    """The sentence for a folder whose files cannot be used."""
    where = "" if str(folder) == name else f" in {folder}"
    return f"The model {name}{where} cannot be used: {problem}. Get its files again, or change model.id."


def _plan(choice: ModelChoice, settings: Model, machine: Machine) -> ModelPlan:
    name = choice.id
    engine: Engine = _engine(name, settings, machine.device)
    on_gpu = machine.device == "cuda" and (engine == "transformers" or machine.gguf_on_gpu)
    device, room = ("cuda", machine.free) if on_gpu else ("cpu", machine.memory)
    found = _gguf(name, settings) if engine == "llama.cpp" else _folder(name, settings, device)
    problem = found.problem
    if not problem and found.needed is not None and found.needed > room:
        four_bits = engine == "llama.cpp" or precision(settings, name, device) == "nf4"
        smaller = "" if four_bits else "set model.quantization to nf4, "
        place = "the GPU" if device == "cuda" else "memory"
        problem = (
            f"{name} needs about {in_gib(found.needed)} and {place} has {in_gib(room)} free: {smaller}"
            "choose a smaller model.id, or lower model.kv_cache_tokens."
        )
    return ModelPlan(choice, engine, device, found.place, found.source, found.needed, room, problem)


def _engine(name: str, settings: Model, device: str) -> Engine:
    if settings.engine == "llama.cpp":
        return "llama.cpp"
    if settings.engine == "transformers":
        return "transformers"
    if name == BUNDLED:  # other precisions than the file's own are made by transformers
        return "llama.cpp" if device == "cpu" and settings.quantization == "auto" else "transformers"
    return "llama.cpp" if _is_gguf(name) else "transformers"


def _is_gguf(name: str) -> bool:
    return catalogue_model(name) is not None or gguf_repository(name) is not None or names_gguf(name)


def _gguf(name: str, settings: Model) -> _Found:
    """A model for llama.cpp: the bundled file, one of the catalogue, of a repository, or of the owner's own."""
    try:
        if name == BUNDLED:
            return _read(bundled_gguf(), "in the program's package", settings)
        if _is_own_file(name):
            return _read(find_gguf(name).path, "a file", settings)
        file, needed = _fetched(name, settings)
        return _Found(None, "from its source", needed) if file is None else _read(file, "in the cache", settings)
    except NotAGguf as problem:
        return _Found(None, "a file", problem=damaged_file(name, str(problem)))
    except ModelUnavailable as error:
        return _Found(None, "a file", problem=str(error))


def _fetched(name: str, settings: Model) -> tuple[Path | None, int | None]:
    """The file that was fetched under `name`, if it was, and else the memory it will take, if that is known."""
    if (model := catalogue_model(name)) is not None:
        file = models_folder(settings) / model.file
        return (file, None) if file.exists() else (None, catalogue_need(model, settings))
    repository = gguf_repository(name, always=True)
    if repository is None:
        raise ModelUnavailable(_unknown(name))
    return repository.kept_in(models_folder(settings)), None


def _read(file: Path, source: str, settings: Model) -> _Found:
    header = read_gguf(file)
    tokens = min(settings.kv_cache_tokens, header.context_tokens or settings.kv_cache_tokens)
    return _Found(file, source, memory_needed(header.bytes, header.cache_per_token, tokens))


def _folder(name: str, settings: Model, device: str) -> _Found:
    """A model for transformers: the bundled one, a folder of safetensors, or one on the hub."""
    kept = precision(settings, name, device)
    if name != BUNDLED and _is_gguf(name):
        return _Found(
            None, "a file", problem=f"{name} is a GGUF file, which llama.cpp reads. Set model.engine to auto."
        )
    if name == BUNDLED:
        found = _bundled_folder(settings, kept)
    elif _is_path(name):
        folder = Path(name).expanduser()
        problem = problem_with_files(folder)
        found = _Found(folder, "a folder", problem=damaged(name, folder, problem) if problem else "")
    else:
        if "/" not in name:
            return _Found(None, "from the hub", problem=_unknown(name))
        cached: Path | None = importlib.import_module(HUB).cached_snapshot(name, settings)
        found = _Found(cached, "in the cache" if cached else "from the hub")
    if found.problem:
        return found
    try:
        size = _size(name, found.place)
    except (OSError, ValueError, KeyError, AttributeError) as error:
        text = f"{name} has a configuration that cannot be read ({error}). Choose another model.id."
        return replace(found, problem=text)
    needed = needed_bytes(size, kept, settings.kv_cache_tokens, device) if size is not None else None
    return replace(found, needed=needed)


def _bundled_folder(settings: Model, kept: Quantization) -> _Found:
    folder = bundled_folder(settings.cache_dir, kept)
    if not problem_with_files(folder):
        return _Found(folder, "in the cache")
    try:
        bundled_gguf()
    except ModelUnavailable as error:
        return _Found(None, "in the program's package", problem=str(error))
    return _Found(None, "in the program's package")


def _size(name: str, folder: Path | None) -> Size | None:
    """From the files where there are some, else from the table; None for a model that nobody has measured."""
    if name == BUNDLED:
        return BUNDLED_SIZE
    if folder is not None:
        measured: Size = importlib.import_module("bot.llm.sizes").size_of(folder)
        return measured
    return next((model.size for model in KNOWN if model.id == name), None)


def _is_own_file(name: str) -> bool:
    return catalogue_model(name) is None and gguf_repository(name) is None and (names_gguf(name) or _is_path(name))


def _is_path(name: str) -> bool:
    folder = Path(name).expanduser()
    return folder.exists() or folder.is_absolute() or name.startswith((".", "~"))


def damaged_file(name: str, problem: str) -> str:
    """The sentence for a GGUF file that cannot be used."""
    return (
        f"The model {name} cannot be used: {problem}. "
        f"Get it again (`hello-again model get {name}`), or change model.id."
    )


def _unknown(name: str) -> str:
    return f"There is no model {name}: choose one that `hello-again model list` shows, and set model.id to it."
