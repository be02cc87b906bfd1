"""SQLite through aiosqlite, with as few changes of thread as can be.

aiosqlite has a thread for each connection, and every call waits for it. As SQLAlchemy drives it, a statement takes four
of these: a cursor is made, the statement is run, its rows are fetched, the cursor is closed; and a transaction takes
four more. Each costs about what a small query costs. Here a statement is one call, and its rows come along with it; a
BEGIN goes with the first statement after it, a writer's too, who takes SQLite's lock then; and what never began ends
without a call.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import aiosqlite
from sqlalchemy.dialects.sqlite.aiosqlite import (
    AsyncAdapt_aiosqlite_connection,
    AsyncAdapt_aiosqlite_cursor,
    AsyncAdapt_aiosqlite_dbapi,
    AsyncAdapt_aiosqlite_ss_cursor,
)

BEGIN, BEGIN_WRITING = "BEGIN", "BEGIN IMMEDIATE"
"""The statements that wait for the next one."""

Rows: TypeAlias = list[tuple[Any, ...]]


class Hops(AsyncAdapt_aiosqlite_dbapi):
    """The driver, for `create_async_engine(..., module=Hops())`."""

    def __init__(self) -> None:
        super().__init__(aiosqlite, sqlite3)

    def connect(self, *arg: Any, **kw: Any) -> HopConnection:
        """A connection whose statements are one call each."""
        return HopConnection(self, super().connect(*arg, **kw).driver_connection)


class _Cursor(AsyncAdapt_aiosqlite_cursor):
    """One statement, run in one call."""

    __slots__ = ()

    _adapt_connection: HopConnection

    def _make_new_cursor(self, connection: Any) -> Any:
        return _Statement(self._adapt_connection)


class _StreamCursor(AsyncAdapt_aiosqlite_ss_cursor):
    """A cursor whose rows are fetched as they are asked for."""

    __slots__ = ()

    _adapt_connection: HopConnection

    async def _execute_async(self, operation: Any, parameters: Any) -> Any:
        if begin := self._adapt_connection.take_begin():
            await self._cursor.execute(begin)
        return await super()._execute_async(operation, parameters)


class HopConnection(AsyncAdapt_aiosqlite_connection):
    """A connection, the BEGIN that waits for its next statement, and whether there is anything to end."""

    __slots__ = ("_begins", "_used")

    _cursor_cls = _Cursor
    _ss_cursor_cls = _StreamCursor

    def __init__(self, dbapi: Any, connection: Any) -> None:
        super().__init__(dbapi, connection)
        self._begins = ""
        self._used = False

    def begin_later(self, begin: str) -> None:
        """Has the next statement begin a transaction."""
        self._begins = begin

    def take_begin(self) -> str:
        """A statement comes now: what is to begin a transaction before it, which the caller sees to; "": nothing is."""
        begins, self._begins, self._used = self._begins, "", True
        return begins

    def rollback(self) -> None:
        """Rolls back, if there was a statement since the last end."""
        if self._ends():
            super().rollback()

    def commit(self) -> None:
        """Commits, if there was a statement since the last end."""
        if self._ends():
            super().commit()

    def _ends(self) -> bool:
        used, self._begins, self._used = self._used, "", False
        return used

    async def run(self, work: Callable[[sqlite3.Cursor], object]) -> tuple[Rows, sqlite3.Cursor]:
        """Does `work` with a cursor in the connection's thread; returns all rows and the cursor, which is closed."""
        begins = self.take_begin()
        driver = self._connection

        def hop() -> tuple[Rows, sqlite3.Cursor]:
            cursor = driver._conn.cursor()  # noqa: SLF001  as aiosqlite's own methods do
            try:
                if begins:
                    cursor.execute(begins)
                work(cursor)
                return cursor.fetchall() if cursor.description else [], cursor
            finally:
                cursor.close()

        done: tuple[Rows, sqlite3.Cursor] = await driver._execute(hop)  # noqa: SLF001  it has no public name
        return done


class _Statement:
    """What SQLAlchemy takes for the driver's cursor: a statement, its rows, and what is known of them."""

    def __init__(self, connection: HopConnection) -> None:
        self._hops = connection
        self._rows: Rows = []
        self.description: Sequence[Any] | None = None
        self.rowcount = -1
        self.lastrowid: int | None = None
        self.arraysize = 1

    async def __aenter__(self) -> _Statement:
        return self

    async def execute(self, operation: str, parameters: Any = ()) -> None:
        """Runs a statement and fetches its rows."""
        if operation in {BEGIN, BEGIN_WRITING}:
            self._hops.begin_later(operation)
        else:
            await self._run(lambda cursor: cursor.execute(operation, parameters))

    async def executemany(self, operation: str, parameters: Any) -> None:
        """Runs a statement with each of these parameters."""
        await self._run(lambda cursor: cursor.executemany(operation, parameters))

    async def fetchall(self) -> Rows:
        """The rows: they are here already."""
        return self._rows

    async def close(self) -> None:
        """Nothing is to be done: the driver's cursor is closed."""

    async def _run(self, work: Callable[[sqlite3.Cursor], object]) -> None:
        self._rows, cursor = await self._hops.run(work)
        self.description, self.rowcount, self.lastrowid = cursor.description, cursor.rowcount, cursor.lastrowid
