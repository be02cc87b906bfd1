"""SIGKILL at any moment of a life on Discord or Telegram: every message gets one reply.

Each life is `bot run`'s own parts in a process of its own, against our servers; the model is scripted. Ann asks until
the process is killed, it is started again, she asks once more, and what she sees is counted.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
from collections.abc import Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.crash.platform_child import said
from tests.nursery import Nursery
from tests.platform.discord_client import Home
from tests.platform.discord_server import DiscordServer, open_discord
from tests.platform.telegram_server import TelegramServer, open_telegram

MOST_QUESTIONS = 3
SETTLED_S = 0.5
"""Seconds in which what would come twice has come."""

pytestmark = pytest.mark.asyncio(loop_scope="module")

POINTS = [
    "inbox.accept:before",
    "inbox.accept:after",
    "inbox.accept:before#2",
    "sessions.append:before",
    "sessions.append:after",
    "model.said:before",
    "model.said:after#3",
    "outbox.commit:before",
    "outbox.commit:after",
    "outbox.sending:before",
    "outbox.sending:after",
    "wire.send:before",
    "wire.send:after",
    "wire.send:before#2",
    "wire.send:after#2",
    "outbox.part_sent:before",
    "outbox.part_sent:after",
    "outbox.sent:before",
    "outbox.sent:after",
    "outbox.sent:after#2",
    "jobs.claim:after",
    "traits.apply:before",
    "traits.apply:after",
]
AROUND_SENDING = [point for point in POINTS if point.startswith(("wire", "outbox"))]
"""Where it matters on Discord whether a reply was shown while it grew."""
UNKNOWN_ON_DISCORD = {"inbox.accept:before", "jobs.claim:after"}
"""The first message ever of a person in a DM: Discord tells no bot which DMs it has, so nobody can look for it."""
DOUBLED_ON_TELEGRAM = {"wire.send:after", "wire.send:after#2", "outbox.part_sent:before"}
"""Telegram has the reply and nothing on this side knows it. Nothing in its API tells, so the reply is sent again."""


class Place(Protocol):
    """Where Ann talks with the companion."""

    settings: dict[str, Any]
    """The platform's settings for the child."""

    async def ready(self) -> None:
        """Waits until the companion listens."""

    async def ask(self, number: int) -> None:
        """Ann asks."""

    def replies(self) -> list[str]:
        """All that the companion has said, as Ann sees it now."""

    async def seen(self, text: str) -> None:
        """Waits until the companion has said this."""


class OnDiscord:
    """A DM on Discord."""

    def __init__(self, server: DiscordServer, folder: Path, *, stream: bool) -> None:
        self._server, self._home = server, Home(server)
        self._database = folder / "data" / "hello.db"
        self._dm = server.open_dm(self._home.ann)
        self.settings = {
            "api_url": server.api_url, "gateway_url": server.gateway_url, "stream": stream, "edit_every_s": 0.1,
        }  # fmt: skip

    async def ready(self) -> None:
        await self._server.until_connected(30)
        async with asyncio.timeout(20):
            # What was said before the very first session is not looked for.
            while not self._was_there():  # noqa: ASYNC110  a row of another process
                await asyncio.sleep(0.02)

    def _was_there(self) -> bool:
        """Whether a session, now or in a life before, has got so far that nothing can be missed."""
        with closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as database:
            return database.execute("SELECT 1 FROM presence").fetchone() is not None

    async def ask(self, number: int) -> None:
        await self._server.say(self._home.ann, self._dm, f"I have question {number}")

    def replies(self) -> list[str]:
        return [message.content for message in self._server.replies(self._dm)]

    async def seen(self, text: str) -> None:
        await self._server.until(lambda: text in self.replies() or None, 20)


class OnTelegram:
    """A private chat on Telegram."""

    def __init__(self, server: TelegramServer, *, stream: bool) -> None:
        self._server = server
        self._ann = server.world.add_user("Ann")
        self.settings = {"api_url": server.base_url, "stream": stream, "edit_every_s": 0.1}

    async def ready(self) -> None:
        """Updates wait on the server until somebody asks for them."""

    async def ask(self, number: int) -> None:
        self._server.world.say(self._ann, self._ann, f"I have question {number}")

    def replies(self) -> list[str]:
        return self._server.world.said(self._ann)

    async def seen(self, text: str) -> None:
        await self._server.world.until(lambda: text in self.replies(), 20)


class Lives:
    """The nursery, for lives that go on while Ann talks with them: one at a time."""

    def __init__(self, nursery: Nursery) -> None:
        self._nursery = nursery
        self._reader = ThreadPoolExecutor(1, "the nursery's answers")
        self._living: int | None = None
        self._end: Future[str] | None = None

    async def begin(self, folder: Path, platform: str, point: str, settings: dict[str, Any]) -> int:
        """Begins a life; its process id."""
        order = {"folder": str(folder), "platform": platform, "point": point, "settings": settings}
        asked = self._reader.submit(self._nursery.ask, "tests.crash.platform_child", json.dumps(order))
        process = await asyncio.wrap_future(asked)
        self._living, self._end = int(process), None
        return self._living

    async def ended(self) -> int:
        """Waits for the end of a life: its exit code, or minus the signal that ended it."""
        self._end = self._reader.submit(self._nursery.line)
        code = await asyncio.wrap_future(self._end)
        self._living = None
        return int(code)

    def end(self) -> None:
        """Ends a life that a failed test left behind."""
        if self._living is not None:
            with suppress(ProcessLookupError):
                os.kill(self._living, signal.SIGKILL)
            self._end = self._end or self._reader.submit(self._nursery.line)
        self._reader.shutdown()


@pytest.fixture
def lives(nursery: Nursery) -> Iterator[Lives]:
    """Lives on a platform."""
    lives = Lives(nursery)
    yield lives
    lives.end()


@pytest.mark.parametrize(
    ("point", "stream"),
    [(point, True) for point in POINTS if point not in UNKNOWN_ON_DISCORD]
    + [(point, False) for point in AROUND_SENDING],
)
async def test_on_discord_every_message_gets_one_reply(lives: Lives, tmp_path: Path, point: str, stream: bool) -> None:
    async with open_discord() as server:
        place = OnDiscord(server, tmp_path, stream=stream)
        asked = await two_lives(lives, place, tmp_path, "discord", point)
        assert sorted(place.replies()) == [said(number) for number in range(1, asked + 1)]


@pytest.mark.parametrize("point", POINTS)
async def test_on_telegram_every_message_gets_one_reply_but_where_nothing_can_tell(
    lives: Lives, tmp_path: Path, point: str
) -> None:
    async with open_telegram() as server:
        place = OnTelegram(server, stream=True)
        asked = await two_lives(lives, place, tmp_path, "telegram", point)
        replies = place.replies()
        assert sorted(set(replies)) == [said(number) for number in range(1, asked + 1)]
        assert len(replies) - len(set(replies)) == int(point in DOUBLED_ON_TELEGRAM)


async def two_lives(lives: Lives, place: Place, folder: Path, platform: str, point: str) -> int:
    """Ann asks until the process is killed, and once more when it has been started again; how much she asked."""
    await lives.begin(folder, platform, point, place.settings)
    asked = await until_killed(lives, place, folder, point)
    process = await lives.begin(folder, platform, "none", place.settings)
    await place.ready()
    for number in range(1, asked + 1):
        await place.seen(said(number))
    await place.ask(asked + 1)
    await place.seen(said(asked + 1))
    await asyncio.sleep(SETTLED_S)
    os.kill(process, signal.SIGTERM)
    assert await lives.ended() == 0
    return asked + 1


async def until_killed(lives: Lives, place: Place, folder: Path, point: str) -> int:
    """Ann asks, one question after the other, until the process is gone; how many she asked.

    She asks on only when the answer before is noted as sent: between its coming and that note, a kill for the sake of
    the next question would be one where Telegram cannot tell.
    """
    end = asyncio.create_task(lives.ended())
    await first_of(end, place.ready())
    for number in range(1, MOST_QUESTIONS + 1):
        await place.ask(number)
        await first_of(end, place.seen(said(number)))
        await first_of(end, noted(folder))
        await asyncio.wait([end], timeout=SETTLED_S)
        if end.done():
            assert end.result() == -signal.SIGKILL
            return number
    end.cancel()
    raise AssertionError(f"{point} was never reached")


async def noted(folder: Path) -> None:
    """Waits until every reply is noted as sent."""
    async with asyncio.timeout(20):
        with closing(sqlite3.connect(f"file:{folder / 'data' / 'hello.db'}?mode=ro", uri=True)) as database:
            # Rows of another process.
            while database.execute("SELECT 1 FROM outbox WHERE state IN ('ready', 'sending')").fetchone():  # noqa: ASYNC110
                await asyncio.sleep(0.02)


async def first_of(end: asyncio.Task[int], other: Coroutine[Any, Any, None]) -> None:
    """Waits until the process has ended or the other thing has come."""
    waiting = asyncio.create_task(other)
    await asyncio.wait({end, waiting}, return_when=asyncio.FIRST_COMPLETED)
    if end.done():
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    else:
        waiting.result()
