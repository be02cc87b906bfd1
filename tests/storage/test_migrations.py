"""A database of an older program is brought up to date, and nothing in it is lost."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import make_url

from bot.domain import AGENT_ID, JobKind
from bot.storage.engine import schema
from bot.storage.engine.database import Database, open_database
from bot.storage.shared.digests import known_key
from bot.storage.shared.tables import metadata
from tests.migrated import Copied
from tests.postgres import Server
from tests.stored import ANN, ANNS_DM, BEN, BENS_DM, HALL, START, Rows

MOMENT = "2026-03-01 12:00:00.000000"

ROWS = """
INSERT INTO places VALUES ('chat:dm:ben', 'chat', 'dm', 'ben', NULL, NULL);
INSERT INTO places VALUES ('chat:dm:ann', 'chat', 'dm', 'ann', NULL, NULL);
INSERT INTO places VALUES ('chat:channel:server/hall', 'chat', 'channel', 'server/hall', 'server', NULL);
INSERT INTO speakers VALUES ('chat:ann', 'Ann'), ('chat:ben', 'Ben'), ('agent', 'Monica'), ('chat:gone', 'Gone');
INSERT INTO sessions VALUES (5, 'chat:dm:ben', 'NOW', 'NOW', 4, 'closed');
INSERT INTO utterances VALUES
    (3, 'chat:dm:ben', 'chat', 'm3', 'chat:ben', 'Ben', 'I live in Rome.', 'NOW', true, NULL, 5, 0),
    (4, 'chat:dm:ben', 'chat', 'reply:aa', 'agent', 'Monica', 'How nice!', 'NOW', false, 'm3', 5, 1),
    (7, 'chat:dm:ann', 'chat', 'm7', 'chat:ann', 'Ann', 'hello', 'NOW', true, NULL, NULL, NULL),
    (8, 'chat:dm:ann', 'chat', 'reply:bb', 'agent', 'Monica', 'hi', 'NOW', false, 'm7', NULL, NULL);
INSERT INTO inbox VALUES (3, 'answered', 'NOW'), (7, 'answered', 'NOW');
INSERT INTO answers VALUES (3, 4), (7, 8);
INSERT INTO outbox VALUES (1, 4, 'chat:dm:ben', 'aa', 'sent', 'p4', NULL, 'NOW', 'NOW');
INSERT INTO outbox VALUES (2, 8, 'chat:dm:ann', 'bb', 'sending', NULL, NULL, 'NOW', NULL);
INSERT INTO events VALUES (9, 5, 'chat:dm:ben', 'Ben lives in Rome.', 'NOW', true);
INSERT INTO event_speakers VALUES (9, 'chat:ben'), (9, 'agent');
INSERT INTO event_sources VALUES (9, 0, 3), (9, 1, 4);
INSERT INTO event_topics VALUES (9, 'rome');
INSERT INTO traits VALUES (2, 'chat:ben', 'chat:dm:ben', 'I live in Rome.', 'NOW', NULL, NULL, NULL, true);
INSERT INTO trait_sources VALUES (2, 0, 3);
INSERT INTO reply_memories VALUES (8, 'trait', 2);
INSERT INTO jobs VALUES (1, 'traits', 3, 'done', 1, NULL, NULL, NULL, 'NOW');
""".replace("NOW", MOMENT)
"""What the first version of the program wrote."""


SERIALS = ("sessions", "utterances", "outbox", "events", "traits", "jobs")


@pytest.fixture
async def old(server: Server | None, tmp_path: Path) -> str:
    """The address of a database as the first version left it."""
    url = f"sqlite+aiosqlite:///{tmp_path / 'hello.db'}" if server is None else await server.fresh("template0")
    await write(url, ROWS, "0001")
    return url


@pytest.fixture
async def rows(old: str) -> AsyncIterator[Rows]:
    """The same database, opened by this program."""
    database = await open_database(old)
    yield Rows(database)
    await database.aclose()


async def write(url: str, statements: str, version: str = "") -> None:
    """Adds rows to the database of an older program, of `version` if it is to be brought up to that first."""
    database = Database(make_url(url))
    async with database.writing() as connection:
        if version:
            await connection.run_sync(schema.upgrade, version)
        for statement in statements.split(";"):
            if statement.strip():
                await connection.exec_driver_sql(statement)
        for name in SERIALS if database.on_server else ():  # the rows came with ids of their own
            counter = f"setval(pg_get_serial_sequence('{name}', 'id'), coalesce(max(id), 0) + 1, false)"
            await connection.exec_driver_sql(f"SELECT {counter} FROM {name}")  # noqa: S608  our own
    await database.aclose()


async def test_nothing_is_lost_and_nothing_is_broken(rows: Rows) -> None:
    counts = (await rows.utterances.counts()).rows
    assert {name: counts[name] for name in ("places", "speakers", "utterances", "answers", "outbox", "traits")} == {
        "places": 3,
        "speakers": 4,
        "utterances": 4,
        "answers": 2,
        "outbox": 2,
        "traits": 1,
    }
    if not rows.database.on_server:
        async with rows.database.reading() as connection:
            assert (await connection.exec_driver_sql("PRAGMA foreign_key_check")).all() == []
            assert (await connection.exec_driver_sql("PRAGMA integrity_check")).scalar() == "ok"
    [event] = await rows.events.readable_in(BENS_DM)
    assert (sorted(event.speakers), event.sources, event.names) == ([AGENT_ID, BEN.id], (3, 4), ())


async def test_speakers_are_numbered_in_order_of_first_appearance(rows: Rows) -> None:
    said = await rows.utterances.recent(BENS_DM, 9) + await rows.utterances.recent(ANNS_DM, 9)
    assert [(one.speaker.id, one.speaker.number) for one in said] == [
        (BEN.id, 1),
        (AGENT_ID, 2),
        (ANN.id, 3),
        (AGENT_ID, 2),
    ]
    newcomer = await rows.accept(speaker=replace(ANN, id="chat:new"), place=HALL)
    back = await rows.accept(speaker=replace(ANN, id="chat:gone"), place=HALL)
    assert (newcomer.speaker.number, back.speaker.number) == (5, 4)


async def test_a_reply_that_was_sent_is_found_by_its_message(rows: Rows) -> None:
    found = await rows.utterances.by_message("chat", ["p4"])
    assert found["p4"].text == "How nice!"
    used = await rows.outbox.used(BENS_DM, "p4")
    assert used is not None
    [unsent] = await rows.outbox.undelivered()
    assert (unsent.id, unsent.uncertain, unsent.parts, unsent.draft) == (2, True, (), None)


async def test_old_memories_are_corrected_like_new_ones(rows: Rows) -> None:
    await rows.erasures.erase_messages("chat", ["m3"], START)
    assert await rows.events.readable_in(BENS_DM) == []
    assert await rows.traits.current(BEN.id, BENS_DM) == []
    assert await rows.outbox.used(ANNS_DM) is None  # the reply that was shown Ben's trait went along
    assert await rows.jobs.claim(START, timedelta(minutes=5)) is None
    assert [said.text for said in await rows.utterances.recent(ANNS_DM, 9)] == ["hello"]


async def test_what_was_said_before_is_archived_in_the_background(rows: Rows) -> None:
    job = await rows.jobs.claim(START, timedelta(minutes=5))
    assert job is not None
    assert (job.kind, job.subject) == (JobKind.ARCHIVE, 5)
    assert await rows.passages.archive(5, [], job.id) == 2
    found = await rows.passages.get((await rows.passages.readable_in(BENS_DM)).tolist())
    assert [one.utterance.text for one in found] == ["I live in Rome.", "How nice!"]


LATER = """
INSERT INTO sessions VALUES
    (6, 'chat:dm:ben', 'NOW', 'NOW', 4, 'closed'),
    (7, 'chat:dm:ben', 'NOW', 'NOW', 4, 'closed'),
    (8, 'chat:dm:ben', 'NOW', 'NOW', 4, 'closed');
INSERT INTO events VALUES (10, 6, 'chat:dm:ben', 'Ben moves.', '2026-03-03 12:00:00.000000', true);
INSERT INTO events VALUES (11, 7, 'chat:dm:ben', 'Ben packs.', '2026-03-02 12:00:00.000000', true);
INSERT INTO events VALUES (12, 8, 'chat:dm:ben', 'Ben sleeps.', '2026-03-02 12:00:00.000000', true);
""".replace("NOW", MOMENT)
"""More events than the one of before, not stored in order of time."""


async def test_what_happened_before_is_linked_in_order_of_time(old: str) -> None:
    await write(old, LATER)
    database = await open_database(old)
    rows, order = Rows(database), list[int]()
    while (job := await rows.jobs.claim(START, timedelta(minutes=5), [JobKind.LINK])) is not None:
        order.append(job.subject)
    await database.aclose()
    assert order == [9, 11, 12, 10]


SHOWN = """
INSERT INTO sessions VALUES (6, 'chat:dm:ann', 'NOW', 'NOW', 4, 'closed'), (7, 'chat:dm:ann', 'NOW', 'NOW', 4, 'open');
INSERT INTO utterances VALUES
    (20, 'chat:dm:ann', 'chat', 'm20', 'chat:ann', 'Ann', 'long ago', '2026-03-01 11:00:00.000000', true, NULL, 6, 0),
    (21, 'chat:dm:ann', 'chat', 'm21', 'chat:ann', 'Ann', 'before', '2026-03-01 11:50:00.000000', true, NULL, 6, 1),
    (22, 'chat:dm:ann', 'chat', 'm22', 'chat:ann', 'Ann', 'first', '2026-03-01 12:30:00.000000', true, 'm20', 7, 0),
    (23, 'chat:dm:ann', 'chat', 'reply:cc', 'agent', 'Monica', 'one', '2026-03-01 12:31:00.000000', false, 'm22', 7, 1),
    (24, 'chat:dm:ann', 'chat', 'm24', 'chat:ann', 'Ann', 'second', '2026-03-01 12:32:00.000000', true, NULL, 7, 2),
    (25, 'chat:dm:ann', 'chat', 'm25', 'chat:ann', 'Ann', 'third', '2026-03-01 12:32:00.000000', true, 'p3', 7, 3),
    (26, 'chat:dm:ann', 'chat', 'reply:dd', 'agent', 'Monica', 'two', '2026-03-01 12:33:00.000000', false, 'm25', 7, 4),
    (27, 'chat:dm:ann', 'chat', 'recorded', 'agent', 'Monica', 'one', '2026-03-01 12:34:00.000000', false, NULL, 7, 5);
INSERT INTO answers VALUES (22, 23), (25, 26);
INSERT INTO outbox VALUES (3, 23, 'chat:dm:ann', 'cc', 'sent', 'p3', NULL, 'NOW', 'NOW');
INSERT INTO outbox VALUES (4, 26, 'chat:dm:ann', 'dd', 'sent', 'p4b', NULL, 'NOW', 'NOW');
""".replace("NOW", MOMENT)
"""A session that began half an hour after the end of the one before; its replies, and one that was not sent."""


async def test_of_old_replies_all_is_noted_that_they_may_have_been_shown(old: str) -> None:
    await write(old, SHOWN)
    database = await open_database(old)
    async with database.reading() as connection:
        found = (await connection.exec_driver_sql("SELECT reply_id, utterance_id FROM reply_sources")).all()
    await database.aclose()
    noted: dict[int, set[int]] = {}
    for row in found:
        noted.setdefault(row.reply_id, set()).add(row.utterance_id)
    assert noted == {
        4: {3},
        8: {7},
        23: {7, 8, 20, 21, 22},  # the end of the session before, and what the first line replies to
        26: {20, 22, 23, 24, 25},  # what came before it, and what those lines reply to
    }


WORDS = """
INSERT INTO checkins (id, speaker_id, due, state, attempts) VALUES (1, 'chat:ann', 'NOW', 'skipped', 1);
INSERT INTO checkin_words VALUES (1, 8, 'Ann sings.', 'To ask.', '3 7')
""".replace("NOW", MOMENT)


async def test_the_words_of_check_ins_are_kept(old: str) -> None:
    await write(old, WORDS, "0008")
    database = await open_database(old)
    async with database.reading() as connection:
        found = (await connection.exec_driver_sql("SELECT * FROM checkin_words")).all()
    await database.aclose()
    assert [tuple(row) for row in found] == [(1, 8, "Ann sings.", "To ask.", "3 7", None)]


async def test_a_copy_of_a_migrated_database_is_what_the_migrations_make(copied: Copied, tmp_path: Path) -> None:
    copies = Copied(copied.migrate)
    made, keys = [], set()
    for number, upgrade in enumerate([copies.upgrade, copies.upgrade, copied.migrate]):
        database = Database(make_url(f"sqlite+aiosqlite:///{tmp_path / f'{number}.db'}"))
        async with database.writing() as connection:
            await connection.run_sync(upgrade)
            assert await connection.run_sync(schema.is_current)
            key = await known_key(connection)
        await database.aclose()
        assert key is not None
        with closing(sqlite3.connect(tmp_path / f"{number}.db")) as plain:
            made.append(sorted(line.replace(key.hex(), "") for line in plain.iterdump()))
        keys.add(key)
    assert made[0] == made[1] == made[2]
    assert len(made[2]) > len(metadata.tables)
    assert len(keys) == len(made), "each has a secret of its own"


async def test_what_is_opened_empty_is_what_the_migrations_make(copied: Copied, tmp_path: Path) -> None:
    made, keys = [], set()
    for name in (":memory:", ":memory:", "one.db", "other.db", "migrated.db"):
        url = f"sqlite+aiosqlite:///{name if name == ':memory:' else tmp_path / name}"
        if name == "migrated.db":
            database = Database(make_url(url))
            async with database.writing() as connection:
                await connection.run_sync(copied.migrate)
        else:
            database = await open_database(url)
        async with database.reading() as connection:
            key = await known_key(connection)
            driver = (await connection.get_raw_connection()).driver_connection
            assert key is not None
            assert driver is not None
            made.append(sorted([line.replace(key.hex(), "") async for line in driver.iterdump()]))
        await database.aclose()
        keys.add(key)
    assert all(one == made[-1] for one in made)
    assert len(made[-1]) > len(metadata.tables)
    assert len(keys) == len(made), "each has a secret of its own"
    assert (tmp_path / "one.db").stat().st_mode == (tmp_path / "migrated.db").stat().st_mode
