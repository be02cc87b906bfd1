"""Weights files: numpy arrays without pickles, and what they were made from as JSON beside them."""

import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bot.errors import ModelUnavailable

About = Mapping[str, Any]
Arrays = Mapping[str, NDArray[Any]]
T = TypeVar("T")

_BROKEN = (OSError, EOFError, ValueError, LookupError, TypeError, zipfile.BadZipFile, zlib.error)


def read(source: Traversable, what: str, advice: str, version: int, unpack: Callable[[About, Arrays], T]) -> T:
    """What `unpack` makes of the file's arrays; it raises ValueError or LookupError when they do not fit each other.

    `what` and `advice` are told to people: "the trait gate", and a sentence on how to make the file anew. Raises
    ModelUnavailable when the file is missing, damaged or of another `version`.
    """
    try:
        with source.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        about = json.loads(arrays.pop("about").tobytes())
        if not isinstance(about, dict) or about.get("format") != version:
            raise ValueError("another format")
        return unpack(about, arrays)
    except FileNotFoundError:
        raise ModelUnavailable(f"The weights of {what} are missing at {source}. {advice}") from None
    except _BROKEN as error:
        raise ModelUnavailable(f"The weights of {what} at {source} are damaged or too old: {error}. {advice}") from None


def write(path: Path, about: About, version: int, arrays: Arrays) -> None:
    """Writes a file that `read` reads: the same bytes for the same weights. Raises OSError."""
    told = json.dumps({"format": version, **about}, sort_keys=True).encode()
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, about=np.frombuffer(told, dtype=np.uint8), **arrays)


def finite(array: NDArray[Any]) -> NDArray[np.float32]:
    """As float32. Raises ValueError for a number that is not finite."""
    if not np.all(np.isfinite(array)):
        raise ValueError("numbers that are not finite")
    return array.astype(np.float32)
