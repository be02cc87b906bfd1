"""Pieces of a long measurement, kept as they are finished, so that a run that was stopped goes on where it was.

A file of JSON lines: the first holds the fingerprint of all that the figures depend on, every other one finished piece.
A file with another fingerprint is of no use and is begun anew; so is one that cannot be read. A line that was torn by
a kill counts as not finished, and so does all that follows it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TextIO, TypeVar

from pydantic import TypeAdapter, ValidationError

from bot.config import Settings
from bot.errors import BadInput

PACKAGE = Path(__file__).resolve().parents[1]
"""The program's own folder: its code and templates are the version."""
VERSIONED = frozenset({".py", ".j2", ".npz", ".yaml"})

T = TypeVar("T")


def fingerprint(settings: Settings, files: Iterable[Path], *options: object) -> str:
    """A digest of the settings, the content of `files`, the program's code and whatever else the figures depend on.

    Where things are stored and what is logged does not count. Raises BadInput for a file that cannot be read.
    """
    digest = hashlib.sha256()
    chosen = settings.model_dump(mode="json", exclude={"storage", "log", "backup", "owners", "adapters"})
    digest.update(json.dumps([chosen, [str(option) for option in options]], sort_keys=True).encode())
    code = sorted(path for path in PACKAGE.rglob("*") if path.suffix in VERSIONED)
    for path in (*code, *files):
        try:
            content = path.read_bytes()
        except OSError as error:
            raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
        digest.update(path.name.encode() + hashlib.sha256(content).digest())
    return digest.hexdigest()


def progress_file(settings: Settings, name: str) -> Path:
    """Where the finished pieces of the evaluation `name` are kept until all of them are there."""
    return settings.model.cache_dir.expanduser() / "evaluations" / f"{name}.jsonl"


class Pieces(Generic[T]):
    """Finished pieces by key; a context manager. `kind` says how a piece is spelt and read back.

    `found`: how many pieces an earlier run had finished. `outdated`: whether an earlier run's pieces were thrown away
    because something that they depend on is different now.
    """

    def __init__(self, path: Path, fingerprint: str, kind: TypeAdapter[T]) -> None:
        """Reads what is there. Raises BadInput when the file can be neither read nor written."""
        self._path = path
        self._fingerprint = fingerprint
        self._kind = kind
        self._done: dict[str, T] = {}
        self.outdated = False
        try:
            self._read()
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._begin()
        except OSError as error:
            raise BadInput(f"{path} cannot be used: {error.strerror or error}.") from None
        self.found = len(self._done)

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
            self._file.write(self._line(key, piece))
            self._file.flush()
        except OSError as error:
            raise BadInput(f"{self._path} cannot be written: {error.strerror or error}.") from None

    def finish(self) -> None:
        """Deletes the file: everything is there, and the next run begins anew."""
        self._file.close()
        self._path.unlink(missing_ok=True)

    @property
    def told(self) -> str:
        """What a person should know of an earlier run; empty: there was none."""
        if self.outdated:
            return "An earlier run was stopped; settings, data or code have changed since, so everything begins anew."
        return f"Going on: {self.found} pieces were finished by an earlier run." if self.found else ""

    def _read(self) -> None:
        try:
            lines = self._path.read_bytes().splitlines()
        except FileNotFoundError:
            return
        if not lines or _header(lines[0]) != self._fingerprint:
            self.outdated = True
            return
        for line in lines[1:]:
            try:
                key, piece = json.loads(line)
                self._done[str(key)] = self._kind.validate_python(piece)
            except (ValueError, TypeError, ValidationError):
                return

    def _begin(self) -> TextIO:
        """The file with what is known, and nothing torn, open for more. A kill in between leaves the old file."""
        fresh = self._path.with_name(f"{self._path.name}.tmp")
        with fresh.open("w", encoding="utf-8") as file:
            file.write(json.dumps({"fingerprint": self._fingerprint}) + "\n")
            file.writelines(self._line(key, piece) for key, piece in self._done.items())
        fresh.replace(self._path)
        return self._path.open("a", encoding="utf-8")

    def _line(self, key: str, piece: T) -> str:
        return json.dumps([key, self._kind.dump_python(piece, mode="json")]) + "\n"


def _header(line: bytes) -> str | None:
    try:
        header = json.loads(line)
    except ValueError:
        return None
    found = header.get("fingerprint") if isinstance(header, dict) else None
    return found if isinstance(found, str) else None
