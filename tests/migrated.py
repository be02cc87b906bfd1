"""The schema, migrated once for the whole run: every later empty SQLite database gets a copy of what the first became.

A start on an empty database runs every migration, which takes longer than most tests do. A database that is opened gets
the copy as one image before it is looked at; what is upgraded inside a transaction, its statements.
`storage/test_migrations.py` runs the migrations each time, and holds the copies to what they make.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.util.concurrency import await_

from bot.storage.engine import schema
from bot.storage.engine.aiosqlite_driver import HopConnection
from bot.storage.engine.database import Database
from bot.storage.shared.digests import KEY

Upgrade = Callable[..., None]
Check = Callable[[Database], Awaitable[None]]
MADE = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
"""Tables and indexes, each after what it needs; SQLite makes its own by itself."""
SECRET = f"SELECT value FROM meta WHERE key = '{KEY}'"  # noqa: S608  our own
VERSIONS, WAL = slice(18, 20), b"\2\2"
"""Where the head of a SQLite file says how it is written, and what it says with a write-ahead log."""
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid"


class Copied:
    """`schema.upgrade`, which migrates the first empty SQLite database it is given and remembers what came of it."""

    def __init__(self, migrate: Upgrade) -> None:
        self.migrate = migrate
        self._statements: list[str] = []
        self._rows: dict[str, list[tuple[object, ...]]] = {}
        self._parts: tuple[bytes, bytes] | None = None
        """A migrated database in memory, before and after its secret."""

    def upgrade(self, connection: Connection, version: str = "head") -> None:
        """As `schema.upgrade`, inside the caller's transaction."""
        empty = connection.dialect.name == "sqlite" and not connection.exec_driver_sql(TABLES).all()
        if version != "head" or not empty:
            self.migrate(connection, version)
        elif self._statements:
            self._copy(connection)
        else:
            self.migrate(connection)
            self._remember(connection)

    def filling(self, check: Check) -> Check:
        """`Database.check`, which comes before the first look at a database: an empty one is a copy after it."""

        async def checked(database: Database) -> None:
            await check(database)
            if self._parts is None or schema.upgrade != self.upgrade or database.on_server:
                return
            if database.file is not None:
                self._fill_file(database.file)
            else:
                await self._fill_memory(database)

        return checked

    def _image(self) -> bytearray:
        """A migrated database. No two have the same secret."""
        assert self._parts is not None
        before, after = self._parts
        return bytearray(before + secrets.token_hex(32).encode() + after)

    def _fill_file(self, file: Path) -> None:
        """Makes a missing one. Where it cannot be written, SQLite is to say so."""
        image = self._image()
        image[VERSIONS] = WAL
        try:
            with open(file, "xb", opener=_as_sqlite) as made:
                made.write(image)
        except FileExistsError:
            return
        except OSError:
            with suppress(OSError):
                file.unlink()

    async def _fill_memory(self, database: Database) -> None:
        async with database.engine.connect() as connection:
            driver: Any = (await connection.get_raw_connection()).dbapi_connection
            await driver.run(self._become)

    def _become(self, cursor: sqlite3.Cursor) -> None:
        with closing(sqlite3.connect(":memory:")) as source:
            source.deserialize(self._image())
            source.backup(cursor.connection)

    def _remember(self, connection: Connection) -> None:
        self._statements = [statement for _, statement in connection.exec_driver_sql(MADE)]
        for name in connection.exec_driver_sql(TABLES).scalars().all():
            rows = [tuple(row) for row in connection.exec_driver_sql(f'SELECT * FROM "{name}"')]  # noqa: S608  our own
            if rows:
                self._rows[name] = rows
        with closing(sqlite3.connect(":memory:")) as made:
            self._write(made.cursor())
            made.commit()
            [secret] = made.execute(SECRET).fetchone()
            image = made.serialize()
        before, found, after = image.partition(secret.encode())
        assert found
        assert secret.encode() not in after
        self._parts = before, after

    def _copy(self, connection: Connection) -> None:
        """In one change of thread: one for each statement takes four times as long."""
        driver: Any = connection.connection.dbapi_connection
        if isinstance(driver, HopConnection):
            await_(driver.run(self._write))
        else:
            self._write(driver.cursor())

    def _write(self, cursor: sqlite3.Cursor) -> None:
        for statement in self._statements:
            cursor.execute(statement)
        for name, rows in self._rows.items():
            marks = ", ".join("?" * len(rows[0]))
            cursor.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)  # noqa: S608  our own
        # No two databases have the same secret.
        cursor.execute("UPDATE meta SET value = ? WHERE key = ?", (secrets.token_hex(32), KEY))


def _as_sqlite(path: str, flags: int) -> int:
    return os.open(path, flags, 0o644)
