"""Repositories of GGUF files on the hub, as `model.id` names them.

`owner/name/file.gguf` is a file, `owner/name:Q4_K_M` the file of that quantization, and `owner/name-GGUF` the one that
most people take, Q4_K_M.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

USUAL = "Q4_K_M"
ID = re.compile(
    r"(?P<owner>\w[\w.-]*)/(?P<name>[\w.-]+?)(?:/(?P<file>[\w./-]+\.gguf)|:(?P<kind>[\w-]+))?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class GgufRepository:
    """One file that is wanted of a repository."""

    repo: str
    file: str = ""
    """Its path in the repository; empty: the one of that kind."""
    kind: str = USUAL

    def pick(self, files: Sequence[str]) -> str | None:
        """The wanted one of the repository's files; None when it is not there, or not in one piece."""
        if self.file:
            return self.file if self.file in files else None
        whole = [file for file in files if _is_model(file)]
        fitting = [file for file in whole if _is_kind(file, self.kind)]
        return min(fitting, key=len, default=None)

    def folder(self, models: Path) -> Path:
        """Where the repository's files are kept, in the folder of models."""
        return models.joinpath(*self.repo.split("/"))

    def kept_in(self, models: Path) -> Path | None:
        """The wanted file, where it was fetched already."""
        folder = self.folder(models)
        there = [file.relative_to(folder).as_posix() for file in folder.rglob("*.gguf")] if folder.is_dir() else []
        picked = self.pick(sorted(there))
        return folder / picked if picked is not None else None


def gguf_repository(name: str, *, always: bool = False) -> GgufRepository | None:
    """What `name` names of a repository of GGUF files; None when it names none.

    A plain `owner/name` counts when the name says GGUF, or with `always` (the engine was forced).
    """
    found = ID.fullmatch(name)
    if found is None or found["name"].lower().endswith(".gguf") or Path(name).exists():
        return None
    repo = f"{found['owner']}/{found['name']}"
    if found["file"]:
        return GgufRepository(repo, found["file"])
    if found["kind"]:
        return GgufRepository(repo, kind=found["kind"])
    return GgufRepository(repo) if always or repo.lower().endswith("gguf") else None


def _is_model(file: str) -> bool:
    """Whether a file is a model in one piece: no projector for pictures, and no part of a split one."""
    name = file.rpartition("/")[2].lower()
    return name.endswith(".gguf") and not name.startswith("mmproj") and "-of-0" not in name


def _is_kind(file: str, kind: str) -> bool:
    stem = file.removesuffix(".gguf").lower()
    return stem.endswith(kind.lower())
