"""From one encoder to the next without a gap: the index of the old one serves until that of the new one is full.

While the two are there, the old encoder answers as before, and the vectors of the new one are made in the background
into a folder and a table of their own (`NextIndex`). The first start after that finds them complete and lets them take
over, in one transaction. Whatever is removed goes from both (`TwoIndexes`).
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Scope, VectorKind
from bot.errors import IndexUnusable
from bot.ports import PassageTokens, Vectors
from bot.storage.engine.database import Database, put
from bot.storage.shared import index_marks
from bot.storage.shared.recall_tables import next_passage_tokens, passage_tokens, passages
from bot.storage.shared.rows import some_at_a_time
from bot.storage.shared.tables import meta, traits
from bot.storage.vectors import ChromaVectorIndex
from bot.storage.vectors.opening import Maker, delete_others, made_by, write_marker

NEXT_KEY = "vector_index_next"
ORDER = (VectorKind.EVENT, VectorKind.TRAIT, VectorKind.PASSAGE)


@dataclass(frozen=True, slots=True)
class _Next:
    """What the tables know of the next index."""

    id: str
    complete: bool


async def serving_encoder(folder: Path, database: Database, wanted: str) -> Maker | None:
    """The encoder that has to serve on while the vectors of the encoder `wanted` are made; None: that one itself.

    `folder`: that of the indexes; `wanted`: a fingerprint. Where its vectors are complete, they take over here.
    """
    current = await index_marks.index_id(database)
    maker = made_by(folder / current) if current is not None else None
    if current is None or maker is None or maker.fingerprint == wanted or not await _anything(database):
        return None
    found = await _next(database)
    if found is not None and found.complete:
        made = made_by(folder / found.id)
        if made is not None and made.fingerprint == wanted:
            await _take_over(database, found.id)
            await asyncio.to_thread(delete_others, folder, {found.id})
            return None
    return maker


async def forget_next(folder: Path, database: Database) -> None:
    """Deletes what there is of a next index: the encoder in use is the wanted one."""
    if await _next(database) is None:
        return
    async with database.writing() as connection:
        await connection.execute(next_passage_tokens.delete())
        await connection.execute(meta.delete().where(meta.c.key == NEXT_KEY))
    current = await index_marks.index_id(database)
    if current is not None:
        await asyncio.to_thread(delete_others, folder, {current})


async def sweep(folder: Path, database: Database, following: NextIndex | None) -> None:
    """Deletes all indexes but the one in use and the next one: a process may have been killed before it could.

    Nothing that is erased would ever go from such a folder.
    """
    current = await index_marks.index_id(database)
    if current is not None:
        kept = {current} if following is None else {current, following.id}
        await asyncio.to_thread(delete_others, folder, kept)


async def open_next(folder: Path, database: Database, maker: Maker, exact_limit: int) -> NextIndex:
    """The next index, as far as it is full, for the encoder `maker`. Raises IndexUnusable."""
    found = await _next(database)
    if found is not None and made_by(folder / found.id) == maker:
        index = ChromaVectorIndex(folder / found.id, exact_limit)
        try:
            await index.open()
            await _drop_strays(index, database)
        except IndexUnusable:
            await index.aclose()
        else:
            return NextIndex(index, database, found.id)
    await forget_next(folder, database)
    new_id = secrets.token_hex(8)
    write_marker(folder / new_id, maker)
    index = ChromaVectorIndex(folder / new_id, exact_limit)
    await index.open()
    async with database.writing() as connection:
        await _put_next(connection, _Next(new_id, complete=False))
    return NextIndex(index, database, new_id)


class NextIndex:
    """Implements `bot.ports.switching.NextVectors`."""

    def __init__(self, index: ChromaVectorIndex, database: Database, index_id: str) -> None:
        self.index = index
        self.id = index_id
        """The name of its folder."""
        self._database = database
        self._lock = asyncio.Lock()

    async def missing(self) -> list[tuple[Scope, int]]:
        """Rows without a vector in it."""
        found: list[tuple[Scope, int]] = []
        for scope, rows in (await index_marks.rows_by_scope(self._database)).items():
            found += [(scope, row_id) for row_id in rows.keys() - await self.index.ids(scope)]
        return sorted(found, key=lambda row: (ORDER.index(row[0].kind), -row[1]))

    async def without_tokens(self, limit: int) -> list[int]:
        """Passages without token vectors in it."""
        there = select(next_passage_tokens.c.passage_id)
        query = select(passages.c.id).where(passages.c.id.not_in(there)).order_by(passages.c.id.desc()).limit(limit)
        async with self._database.reading() as connection:
            return list((await connection.execute(query)).scalars().all())

    async def trait_texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Trait id → its text."""
        found: dict[int, str] = {}
        async with self._database.reading() as connection:
            for some in some_at_a_time(ids):
                rows = await connection.execute(select(traits.c.id, traits.c.text).where(traits.c.id.in_(some)))
                found.update((row[0], row[1]) for row in rows)
        return found

    def filling(self) -> AbstractAsyncContextManager[object]:
        """Holds removals up."""
        return self._lock

    async def upsert(self, scope: Scope, ids: Sequence[int], vectors: Vectors) -> None:
        """Adds vectors."""
        await self.index.upsert(scope, ids, vectors)

    async def put_tokens(self, rows: Sequence[PassageTokens]) -> None:
        """Stores token vectors, of passages that are there."""
        by_passage = {row.passage_id: row for row in rows}
        tokens = next_passage_tokens
        async with self._database.writing() as connection:
            for some in some_at_a_time(by_passage):
                query = select(passages.c.id).where(passages.c.id.in_(some))
                there = (await connection.execute(query)).scalars().all()
                await connection.execute(tokens.delete().where(tokens.c.passage_id.in_(some)))
                if there:
                    await connection.execute(tokens.insert(), [_token_row(by_passage[key]) for key in there])

    async def complete(self) -> None:
        """Records that it may take over."""
        async with self._database.writing() as connection:
            await _put_next(connection, _Next(self.id, complete=True))


class TwoIndexes:
    """Implements `bot.ports.VectorIndex` over the index in use and the next one: what is removed goes from both."""

    def __init__(self, current: ChromaVectorIndex, following: NextIndex) -> None:
        self._current = current
        self._next = following

    async def upsert(self, scope: Scope, ids: Sequence[int], vectors: Vectors) -> None:
        """Adds vectors of the encoder in use."""
        await self._current.upsert(scope, ids, vectors)

    async def similarities(
        self, scope: Scope, query: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """By the index in use."""
        return await self._current.similarities(scope, query)

    async def load(self, scope: Scope, ids: Sequence[int] | None = None) -> tuple[NDArray[np.int64], Vectors]:
        """From the index in use."""
        return await self._current.load(scope, ids)

    async def count(self, scope: Scope) -> int:
        """In the index in use."""
        return await self._current.count(scope)

    async def remove(self, scope: Scope, ids: Sequence[int]) -> None:
        """From both."""
        async with self._next.filling():
            await self._next.index.remove(scope, ids)
            await self._current.remove(scope, ids)

    async def expunge(self, chosen: Sequence[tuple[Scope, Sequence[int]]]) -> None:
        """From both."""
        async with self._next.filling():
            await self._next.index.expunge(chosen)
            await self._current.expunge(chosen)

    async def get(self, scope: Scope, ids: Sequence[int]) -> Vectors:
        """From both, shape (n, the larger dimension): the shorter ones end in zeros. For the search for what is left.

        Whoever compares vectors takes them from `load` or `similarities`.
        """
        both = [await self._current.get(scope, ids), await self._next.index.get(scope, ids)]
        width = max(rows.shape[1] for rows in both)
        return np.concatenate([np.pad(rows, ((0, 0), (0, width - rows.shape[1]))) for rows in both])

    async def every_vector(self) -> AsyncIterator[Vectors]:
        """Of both, page by page."""
        for index in (self._current, self._next.index):
            async for page in index.every_vector():
                yield page


async def _anything(database: Database) -> bool:
    """Whether there is anything to make vectors of."""
    return bool(await index_marks.rows_by_scope(database))


async def _next(database: Database) -> _Next | None:
    async with database.reading() as connection:
        value = await connection.scalar(select(meta.c.value).where(meta.c.key == NEXT_KEY))
    return _Next(**json.loads(value)) if value is not None else None


async def _put_next(connection: AsyncConnection, following: _Next) -> None:
    value = json.dumps({"id": following.id, "complete": following.complete})
    await put(connection, meta, {"key": NEXT_KEY, "value": value})


async def _take_over(database: Database, index_id: str) -> None:
    """From now on the marks are about the next index. What is missing in it is seen when it is opened."""
    columns = ["passage_id", "count", "scale", "vectors"]
    made = select(next_passage_tokens.c.passage_id)
    async with database.writing() as connection:
        await connection.execute(passage_tokens.delete())
        every = select(*(next_passage_tokens.c[name] for name in columns))
        await connection.execute(passage_tokens.insert().from_select(columns, every))
        await connection.execute(passages.update().values(has_tokens=passages.c.id.in_(made)))
        await connection.execute(next_passage_tokens.delete())
        await index_marks.use(connection, index_id)
        await connection.execute(meta.delete().where(meta.c.key == NEXT_KEY))


async def _drop_strays(index: ChromaVectorIndex, database: Database) -> None:
    """Removes vectors of rows that are not there: a process was killed before it could."""
    scopes = await index_marks.rows_by_scope(database)
    await index.keep_only(frozenset(scopes))
    for scope, rows in scopes.items():
        await index.remove(scope, sorted(await index.ids(scope) - rows.keys()))


def _token_row(tokens: PassageTokens) -> dict[str, int | float | bytes]:
    row: dict[str, int | float | bytes] = {"passage_id": tokens.passage_id, "count": len(tokens.vectors)}
    return row | {"scale": tokens.scale, "vectors": tokens.vectors.tobytes()}
