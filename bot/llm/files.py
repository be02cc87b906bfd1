"""A model's folder, looked at without loading it: is it whole, and how much memory will it take?"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Quantization = Literal["nf4", "int8", "none"]

BYTES_PER_WEIGHT: Mapping[Quantization, float] = {"nf4": 0.5625, "int8": 1.0, "none": 2.0}
"""Of the weights in linear layers. NF4: 4 bits, and a 32-bit scale for each 64 weights. All others take 2 bytes."""
WORKING_BYTES = {"cuda": 1 << 30, "cpu": 1 << 29}
"""Room for activations, the libraries' own, and fragmentation."""
HEADER_LENGTH = 8
"""Bytes at the start of a safetensors file that give the length of its header."""


@dataclass(frozen=True, slots=True)
class Size:
    """What a model is made of."""

    linear: int
    """Weights in linear layers other than the output layer: those that are quantized."""
    other: int
    """Weights of embeddings, the output layer and norms."""
    cache_per_token: int
    """Bytes of one token in the KV cache, in 16-bit."""

    @property
    def weights(self) -> int:
        """All weights."""
        return self.linear + self.other


def needed_bytes(size: Size, quantization: Quantization, kv_cache_tokens: int, device: str) -> int:
    """The memory a loaded model takes, in bytes: weights, KV cache, and room to work. `device` is "cuda" or "cpu"."""
    weights = int(size.linear * BYTES_PER_WEIGHT[quantization]) + 2 * size.other
    return weights + size.cache_per_token * kv_cache_tokens + WORKING_BYTES[device]


def problem_with_files(folder: Path) -> str:
    """What is wrong with the model files in `folder`, e.g. "model.safetensors is cut short"; empty when all are whole.

    Reads headers only, no weights.
    """
    if not folder.is_dir():
        return "the folder does not exist"
    if not (folder / "config.json").is_file():
        return "config.json is missing"
    if not any(
        (folder / name).is_file() for name in ("tokenizer.json", "tokenizer.model", "vocab.json", "tekken.json")
    ):
        return "the tokenizer is missing"
    try:
        shards = _shards(folder)
    except (OSError, ValueError, KeyError, AttributeError):
        return "model.safetensors.index.json is damaged"
    if not shards:
        return "there is no .safetensors file in it"
    return next((problem for name in shards if (problem := _problem_with_shard(folder / name))), "")


def _shards(folder: Path) -> list[str]:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        return sorted(set(json.loads(index.read_text("utf-8"))["weight_map"].values()))
    return sorted(file.name for file in folder.glob("*.safetensors"))


def _problem_with_shard(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            length = int.from_bytes(opened.read(HEADER_LENGTH), "little")
            actual = file.stat().st_size
            if length + HEADER_LENGTH > actual:
                return f"{file.name} is cut short"
            header = json.loads(opened.read(length))
        end = max((entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"), default=0)
    except FileNotFoundError:
        return f"{file.name} is missing"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return f"{file.name} is damaged"
    return f"{file.name} is cut short" if actual < HEADER_LENGTH + length + end else ""
