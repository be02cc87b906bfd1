"""PEFT's adapters for llama.cpp: turned into GGUF once, in the cache folder, and checked against the model's file."""

import hashlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray

from bot.domain import Skill
from bot.errors import ModelUnavailable
from bot.llm.adapter_files import (
    CONFIG_FILE,
    WEIGHTS_FILE,
    AdapterPlace,
    Matrices,
    Unusable,
    check_sizes,
    explained,
    read_layers,
)
from bot.llm.gguf_files import GgufFile

FORMAT = "1"
"""Changes when what is written below does, so that older files are not used any more."""
ARCHITECTURES = {"llama": True, "qwen2": False, "qwen3": False}
"""Architecture → whether its GGUF files have the rows of the queries' and keys' weights in an order of their own."""


def converted(places: tuple[AdapterPlace, ...], base: GgufFile, cache_dir: Path) -> dict[Skill, Path]:
    """The GGUF file of each adapter; writes those that are not there yet.

    Raises ModelUnavailable, with a sentence that names the setting, when one is missing, damaged, or for another model.
    """
    files: dict[Skill, Path] = {}
    for place in places:
        with explained(place):
            layers = read_layers(place.folder)
            renamed = _renamed(layers, base)
            file = _place_in_cache(place, base, cache_dir)
            if not file.is_file():
                _write(file, renamed, base)
        files[place.skill] = file
    return files


def _renamed(layers: Mapping[str, Matrices], base: GgufFile) -> dict[str, Matrices]:
    """The layers by the names that they have in GGUF files. Raises Unusable for an adapter to another model."""
    if base.architecture not in ARCHITECTURES:
        raise Unusable(f"adapters for GGUF models of the kind {base.architecture} are not supported")
    names = gguf.get_tensor_name_map(getattr(gguf.MODEL_ARCH, base.architecture.upper()), base.blocks)
    shapes = {shape.name: shape.sizes for shape in base.shapes}
    renamed: dict[str, Matrices] = {}
    for layer, added in layers.items():
        name = str(names.get_name(layer))
        sizes = shapes.get(f"{name}.weight")
        if sizes is None:
            raise Unusable(f"it changes {layer}, which this model does not have")
        if not name.startswith("blk."):
            raise Unusable(f"it changes {layer}; only the linear layers of attention and of the blocks can be changed")
        check_sizes(layer, added.down.shape, added.up.shape[0], sizes)
        renamed[name] = added
    return renamed


def _place_in_cache(place: AdapterPlace, base: GgufFile, cache_dir: Path) -> Path:
    """Named after what it is made of: a changed adapter is another file."""
    made_of = hashlib.sha256(f"{FORMAT} {base.architecture} {base.heads} {base.heads_of_keys}".encode())
    for name in (CONFIG_FILE, WEIGHTS_FILE):
        made_of.update((place.folder / name).read_bytes())
    return cache_dir.expanduser() / "adapters" / f"{place.skill}-{made_of.hexdigest()[:16]}.gguf"


def _write(file: Path, layers: Mapping[str, Matrices], base: GgufFile) -> None:
    """Atomic: the file appears under its name when it is whole, also when two processes write it at once."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=".writing-") as scratch:
            whole = Path(scratch) / file.name
            _write_whole(whole, layers, base)
            os.replace(whole, file)  # noqa: PTH105  (says that it replaces)
    except OSError as error:
        raise ModelUnavailable(
            f"The model's adapters cannot be prepared in {file.parent}: {error.strerror or error}. "
            "Set model.cache_dir to a folder that can be written."
        ) from error


def _write_whole(file: Path, layers: Mapping[str, Matrices], base: GgufFile) -> None:
    writer = gguf.GGUFWriter(file, base.architecture)
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    for name, added in layers.items():
        writer.add_tensor(f"{name}.weight.lora_a", added.down)
        writer.add_tensor(f"{name}.weight.lora_b", np.ascontiguousarray(_in_files_order(name, added.up, base)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _in_files_order(name: str, up: NDArray[np.float32], base: GgufFile) -> NDArray[np.float32]:
    """The rows of B as the rows of the layer are in the file.

    Rotary embeddings turn pairs of numbers: transformers pairs each with the one half a head further, llama.cpp's
    "llama" pairs neighbours.
    """
    if not ARCHITECTURES[base.architecture] or not name.endswith(("attn_q", "attn_k")):
        return up
    heads = base.heads if name.endswith("attn_q") else base.heads_of_keys
    halves = up.reshape(heads, 2, up.shape[0] // heads // 2, up.shape[1])
    return halves.swapaxes(1, 2).reshape(up.shape)
