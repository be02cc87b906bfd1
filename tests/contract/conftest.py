"""The implementations of the ports that the contract suites run on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.engine.database import open_database
from tests.postgres import Server
from tests.stored import Rows


@pytest.fixture
async def rows(server: Server | None, tmp_path: Path) -> AsyncIterator[Rows]:
    """The SQL stores, in a SQLite file and on a PostgreSQL server. Many other tests have them in memory."""
    file = f"sqlite+aiosqlite:///{tmp_path / 'hello.db'}"
    database = await (open_database(file) if server is None else server.emptied())
    yield Rows(database)
    await database.aclose()
