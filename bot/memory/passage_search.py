"""The shelves of the places that are talked in, brought up to the tables before each search.

A shelf holds exactly what the audience rule lets be used in its place: the store says which passages those are, and
whatever is not among them any more, because it was erased or because fewer may read it, leaves the shelf before
anything is looked for.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
import structlog
from numpy.typing import NDArray

from bot.domain import Passage, Place, Scope, VectorKind, grouped
from bot.errors import IndexUnusable
from bot.memory.passage_shelf import PassageShelf
from bot.ports import Passages, PassagesVersion, VectorIndex

CACHED_PASSAGES = 200_000
"""How many passages are kept in memory over all places: about 2 KB each. One place may have more alone."""

MOST_MISSING = 2000
"""Vectors that one search asks for again, while they are being made."""

PAGE = 2000
"""How many passages are read at once, so that others come in between."""


_log = structlog.get_logger(__name__)

NEVER = PassagesVersion(-1, 0)
"""Before the first look at the tables."""


@dataclass
class _Kept:
    """A shelf with the version of the tables that it shows."""

    shelf: PassageShelf = field(default_factory=PassageShelf)
    version: PassagesVersion = NEVER
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    scopes: dict[int, Scope] = field(default_factory=dict)
    """Of passages without a vector: where it will be."""
    has_all: bool = False
    """Whether all vectors that there were have been read once; those that are missing since are not made yet."""


class PassageSearch:
    """Hands out shelves."""

    def __init__(self, *, passages: Passages, index: VectorIndex) -> None:
        self._passages = passages
        self._index = index
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    @asynccontextmanager
    async def shelf(self, place: Place, version: PassagesVersion | None = None) -> AsyncIterator[PassageShelf]:
        """The shelf of a place as it is now, for the caller alone; `version`: of just now. Raises IndexUnusable."""
        kept = self._kept.setdefault(place.key, _Kept())
        self._kept.move_to_end(place.key)
        try:
            async with kept.lock:
                await self._bring_up(kept, place, version or await self._passages.version())
                yield kept.shelf
        finally:
            self._make_room()

    def forget(self, utterances: Collection[int]) -> frozenset[int]:
        """Drops the shelves that hold any of these utterances, which have been erased; returns their passages' ids.

        A shelf that is in use goes with its use.
        """
        gone = np.fromiter(utterances, dtype=np.int64, count=len(utterances))
        found: set[int] = set()
        for key, kept in list(self._kept.items()):
            here = np.isin(kept.shelf.utterances, gone)
            if here.any():
                found.update(kept.shelf.ids[here].tolist())
                del self._kept[key]
        return frozenset(found)

    def forget_all(self) -> None:
        """Drops all shelves: somebody goes by another id."""
        self._kept.clear()

    async def _bring_up(self, kept: _Kept, place: Place, version: PassagesVersion) -> None:
        shelf = kept.shelf
        if version.audience != kept.version.audience:
            ids = await self._passages.readable_in(place)
            if not np.array_equal(ids, shelf.ids):
                stays = np.isin(shelf.ids, ids)
                if not stays.all():
                    await asyncio.to_thread(shelf.keep, stays)
                await self._add(kept, place, ids)
        elif version.latest != kept.version.latest:
            await self._add(kept, place, await self._passages.readable_in(place, kept.version.latest))
        kept.version = version
        await self._fetch_vectors(kept)

    async def _add(self, kept: _Kept, place: Place, ids: NDArray[np.int64]) -> None:
        """Adds those that are not there yet: some may have come after the version was read, or before an error."""
        new = ids[~np.isin(ids, kept.shelf.ids)]
        for start in range(0, len(new), PAGE):
            found = await self._passages.get(new[start : start + PAGE].tolist(), place)
            kept.scopes.update((one.id, scope_of(one)) for one in found)
            await asyncio.to_thread(kept.shelf.add, found, {})

    async def _fetch_vectors(self, kept: _Kept) -> None:
        """Gets the vectors that are missing, those of the latest passages first. Without the index, words must do."""
        missing = np.sort(kept.shelf.without_vector)[::-1]
        if kept.has_all and len(missing) > MOST_MISSING:
            missing = missing[:MOST_MISSING]
        for scope, ids in grouped((kept.scopes[passage_id], passage_id) for passage_id in missing.tolist()).items():
            try:
                there, vectors = await self._index.load(scope, ids)
            except IndexUnusable as error:
                _log.error("looking for memories by words alone: the index cannot be used", reason=str(error))
                return
            await asyncio.to_thread(kept.shelf.put_vectors, dict(zip(there.tolist(), vectors, strict=True)))
        kept.has_all = True
        left = set(kept.shelf.without_vector.tolist())
        kept.scopes = {key: scope for key, scope in kept.scopes.items() if key in left}

    def _make_room(self) -> None:
        held = sum(len(kept.shelf) for kept in self._kept.values())
        for key, kept in list(self._kept.items())[:-1]:
            if held <= CACHED_PASSAGES:
                return
            if not kept.lock.locked():
                held -= len(kept.shelf)
                del self._kept[key]


def scope_of(passage: Passage) -> Scope:
    """Where the vector of a passage is: with all others of its place of origin."""
    return Scope(VectorKind.PASSAGE, passage.utterance.place.key)
