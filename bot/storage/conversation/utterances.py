"""What was said, in SQL."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Row, Select, func, select, union_all
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import TOLD, JobKind, Place, PlaceKind, StoredCounts, Utterance
from bot.domain.text import well_formed
from bot.storage.engine.database import Database
from bot.storage.engine.store import Store
from bot.storage.shared import privacy_tables
from bot.storage.shared.rows import rows_among, select_utterances, some_at_a_time, to_utterance
from bot.storage.shared.tables import (
    OPEN,
    event_sources,
    inbox,
    jobs,
    outbox,
    outbox_parts,
    places,
    sessions,
    trait_sources,
    utterances,
)

_NAMED = places.c.key
_NAMES = select(places.c.key, places.c.name).where(places.c.name.is_not(None))
"""What places are called."""


class SqlUtterances(Store):
    """Implements `bot.ports.Utterances`. `index_folder`: counted with the bytes on disk."""

    def __init__(self, database: Database, index_folder: Path | None = None) -> None:
        super().__init__(database)
        self._index_folder = index_folder

    async def by_message(self, platform: str, message_ids: Sequence[str]) -> dict[str, Utterance]:
        async with self._database.reading() as connection:
            return {row.named: to_utterance(row) for row in await named_by(connection, platform, message_ids)}

    async def place_names(self, places: Sequence[Place]) -> dict[Place, str]:
        by_key = {place.key: place for place in places}
        async with self._database.reading() as connection:
            return {by_key[key]: name for key, name in await rows_among(connection, _NAMES, _NAMED, by_key)}

    async def dms(self, platform: str) -> list[Place]:
        last = select(func.max(utterances.c.id)).where(utterances.c.place_key == places.c.key).scalar_subquery()
        of_platform = (places.c.platform == platform, places.c.kind == PlaceKind.DM.value)
        query = select(places.c.key, last.label("last")).where(*of_platform, last.is_not(None)).order_by(last.desc())
        return [Place.parse(row.key) for row in await self._rows(query)]

    async def get(self, ids: Sequence[int]) -> list[Utterance]:
        query = select_utterances().order_by(utterances.c.id)
        async with self._database.reading() as connection:
            return [
                to_utterance(row)
                for some in some_at_a_time(sorted(ids))  # between which others have their turn: there may be thousands
                for row in await connection.execute(query.where(utterances.c.id.in_(some)))
            ]

    async def recent(self, place: Place, limit: int) -> list[Utterance]:
        query = select_utterances().where(utterances.c.place_key == place.key)
        rows = await self._rows(query.order_by(utterances.c.id.desc()).limit(limit))
        return [to_utterance(row) for row in reversed(rows)]

    async def before(self, utterance: Utterance, limit: int) -> list[Utterance]:
        here = (utterances.c.place_key == utterance.place.key, utterances.c.id < utterance.id)
        query = select_utterances().where(*here).order_by(utterances.c.id.desc()).limit(limit)
        return [to_utterance(row) for row in reversed(await self._rows(query))]

    async def keep_heard(self, heard: Sequence[Utterance]) -> None:
        async with self._database.writing() as connection:
            for one in heard:
                same = (utterances.c.id == one.id, utterances.c.text == well_formed(one.text))
                await connection.execute(utterances.update().where(*same).values(heard_danger=one.heard_danger))

    async def unprocessed(self, speaker_ids: Collection[str], limit: int) -> list[Utterance]:
        return [to_utterance(row) for row in await self._rows(_unprocessed(tuple(sorted(speaker_ids)), limit))]

    async def counts(self) -> StoredCounts:
        """Rows by table, and by state where a row has one ("jobs due"); the span of time; the bytes on disk."""
        rows: dict[str, int] = {}
        async with self._database.reading() as connection:
            for table in privacy_tables.privacy.metadata.sorted_tables:
                rows[table.name] = await connection.scalar(select(func.count()).select_from(table)) or 0
            for table in (inbox, outbox, jobs):
                by_state = select(table.c.state, func.count()).group_by(table.c.state).order_by(table.c.state)
                for state, count in await connection.execute(by_state):
                    rows[f"{table.name} {state}"] = count
            first, last = (
                await connection.execute(select(func.min(utterances.c.time), func.max(utterances.c.time)))
            ).one()
        return StoredCounts(rows, first, last, self._bytes_on_disk())

    def _bytes_on_disk(self) -> int:
        database = self._database.file
        files = [database.with_name(database.name + ending) for ending in ("", "-wal", "-shm")] if database else []
        if self._index_folder is not None:
            files += self._index_folder.rglob("*")
        return sum(file.stat().st_size for file in files if file.is_file())


async def named_by(
    connection: AsyncConnection, platform: str, message_ids: Sequence[str]
) -> list[Row[*tuple[Any, ...]]]:
    """The replies that one of these messages is a part of, then the utterances that are one, with its id as `named`."""
    of_platform = select_utterances().where(utterances.c.platform == platform)
    part, message = outbox_parts.c.platform_message_id, utterances.c.message_id
    replies = of_platform.join(outbox, outbox.c.utterance_id == utterances.c.id)
    replies = replies.join(outbox_parts, outbox_parts.c.outgoing_id == outbox.c.id)
    queries = [
        (query.add_columns(named.label("named")), named) for query, named in ((replies, part), (of_platform, message))
    ]
    return [row for query, named in queries for row in await rows_among(connection, query, named, message_ids)]


@lru_cache(maxsize=64)
def _unprocessed(speaker_ids: Sequence[str], limit: int) -> Select[Any]:
    """Utterances of these speakers of which memories are still to be made, the latest first.

    Looked for from what is open and what waits, which is little: somebody may have said very much. Kept, because
    putting it together takes longer than the answer.
    """
    said, beside = utterances.alias("said"), utterances.alias("beside")
    waiting = jobs.c.state.in_(("due", "leased"))
    opened = select(sessions.c.id).where(sessions.c.state == OPEN)
    to_sum_up = select(jobs.c.subject).where(jobs.c.kind == JobKind.SUMMARISE.value, waiting)
    in_these = said.c.session_id.in_(union_all(opened, to_sum_up))
    of_session = select(said.c.id).where(in_these, said.c.speaker_id.in_(speaker_ids))
    theirs = select(beside.c.id).where(beside.c.id == jobs.c.subject, beside.c.speaker_id.in_(speaker_ids))
    own = select(jobs.c.subject).where(jobs.c.kind == JobKind.TRAITS.value, waiting, theirs.exists())
    learnt = select(trait_sources.c.trait_id).where(trait_sources.c.utterance_id == utterances.c.id)
    summed = select(event_sources.c.event_id).where(event_sources.c.utterance_id == utterances.c.id)
    told = utterances.c.message_id.startswith(TOLD, autoescape=True)
    waits = (utterances.c.id.in_(union_all(of_session, own)), ~learnt.exists(), ~summed.exists())
    query = select_utterances().where(*waits, utterances.c.off_record.is_(False), ~told)
    return query.order_by(utterances.c.id.desc()).limit(limit)
