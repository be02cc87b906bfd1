"""One process a data folder: a lock that the kernel lets go of when the process ends, however it ends."""

import fcntl
import os
from pathlib import Path
from typing import Self

from bot.errors import StorageError
from bot.storage.engine.owner_only import close_to_others

LOCK_NAME = "hello.lock"


class DataFolderLock:
    """Holds a data folder while the context is open. It is readable by its owner alone from then on.

    Entered again while it is held it stays as it is; it is let go of when the first context closes.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: int | None = None

    def __enter__(self) -> Self:
        """Takes the lock. Raises StorageError when another process has it or the folder cannot be used."""
        if self._file is not None:
            return self
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(self._folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            reason = "it is a file" if self._folder.is_file() else error.strerror
            raise StorageError(
                f"The data folder {self._folder} cannot be used: {reason}. "
                "Make it writable, or choose another with storage.data_dir."
            ) from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            raise StorageError(
                f"Another Hello Again is running on the data folder {self._folder}. "
                "Stop it first, or choose another folder with storage.data_dir."
            ) from None
        self._file = file
        close_to_others(self._folder)
        return self

    def __exit__(self, *_: object) -> None:
        """Lets go of the lock. Its file stays: removing it could let two processes in."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
