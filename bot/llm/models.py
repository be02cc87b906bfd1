"""Which model, where from, and does it fit: all that can be said before anything is loaded.

`model.id` is `auto`, `bundled`, a folder, or a model on the hub. The network is touched for a hub model that is not in
the cache yet, and for nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import torch
from huggingface_hub import HfApi, snapshot_download
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    RepositoryNotFoundError,
)

from bot.config import Model
from bot.errors import ModelUnavailable
from bot.llm.bundled import NAME, bundled_folder, bundled_gguf, prepare_bundled
from bot.llm.files import Quantization, Size, needed_bytes, problem_with_files, size_of
from bot.llm.quiet import quiet_libraries
from bot.ports import Report

AUTO = "auto"
BUNDLED = "bundled"
GIB = 1 << 30
HUB_FILES = ("*.json", "*.safetensors", "*.model", "*.jinja", "*.txt")
HUB_TIMEOUT_S = 5.0
CGROUP = Path("/sys/fs/cgroup")
BUNDLED_SIZE = Size(linear=106_168_320, other=28_346_688, cache_per_token=23_040)


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model that `auto` may pick: Apache-2.0, no account needed."""

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


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """What would be loaded, for `bot doctor`."""

    choice: ModelChoice
    device: str
    """"cuda" or "cpu"."""
    folder: Path | None
    """Where its files are; None when they have to be downloaded first."""
    source: str
    """A few words: "in the program's package", "in the cache", "from the hub", "a folder"."""
    needed: int | None
    """Bytes of memory it takes; None when that is not known before the download."""
    free: int
    """Bytes of memory that are free on the device now."""
    problem: str = ""
    """One sentence: why it cannot be loaded, and the setting to change. Empty when nothing is in the way."""


def choose_model(
    free_gpu: int | None, settings: Model, obtainable: Callable[[str], bool], known: Sequence[KnownModel] = KNOWN
) -> ModelChoice:
    """The model that `auto` stands for: the largest that fits into `free_gpu` bytes (None: there is no GPU).

    `obtainable` says whether a model is in the cache or the hub has it; it is asked only for models that fit.
    """
    if free_gpu is None:
        return ModelChoice(BUNDLED, f"There is no GPU to use, so {NAME}, which comes with the program, answers.")
    fitting = [model for model in known if _need_on_gpu(model, settings) <= free_gpu]
    if not fitting:
        least = min(_need_on_gpu(model, settings) for model in known)
        return ModelChoice(
            BUNDLED,
            f"The GPU has {_gib(free_gpu)} free and the smallest better model needs {_gib(least)}, "
            f"so {NAME}, which comes with the program, answers.",
        )
    for model in fitting:
        if obtainable(model.id):
            need = _gib(_need_on_gpu(model, settings))
            return ModelChoice(model.id, f"The largest that fits: it needs {need} of the {_gib(free_gpu)} free.")
    return ModelChoice(
        BUNDLED,
        f"{fitting[0].id} would fit, but no model hub is in reach and none is in the cache, "
        f"so {NAME}, which comes with the program, answers.",
    )


def precision(settings: Model, name: str, device: str) -> Quantization:
    """How the weights of model `name` are kept on `device`: what the settings say, or what `auto` stands for.

    The bundled model's file is 4-bit already; making NF4 of it loses words a second time and, on a CPU, saves no time.
    """
    if settings.quantization != "auto":
        return settings.quantization
    return "none" if name == BUNDLED and device == "cpu" else "nf4"


def resolve_device(settings: Model) -> str:
    """The device to use: "cuda" or "cpu". Raises ModelUnavailable when a GPU is asked for and there is none."""
    available = torch.cuda.is_available()
    if settings.device == "cuda" and not available:
        raise ModelUnavailable(
            "model.device is cuda, but no CUDA GPU can be used here. Set model.device to auto or cpu."
        )
    return "cuda" if available and settings.device != "cpu" else "cpu"


def free_bytes(device: str) -> int:
    """Memory that is free now on "cuda" or "cpu", in bytes. In a container, within its limit."""
    if device == "cuda":
        return int(torch.cuda.mem_get_info()[0])
    free = int(psutil.virtual_memory().available)
    try:
        limit = int((CGROUP / "memory.max").read_text("ascii"))
        used = int((CGROUP / "memory.current").read_text("ascii"))
    except (OSError, ValueError):  # no such limit here
        return free
    return min(free, max(limit - used, 0))


def describe_choice(settings: Model, *, free: int | None = None) -> ModelPlan:
    """What `settings` stand for on this machine, without loading or downloading it.

    `free` replaces the measured free memory (bytes). Raises ModelUnavailable when nothing can be chosen at all.
    """
    quiet_libraries()
    device = resolve_device(settings)
    room = free_bytes(device) if free is None else free
    if settings.id == AUTO:
        choice = choose_model(room if device == "cuda" else None, settings, lambda name: _obtainable(name, settings))
    else:
        choice = ModelChoice(settings.id, "It is what model.id says.")
    kept = precision(settings, choice.id, device)
    folder, source, problem = _files(choice.id, settings, kept)
    size: Size | None = None
    if not problem:
        try:
            size = _size(choice.id, folder)
        except (OSError, ValueError, KeyError, AttributeError) as error:
            problem = f"{choice.id} has a configuration that cannot be read ({error}). Choose another model.id."
    needed = needed_bytes(size, kept, settings.kv_cache_tokens, device) if size is not None else None
    if not problem and needed is not None and needed > room:
        problem = _too_large(choice.id, needed, room, device, kept)
    return ModelPlan(choice, device, folder, source, needed, room, problem)


def obtain(plan: ModelPlan, settings: Model, progress: Report, *, afresh: bool = False) -> Path:
    """The folder with the files of `plan`'s model: prepares or downloads them where needed. Blocks.

    Raises ModelUnavailable. `afresh` prepares the bundled model again even when its files look whole.
    """
    if plan.problem:
        raise ModelUnavailable(plan.problem)
    if plan.choice.id == BUNDLED:
        return prepare_bundled(settings.cache_dir, precision(settings, BUNDLED, plan.device), progress, afresh=afresh)
    if plan.folder is not None:
        return plan.folder
    progress(f"Downloading {plan.choice.id} to {_hub_cache(settings)} (once).")
    try:
        folder = Path(snapshot_download(plan.choice.id, cache_dir=_hub_cache(settings), allow_patterns=list(HUB_FILES)))
    except (GatedRepoError, RepositoryNotFoundError, HFValidationError) as error:
        raise ModelUnavailable(
            f"The hub has no model {plan.choice.id} that can be had without an account. Check model.id."
        ) from error
    except (HfHubHTTPError, LocalEntryNotFoundError, httpx.HTTPError, OSError) as error:
        raise ModelUnavailable(
            f"{plan.choice.id} cannot be downloaded ({type(error).__name__}). Check the connection and the space in "
            f"{settings.cache_dir}, or set model.id to bundled or to a folder."
        ) from error
    if problem := problem_with_files(folder):
        raise ModelUnavailable(_damaged(plan.choice.id, folder, problem))
    return folder


def _files(name: str, settings: Model, kept: Quantization) -> tuple[Path | None, str, str]:
    """Where the files of a model are, in words where from, and what is in the way."""
    if name == BUNDLED:
        return _bundled_files(settings, kept)
    folder = Path(name).expanduser()
    if folder.is_dir() or folder.is_absolute() or name.startswith((".", "~")):
        problem = problem_with_files(folder)
        return folder, "a folder", _damaged(name, folder, problem) if problem else ""
    cached = _cached(name, settings)
    return cached, "in the cache" if cached else "from the hub", ""


def _bundled_files(settings: Model, kept: Quantization) -> tuple[Path | None, str, str]:
    folder = bundled_folder(settings.cache_dir, kept)
    if not problem_with_files(folder):
        return folder, "in the cache", ""
    try:
        bundled_gguf()
    except ModelUnavailable as error:
        return None, "in the program's package", str(error)
    return None, "in the program's package", ""


def _size(name: str, folder: Path | None) -> Size | None:
    """From the files where there are some, else from the table; None for a model that nobody has measured."""
    if name == BUNDLED:
        return BUNDLED_SIZE
    if folder is not None:
        return size_of(folder)
    return next((model.size for model in KNOWN if model.id == name), None)


def _need_on_gpu(model: KnownModel, settings: Model) -> int:
    return needed_bytes(model.size, precision(settings, model.id, "cuda"), settings.kv_cache_tokens, "cuda")


def _hub_cache(settings: Model) -> Path:
    return settings.cache_dir.expanduser() / "hub"


def _cached(name: str, settings: Model) -> Path | None:
    """The folder of a hub model that was downloaded whole; None when it was not."""
    try:
        folder = Path(snapshot_download(name, cache_dir=_hub_cache(settings), local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError, OSError):
        return None
    return None if problem_with_files(folder) else folder


def _obtainable(name: str, settings: Model) -> bool:
    """Whether a model is in the cache, or the hub answers for it within HUB_TIMEOUT_S."""
    if _cached(name, settings) is not None:
        return True
    try:
        HfApi().model_info(name, timeout=HUB_TIMEOUT_S)
    except (HfHubHTTPError, httpx.HTTPError, OSError):
        return False
    return True


def _too_large(name: str, needed: int, free: int, device: str, kept: Quantization) -> str:
    place = "the GPU" if device == "cuda" else "memory"
    smaller = "" if kept == "nf4" else "set model.quantization to nf4, "
    return (
        f"{name} needs about {_gib(needed)} and {place} has {_gib(free)} free: {smaller}"
        "choose a smaller model.id, or lower model.kv_cache_tokens."
    )


def _damaged(name: str, folder: Path, problem: str) -> str:
    where = "" if str(folder) == name else f" in {folder}"
    return f"The model {name}{where} cannot be used: {problem}. Get its files again, or change model.id."


def _gib(size: int) -> str:
    return f"{size / GIB:.1f} GiB"
