"""What was said, as far as it may be recalled word for word, in SQL, under the audience rule."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import BindParameter, Select, Text, bindparam, cast, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Passage, Place
from bot.ports import PassagesVersion, PassageTokens
from bot.storage.engine.database import insert_new
from bot.storage.engine.store import Store
from bot.storage.memory.events import AUDIENCE_KEY, VERSION_KEY, value_of
from bot.storage.shared import closure
from bot.storage.shared.audience import Readers, readable_passages, readers_of
from bot.storage.shared.recall_tables import passage_tokens, passages
from bot.storage.shared.rows import (
    MAX_NUMBERS,
    end_job,
    select_utterances,
    some_at_a_time,
    to_utterance,
    write_among,
)
from bot.storage.shared.tables import sessions, utterances


class SqlPassages(Store):
    """Implements `bot.ports.Passages`. Nothing is kept in memory."""

    async def archive(self, session_id: int, withheld: Collection[int], job_id: int) -> int:
        """Makes the utterances of a closed session passages, in their order, and ends the job; 0 is no job."""
        async with self._database.writing() as connection:
            ended = await end_job(connection, job_id)
            if job_id and not ended:
                return 0
            chosen = await _to_archive(connection, session_id)
            rows = [
                {"utterance_id": key, "session_id": session_id, "place_key": place_key, "indexed": False}
                for key, place_key in chosen
                if key not in withheld
            ]
            return await insert_new(connection, passages, rows)

    async def readable_in(self, place: Place, after: int = 0) -> NDArray[np.int64]:
        """The ids over `after` of the passages that may be used in `place`, ascending, without corrected ones."""
        async with self._database.reading() as connection:
            readers = await readers_of(connection, place)
            listed = await connection.scalar(_listed(readers), {"after": after})
        ids = np.fromstring(listed, dtype=np.int64, sep=",") if listed else np.empty(0, np.int64)
        ids.sort()
        return ids

    async def get(self, ids: Sequence[int], place: Place | None = None) -> list[Passage]:
        """The passages with these ids, in order of id; also those that are corrected for somebody.

        With `place`, a DM, whoever is linked with its person is that person.
        """
        async with self._database.reading() as connection:
            pages = some_at_a_time(sorted(ids), MAX_NUMBERS)
            found = [one for some in pages for one in await _read(connection, some)]
            readers = await readers_of(connection, place) if place is not None else None
        return [_as_here(one, readers) for one in found] if readers is not None and readers.elsewhere else found

    async def version(self) -> PassagesVersion:
        """Which passages there are, and who may use them."""
        [(latest, audience, events)] = await self._rows(_VERSION)
        return PassagesVersion(int(audience or 0), latest or 0, int(events or 0))

    async def unindexed(self, limit: int) -> list[Passage]:
        """Passages without a vector, the latest first: of many, those come first that are asked for first."""
        query = select(passages.c.id).where(~passages.c.indexed).order_by(passages.c.id.desc()).limit(limit)
        async with self._database.reading() as connection:
            found = await _read(connection, (await connection.execute(query)).scalars().all())
        return found[::-1]

    async def mark_indexed(self, ids: Sequence[int]) -> None:
        async with self._database.writing() as connection:
            await write_among(connection, passages.update().values(indexed=True), passages.c.id, ids)

    async def without_tokens(self, limit: int) -> list[Passage]:
        """Passages without token vectors, the latest first."""
        query = select(passages.c.id).where(~passages.c.has_tokens).order_by(passages.c.id.desc()).limit(limit)
        async with self._database.reading() as connection:
            return await _read(connection, (await connection.execute(query)).scalars().all())

    async def put_tokens(self, rows: Sequence[PassageTokens]) -> None:
        async with self._database.writing() as connection:
            by_id = {row.passage_id: row for row in rows}
            for ids in some_at_a_time(by_id):
                there = set((await connection.execute(select(passages.c.id).where(passages.c.id.in_(ids)))).scalars())
                await connection.execute(passage_tokens.delete().where(passage_tokens.c.passage_id.in_(ids)))
                await insert_new(connection, passage_tokens, [_token_row(by_id[key]) for key in ids if key in there])
                await connection.execute(passages.update().where(passages.c.id.in_(ids)).values(has_tokens=True))

    async def tokens(self, ids: Sequence[int]) -> dict[int, PassageTokens]:
        found: dict[int, PassageTokens] = {}
        async with self._database.reading() as connection:
            for some in some_at_a_time(sorted(ids), MAX_NUMBERS):
                for key, count, scale, vectors in (await connection.execute(_TOKENS, {"ids": some})).all():
                    rows = np.frombuffer(vectors, dtype=np.int8).reshape(count, -1 if count else 0)
                    found[key] = PassageTokens(key, rows, scale)
        return found


def _token_row(tokens: PassageTokens) -> dict[str, Any]:
    counted = {"passage_id": tokens.passage_id, "count": len(tokens.vectors), "scale": tokens.scale}
    return counted | {"vectors": tokens.vectors.tobytes()}


@lru_cache(maxsize=32)
def _listed(readers: Readers) -> Select[str]:
    """Gives the ids over `after` that these readers may be shown, as one text: rows would take several times as long.

    Putting the statement together takes longer than most answers to it, so those for the last places are kept.
    """
    found = readable_passages(readers).subquery("found")
    return select(func.aggregate_strings(cast(found.c.id, Text), ",")).where(found.c.id > bindparam("after"))


async def _to_archive(connection: AsyncConnection, session_id: int) -> list[tuple[int, str]]:
    """(Id, key of the place) of what was said on the record in a session, if it is closed, in order.

    Neither are replies among it that came of something off the record: they are erased with that, perhaps not yet.
    """
    query = (
        select(utterances.c.id, utterances.c.place_key, utterances.c.off_record)
        .join(sessions, sessions.c.id == utterances.c.session_id)
        .where(sessions.c.id == session_id, sessions.c.state == "closed")
    )
    rows = (await connection.execute(query.order_by(utterances.c.position))).all()
    going = await _going_with(connection, [row.id for row in rows if row.off_record])
    return [(row.id, row.place_key) for row in rows if row.id not in going]


async def _going_with(connection: AsyncConnection, ids: Sequence[int]) -> set[int]:
    """These utterances, and those that will be erased with them."""
    if not ids:
        return set()
    await closure.begin(connection)
    await closure.choose_utterances(connection, ids)
    await closure.close(connection)
    return {*(await connection.execute(select(closure.gone_utterances.c.id))).scalars()}


def _as_here(passage: Passage, readers: Readers) -> Passage:
    """The passage with the id by which its speaker goes where it is read."""
    said = passage.utterance
    here = readers.as_here(said.speaker.id)
    if here == said.speaker.id:
        return passage
    return replace(passage, utterance=replace(said, speaker=replace(said.speaker, id=here)))


async def _read(connection: AsyncConnection, ids: Sequence[int]) -> list[Passage]:
    """The passages with these ids that are there, in order of id."""
    if not ids:
        return []
    rows = (await connection.execute(_PASSAGES, {"ids": ids})).all()
    return [Passage(to_utterance(row), row.passage_id) for row in rows]


# These are run for every reply, so they are put together once. Ids stand in them as numbers, not as parameters: of
# those SQLite takes few, and each costs more than what is read by it.
_IDS: BindParameter[int] = bindparam("ids", expanding=True, literal_execute=True)

_VERSION = select(
    select(func.max(passages.c.id)).scalar_subquery(),
    value_of(AUDIENCE_KEY).scalar_subquery(),
    value_of(VERSION_KEY).scalar_subquery(),
)

_TOKENS = select(passage_tokens).where(passage_tokens.c.passage_id.in_(_IDS))

_PASSAGES = (
    select_utterances()
    .add_columns(passages.c.id.label("passage_id"))
    .join(passages, passages.c.utterance_id == utterances.c.id)
    .where(passages.c.id.in_(_IDS))
    .order_by(passages.c.id)
)
