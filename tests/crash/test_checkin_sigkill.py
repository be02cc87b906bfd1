"""SIGKILL at any step of a check-in: it arrives once, or at most once where nobody can tell; the next is planned."""

import asyncio
import signal
import sqlite3
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.storage.engine.database import open_database
from tests.care.checking import ASKED, BYE
from tests.crash.checkin_child import FILE
from tests.nursery import Nursery
from tests.postgres import Server

Live = Callable[..., int]
BEFORE = [
    "checkins.claim:before",
    "checkins.claim:after",
    "words.compose:before",
    "words.compose:after",
    "words.still_fits:after",
    "checkins.compose:before",
    "checkins.compose:after",
    "outbox.sending:before",
]
"""Before a send has begun."""
SENDING = ["outbox.sending:after", "platform.take:before"]
SHOWN = ["platform.take:after", "outbox.part_sent:before"]
AFTER = ["outbox.part_sent:after", "outbox.sent:before", "outbox.sent:after", "checkins.plan:after"]
STATES = (
    "SELECT c.state, o.state, o.reason FROM checkins c LEFT JOIN outbox o ON o.utterance_id = c.utterance_id"
    " ORDER BY c.id"
)


@pytest.fixture(scope="module")
def live(nursery: Nursery) -> Live:
    """Lives one life in a folder; says how it ended."""

    def one(folder: Path, platform: str, days: int, point: str, url: str = FILE) -> int:
        return int(nursery.ask("tests.crash.checkin_child", folder, platform, days, point, url))

    return one


@dataclass
class Left:
    """What is there in the end."""

    seen: list[str]
    states: list[tuple[str, str | None, str | None]]
    """Of each check-in: its state, that of its words in the outbox, and why it failed."""
    wanted: bool
    planned: str | None


def left(folder: Path) -> Left:
    seen = (folder / "seen").read_text().splitlines() if (folder / "seen").exists() else []
    with sqlite3.connect(folder / "hello.db") as database:
        states = database.execute(STATES).fetchall()
        [(wanted, planned)] = database.execute("SELECT wanted, next_at FROM checkin_wishes").fetchall()
    return Left([line.partition(" ")[2] for line in seen], states, bool(wanted), planned)


SENT = [("composed", "sent", None)]
LOST = [("composed", "failed", "uncertain")]


@pytest.mark.parametrize("point", ["none", *BEFORE, *SENDING, *SHOWN, *AFTER])
def test_where_doubles_can_be_told_it_arrives_once(live: Live, tmp_path: Path, point: str) -> None:
    if point != "none":
        assert live(tmp_path, "telling", 1, point) == -signal.SIGKILL, f"{point} was never reached"
    assert live(tmp_path, "telling", 1, "none") == 0
    found = left(tmp_path)
    assert (found.seen, found.states, found.wanted) == ([ASKED], SENT, True)
    assert str(found.planned) > "2026-11-02 12:06"


@pytest.mark.parametrize("point", ["none", *BEFORE, *SENDING, *SHOWN, *AFTER])
def test_where_nobody_can_tell_it_arrives_at_most_once(live: Live, tmp_path: Path, point: str) -> None:
    if point != "none":
        assert live(tmp_path, "blind", 1, point) == -signal.SIGKILL, f"{point} was never reached"
    assert live(tmp_path, "blind", 1, "none") == 0
    found = left(tmp_path)
    assert found.seen == ([] if point in SENDING else [ASKED])
    assert found.states == (LOST if point in {*SENDING, *SHOWN} else SENT)
    assert found.wanted
    assert str(found.planned) > "2026-11-02 12:06"


@pytest.mark.parametrize("_time", range(3))
def test_two_processes_at_once_send_one(live: Live, tmp_path: Path, _time: int) -> None:
    assert live(tmp_path, "telling", 0, "none") == 0
    assert live(tmp_path, "telling", 1, "twice") == 0
    found = left(tmp_path)
    assert (found.seen, found.states) == ([ASKED], SENT)


@pytest.mark.parametrize("point", ["checkins.claim:after", "checkins.compose:after", "platform.take:after"])
async def test_over_a_server_another_process_takes_over(
    live: Live, tmp_path: Path, postgres: Server, point: str
) -> None:
    url = await postgres.fresh()
    assert await asyncio.to_thread(live, tmp_path, "telling", 1, point, url) == -signal.SIGKILL
    assert await asyncio.to_thread(live, tmp_path, "telling", 1, "none", url) == 0
    [line] = (tmp_path / "seen").read_text().splitlines()
    assert line.partition(" ")[2] == ASKED
    async with aclosing(await open_database(url)) as database, database.reading() as connection:
        assert [tuple(row) for row in await connection.execute(text(STATES))] == SENT


FAREWELL = [
    "checkins.claim:after#3",
    "words.farewell:after",
    "checkins.compose:after#3",
    "outbox.sending:after#3",
    "platform.take:after#3",
    "outbox.part_sent:after#3",
    "outbox.sent:after#3",
    "checkins.switch_off:before",
    "checkins.switch_off:after",
]


@pytest.mark.parametrize("point", ["none", *FAREWELL])
def test_a_farewell_is_said_once_and_nothing_comes_after_it(live: Live, tmp_path: Path, point: str) -> None:
    if point != "none":
        assert live(tmp_path, "telling", 8, point) == -signal.SIGKILL, f"{point} was never reached"
    assert live(tmp_path, "telling", 8, "none") == 0
    found = left(tmp_path)
    assert found.seen == [ASKED, ASKED, BYE]
    assert (found.wanted, found.planned) == (False, None)
    assert found.states == SENT * 3
