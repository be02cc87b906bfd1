"""Everything moves from a SQLite file to a PostgreSQL server and back, and is the same."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import aclosing, closing
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from bot.commands.stored import move_to
from bot.config import load_settings
from bot.errors import StorageError
from bot.storage.backups import transfer
from bot.storage.backups.transfer import move
from bot.storage.engine.database import Database, open_database
from tests.postgres import Server
from tests.storage.moved import content, fill
from tests.stored import ANN, ANNS_DM, HALL, Rows


@pytest.fixture
async def old(tmp_path: Path) -> AsyncIterator[Database]:
    """A SQLite database with something in it, of which the last message was erased."""
    database = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'old.db'}")
    await fill(database)
    yield database
    await database.aclose()


@pytest.fixture
async def new(postgres: Server) -> AsyncIterator[Database]:
    """An empty database on the server."""
    database = await open_database(await postgres.fresh())
    yield database
    await database.aclose()


def quiet(table: str, rows: int) -> None:
    """Hears of what arrives."""


async def test_all_goes_there_and_back_and_is_the_same(old: Database, new: Database, tmp_path: Path) -> None:
    before = content(old)
    there = await move(old, new, quiet)
    assert content(old) == before
    async with aclosing(await open_database(f"sqlite+aiosqlite:///{tmp_path / 'back.db'}")) as back:
        assert await move(new, back, quiet) == there > 50
        assert content(back) == before
        last = max(one.id for one in await Rows(old).utterances.recent(ANNS_DM, 9))
        for database in (new, back):
            again = Rows(database)
            again._said = 1000
            assert (await again.accept()).id == last + 2, "no id of something erased is given again"
            assert [trait.text for trait in await again.traits.current(ANN.id, HALL)] == ["I dance."]


async def test_the_command_says_what_to_set_and_shows_no_password(
    postgres: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = load_settings(None, {}).in_folder(tmp_path)
    async with aclosing(await open_database(settings.database_url)) as database:
        await Rows(database).accept()
    url = (await postgres.fresh()).replace("hello@", "hello:secret@")
    assert await move_to(settings, url) == 0
    told = capsys.readouterr().out
    assert f"  database_url: {make_url(url).render_as_string()}" in told
    assert "hello:***@" in told
    assert "utterances: 1" in told
    assert "secret" not in told
    async with aclosing(await open_database(url)) as database:
        assert len(await Rows(database).inbox.pending()) == 1


async def test_a_move_that_was_interrupted_goes_on(
    old: Database, new: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transfer, "BATCH", 2)
    arrived: dict[str, int] = {}

    def told(table: str, rows: int) -> None:
        arrived[table] = arrived.get(table, 0) + rows
        if arrived == {**arrived, "utterances": rows} and rows > 1:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        await move(old, new, told)
    async with new.writing() as connection:
        await connection.execute(text("DELETE FROM utterances WHERE id = (SELECT max(id) FROM utterances)"))
    first = arrived["utterances"]
    assert await move(old, new, told) > 50
    assert first > 2
    assert arrived["utterances"] == first + 1


async def test_what_holds_something_else_is_refused(old: Database, new: Database) -> None:
    said = await Rows(new).accept("mine")
    with pytest.raises(StorageError, match=r"is not empty.*Nothing was changed"):
        await move(old, new, quiet)
    assert await Rows(new).inbox.pending() == [said]


async def test_a_moved_database_is_not_moved_into_again(old: Database, new: Database) -> None:
    await move(old, new, quiet)
    with pytest.raises(StorageError, match="is not empty"):
        await move(old, new, quiet)


async def test_a_row_that_is_not_the_same_is_noticed(old: Database, new: Database) -> None:
    def told(table: str, rows: int) -> None:
        if table == "utterances":
            with closing(sqlite3.connect(old.file or "")) as plain:
                plain.execute("UPDATE utterances SET text = 'something else' WHERE id = 1")
                plain.commit()

    with pytest.raises(StorageError, match=r"rows of utterances in fresh_.* are not those of .*old\.db"):
        await move(old, new, told)
