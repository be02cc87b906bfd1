"""What the stores of events and of traits have in common: their vectors, and that rows are kept in memory."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from sqlalchemy import Select, Table, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Event, Trait
from bot.storage.engine.database import Database
from bot.storage.engine.store import Store
from bot.storage.shared.rows import some_at_a_time

MAX_LOADED = 50_000
"""How many rows of a kind are kept in memory; events take about 1.5 KB each."""

M = TypeVar("M", Event, Trait)


class Kept(Store, Generic[M]):
    """The rows of a table, each read once as long as it does not change: only this process writes."""

    _table: ClassVar[Table]

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._loaded: OrderedDict[int, M] = OrderedDict()
        self._changes = 0

    async def unindexed(self, limit: int) -> list[M]:
        """Those without a vector, oldest rows first."""
        return await self._select(select(self._table.c.id).where(~self._table.c.indexed).limit(limit))

    async def mark_indexed(self, ids: Sequence[int]) -> None:
        """Records that the vectors of these are in the index."""
        await self._write(self._table.update().where(self._table.c.id.in_(ids)).values(indexed=True))

    def forget(self, changed: Sequence[int]) -> None:
        """Has these, which were changed or removed, read anew."""
        self._changes += bool(changed)
        for row_id in changed:
            self._loaded.pop(row_id, None)

    async def _select(self, query: Select[Any]) -> list[M]:
        """Those whose ids `query` gives, oldest rows first."""
        changes = self._changes
        async with self._database.reading() as connection:
            return await self._load(connection, query.order_by(self._table.c.id), changes)

    async def _load(
        self, connection: AsyncConnection, query: Select[Any], changes: int, values: Mapping[str, object] | None = None
    ) -> list[M]:
        """Those whose ids `query` gives, in its order.

        `changes`: how many there had been before the transaction began. `values`: the query's parameters.
        """
        ids: Sequence[int] = (await connection.execute(query, values)).scalars().all()
        found = {row_id: self._loaded[row_id] for row_id in ids if row_id in self._loaded}
        missing = [row_id for row_id in ids if row_id not in found]
        for some in some_at_a_time(missing):  # between which others have their turn: there may be thousands
            found.update((one.id, one) for one in await self._read(connection, some))
        if changes == self._changes:  # else what was read may be from before the change
            self._loaded.update((row_id, found[row_id]) for row_id in missing)
        while len(self._loaded) > MAX_LOADED:
            self._loaded.popitem(last=False)
        return [found[row_id] for row_id in ids]

    async def _read(self, connection: AsyncConnection, ids: Sequence[int]) -> list[M]:
        """Those with these ids, from their rows."""
        raise NotImplementedError
