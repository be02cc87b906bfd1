"""What is moved from one database to another in the tests, and all that a SQLite database holds."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta

from bot.domain import Recollection
from bot.storage.engine.database import Database
from tests.stored import ANN, BEN, HALL, START, Rows, reply_to, trait_of

HOUR = timedelta(hours=1)


async def fill(database: Database) -> None:
    """Puts something into an empty database, of which the last message is erased."""
    rows = Rows(database)
    for number in range(3):
        session = await rows.converse(HALL, [ANN, BEN], number * 3 * HOUR)
        await rows.event(session, after=number * 3 * HOUR)
    first = await rows.trait(session, ANN, "I sing.")
    await rows.traits.apply(
        await rows.leased(), [trait_of(session, ANN, "I dance.")], superseded=[(first.id, 0, START)]
    )
    said = await rows.accept("hm \ud83d\x00 \N{GRINNING FACE}")
    await rows.outbox.commit(reply_to(said), [said.id], Recollection(), [])
    gone = await rows.accept("not this one")
    await rows.erasures.erase_messages("chat", [gone.message_id], START)


def content(database: Database) -> list[str]:
    """All that a SQLite database holds, as SQL, but its tables' definitions."""
    assert database.file is not None
    with closing(sqlite3.connect(database.file)) as plain:
        return sorted(line for line in plain.iterdump() if line.startswith("INSERT"))
