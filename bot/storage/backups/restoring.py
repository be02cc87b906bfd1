"""A backup is put in the place of the database, without what was erased since it was made.

The rows are read into a database in memory; there the erasures are made again, and only what is left is written to the
disk, beside the present database, which it then replaces in one step. A kill before that step leaves everything as it
was; `remove_leftovers` deletes what it left. A backup that does not fit into memory is put together in a file instead,
which is deleted, but held for a while what was erased. A server's database has to be empty: the rows are moved there.
"""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import make_url

from bot.config import Settings
from bot.errors import BadInput, StorageError
from bot.ports import Erasures
from bot.storage.backups.backup import Manifest
from bot.storage.backups.journal import JournalFile, level, since, writing
from bot.storage.backups.loading import load, read_line, settle
from bot.storage.backups.replaying import Decisions, Known, Replayed, read_decisions, replay, take_over
from bot.storage.backups.sealing import read_key, unsealed
from bot.storage.backups.transfer import move
from bot.storage.engine.database import Database, open_database
from bot.storage.engine.lock import DataFolderLock
from bot.storage.engine.syncing import sync, told

WORKSPACE = "restoring.db.tmp"
READY = "restored.db.tmp"
MEMORY_SHARE = 3
"""A backup is put together in memory when that many times the size of its database is free."""


@dataclass(frozen=True, slots=True)
class Permits:
    """What the owner says they know of."""

    even_expired: bool = False
    without_journal: bool = False
    replace: bool = False
    """The present database is deleted."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored."""

    manifest: Manifest
    rows: int
    replayed: Replayed
    known_until: datetime | None
    """The latest line of the journals that know this backup; None: there was none."""
    decisions: bool
    """Whether what people decided since was kept."""


async def restore(
    settings: Settings,
    file: Path,
    key_file: Path,
    now: datetime,
    erasures: Callable[[Database], Erasures],
    permits: Permits,
    index: Path,
    *,
    in_memory: bool | None = None,
) -> Restored:
    """Restores `file`. `index`: the folder of vectors, which are those of other rows then, and go.

    `in_memory`: where the rows are put together; None: as there is room. Raises BadInput where the owner has to say
    more, StorageError and DatabaseTooNew: then nothing was changed.
    """
    target, key = _target(settings), _key(file, key_file)
    workplace = target.parent if target is not None else settings.storage.data_dir
    with DataFolderLock(settings.storage.data_dir):
        remove_leftovers(workplace)
        if target is not None:
            _check_present(target, permits)
        present = read_decisions(target) if target is not None else None
        async with AsyncExitStack() as stack:
            with unsealed(file, key) as stream:
                manifest = Manifest.parse(read_line(stream))
                _check_time(manifest, now, permits)
                known, until = _known(settings, file, manifest, present, permits)
                database = await stack.enter_async_context(_workspace(workplace, manifest, in_memory))
                rows = await load(database, manifest, stream)
            replayed = await replay(database, erasures(database), known, now)
            decisions = present is not None and await take_over(database, present)
            await settle(database, now)
            if target is None:
                await _to_server(database, settings.database_url)
            else:
                await _write_out(database, target.with_name(READY))
            await asyncio.to_thread(_keep_journals, settings, file)
            if target is not None:
                await asyncio.to_thread(_put_in_place, target.with_name(READY), target)
        shutil.rmtree(index, ignore_errors=True)  # what is left of it, the next start deletes
    return Restored(manifest, rows, replayed, until, decisions)


def remove_leftovers(folder: Path) -> None:
    """Deletes what a killed restore left beside the database. The caller holds the data folder. Raises StorageError."""
    for name in (WORKSPACE, READY):
        _delete(folder, name)


def _delete(folder: Path, name: str) -> None:
    """A file of SQLite with what lies beside it."""
    for left in folder.glob(f"{name}*"):
        with told(f"{left} is left of a restore and cannot be deleted"):
            left.unlink()


def _key(file: Path, key_file: Path) -> Any:
    if not file.is_file():
        raise BadInput(f"There is no backup {file}.")
    return read_key(key_file)


def _target(settings: Settings) -> Path | None:
    """The file that is to be replaced; None: the database is on a server."""
    url = make_url(settings.database_url)
    if url.get_backend_name() != "sqlite":
        return None
    if (file := Database(url).file) is None:
        raise BadInput("A database in memory cannot be restored.")
    return file


async def _to_server(database: Database, url: str) -> None:
    """Copies the rows to a server's database, which has to be empty: nothing there is replaced. Raises StorageError."""
    async with aclosing(await open_database(url)) as target, target.alone():
        await move(database, target, lambda _table, _rows: None)


def _check_present(target: Path, permits: Permits) -> None:
    """Nothing is kept of the present database: that is to be said."""
    if permits.replace or not target.exists():
        return
    try:
        with closing(sqlite3.connect(f"{target.resolve().as_uri()}?mode=rw", uri=True)) as connection:
            count, last = connection.execute("SELECT count(*), max(time) FROM utterances").fetchone()
    except sqlite3.Error:
        found = "cannot be read"
    else:
        if not count:
            return
        found = f"holds {count:,} messages, the last of {last[:16]} UTC"
    raise BadInput(
        f"{target} {found}. Restoring puts the backup in its place and keeps nothing of it. "
        "Say --replace if that is what you want; `hello-again data backup` makes a backup of it first."
    )


def _check_time(manifest: Manifest, now: datetime, permits: Permits) -> None:
    if now > manifest.expires and not permits.even_expired:
        raise BadInput(
            f"This backup expired on {manifest.expires:%Y-%m-%d}: people were told that nothing is kept longer. "
            "Say --even-expired to restore it all the same. Nothing was changed."
        )


def _folders(settings: Settings, file: Path) -> list[Path]:
    """Where a journal may be: in the data folder, among the backups, beside this backup."""
    folders = [settings.storage.data_dir, settings.backup.folder, file.parent]
    return list(dict.fromkeys(folder.resolve() for folder in folders))


def _known(
    settings: Settings, file: Path, manifest: Manifest, present: Decisions | None, permits: Permits
) -> tuple[Known, datetime | None]:
    """What was erased since, and until when that is known."""
    known, until = Known(manifest.made), None
    for folder in _folders(settings, file):
        entries = JournalFile(folder).read()
        erased, knows_it = since(entries, manifest.id, manifest.made)
        known.add(erased)
        if knows_it:
            until = max(entries[-1].at, until or entries[-1].at)
    if until is None and not permits.without_journal:
        looked = ", ".join(str(folder) for folder in _folders(settings, file))
        raise BadInput(
            f"No journal of erasures knows this backup (looked in {looked}), so what was erased since "
            f"{manifest.made:%Y-%m-%d %H:%M} UTC would come back. Put the latest erasures.journal beside the backup, "
            "or say --without-journal. Nothing was changed."
        )
    if present is not None:
        known.add_messages(present.erased)
    return known, until


@asynccontextmanager
async def _workspace(folder: Path, manifest: Manifest, in_memory: bool | None) -> AsyncIterator[Database]:
    """An empty database, in memory where there is room, that is gone afterwards; nothing else is left on an error."""
    if in_memory is None:
        in_memory = manifest.size * MEMORY_SHARE < psutil.virtual_memory().available
    database = Database(make_url("sqlite+aiosqlite://" if in_memory else _new_file(folder)))
    try:
        yield database
    except BaseException:
        await database.aclose()
        remove_leftovers(folder)
        raise
    await database.aclose()
    _delete(folder, WORKSPACE)


def _new_file(folder: Path) -> str:
    """The URL of a file for its owner alone. Raises StorageError."""
    file = folder / WORKSPACE
    with told(f"{file} cannot be written", "Nothing was changed."):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))
    return f"sqlite+aiosqlite:///{file}"


async def _write_out(database: Database, file: Path) -> None:
    """Writes the rows, and nothing else, to a new file. Raises StorageError."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        async with database.engine.connect() as connection:
            driver = (await connection.get_raw_connection()).driver_connection
            assert driver is not None  # noqa: S101  it is connected
            await driver.execute("VACUUM INTO ?", (str(file),))
    except (OSError, sqlite3.Error) as error:
        raise StorageError(f"The restored data cannot be written to {file}: {error}. Nothing was changed.") from error


def _keep_journals(settings: Settings, file: Path) -> None:
    """What is known to be erased stays known, for a restore after this one."""
    folders = [settings.storage.data_dir, settings.backup.folder]
    with writing(settings.storage.data_dir):
        level(folders, [file.parent])


def _put_in_place(ready: Path, target: Path) -> None:
    """Replaces the database in one step. What SQLite keeps beside the old one goes first: it is not the new one's.

    Raises StorageError.
    """
    with suppress(sqlite3.Error), closing(sqlite3.connect(target)) as connection:
        # A damaged database stays as it is: there is nothing to save of it.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    with told(f"{target} cannot be replaced", "Nothing was changed."):
        sync(ready)
        for suffix in ("-wal", "-shm", "-journal"):
            target.with_name(target.name + suffix).unlink(missing_ok=True)
        ready.replace(target)
        sync(target.parent)
