"""The vector index: Chroma on disk, exact search in memory. Vectors and ids go in, and no text ever.

One collection a scope. Below the exact-search limit a scope's vectors are held in memory and compared by one matrix
product, which is exact; Chroma's own graph answers only beyond it.
"""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from chromadb.api.client import Client
from chromadb.api.models.Collection import Collection
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError
from numpy.typing import NDArray

from bot.domain import Scope
from bot.errors import IndexUnusable
from bot.ports import Vectors
from bot.storage.clean_memory import clean_allocations

NEAREST = 1000
"""How many neighbours are taken of a scope that is too large for exact search."""

PAGE = 2000
"""How many vectors are read from, or written to, Chroma at once."""

CACHED_VECTORS = 100_000
"""How many vectors are held in memory over all scopes: 150 MB at 384 dimensions. One scope may be larger alone."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Matrix:
    """The vectors of one scope: `ids` of shape (n,), `rows` of shape (n, dimension), unit length."""

    ids: NDArray[np.int64]
    rows: Vectors

    def upserted(self, ids: Sequence[int], vectors: Vectors) -> _Matrix:
        """With these vectors added, or put in the place of those that have the same id."""
        kept = self.without(ids)
        new = np.asarray(ids, dtype=np.int64)
        if not len(kept.ids):
            return _Matrix(new, vectors)
        return _Matrix(np.concatenate([kept.ids, new]), np.concatenate([kept.rows, vectors]))

    def without(self, ids: Sequence[int]) -> _Matrix:
        """Without the vectors that have these ids."""
        keep = ~np.isin(self.ids, np.asarray(ids, dtype=np.int64))
        return self if bool(keep.all()) else _Matrix(self.ids[keep], self.rows[keep])

    def similarities(self, query: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The ids and the cosine of each to `query`."""
        if not len(self.ids):
            return self.ids, np.empty(0, np.float32)
        _same_dimension(self.rows.shape[1], query.shape[0])
        return self.ids, np.asarray(self.rows @ _unit(query[None, :])[0], dtype=np.float32)


_EMPTY = _Matrix(np.empty(0, np.int64), np.empty((0, 0), np.float32))


class NumpyVectorIndex:
    """Implements `bot.ports.VectorIndex` in memory; gone with the process."""

    def __init__(self) -> None:
        self._scopes: dict[Scope, _Matrix] = {}

    async def upsert(self, scope: Scope, ids: Sequence[int], vectors: Vectors) -> None:
        """Adds vectors or replaces those that have the same id."""
        before = self._scopes.get(scope, _EMPTY)
        if len(before.ids):
            _same_dimension(before.rows.shape[1], vectors.shape[1])
        self._scopes[scope] = before.upserted(ids, _unit(vectors))

    async def similarities(
        self, scope: Scope, query: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The ids in `scope` and the cosine of each."""
        return self._scopes.get(scope, _EMPTY).similarities(query)

    async def remove(self, scope: Scope, ids: Sequence[int]) -> None:
        """Removes vectors; ids that are not there are no error."""
        if scope in self._scopes:
            self._scopes[scope] = self._scopes[scope].without(ids)

    async def count(self, scope: Scope) -> int:
        """How many vectors a scope holds."""
        return len(self._scopes.get(scope, _EMPTY).ids)


class ChromaVectorIndex:
    """Implements `bot.ports.VectorIndex` in a folder. Chroma blocks, so one thread of this object does its work."""

    def __init__(
        self, folder: Path, exact_limit: int = 50_000, on_close: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        """`on_close` is awaited after the folder was closed, unless something was found broken in it."""
        self._folder = folder
        self._on_close = on_close
        self._sound = True
        self._exact_limit = exact_limit
        self._client: Client | None = None
        self._closed = False
        self._collections: dict[str, Collection] = {}
        self._matrices = _Matrices()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="vectors")

    async def open(self) -> None:
        """Opens the folder, which is made if it is missing. Raises IndexUnusable."""
        self._client = await self._run(self._connect)

    async def aclose(self) -> None:
        """Closes the folder and ends the thread. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        if self._client is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._client.close)
        self._thread.shutdown(wait=False)
        if self._on_close is not None and self._sound and self._client is not None:
            await self._on_close()

    async def upsert(self, scope: Scope, ids: Sequence[int], vectors: Vectors) -> None:
        """Adds vectors or replaces those that have the same id; on disk when this returns."""
        if len(ids):
            await self._run(lambda: self._upsert(scope, list(ids), _unit(vectors)))

    async def similarities(
        self, scope: Scope, query: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The ids in `scope` and the cosine of each; the nearest 1,000 alone beyond the exact-search limit."""
        matrix = self._matrices.get(scope)
        if matrix is not None:
            return await asyncio.to_thread(matrix.similarities, query)
        return await self._run(lambda: self._similarities(scope, query))

    async def remove(self, scope: Scope, ids: Sequence[int]) -> None:
        """Removes vectors; ids that are not there are no error."""
        if len(ids):
            await self._run(lambda: self._remove(scope, list(ids)))

    async def count(self, scope: Scope) -> int:
        """How many vectors a scope holds."""
        return await self._run(lambda: self._count(scope))

    async def ids(self, scope: Scope) -> frozenset[int]:
        """The ids of all vectors of a scope. Reads one vector too, so that a damaged file shows."""
        return await self._run(lambda: self._ids(scope))

    async def keep_only(self, scopes: frozenset[Scope]) -> int:
        """Drops the collections of all other scopes; returns how many there were."""
        return await self._run(lambda: self._keep_only({collection_name(scope) for scope in scopes}))

    async def _run(self, work: Callable[[], T]) -> T:
        """Does `work` in the index's own thread, one piece after the other. Raises IndexUnusable."""
        if self._closed:
            raise IndexUnusable("The vector index is closed.")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, _clean(work))
        except (ChromaError, OSError, ValueError) as error:
            self._sound = False
            raise IndexUnusable(
                f"The vector index in {self._folder} cannot be used: {error}. Check that its disk has room, and start "
                "the program again: what is damaged is made anew from the database."
            ) from error

    def _connect(self) -> Client:
        return Client(
            settings=Settings(is_persistent=True, persist_directory=str(self._folder), anonymized_telemetry=False)
        )

    def _upsert(self, scope: Scope, ids: list[int], vectors: Vectors) -> None:
        collection = self._collection(scope) or self._make(scope)
        for start in range(0, len(ids), PAGE):
            some = slice(start, start + PAGE)
            collection.upsert(ids=[str(key) for key in ids[some]], embeddings=vectors[some])
        matrix = self._matrices.get(scope)
        if matrix is not None:
            self._keep(scope, matrix.upserted(ids, vectors))

    def _similarities(self, scope: Scope, query: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        collection = self._collection(scope)
        if collection is None:
            return _EMPTY.similarities(query)
        if collection.count() > self._exact_limit:
            return _nearest(collection, query)
        matrix = _read(collection)
        self._keep(scope, matrix)
        return matrix.similarities(query)

    def _remove(self, scope: Scope, ids: list[int]) -> None:
        collection = self._collection(scope)
        if collection is None:
            return
        for start in range(0, len(ids), PAGE):
            collection.delete(ids=[str(key) for key in ids[start : start + PAGE]])
        matrix = self._matrices.get(scope)
        if matrix is not None:
            self._keep(scope, matrix.without(ids))

    def _count(self, scope: Scope) -> int:
        collection = self._collection(scope)
        return collection.count() if collection is not None else 0

    def _ids(self, scope: Scope) -> frozenset[int]:
        collection = self._collection(scope)
        if collection is None:
            return frozenset()
        collection.get(limit=1, include=["embeddings"])
        return frozenset(int(key) for key in collection.get(include=[])["ids"])

    def _keep_only(self, names: set[str]) -> int:
        client = self._connected()
        dropped = 0
        known = [collection.name for collection in client.list_collections()]
        for name in known:
            if name not in names:
                client.delete_collection(name)
                self._collections.pop(name, None)
                dropped += 1
        return dropped

    def _keep(self, scope: Scope, matrix: _Matrix) -> None:
        if len(matrix.ids) > self._exact_limit:
            self._matrices.drop(scope)
        else:
            self._matrices.put(scope, matrix)

    def _connected(self) -> Client:
        if self._client is None:
            raise IndexUnusable("The vector index is not open.")
        return self._client

    def _collection(self, scope: Scope) -> Collection | None:
        """The collection of a scope; None when nothing was ever put into it."""
        name = collection_name(scope)
        if name not in self._collections:
            try:
                self._collections[name] = self._connected().get_collection(name, embedding_function=None)
            except NotFoundError:
                return None
        return self._collections[name]

    def _make(self, scope: Scope) -> Collection:
        name = collection_name(scope)
        self._collections[name] = self._connected().create_collection(
            name, embedding_function=None, configuration={"hnsw": {"space": "cosine", "ef_search": NEAREST}}
        )
        return self._collections[name]


def _clean(work: Callable[[], T]) -> Callable[[], T]:
    """The same work, with memory that it allocates cleaned first: the index writes some of it to disk as it is."""

    def clean_work() -> T:
        with clean_allocations():
            return work()

    return clean_work


class _Matrices:
    """The scopes whose vectors are in memory, least recently used first. For several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Scope, _Matrix] = OrderedDict()

    def get(self, scope: Scope) -> _Matrix | None:
        with self._lock:
            if scope in self._kept:
                self._kept.move_to_end(scope)
            return self._kept.get(scope)

    def put(self, scope: Scope, matrix: _Matrix) -> None:
        with self._lock:
            self._kept[scope] = matrix
            self._kept.move_to_end(scope)
            vectors = sum(len(kept.ids) for kept in self._kept.values())
            while vectors > CACHED_VECTORS and len(self._kept) > 1:
                vectors -= len(self._kept.popitem(last=False)[1].ids)

    def drop(self, scope: Scope) -> None:
        with self._lock:
            self._kept.pop(scope, None)


def collection_name(scope: Scope) -> str:
    """The name of a scope's collection, with no person's id in it."""
    return f"{scope.kind.value}-{hashlib.sha256(scope.place_key.encode()).hexdigest()[:24]}"


def _read(collection: Collection) -> _Matrix:
    """All vectors of a collection, page by page."""
    ids: list[int] = []
    pages: list[Vectors] = []
    while True:
        page = collection.get(include=["embeddings"], limit=PAGE, offset=len(ids))
        if not page["ids"]:
            break
        ids += [int(key) for key in page["ids"]]
        pages.append(np.asarray(page["embeddings"], dtype=np.float32))
    return _Matrix(np.asarray(ids, dtype=np.int64), _unit(np.concatenate(pages))) if ids else _EMPTY


def _nearest(collection: Collection, query: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    found = collection.query(query_embeddings=query[None, :], n_results=NEAREST, include=["distances"])
    distances = np.asarray((found["distances"] or [[]])[0], dtype=np.float32)
    return np.asarray([int(key) for key in found["ids"][0]], dtype=np.int64), 1.0 - distances


def _unit(vectors: Vectors) -> Vectors:
    """The same directions at unit length; a zero vector stays zero."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def _same_dimension(there: int, given: int) -> None:
    if there != given:
        raise IndexUnusable(
            f"The vector index holds vectors of dimension {there}, and one of dimension {given} was given: "
            "it was made by another encoder. Set encoder.id back, or restart the program to rebuild the index."
        )
