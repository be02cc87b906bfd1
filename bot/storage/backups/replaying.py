"""What was erased since a backup was made is found in its rows by digests, and erased again.

A message that was edited since goes whole, with what was made of it: the backup holds its old words alone.

What people decided since (consent, opt-outs, links, servers, channels' modes, check-ins, that nobody is to guess their
personality type) is taken from the present database where it can be read and is the same one, grown older: else an
unlinked identity or a withdrawn consent would come back too.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import AGENT_ID, ErasureReason, Place, Selection
from bot.errors import StorageError
from bot.ports import Erasures
from bot.storage.backups.journal import Entry, Noted
from bot.storage.backups.loading import insert_rows
from bot.storage.conversation.erased import edited
from bot.storage.engine.database import Database, insert_new
from bot.storage.shared.care_tables import character_sources, characters, checkin_wishes, checkins
from bot.storage.shared.digests import KEY, digest, digest_key
from bot.storage.shared.privacy_tables import identities, link_codes, opt_outs, privacy, servers
from bot.storage.shared.tables import channel_modes, erased_messages, places, speakers, utterances

DECISIONS: tuple[Table, ...] = (identities, privacy, opt_outs, servers, channel_modes, checkin_wishes, characters)
SET_BACK = timedelta(minutes=5)
"""How far a clock may have been set back while a backup was made: edits so shortly before it count too."""
_PEOPLE = (
    speakers.c.id,
    identities.c.speaker_id,
    privacy.c.person_id,
    opt_outs.c.person_id,
    link_codes.c.speaker_id,
    checkin_wishes.c.person_id,
    checkins.c.speaker_id,
    characters.c.person_id,
)


@dataclass
class Known:
    """Digests of what was erased since a backup was begun."""

    begun: datetime
    messages: dict[str, datetime] = field(default_factory=dict)
    """Those of edits as well, each with the last time."""
    people: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)

    def add(self, entries: Iterable[Entry]) -> None:
        """Adds entries of a journal."""
        for entry in entries:
            if entry.kind is Noted.MESSAGE:
                self.add_messages([(entry.digest, entry.at)])
            elif entry.kind is Noted.PERSON:
                self.people.add(entry.digest)
            elif entry.kind is Noted.PLACE:
                self.places.add(entry.digest)

    def add_messages(self, found: Iterable[tuple[str, datetime]]) -> None:
        """Adds digests of messages, and when each was erased or edited."""
        for name, at in found:
            self.messages[name] = max(at, self.messages.get(name, at))


@dataclass(frozen=True, slots=True)
class Decisions:
    """What the present database knows that a backup does not."""

    key: str
    """Its key of digests, in hexadecimal digits: it tells which database it is."""
    erased: tuple[tuple[str, datetime], ...]
    """Digests of erased messages, and when."""
    rows: tuple[tuple[str, tuple[str, ...], tuple[tuple[Any, ...], ...]], ...]
    """Table, its columns, its rows: of each of `DECISIONS` that the present database has."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came back with a backup and was erased again."""

    utterances: int = 0
    people: int = 0
    places: int = 0


def read_decisions(file: Path) -> Decisions | None:
    """What the database in `file` knows; None when there is none, or it cannot be read. Changes no row."""
    if not file.exists():
        return None
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=rw", uri=True)) as connection:
            connection.execute("PRAGMA query_only = ON")
            found = connection.execute("SELECT value FROM meta WHERE key = ?", (KEY,)).fetchone()
            erased = connection.execute("SELECT digest, at FROM erased_messages").fetchall()
            there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            rows = tuple(_rows(connection, table.name) for table in DECISIONS if table.name in there)
    except sqlite3.Error:
        return None
    times = tuple((name, datetime.fromisoformat(at).replace(tzinfo=UTC)) for name, at in erased)
    return Decisions(found[0], times, rows) if found is not None else None


async def replay(database: Database, erasures: Erasures, known: Known, now: datetime) -> Replayed:
    """Erases from `database` what is known to have been erased. Raises StorageError when some of it is still there.

    Ids of erased messages are kept too, so that what is read again from a platform is not stored.
    """
    async with database.writing() as connection:
        rows = [{"digest": name, "at": at} for name, at in known.messages.items()]
        await insert_new(connection, erased_messages, rows)
    selection = await _selection(database, known)
    if selection == Selection():
        return Replayed()
    erased = await erasures.erase(selection, ErasureReason.RESTORED, now)
    await erasures.finish(erased.erasure_id, 0, now)
    if await _selection(database, known) != Selection():
        raise StorageError("What was erased since the backup could not be erased from it. Nothing was changed.")
    return Replayed(len(erased.utterances), len(selection.people), len(selection.places))


async def take_over(database: Database, decisions: Decisions) -> bool:
    """Puts what was decided in the place of what the backup says, when it is of the same database."""
    async with database.writing() as connection:
        if (await digest_key(connection)).hex() != decisions.key:
            return False
        await connection.run_sync(_take_over, decisions)
    return True


def _rows(connection: sqlite3.Connection, table: str) -> tuple[str, tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    cursor = connection.execute(f"SELECT * FROM {table}")  # noqa: S608  one of DECISIONS
    columns = tuple(column[0] for column in cursor.description)
    return table, columns, tuple(cursor.fetchall())


def _take_over(connection: Connection, decisions: Decisions) -> None:
    """A mode of a channel that the backup does not know goes: its row would have no place.

    Types that were guessed go, those of the backup too: they are guessed anew where somebody still lets them be.
    """
    connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
    connection.execute(character_sources.delete())
    of_tables = {table.name: table for table in DECISIONS}
    for name, columns, rows in decisions.rows:
        if set(columns) <= set(of_tables[name].columns.keys()):
            connection.execute(of_tables[name].delete())
            insert_rows(connection, name, columns, rows)
    lost = channel_modes.c.place_key.not_in(select(places.c.key))
    connection.execute(channel_modes.delete().where(lost))
    connection.execute(characters.delete().where(characters.c.guessed, ~characters.c.off))


async def _selection(database: Database, known: Known) -> Selection:
    """Which rows are known to have been erased."""
    async with database.writing() as connection:
        key = await digest_key(connection)
        place_keys = (await connection.execute(select(places.c.key))).scalars().all()
        people = await _people(connection, place_keys)
        return Selection(
            utterances=tuple(sorted(await _utterances(connection, key, known))),
            people=tuple(sorted(one for one in people if digest(key, "person", one) in known.people)),
            places=tuple(sorted(one for one in place_keys if digest(key, "place", one) in known.places)),
        )


async def _utterances(connection: AsyncConnection, key: bytes, known: Known) -> list[int]:
    """The ids of utterances whose message was erased, or edited after the backup was begun."""
    rows = await connection.execute(select(utterances.c.id, utterances.c.platform, utterances.c.message_id))
    return [row.id for row in rows if _is_gone(key, row.platform, row.message_id, known)]


def _is_gone(key: bytes, platform: str, message_id: str, known: Known) -> bool:
    if digest(key, platform, message_id) in known.messages:
        return True
    at = known.messages.get(edited(key, platform, message_id))
    return at is not None and at >= known.begun - SET_BACK


async def _people(connection: AsyncConnection, place_keys: Sequence[str]) -> set[str]:
    found = {one for column in _PEOPLE for one in await connection.scalars(select(column))}
    dms = (Place.parse(key).dm_person for key in place_keys)
    return (found | {person for person in dms if person is not None}) - {AGENT_ID}
