"""The edges of the memory graph in SQL (THEANINE)."""

from collections.abc import Collection, Sequence
from dataclasses import asdict

from sqlalchemy import bindparam, select

from bot.domain import Edge, Relation
from bot.storage.engine.database import insert_new
from bot.storage.engine.store import Store
from bot.storage.memory.events import count_up
from bot.storage.shared.recall_tables import edges as edge_rows
from bot.storage.shared.rows import MAX_NUMBERS, column_among, end_job, some_at_a_time
from bot.storage.shared.tables import events

_FROM = (
    select(edge_rows.c.older, edge_rows.c.newer, edge_rows.c.relation)
    .where(edge_rows.c.older.in_(bindparam("ids", expanding=True, literal_execute=True)))
    .order_by(edge_rows.c.older, edge_rows.c.newer)
)
"""The edges that go out of some events."""


class SqlGraph(Store):
    """Implements `bot.ports.Graph`."""

    async def among(self, event_ids: Collection[int]) -> list[Edge]:
        """The edges both of whose events are among these, in order of their older event and then of their newer one."""
        wanted = frozenset(event_ids)
        found: list[Edge] = []
        async with self._database.reading() as connection:
            for some in some_at_a_time(sorted(wanted), MAX_NUMBERS):
                rows = (await connection.execute(_FROM, {"ids": some})).all()
                found += [Edge(older, newer, Relation(relation)) for older, newer, relation in rows if newer in wanted]
        return found

    async def link(self, job_id: int, edges: Sequence[Edge]) -> int:
        """Stores edges and ends the LINK job; returns how many edges are new.

        A pair that is linked already keeps its relation. Nothing is stored when the job has ended already, or was begun
        anew, and no edge one of whose events has gone.
        """
        async with self._database.writing() as connection:
            if not await end_job(connection, job_id):
                return 0
            ends = (key for edge in edges for key in (edge.older, edge.newer))
            there = {*await column_among(connection, select(events.c.id), events.c.id, ends)}
            linked = (edge for edge in edges if {edge.older, edge.newer} <= there)
            rows = [asdict(edge) | {"relation": edge.relation.value} for edge in linked]
            new = await insert_new(connection, edge_rows, rows)
            if new:
                await count_up(connection, added=True)
        return new
