"""The implementations of the ports that the contract suites run on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.storage.engine.database import open_database
from tests.stored import Rows


@pytest.fixture(params=["file", "memory"])
async def rows(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Rows]:
    """The SQL stores, in a SQLite file and in memory."""
    where = f"/{tmp_path / 'hello.db'}" if request.param == "file" else ":memory:"
    database = await open_database(f"sqlite+aiosqlite:///{where}")
    yield Rows(database)
    await database.aclose()
