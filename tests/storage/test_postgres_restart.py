"""A PostgreSQL server that is started again under a companion that runs, and a lock that another one took meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from bot.conversation import worker
from bot.conversation.queue import Conversations
from bot.domain import Utterance
from bot.errors import StorageError
from bot.llm.scripted import ScriptedChatModel
from bot.storage.engine import postgres as dialect
from bot.storage.engine.database import Database
from tests.living import ANN, DM, START, open_core
from tests.postgres import Restarting
from tests.storage.test_postgres import LET_GO

WORDS: dict[str, object] = {"memory__summariser": "extractive", "persona__extractor": "extractive"}


@pytest.fixture
def restarted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Restarting]:
    """A server that may be started again, looked for often."""
    monkeypatch.setattr(dialect, "WATCH_S", 0.05)
    monkeypatch.setattr(worker, "AWAY_S", 0.05)
    # What fails otherwise is given up at once, and its people are told.
    defaults = Conversations.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "pauses_s", ())
    server = Restarting()
    yield server
    server.remove()


async def test_a_server_that_is_started_again_loses_and_doubles_nothing(restarted: Restarting, tmp_path: Path) -> None:
    server = restarted.start()
    url = await server.fresh("template0")
    gate = asyncio.Event()
    gate.set()
    model = ScriptedChatModel("Yes.", hold=gate)
    async with open_core(tmp_path, model=model, overrides=WORDS | {"storage__database_url": url}) as core:
        watch = asyncio.ensure_future(core.app.stores.stay_alone())
        await core.say("One", message_id="m1")
        gate.clear()
        assert await core.app.receive(Utterance(DM, "m2", ANN, "Two", START))
        async with asyncio.timeout(20):
            while not model.running:  # noqa: ASYNC110  the scripted model tells by a number
                await asyncio.sleep(0.01)
        restarted.stop()
        gate.set()
        third = Utterance(DM, "m3", ANN, "Three", START)
        with pytest.raises(StorageError, match="cannot be used"):
            await core.app.receive(third)
        await asyncio.sleep(0.2)
        assert [sent.in_reply_to for sent in core.screen.sent] == ["m1"]
        restarted.start()
        await core.app.idle()
        assert await core.app.receive(third)
        await core.app.idle()
        assert [sent.in_reply_to for sent in core.screen.sent] == ["m1", "m2", "m3"]
        assert await core.app.stores.inbox.pending() == []
        await held_again(url)
        assert not watch.done()
        watch.cancel()


async def held_again(url: str) -> None:
    """Waits until another companion is refused."""
    async with aclosing(Database(make_url(url))) as other, asyncio.timeout(20):
        with pytest.raises(StorageError, match="Another Hello Again"):  # noqa: PT012
            while True:
                async with other.alone():
                    await asyncio.sleep(0)
                await asyncio.sleep(0.1)


@asynccontextmanager
async def taken(database: Database) -> AsyncIterator[None]:
    """Holds the lock as soon as the server has let go of it: the session that was ended may take a moment."""
    async with AsyncExitStack() as stack, asyncio.timeout(20):
        while True:
            try:
                await stack.enter_async_context(database.alone())
                break
            except StorageError:
                await asyncio.sleep(0.1)
        yield


async def test_a_companion_whose_lock_another_has_taken_ends_with_a_sentence(restarted: Restarting) -> None:
    url = make_url(restarted.start().url("postgres"))
    async with aclosing(Database(url)) as first, aclosing(Database(url)) as second, first.alone() as stay_alone:
        async with second.reading() as connection:
            await connection.execute(text(LET_GO))
        async with taken(second):
            with pytest.raises(StorageError, match="Another Hello Again is running on the database postgres"):
                await stay_alone()
