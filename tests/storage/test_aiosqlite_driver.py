"""SQLite with few changes of thread: how many there are, and that transactions are what they were."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import aiosqlite
import pytest
import pytest_asyncio
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.errors import StorageError
from bot.storage.engine.database import Database, open_database


@pytest_asyncio.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'hello.db'}")
    async with opened.writing() as connection:
        await connection.execute(text("INSERT INTO meta (key, value) VALUES ('a', '1'), ('b', '2')"))
    yield opened
    await opened.aclose()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What the threads of the connections are given to do."""
    made: list[object] = []
    execute = aiosqlite.Connection._execute

    async def counted(self: aiosqlite.Connection, fn: object, *args: object, **kwargs: object) -> object:
        made.append(fn)
        return await execute(self, fn, *args, **kwargs)  # type: ignore[no-untyped-call]  # not annotated there

    monkeypatch.setattr(aiosqlite.Connection, "_execute", counted)
    return made


VALUES = text("SELECT value FROM meta WHERE key IN ('a', 'b') ORDER BY key")


async def values(database: Database) -> list[str]:
    async with database.reading() as connection:
        return list((await connection.execute(VALUES)).scalars())


async def test_a_statement_is_one_call_and_the_transaction_around_it_another(
    database: Database, calls: list[object]
) -> None:
    assert await values(database) == ["1", "2"]
    assert len(calls) == 2


async def test_a_transaction_without_a_statement_is_no_call(database: Database, calls: list[object]) -> None:
    async with database.reading():
        pass
    assert not calls


async def test_a_reader_sees_one_state_from_its_first_statement_on(database: Database) -> None:
    async with database.reading() as connection:
        before = list((await connection.execute(VALUES)).scalars())
        async with database.writing() as other:
            await other.execute(text("UPDATE meta SET value = 'new' WHERE key = 'a'"))
        assert list((await connection.execute(VALUES)).scalars()) == before == ["1", "2"]
    assert await values(database) == ["new", "2"]


async def test_rows_that_are_streamed_are_of_one_state_too(database: Database) -> None:
    async with database.reading() as connection:
        rows = await connection.stream_scalars(VALUES)
        first = await rows.__anext__()
        async with database.writing() as other:
            await other.execute(text("UPDATE meta SET value = 'new' WHERE key = 'b'"))
        assert [first, *[row async for row in rows]] == ["1", "2"]
        assert list((await connection.execute(VALUES)).scalars()) == ["1", "2"]
    assert await values(database) == ["1", "new"]


async def test_after_a_statement_that_fails_nothing_is_kept_and_the_connection_goes_on(database: Database) -> None:
    async def fail(opened: AbstractAsyncContextManager[AsyncConnection]) -> None:
        async with opened as connection:
            await connection.execute(text("UPDATE meta SET value = 'new' WHERE key = 'a'"))
            await connection.execute(text("SELECT a FROM nowhere"))

    for opened in (database.writing(), database.reading()):
        with pytest.raises(StorageError, match="nowhere"):
            await fail(opened)
    assert await values(database) == ["1", "2"]


async def test_counts_and_ids_of_what_was_written_come_along(database: Database) -> None:
    async with database.writing() as connection:
        changed = await connection.execute(text("UPDATE meta SET value = 'new' WHERE key IN ('a', 'b')"))
        assert changed.rowcount == 2
        many = [{"key": f"k{number}", "value": str(number)} for number in range(3)]
        added = await connection.execute(text("INSERT INTO meta (key, value) VALUES (:key, :value)"), many)
        assert added.rowcount == 3
        one = await connection.exec_driver_sql("INSERT INTO meta (key, value) VALUES ('z', '9')")
        assert one.lastrowid
