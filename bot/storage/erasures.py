"""Erasing rows, whole, in SQL. `closure.py` says what goes along, `removal.py` takes it out.

Each erasure is one transaction, and unfinished until the files were rewritten and looked through.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import AGENT_ID, Erased, ErasurePreview, ErasureReason, Receipt, Scope, Selection, VectorKind
from bot.storage import closure
from bot.storage.closure import gone_events, gone_traits, gone_utterances
from bot.storage.database import Database, insert_new
from bot.storage.digests import KEY, digest, digest_key
from bot.storage.erased import remember_erased
from bot.storage.events import SqlEvents, count_up
from bot.storage.persons import erase_people, erase_places
from bot.storage.privacy_tables import erasure_vectors, erasures
from bot.storage.remnants import find_in_tables
from bot.storage.removal import Removed, take_out
from bot.storage.rows import some_at_a_time
from bot.storage.tables import meta, utterances
from bot.storage.traits import SqlTraits
from bot.storage.utterances import with_message, with_part


class SqlErasures:
    """Implements `bot.ports.Erasures`.

    `events`, `traits`: the stores that keep rows in memory. `beta`: the gap that ends a session.
    """

    def __init__(
        self, database: Database, events: SqlEvents, traits: SqlTraits, beta: timedelta = timedelta(hours=1)
    ) -> None:
        self._database = database
        self._events = events
        self._traits = traits
        self._beta = beta

    async def preview(self, selection: Selection) -> ErasurePreview:
        """What `erase` would do. Writes nothing that others can see, so it waits for no writer."""
        async with self._database.reading() as connection:
            await self._choose(connection, selection)
            by_agent = utterances.c.speaker_id == AGENT_ID
            said = select(by_agent, func.count()).where(utterances.c.id.in_(select(gone_utterances.c.id)))
            counts = {bool(agent): int(count) for agent, count in await connection.execute(said.group_by(by_agent))}
            memories = [
                tuple((await connection.execute(select(table.c.id).order_by(table.c.id))).scalars())
                for table in (gone_events, gone_traits)
            ]
        return ErasurePreview(counts.get(False, 0), counts.get(True, 0), *memories)

    async def erase(
        self, selection: Selection, reason: ErasureReason, now: datetime, subject: str | None = None
    ) -> Erased:
        """Erases from all tables, with what comes from it. There is a receipt also when nothing was stored of it."""
        async with self._database.writing() as connection:
            await self._choose(connection, selection)
            removed = await take_out(connection)
            whole = [await erase_people(connection, selection.people)]
            whole.append(await erase_places(connection, closure.all_places(selection)))
            for counts in whole:
                for kind, count in counts.items():
                    removed.counts[kind] = removed.counts.get(kind, 0) + count
            if selection.people or selection.places:
                await count_up(connection)
            await remember_erased(connection, removed.message_ids, now)
            erasure_id = await _record(connection, removed, reason, now, subject)
        return self._erased(erasure_id, removed)

    async def erase_messages(self, platform: str, message_ids: Sequence[str], now: datetime) -> Erased:
        """Erases utterances, and the companion's of which one of these messages is a part.

        Where nothing of it is stored there is no erasure: the id is 0.
        """
        async with self._database.writing() as connection:
            found: set[int] = set()
            for some in some_at_a_time(message_ids):
                said = select(utterances.c.id).where(with_message(platform, some))
                for query in (said, with_part(platform, some).with_only_columns(utterances.c.id)):
                    found.update((await connection.execute(query)).scalars())
            removed, erasure_id = Removed(), 0
            if found:
                await self._choose(connection, Selection(utterances=tuple(sorted(found))))
                removed = await take_out(connection)
                erasure_id = await _record(connection, removed, ErasureReason.DELETED, now, None)
            asked = ((platform, message_id) for message_id in message_ids)
            await remember_erased(connection, [*asked, *removed.message_ids], now)
        return self._erased(erasure_id, removed)

    async def unfinished(self) -> list[tuple[int, tuple[tuple[Scope, tuple[int, ...]], ...]]]:
        """Erasures whose files are not known to be clean: id, and the vectors that had to go. Oldest first."""
        waiting = select(erasures.c.id).where(erasures.c.done_at.is_(None)).order_by(erasures.c.id)
        rows = select(erasure_vectors).join(erasures, erasures.c.id == erasure_vectors.c.erasure_id)
        in_order = rows.where(erasures.c.done_at.is_(None)).order_by(
            erasure_vectors.c.kind, erasure_vectors.c.place_key, erasure_vectors.c.row_id
        )
        found: defaultdict[int, dict[Scope, list[int]]] = defaultdict(dict)
        async with self._database.reading() as connection:
            ids = (await connection.execute(waiting)).scalars().all()
            for row in await connection.execute(in_order):
                scope = Scope(VectorKind(row.kind), row.place_key)
                found[row.erasure_id].setdefault(scope, []).append(row.row_id)
        return [(key, tuple((scope, tuple(rows)) for scope, rows in found[key].items())) for key in ids]

    async def finish(self, erasure_id: int, found: int, now: datetime) -> Receipt:
        """Records that the files were rewritten and looked through, and drops what only that needed.

        One that was finished before stays as it was. KeyError when there is none of that id.
        """
        this = erasures.c.id == erasure_id
        async with self._database.writing() as connection:
            undone = erasures.update().where(this, erasures.c.done_at.is_(None))
            await connection.execute(undone.values(done_at=now, found=found))
            await connection.execute(erasure_vectors.delete().where(erasure_vectors.c.erasure_id == erasure_id))
            row = (await connection.execute(select(erasures).where(this))).one_or_none()
        if row is None:
            raise KeyError(erasure_id)
        return _to_receipt(row)

    async def receipt(self, erasure_id: int) -> Receipt | None:
        """What an erasure did; None when there is none of that id."""
        async with self._database.reading() as connection:
            row = (await connection.execute(select(erasures).where(erasures.c.id == erasure_id))).one_or_none()
        return None if row is None else _to_receipt(row)

    async def receipts(self, speaker_id: str, limit: int) -> list[Receipt]:
        """The erasures that this person asked for, the latest first."""
        async with self._database.reading() as connection:
            key = await connection.scalar(select(meta.c.value).where(meta.c.key == KEY))
            if key is None:
                return []
            theirs = erasures.c.subject == _subject(bytes.fromhex(key), speaker_id)
            query = select(erasures).where(theirs).order_by(erasures.c.id.desc()).limit(limit)
            return [_to_receipt(row) for row in await connection.execute(query)]

    async def still_there(self, texts: Sequence[str]) -> set[str]:
        """Which of `texts` stand in a text column of any table, as a whole or as a part."""
        return await find_in_tables(self._database, texts)

    async def _choose(self, connection: AsyncConnection, selection: Selection) -> None:
        await closure.begin(connection)
        await closure.choose(connection, selection)
        await closure.close(connection, self._beta)

    def _erased(self, erasure_id: int, removed: Removed) -> Erased:
        """What went, and has gone from memory too."""
        self._events.forget([*removed.events])
        self._traits.forget([*removed.traits, *removed.restored])
        return Erased(erasure_id, tuple(removed.utterances), tuple(sorted(removed.texts)), removed.vectors())


async def _record(
    connection: AsyncConnection, removed: Removed, reason: ErasureReason, now: datetime, subject: str | None
) -> int:
    """Makes the erasure's row, with the vectors that must go; returns its id."""
    digested = None if subject is None else _subject(await digest_key(connection), subject)
    counts = json.dumps({kind: count for kind, count in removed.counts.items() if count})
    row = {"reason": reason.value, "subject": digested, "at": now, "counts": counts}
    insert = erasures.insert().values(row).returning(erasures.c.id)
    erasure_id: int = (await connection.execute(insert)).scalar_one()
    rows = [
        {"erasure_id": erasure_id, "kind": scope.kind.value, "place_key": scope.place_key, "row_id": row_id}
        for scope, ids in removed.vectors()
        for row_id in ids
    ]
    await insert_new(connection, erasure_vectors, rows)
    return erasure_id


def _subject(key: bytes, speaker_id: str) -> str:
    """What stands in a receipt for whoever may look it up."""
    return digest(key, "person", speaker_id)


def _to_receipt(row: Row[*tuple[Any, ...]]) -> Receipt:
    counts: dict[str, int] = json.loads(row.counts)
    return Receipt(
        id=row.id,
        reason=ErasureReason(row.reason),
        asked=row.at,
        counts=tuple(counts.items()),
        done=row.done_at,
        found=row.found,
    )
