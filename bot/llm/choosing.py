"""What `model.id: auto` stands for: the best model that is here and fits the machine. Asks no hub, imports no torch."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.config import Model
from bot.llm.catalogue import CATALOGUE, SMALL, CatalogueModel, catalogue_model, memory_needed
from bot.llm.files import Quantization, Size, needed_bytes
from bot.llm.gguf_files import BUNDLED_NAME as NAME
from bot.llm.gguf_files import NotAGguf, read_gguf
from bot.llm.machine import Machine

BUNDLED = "bundled"
HUB = "bot.llm.hub"
"""Imported where it is wanted: it brings the hub's client."""
GIB = 1 << 30
LEAST_MEMORY = 4_000_000_000
"""Bytes of main memory that have to be free before `auto` takes more than the bundled model there."""
CPU_BYTES_PER_CORE = 1_600_000_000
"""The largest file for which a reply still begins within seconds, for each processor: with it some 30 tokens of prompt
a second are read, as measured with a file of 1.1 GB on two cores (82 tokens a second)."""
NF4_BYTES = 0.6
"""Bytes of a weight in four bits, to compare with the size of a GGUF file."""
RECOMMEND = "`hello-again model recommend`"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model on the hub that transformers run in four bits on a GPU: Apache-2.0, no account needed."""

    id: str
    size: Size


KNOWN: Sequence[KnownModel] = (
    KnownModel("Qwen/Qwen3-14B", Size(13_212_057_600, 1_556_249_600, 163_840)),
    KnownModel("Qwen/Qwen3-8B", Size(6_945_767_424, 1_244_967_936, 147_456)),
    KnownModel("Qwen/Qwen3-4B-Instruct-2507", Size(3_633_315_840, 389_152_256, 147_456)),
    KnownModel("Qwen/Qwen3-1.7B", Size(1_409_286_144, 311_288_832, 114_688)),
    KnownModel("Qwen/Qwen3-0.6B", Size(440_401_920, 155_648_000, 114_688)),
)
"""Largest first. Sizes follow from the models' published configurations."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model and, in a sentence, why this one."""

    id: str
    reason: str


def models_folder(settings: Model) -> Path:
    """Where the files of models are kept that `make chat` and `hello-again model get` fetched."""
    return settings.cache_dir.expanduser() / "models"


def choose_model(machine: Machine, settings: Model, here: Callable[[str], bool]) -> ModelChoice:
    """The model that `auto` stands for: the best of those that are `here` and fit the machine. Asks no hub."""
    ranked = fitting(machine, settings)
    chosen = next((name for name in ranked if here(name)), BUNDLED)
    better = ranked[0] if ranked and ranked[0] != chosen else ""  # it is not here, or it would be the one
    hint = f" {better} is larger and would fit as well: {RECOMMEND} says how to get it." if better else ""
    room = f"{in_gib(machine.free)} free on the {'GPU' if machine.device == 'cuda' else 'CPU'}"
    if chosen != BUNDLED:
        return ModelChoice(chosen, f"The best that is here and fits into {room}.{hint}")
    why = _why_nothing_better(machine, settings, ranked)
    return ModelChoice(BUNDLED, f"{why}, so {NAME}, which comes with the program, answers.{hint}")


def fitting(machine: Machine, settings: Model) -> list[str]:
    """The models better than the bundled one that fit the machine, best first, whether they are here or not.

    On a GPU those for transformers come before GGUF files of the same size: four bits there serve many people at once.
    """
    ggufs = reversed(CATALOGUE) if settings.engine != "transformers" else ()
    files = [model for model in ggufs if model.name != SMALL and _gguf_fits(model, machine, settings)]
    files.sort(key=lambda model: not model.verified)
    if machine.device != "cuda" or settings.engine == "llama.cpp":
        return [model.name for model in files]
    there = [model for model in KNOWN if need_on_gpu(model, settings) <= machine.free]
    both = [(int(NF4_BYTES * model.size.weights), 1, model.id) for model in there]
    both += [(model.size, 0, model.name) for model in files]
    return [name for _, _, name in sorted(both, reverse=True)]


def catalogue_need(model: CatalogueModel, settings: Model) -> int:
    """Bytes of memory that a model of the catalogue takes with these settings."""
    return memory_needed(model.size, model.cache_per_token, min(settings.kv_cache_tokens, model.context))


def is_here(name: str, settings: Model) -> bool:
    """Whether a model of the catalogue or of KNOWN lies in the cache, whole, or comes with the program."""
    model = catalogue_model(name)
    if model is None:
        return importlib.import_module(HUB).cached_snapshot(name, settings) is not None
    return model.source is None or _whole(models_folder(settings) / model.file)


def precision(settings: Model, name: str, device: str) -> Quantization:
    """How transformers keep the weights of model `name` on `device`: what the settings say, or what `auto` stands for.

    The bundled model's file is 4-bit already; making NF4 of it loses words a second time and, on a CPU, saves no time.
    """
    if settings.quantization != "auto":
        return settings.quantization
    return "none" if name == BUNDLED and device == "cpu" else "nf4"


def bundled_folder(cache_dir: Path, quantization: Quantization) -> Path:
    """Where the prepared model is, or will be."""
    return cache_dir.expanduser() / "bundled" / (f"{NAME}-nf4" if quantization == "nf4" else NAME)


def need_on_gpu(model: KnownModel, settings: Model) -> int:
    """Bytes of a GPU's memory that a model takes with these settings."""
    return needed_bytes(model.size, precision(settings, model.id, "cuda"), settings.kv_cache_tokens, "cuda")


def _gguf_fits(model: CatalogueModel, machine: Machine, settings: Model) -> bool:
    need = catalogue_need(model, settings)
    if machine.gguf_on_gpu:
        return need <= machine.free
    return need <= machine.memory >= LEAST_MEMORY and model.size <= CPU_BYTES_PER_CORE * machine.cores


def _why_nothing_better(machine: Machine, settings: Model, ranked: Sequence[str]) -> str:
    if ranked:
        return "There is no GPU to use and no better model is here" if machine.device == "cpu" else "No better is here"
    if machine.device == "cpu":
        return f"There is no GPU to use, and {in_gib(machine.memory)} of memory are free, too little for a better model"
    least = min(need_on_gpu(model, settings) for model in KNOWN)
    return f"The GPU has {in_gib(machine.free)} free and the smallest better model needs {in_gib(least)}"


def _whole(file: Path) -> bool:
    try:
        read_gguf(file)
    except NotAGguf:
        return False
    return True


def in_gib(size: int) -> str:
    """A size as people read it."""
    return f"{size / GIB:.1f} GiB"
