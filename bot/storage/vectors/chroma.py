"""The vector index in a folder of Chroma.

One collection a scope. Below the exact-search limit a scope's vectors are held in memory and compared by one matrix
product, which is exact; Chroma's own graph answers only beyond it.

Chroma deletes by marking: a vector that was removed stays in its graph's file, in free pages of its SQLite file and in
the folder of a collection that was dropped. `expunge` therefore writes the scopes anew and has `files.compact` go over
the folder while it is closed.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np
from chromadb.api.client import Client
from chromadb.api.models.Collection import Collection
from chromadb.errors import ChromaError, NotFoundError
from numpy.typing import NDArray

from bot.domain import Scope, grouped
from bot.errors import IndexUnusable
from bot.ports import Similarities, Vector, Vectors
from bot.storage.vectors import files
from bot.storage.vectors.clean_memory import clean_allocations, give_back
from bot.storage.vectors.collections import (
    KEPT,
    PAGE,
    SEARCHED,
    as_loaded,
    collection_name,
    is_searched,
    nearest,
    opened,
    read_whole,
)
from bot.storage.vectors.matrix import EMPTY, Matrices, Matrix, joined, unit

TOUCHED = 100
"""After so many collections Chroma is opened anew: it keeps each that was touched in memory, 2.9 MB and its vectors."""

LOADED = 1000
"""How many are read at once of a scope that is read whole: 30 ms, after which a search can come in between."""

WRITTEN = 500
"""How many are written at once: until they are in its graph, Chroma lets no other thread of Python go on."""

T = TypeVar("T")


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
        self._touched = 0
        """Collections that Chroma has in memory at most."""
        self._matrices = Matrices()
        self._writing = asyncio.Lock()
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
        as_it_should_be = self._sound and not self._matrices.any_pinned
        if self._on_close is not None and as_it_should_be and self._client is not None:
            await self._on_close()

    async def upsert(self, scope: Scope, ids: Sequence[int], vectors: Vectors) -> None:
        """Adds vectors or replaces those that have the same id; on disk when this returns."""
        if len(ids):
            async with self._writing:
                outgrown = await self._run(lambda: self._upsert(scope, list(ids), unit(vectors)))
                if outgrown:
                    await self._write_anew(scope, set())
                    await self._run(lambda: files.delete_dropped(self._folder))

    async def similarities(self, scope: Scope, query: Vector) -> Similarities:
        """The ids in `scope` and the cosine of each; the nearest 1,000 alone beyond the exact-search limit."""
        matrix = self._matrices.get(scope)
        if matrix is not None:
            return await asyncio.to_thread(matrix.similarities, query)
        return await self._run(lambda: self._similarities(scope, query))

    async def remove(self, scope: Scope, ids: Sequence[int]) -> None:
        if len(ids):
            async with self._writing:
                await self._run(lambda: self._remove(scope, list(ids)))

    async def get(self, scope: Scope, ids: Sequence[int]) -> Vectors:
        """The vectors with these ids, those that are there, shape (n, dimension), of unit length."""
        async with self._writing:
            return await self._run(lambda: self._get(scope, list(ids)))

    async def load(self, scope: Scope, ids: Sequence[int]) -> tuple[NDArray[np.int64], Vectors]:
        """The vectors with these ids, in order of their ids: those that are there.

        Read page by page, each a piece of work of its own; 100,000 take some seconds.
        """
        pages = [EMPTY]
        for start in range(0, len(ids), LOADED):
            if (whole := self._matrices.get(scope)) is not None:
                return as_loaded(whole.only(ids))
            pages.append(await self._run(partial(self._loaded, scope, list(ids[start : start + LOADED]))))
        return as_loaded(await asyncio.to_thread(joined, pages))

    async def expunge(self, chosen: Sequence[tuple[Scope, Sequence[int]]]) -> None:
        """Removes vectors so that no file holds them, nor what is left in these scopes of ones removed before.

        Takes 0.1 to 0.3 s of CPU a thousand vectors that stay in these scopes (in those beyond the exact-search limit
        0.5 to 0.8 s), and 50 ms a scope. Searches in these scopes are answered from memory meanwhile, in others
        between two pages. Another try after an error, or after it was cancelled, goes on where this one stopped; at a
        start after SIGKILL what is missing in the index is made again.
        """
        async with self._writing:
            for scope, gone in grouped(chosen).items():
                await self._write_anew(scope, {*chain(*gone)})
            await self._run(self._compact)

    async def every_vector(self) -> AsyncIterator[Vectors]:
        """All vectors of all scopes as they are in the folder, page by page, shape (n, dimension)."""
        names = await self._run(lambda: [one.name for one in self._connected().list_collections()])
        for name in names:
            start = 0
            while len(page := await self._run(partial(self._page, name, start))):
                yield page
                start += PAGE

    async def ids(self, scope: Scope) -> frozenset[int]:
        """The ids of all vectors of a scope. Reads one vector too, so that a damaged file shows."""
        async with self._writing:
            return await self._run(lambda: self._ids(scope))

    async def keep_only(self, scopes: frozenset[Scope]) -> int:
        """Drops the collections of all other scopes; returns how many there were."""
        return await self._run(lambda: self._keep_only({collection_name(scope) for scope in scopes}))

    async def _write_anew(self, scope: Scope, gone: set[int]) -> None:
        """Makes the collection of a scope again without these ids, or drops it when nothing stays.

        Page by page, each a piece of work of its own, so that searches in other scopes come in between.
        """
        matrix = await self._run(lambda: self._pin_without(scope, gone))
        if matrix is None:
            return
        await self._run(lambda: self._drop(scope))
        for start in range(0, len(matrix.ids), WRITTEN):
            ids, rows = matrix.ids[start : start + WRITTEN].tolist(), matrix.rows[start : start + WRITTEN]
            await self._run(partial(self._fill, scope, ids, rows))
        self._matrices.unpin(scope)
        self._keep(scope, matrix)

    async def _run(self, work: Callable[[], T]) -> T:
        """Does `work` in the index's own thread, one piece after the other. Raises IndexUnusable.

        The memory that it allocates is cleaned first: the index writes some of it to disk as it is.
        """
        if self._closed:
            raise IndexUnusable("The vector index is closed.")
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, clean_allocations()(work))
        except (ChromaError, OSError, ValueError, sqlite3.Error) as error:
            self._sound = False
            raise IndexUnusable(
                f"The vector index in {self._folder} cannot be used: {error}. Check that its disk has room, and start "
                "the program again: what is damaged is made anew from the database."
            ) from error

    def _connect(self) -> Client:
        client = opened(self._folder)
        files.index_queue(self._folder)
        return client

    def _upsert(self, scope: Scope, ids: list[int], vectors: Vectors) -> bool:
        """Whether the scope needs another graph now: it is too large for exact search and has none to search in."""
        self._fill(scope, ids, vectors)
        matrix = self._matrices.get(scope)
        if matrix is not None:
            self._keep(scope, matrix.upserted(ids, vectors))
        collection = self._collection(scope)
        return collection is not None and not is_searched(collection) and collection.count() > self._exact_limit

    def _fill(self, scope: Scope, ids: list[int], vectors: Vectors) -> None:
        """Puts vectors on disk."""
        collection = self._collection(scope) or self._make(scope)
        for start in range(0, len(ids), WRITTEN):
            some = slice(start, start + WRITTEN)
            collection.upsert(ids=[str(key) for key in ids[some]], embeddings=vectors[some])

    def _similarities(self, scope: Scope, query: Vector) -> Similarities:
        matrix = self._matrices.get(scope)
        if matrix is not None:
            return matrix.similarities(query)
        collection = self._collection(scope)
        if collection is None:
            return EMPTY.similarities(query)
        if collection.count() > self._exact_limit:
            return nearest(collection, query)
        matrix = read_whole(collection)
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

    def _get(self, scope: Scope, ids: list[int]) -> Vectors:
        return joined([self._loaded(scope, ids[start : start + PAGE]) for start in range(0, len(ids), PAGE)]).rows

    def _chosen(self, scope: Scope, ids: list[int]) -> Matrix:
        """The vectors with these ids, as many as are read at once; those that are there."""
        collection = self._collection(scope)
        if collection is None or not ids:
            return EMPTY
        page = collection.get(ids=[str(key) for key in ids], include=["embeddings"])
        if not page["ids"]:
            return EMPTY
        found = np.asarray([int(key) for key in page["ids"]], dtype=np.int64)
        return Matrix(found, unit(np.asarray(page["embeddings"], dtype=np.float32)))

    def _loaded(self, scope: Scope, ids: list[int]) -> Matrix:
        """The same, also while the scope is written anew: then it is in memory, and only in part on disk."""
        matrix = self._matrices.get(scope)
        return matrix.only(ids) if matrix is not None else self._chosen(scope, ids)

    def _listed(self, scope: Scope) -> list[int]:
        collection = self._collection(scope)
        return [int(key) for key in collection.get(include=[])["ids"]] if collection is not None else []

    def _pin_without(self, scope: Scope, gone: set[int]) -> Matrix | None:
        """All vectors of a scope but these, pinned; None when the index knows nothing of the scope."""
        collection = self._collection(scope)
        matrix = self._matrices.get(scope)
        if collection is None and not self._matrices.is_pinned(scope):
            return None
        if matrix is None:
            matrix = read_whole(collection) if collection is not None else EMPTY
        matrix = matrix.without(sorted(gone))
        self._matrices.pin(scope, matrix)
        return matrix

    def _drop(self, scope: Scope) -> None:
        name = collection_name(scope)
        self._collections.pop(name, None)
        with suppress(NotFoundError):
            self._connected().delete_collection(name)

    def _compact(self) -> None:
        """Goes over the files, for which Chroma has to let go of them."""
        self._disconnect()
        try:
            files.compact(self._folder)
        finally:
            self._client = self._connect()

    def _ids(self, scope: Scope) -> frozenset[int]:
        collection = self._collection(scope)
        if collection is None:
            return frozenset()
        collection.get(limit=1, include=["embeddings"])
        return frozenset(self._listed(scope))

    def _page(self, name: str, start: int) -> Vectors:
        collection = self._named(name)
        if collection is None:
            return EMPTY.rows
        page = collection.get(include=["embeddings"], limit=PAGE, offset=start)
        return np.asarray(page["embeddings"], dtype=np.float32) if page["ids"] else EMPTY.rows

    def _keep_only(self, names: set[str]) -> int:
        client = self._connected()
        others = [collection.name for collection in client.list_collections() if collection.name not in names]
        for name in others:
            client.delete_collection(name)
            self._collections.pop(name, None)
        return len(others)

    def _keep(self, scope: Scope, matrix: Matrix) -> None:
        if len(matrix.ids) > self._exact_limit:
            self._matrices.drop(scope)
        else:
            self._matrices.put(scope, matrix)

    def _connected(self) -> Client:
        """Chroma, opened again where that could not be done before."""
        if self._client is None:
            self._client = self._connect()
        return self._client

    def _collection(self, scope: Scope) -> Collection | None:
        """The collection of a scope; None when nothing was ever put into it."""
        return self._named(collection_name(scope))

    def _named(self, name: str) -> Collection | None:
        if name not in self._collections:
            self._make_room()
            try:
                self._collections[name] = self._connected().get_collection(name, embedding_function=None)
            except NotFoundError:
                return None
            self._touched += 1
        return self._collections[name]

    def _make(self, scope: Scope) -> Collection:
        """A new collection, with a graph to search in when the scope is being written anew and is that large."""
        self._make_room()
        matrix = self._matrices.get(scope)
        graph = SEARCHED if matrix is not None and len(matrix.ids) > self._exact_limit else KEPT
        name = collection_name(scope)
        self._collections[name] = self._connected().create_collection(
            name, embedding_function=None, configuration={"hnsw": graph}
        )
        self._touched += 1
        return self._collections[name]

    def _make_room(self) -> None:
        """Has Chroma let go of the collections that it has in memory, when they are many. Takes 80 ms then."""
        if self._touched >= TOUCHED:
            self._disconnect()
            self._client = self._connect()

    def _disconnect(self) -> None:
        self._connected().close()
        self._client = None
        self._collections.clear()
        self._touched = 0
        give_back()
