"""What comes to mind before a reply: events by LD-Agent eqs 1–3, and the traits of those present. No model call."""

from __future__ import annotations

import asyncio
import heapq
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bot.config import Memory, Persona
from bot.domain import Place, RecalledEvent, RecalledTrait, Recollection, Scope, Trait, VectorKind
from bot.memory.score import score_event
from bot.memory.shelf import Shelf
from bot.ports import Clock, Encoder, Events, TopicExtractor, Traits, VectorIndex

CACHED_PLACES = 64
"""For how many places at once the readable events are kept in memory."""

NOT_THERE = -2.0
"""Below every cosine: an event that has no vector yet is not eligible."""


@dataclass(frozen=True, slots=True)
class Query:
    """What recall searches for: what was just said, its vector of shape (dimension,), and its topic nouns."""

    text: str
    vector: NDArray[np.float32]
    topics: frozenset[str]


class Recall:
    """Finds the memories for a reply, under the audience rule that the stores apply."""

    def __init__(
        self,
        *,
        events: Events,
        traits: Traits,
        index: VectorIndex,
        encoder: Encoder,
        topics: TopicExtractor,
        clock: Clock,
        memory: Memory,
        persona: Persona,
    ) -> None:
        self._events = events
        self._traits = traits
        self._index = index
        self._encoder = encoder
        self._topics = topics
        self._clock = clock
        self._memory = memory
        self._persona = persona
        self._readable: OrderedDict[str, tuple[int, Shelf]] = OrderedDict()

    async def query(self, text: str) -> Query:
        """Prepares a search: one run of the encoder."""
        vectors, topics = await asyncio.gather(
            self._encoder.encode([text]), asyncio.to_thread(self._topics.topics, text)
        )
        return Query(text, vectors[0], topics)

    async def recollect(
        self, query: Query, place: Place, speaker_ids: Sequence[str], *, opening: bool = False
    ) -> Recollection:
        """The best events and the traits of these speakers that may be used in `place`.

        `opening`: this is the first utterance of a session. Then, if nothing else comes to mind and the setting
        `memory.open_with_last_session` allows it, the last session of this very place does (ours: "Hi, I am back"
        resembles no memory, and a friend would ask how it went).
        """
        events = await self.events(query, place)
        if opening and not events and self._memory.open_with_last_session:
            events = await self._last_session(query, place)
        return Recollection(tuple(events), tuple(await self.traits(query, place, speaker_ids)))

    async def events(self, query: Query, place: Place) -> list[RecalledEvent]:
        """At most `memory.top_k` events with s_sem over γ, best first (LD-Agent eqs 1–3). None → an empty list."""
        shelf = await self._readable_in(place)
        if not shelf.events:
            return []
        semantic = np.full(len(shelf.events), NOT_THERE)
        for place_key in sorted(shelf.places):
            shelf.place(semantic, *await self._index.similarities(Scope(VectorKind.EVENT, place_key), query.vector))
        now = self._clock.now()
        scores = shelf.scores(semantic, query.topics, now, self._memory.tau_s)
        return [
            score_event(shelf.events[position], float(semantic[position]), query.topics, now, self._memory.tau_s)
            for position in shelf.best(scores, semantic > self._memory.gamma, self._memory.top_k)
        ]

    async def _last_session(self, query: Query, place: Place) -> list[RecalledEvent]:
        here = [event for event in (await self._readable_in(place)).events if event.place == place]
        if not here:
            return []
        last = max(here, key=lambda event: (event.time, event.id))
        similarity = await self._similarities(VectorKind.EVENT, {place.key}, query)
        semantic = similarity.get(last.id, 0.0)
        return [score_event(last, semantic, query.topics, self._clock.now(), self._memory.tau_s)]

    async def traits(self, query: Query, place: Place, speaker_ids: Sequence[str]) -> list[RecalledTrait]:
        """For each speaker in turn the `persona.top_k` current traits nearest to the query, best first."""
        readable = await self._traits.readable_in(place, speaker_ids)
        similarity = await self._similarities(VectorKind.TRAIT, {trait.place.key for trait in readable}, query)
        return [
            recalled
            for speaker_id in speaker_ids
            for recalled in self._nearest((trait for trait in readable if trait.speaker_id == speaker_id), similarity)
        ]

    def _nearest(self, traits: Iterable[Trait], similarity: dict[int, float]) -> list[RecalledTrait]:
        scored = (RecalledTrait(trait, similarity.get(trait.id, 0.0)) for trait in traits)
        return heapq.nlargest(self._persona.top_k, scored, key=lambda recalled: (recalled.score, recalled.trait.id))

    async def _readable_in(self, place: Place) -> Shelf:
        version = await self._events.version()
        cached = self._readable.get(place.key)
        if cached is not None and cached[0] == version:
            self._readable.move_to_end(place.key)
            return cached[1]
        shelf = Shelf(await self._events.readable_in(place))
        self._readable[place.key] = (version, shelf)
        while len(self._readable) > CACHED_PLACES:
            self._readable.popitem(last=False)
        return shelf

    async def _similarities(self, kind: VectorKind, place_keys: Iterable[str], query: Query) -> dict[int, float]:
        """Id → cosine similarity over the scopes of these places of origin."""
        found: dict[int, float] = {}
        for place_key in sorted(place_keys):
            ids, cosines = await self._index.similarities(Scope(kind, place_key), query.vector)
            found.update(zip(ids.tolist(), cosines.tolist(), strict=True))
        return found
