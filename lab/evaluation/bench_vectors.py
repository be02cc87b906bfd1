"""Exact search within a place in pgvector, over a made-up index: what `bot` asks for at each turn, beside numpy.

`bench_chroma_server.py` measures a server of Chroma's in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sqlalchemy import text

from bot.domain import Place, PlaceKind, Scope, VectorKind
from bot.storage.engine.database import open_database
from bot.storage.vectors.pgvector import PgVectorIndex
from lab.evaluation.own_postgres import own_postgres

DIMENSION = 384
MEGABYTE = 1_000_000
WARM = 20
"""Searches before those that are timed."""
WANTED = 10
"""How many of the nearest are looked for."""


async def run(url: str, memories: int, people: int, queries: int, seed: int) -> int:
    """Measures, tells, and returns the exit code. The vectors stay in the database; without `url`, in none."""
    if url:
        return await _measured(url, memories, people, queries, seed)
    own = own_postgres(shared_buffers="1GB", max_wal_size="4GB")
    try:
        return await _measured(await own.start().fresh("template0"), memories, people, queries, seed)
    finally:
        own.remove()


async def _measured(url: str, memories: int, people: int, queries: int, seed: int) -> int:
    told, vectors = Console(highlight=False, soft_wrap=True), made_up(memories, seed)
    shares = np.array_split(np.arange(memories, dtype=np.int64), people)
    scopes = [Scope(VectorKind.EVENT, Place("made", PlaceKind.DM, f"p{one}").key) for one in range(people)]
    async with aclosing(await open_database(url)) as database:
        index = PgVectorIndex(database)
        await index.open()
        took = await _make(index, scopes, shares, vectors)
        told.print(f"{memories:,} memories of {people:,} people are made in {took:,.0f} s.")
        times, right, apart = await _search(index, scopes, shares, vectors, queries, seed)
        half, most = np.percentile(times, [50, 95])
        told.print(f"A search: {half:.1f} ms, 95 % within {most:.1f} ms; {right:.1%} of the nearest ten are found.")
        told.print(f"Cosines differ from numpy's by {apart:.1e}.")
        async with database.reading() as connection:
            size = await connection.scalar(text("SELECT pg_total_relation_size('vectors')"))
        told.print(f"On disk: {int(size or 0) / MEGABYTE:,.0f} MB.")
        begun = perf_counter()
        await index.expunge([(scopes[0], shares[0].tolist())])
        told.print(f"One person is erased, and the table written anew, in {perf_counter() - begun:,.1f} s.")
        async with database.writing() as connection:
            await connection.execute(text("TRUNCATE vectors"))
        took = await _make(index, scopes, shares, vectors)
        told.print(f"All are made anew in {took:,.0f} s.")
    return 0


def made_up(memories: int, seed: int) -> NDArray[np.float32]:
    """Vectors of unit length, the same for both that are measured."""
    vectors = np.random.default_rng(seed).standard_normal((memories, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


async def _make(
    index: PgVectorIndex, scopes: Sequence[Scope], shares: Sequence[NDArray[np.int64]], vectors: NDArray[np.float32]
) -> float:
    """Adds all; the seconds it took."""
    begun = perf_counter()
    for scope, ids in zip(scopes, shares, strict=True):
        await index.upsert(scope, ids.tolist(), vectors[ids])
    return perf_counter() - begun


async def _search(
    index: PgVectorIndex,
    scopes: Sequence[Scope],
    shares: Sequence[NDArray[np.int64]],
    vectors: NDArray[np.float32],
    queries: int,
    seed: int,
) -> tuple[list[float], float, float]:
    """Milliseconds of each search, the share of the nearest that was found, and how far a cosine was off."""
    chance, times, found, wanted, apart = np.random.default_rng(seed + 1), list[float](), 0, 0, 0.0
    for number in range(WARM + queries):
        person = int(chance.integers(len(scopes)))
        query = chance.standard_normal(DIMENSION, dtype=np.float32)
        start = perf_counter()
        ids, cosines = await index.similarities(scopes[person], query)
        if number >= WARM:
            times.append(1000 * (perf_counter() - start))
        own = shares[person]
        truth = vectors[own] @ (query / np.linalg.norm(query))
        nearest = own[np.argsort(truth)[-WANTED:]]
        found += len(set(ids[np.argsort(cosines)[-WANTED:]].tolist()) & set(nearest.tolist()))
        wanted += len(nearest)
        apart = max(apart, _apart(own, truth, ids, cosines))
    return times, found / wanted, apart


def _apart(
    there: NDArray[np.int64], wanted: NDArray[np.float32], ids: NDArray[np.int64], cosines: NDArray[np.float32]
) -> float:
    """How far two answers are apart; infinitely, where one has what the other does not."""
    if sorted(ids) != sorted(there):
        return float("inf")
    return float(np.abs(wanted[np.argsort(there)] - cosines[np.argsort(ids)]).max())
