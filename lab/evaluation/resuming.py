"""Pieces of a long measurement, kept as they are finished, so that a run that was stopped goes on where it was.

A file of JSON lines: the first holds the fingerprint of all that the figures depend on, every other one finished piece.
The fingerprint is in the file's name too, so that runs that differ leave each other's pieces alone; and while a run is
at it, the kernel keeps others out of its file, until the process ends, however it ends. A line that was torn by a kill
counts as not finished, and so does all that follows it; a file that cannot be read is begun anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Generic, Self, TypeVar

from pydantic import TypeAdapter, ValidationError

import bot
import lab
from bot.config import Settings
from bot.errors import BadInput

PACKAGES = (Path(bot.__file__).resolve().parent, Path(lab.__file__).resolve().parent)
"""Their code and templates are the version."""
VERSIONED = frozenset({".py", ".j2", ".npz", ".yaml", ".safetensors"})

WORDS = frozenset({"auto", "off"})
"""Values of `model.adapters` that are no folders."""

SHOWN = 12
"""Characters of the fingerprint in a file's name."""

KEPT_DAYS = 7
"""For so long the pieces of a stopped run are kept while other runs of the same evaluation go on and finish."""

LOOKS = 3
"""How often a file is tried that another process has: it may only be looking whether somebody is at it."""
LOOK_S = 0.05

T = TypeVar("T")


def fingerprint(settings: Settings, files: Iterable[Path], *options: object) -> str:
    """A digest of the settings, the content of `files`, the program's code and whatever else the figures depend on.

    Adapters count by their weights: the same folder can hold others tomorrow. Where things are stored and what is
    logged does not count. Raises BadInput for a file that cannot be read.
    """
    digest = hashlib.sha256()
    chosen = settings.model_dump(mode="json", exclude={"storage", "log", "backup", "owners", "adapters"})
    digest.update(json.dumps([chosen, [str(option) for option in options]], sort_keys=True).encode())
    code = sorted(path for package in PACKAGES for path in package.rglob("*") if path.suffix in VERSIONED)
    for path in (*code, *_adapters(settings), *files):
        try:
            content = path.read_bytes()
        except OSError as error:
            raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
        digest.update(path.name.encode() + hashlib.sha256(content).digest())
    return digest.hexdigest()


def _adapters(settings: Settings) -> list[Path]:
    """The weights in the folders that the settings name; those that are shipped are part of the program."""
    named = [Path(name).expanduser() for name in settings.model.adapters.model_dump().values() if name not in WORDS]
    return sorted(file for folder in named for file in folder.glob("*.safetensors"))


def progress_file(settings: Settings, name: str) -> Path:
    """Where the finished pieces of the evaluation `name` are kept until all of them are there, see `Pieces`."""
    return settings.model.cache_dir.expanduser() / "evaluations" / f"{name}.jsonl"


class Pieces(Generic[T]):
    """Finished pieces by key; a context manager. `kind` says how a piece is spelt and read back.

    `found`: how many pieces an earlier run had finished. `outdated`: whether there are none, but of an earlier run of
    the same evaluation, which was stopped, and something that they depend on is different now.
    """

    def __init__(self, path: Path, fingerprint: str, kind: TypeAdapter[T]) -> None:
        """Reads what is there. The file is `path` with the beginning of the fingerprint in its name.

        Raises BadInput when the file can be neither read nor written, and when the same run is going on elsewhere.
        """
        self._path = path.with_name(f"{path.stem}-{fingerprint[:SHOWN]}{path.suffix}")
        self._fingerprint = fingerprint
        self._kind = kind
        self._done: dict[str, T] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _alone(self._path)
            others = [self._was_stopped(other) for other in sorted(path.parent.glob(f"{path.stem}-*{path.suffix}"))]
            torn = self._begin()
        except BlockingIOError:
            raise BadInput(
                f"The same evaluation is going on already, in another process (it has {self._path}). "
                "Wait for its end, or stop it first."
            ) from None
        except OSError as error:
            raise BadInput(f"{path} cannot be used: {error.strerror or error}.") from None
        self.found = len(self._done)
        self.outdated = not self.found and (torn or any(others))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def __contains__(self, key: str) -> bool:
        return key in self._done

    def __getitem__(self, key: str) -> T:
        """A finished piece. Raises KeyError."""
        return self._done[key]

    def add(self, key: str, piece: T) -> None:
        """Keeps a piece that is finished. Raises BadInput when the disk is full."""
        self._done[key] = piece
        try:
            self._write([key, self._kind.dump_python(piece, mode="json")])
        except OSError as error:
            raise BadInput(f"{self._path} cannot be written: {error.strerror or error}.") from None

    def finish(self) -> None:
        """Deletes the file: everything is there, and the next run begins anew."""
        self._path.unlink(missing_ok=True)
        self._file.close()

    @property
    def told(self) -> str:
        """What a person should know of an earlier run; empty: there was none."""
        if self.outdated:
            return (
                "An earlier run was stopped; settings, data or code have changed since, so everything begins anew. "
                f"What it had finished is kept for {KEPT_DAYS} days."
            )
        return f"Going on: {self.found} pieces were finished by an earlier run." if self.found else ""

    def _begin(self) -> bool:
        """Reads what is finished, and cuts off what is not; True when nothing of what there was is of use."""
        self._file.seek(0)
        good = 0
        for line in self._file:
            if not line.endswith(b"\n") or not (self._take(line) if good else _header(line) == self._fingerprint):
                break
            good += len(line)
        torn = not good and self._file.tell() > 0
        self._file.truncate(good)
        if not good:
            self._write({"fingerprint": self._fingerprint})
        return torn

    def _take(self, line: bytes) -> bool:
        """Takes over a finished piece; False when the line holds none."""
        try:
            key, piece = json.loads(line)
            self._done[str(key)] = self._kind.validate_python(piece)
        except (ValueError, TypeError, ValidationError):
            return False
        return True

    def _was_stopped(self, other: Path) -> bool:
        """Whether a file is of another run, at which nobody is any more. When it is old, it goes."""
        if other == self._path:
            return False
        try:
            with other.open("r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if time.time() - os.fstat(file.fileno()).st_mtime > KEPT_DAYS * 24 * 60 * 60:
                    other.unlink()
        except (BlockingIOError, FileNotFoundError, PermissionError):  # somebody is at it, has finished it, or owns it
            return False
        return True

    def _write(self, line: object) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()


def _alone(path: Path) -> BinaryIO:
    """The file, made where it is missing, for this process alone. Raises BlockingIOError when another one is at it."""
    looks = 0
    while True:
        file = path.open("a+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            looks += 1
            if looks == LOOKS:
                raise
            time.sleep(LOOK_S)
            continue
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # it was deleted before it was ours


def _header(line: bytes) -> str | None:
    try:
        header = json.loads(line)
    except ValueError:
        return None
    found = header.get("fingerprint") if isinstance(header, dict) else None
    return found if isinstance(found, str) else None
