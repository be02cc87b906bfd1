"""What is known of one person, in the order in which a page shows it: in SQL, under the audience rule.

Only the page that is looked at is loaded: a person may have very many memories.
"""

from functools import lru_cache
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy import Integer, Select, and_, bindparam, case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Place
from bot.storage.engine.database import Database
from bot.storage.shared.audience import Readers, events_of_person, readable_traits, readers_of
from bot.storage.shared.tables import events, traits


class SqlShelf:
    """Implements `bot.ports.Shelf`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def count(self, dm: Place, *, events_only: bool = False) -> int:
        async with self._database.reading() as connection:
            readers = await readers_of(connection, dm)
            counted = [await connection.scalar(_counted(readers, kind)) for kind in _kinds(events_only)]
        return sum(int(one or 0) for one in counted)

    async def newest(self, dm: Place, first: int, most: int, *, events_only: bool = False) -> list[str]:
        async with self._database.reading() as connection:
            readers = await readers_of(connection, dm)
            found = [await _listed(connection, readers, kind, first + most) for kind in _kinds(events_only)]
        in_order = merge(*found, key=lambda one: (one[0], len(one[1]), one[1]), reverse=True)
        return [code for _, code in islice(in_order, first, first + most)]


def _kinds(events_only: bool) -> str:
    return "e" if events_only else "te"


async def _listed(connection: AsyncConnection, readers: Readers, kind: str, most: int) -> list[tuple[Any, str]]:
    """The times and codes of the newest."""
    rows = await connection.execute(_newest(readers, kind), {"most": most})
    return [(row.time, f"{kind}{row.id}") for row in rows]


@lru_cache(maxsize=64)
def _counted(readers: Readers, kind: str) -> Select[int]:
    """How many of a kind there are; kept, because putting it together takes longer than the answer."""
    return select(func.count()).select_from(_known(readers, kind).subquery("known"))


@lru_cache(maxsize=64)
def _newest(readers: Readers, kind: str) -> Select[Any]:
    """The same with their times, the newest first; at most the parameter `most`."""
    known = _known(readers, kind)
    time = events.c.time if kind == "e" else _said_last()
    in_order = known.add_columns(time.label("time")).order_by(time.desc(), known.selected_columns.id.desc())
    return in_order.limit(bindparam("most", type_=Integer))


def _known(readers: Readers, kind: str) -> Select[Any]:
    """The ids of the events, "e", or the traits, "t", of the person of these readers."""
    if kind == "t":
        of_them = and_(traits.c.speaker_id.in_(readers.people), traits.c.until.is_(None))
        return select(traits.c.id).where(of_them, readable_traits(readers))
    return select(events.c.id).where(events_of_person(readers))


def _said_last() -> Any:
    return case((traits.c.refreshed > traits.c.since, traits.c.refreshed), else_=traits.c.since)
