"""What every conversation's prompt begins with (system text, examples), read once and kept as a file.

Reading a thousand tokens takes a small model on a CPU a dozen seconds, which the first reply in every place would wait.
llama.cpp writes and reads a slot in milliseconds (some 30 KB a token for 1.5B parameters). A file holds the owner's and
our own words alone: what is saved is read apart, before anything that a person said. It belongs to one model file and
one build of llama.cpp.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import structlog

from bot.llm.chat_shapes import TemplateRefused
from bot.llm.llama_server import LlamaServer

MOST_FILES = 12
"""Files that are kept, those used last: a language, a channel or another companion has one each."""

KEY = 32
"""Hexadecimal digits of digests in names."""

_log = structlog.get_logger(__name__)


def beginnings_folder(cache_dir: Path) -> Path:
    """The folder of the files, which this user alone can enter. It is made where it is missing."""
    folder = cache_dir.expanduser() / "beginnings"
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(stat.S_IRWXU)
    return folder


class Beginnings:
    """Fills slots with what prompts begin with. Its methods block and may be called from several threads."""

    def __init__(self, server: LlamaServer, folder: Path, file: Path) -> None:
        """`file`: the model's."""
        self._server = server
        self._folder = folder
        described = file.stat()
        self._model = f"{version('xllamacpp')} {file.resolve()} {described.st_size} {described.st_mtime_ns}"

    def fill(self, slot: int, asked: Mapping[str, Any], shared: Sequence[int], over: Callable[[], bool]) -> bool:
        """Has `shared` in the cache of a slot: from the file, or read now and then saved. False: it was `over` early.

        `asked`: the request that goes on from there, with its settings. Where nothing can be written, it is read alone.
        """
        key = self.key_of(shared)
        alone = {**asked, "prompt": list(shared), "max_tokens": 1, "temperature": 0.0}
        alone.pop("json_schema", None)
        alone.pop("grammar", None)
        # llama.cpp empties a slot whose adapters are others than the request's; one that nobody has used has none.
        self._server.complete({**alone, "prompt": list(shared[:1])}, lambda _part: over())
        if over():
            return False
        if self._restored(slot, key):
            return True
        self._server.complete(alone, lambda _part: over())
        if over():
            return False
        try:
            self._save(slot, key)
        except (TemplateRefused, OSError) as error:
            _log.warning("what prompts begin with is read anew at every start", reason=type(error).__name__)
        return True

    def has(self, shared: Sequence[int]) -> bool:
        """Whether there is a file of these tokens."""
        return any(self._folder.glob(f"{self.key_of(shared)}-*.bin"))

    def key_of(self, shared: Sequence[int]) -> str:
        """How the name of the file of these tokens begins."""
        return hashlib.sha256(f"{self._model} {list(shared)}".encode()).hexdigest()[:KEY]

    def _save(self, slot: int, key: str) -> None:
        """The file is there under its name, with the digest of what is in it, when it is whole."""
        making = self._folder / f".{key}-{os.getpid()}-{slot}"
        try:
            self._server.save(slot, making.name)
            making.chmod(stat.S_IRUSR | stat.S_IWUSR)
            making.replace(self._folder / f"{key}-{_digest(making)}.bin")
        finally:
            making.unlink(missing_ok=True)
        self._forget_oldest()

    def _restored(self, slot: int, key: str) -> bool:
        """Whether a slot was filled from a file. One that is damaged goes: llama.cpp would end the process over it."""
        for file in self._folder.glob(f"{key}-*.bin"):
            try:
                if file.stem.partition("-")[2] == _digest(file):
                    self._server.restore(slot, file.name)
                    os.utime(file)
                    return True
            except (TemplateRefused, OSError):
                _log.warning("what prompts begin with cannot be read from its file and is made anew")
            file.unlink(missing_ok=True)
        return False

    def _forget_oldest(self) -> None:
        files = sorted(self._folder.glob("*.bin"), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in files[MOST_FILES:]:
            file.unlink(missing_ok=True)


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()[:KEY]
