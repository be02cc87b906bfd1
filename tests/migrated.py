"""The schema, migrated once for the whole run: every later empty SQLite database gets a copy of what the first became.

A start on an empty database runs every migration, which takes longer than most tests do. `storage/test_migrations.py`
runs them each time, and holds the copies to what they make.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.util.concurrency import await_

from bot.storage.engine.aiosqlite_driver import HopConnection
from bot.storage.shared.digests import KEY

Upgrade = Callable[..., None]
MADE = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
"""Tables and indexes, each after what it needs; SQLite makes its own by itself."""
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid"


class Copied:
    """`schema.upgrade`, which migrates the first empty SQLite database it is given and remembers what came of it."""

    def __init__(self, migrate: Upgrade) -> None:
        self.migrate = migrate
        self._statements: list[str] = []
        self._rows: dict[str, list[tuple[object, ...]]] = {}

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

    def _remember(self, connection: Connection) -> None:
        self._statements = [statement for _, statement in connection.exec_driver_sql(MADE)]
        for name in connection.exec_driver_sql(TABLES).scalars().all():
            rows = [tuple(row) for row in connection.exec_driver_sql(f'SELECT * FROM "{name}"')]  # noqa: S608  our own
            if rows:
                self._rows[name] = rows

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
