"""The database: what is in force, what is refused and in which words, and that writers take turns."""

import asyncio
import re
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection

from bot.errors import DatabaseTooNew, StorageError
from bot.storage.engine import schema
from bot.storage.engine.database import open_database
from bot.storage.shared.tables import metadata
from tests.looking import open_session
from tests.migrated import Copied
from tests.stored import ANNS_DM, BETA, Rows


def url(file: Path) -> str:
    return f"sqlite+aiosqlite:///{file}"


async def test_an_empty_folder_gets_a_database_whose_schema_is_the_models(tmp_path: Path) -> None:
    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    database = await open_database(url(tmp_path / "new folder" / "50%" / "hello.db"))
    async with database.reading() as connection:
        assert await connection.run_sync(differences) == []
        version = await connection.exec_driver_sql("SELECT version_num FROM alembic_version")
        assert version.scalars().all() == ["0013"]
    await database.aclose()
    assert (tmp_path / "new folder" / "50%").stat().st_mode & 0o077 == 0


async def test_the_migration_makes_what_the_models_would_make(tmp_path: Path) -> None:
    """Checks and partial indexes too, which Alembic's comparison does not see."""
    database = await open_database(url(tmp_path / "migrated.db"))
    made = await schema_of(tmp_path / "migrated.db", without={"alembic_version"})
    async with database.writing() as connection:
        await connection.run_sync(metadata.drop_all)
        await connection.run_sync(metadata.create_all)
    assert await schema_of(tmp_path / "migrated.db", without={"alembic_version"}) == made
    assert len(made) > 20
    await database.aclose()


async def schema_of(file: Path, without: set[str]) -> dict[str, set[str]]:
    """Table or index → the lines of its definition, whose order does not matter."""
    with sqlite3.connect(file) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    connection.close()
    without = {*without, "sqlite_sequence"}
    return {name: set(lines(sql)) - {""} for name, sql in rows if name not in without}


def lines(sql: str) -> list[str]:
    """One column or constraint a line; SQLite writes an added column behind the last one."""
    return [line.strip(" ,\t") for line in re.split(r"\n|, (?![^(]*\))", sql)]


async def test_what_was_stored_is_there_after_reopening(tmp_path: Path) -> None:
    database = await open_database(url(tmp_path / "hello.db"))
    said = await Rows(database).accept("remember me")
    await database.aclose()
    database = await open_database(url(tmp_path / "hello.db"))
    assert await Rows(database).inbox.pending() == [said]
    await database.aclose()


async def test_several_databases_can_be_made_at_once(
    tmp_path: Path, copied: Copied, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "upgrade", copied.migrate)
    files = [tmp_path / f"{number}.db" for number in range(5)]
    making = [asyncio.create_task(open_database(url(file))) for file in files]
    done, waiting = await asyncio.wait(making, timeout=30)
    assert not waiting
    for one in done:
        await one.result().aclose()
    made = [await schema_of(file, without=set()) for file in files]
    assert made[0]
    assert all(one == made[0] for one in made)


async def test_the_pragmas_are_in_force_on_every_connection(tmp_path: Path) -> None:
    database = await open_database(url(tmp_path / "hello.db"))
    async with database.reading() as first, database.reading() as second, database.writing() as third:
        for connection in (first, second, third):
            names = ("journal_mode", "synchronous", "secure_delete", "foreign_keys")
            values = [(await connection.exec_driver_sql(f"PRAGMA {name}")).scalar() for name in names]
            assert values == ["wal", 2, 1, 1]
    await database.aclose()


async def test_a_newer_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "hello.db"
    await (await open_database(url(file))).aclose()
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    before = file.read_bytes()
    with pytest.raises(DatabaseTooNew, match=r"newer version.*Update the program.*storage\.data_dir"):
        await open_database(url(file))
    assert file.read_bytes() == before


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "hello.db"
    file.write_text("This is a letter, and a rather long one. " * 100)
    before = file.read_bytes()
    with pytest.raises(StorageError, match=r"not a database.*storage\.data_dir"):
        await open_database(url(file))
    assert file.read_bytes() == before


async def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "hello.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE letters (text TEXT)")
    connection.close()
    with pytest.raises(StorageError, match="not a database of Hello Again"):
        await open_database(url(file))


async def test_a_damaged_database_is_a_storage_error(tmp_path: Path) -> None:
    file = tmp_path / "hello.db"
    database = await open_database(url(file))
    await Rows(database).accept()
    await database.aclose()
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    file.write_bytes(content)
    with pytest.raises(StorageError, match="restore it from a backup"):
        database = await open_database(url(file))


async def test_a_folder_that_cannot_be_made_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match=r"cannot be made.*storage\.data_dir"):
        await open_database(url(tmp_path / "file" / "hello.db"))


@pytest.mark.parametrize("wrong", ["nonsense", "sqlite:///x.db", "martian://host/x"])
async def test_a_wrong_url_is_a_storage_error(wrong: str) -> None:
    with pytest.raises(StorageError, match=r"storage\.database_url"):
        await open_database(wrong)


async def test_errors_do_not_carry_what_people_wrote(tmp_path: Path) -> None:
    database = await open_database(url(tmp_path / "hello.db"))
    rows = Rows(database)
    async with database.writing() as connection:
        await connection.exec_driver_sql("DROP TABLE inbox")
    with pytest.raises(StorageError) as caught:
        await rows.accept("my secret")
    assert "my secret" not in f"{caught.value} {caught.value.__cause__}"
    assert await rows.utterances.recent(ANNS_DM, 1) == []
    await database.aclose()


async def test_writers_and_readers_at_once_never_meet_a_locked_database(tmp_path: Path) -> None:
    database = await open_database(url(tmp_path / "hello.db"))
    rows = Rows(database)

    async def turn(number: int) -> None:
        said = await rows.accept(str(number))
        session = await rows.sessions.append(said, BETA, 10_000)
        assert session.utterances[-1] == (await rows.utterances.get([said.id]))[0]
        await rows.inbox.remembered([said.id])

    await asyncio.gather(*(turn(number) for number in range(30)))
    session = await open_session(rows.sessions, ANNS_DM)
    assert session is not None
    assert len(session.utterances) == 30
    await database.aclose()


async def test_a_cancelled_writer_leaves_all_or_nothing_and_lets_the_next_one_in(tmp_path: Path) -> None:
    database = await open_database(url(tmp_path / "hello.db"))
    rows = Rows(database)
    for steps in range(0, 60, 3):
        task = asyncio.create_task(rows.inbox.accept(rows.utterance()))
        for _ in range(steps):
            await asyncio.sleep(0.0002)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    async with asyncio.timeout(20):
        await rows.accept("after all that")
    counts = (await rows.utterances.counts()).rows
    assert counts["utterances"] == counts["inbox"]
    assert (await rows.inbox.pending())[-1].text == "after all that"
    await database.aclose()
    await database.aclose()
