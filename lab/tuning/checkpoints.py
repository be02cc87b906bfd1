"""Where a training is, in a file beside what it will write: stopped, it goes on from there. Numbers only, no text."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from zipfile import is_zipfile

import torch

from bot.errors import BadInput

FILE = "{name}.checkpoint"


class Checkpoints:
    """The checkpoint of the training that will write `out`. One of another `fingerprint` is not taken up."""

    def __init__(self, out: Path, fingerprint: str) -> None:
        self._file = out.with_name(FILE.format(name=out.name))
        self._fingerprint = fingerprint

    def load(self) -> dict[str, object] | None:
        """What `save` was given last; None when there is nothing of this training. Raises BadInput."""
        if not is_zipfile(self._file):  # it is not there, or damaged: then it is of no use
            return None
        found = torch.load(self._file, map_location="cpu", weights_only=True)
        if not isinstance(found, dict) or found.get("fingerprint") != self._fingerprint:
            raise BadInput(
                f"{self._file} is the checkpoint of another training. Delete it, or choose another folder with --out."
            )
        return found

    def save(self, parts: Mapping[str, object]) -> None:
        """Keeps tensors, numbers and lists of them, on disk when this returns. Raises BadInput."""
        new = self._file.with_suffix(".new")
        try:
            new.parent.mkdir(parents=True, exist_ok=True)
            with new.open("wb") as opened:
                torch.save({**parts, "fingerprint": self._fingerprint}, opened)
                opened.flush()
                os.fsync(opened.fileno())
            new.replace(self._file)
        except OSError as error:
            raise BadInput(f"{self._file} cannot be written ({error.strerror or error}).") from None

    def clear(self) -> None:
        """Deletes it."""
        self._file.unlink(missing_ok=True)
