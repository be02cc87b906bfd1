"""The files of the data folder: written anew after something was erased, and looked through for what is left of it.

What this does not reach: blocks of the disk that files have given back (wiping those is the file system's matter),
copies that others made of the folder, and the write-ahead log of a PostgreSQL server.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import SimpleQueue

import numpy as np
from sqlalchemy import Text, select

from bot.domain import Finding
from bot.ports import Vectors
from bot.storage.engine.database import Database
from bot.storage.engine.syncing import told
from bot.storage.erasing.byte_scan import (
    BLOCK,
    PIECE,
    Numbers,
    Pieces,
    Positions,
    Scratch,
    ShortTexts,
    blocks_of,
    forms,
    is_of_one_byte,
    overlapping,
    pieces_of_texts,
    pieces_of_vectors,
)
from bot.storage.shared.privacy_tables import erasures
from bot.storage.vectors.files import DATABASE as CHROMA
from bot.storage.vectors.files import own_words

EXPORTS_FOLDER = "exports"
TEMPORARY = ("*.tmp", "etilqs_*")
"""Unfinished files of ours and of SQLite, in the data folder itself."""

MOST_PLACES = 1000
"""So many places of one file are reported at most."""

ROWS = 2000
"""How many rows are gone over at once."""

SEARCHERS = 2
"""How many threads go over the files: numpy computes in several at once."""

TEXT, VECTOR = "text", "vector"


class DataFolder:
    """Implements `bot.ports.Disk`."""

    def __init__(
        self, folder: Path, database: Database, remaining: Callable[[], AsyncIterator[Vectors]] | None = None
    ) -> None:
        """`remaining` gives all vectors that may be there: an erased one can have been equal to one of them."""
        self._folder = folder
        self._database = database
        self._remaining = remaining

    async def rewrite(self) -> None:
        """Rewrites the database, and removes exports and unfinished files. Raises StorageError."""
        await self._database.rewrite()
        with _gone_over(self._folder):
            await asyncio.to_thread(_remove_leftovers, self._folder)

    async def look_for(self, texts: Sequence[str], vectors: Vectors) -> list[Finding]:
        """Where any of these texts or vectors is in any file of the data folder. Raises StorageError.

        Texts of less than 8 bytes are not looked for. What is found and is also a part of a row that is there, or of a
        vector that is there, is not reported: somebody else said the same. Takes about a second for 60 MB.
        """
        wanted, hits = await self._look(texts, vectors)
        if any(found.texts or found.short for found in hits.values()):
            narrowed = wanted.of_texts(hits.values())
            await self._allow_rows(narrowed)
            await self._allow_index(narrowed)
            wanted.allowed, wanted.allowed_short = narrowed.allowed, narrowed.allowed_short
        if any(found.vectors for found in hits.values()) and self._remaining is not None:
            async for page in self._remaining():
                await asyncio.to_thread(wanted.allow_vectors, page)
        return [finding for file, found in hits.items() for finding in wanted.findings(file, found)]

    async def stands(self, texts: Sequence[str], vectors: Vectors) -> list[Finding]:
        """The same, with what is in rows and in the index: to show where everything is. Raises StorageError."""
        wanted, hits = await self._look(texts, vectors)
        return [finding for file, found in hits.items() for finding in wanted.findings(file, found)]

    async def _look(self, texts: Sequence[str], vectors: Vectors) -> tuple[_Wanted, dict[str, _Hits]]:
        with _gone_over(self._folder):
            wanted = await asyncio.to_thread(_Wanted.of, texts, vectors)
            return wanted, await asyncio.to_thread(self._scan, wanted)

    def _scan(self, wanted: _Wanted) -> dict[str, _Hits]:
        """What is found in each file where anything is. The largest files first, by several threads."""
        free: SimpleQueue[_Wanted] = SimpleQueue()
        for _ in range(SEARCHERS):
            free.put(replace(wanted, scratch=Scratch()))

        def in_file(file: Path) -> _Hits:
            mine = free.get()
            try:
                return self._in_file(file, mine)
            finally:
                free.put(mine)

        files = self._files()
        with ThreadPoolExecutor(SEARCHERS, thread_name_prefix="search") as pool:
            every = zip(files, pool.map(in_file, files), strict=True)
            found = {_relative(file, self._folder): hits for file, hits in every if hits}
        return dict(sorted(found.items()))

    def _in_file(self, file: Path, wanted: _Wanted) -> _Hits:
        hits = _Hits()
        # A file can go while others are read.
        with suppress(FileNotFoundError):
            for start, block in overlapping(self._blocks(file)):
                wanted.look(start, block, hits)
        return hits

    def _files(self) -> list[Path]:
        """All files under the folder, and those of a database that is elsewhere, the largest first. No links."""
        there = {file for file in self._folder.rglob("*") if file.is_file() and not file.is_symlink()}
        database = self._database.file
        if database is not None and not database.resolve().is_relative_to(self._folder.resolve()):
            there |= set(database.parent.glob(f"{database.name}*"))
        return sorted(there, key=_size, reverse=True)

    def _blocks(self, file: Path) -> Iterator[bytes]:
        descriptor = self._database.descriptor(file)
        if descriptor is None:
            with file.open("rb") as opened:
                while block := opened.read(BLOCK):
                    yield block
            return
        position = 0
        while block := os.pread(descriptor, BLOCK, position):
            yield block
            position += len(block)

    async def _allow_rows(self, wanted: _Wanted) -> None:
        """Passes over what stands in a text column of any table."""
        for table in erasures.metadata.sorted_tables:
            for column in table.columns:
                if not isinstance(column.type, Text):
                    continue
                async with self._database.reading() as connection:
                    rows = await connection.stream_scalars(select(column).where(column.is_not(None)))
                    async for some in rows.partitions(ROWS):
                        await asyncio.to_thread(wanted.allow_texts, some)

    async def _allow_index(self, wanted: _Wanted) -> None:
        """Passes over the words that Chroma's files hold by themselves, such as the names of its columns."""
        for file in await asyncio.to_thread(lambda: sorted(self._folder.rglob(CHROMA))):
            wanted.allow_texts(await asyncio.to_thread(own_words, file))


_NO_VECTORS: Vectors = np.empty((0, 0), np.float32)


@dataclass(slots=True)
class _Hits:
    """What was found in one file: positions, with what stands there."""

    texts: list[tuple[Positions, Numbers]] = field(default_factory=list)
    short: list[tuple[int, bytes]] = field(default_factory=list)
    vectors: list[tuple[Positions, Numbers]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.texts or self.short or self.vectors)


@dataclass(slots=True)
class _Wanted:
    """What is looked for, and what of that may stand in the files. For one thread at a time."""

    texts: Pieces
    short: ShortTexts
    vectors: Pieces
    scratch: Scratch = field(default_factory=Scratch)
    allowed: set[int] = field(default_factory=set)
    """Numbers of pieces of texts."""
    allowed_short: set[bytes] = field(default_factory=set)
    allowed_vectors: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, texts: Sequence[str], vectors: Vectors) -> _Wanted:
        once = set(texts)
        return cls(pieces_of_texts(once), ShortTexts(once), pieces_of_vectors(vectors))

    def of_texts(self, hits: Iterable[_Hits]) -> _Wanted:
        """The texts that were found."""
        there = list(hits)
        texts = self.texts.only(numbers for found in there for _, numbers in found.texts)
        short = self.short.only(form for found in there for _, form in found.short)
        return _Wanted(texts, short, pieces_of_vectors(_NO_VECTORS), self.scratch)

    def look(self, start: int, block: bytes, hits: _Hits) -> None:
        """Adds what is in `block`, which begins at `start` of its file."""
        if is_of_one_byte(block) and not self.is_in(block[: 2 * PIECE]):
            return
        for pieces, found in ((self.texts, hits.texts), (self.vectors, hits.vectors)):
            at, numbers = pieces.found(block, self.scratch)
            if len(at):
                found.append((at + start, numbers))
        hits.short += [(start + at, form) for at, form in self.short.found(block, self.scratch)]

    def is_in(self, block: bytes) -> bool:
        """Whether anything is in it."""
        pieces = (self.texts, self.vectors)
        return bool(self.short.found(block, self.scratch)) or any(
            len(one.found(block, self.scratch)[0]) for one in pieces
        )

    def allow_texts(self, rows: Iterable[str]) -> None:
        """What is in these texts may stand anywhere."""
        for form in forms("\0".join(rows)):  # all at once: no text has a NUL in it
            for block in blocks_of(form):
                self.allowed.update(np.unique(self.texts.found(block, self.scratch)[1]).tolist())
                self.allowed_short.update(found for _, found in self.short.found(block, self.scratch))

    def allow_vectors(self, vectors: Vectors) -> None:
        """These may stand anywhere."""
        for block in blocks_of(np.asarray(vectors, "<f4").tobytes()):
            self.allowed_vectors.update(self.vectors.found(block, self.scratch)[1].tolist())

    def findings(self, file: str, hits: _Hits) -> list[Finding]:
        """One for each place of the file, of what may not stand there."""
        short = np.asarray([at for at, form in hits.short if form not in self.allowed_short], np.int64)
        texts = _places([short, *_without(hits.texts, self.allowed)])
        vectors = _places(_without(hits.vectors, self.allowed_vectors))
        return [Finding(file, TEXT)] * texts + [Finding(file, VECTOR)] * vectors


def _without(hits: Iterable[tuple[Positions, Numbers]], allowed: set[int]) -> list[Positions]:
    """The positions of those that are not allowed."""
    known = np.fromiter(allowed, np.uint64, len(allowed))
    return [at[~np.isin(numbers, known)] for at, numbers in hits]


def _places(positions: Sequence[Positions]) -> int:
    """How many places these positions are, when what overlaps or lies side by side is one; MOST_PLACES at most."""
    ordered = np.unique(np.concatenate(positions)) if positions else np.empty(0, np.int64)
    return min(int((np.diff(ordered) > PIECE).sum()) + 1, MOST_PLACES) if len(ordered) else 0


def _size(file: Path) -> int:
    """Its size in bytes; 0 when it has gone meanwhile."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _relative(file: Path, folder: Path) -> str:
    return str(file.relative_to(folder)) if file.is_relative_to(folder) else str(file)


def _remove_leftovers(folder: Path) -> None:
    exports = folder / EXPORTS_FOLDER
    if exports.is_dir() and not exports.is_symlink():
        shutil.rmtree(exports)
    for pattern in TEMPORARY:
        for file in folder.glob(pattern):
            file.unlink(missing_ok=True)


def _gone_over(folder: Path) -> AbstractContextManager[None]:
    return told(f"The files in {folder} cannot be gone over", "Make them readable and writable.")
