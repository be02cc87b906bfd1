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

DIMENSION = 384
MEGABYTE = 1_000_000
WARM = 20
"""Searches before those that are timed."""


async def run(url: str, memories: int, people: int, queries: int, seed: int) -> int:
    """Measures, tells, and returns the exit code. The vectors stay in the database."""
    chance, told = np.random.default_rng(seed), Console(highlight=False, soft_wrap=True)
    shares = np.array_split(np.arange(memories, dtype=np.int64), people)
    scopes = [Scope(VectorKind.EVENT, Place("made", PlaceKind.DM, f"p{one}").key) for one in range(people)]
    async with aclosing(await open_database(url)) as database:
        index = PgVectorIndex(database)
        await index.open()
        took = await _make(index, scopes, shares, chance)
        told.print(f"{memories:,} memories of {people:,} people are made in {took:,.0f} s.")
        times, apart = [], 0.0
        for number in range(WARM + queries):
            scope = scopes[int(chance.integers(people))]
            query = chance.standard_normal(DIMENSION, dtype=np.float32)
            start = perf_counter()
            ids, cosines = await index.similarities(scope, query)
            if number >= WARM:
                times.append(1000 * (perf_counter() - start))
            if number % 50 == 0:
                there, rows = await index.load(scope)
                apart = max(apart, _apart(there, rows @ (query / np.linalg.norm(query)), ids, cosines))
        half, most = np.percentile(times, [50, 95])
        told.print(f"A search: {half:.1f} ms, 95 % within {most:.1f} ms; cosines differ from numpy's by {apart:.1e}.")
        async with database.reading() as connection:
            size = await connection.scalar(text("SELECT pg_total_relation_size('vectors')"))
        told.print(f"On disk: {int(size or 0) / MEGABYTE:,.0f} MB.")
        begun = perf_counter()
        await index.expunge([(scopes[0], shares[0].tolist())])
        told.print(f"One person is erased, and the table written anew, in {perf_counter() - begun:,.1f} s.")
        async with database.writing() as connection:
            await connection.execute(text("TRUNCATE vectors"))
        took = await _make(index, scopes, shares, chance)
        told.print(f"All are made anew in {took:,.0f} s.")
    return 0


async def _make(
    index: PgVectorIndex, scopes: Sequence[Scope], shares: Sequence[NDArray[np.int64]], chance: np.random.Generator
) -> float:
    """Adds all; the seconds it took."""
    begun = perf_counter()
    for scope, ids in zip(scopes, shares, strict=True):
        await index.upsert(scope, ids.tolist(), chance.standard_normal((len(ids), DIMENSION), dtype=np.float32))
    return perf_counter() - begun


def _apart(
    there: Sequence[int] | np.ndarray, wanted: np.ndarray, ids: Sequence[int] | np.ndarray, cosines: np.ndarray
) -> float:
    """How far two answers are apart; infinitely, where one has what the other does not."""
    if sorted(ids) != sorted(there):
        return float("inf")
    return float(np.abs(wanted[np.argsort(there)] - cosines[np.argsort(ids)]).max())
