"""The schema and its versions: Alembic, run by the program itself at start-up."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, inspect

from bot.errors import DatabaseTooNew, StorageError

MIGRATIONS = Path(__file__).parents[1] / "migrations"
PAUSE_S = 0.01

_TURN = threading.Lock()


def is_current(connection: Connection) -> bool:
    """Whether the schema is this program's own; False when it is older or empty. Changes nothing.

    Raises DatabaseTooNew, and StorageError when the database holds tables of something else.
    """
    heads = MigrationContext.configure(connection).get_current_heads()
    scripts = _scripts()
    if not heads:
        if inspect(connection).get_table_names():
            raise StorageError(
                f"{_name(connection)} is not a database of Hello Again: it holds other tables. "
                "Choose another with storage.data_dir or storage.database_url."
            )
        return False
    try:
        for head in heads:
            scripts.get_revision(head)
    except CommandError:
        raise DatabaseTooNew(
            f"{_name(connection)} was written by a newer version of Hello Again. "
            "Update the program, or choose another folder with storage.data_dir."
        ) from None
    return tuple(heads) == tuple(scripts.get_heads())


@asynccontextmanager
async def upgrading() -> AsyncIterator[None]:
    """Held around `upgrade`: Alembic knows one migration at a time in a process, whatever the database and the loop."""
    while not _TURN.acquire(blocking=False):  # noqa: ASYNC110  an Event would not be heard in another loop
        await asyncio.sleep(PAUSE_S)
    try:
        yield
    finally:
        _TURN.release()


def upgrade(connection: Connection, version: str = "head") -> None:
    """Brings the schema to this program's version, or to an older one, inside the caller's transaction.

    Within `upgrading`.
    """
    command.upgrade(_config(connection), version)


@cache
def _scripts() -> ScriptDirectory:
    """The migrations, read once: they are a program's own, and stay as they are while it runs."""
    return ScriptDirectory.from_config(_config())


def _config(connection: Connection | None = None) -> Config:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def _name(connection: Connection) -> str:
    url = connection.engine.url
    return f"The file {url.database}" if url.get_backend_name() == "sqlite" else f"The database {url.database}"
