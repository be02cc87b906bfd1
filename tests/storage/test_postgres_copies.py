"""A server that begins to keep copies of what is erased: it is refused at a start, and no erasure calls itself done."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from structlog.testing import capture_logs

from bot.domain import ErasureReason, Selection
from bot.errors import StorageError
from bot.storage.engine.database import open_database
from bot.texts import privacy as texts
from bot.usecases.receipts import whole
from tests.living import ANN, OpenCore, open_core
from tests.memory.cleaning import clean_now
from tests.postgres import OWNER, Restarting

COPYING = {"wal_level": "replica", "max_wal_senders": "2", "max_replication_slots": "2"}
SECRET = "I have a walnut desk with a hidden drawer."
WORDS: dict[str, object] = {"memory__summariser": "extractive", "persona__extractor": "extractive"}
PATIENCE_S = 60.0


@pytest.fixture
def restarting() -> Iterator[Restarting]:
    """A server that could have replicas, and has none."""
    server = Restarting(**COPYING)
    yield server
    server.remove()


@asynccontextmanager
async def a_replica(folder: Path) -> AsyncIterator[None]:
    """Somebody who gets the write-ahead log, as far as the server can tell."""
    settings = {"replication": "database"}
    connection = await asyncpg.connect(host=str(folder), user=OWNER, database="postgres", server_settings=settings)
    try:
        yield
    finally:
        await connection.close()


async def refused(core: OpenCore, url: str, why: str) -> None:
    """Asserts that an erasure waits, as its person is told, that the log says why, and that nobody starts."""
    with pytest.raises(StorageError, match=re.escape(why)):
        await open_database(url)
    erased = await core.app.eraser.erase(Selection(people=(ANN.id,)), ErasureReason.ASKED, ANN.id)
    with capture_logs() as logged:
        assert await core.app.eraser.complete(erased.erasure_id, PATIENCE_S) is None
    [receipt] = [one for one in await core.app.stores.erasures.receipts(ANN.id, 9) if one.id == erased.erasure_id]
    assert texts.NOT_DONE in whole(receipt)
    [told] = [line["reason"] for line in logged if "still be in the files" in line["event"]]
    assert why in told


async def done(core: OpenCore) -> None:
    """Asserts that all erasures are done, as soon as nothing is kept any more."""
    assert await clean_now(core.app.eraser, PATIENCE_S)
    for receipt in await core.app.stores.erasures.receipts(ANN.id, 9):
        assert texts.VERIFIED in whole(receipt)


async def test_a_server_that_begins_to_keep_copies_is_refused_and_no_erasure_is_done_there(
    restarting: Restarting, tmp_path: Path
) -> None:
    server = restarting.start()
    url = await server.fresh("template0")
    overrides = WORDS | {"storage__database_url": url, "privacy__erase_after_s": 3600}
    async with open_core(tmp_path, overrides=overrides) as core:
        await core.say(SECRET)
        async with a_replica(server.folder):
            await refused(core, url, "has a replica or a replication slot")
        await done(core)

        await core.say(SECRET)
        await server.run("SELECT pg_create_physical_replication_slot('somebody')")
        await refused(core, url, "has a replica or a replication slot")
        await server.run("SELECT pg_drop_replication_slot('somebody')")
        await done(core)

        await core.say(SECRET)
        await restarting.again(archive_mode="on")
        await refused(core, url, "archives its write-ahead log (archive_mode)")
        await restarting.again()
        await done(core)
