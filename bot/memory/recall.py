"""What comes to mind before a reply, in the way that `memory.recall` names. No model call.

`ld-agent`: events by eqs 1–3. `theanine`: the events most similar to what was just said, with the timelines through
them. `keynext`: fragments of past dialogues by their similarity. `fused`, ours: fragments, events and timelines by one
estimate of how likely each is to help (`fused.py`). Traits of those present come along in every way.
"""

import asyncio
import heapq
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from bot.config import Memory, Persona
from bot.domain import (
    Fragment,
    Place,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Timeline,
    Trait,
    VectorKind,
)
from bot.memory.event_search import EventSearch, similarities
from bot.memory.fragments import LONGEST_QUOTE, Key, best_first, fill, joined, shown_of
from bot.memory.fused import LEAST, Fused
from bot.memory.joining import within_budget
from bot.memory.keynext import KeyNext
from bot.memory.passage_search import PassageSearch
from bot.memory.passage_shelf import PassageShelf
from bot.memory.query import Query
from bot.memory.timeline import GraphView, timelines_through
from bot.ports import Clock, Encoder, Events, Graph, Passages, PassagesVersion, TopicExtractor, Traits, VectorIndex

MOST_KEYS = 64
"""Keys that are looked at for filling a budget."""

LEAST_SHARE = 0.05
"""What is shown is at least so likely to help, as a share of the best: the rest would only fill the prompt."""

LEAST_OF_TIMELINE = 0.1
"""How likely to help an event is at least, through which a timeline is told."""


def rough_tokens(text: str) -> int:
    """About how many tokens a text has: a word of English is 4/3 of them, a character of Chinese about half of one."""
    return 4 + max(len(text.split()) * 4 // 3, len(text.encode()) // 6)


class Recall:
    """Finds the memories for a reply, under the audience rule that the stores apply."""

    def __init__(
        self,
        *,
        events: Events,
        traits: Traits,
        passages: Passages,
        graph: Graph,
        index: VectorIndex,
        encoder: Encoder,
        topics: TopicExtractor,
        clock: Clock,
        memory: Memory,
        persona: Persona,
    ) -> None:
        self._traits = traits
        self._passages = passages
        self._index = index
        self._encoder = encoder
        self._topics = topics
        self._clock = clock
        self._memory = memory
        self._persona = persona
        self._events = EventSearch(events=events, graph=graph, index=index, memory=memory)
        self._search = PassageSearch(passages=passages, index=index)
        self._fused = Fused(encoder=encoder, passages=passages, settings=memory.fused)
        self._keynext = KeyNext(encoder=encoder, passages=passages)

    async def query(self, text: str, speaker_id: str = "", before: Sequence[str] = ()) -> Query:
        """Prepares a search for what `speaker_id` has just said, after `before`: one run of the encoder."""
        vectors, topics = await asyncio.gather(
            self._encoder.encode([text]), asyncio.to_thread(self._topics.topics, text)
        )
        return Query(text, vectors[0], topics, speaker_id, self._clock.now(), tuple(before))

    async def recollect(
        self, query: Query, place: Place, speaker_ids: Sequence[str], *, opening: bool = False
    ) -> Recollection:
        """What may be used in `place`, with the traits of these speakers. Raises IndexUnusable.

        `opening`: this is the first utterance of a session. Then, if nothing else comes to mind and the setting
        `memory.open_with_last_session` allows it, the last session of this very place does (ours: "Hi, I am back"
        resembles no memory, and a friend would ask how it went).
        """
        found = await self._memories(query, place)
        ours = self._memory.recall in {"fused", "ld-agent"}
        if ours and opening and found == Recollection() and self._memory.open_with_last_session:
            last = await self._events.last_session(query, place)
            found = Recollection(events=(last,) if last is not None else ())
        found = replace(found, traits=tuple(await self.traits(query, place, speaker_ids)))
        if self._memory.recall != "fused":
            return found
        return within_budget(found, self._memory.budget_tokens, self._quoted)

    def forget(self, utterances: Collection[int]) -> None:
        """Drops what is kept in memory of these utterances, which have been erased, and of what came from them."""
        passages = self._search.forget(utterances)
        self._fused.forget(passages)
        self._keynext.forget(passages)
        self._events.forget()

    def forget_people(self) -> None:
        """Drops what is kept in memory of who is who: identities were linked or parted."""
        self._search.forget_all()

    async def events(self, query: Query, place: Place) -> list[RecalledEvent]:
        """At most `memory.top_k` events with s_sem over γ, best first (LD-Agent eqs 1–3)."""
        return await self._events.best(query, place, self._memory.top_k)

    async def traits(self, query: Query, place: Place, speaker_ids: Sequence[str]) -> list[RecalledTrait]:
        """For each speaker in turn the `persona.top_k` current traits nearest to the query, best first."""
        readable = await self._traits.readable_in(place, speaker_ids)
        places = {trait.place.key for trait in readable}
        similarity = await similarities(self._index, VectorKind.TRAIT, places, query.vector)
        return [
            recalled
            for speaker_id in speaker_ids
            for recalled in self._nearest((trait for trait in readable if trait.speaker_id == speaker_id), similarity)
        ]

    async def _memories(self, query: Query, place: Place) -> Recollection:
        way = self._memory.recall
        if way == "ld-agent":
            return Recollection(events=tuple(await self.events(query, place)))
        if way == "theanine":
            nearest = await self._events.nearest(await self._of_dialogue(query), place, self._memory.timelines.top_k)
            view = await self._events.view(place)
            return Recollection(timelines=tuple(await self._timelines(nearest, view)))
        version = await self._passages.version()
        found = await self._fragments(query, place, version)
        if found is None:
            return Recollection()
        fragments, sessions = found
        if way == "keynext":
            return Recollection(fragments=tuple(fragments))
        return await self._joined(query, place, fragments, sessions, version.events)

    async def _of_dialogue(self, query: Query) -> Query:
        """The query with the vector of the current dialogue, by which THEANINE retrieves."""
        vectors = await self._encoder.encode([" ".join([*query.before, query.text])])
        return replace(query, vector=vectors[0])

    async def _joined(
        self, query: Query, place: Place, fragments: Sequence[Fragment], sessions: dict[int, float], version: int
    ) -> Recollection:
        """Fragments, and the events of the sessions that they are of, or that the paper's way finds, with timelines.

        An event is as likely to help as the best that was said in it.
        """
        most = self._memory.top_k
        in_order = sorted(sessions, key=lambda one: -sessions[one])
        events, view = await self._events.with_sessions(query, place, in_order, most, version)
        events = [replace(one, score=max(sessions.get(one.event.session_id, 0.0), _likely(one))) for one in events]
        events = heapq.nlargest(most, events, key=lambda one: one.score)
        likely = [one for one in events if one.score >= LEAST_OF_TIMELINE]
        timelines = telling_more(await self._timelines(likely, view))
        events = [replace(one, outdated=one.event.id in view.changed) for one in events]
        return Recollection(events=tuple(events), timelines=tuple(timelines), fragments=tuple(fragments))

    async def _timelines(self, retrieved: Sequence[RecalledEvent], view: GraphView) -> list[Timeline]:
        """The raw timelines through these events, each as likely to help as its event."""
        scores = {one.event.id: one.score for one in retrieved}
        events = [one.event for one in retrieved]
        found = await asyncio.to_thread(timelines_through, view, events, self._memory.timelines.samples)
        return [
            replace(one, score=scores.get(one.through, 0.0), outdated=view.changed & {event.id for event in one.events})
            for one in found
        ]

    async def _fragments(
        self, query: Query, place: Place, version: PassagesVersion
    ) -> tuple[list[Fragment], dict[int, float]] | None:
        """The fragments that fit best, and of each session that something was found in the best score.

        None when `fused` thinks that nothing that was said is relevant; of summaries alone it does not know.
        """
        settings = self._memory.fragments
        async with self._search.shelf(place, version) as shelf:
            if not len(shelf):
                return [], {}
            keys = await self._keys(shelf, query)
            if not keys:
                return None
            shown = [(key, shown_of(shelf, key, settings.value)) for key in keys]
            positions = sorted({at for _, line in shown for at in line})
            ids = shelf.ids[positions].tolist()
            found = {one.id: one.utterance for one in await self._passages.get(ids, place)}
            said = {at: found[key] for at, key in zip(positions, ids, strict=True) if key in found}
            taken = fill(shown, said, self._memory.budget_tokens, self._quoted)
            sessions: dict[int, float] = {}
            for key in keys:
                sessions.setdefault(int(shelf.sessions[key.positions[-1]]), key.score)
            return joined(shelf, taken, said), sessions

    def _quoted(self, text: str) -> int:
        """The tokens of a text as it is quoted."""
        return rough_tokens(text[:LONGEST_QUOTE])

    async def _keys(self, shelf: PassageShelf, query: Query) -> list[Key]:
        if self._memory.recall == "keynext":
            return await self._keynext.keys(shelf, query, self._memory.fragments.length, MOST_KEYS)
        scored = await self._fused.score(shelf, query)
        if scored.relevance < self._memory.fused.threshold:
            return []
        best = float(scored.likely.max())
        chosen = best_first(scored.likely, self._memory.fused.top_k, max(LEAST, LEAST_SHARE * best))
        # The best is as likely to help as anything is relevant at all: on one scale with events and traits.
        return [Key((int(at),), float(scored.likely[at]) * scored.relevance / best) for at in chosen]

    def _nearest(self, traits: Iterable[Trait], similarity: dict[int, float]) -> list[RecalledTrait]:
        scored = (RecalledTrait(trait, similarity.get(trait.id, 0.0)) for trait in traits)
        return heapq.nlargest(self._persona.top_k, scored, key=lambda recalled: (recalled.score, recalled.trait.id))


def telling_more(timelines: Sequence[Timeline]) -> list[Timeline]:
    """Those that tell at least two events which none before them tells."""
    told: set[int] = set()
    kept: list[Timeline] = []
    for one in timelines:
        new = {event.id for event in one.events} - told
        if len(new) > 1:
            kept.append(one)
            told |= new
    return kept


def _likely(recalled: RecalledEvent) -> float:
    """How likely an event is to help, by its summary alone: a rough line through 0 at no and 1 at full similarity."""
    return float(np.clip(recalled.semantic, 0.0, 1.0)) ** 2
