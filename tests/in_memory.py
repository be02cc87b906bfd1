"""Where the tests' folders lie: in memory, where the system has a file system there with room to spare.

A commit of SQLite waits for the disk (`synchronous=FULL`), and a test makes some dozens: on a disk most of a storage
test's time is waiting. A process that is killed loses nothing of what it wrote either way. `--basetemp`, or pytest's
own PYTEST_DEBUG_TEMPROOT, puts the folders elsewhere.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  pytest makes a folder of its own there, for this user alone
NEEDED = 4 * 2**30
"""Bytes. A run that removes what passed holds some hundred megabytes at once."""
PLACE = "PYTEST_DEBUG_TEMPROOT"


def use() -> None:
    """Has pytest make its folders in memory, unless it was told where or there is little room."""
    if PLACE in os.environ or not os.access(SHARED_MEMORY, os.W_OK):
        return
    if shutil.disk_usage(SHARED_MEMORY).free >= NEEDED:
        os.environ[PLACE] = str(SHARED_MEMORY)
