"""What was written or renamed survives a power cut, and what the system does not allow is told in a sentence."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import StorageError


def sync(path: Path) -> None:
    """Has the system write a file, or what was renamed in a folder, to the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def told(what: str, mending: str = "") -> Iterator[None]:
    """Has a fault of the system be a StorageError: `what` cannot be done, the system's reason, and what mends it."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"{what} ({error.strerror}). {mending}".rstrip()) from None
