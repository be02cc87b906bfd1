"""Looks for words in every text column of every table: for a few of them, and for a hundred thousand."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, CompoundSelect, Text, column, select, table, union_all

from bot.storage.engine.database import Database
from bot.storage.shared.privacy_tables import erasures

ROWS = 5000
"""Texts that are looked through at once."""

FEW = 64
"""Up to so many are looked for one after the other."""

_WIDTH = 8
"""Bytes that fit one number."""

Windows = NDArray[np.uint64]


async def find_in_tables(database: Database, texts: Iterable[str]) -> set[str]:
    """Which of `texts` stand in a text column of any table, as a whole or as a part; of SQLite, in its schema too.

    The empty text does not count.
    """
    wanted = {words.encode("utf-8", "surrogatepass"): words for words in texts if words}
    left, found = set(wanted), set[bytes]()
    async with database.reading() as connection:
        every = _all_texts(connection.dialect.name).execution_options(yield_per=ROWS)
        result = await connection.stream_scalars(every)
        async for rows in result.partitions():
            there = await asyncio.to_thread(find, left, "\0".join(rows).encode("utf-8", "surrogatepass"))
            found |= there
            left -= there
    return {wanted[words] for words in found}


def _all_texts(dialect: str) -> CompoundSelect[Any]:
    """Every value of every column of texts, one a row."""
    tables = erasures.metadata.sorted_tables
    every: list[ColumnElement[str]] = [one for each in tables for one in each.c if isinstance(one.type, Text)]
    if dialect == "sqlite":
        every.append(table("sqlite_master", column("sql", Text)).c.sql)
    return union_all(*(select(one).where(one.is_not(None)) for one in every))


def find(patterns: set[bytes], where: bytes) -> set[bytes]:
    """Which of `patterns`, none of them empty or with a NUL, `where` has in it."""
    if len(patterns) <= FEW:
        return {pattern for pattern in patterns if pattern in where}
    by_length: defaultdict[int, list[bytes]] = defaultdict(list)
    for pattern in patterns:
        by_length[min(len(pattern), _WIDTH)].append(pattern)
    windows = _windows(where + bytes(_WIDTH))
    found: set[bytes] = set()
    for length, some in by_length.items():
        mask = np.uint64((1 << 8 * length) - 1)
        known = np.unique(windows & mask)
        possible = _among(some, 0, length, known) & _among(some, -length, length, known)
        chosen = [pattern for pattern, maybe in zip(some, possible.tolist(), strict=True) if maybe]
        # A number holds a short pattern whole; of a long one, its beginning and its end.
        found.update(chosen if length < _WIDTH else (pattern for pattern in chosen if pattern in where))
    return found


def _windows(where: bytes) -> Windows:
    """Every eight bytes that follow each other, as a number."""
    every = np.lib.stride_tricks.sliding_window_view(np.frombuffer(where, dtype=np.uint8), _WIDTH)
    return np.ascontiguousarray(every).view(np.dtype("<u8")).ravel()


def _among(patterns: list[bytes], start: int, length: int, known: Windows) -> NDArray[np.bool_]:
    """Which patterns have, `length` bytes from `start` on (negative: from the end), a number that is in `known`."""
    offsets = [start % len(pattern) for pattern in patterns]
    numbers = [
        int.from_bytes(pattern[offset : offset + length], "little")
        for pattern, offset in zip(patterns, offsets, strict=True)
    ]
    wanted = np.array(numbers, dtype=np.uint64)
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.asarray(known[places] == wanted)
