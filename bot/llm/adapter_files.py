"""LoRA adapters on disk: which folder each skill has, and what is in it.

A folder holds what PEFT saves: `adapter_config.json` and `adapter_model.safetensors`. Nothing in it is ever run:
pickled weights (`adapter_model.bin`) are not read.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from safetensors import SafetensorError, deserialize

from bot.config import Model
from bot.domain import Skill
from bot.errors import ModelUnavailable
from bot.llm.catalogue import known_file
from bot.llm.skills import GOOD_FOR

SHIPPED = Path(__file__).parent / "adapters"
"""A folder for each model that there are adapters for, by its name in the catalogue; in it one for each skill."""
CONFIG_FILE = "adapter_config.json"
WEIGHTS_FILE = "adapter_model.safetensors"
PICKLED_FILE = "adapter_model.bin"

_NAME = re.compile(r"base_model\.model\.(?P<layer>.+)\.lora_(?P<side>[AB])\.weight")
_WITHOUT_EFFECT = frozenset(
    "auto_mapping base_model_name_or_path corda_config ensure_weight_tying eva_config exclude_modules inference_mode "
    "layers_pattern layers_to_transform lora_dropout lora_ga_config loftq_config megatron_config megatron_core "
    "peft_version qalora_group_size revision runtime_config target_modules task_type".split()
)
"""Entries of PEFT's configuration that say how an adapter was made, not how it is applied."""
_STARTS = (True, False, None, "gaussian", "eva", "orthogonal")
"""Ways to begin training (`init_lora_weights`) that leave the base model as it is. Others, as PiSSA, change it."""

Number = TypeVar("Number", int, float)
Pattern = Annotated[re.Pattern[str], BeforeValidator(lambda end: rf"(.*\.)?({end})$")]
"""PEFT matches the end of a layer's name, from a dot on."""


@dataclass(frozen=True, slots=True)
class AdapterPlace:
    """Where the adapter of a skill is."""

    skill: Skill
    folder: Path
    shipped: bool
    """Whether it comes with the program; else the settings name it."""


@dataclass(frozen=True, slots=True)
class Matrices:
    """What an adapter adds to a linear layer: x → up @ (down @ x). Float32."""

    down: NDArray[np.float32]
    """A, of shape (rank, inputs)."""
    up: NDArray[np.float32]
    """B, scaled, of shape (outputs, rank)."""


class Unusable(Exception):
    """Why an adapter cannot be used, as the part of a sentence that follows a colon."""


class _Config(BaseModel):
    """The entries of `adapter_config.json` that are looked at by name; the others are in `model_extra`."""

    model_config = ConfigDict(extra="allow")

    peft_type: str
    r: int = Field(ge=1)
    lora_alpha: float
    use_rslora: bool = False
    rank_pattern: dict[Pattern, int] = Field(default_factory=dict)
    alpha_pattern: dict[Pattern, float] = Field(default_factory=dict)
    bias: str = "none"
    init_lora_weights: bool | str | None = True

    def rank(self, layer: str) -> int:
        return _by_pattern(self.rank_pattern, layer, self.r)

    def scale(self, layer: str) -> float:
        rank = self.rank(layer)
        return _by_pattern(self.alpha_pattern, layer, self.lora_alpha) / (math.sqrt(rank) if self.use_rslora else rank)


def adapter_places(settings: Model, model: str) -> tuple[AdapterPlace, ...]:
    """The adapters that `settings.adapters` stand for with the model of that id ("bundled", a file, a hub id …)."""
    found: list[AdapterPlace] = []
    for skill in Skill:
        asked = str(getattr(settings.adapters, skill.value))
        shipped = SHIPPED / (known_file(model) or model) / skill.value
        if asked == "auto" and shipped.is_dir():
            found.append(AdapterPlace(skill, shipped, shipped=True))
        elif asked not in {"auto", "off"}:
            found.append(AdapterPlace(skill, Path(asked).expanduser(), shipped=False))
    return tuple(found)


@contextmanager
def explained(place: AdapterPlace) -> Iterator[None]:
    """What is wrong with an adapter becomes a sentence that says what to do."""
    try:
        yield
    except Unusable as error:
        setting = f"model.adapters.{place.skill}"
        if place.shipped:
            raise ModelUnavailable(
                f"The adapter for {GOOD_FOR[place.skill]} that comes with the program cannot be used: {error} "
                f"({place.folder}). Install the program anew, or set {setting} to off."
            ) from error
        raise ModelUnavailable(
            f"{setting} names {place.folder}, which cannot be used: {error}. "
            f"Set {setting} to auto, to off, or to the folder of a LoRA adapter in PEFT's format."
        ) from error


def read_layers(folder: Path) -> dict[str, Matrices]:
    """Name of a linear layer in the base model → what the adapter in `folder` adds to it. Raises Unusable."""
    config = _read_config(folder)
    layers: dict[str, Matrices] = {}
    for layer, sides in _read_weights(folder).items():
        if set(sides) != {"A", "B"}:
            raise Unusable(f"one of the two matrices for {layer} is missing")
        down, up = sides["A"], sides["B"]
        rank = config.rank(layer)
        if down.ndim != 2 or up.ndim != 2 or not down.shape[0] == up.shape[1] == rank:  # noqa: PLR2004 (matrices)
            shapes = f"{tuple(down.shape)} and {tuple(up.shape)}"
            raise Unusable(f"the matrices for {layer} have shapes {shapes}, which is not rank {rank}")
        layers[layer] = Matrices(down, up * np.float32(config.scale(layer)))
    if not layers:
        raise Unusable(f"{WEIGHTS_FILE} is empty")
    return layers


def check_sizes(layer: str, down: Sequence[int], outputs: int, theirs: tuple[int, ...]) -> None:
    """`down`: the shape of A. `theirs`: how many numbers the model's layer takes and gives. Raises Unusable."""
    rank, inputs = down
    if theirs != (inputs, outputs):
        raise Unusable(
            f"for {layer} it takes {inputs} numbers and gives {outputs}, and this model's layer takes "
            f"{' and gives '.join(map(str, theirs))}"
        )
    if rank > min(inputs, outputs):
        raise Unusable(f"its rank for {layer} is {rank}, more than the layer's own")


def _read_config(folder: Path) -> _Config:
    if not folder.is_dir():
        raise Unusable("there is no such folder")
    try:
        config = _Config.model_validate_json((folder / CONFIG_FILE).read_bytes())
    except OSError as error:
        raise Unusable(f"{CONFIG_FILE} is missing or cannot be read") from error
    except ValidationError as error:
        raise Unusable(f"{CONFIG_FILE} is damaged, or not that of a LoRA adapter") from error
    if config.peft_type != "LORA":
        raise Unusable(f"it is an adapter of the kind {config.peft_type}, and only LORA is supported")
    if config.init_lora_weights not in _STARTS:
        raise Unusable(f"it belongs to a base model that {config.init_lora_weights} has changed")
    more = {**(config.model_extra or {}), f"bias {config.bias}": config.bias != "none"}
    needs = sorted(name for name, value in more.items() if value and name not in _WITHOUT_EFFECT)
    if needs:
        raise Unusable(f"it needs {', '.join(needs)}, which this program does not support")
    return config


def _read_weights(folder: Path) -> dict[str, dict[str, NDArray[np.float32]]]:
    """Layer → "A" and "B" → matrix."""
    file = folder / WEIGHTS_FILE
    if not file.is_file():
        if (folder / PICKLED_FILE).is_file():
            raise Unusable(f"{PICKLED_FILE} could run code when it is read; save it as {WEIGHTS_FILE}")
        raise Unusable(f"{WEIGHTS_FILE} is missing")
    try:
        weights = deserialize(file.read_bytes())  # type: ignore[no-untyped-call]  # not annotated in safetensors
    except (OSError, SafetensorError) as error:
        raise Unusable(f"{WEIGHTS_FILE} is damaged") from error
    layers: dict[str, dict[str, NDArray[np.float32]]] = {}
    for name, stored in weights:
        found = _NAME.fullmatch(name)
        if found is None:
            raise Unusable(f"{name} is not the weight of a LoRA layer")
        weight = _floats(stored["dtype"], stored["data"])
        if weight is None or not np.isfinite(weight).all():
            raise Unusable(f"{name} holds something else than finite numbers")
        layers.setdefault(found["layer"], {})[found["side"]] = weight.reshape(stored["shape"])
    return layers


def _floats(kind: str, stored: bytes | bytearray) -> NDArray[np.float32] | None:
    """The numbers that a safetensors file holds; None for another kind than floating point."""
    if kind == "BF16":  # the upper half of a float32
        return (np.frombuffer(stored, np.uint16).astype(np.uint32) << 16).view(np.float32)
    same = {"F16": np.float16, "F32": np.float32, "F64": np.float64}.get(kind)
    return np.frombuffer(stored, same).astype(np.float32) if same is not None else None


def _by_pattern(patterns: Mapping[Pattern, Number], layer: str, otherwise: Number) -> Number:
    """What the first pattern that matches says."""
    return next((value for end, value in patterns.items() if end.match(layer)), otherwise)
