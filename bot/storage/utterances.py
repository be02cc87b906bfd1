"""What was said, in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import func, select

from bot.domain import Place, StoredCounts, Utterance
from bot.storage.database import Database
from bot.storage.rows import select_utterances, to_utterance
from bot.storage.tables import inbox, jobs, metadata, outbox, utterances

MAX_IDS = 500
"""How many ids go into one query: SQLite takes a bounded number of parameters."""


class SqlUtterances:
    """Implements `bot.ports.Utterances`. `index_folder`: counted with the bytes on disk."""

    def __init__(self, database: Database, index_folder: Path | None = None) -> None:
        self._database = database
        self._index_folder = index_folder

    async def get(self, ids: Sequence[int]) -> list[Utterance]:
        """The utterances with these ids, in order of id."""
        wanted = sorted(set(ids))
        found: list[Utterance] = []
        async with self._database.reading() as connection:
            for start in range(0, len(wanted), MAX_IDS):
                query = select_utterances().where(utterances.c.id.in_(wanted[start : start + MAX_IDS]))
                found += [to_utterance(row) for row in await connection.execute(query.order_by(utterances.c.id))]
        return found

    async def recent(self, place: Place, limit: int) -> list[Utterance]:
        """The last `limit` utterances of a place, oldest first."""
        query = select_utterances().where(utterances.c.place_key == place.key)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query.order_by(utterances.c.id.desc()).limit(limit))).all()
        return [to_utterance(row) for row in reversed(rows)]

    async def counts(self) -> StoredCounts:
        """Rows by table, and by state where a row has one ("jobs due"); the span of time; the bytes on disk."""
        rows: dict[str, int] = {}
        async with self._database.reading() as connection:
            for table in metadata.sorted_tables:
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
