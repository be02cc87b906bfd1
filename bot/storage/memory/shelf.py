"""What is known of one person, in the order in which a page shows it: in SQL, under the audience rule.

Only the page that is looked at is loaded: a person may have very many memories. An index has them in their order, so
that no more of them are looked at than are asked for.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy import Integer, Select, and_, bindparam, case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Place, grouped
from bot.storage.engine.database import Database
from bot.storage.engine.store import Store
from bot.storage.memory.events import version_of
from bot.storage.memory.holding import holds, patterns_of
from bot.storage.shared.audience import (
    Readers,
    calls_otherwise,
    events_of_person,
    names_of_others,
    readable_traits,
    readers_of,
)
from bot.storage.shared.tables import events, traits

MOST_CALLED = 100
"""People for whom it is kept what others are called."""


class SqlShelf(Store):
    """Implements `bot.ports.Shelf`."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._called: OrderedDict[Readers, tuple[int, dict[str, list[str]]]] = OrderedDict()
        """What others are called, and in which version of the events."""

    async def count(self, dm: Place, most: int, *, events_only: bool = False) -> int:
        async with self._database.reading() as connection:
            readers = await readers_of(connection, dm)
            kinds = _kinds(events_only)
            counted = [await connection.scalar(_counted(readers, kind), {"most": most}) for kind in kinds]
        return min(sum(int(one or 0) for one in counted), most)

    async def newest(self, dm: Place, first: int, most: int, *, events_only: bool = False) -> list[str]:
        async with self._database.reading() as connection:
            readers = await readers_of(connection, dm)
            found = [await _listed(connection, readers, kind, first + most) for kind in _kinds(events_only)]
        in_order = merge(*found, key=_newness, reverse=True)
        return [code for _, code in islice(in_order, first, first + most)]

    async def holding(self, dm: Place, words: Sequence[str], most: int, named: Mapping[str, str]) -> list[str] | None:
        """All that hold the words as they are stored, and all that may hold them in other names."""
        kinds = _kinds(events_only=False)
        # At once: of very many, looking at each takes most of the time.
        found = await asyncio.gather(*(self._holding(dm, kind, words, most + 1, named) for kind in kinds))
        codes = [code for some in found for code in some]
        return codes if len(codes) <= most else None

    async def called(self, dm: Place) -> dict[str, list[str]]:
        async with self._database.reading() as connection:
            readers, version = await readers_of(connection, dm), await version_of(connection)
            known = self._called.get(readers)
            if known is None or known[0] != version:
                rows = (await connection.execute(names_of_others(readers))).all()
                in_order = sorted(rows, key=lambda row: (row.time, row.id))
                known = (version, grouped((row.speaker_id, row.name) for row in in_order))
        self._called[readers] = known
        self._called.move_to_end(readers)
        while len(self._called) > MOST_CALLED:
            self._called.popitem(last=False)
        return known[1]

    async def _holding(
        self, dm: Place, kind: str, words: Sequence[str], most: int, named: Mapping[str, str]
    ) -> list[str]:
        column = traits.c.text if kind == "t" else events.c.summary
        wanted = holds(column, patterns_of(words), on_server=self._database.on_server)
        async with self._database.reading() as connection:
            readers = await readers_of(connection, dm)
            known = _known(readers, kind).limit(most)
            found: set[int] = {*(await connection.execute(known.where(wanted))).scalars()}
            if kind == "e" and named:
                found.update((await connection.execute(known.where(calls_otherwise(named)))).scalars())
        return [f"{kind}{one}" for one in sorted(found)]


def _kinds(events_only: bool) -> str:
    return "e" if events_only else "te"


async def _listed(connection: AsyncConnection, readers: Readers, kind: str, most: int) -> list[tuple[Any, str]]:
    """The times and codes of the newest, those first."""
    found: set[tuple[Any, str]] = set()
    for query in _newest(readers, kind):
        found.update((row.time, f"{kind}{row.id}") for row in await connection.execute(query, {"most": most}))
    return sorted(found, key=_newness, reverse=True)


def _newness(found: tuple[Any, str]) -> tuple[Any, int, str]:
    """By time; of the same instant, the higher number is newer."""
    time, code = found
    return time, len(code), code


@lru_cache(maxsize=64)
def _counted(readers: Readers, kind: str) -> Select[int]:
    """How many of a kind there are, at most the parameter `most`.

    Kept, because putting it together takes longer than the answer.
    """
    known = _known(readers, kind).limit(bindparam("most", type_=Integer))
    return select(func.count()).select_from(known.subquery("known"))


@lru_cache(maxsize=64)
def _newest(readers: Readers, kind: str) -> tuple[Select[Any], ...]:
    """What gives the ids and times of the newest, the parameter `most` of them at most by each query.

    A trait is as new as when it was said last. Whichever is among the newest by that is so by when it was said first,
    or by when it was said again: each of these orders has an index, the later of two times has none.
    """
    known = _known(readers, kind)
    if kind == "e":
        return (_in_order(known, events.c.time, events.c.time, events.c.id),)
    last = case((traits.c.refreshed > traits.c.since, traits.c.refreshed), else_=traits.c.since)
    again = known.where(traits.c.refreshed.is_not(None))
    return (
        _in_order(known, last, traits.c.since, traits.c.id),
        _in_order(again, last, traits.c.refreshed, traits.c.id),
    )


def _in_order(known: Select[Any], time: Any, *by: Any) -> Select[Any]:
    """These with a time, the last by some columns first; at most the parameter `most`."""
    in_order = known.add_columns(time.label("time")).order_by(*(column.desc() for column in by))
    return in_order.limit(bindparam("most", type_=Integer))


@lru_cache(maxsize=64)
def _known(readers: Readers, kind: str) -> Select[Any]:
    """The ids of the events, "e", or the traits, "t", of the person of these readers."""
    if kind == "t":
        of_them = and_(traits.c.speaker_id.in_(readers.people), traits.c.until.is_(None))
        return select(traits.c.id).where(of_them, readable_traits(readers))
    return select(events.c.id).where(events_of_person(readers))
