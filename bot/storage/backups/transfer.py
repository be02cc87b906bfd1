"""Everything from one database to another: from a SQLite file to a PostgreSQL server, or back.

Rows go table by table, in order of their keys, a batch in each transaction, so that a move that was interrupted goes on
after the last row that arrived. Vectors are made anew at the next start. The old database is only read.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Select, Table, bindparam, func, literal, select, text, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.errors import StorageError
from bot.storage.engine.database import Database, put
from bot.storage.shared.digests import KEY
from bot.storage.shared.index_marks import CLOSED_KEY, INDEX_KEY, REMOVED_KEY
from bot.storage.shared.privacy_tables import privacy
from bot.storage.shared.tables import meta

BEGUN_KEY = "moved_from"
OF_THE_PLACE = (INDEX_KEY, CLOSED_KEY, REMOVED_KEY, BEGUN_KEY)
"""What `meta` says of a database itself, and not of what is in it."""

BATCH = 1000
VECTORS = frozenset({"passage_tokens"})
"""Tables of vectors, which are made anew."""
TABLES = [table for table in privacy.metadata.sorted_tables if table.name not in VECTORS]
"""Each after those that it refers to."""


async def move(source: Database, target: Database, told: Callable[[str, int], None]) -> int:
    """Copies all rows and compares them; returns how many there are. Nobody else may write to either meanwhile.

    `told` hears of each table, and how many rows of it have just arrived. Raises StorageError.
    """
    await _begin(source, target)
    for table in TABLES:
        if table is not meta:
            told(table.name, await _copy(source, target, table))
    for table in TABLES:
        await _refer_to_itself(source, target, table)
    async with source.reading() as reading, target.writing() as writing:
        for row in await reading.execute(select(meta).where(meta.c.key.not_in(OF_THE_PLACE))):
            await put(writing, meta, row._asdict())
        await _set_counters(writing, target.on_server, await counters(reading, source.on_server))
    rows = sum([await _compare(source, target, table) for table in TABLES])
    async with target.writing() as connection:
        await connection.execute(meta.delete().where(meta.c.key == BEGUN_KEY))
    return rows


async def _begin(source: Database, target: Database) -> None:
    """Notes in an empty target where its rows come from. Raises StorageError when it holds those of another."""
    async with source.reading() as connection:
        key = await connection.scalar(select(meta.c.value).where(meta.c.key == KEY))
    async with target.writing() as connection:
        begun = await connection.scalar(select(meta.c.value).where(meta.c.key == BEGUN_KEY))
        held = [table.name for table in TABLES if table is not meta and await _count(connection, table)]
        if begun != key and (begun is not None or held):
            raise StorageError(
                f"The database {target.engine.url.database} is not empty, and not of a move of this data that was "
                "interrupted. Name an empty one. Nothing was changed."
            )
        await put(connection, meta, {"key": BEGUN_KEY, "value": key})


async def _count(connection: AsyncConnection, table: Table) -> int:
    return int(await connection.scalar(select(func.count()).select_from(table)) or 0)


async def _copy(source: Database, target: Database, table: Table) -> int:
    """Copies the rows that come after the last one there; returns how many. What refers to its own table, later."""
    keys, own = [*table.primary_key], {column.name: None for column in _own_references(table)}
    last_first = select(*keys).order_by(*(column.desc() for column in keys)).limit(1)
    async with target.reading() as connection:
        last: Sequence[Any] | None = (await connection.execute(last_first)).one_or_none()
    copied = 0
    while True:
        query = select(table).order_by(*keys).limit(BATCH)
        if last is not None:
            values = (literal(value, column.type) for value, column in zip(last, keys, strict=True))
            query = query.where(tuple_(*keys) > tuple_(*values))
        async with source.reading() as connection:
            rows = (await connection.execute(query)).all()
        if not rows:
            return copied
        async with target.writing() as connection:
            await connection.execute(table.insert(), [row._asdict() | own for row in rows])
        copied += len(rows)
        named = rows[-1]._asdict()
        last = [named[column.name] for column in keys]


def _own_references(table: Table) -> list[Column[Any]]:
    """The columns that name another row of the same table."""
    return [column for column in table.columns if any(key.references(table) for key in column.foreign_keys)]


async def _refer_to_itself(source: Database, target: Database, table: Table) -> None:
    """Sets what refers to other rows of the same table, now that they are there."""
    [key, *_] = table.primary_key
    for column in _own_references(table):
        async with source.reading() as reading, target.writing() as writing:
            found: Sequence[Any] = (await reading.execute(select(key, column).where(column.is_not(None)))).all()
            if found:
                setting = update(table).where(key == bindparam("row")).values({column: bindparam("refers_to")})
                await writing.execute(setting, [{"row": one[0], "refers_to": one[1]} for one in found])


async def counters(connection: AsyncConnection, on_server: bool) -> dict[str, int]:
    """Table → the highest id that was ever given there: what is erased leaves its id to nobody."""
    if not on_server:
        counted = (await connection.exec_driver_sql("SELECT name, seq FROM sqlite_sequence")).mappings()
        return {row["name"]: int(row["seq"]) for row in counted}
    last_of, found = text("SELECT pg_sequence_last_value(CAST(:name AS regclass))"), dict[str, int]()
    for table, sequence in await _sequences(connection):
        found[table.name] = int(await connection.scalar(last_of, {"name": sequence}) or 0)
    return found


async def _set_counters(connection: AsyncConnection, on_server: bool, last: Mapping[str, int]) -> None:
    """Has ids go on after these, and after those that are there."""
    if not on_server:
        for name, number in last.items():
            row = {"name": name, "number": number}
            there = await connection.execute(text("UPDATE sqlite_sequence SET seq = :number WHERE name = :name"), row)
            if not there.rowcount and number:
                await connection.execute(text("INSERT INTO sqlite_sequence VALUES (:name, :number)"), row)
        return
    for table, sequence in await _sequences(connection):
        [key] = table.primary_key
        highest = max(int(await connection.scalar(select(func.max(key))) or 0), last.get(table.name, 0))
        setting = text("SELECT setval(CAST(:name AS regclass), :last, :given)")
        await connection.execute(setting, {"name": sequence, "last": max(highest, 1), "given": highest > 0})


async def _sequences(connection: AsyncConnection) -> list[tuple[Table, str]]:
    """The tables that count their ids, and PostgreSQL's counter of each."""
    counted = [(table, table.autoincrement_column) for table in TABLES]
    naming = text("SELECT pg_get_serial_sequence(:of_table, :named)")
    named = [
        (table, await connection.scalar(naming, {"of_table": table.name, "named": column.name}))
        for table, column in counted
        if column is not None
    ]
    return [(table, sequence) for table, sequence in named if sequence is not None]


async def _compare(source: Database, target: Database, table: Table) -> int:
    """How many rows a table has, in both. Raises StorageError where they are not the same."""
    query: Select[Any] = select(table).order_by(*table.primary_key)
    if table is meta:
        query = query.where(meta.c.key.not_in(OF_THE_PLACE))
    rows, digest = await _digest(source, query)
    if (rows, digest) != await _digest(target, query):
        raise StorageError(
            f"The rows of {table.name} in {target.engine.url.database} are not those of {source.engine.url.database}: "
            "something was written meanwhile. Begin again with an empty database; the old one is as it was."
        )
    return rows


async def _digest(database: Database, query: Select[Any]) -> tuple[int, str]:
    """How many rows a query gives, and a digest of them."""
    digest, number = hashlib.sha256(), 0
    async with database.reading() as connection:
        async for row in await connection.stream(query):
            digest.update(repr(tuple(row)).encode())
            number += 1
    return number, digest.hexdigest()
