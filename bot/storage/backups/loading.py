"""The rows of a backup become a database again."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

from alembic.util import CommandError
from sqlalchemy import Connection, inspect

from bot.errors import DatabaseTooNew
from bot.storage.backups.backup import SEQUENCES, VERSION_TABLE, Manifest, quoted
from bot.storage.engine import schema
from bot.storage.engine.database import Database
from bot.storage.shared import index_marks
from bot.storage.shared.tables import drafts, inbox, outbox

BATCH = 1000
RESTORED = "restored"
"""Why a reply was not sent: it came back with a backup, and had probably been sent since."""


def read_line(stream: IO[bytes]) -> Any:
    """The next line of a backup. Raises ValueError where it ends, and for what is no line of one."""
    line = stream.readline()
    if not line:
        raise ValueError("it has no end")
    return json.loads(line)


async def load(database: Database, manifest: Manifest, stream: IO[bytes]) -> int:
    """Fills an empty database with the rest of a backup, and brings it to this program's tables.

    Returns how many rows were read. Raises DatabaseTooNew, and ValueError for what is no backup.
    """
    async with schema.upgrading(), database.writing() as connection:
        await connection.run_sync(_make_tables, manifest.schema)
        rows = await connection.run_sync(_load, stream)
    async with schema.upgrading(), database.writing() as connection:
        if not await connection.run_sync(schema.is_current):
            await connection.run_sync(schema.upgrade)
    return rows


async def settle(database: Database, now: datetime) -> None:
    """What was on its way when the backup was made arrived long ago: nothing of it is answered or sent again.

    Drafts are forgotten: what showed one may be the reply by now. The vectors are to be made anew.
    """
    async with database.writing() as connection:
        pending = inbox.update().where(inbox.c.state == "pending")
        await connection.execute(pending.values(state="remembered", dealt=now))
        unsent = outbox.update().where(outbox.c.state.in_(["ready", "sending"]))
        await connection.execute(unsent.values(state="failed", reason=RESTORED))
        await connection.execute(drafts.delete())
    await index_marks.start_afresh(database, "none")


@dataclass
class _Rows:
    """The rows of one table that are not inserted yet."""

    table: str
    columns: Sequence[str]

    def __post_init__(self) -> None:
        listed = ", ".join(quoted(column) for column in self.columns)
        marks = ", ".join("?" for _ in self.columns)
        self._insert = f"INSERT INTO {quoted(self.table)} ({listed}) VALUES ({marks})"  # noqa: S608  checked names
        self._waiting: list[tuple[Any, ...]] = []

    def add(self, connection: Connection, row: Sequence[Any]) -> None:
        """Takes one row. Raises ValueError when it is not one of this table."""
        if len(row) != len(self.columns):
            raise ValueError(f"a row of {self.table} has {len(row)} columns")
        self._waiting.append(tuple(row))
        if len(self._waiting) >= BATCH:
            self.flush(connection)

    def flush(self, connection: Connection) -> None:
        """Inserts what waits."""
        if self._waiting:
            connection.exec_driver_sql(self._insert, self._waiting)
            self._waiting = []


def insert_rows(connection: Connection, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Inserts rows as they stand in another SQLite file of this program."""
    inserted = _Rows(table, columns)
    for row in rows:
        inserted.add(connection, row)
    inserted.flush(connection)


def _make_tables(connection: Connection, version: str) -> None:
    """The tables of the backup's program, empty: migrations put rows of their own into some."""
    try:
        schema.upgrade(connection, version)
    except CommandError:
        raise DatabaseTooNew(
            "The backup was made by a newer version of Hello Again. Update the program. Nothing was changed."
        ) from None
    connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    for table in _tables(connection):
        connection.exec_driver_sql(f"DELETE FROM {quoted(table)}")  # noqa: S608  names from the schema


def _tables(connection: Connection) -> set[str]:
    return {*inspect(connection).get_table_names(), SEQUENCES} - {VERSION_TABLE}


def _load(connection: Connection, stream: IO[bytes]) -> int:
    known, current, rows = _tables(connection), _Rows("", ()), 0
    while True:
        line = read_line(stream)
        if isinstance(line, list):
            current.add(connection, line)
            rows += 1
            continue
        current.flush(connection)
        if not isinstance(line, dict):
            raise ValueError("a line is neither a row nor a table")  # noqa: TRY004  it is the file that is wrong
        if "end" in line:
            break
        current = _Rows(line.get("table", ""), line.get("columns", ()))
        if current.table not in known:
            raise ValueError(f"it has a table {current.table!r}")
        if current.table == SEQUENCES:
            connection.exec_driver_sql(f"DELETE FROM {SEQUENCES}")  # noqa: S608  a name of SQLite's
    if line["end"] != rows or stream.read(1):
        raise ValueError("it has other rows than it says")
    return rows
