"""Events are linked into the memory graph when they are new (THEANINE phase I). Done in the background.

A new event is compared with the older ones that may be used in its place, and with no other: what it is linked with
comes of nothing that its readers may not read. Which edges are shown where is decided again whenever they are read.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

import structlog

from bot.config import Memory
from bot.domain import ChatMessage, Edge, Event, GenerationRequest, Job, Priority, Relation, Role, Scope, VectorKind
from bot.errors import MalformedOutput
from bot.indexing.indexing import Indexer
from bot.language.untrusted import as_words
from bot.memory.event_search import similarities
from bot.memory.events import LONGEST_LINE, PROMPT_SHARE, labels_of
from bot.memory.relating import VAGUE, connect
from bot.memory.score import topic_overlap
from bot.memory.timeline import GraphView
from bot.memory.told import Sentences, Told
from bot.ports import ChatModel, Events, Graph, VectorIndex
from bot.prompting.asking import Form, ask, trusted
from bot.prompting.templates import render

SAME_COSINE = 0.65
"""Cosine of two events' vectors from which the rules say that their topic is the same, whatever is named."""

NAMED_COSINE = 0.5
"""From here they do if both summaries name something that was talked about both times, …"""

SAME_OVERLAP = 0.35
"""… and from LOOSE_COSINE if the topic overlap (LD-Agent eq. 1) of both whole talks is so high, too, …"""

SHARED_TOPICS = 3
"""… and so many topics are shared: one noun of two in a very short session is chance."""

LOOSE_COSINE = 0.3
"""Below it nothing is the same: people who talk much share many nouns that are about nothing."""

ANSWER_TOKENS = 12
"""Room for one label. An answer that goes on is no label."""

_NAMES = {relation.value.replace("_", ""): relation for relation in Relation} | {"none": None}
_LABEL = re.compile(r"(?<![\W_])[\W_]*+([A-Za-z](?:[A-Za-z\s_\-]*[A-Za-z])?)[\W_]*")

_WORD = re.compile(r"\w+")

_log = structlog.get_logger(__name__)


class Related(Form):
    """How two events are related."""

    relation: Literal["Changed", "Cause", "Reason", "HinderedBy", "React", "Want", "SameTopic", "None"]


@dataclass(kw_only=True, eq=False, repr=False)
class Linker:
    """Does the LINK jobs.

    With `memory.timelines.linker: auto` the model says how events are related where it follows instructions, and the
    rules of `same_topic` where it does not. The rules are `by_rules`: what two sentences of one speaker
    say by a cue word, or that a topic is the same.
    """

    events: Events
    graph: Graph
    sentences: Sentences
    index: VectorIndex
    indexer: Indexer
    model: ChatModel | None
    memory: Memory
    deadline: timedelta
    """Of one answer of the model."""

    def __post_init__(self) -> None:
        self.model = linking_model(self.model, self.memory)

    async def run(self, job: Job) -> int:
        """Links the event `job.subject` with older ones; returns the model tokens used.

        Links that it has stay, and it gets none into a component that one of them leads to. Raises ModelError and
        IndexUnusable: try again later.
        """
        found = await self.events.get([job.subject])
        edges: list[Edge] = []
        tokens = 0
        if found:
            await self.indexer.catch_up(passages=False)
            edges, tokens = await self._edges_of(found[0])
        new = await self.graph.link(job.id, edges)
        _log.debug("linked", job=job.id, edges=new)
        return tokens

    async def _edges_of(self, event: Event) -> tuple[list[Edge], int]:
        readable = await self.events.readable_in(event.place)
        older = [other for other in readable if (other.time, other.id) < (event.time, event.id)]
        similarity = await self._similarities(event, older)
        near = nearest(similarity, older, self.memory.timelines.candidates)
        if not near:
            return [], 0
        edges = await self.graph.among([event.id, *(other.id for other in older)])
        view = await asyncio.to_thread(GraphView, older, edges)
        linked = {view.component_of(edge.older) for edge in edges if edge.newer == event.id}
        related: dict[int, Relation] = {}
        tokens = 0
        for other in near:
            if view.component_of(other.id) in linked:
                continue
            relation, used = await self._relation(other, event, similarity[other.id])
            tokens += used
            if relation is not None:
                related[other.id] = relation
        return edges_to(event.id, related, view), tokens

    async def _similarities(self, event: Event, older: Sequence[Event]) -> dict[int, float]:
        """Event id → cosine similarity to `event`, of those that have vectors; empty when it has none itself."""
        _, vectors = await self.index.load(Scope(VectorKind.EVENT, event.place.key), [event.id])
        if not len(vectors):
            return {}
        places, wanted = {other.place.key for other in older}, {other.id for other in older}
        found = await similarities(self.index, VectorKind.EVENT, places, vectors[0])
        return {key: cosine for key, cosine in found.items() if key in wanted}

    async def _relation(self, older: Event, newer: Event, cosine: float) -> tuple[Relation | None, int]:
        if self.model is None:
            told = await self.sentences.of(older), await self.sentences.of(newer)
            return await asyncio.to_thread(by_rules, older, newer, cosine, *told), 0
        conversations = [await self._conversation(event) for event in (older, newer)]
        request = request_for(self.model, older, newer, conversations, self.deadline)
        answer = await ask(self.model, request, parse_relation, "link", Related)
        return answer.value, answer.tokens

    async def _conversation(self, event: Event) -> list[str]:
        """What was said, a line each, without what nothing is remembered of."""
        shown = await self.sentences.lines(event)
        labels = labels_of(shown)
        names = tuple(labels.values())
        return [f"{labels[line.speaker.id]}: {as_words(line.text[:LONGEST_LINE], names)}" for line in shown]


def by_rules(older: Event, newer: Event, cosine: float, was: Told, now: Told) -> Relation | None:
    """How two events are related by their people's words, or by their topics. `cosine`: of their vectors."""
    if was.said and now.said:
        found = connect(was.said, now.said, was.vectors @ now.vectors.T, (older.time, newer.time))
        if found is not None and found.relation is not None:
            return found.relation
    return same_topic(older, newer, cosine)


def linking_model(model: ChatModel | None, memory: Memory) -> ChatModel | None:
    """The model that is asked how events are related; None: the rules say it."""
    return None if memory.timelines.linker == "rules" else trusted(model, memory.timelines.linker)


def nearest(similarity: Mapping[int, float], events: Sequence[Event], number: int) -> list[Event]:
    """M_a: the `number` events most similar by text, best first; of equal ones the newer. Without vectors: none."""
    there = [event for event in events if event.id in similarity]
    return sorted(there, key=lambda event: (similarity[event.id], event.time, event.id), reverse=True)[:number]


def edges_to(event_id: int, related: Mapping[int, Relation], view: GraphView) -> list[Edge]:
    """The edges of a new event (eqs 6–8): in each connected component from the most recent of those related to it.

    `related`: M*_a, event id → its relation; all of them are in `view`, the graph before the new event.
    """
    in_order = sorted(related, key=lambda key: (view.events[key].time, key))
    chosen = {view.component_of(key): key for key in in_order}
    return [Edge(key, event_id, related[key]) for key in sorted(chosen.values())]


def same_topic(older: Event, newer: Event, cosine: float) -> Relation | None:
    """SAME_TOPIC where two events are clearly about the same, else None. `cosine`: of their vectors.

    Two summaries are alike in tone and form as often as in topic, so what is shared has to be named in both of them
    unless they are very much alike. On the 128 sessions of five LoCoMo conversations, summarised in their own words,
    with all-MiniLM-L6-v2, this joins 0.3 % of 6,478 pairs of sessions of different people, which have nothing to do
    with each other, and 5 % of 1,650 pairs within a conversation.
    """
    if cosine < LOOSE_COSINE:
        return None
    shared = len(older.topics & newer.topics)
    much = shared >= SHARED_TOPICS and topic_overlap(newer.topics, older.topics) >= SAME_OVERLAP
    alike = cosine >= SAME_COSINE or ((cosine >= NAMED_COSINE or much) and bool(named_in_both(older, newer)))
    return Relation.SAME_TOPIC if alike else None


def named_in_both(older: Event, newer: Event) -> frozenset[str]:
    """The topics of both events that both summaries name, in singular or plural.

    Without people's names, which stand before all that they said, and what is VAGUE.
    """
    sides = (older, newer)
    people = {word.casefold() for event in sides for _, name in event.names for word in name.split()}
    said = [(event.summary.casefold(), frozenset(_WORD.findall(event.summary.casefold()))) for event in sides]

    def named(noun: str) -> bool:
        forms = {noun, f"{noun}s", f"{noun}es", f"{noun[:-1]}ies"}
        # Many scripts have no spaces between words.
        return all(words & forms or (not noun.isascii() and noun in text) for text, words in said)

    nouns = (older.topics & newer.topics) - VAGUE
    return frozenset(noun for noun in nouns if named(noun) and not any(name.startswith(noun) for name in people))


def parse_relation(text: str) -> Relation | None:
    """The relation that a model's answer names, or None where it says "None". Raises MalformedOutput.

    It is one of the eight words and nothing else; case, spaces, hyphens and marks around it do not matter.
    """
    found = _LABEL.fullmatch(text)
    name = re.sub(r"[\s_\-]", "", found[1]).lower() if found else ""
    if name not in _NAMES:
        raise MalformedOutput("no relation" if text.strip() else "empty")
    return _NAMES[name]


def request_for(
    model: ChatModel, older: Event, newer: Event, conversations: Sequence[Sequence[str]], deadline: timedelta
) -> GenerationRequest:
    """The question how two events are related (eq. 6), with as much of their conversations as the model follows well.

    `conversations`: of the older and of the newer event, a line each utterance. They lose their first lines, the longer
    one first; the events themselves stay.
    """
    limit = int(model.description.comfortable_tokens * PROMPT_SHARE)
    lines = [list(conversation) for conversation in conversations]
    schema = Related.schema_for(model)
    system = ChatMessage(Role.SYSTEM, render("link_system"))
    while True:
        sides = [
            {"when": f"{event.time.day} {event.time:%B %Y}", "summary": as_words(event.summary), "lines": said}
            for event, said in zip((older, newer), lines, strict=True)
        ]
        user = render("link", older=sides[0], newer=sides[1], json=schema is not None)
        messages = (system, ChatMessage(Role.USER, user))
        over = model.count_tokens(messages) - limit
        longer = max(lines, key=len)
        if over <= 0 or not longer:
            return GenerationRequest(
                messages, max_tokens=ANSWER_TOKENS, priority=Priority.BACKGROUND, deadline=deadline, schema=schema
            )
        del longer[: max(1, len(longer) * over // (2 * (limit + over)))]
