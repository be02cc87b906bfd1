"""What is peculiar to PostgreSQL, as `database.py` has what is peculiar to SQLite.

Writers take turns by one lock of the server's, as they do in SQLite: whatever looks before it writes is right with two
processes, too. Readers see one state of the database, and wait for nobody.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import structlog
from sqlalchemy import Connection, event, inspect, text
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import ExceptionContext
from sqlalchemy.exc import DBAPIError, InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.errors import StorageAway, StorageError

WRITES = {"isolation_level": "READ COMMITTED", "hello_again_writes": True}
"""A writer sees what the one before it left: its statements look anew after they have waited."""

PASSING = ("57P", "08", "53300")
"""What the states begin with that pass: a server starts or stops, a connection broke, there are too many of them."""

WATCH_S = 5.0
"""Seconds between looks whether the lock of the companion that runs is held."""

READS = {"isolation_level": "REPEATABLE READ"}

LEASES = {"isolation_level": "READ COMMITTED"}

STILL_S = 60.0
"""Seconds after which a process that stands still in a transaction keeps the others waiting no longer."""

LOCK = 0x48_65_6C_6C_6F
"""The lock that writers take turns by: any number that nothing else in the same database takes. The next one is held by
the companion that runs."""

PARTS = LOCK + 2
"""The lock of those who claim a part of a platform."""

SESSION = {
    "application_name": "hello-again",
    "timezone": "UTC",
    "jit": "off",  # compiling costs more than any of these queries takes
}

COPIES = {
    "current_setting('archive_mode') <> 'off'": (
        "archives its write-ahead log (archive_mode), where what is erased would stay. Set archive_mode = off"
    ),
    "EXISTS (SELECT FROM pg_replication_slots) OR EXISTS (SELECT FROM pg_stat_replication)": (
        "has a replica or a replication slot, where what is erased would stay. Remove it"
    ),
    "current_setting('wal_recycle') = 'on'": (
        "keeps old parts of its write-ahead log, with what is erased in them. An administrator has to run "
        "ALTER SYSTEM SET wal_recycle = off; SELECT pg_reload_conf()"
    ),
    "NOT (has_function_privilege('pg_switch_wal()', 'execute') AND pg_has_role('pg_checkpoint', 'usage'))": (
        "does not let this user begin a new write-ahead log, which every erasure does. An administrator has to run "
        "GRANT EXECUTE ON FUNCTION pg_switch_wal TO this user; GRANT pg_checkpoint TO this user"
    ),
}
"""What of a server would keep copies of what is erased, and what to do about it."""

NO_SAMPLES = """
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT attrelid::regclass AS of_table, attname AS named FROM pg_attribute
        JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r' AND relnamespace = current_schema()::regnamespace
        WHERE attnum > 0 AND atttypid::regtype::text IN ('text', 'vector') AND coalesce(attstattarget, -1) <> 0
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', one.of_table, one.named);
    END LOOP;
END $$
"""
"""What the planner knows of a column are samples of it: words of people in a table of the server's, which stay there
when the rows have gone. It does without: what is looked for has an index."""

_log = structlog.get_logger(__name__)

SORTED = text("SELECT 'B' < 'a' AND getdatabaseencoding() = 'UTF8'")
"""Whether the database keeps every character, and compares text as SQLite and Python do."""


def make_engine(url: URL, still_s: float = STILL_S) -> AsyncEngine:
    """Raises StorageError when the driver is not installed."""
    session = SESSION | {"idle_in_transaction_session_timeout": f"{round(still_s * 1000)}ms"}
    try:
        engine = create_async_engine(
            url,
            hide_parameters=True,
            execution_options=READS,
            connect_args={"server_settings": session},
        )
    except ModuleNotFoundError as error:
        raise StorageError(
            f"storage.database_url names a PostgreSQL server, for which {error.name} is needed: "
            "pip install 'hello-again-bot[postgres]'."
        ) from None
    event.listen(engine.sync_engine, "checkout", _open)
    event.listen(engine.sync_engine, "begin", _begin)
    event.listen(engine.sync_engine, "handle_error", _without_rows)
    return engine


@asynccontextmanager
async def alone(engine: AsyncEngine, *, shared: bool = False) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """No other companion is on the database as long as the block; `shared`: none but those that share it.

    The server holds the lock as long as the connection. Yields what sees to it: run beside everything else, it takes
    the lock again where the connection was lost, and raises StorageError where another companion was quicker. Raises
    StorageError when another one is there already.
    """
    held = await _locked(engine, shared)

    async def watch() -> None:
        nonlocal held
        lost = False
        while True:
            await asyncio.sleep(WATCH_S)
            try:
                if not lost:
                    await held.scalar(text("SELECT 1"))
                    continue
                held = await _locked(engine, shared)
            except (DBAPIError, OSError, StorageAway):
                if not lost:
                    _log.error("the database does not answer; what is said waits until it does")
                    await held.invalidate()
                lost = True
            else:
                lost = False
                _log.warning("the database answers again, and is this companion's alone")

    try:
        yield watch
    finally:
        await held.invalidate()  # the server lets go of the lock with the connection, if it is still there


async def _locked(engine: AsyncEngine, shared: bool) -> AsyncConnection:
    """A connection that holds the lock of the companion that runs. Raises StorageError when another has it."""
    take = "pg_try_advisory_lock_shared" if shared else "pg_try_advisory_lock"
    with connecting(engine.url):
        connection = await engine.connect()
    await connection.execution_options(isolation_level="AUTOCOMMIT")
    if await connection.scalar(text(f"SELECT {take}({LOCK + 1})")):
        return connection
    await connection.close()
    raise StorageError(
        f"Another Hello Again is running on the database {engine.url.database}. Stop it first, or choose "
        "another with storage.database_url."
    )


async def check(connection: AsyncConnection) -> None:
    """Raises StorageError where text would be sorted or kept in another way than SQLite does, or erased things kept."""
    if not await connection.scalar(SORTED):
        name = connection.engine.url.database
        raise StorageError(
            f"The database {name} sorts text by the rules of a language, or cannot keep every character. Make another: "
            "createdb --template=template0 --encoding=UTF8 --locale=C NAME, and name it in storage.database_url."
        )
    await check_copies(connection)


async def check_copies(connection: AsyncConnection) -> None:
    """Raises StorageError when the server keeps copies of what is erased, which nobody could clean."""
    kept = (await connection.exec_driver_sql(f"SELECT {', '.join(COPIES)}")).one()
    for sentence, keeps in zip(COPIES.values(), kept, strict=True):
        if keeps:
            raise StorageError(f"The server of {connection.engine.url.database} {sentence}.")


@contextmanager
def connecting(url: URL) -> Iterator[None]:
    """Turns what the system says of a server that is not reached into StorageError; the driver passes that on."""
    try:
        yield
    except Exception as error:
        # Of a server that is starting or stopping the driver's own errors come out, most of which SQLAlchemy wraps.
        fault = error.orig if isinstance(error, DBAPIError) else error
        if isinstance(error, OSError | DBAPIError) or type(error).__module__.startswith("asyncpg."):
            away = isinstance(fault, OSError) or str(getattr(fault, "sqlstate", "")).startswith(PASSING)
            raise (StorageAway if away else StorageError)(unusable(url, fault)) from error
        raise


def unusable(url: URL, error: object) -> str:
    """The sentence for what a server answers, or does not."""
    return (
        f"The database {url.database} cannot be used: {error}. Check that its server runs and has room, and that "
        "storage.database_url is right."
    )


async def rewrite(engine: AsyncEngine, tables: Sequence[str] | None) -> None:
    """Writes tables anew, and begins a new write-ahead log: the old one holds what was in them."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        await check_copies(connection)
        if tables is None:
            tables = await connection.run_sync(lambda current: inspect(current).get_table_names())
        for name in tables:
            await connection.exec_driver_sql(f'VACUUM (FULL) "{name}"')
        for statement in ("SELECT pg_switch_wal()", "CHECKPOINT"):
            await connection.exec_driver_sql(statement)


def _begin(connection: Connection) -> None:
    if connection.get_execution_options().get("hello_again_writes", False):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")


def _open(connection: Any, *_: object) -> None:
    """Has a server that was started again noticed before a transaction begins, without asking it.

    The system tells of a connection that was closed. Asking costs three ways to the server and back, each time.
    """
    if connection.driver_connection.is_closed():
        raise InvalidatePoolError


def _without_rows(context: ExceptionContext) -> None:
    """Takes what rows hold out of an error: a constraint that is broken tells the row that broke it."""
    cause: Any = context.original_exception
    while cause is not None:
        if getattr(cause, "detail", None):
            cause.detail = None
        cause = cause.__cause__
