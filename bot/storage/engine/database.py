"""The database: one writer at a time, readers beside it. What is peculiar to SQLite is here; to PostgreSQL, beside it.

Measured on two busy cores and a virtual disk: one `Inbox.accept` takes 1.6 to 3.9 ms with `synchronous=FULL` (one fsync
a writing transaction) and 1.4 to 1.6 ms with NORMAL, which would lose the last utterances in a power cut.
"""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    aclosing,
    asynccontextmanager,
    closing,
    contextmanager,
    nullcontext,
)
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, Table, event, literal_column, make_url
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from bot.errors import StorageAway, StorageError
from bot.storage.engine import postgres, schema
from bot.storage.engine.aiosqlite_driver import BEGIN, BEGIN_WRITING, HopConnection, Hops
from bot.storage.engine.fencing import check_fences
from bot.storage.engine.owner_only import close_database_to_others
from bot.storage.engine.syncing import told

PRAGMAS = {
    "journal_mode": "WAL",
    "synchronous": "FULL",
    "secure_delete": "ON",
    "foreign_keys": "ON",
    "busy_timeout": "10000",
}
"""For every SQLite connection. WAL lets readers go on while one writes; FULL: what was accepted survives a power cut;
`secure_delete` overwrites what is erased with zeros."""


WRITES = {"hello_again_writes": True}

CHECKPOINT_S = 10.0
"""How long the write-ahead log may be kept from being emptied by readers."""

PAUSE_S = 0.05

IN_MEMORY = 2**30
"""Bytes. A smaller SQLite file is written anew by way of memory; a larger one by way of SQLite's temporary file, which
has no name and lies where the system keeps such files."""


class Database:
    """An engine, and the lock that makes writers take turns, so that SQLite is never "locked"."""

    def __init__(self, url: URL, still_s: float = postgres.STILL_S) -> None:
        """`still_s`: how long a process that stands still in a transaction keeps a server's others waiting."""
        self._url = url
        self._writer = asyncio.Lock()
        self._descriptors: dict[tuple[int, int], int] = {}
        self._one_connection = url.get_backend_name() == "sqlite" and url.database in {None, "", ":memory:"}
        self.on_server = url.get_backend_name() != "sqlite"
        """PostgreSQL, or SQLite."""
        self._writes = postgres.WRITES if self.on_server else WRITES
        self.engine: AsyncEngine = postgres.make_engine(url, still_s) if self.on_server else _sqlite_engine(url)

    @property
    def file(self) -> Path | None:
        """The SQLite file; None for a server and for a database in memory."""
        on_disk = self._url.get_backend_name() == "sqlite" and not self._one_connection
        return Path(self._url.database or "") if on_disk else None

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection that sees one state of the database. Raises StorageError."""
        return self.writing() if self._one_connection else self._connected()

    def looking(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection for a single statement that reads: a server is asked once then, not thrice. Raises StorageError.

        Two statements there may see two states.
        """
        return self._connected(isolation_level="AUTOCOMMIT") if self.on_server else self.reading()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A connection in a writing transaction: committed at the end, rolled back on an error. Raises StorageError.

        One at a time: never await a model or a platform inside it.
        """
        async with self._writer, self._connected(**self._writes) as connection, connection.begin():
            if self.on_server:
                await check_fences(connection)
            yield connection

    @asynccontextmanager
    async def leasing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction beside the writing ones, for leases alone: it waits for no writer. Raises StorageError."""
        async with self._connected(**postgres.LEASES) as connection, connection.begin():
            yield connection

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[AsyncConnection]:
        """A connection without transactions, for as long as the block: it is closed then, not used again."""
        async with self._connected(isolation_level="AUTOCOMMIT") as connection:
            try:
                yield connection
            finally:
                await connection.invalidate()

    @asynccontextmanager
    async def _connected(self, **options: Any) -> AsyncIterator[AsyncConnection]:
        """A connection from the pool. Opening one is not interrupted: half open, nobody would ever close it."""
        with _sentences(self._url):
            async with AsyncExitStack() as stack:
                if self._is_one_idle():
                    connection = await stack.enter_async_context(self.engine.connect())
                else:
                    # Owned by this block: awaited below, also when the caller is cancelled.
                    opening = asyncio.create_task(self._start(), name="open a database connection")
                    try:
                        connection = await asyncio.shield(opening)
                    except asyncio.CancelledError:
                        stack.push_async_exit(await opening)
                        raise
                    stack.push_async_exit(connection)
                if options:
                    await connection.execution_options(**options)
                yield connection

    def _is_one_idle(self) -> bool:
        """Whether a connection to SQLite is there to be taken: opening one is rare then, and goes on."""
        pool = self.engine.pool
        if self._one_connection:
            return "connection" in vars(pool)  # StaticPool's, from its first use on
        return not self.on_server and isinstance(pool, QueuePool) and pool.checkedin() > 0

    async def _start(self) -> AsyncConnection:
        with postgres.connecting(self._url) if self.on_server else nullcontext():
            return await self.engine.connect()

    async def rewrite(self, tables: Sequence[str] | None = None) -> None:
        """Writes the database anew, so that its files hold nothing but its rows. Raises StorageError.

        Writers wait meanwhile. In SQLite readers go on; when they never pause for `CHECKPOINT_S` seconds, so that what
        the write-ahead log held before stays, it is a StorageError. In PostgreSQL readers of a table wait while it is
        written, and `tables` may be named.
        """
        async with self._writer:
            if self.file is not None:
                # Owned by this block: awaited below, also when the caller is cancelled.
                rewriting = asyncio.create_task(asyncio.to_thread(rewrite_file, self.file), name="rewrite the database")
                try:
                    await asyncio.shield(rewriting)
                except asyncio.CancelledError:
                    # The thread cannot be stopped, so writers go on waiting for it.
                    await rewriting
                    raise
            elif not self._one_connection:
                with _sentences(self._url):
                    await postgres.rewrite(self.engine, tables)

    async def settle(self, tables: Sequence[str]) -> None:
        """Has what was written or deleted last in these tables reach the files, as far as nobody reads an older state.

        Without it what was deleted stays: in SQLite until the write-ahead log is full, in PostgreSQL until the place is
        needed. Raises StorageError.
        """
        if self.file is not None:
            await asyncio.to_thread(_checkpoint, self.file)
        elif self.on_server:
            await self.rewrite(tables)

    def descriptor(self, file: Path) -> int | None:
        """A file descriptor to read one of the database's own files with; None when `file` is another.

        It stays open as long as the database: closing one would let go of the locks that SQLite holds on the file for
        the whole process, so that another process could take this one for gone. Raises OSError.
        """
        if self.file is None or file.resolve().parent != self.file.resolve().parent:
            return None
        if file.name not in {f"{self.file.name}{ending}" for ending in ("", "-wal", "-shm")}:
            return None
        status = file.stat()
        identity = (status.st_dev, status.st_ino)
        if identity not in self._descriptors:
            self._descriptors[identity] = os.open(file, os.O_RDONLY)
        return self._descriptors[identity]

    async def check(self) -> None:
        """Raises StorageError where the database cannot be this program's."""
        if self.on_server:
            async with self.reading() as connection:
                await postgres.check(connection)

    def alone(self, *, shared: bool = False) -> AbstractAsyncContextManager[Callable[[], Awaitable[None]]]:
        """No other companion uses a server's database meanwhile; a file is its folder's. Raises StorageError.

        `shared`: those that share it may. Yields what sees to that as long as it runs: it raises StorageError when
        another has come in between.
        """
        return postgres.alone(self.engine, shared=shared) if self.on_server else nullcontext(_for_ever)

    async def aclose(self) -> None:
        """Closes all connections. Safe to call twice."""
        await self.engine.dispose()
        while self._descriptors:
            os.close(self._descriptors.popitem()[1])


async def open_database(url: str, still_s: float = postgres.STILL_S) -> Database:
    """Opens the database at `url` and brings its schema up to date; makes a missing SQLite file and its folder.

    Raises DatabaseTooNew (the database is left as it is) and StorageError.
    """
    database = Database(_parse(url), still_s)
    try:
        if database.file is not None:
            folder = database.file.parent
            with told(f"The folder {folder} cannot be made", "Choose another with storage.data_dir."):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            close_database_to_others(database.file)
        await database.check()
        async with database.reading() as connection:
            current = await connection.run_sync(schema.is_current)
        if not current:
            async with schema.upgrading(), database.writing() as connection:
                # Another process may have done it while this one waited for its turn.
                if not await connection.run_sync(schema.is_current):
                    await connection.run_sync(schema.upgrade)
                    if database.on_server:
                        await connection.exec_driver_sql(postgres.NO_SAMPLES)
    except BaseException:
        await database.aclose()
        raise
    return database


async def is_up_to_date(url: str) -> bool | None:
    """Whether the schema of the database at `url` is this program's own; None when there is no file yet.

    Changes nothing. Raises DatabaseTooNew and StorageError.
    """
    async with aclosing(Database(_parse(url))) as database:
        if database.file is not None and not database.file.exists():
            return None
        async with database.reading() as connection:
            return await connection.run_sync(schema.is_current)


def rewrite_file(file: Path) -> None:
    """Writes a SQLite file anew and empties its write-ahead log. Blocks. Raises StorageError."""
    temporary = "MEMORY" if file.stat().st_size < IN_MEMORY else "FILE"
    try:
        with closing(sqlite3.connect(file, timeout=CHECKPOINT_S, isolation_level=None)) as connection:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute(f"PRAGMA temp_store = {temporary}")
            connection.execute("VACUUM")
            until = monotonic() + CHECKPOINT_S
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if monotonic() > until:
                    raise StorageError(
                        f"The database {file} was written anew, but it is read all the time, so that the file beside "
                        "it still holds what was there before. It is tried again later."
                    )
                sleep(PAUSE_S)
    except sqlite3.Error as error:
        raise StorageError(
            f"The database {file} cannot be written anew: {error}. Check that its disk has room for a second copy."
        ) from error


def _checkpoint(file: Path) -> None:
    """Copies the write-ahead log into the database's file; keeps nobody waiting. Blocks. Raises StorageError."""
    try:
        with closing(sqlite3.connect(file, timeout=CHECKPOINT_S, isolation_level=None)) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    except sqlite3.Error as error:
        raise StorageError(f"The database {file} cannot be written: {error}.") from error


def insert_into(connection: AsyncConnection, table: Table) -> Any:
    """An INSERT that may be given an ON CONFLICT, which each database has in a construct of its own."""
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


async def insert_new(connection: AsyncConnection, table: Table, rows: Iterable[Mapping[str, Any]]) -> int:
    """Inserts those of `rows` that break no unique constraint; the others are left out. Returns how many went in."""
    rows = list(rows)
    if not rows:
        return 0
    statement = insert_into(connection, table).on_conflict_do_nothing()
    if connection.dialect.name != "sqlite":  # PostgreSQL's driver does not count what many rows at once came to
        return len((await connection.execute(statement.returning(literal_column("1")), rows)).all())
    return (await connection.execute(statement, rows)).rowcount


async def put(connection: AsyncConnection, table: Table, row: Mapping[str, Any]) -> None:
    """Inserts `row`, or overwrites the row that has its primary key."""
    statement = insert_into(connection, table).values(row)
    keys = {column.name for column in table.primary_key}
    changes = {name: statement.excluded[name] for name in row if name not in keys}
    await connection.execute(statement.on_conflict_do_update(index_elements=sorted(keys), set_=changes))


async def _for_ever() -> None:
    await asyncio.Event().wait()


@contextmanager
def _sentences(url: URL) -> Iterator[None]:
    """Turns the driver's errors into sentences. Faults of this program (a broken constraint, bad SQL) pass through."""
    try:
        yield
    except (IntegrityError, ProgrammingError):
        raise
    except DBAPIError as error:
        if url.get_backend_name() != "sqlite":
            away = StorageAway if error.connection_invalidated else StorageError
            raise away(postgres.unusable(url, error.orig)) from error
        raise StorageError(
            f"The database {url.database or 'in memory'} cannot be used: {error.orig}. Check that its disk has room "
            "and that its folder is writable, restore it from a backup, or choose another with storage.data_dir."
        ) from error


def _parse(url: str) -> URL:
    try:
        parsed = make_url(url)
        parsed.get_dialect()
    except (ArgumentError, NoSuchModuleError):
        raise StorageError(
            "storage.database_url is not a database URL: expected sqlite+aiosqlite:///path or "
            "postgresql+asyncpg://user:password@host/name."
        ) from None
    if parsed.get_backend_name() == "sqlite" and parsed.get_driver_name() != "aiosqlite":
        raise StorageError("storage.database_url should begin with sqlite+aiosqlite:// for a SQLite file.")
    return parsed


def _sqlite_engine(url: URL) -> AsyncEngine:
    engine = create_async_engine(url, hide_parameters=True, module=Hops())
    event.listen(engine.sync_engine, "connect", _set_pragmas)
    event.listen(engine.sync_engine, "begin", _begin)
    return engine


def _set_pragmas(dbapi_connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:  # noqa: ARG001  SQLAlchemy's signature
    dbapi_connection.isolation_level = None  # the driver begins no transaction by itself: `_begin` does
    cursor = dbapi_connection.cursor()
    for name, value in PRAGMAS.items():
        cursor.execute(f"PRAGMA {name}={value}")
    cursor.close()


def _begin(connection: Connection) -> None:
    driver: Any = connection.connection.dbapi_connection
    if connection.get_execution_options().get("hello_again_writes", False):
        connection.exec_driver_sql(BEGIN_WRITING)
    elif isinstance(driver, HopConnection):  # SQLAlchemy takes as long over a statement of its own as over a query
        driver.begin_later(BEGIN)
