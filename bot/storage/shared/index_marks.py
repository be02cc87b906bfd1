"""What the tables know of the vector index: which index it is, and which rows have their vector in it."""

from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import Table, select
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain import Scope, VectorKind
from bot.storage.engine.database import Database, put
from bot.storage.shared.recall_tables import passage_tokens, passages
from bot.storage.shared.rows import write_among
from bot.storage.shared.tables import events, meta, traits

INDEX_KEY = "vector_index"
CLOSED_KEY = "vector_index_closed"
REMOVED_KEY = "vectors_removed"

TABLES: dict[VectorKind, Table] = {
    VectorKind.EVENT: events,
    VectorKind.TRAIT: traits,
    VectorKind.PASSAGE: passages,
}


async def index_id(database: Database) -> str | None:
    """The id of the index that the marks are about; None before the first one."""
    async with database.reading() as connection:
        return await connection.scalar(select(meta.c.value).where(meta.c.key == INDEX_KEY))


async def start_afresh(database: Database, new_id: str) -> None:
    """From now on the marks are about the empty index `new_id`: nothing is in it.

    Token vectors go, too: they are of the encoder that made the index before.
    """
    async with database.writing() as connection:
        for table in TABLES.values():
            await connection.execute(table.update().where(table.c.indexed).values(indexed=False))
        await connection.execute(passage_tokens.delete())
        await connection.execute(passages.update().where(passages.c.has_tokens).values(has_tokens=False))
        await put(connection, meta, {"key": INDEX_KEY, "value": new_id})


async def take_closed_state(database: Database) -> str | None:
    """What `set_closed_state` stored, once: the next call gives None, so that a crash from now on shows."""
    of_index = meta.c.key == CLOSED_KEY
    async with database.writing() as connection:
        state = await connection.scalar(select(meta.c.value).where(of_index))
        await connection.execute(meta.delete().where(of_index))
    return state


async def set_closed_state(database: Database, state: str) -> None:
    """Records in which state the index was closed, in step with the tables.

    Not after a removal: the next start compares, and removes what was put into the index while its row went.
    """
    async with database.writing() as connection:
        removal = await connection.execute(meta.delete().where(meta.c.key == REMOVED_KEY))
        if not removal.rowcount:
            await put(connection, meta, {"key": CLOSED_KEY, "value": state})


async def note_removal(connection: AsyncConnection) -> None:
    """Records that rows went whose vectors may still be in the index."""
    await put(connection, meta, {"key": REMOVED_KEY, "value": "yes"})


async def rows_by_scope(database: Database) -> dict[Scope, dict[int, bool]]:
    """For every scope that has rows: row id → whether its vector should be in the index."""
    found: defaultdict[Scope, dict[int, bool]] = defaultdict(dict)
    async with database.reading() as connection:
        for kind, table in TABLES.items():
            for row_id, place_key, indexed in await connection.execute(
                select(table.c.id, table.c.place_key, table.c.indexed)
            ):
                found[Scope(kind, place_key)][row_id] = indexed
    return dict(found)


async def unmark(database: Database, kind: VectorKind, ids: Iterable[int]) -> None:
    """Records that the vectors of these rows are not in the index."""
    table = TABLES[kind]
    async with database.writing() as connection:
        await write_among(connection, table.update().values(indexed=False), table.c.id, sorted(ids))
