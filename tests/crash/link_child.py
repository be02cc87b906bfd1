"""Links and parts two identities, each time in a process of its own, which may be killed at a statement.

    echo "FOLDER ACTION POINT" | python -m tests.crash.link_child

ACTION is "prepare", "link" or "unlink". POINT is "none", the number of the statement before which the process kills
itself with SIGKILL (0 is the BEGIN), or "commit" or "done": before the commit, and after it. For each line of standard
input, or order to the nursery, a process is forked, and its exit code printed (-9: killed) with the number of
statements that it sent.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Connection, event

from bot.storage.engine.database import Database, open_database
from bot.storage.privacy.identities import SqlIdentities
from bot.storage.shared.privacy_tables import opt_outs, privacy
from tests.nursery import serve

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
FIRST, SECOND = "discord:1", "telegram:2"


class Point:
    """Counts the statements of a process, and ends it at the one that is named."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.sent = 0

    def statement(self, connection: Connection, cursor: object, statement: str, *others: object) -> None:
        if self._name == str(self.sent):
            kill()
        self.sent += 1

    def commit(self, connection: Connection) -> None:
        if self._name == "commit":
            kill()

    def done(self) -> None:
        if self._name == "done":
            kill()


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


async def prepare(database: Database) -> None:
    """Two people who have decided different things; the first was shown a code."""
    async with database.writing() as connection:
        decided = {"paused": False, "minor": False, "country": ""}
        for person_id, consent, keep_days in ((FIRST, "agreed", 30), (SECOND, "told", 90)):
            row = decided | {"person_id": person_id, "consent": consent, "keep_days": keep_days}
            await connection.execute(privacy.insert().values(row))
        await connection.execute(opt_outs.insert().values(person_id=FIRST, scope="discord:5"))
        await connection.execute(opt_outs.insert().values(person_id=SECOND, scope="telegram:5"))
    await SqlIdentities(database).offer(FIRST, "quiet owl", NOW + timedelta(minutes=10))


async def live(folder: Path, action: str, name: str) -> int:
    """Does one thing; returns how many statements that took."""
    database = await open_database(f"sqlite+aiosqlite:///{folder / 'hello.db'}")
    point = Point(name)
    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", point.statement)
    event.listen(engine, "commit", point.commit)
    if action == "prepare":
        await prepare(database)
    elif action == "link":
        await SqlIdentities(database).link(SECOND, "quiet owl", NOW)
    else:
        await SqlIdentities(database).unlink(SECOND)
    point.done()
    await database.aclose()
    return point.sent


def answers(order: str) -> Iterator[str]:
    """Does one thing in a forked process; how that ended, and the statements it took."""
    folder, action, name = order.split()
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(sender, str(asyncio.run(live(Path(folder), action, name))).encode())
            os._exit(0)
        except BaseException:  # noqa: BLE001  # told to the parent by the exit code
            traceback.print_exc()
            os._exit(1)
    os.close(sender)
    _, status = os.waitpid(child, 0)
    sent = os.read(receiver, 16).decode() or "0"
    os.close(receiver)
    yield f"{os.waitstatus_to_exitcode(status)} {sent}"


if __name__ == "__main__":
    serve(sys.stdin, answers)
