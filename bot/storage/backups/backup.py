"""Encrypted copies of a database, made while the companion runs: of a SQLite file, or of a server, in the same form.

A backup is the rows of one moment, read in one transaction and written as lines through the encryption (`sealing.py`):
nothing of it is on the disk in plain text at any time, and what SQLite keeps of erased rows is not in it. Vectors
are left out; they are made anew from the rows. The first line is the manifest; then, for each table, a line with its
name and columns and a line for each row; the last line says how many rows there were.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import aclosing, closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Column, select, text
from sqlalchemy.dialects import sqlite

from bot.config import Settings
from bot.errors import BadInput, StorageError
from bot.storage.backups.journal import Entry, JournalFile, Noted, level, writing
from bot.storage.backups.sealing import PARTIAL, read_recipient, sealed
from bot.storage.backups.transfer import TABLES, VECTORS, counters
from bot.storage.engine.database import Database, open_database
from bot.storage.engine.owner_only import close_to_others
from bot.storage.engine.syncing import told

FORMAT = 1
LOCK_NAME = "backup.lock"
VERSION_TABLE = "alembic_version"
SEQUENCES = "sqlite_sequence"
"""SQLite's own table of ids that were given: what is erased never lends its id to something new."""

_NAME = re.compile(r"hello-again-(\d{8}-\d{6})\.age")
_STAMP = "%Y%m%d-%H%M%S"
_SQLITE = sqlite.dialect()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself."""

    id: str
    """32 hexadecimal digits; the journal of erasures knows it."""
    schema: str
    """The version of the tables (`migrations/`)."""
    made: datetime
    expires: datetime
    program: str
    size: int
    """Bytes of the database that it was made of."""

    def line(self) -> dict[str, Any]:
        """As it is written."""
        times = {"made": self.made.isoformat(), "expires": self.expires.isoformat()}
        rest = {"program": self.program, "bytes": self.size}
        return {"format": FORMAT, "id": self.id, "schema": self.schema, **times, **rest}

    @classmethod
    def parse(cls, line: Any) -> Manifest:
        """From a line. Raises StorageError for a format of a newer program, and ValueError."""
        try:
            if line["format"] != FORMAT:
                raise StorageError(
                    "The backup was made by a newer version of Hello Again. Update the program. Nothing was changed."
                )
            made, expires = (datetime.fromisoformat(line[name]).astimezone(UTC) for name in ("made", "expires"))
            return cls(line["id"], line["schema"], made, expires, line["program"], line["bytes"])
        except (KeyError, TypeError) as error:
            raise ValueError("it has no manifest") from error


@dataclass(frozen=True, slots=True)
class Made:
    """A backup that was made."""

    file: Path
    size: int
    """Bytes of the file."""
    rows: int
    expires: datetime
    dropped: tuple[Path, ...]
    """Older backups in the same folder whose time was over, and that were deleted."""


async def back_up(settings: Settings, now: datetime, to: Path | None = None) -> Made:
    """Makes a backup in `to` (None: the configured folder), and deletes those there whose time is over.

    Raises BadInput for settings that do not allow it, and StorageError.
    """
    _check(settings)
    recipient = read_recipient(settings.backup.recipient)
    new = _New(settings, recipient, now.astimezone(UTC), to if to is not None else settings.backup.folder)
    async with aclosing(await open_database(settings.database_url)) as database:
        if database.on_server:
            return await _back_up_server(new, database)
    if database.file is None:
        raise BadInput("A database in memory cannot be backed up.")
    return await asyncio.to_thread(_back_up, new, database.file)


def expired(folder: Path, keep_days: int, now: datetime) -> list[Path]:
    """The backups in `folder` that are older than this, by their names: a copied file has another time."""
    found = []
    for file in sorted(folder.iterdir()):
        match = _NAME.fullmatch(file.name)
        if match is None or not file.is_file():
            continue
        with suppress(ValueError):
            made = datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC)
            if made + timedelta(days=keep_days) < now:
                found.append(file)
    return found


def drop_expired(settings: Settings, now: datetime) -> int:
    """Deletes the backups in the configured folder whose time is over; returns how many. Raises StorageError."""
    folder = settings.backup.folder
    if not folder.is_dir():
        return 0
    with told(f"The folder {folder} for backups cannot be read"):
        old = expired(folder, settings.backup.keep_days, now)
    for file in old:
        _delete(file, "The backup")
    return len(old)


def _check(settings: Settings) -> None:
    if not settings.backup.recipient:
        raise BadInput(
            "There is no key to encrypt a backup to. `hello-again data backup-key FILE` makes one; put the public key "
            "that it prints into 'backup.recipient', and keep FILE somewhere else than on this machine."
        )
    if not settings.storage.database_url and not (settings.storage.data_dir / "hello.db").exists():
        raise BadInput(f"Nothing is stored in {settings.storage.data_dir} yet.")


@dataclass(frozen=True, slots=True)
class _New:
    """A backup that is being made."""

    settings: Settings
    recipient: Any
    now: datetime
    folder: Path
    id: str = field(default_factory=lambda: secrets.token_hex(16))

    @property
    def file(self) -> Path:
        """Where it is to be."""
        return self.folder / f"hello-again-{self.now:{_STAMP}}.age"

    @property
    def expires(self) -> datetime:
        """When its time is over."""
        return self.now + timedelta(days=self.settings.backup.keep_days)

    @contextmanager
    def writing(self, *, prune: bool) -> Iterator[IO[bytes]]:
        """What is written to it, as long as nobody else makes one. `prune`: the journals lose what is too old."""
        _make(self.folder)
        with _alone(self.settings.storage.data_dir):
            _drop_partial(self.folder)
            if self.file.exists():
                raise StorageError(f"{self.file} exists already.")
            _begin_in_journals(self.settings, self.id, self.now, prune=prune)
            with sealed(self.file, self.recipient) as stream:
                yield stream

    def manifest(self, schema: str, size: int) -> Manifest:
        """What it says of itself."""
        return Manifest(self.id, schema, self.now, self.expires, _program(), size)

    def made(self, rows: int) -> Made:
        """It is there: those go whose time is over."""
        dropped = expired(self.folder, self.settings.backup.keep_days, self.now)
        for old in dropped:
            _delete(old)
        return Made(self.file, self.file.stat().st_size, rows, self.expires, tuple(dropped))


def _back_up(new: _New, database: Path) -> Made:
    with new.writing(prune=True) as stream, _one_moment(database) as connection:
        rows = _write(stream, connection, new.manifest(_schema(connection), _size(connection)))
    return new.made(rows)


async def _back_up_server(new: _New, database: Database) -> Made:
    """The same of a server's rows, as SQLite would keep them. Other processes write to the journals meanwhile."""
    size = text("SELECT pg_database_size(current_database())")
    version = text(f"SELECT version_num FROM {VERSION_TABLE}")  # noqa: S608
    with new.writing(prune=False) as stream:
        async with database.reading() as connection:
            schema, bytes_there = str(await connection.scalar(version)), int(await connection.scalar(size) or 0)
            stream.write(_encoded(new.manifest(schema, bytes_there).line()))
            rows = 0
            for table in TABLES:
                stream.write(_encoded({"table": table.name, "columns": [column.name for column in table.columns]}))
                kept = [_kept_by_sqlite(column) for column in table.columns]
                async for row in await connection.stream(select(table)):
                    stream.write(_encoded([keep(value) for keep, value in zip(kept, row, strict=True)]))
                    rows += 1
            last = sorted((await counters(connection, on_server=True)).items())
            stream.write(_encoded({"table": SEQUENCES, "columns": ["name", "seq"]}))
            stream.write(b"".join(_encoded(list(one)) for one in last))
            rows += len(last)
            stream.write(_encoded({"end": rows}))
    return new.made(rows)


def _kept_by_sqlite(column: Column[Any]) -> Callable[[Any], Any]:
    """Turns a value of this column into what SQLite would keep of it."""
    kept = column.type.dialect_impl(_SQLITE).bind_processor(_SQLITE)
    return kept if kept is not None else lambda value: value


def _delete(file: Path, what: str = "The new backup is there, but") -> None:
    with told(f"{what} {file} is over its time and cannot be deleted"):
        file.unlink(missing_ok=True)


def _make(folder: Path) -> None:
    with told(f"The folder {folder} for backups cannot be made", "Choose another with backup.folder."):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    close_to_others(folder)


@contextmanager
def _alone(data_dir: Path) -> Iterator[None]:
    """One backup at a time; the kernel lets go of it when the process ends."""
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(data_dir / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise StorageError("Another backup is being made. Wait until it is there.") from None
    finally:
        os.close(descriptor)


def _drop_partial(folder: Path) -> None:
    """What a killed backup left: encrypted, and of no use."""
    for left in folder.glob(f"hello-again-*.age{PARTIAL}"):
        left.unlink(missing_ok=True)


def _begin_in_journals(settings: Settings, backup_id: str, now: datetime, *, prune: bool) -> None:
    """Marks in the journals where this backup begins, before its rows are read: what is behind was erased since."""
    folders = [settings.storage.data_dir]
    with suppress(OSError):  # with --to, the configured folder may be away
        settings.backup.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folders.append(settings.backup.folder)
    with writing(settings.storage.data_dir):
        level(folders)
        for folder in folders:
            journal = JournalFile(folder)
            if prune:
                journal.prune(now - timedelta(days=settings.backup.keep_days + 1))
            journal.append([Entry(Noted.BACKUP, backup_id, now)])


@contextmanager
def _one_moment(file: Path) -> Iterator[sqlite3.Connection]:
    """The database as it is at one moment; who writes meanwhile is not kept waiting."""
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=rw", uri=True, timeout=30)) as connection:
            connection.isolation_level = None
            connection.execute("PRAGMA query_only = ON")
            connection.execute("BEGIN")
            yield connection
    except sqlite3.Error as error:
        raise StorageError(f"The database {file} cannot be read: {error}. No backup was made.") from error


def _write(stream: IO[bytes], connection: sqlite3.Connection, manifest: Manifest) -> int:
    """Writes all lines; returns how many rows there were."""
    stream.write(_encoded(manifest.line()))
    rows = 0
    for table in _tables(connection):
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({quoted(table)})")]
        stream.write(_encoded({"table": table, "columns": columns}))
        listed = ", ".join(quoted(column) for column in columns)
        for row in connection.execute(f"SELECT {listed} FROM {quoted(table)}"):  # noqa: S608  names from the schema
            stream.write(_encoded(list(row)))
            rows += 1
    stream.write(_encoded({"end": rows}))
    return rows


def quoted(name: str) -> str:
    """A name of a table or column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _tables(connection: sqlite3.Connection) -> list[str]:
    """All tables, and SQLite's ids as the last one: filling the others again counts them up."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    names = [name for (name,) in connection.execute(query)]
    kept = (name for name in names if not name.startswith("sqlite_") and name not in {VERSION_TABLE, *VECTORS})
    return [*kept, SEQUENCES]


def _schema(connection: sqlite3.Connection) -> str:
    return str(connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()[0])  # noqa: S608


def _size(connection: sqlite3.Connection) -> int:
    """Bytes of the database."""
    pages, page = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages) * int(page)


def _program() -> str:
    try:
        return version("hello-again-bot")
    except PackageNotFoundError:
        return "unknown"


def _encoded(line: Any) -> bytes:
    return (json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
