"""The SQL stores in memory, for the tests of the parts of the core that stand on them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.storage.engine.database import open_database
from tests.stored import Rows


@asynccontextmanager
async def open_rows() -> AsyncIterator[Rows]:
    """Opens an empty database, and closes it."""
    database = await open_database("sqlite+aiosqlite:///:memory:")
    try:
        yield Rows(database)
    finally:
        await database.aclose()
