"""What was written or renamed survives a power cut."""

import os
from pathlib import Path


def sync(path: Path) -> None:
    """Has the system write a file, or what was renamed in a folder, to the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
