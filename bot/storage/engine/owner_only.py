"""What is stored is for its owner alone, also where it was open to others before."""

import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import structlog

OURS = ("hello.db*", "*.lock", "erasures.*", "index", "exports", "*.tmp*", "etilqs_*", "hello-again-*.age*")
"""What this program makes in a data folder and in a folder of backups."""

_log = structlog.get_logger(__name__)


def close_to_others(folder: Path) -> None:
    """Takes everybody else's rights from a folder and from what this program made in it.

    Links are left alone. Where the file system or another owner does not allow it, the log says so.
    """
    made = (path for pattern in OURS for path in folder.glob(pattern) if not path.is_symlink())
    _close_all(folder, (path for one in made for path in (one, *one.rglob("*"))))


def close_database_to_others(file: Path) -> None:
    """The same for a SQLite file, wherever it is, and what lies beside it; its folder may be anybody's."""
    _close_all(file, (file.with_name(f"{file.name}{ending}") for ending in ("-wal", "-shm", "-journal")))


def _close_all(first: Path, rest: Iterable[Path]) -> None:
    try:
        for path in (first, *rest):
            with suppress(FileNotFoundError):  # SQLite's files come and go
                _close(path)
    except OSError as error:
        _log.warning("others may be able to read what is stored", path=str(first), reason=error.strerror)


def _close(path: Path) -> None:
    mode = path.lstat().st_mode
    if not stat.S_ISLNK(mode) and mode & (stat.S_IRWXG | stat.S_IRWXO):
        path.chmod(stat.S_IMODE(mode) & stat.S_IRWXU)
