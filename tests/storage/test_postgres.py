"""PostgreSQL: what is asked of a server, how it is lost and found again, and that nothing erased stays in its files."""

import asyncio
import traceback
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, suppress
from pathlib import Path

import numpy as np
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, make_url, text
from sqlalchemy.exc import IntegrityError

from bot.config import load_settings
from bot.domain import Scope, Utterance, VectorKind
from bot.errors import IndexUnusable, StorageAway, StorageError
from bot.storage.engine import postgres as dialect
from bot.storage.engine.database import Database, open_database
from bot.storage.shared.tables import metadata
from bot.storage.stores import open_stores
from bot.storage.vectors.pgvector import open_pgvector
from tests.looking import vectors_in
from tests.postgres import Server
from tests.stored import ANN, ANNS_DM, BETA, START, Rows

SCHEMA = """
SELECT table_name || '.' || column_name, concat_ws(' ', data_type, is_nullable, column_default)
FROM information_schema.columns WHERE table_schema = 'public'
UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
"""

LET_GO = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
"""Waits until they have ended: a connection that is about to end looks alive."""


@pytest.fixture
async def fresh(postgres: Server) -> AsyncIterator[Database]:
    """A database that no other test has."""
    database = await open_database(await postgres.fresh())
    yield database
    await database.aclose()


async def test_the_migrations_make_what_the_models_would_make(fresh: Database) -> None:
    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    async with fresh.writing() as connection:
        assert await connection.run_sync(differences) == []
        await connection.exec_driver_sql("DROP TABLE alembic_version")
        migrated = set(await connection.exec_driver_sql(SCHEMA))
        await connection.run_sync(metadata.drop_all)
        await connection.run_sync(metadata.create_all)
        assert set(await connection.exec_driver_sql(SCHEMA)) == migrated
    assert len(migrated) > 200


async def test_two_processes_that_open_an_empty_database_make_it_once(postgres: Server) -> None:
    url = await postgres.fresh("template0")
    databases = await asyncio.gather(open_database(url), open_database(url))
    assert await Rows(databases[0]).accept() is not None
    for one in databases:
        await one.aclose()


async def test_a_server_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"hello cannot be used.*Check that its server runs.*storage\.database_url"):
        await open_database(f"postgresql+asyncpg://hello@/hello?host={tmp_path}")


async def test_a_database_or_user_that_is_not_there_is_a_sentence(postgres: Server) -> None:
    for url in (postgres.url("nowhere"), postgres.url().replace("hello@", "nobody@")):
        with pytest.raises(StorageError, match="does not exist"):
            await open_database(url)


async def test_a_missing_driver_is_a_sentence(monkeypatch: pytest.MonkeyPatch, postgres: Server) -> None:
    monkeypatch.setitem(__import__("sys").modules, "asyncpg", None)
    with pytest.raises(StorageError, match=r"asyncpg is needed: pip install 'hello-again-bot\[postgres\]'"):
        await open_database(postgres.url())


async def test_a_database_that_cannot_keep_every_character_is_refused(postgres: Server) -> None:
    await postgres.run("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    with pytest.raises(StorageError, match="createdb --template=template0"):
        await open_database(postgres.url("latin"))


async def test_a_server_that_keeps_what_is_erased_is_refused(postgres: Server) -> None:
    url = await postgres.fresh()
    await postgres.run(f"ALTER DATABASE {url.split('/')[3].split('?')[0]} SET wal_recycle = on")
    with pytest.raises(StorageError, match="ALTER SYSTEM SET wal_recycle = off"):
        await open_database(url)


async def test_a_user_of_few_rights_is_told_which_are_needed_and_needs_no_more(postgres: Server) -> None:
    await postgres.run("CREATE ROLE plain LOGIN", "CREATE DATABASE plain OWNER plain TEMPLATE template0")
    url = postgres.url("plain").replace("hello@", "plain@")
    with pytest.raises(StorageError, match="GRANT EXECUTE ON FUNCTION pg_switch_wal"):
        await open_database(url)
    grants = ("GRANT EXECUTE ON FUNCTION pg_switch_wal TO plain", "GRANT pg_checkpoint TO plain")
    await postgres.run(*grants, name="plain")
    async with aclosing(await open_database(url)) as database:
        with pytest.raises(IndexUnusable, match="have an administrator run CREATE EXTENSION vector"):
            await open_pgvector(database, "a test's")
        await postgres.run("CREATE EXTENSION vector", name="plain")
        index = await open_pgvector(database, "a test's")
        await Rows(database).accept()
        await index.expunge([])
        await database.rewrite()


async def test_a_broken_constraint_tells_no_words(fresh: Database) -> None:
    await Rows(fresh).accept("my secret")
    with pytest.raises(IntegrityError) as caught:
        async with fresh.writing() as connection:
            await connection.execute(text("UPDATE utterances SET time = NULL"))
    told = "".join(traceback.format_exception(caught.value))
    assert "not-null" in told
    assert "my secret" not in told


async def test_after_the_server_let_go_of_the_connections_the_next_call_works(fresh: Database) -> None:
    rows = Rows(fresh)
    await rows.accept()
    await let_go(fresh)
    assert await rows.accept() is not None
    assert len(await rows.utterances.recent(ANNS_DM, 9)) == 2


async def test_a_connection_lost_in_a_transaction_is_a_sentence_and_leaves_nothing(fresh: Database) -> None:
    rows = Rows(fresh)
    said = await rows.accept()

    async def broken() -> None:
        async with fresh.writing() as connection:
            await connection.execute(text("DELETE FROM inbox"))
            await let_go(fresh)
            await connection.execute(text("DELETE FROM utterances"))

    with pytest.raises(StorageError, match="cannot be used"):
        await broken()
    assert await rows.inbox.pending() == [said]


async def let_go(database: Database) -> None:
    """Has the server end all connections to this database, as a restart does."""
    other = Database(database.engine.url)
    async with other.reading() as connection:
        await connection.execute(text(LET_GO))
    await other.aclose()


async def test_a_reader_sees_one_state_and_waits_for_nobody(fresh: Database) -> None:
    rows = Rows(fresh)
    count = text("SELECT count(*) FROM utterances")
    async with fresh.reading() as reader:
        assert await reader.scalar(count) == 0
        await rows.accept()
        async with fresh.writing():
            assert await reader.scalar(count) == 0
    async with fresh.reading() as reader:
        assert await reader.scalar(count) == 1


async def test_a_single_look_leaves_no_transaction_open(fresh: Database) -> None:
    process, state = text("SELECT pg_backend_pid()"), "SELECT state FROM pg_stat_activity WHERE pid = {}"
    for opened, left in ((fresh.looking, "idle"), (fresh.reading, "idle in transaction")):
        async with opened() as connection, fresh.reading() as other:
            number = await connection.scalar(process)
            assert await other.scalar(text(state.format(number))) == left


async def test_writers_of_two_processes_take_turns(fresh: Database) -> None:
    """Each looks first, and writes then: both see what the other left."""
    other = Database(fresh.engine.url)

    async def count(database: Database) -> None:
        async with database.writing() as connection:
            before = await connection.scalar(text("SELECT coalesce(max(value), '0') FROM meta WHERE key = 'counted'"))
            put = "INSERT INTO meta VALUES ('counted', :now) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            await connection.execute(text(put), {"now": str(int(before or 0) + 1)})

    await asyncio.gather(*(count(database) for _ in range(8) for database in (fresh, other)))
    async with fresh.reading() as connection:
        assert await connection.scalar(text("SELECT value FROM meta WHERE key = 'counted'")) == "16"
    await other.aclose()


async def test_nothing_erased_stays_in_the_files_of_the_server(fresh: Database, postgres: Server) -> None:
    rows, secret = Rows(fresh), "the walnut desk has a hidden drawer"
    index, scope = await open_pgvector(fresh, "a test's"), Scope(VectorKind.EVENT, ANNS_DM.key)
    for _ in range(3):
        said = await rows.accept(secret)
        session = await rows.sessions.append(said, BETA, 1000)
    await rows.sessions.close(ANNS_DM)
    event = await rows.event(session, summary=f"Ann said: {secret}")
    vector = np.random.default_rng(7).normal(size=(1, 384)).astype(np.float32)
    await index.upsert(scope, [event.id], vector)
    _, [kept] = await index.load(scope, [event.id])
    await postgres.run("ANALYZE", "CHECKPOINT", name=str(fresh.engine.url.database))
    needles = (secret.encode(), kept.tobytes())
    before = places(postgres.data, needles)
    assert {(at, file.split("/")[0]) for at, file in before} >= {(n, top) for n in (0, 1) for top in ("base", "pg_wal")}
    await rows.erasures.erase_messages("chat", ["m1", "m2", "m3"], START)
    await index.expunge([(scope, [event.id])])
    assert places(postgres.data, needles), "what was deleted is still there until all is written anew"
    await fresh.rewrite()
    assert places(postgres.data, needles) == set()


def places(folder: Path, needles: Sequence[bytes]) -> set[tuple[int, str]]:
    """Which of these is in which file. The server makes and removes files meanwhile."""
    found = set()
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):
            content = file.read_bytes() if file.is_file() else b""
            found |= {(at, str(file.relative_to(folder))) for at, one in enumerate(needles) if one in content}
    return found


async def test_the_stores_stand_on_a_server_and_one_companion_uses_it(postgres: Server, tmp_path: Path) -> None:
    url = await postgres.fresh()
    first, second = (load_settings(None, {}).in_folder(tmp_path / name, url) for name in ("first", "second"))
    async with open_stores(first, "an encoder") as stores:
        assert await stores.inbox.accept(Utterance(ANNS_DM, "m1", ANN, "hello", START)) is not None
        with pytest.raises(StorageError, match="Another Hello Again is running on the database fresh_"):
            await open_stores(second, "an encoder").__aenter__()
    async with open_stores(second, "an encoder") as stores:
        assert [one.text for one in await stores.inbox.pending()] == ["hello"]
        async with aclosing(Database(make_url(url))) as other:
            await let_go(other)
        assert len(await stores.inbox.pending()) == 1


async def test_an_index_of_another_encoder_or_out_of_step_is_made_anew(fresh: Database) -> None:
    rows, scope = Rows(fresh), Scope(VectorKind.EVENT, ANNS_DM.key)
    events = [await rows.event(await rows.converse(ANNS_DM, [ANN], after)) for after in (BETA, 3 * BETA)]
    index = await open_pgvector(fresh, "one")
    ids = [event.id for event in events]
    await index.upsert(scope, [*ids, 99], np.eye(3, 4, dtype=np.float32))
    await rows.events.mark_indexed(ids)
    await index.remove(scope, ids[:1])
    again = await open_pgvector(fresh, "one")
    assert [event.id for event in await rows.events.unindexed(9)] == ids[:1]
    assert (await again.load(scope, [*ids, 99]))[0].tolist() == ids[1:]
    assert await vectors_in(again, scope) == 1
    other = await open_pgvector(fresh, "another")
    assert [event.id for event in await rows.events.unindexed(9)] == ids
    assert await vectors_in(other, scope) == 0


async def test_the_order_of_text_is_asked_for(fresh: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect, "SORTED", text("SELECT 'a' < 'B'"))  # as a language sorts: none is installed here
    with pytest.raises(StorageError, match="sorts text by the rules of a language"):
        await fresh.check()


async def test_a_server_that_has_too_many_connections_is_away_until_one_ends(postgres: Server) -> None:
    await postgres.run("CREATE ROLE visitor LOGIN CONNECTION LIMIT 0")
    async with aclosing(Database(make_url(postgres.url()).set(username="visitor"))) as database:
        with pytest.raises(StorageAway, match="too many connections"):
            await database.check()
    await postgres.run("DROP ROLE visitor")
