"""Room for erasures on a full disk: a file that is given up when it is needed, and made again when there is room."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

NAME = "erasures.reserve"
LEAST, MOST = 1 << 20, 32 << 20
"""Bytes. An erasure writes each page of the database at most once more, to its write-ahead log."""


class Reserve:
    """The reserve of one data folder. Where it cannot be made there is none, and nobody is kept from anything."""

    def __init__(self, folder: Path, database: Path) -> None:
        self._file = folder / NAME
        self._database = database

    def release(self) -> None:
        """Gives it up where the disk has less room than it takes."""
        with suppress(OSError):
            if shutil.disk_usage(self._file.parent).free < self._size():
                self._file.unlink(missing_ok=True)

    def renew(self) -> None:
        """Makes it as large as it should be, where the disk has room for three times as much."""
        with suppress(OSError):
            size = self._size()
            there = self._file.stat().st_size if self._file.exists() else 0
            if there >= size or shutil.disk_usage(self._file.parent).free < 3 * size:
                return
            descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                os.posix_fallocate(descriptor, 0, size)
            finally:
                os.close(descriptor)

    def _size(self) -> int:
        return min(max(self._database.stat().st_size, LEAST), MOST)
