"""Events by LD-Agent eqs 1–3, and by similarity alone, with the memory graph between them (THEANINE). No model call."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.config import Memory
from bot.domain import Edge, Event, Place, RecalledEvent, Scope, VectorKind
from bot.memory.query import Query
from bot.memory.score import score_event
from bot.memory.shelf import Shelf
from bot.memory.timeline import GraphView
from bot.ports import Events, Graph, VectorIndex

CACHED_PLACES = 64
"""For how many places at once the readable events are kept in memory."""

NOT_THERE = -2.0
"""Below every cosine: an event that has no vector yet is not eligible."""


@dataclass(slots=True)
class _Kept:
    """What may be used in a place, at one version of the tables."""

    version: int
    events: list[Event]
    shelf: Shelf
    view: GraphView | None = None
    former: tuple[list[Edge], GraphView] | None = None
    """The latest graph that was made of these events, behind its edges: there may be others since."""


class EventSearch:
    """Finds events under the audience rule that the stores apply."""

    def __init__(self, *, events: Events, graph: Graph, index: VectorIndex, memory: Memory) -> None:
        self._events = events
        self._graph = graph
        self._index = index
        self._memory = memory
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._forgotten = 0

    def forget(self) -> None:
        """Drops what is kept in memory: something has been erased, so it is all of an older version."""
        self._kept.clear()
        self._forgotten += 1

    async def best(self, query: Query, place: Place, number: int) -> list[RecalledEvent]:
        """At most `number` events with s_sem over γ, best first (LD-Agent eqs 1–3). None → an empty list."""
        shelf, semantic = await self._looked(query, place)
        return self._scored(shelf, semantic, self._best(shelf, semantic, query, number), query)

    async def nearest(self, query: Query, place: Place, number: int) -> list[RecalledEvent]:
        """The `number` events most similar to the query, best first (THEANINE, phase II-1)."""
        shelf, semantic = await self._looked(query, place)
        return self._scored(shelf, semantic, shelf.best(semantic, semantic > NOT_THERE, number), query)

    async def with_sessions(
        self, query: Query, place: Place, session_ids: Iterable[int], number: int, version: int | None = None
    ) -> tuple[list[RecalledEvent], GraphView]:
        """The events of the first `number` of these sessions that have one which may be used in `place`, in that order.

        Then those of `best` that are not among them. With them comes the memory graph of the place.
        `version`: that of the events, where it was read just now.
        """
        kept = await self._readable_in(place, version)
        shelf, semantic = kept.shelf, await self._semantic(kept.shelf, query)
        of_sessions = [shelf.of_session[one] for one in session_ids if one in shelf.of_session][:number]
        chosen = dict.fromkeys([*of_sessions, *self._best(shelf, semantic, query, number)])
        return self._scored(shelf, semantic, list(chosen), query), await self._view(kept)

    async def last_session(self, query: Query, place: Place) -> RecalledEvent | None:
        """The event of the last session in this very place."""
        shelf = (await self._readable_in(place)).shelf
        here = [event for event in shelf.events if event.place == place]
        if not here:
            return None
        last = max(here, key=lambda event: (event.time, event.id))
        similarity = await similarities(self._index, VectorKind.EVENT, {place.key}, query.vector)
        return score_event(last, similarity.get(last.id, 0.0), query.topics, query.time, self._memory.tau_s)

    async def view(self, place: Place) -> GraphView:
        """The memory graph of the events that may be used in `place`: what may not be is not in it."""
        return await self._view(await self._readable_in(place))

    async def _view(self, kept: _Kept) -> GraphView:
        if kept.view is None:
            events = kept.shelf.events
            edges = await self._graph.among([event.id for event in events])
            if kept.former is None or kept.former[0] != edges:
                kept.former = edges, await asyncio.to_thread(GraphView, events, edges)
            kept.view = kept.former[1]
        return kept.view

    async def _looked(self, query: Query, place: Place) -> tuple[Shelf, NDArray[np.float64]]:
        """The shelf of a place, and the cosine of each of its n events, shape (n,)."""
        shelf = (await self._readable_in(place)).shelf
        return shelf, await self._semantic(shelf, query)

    async def _semantic(self, shelf: Shelf, query: Query) -> NDArray[np.float64]:
        """The cosine of each of the n events of a shelf, shape (n,)."""
        semantic = np.full(len(shelf.events), NOT_THERE)
        for place_key in sorted(shelf.places):
            shelf.place(semantic, *await self._index.similarities(Scope(VectorKind.EVENT, place_key), query.vector))
        return semantic

    def _best(self, shelf: Shelf, semantic: NDArray[np.float64], query: Query, number: int) -> list[int]:
        """The positions of the `number` best events, best first (LD-Agent eqs 2 and 3)."""
        scores = shelf.scores(semantic, query.topics, query.time, self._memory.tau_s)
        return shelf.best(scores, semantic > self._memory.gamma, number)

    def _scored(
        self, shelf: Shelf, semantic: NDArray[np.float64], chosen: Sequence[int], query: Query
    ) -> list[RecalledEvent]:
        tau_s = self._memory.tau_s
        return [score_event(shelf.events[at], float(semantic[at]), query.topics, query.time, tau_s) for at in chosen]

    async def _readable_in(self, place: Place, version: int | None = None) -> _Kept:
        if version is None:
            version = await self._events.version()
        kept = self._kept.get(place.key)
        if kept is not None and kept.version == version:
            self._kept.move_to_end(place.key)
            return kept
        forgotten = self._forgotten
        events = await self._events.readable_in(place)
        if kept is not None and kept.events == events:
            # Something changed elsewhere: the events are as they were, the edges among them are read again.
            kept = _Kept(version, events, kept.shelf, former=kept.former)
        else:
            kept = _Kept(version, events, await asyncio.to_thread(Shelf, events))
        if forgotten == self._forgotten:  # else what was read may be gone by now
            self._kept[place.key] = kept
            self._kept.move_to_end(place.key)
        while len(self._kept) > CACHED_PLACES:
            self._kept.popitem(last=False)
        return kept


async def similarities(
    index: VectorIndex, kind: VectorKind, place_keys: Iterable[str], vector: NDArray[np.float32]
) -> dict[int, float]:
    """Id → cosine similarity to `vector`, over the scopes of these places of origin."""
    found: dict[int, float] = {}
    for place_key in sorted(place_keys):
        ids, cosines = await index.similarities(Scope(kind, place_key), vector)
        found.update(zip(ids.tolist(), cosines.tolist(), strict=True))
    return found
