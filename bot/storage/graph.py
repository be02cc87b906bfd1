"""The edges of the memory graph in SQL (THEANINE)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import select

from bot.domain import Edge, Relation
from bot.storage.database import Database, insert_new
from bot.storage.events import count_up
from bot.storage.recall_tables import edges as edge_rows
from bot.storage.rows import end_job, some_at_a_time
from bot.storage.tables import events


class SqlGraph:
    """Implements `bot.ports.Graph`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def among(self, event_ids: Collection[int]) -> list[Edge]:
        """The edges both of whose events are among these, in order of their older event and then of their newer one."""
        wanted = frozenset(event_ids)
        found: list[Edge] = []
        async with self._database.reading() as connection:
            for some in some_at_a_time(sorted(wanted)):
                query = select(edge_rows.c.older, edge_rows.c.newer, edge_rows.c.relation)
                from_them = query.where(edge_rows.c.older.in_(some)).order_by(edge_rows.c.older, edge_rows.c.newer)
                found += [
                    Edge(older, newer, Relation(relation))
                    for older, newer, relation in await connection.execute(from_them)
                    if newer in wanted
                ]
        return found

    async def link(self, job_id: int, edges: Sequence[Edge]) -> int:
        """Stores edges and ends the LINK job; returns how many edges are new.

        A pair that is linked already keeps its relation. Nothing is stored when the job has ended already, or was begun
        anew, and no edge one of whose events has gone.
        """
        async with self._database.writing() as connection:
            if not await end_job(connection, job_id):
                return 0
            there: set[int] = set()
            for some in some_at_a_time(key for edge in edges for key in (edge.older, edge.newer)):
                there.update((await connection.execute(select(events.c.id).where(events.c.id.in_(some)))).scalars())
            rows = [
                {"older": edge.older, "newer": edge.newer, "relation": edge.relation.value}
                for edge in edges
                if {edge.older, edge.newer} <= there
            ]
            new = await insert_new(connection, edge_rows, rows)
            if new:
                await count_up(connection, added=True)
        return new
