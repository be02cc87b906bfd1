"""The vector index in a table of PostgreSQL, with the extension pgvector.

A search reads all vectors of its scope, and nothing else: exact, and without a graph that would keep what was deleted.
The table is no part of the schema that the migrations make: it can be lost, and is made anew from the other tables.
"""

from collections.abc import AsyncIterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ARRAY,
    REAL,
    Column,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    and_,
    bindparam,
    cast,
    delete,
    func,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import CreateTable
from sqlalchemy.types import UserDefinedType

from bot.domain import Scope, grouped
from bot.errors import IndexUnusable, StorageError
from bot.ports import Similarities, Vector, Vectors
from bot.storage.engine.database import Database
from bot.storage.engine.postgres import NO_SAMPLES
from bot.storage.engine.store import Store
from bot.storage.shared import index_marks
from bot.storage.vectors.matrix import EMPTY, Matrix, same_dimension, unit

PAGE = 5000
"""How many vectors are read at once: 8 MB at 384 dimensions."""


class _Vector(UserDefinedType[Any]):
    """The type of pgvector, of any dimension."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        return "vector"


_vectors = Table(
    "vectors",
    MetaData(),
    Column("kind", Text, primary_key=True),
    Column("place_key", Text, primary_key=True),
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("embedding", _Vector, nullable=False),
)
_id, _embedding = _vectors.c.id, _vectors.c.embedding
_in_scope = and_(_vectors.c.kind == bindparam("in_kind"), _vectors.c.place_key == bindparam("in_place"))
_one_of = _id == func.any(bindparam("ids", type_=ARRAY(Integer)))
_given = cast(bindparam("given", type_=ARRAY(REAL)), _Vector)

_NEW = insert(_vectors).values(
    kind=bindparam("in_kind"), place_key=bindparam("in_place"), id=bindparam("in_id"), embedding=_given
)
_UPSERT = _NEW.on_conflict_do_update(constraint=_vectors.primary_key, set_={"embedding": _NEW.excluded.embedding})
_DIMENSION = select(func.vector_dims(_embedding)).where(_in_scope).limit(1)
_COSINES: Any = select(
    func.array_agg(_id, type_=ARRAY(Integer)),
    func.array_agg(-_embedding.op("<#>", return_type=REAL())(_given), type_=ARRAY(REAL)),
).where(_in_scope)
_SENT = select(_id, func.vector_send(_embedding, type_=LargeBinary)).where(_in_scope).order_by(_id)
_CHOSEN = _SENT.where(_one_of)
_PAGE = _SENT.where(_id > bindparam("after")).limit(PAGE)
_REMOVE = delete(_vectors).where(_in_scope, _one_of)
_SCOPES = select(_vectors.c.kind, _vectors.c.place_key).distinct()


class PgVectorIndex(Store):
    """Implements `bot.ports.VectorIndex` in the database that the tables are in."""

    async def open(self) -> None:
        """Makes the table where it is missing. Raises IndexUnusable."""
        try:
            async with self._database.writing() as connection:
                await connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
                await connection.execute(CreateTable(_vectors, if_not_exists=True))
                await connection.exec_driver_sql(NO_SAMPLES)
        except (DBAPIError, StorageError) as error:
            reason = error.orig if isinstance(error, DBAPIError) else error
            raise IndexUnusable(
                f"The database needs the extension pgvector, and cannot have it: {reason}. Install it on the server, "
                "and have an administrator run CREATE EXTENSION vector in this database."
            ) from error

    async def aclose(self) -> None:
        """Nothing to close: the connections are the database's."""

    async def upsert(self, scope: Scope, ids: Sequence[int], vectors: Vectors) -> None:
        if not len(ids):
            return
        named = _named(scope)
        rows = [named | {"in_id": key, "given": row.tolist()} for key, row in zip(ids, unit(vectors), strict=True)]
        async with self._database.writing() as connection:
            if (there := await connection.scalar(_DIMENSION, named)) is not None:
                same_dimension(there, vectors.shape[1])
            await connection.execute(_UPSERT, rows)

    async def similarities(self, scope: Scope, query: Vector) -> Similarities:
        named = _named(scope)
        async with self._database.reading() as connection:
            there = await connection.scalar(_DIMENSION, named)
            if there is None:
                return EMPTY.similarities(query)
            same_dimension(there, query.shape[0])
            wanted = named | {"given": unit(query[None, :])[0].tolist()}
            ids, cosines = (await connection.execute(_COSINES, wanted)).one()
        return np.asarray(ids, np.int64), np.asarray(cosines, np.float32)

    async def remove(self, scope: Scope, ids: Sequence[int]) -> None:
        if len(ids):
            await self._write(_REMOVE, _named(scope) | {"ids": list(ids)})

    async def get(self, scope: Scope, ids: Sequence[int]) -> Vectors:
        """The vectors with these ids, those that are there, shape (n, dimension), of unit length."""
        return (await self.load(scope, ids))[1]

    async def load(self, scope: Scope, ids: Sequence[int]) -> tuple[NDArray[np.int64], Vectors]:
        found = _matrix(await self._rows(_CHOSEN, _named(scope) | {"ids": list(ids)}))
        return found.ids, found.rows

    async def expunge(self, chosen: Sequence[tuple[Scope, Sequence[int]]]) -> None:
        """Removes vectors and writes their table anew; searches wait meanwhile."""
        for scope, gone in grouped(chosen).items():
            await self.remove(scope, [*chain(*gone)])
        await self._database.rewrite(["vectors"])

    async def every_vector(self) -> AsyncIterator[Vectors]:
        """All vectors of all scopes, page by page, shape (n, dimension)."""
        async with self._database.reading() as connection:
            for kind, place_key in (await connection.execute(_SCOPES)).all():
                named, after = {"in_kind": kind, "in_place": place_key}, -1
                while rows := (await connection.execute(_PAGE, named | {"after": after})).all():
                    yield _matrix(rows).rows
                    after = rows[-1][0]


async def open_pgvector(database: Database, encoder: str) -> PgVectorIndex:
    """The index of a database on a server, in step with its other tables. Raises IndexUnusable.

    `encoder`: the fingerprint of the one in use. What is missing is unmarked, so that `Indexer.catch_up` embeds it.
    """
    index, name = PgVectorIndex(database), f"pgvector:{encoder}"
    await index.open()
    if await index_marks.index_id(database) != name:
        async with database.writing() as connection:
            await connection.execute(text("TRUNCATE vectors"))
        await index_marks.start_afresh(database, name)
    async with database.writing() as connection:
        for kind, table in index_marks.TABLES.items():
            of_kind = _vectors.c.kind == kind.value
            pair = and_(of_kind, _vectors.c.place_key == table.c.place_key, _id == table.c.id)
            await connection.execute(delete(_vectors).where(of_kind, ~select(table.c.id).where(pair).exists()))
            missing = table.update().where(table.c.indexed, ~select(_id).where(pair).exists())
            await connection.execute(missing.values(indexed=False))
    return index


def _named(scope: Scope) -> dict[str, object]:
    return {"in_kind": scope.kind.value, "in_place": scope.place_key}


def _matrix(rows: Sequence[Any]) -> Matrix:
    """Of ids and vectors as pgvector sends them: two numbers of two bytes, then the vector, the highest byte first."""
    if not rows:
        return EMPTY
    vectors = np.stack([np.frombuffer(row[1], ">f4", offset=4) for row in rows])
    return Matrix(np.asarray([row[0] for row in rows], np.int64), vectors.astype(np.float32))
