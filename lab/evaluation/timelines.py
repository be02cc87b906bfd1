"""`lab evaluate timelines`: what is linked in the memory graph, for people to judge.

LoCoMo's conversations are told to the whole core, each in a channel of its own. Sessions are summarised in people's own
words, so events are the same whoever links them, and the order in which they are drawn depends on the seed alone: the
rules' timelines and a model's go through the same events, as far as both have linked them with something. Printed are
the raw timelines as a prompt shows them; with `out` they are in a file with room for a judgement of each link.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console

from bot.app.app import open_app
from bot.app.assembly import Engines
from bot.clock import ManualClock
from bot.config import Settings
from bot.domain import (
    ChatMessage,
    Chunk,
    Edge,
    Event,
    GenerationRequest,
    ModelDescription,
    Relation,
    Scope,
    Timeline,
    VectorKind,
)
from bot.errors import BadInput, MalformedOutput
from bot.llm.embedding import load_encoder
from bot.memory.graph import Related, nearest, parse_relation, same_topic
from bot.memory.timeline import GraphView, render_timeline
from bot.memory.topics import load_topics
from bot.persona.gate import TrainedTraitGate
from bot.ports import ChatModel, VectorIndex
from bot.prompting.asking import RETRY_TEMPERATURE
from bot.prompting.templates import render
from bot.texts import timelines as words
from lab.evaluation.locomo_asking import lines_of
from lab.evaluation.rehearsal import load_engines
from lab.evaluation.report import EvaluationReport, Grid, Json, progress_bar, show, write
from lab.evaluation.structured import either
from lab.evaluation.telling import tell
from lab.replay.input import PLATFORM
from lab.silent import SilentMessenger

LINKERS = ("rules", "model")
NONE, UNREADABLE = "none", "no label"
"""What a pair of events can be beside the relations: unrelated, or the model's answers had no label, twice."""
SHORTEST = 2
"""Events of a timeline: one that stands alone has no link to judge."""
JUDGEMENT: Mapping[str, Json] = {"judged": "", "none_would_be_right": None, "why": ""}
"""What a judge fills in for each link; `judged` is right, defensible or wrong."""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for. `conversations`: how many files are told, None: all. `count`: timelines to judge."""

    data: Path
    conversations: int | None = None
    count: int = 20
    seed: int = 0
    linker: str = "rules"
    out: Path | None = None


@dataclass(frozen=True, slots=True)
class Linked:
    """A conversation that was told, and the graph of it. `events`: in order of time."""

    name: str
    events: tuple[Event, ...]
    edges: tuple[Edge, ...]
    pairs: Mapping[str, int]
    """How many pairs of events that were compared are said to be what: a relation, NONE or UNREADABLE."""
    answers: Mapping[str, int]
    """A model's answers that no label could be read from → how often it gave them; the likeliest and the second try."""
    asked: int = 0
    """Answers of a model in all."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A timeline to judge. `lines`: as a prompt shows it the day after the conversation's end."""

    linked: Linked
    timeline: Timeline
    lines: tuple[str, ...]


async def run(settings: Settings, options: Options, *, engines: Engines | None = None) -> int:
    """Tells, prints the timelines and the table, and writes the file. `engines`: others than configured, for tests.

    Raises BadInput, and ModelUnavailable when the model is to link and there is none.
    """
    console = Console(highlight=False, width=140)
    report, drawn = await measure(settings, options, console, engines=engines)
    for number, one in enumerate(drawn, start=1):
        console.print(f"{number}. {one.linked.name}", style="italic", markup=False)
        for line in one.lines:
            console.print(f"   {line}", markup=False)
        console.print()
    show(report, console)
    for path in write(report, options.out, None):
        console.print(f"Written: {path}", markup=False)
    return 0


async def measure(
    settings: Settings, options: Options, console: Console, *, engines: Engines | None = None
) -> tuple[EvaluationReport, list[Drawn]]:
    """Tells the conversations one after the other, and draws. Raises BadInput and ModelUnavailable."""
    if options.linker not in LINKERS:
        raise BadInput(f"--linker {options.linker} is not known. Known: {', '.join(LINKERS)}.")
    files = sorted((options.data / "locomo").glob("*.json"))[: options.conversations]
    if not files:
        raise BadInput(f"There are no LoCoMo conversations in {options.data / 'locomo'}. Give the folder above it.")
    graphs: list[Linked] = []
    async with _engines(settings, options, engines) as loaded:
        with progress_bar(console) as progress:
            bar = progress.add_task("Telling", total=len(files))
            for path in files:
                graphs.append(await told(path, settings, options.linker, loaded))
                progress.advance(bar)
    drawn = draw(graphs, options.count, options.seed)
    return report_of(graphs, drawn, options), drawn


async def told(path: Path, settings: Settings, linker: str, engines: Engines) -> Linked:
    """The graph that the core has made when the conversation in the file is over and all is linked. Raises BadInput."""
    lines = lines_of(path)
    clock = ManualClock(lines[0].time)
    model = Noting(engines.model) if linker == "model" and engines.model is not None else None
    inside = _inside(settings, linker)
    with TemporaryDirectory(prefix="hello-again-timelines-") as folder:
        async with open_app(
            inside.in_folder(Path(folder)),
            clock=clock,
            messengers={PLATFORM: SilentMessenger()},
            with_model=False,
            model=model,
            encoder=engines.encoder,
            topics=engines.topics,
            gate=engines.gate,
        ) as app:
            await app.prepare()
            await tell(app, clock, (line.utterance for line in lines))
            place = lines[0].place
            known = sorted(await app.stores.events.readable_in(place), key=lambda one: (one.time, one.id))
            edges = await app.stores.graph.among([event.id for event in known])
            if model is not None:
                return Linked(
                    path.stem, tuple(known), tuple(edges), model.pairs(), model.unreadable(), len(model.notes)
                )
            candidates = inside.memory.timelines.candidates
            pairs = await by_rules(known, app.stores.index, candidates)
            return Linked(path.stem, tuple(known), tuple(edges), pairs, {})


async def by_rules(events: Sequence[Event], index: VectorIndex, candidates: int) -> Counter[str]:
    """What the rules say of all pairs that are compared: of each event, in order, with the most similar older ones.

    The events are of one place. More pairs are related than there are edges: of those that hang together already, a new
    event is linked with one.
    """
    found: Counter[str] = Counter()
    if not events:
        return found
    ids, vectors = await index.load(Scope(VectorKind.EVENT, events[0].place.key), [event.id for event in events])
    cosines = np.asarray(vectors @ vectors.T)
    position = {int(key): at for at, key in enumerate(ids)}
    for number, event in enumerate(events):
        if event.id not in position:
            continue
        row = cosines[position[event.id]]
        similarity = {old.id: float(row[position[old.id]]) for old in events[:number] if old.id in position}
        for old in nearest(similarity, events[:number], candidates):
            relation = same_topic(old, event, similarity[old.id])
            found[NONE if relation is None else relation.value] += 1
    return found


class Noting:
    """A model whose answers about relations are noted."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner = inner
        self._system = ""
        self.notes: list[tuple[GenerationRequest, str]] = []
        """What was asked about a pair and the whole answer, in order."""

    @property
    def description(self) -> ModelDescription:
        """That of the model."""
        return self._inner.description

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """As the model counts."""
        return self._inner.count_tokens(messages)

    async def stream(self, request: GenerationRequest) -> AsyncIterator[Chunk]:
        """The model's answer; one that is stopped early is not noted."""
        pieces: list[str] = []
        async for chunk in self._inner.stream(request):
            pieces.append(chunk.text)
            yield chunk
        self._system = self._system or render("link_system")
        if request.messages[0].content == self._system:
            self.notes.append((request, "".join(pieces)))

    async def aclose(self) -> None:
        """Nothing: whoever opened the model closes it."""

    def pairs(self) -> Counter[str]:
        """What each pair is said to be: the label that was read in the first or the second answer, or UNREADABLE."""
        found: Counter[str] = Counter()
        for request, answer in self.notes:
            label = label_of(answer)
            if label != UNREADABLE or request.temperature == RETRY_TEMPERATURE:
                found[label] += 1
        return found

    def unreadable(self) -> Counter[str]:
        """The answers that no label could be read from, on one line each."""
        return Counter(" ".join(text.split()) for _, text in self.notes if label_of(text) == UNREADABLE)


def label_of(answer: str) -> str:
    """What a model's answer says of a pair: a relation's value, NONE, or UNREADABLE."""
    try:
        relation = parse_relation(either(Related, answer))
    except MalformedOutput:
        return UNREADABLE
    return NONE if relation is None else relation.value


def draw(graphs: Sequence[Linked], count: int, seed: int) -> list[Drawn]:
    """At most `count` different raw timelines of at least SHORTEST events, one through each event that is drawn.

    The events are drawn from all conversations, in an order that depends on them and on `seed`, and on no link.
    """
    order = [(at, event.id) for at, linked in enumerate(graphs) for event in linked.events]
    random.Random(seed).shuffle(order)  # noqa: S311 - repeatable, not secret
    views = [GraphView(linked.events, linked.edges) for linked in graphs]
    found: dict[tuple[int, tuple[int, ...]], Drawn] = {}
    for at, event_id in order:
        for timeline in views[at].timelines(event_id, 1):
            key = (at, tuple(event.id for event in timeline.events))
            if len(timeline.events) >= SHORTEST and key not in found and len(found) < count:
                found[key] = _drawn(graphs[at], views[at], timeline)
    return list(found.values())


def report_of(graphs: Sequence[Linked], drawn: Sequence[Drawn], options: Options) -> EvaluationReport:
    """The table of relations, and all that was drawn for the file."""
    kinds = (*(relation.value for relation in Relation), NONE, UNREADABLE)
    pairs = Counter[str]()
    for linked in graphs:
        pairs.update(linked.pairs)
    edges = Counter(edge.relation.value for linked in graphs for edge in linked.edges)
    total, asked = pairs.total(), sum(linked.asked for linked in graphs)
    events = sum(len(linked.events) for linked in graphs)
    failed = sum(sum(linked.answers.values()) for linked in graphs)
    rows = tuple((kind, str(pairs[kind]), _share(pairs[kind], total), str(edges[kind])) for kind in kinds)
    title = f"Relations of {total} pairs of events compared, by {options.linker}"
    note = f"{failed} of {asked} answers had no label ({_share(failed, asked)})." if options.linker == "model" else ""
    lines = (f"{len(graphs)} conversations, {events} events, {edges.total()} links; {len(drawn)} timelines drawn.",)
    figures: dict[str, Json] = {
        "linker": options.linker,
        "seed": options.seed,
        "events": events,
        "pairs": dict(pairs),
        "links": dict(edges),
        "answers": {"asked": asked, "unreadable": failed},
        "unreadable": dict(sum((Counter(linked.answers) for linked in graphs), Counter[str]()).most_common()),
        "timelines": [_for_judging(one) for one in drawn],
    }
    grid = Grid(title, ("relation", "pairs", "share", "links kept"), rows, note)
    return EvaluationReport("timelines", "Timelines", lines, (grid,), (), figures)


def _engines(settings: Settings, options: Options, given: Engines | None) -> AbstractAsyncContextManager[Engines]:
    if given is not None:
        return nullcontext(given)
    return load_engines(settings, options.seed) if options.linker == "model" else _without_model(settings)


@asynccontextmanager
async def _without_model(settings: Settings) -> AsyncIterator[Engines]:
    encoder = await load_encoder(settings.encoder)
    try:
        topics = await asyncio.to_thread(load_topics)
        yield Engines(None, encoder, topics, TrainedTraitGate.load(fingerprint=encoder.fingerprint))
    finally:
        await encoder.aclose()


def _inside(settings: Settings, linker: str) -> Settings:
    """The settings with this linker; nothing else is asked of a model."""
    memory, persona = settings.memory, settings.persona
    timelines = memory.timelines.model_copy(update={"linker": linker})
    changed = {
        "memory": memory.model_copy(update={"timelines": timelines, "summariser": "extractive"}),
        "persona": persona.model_copy(update={"extractor": "extractive"}),
    }
    return settings.at_home().model_copy(update=changed)


def _drawn(linked: Linked, view: GraphView, timeline: Timeline) -> Drawn:
    now = linked.events[-1].time + timedelta(days=1)
    count = len(timeline.events)
    lines = render_timeline(timeline, now, lambda event: event.summary, most=count, changed=view.changed)
    return Drawn(linked, timeline, tuple(lines))


def _for_judging(drawn: Drawn) -> dict[str, Json]:
    """A timeline with room for a judge. An event's number is its place in its conversation, counted from 1."""
    numbers = {event.id: number for number, event in enumerate(drawn.linked.events, start=1)}
    timeline = drawn.timeline
    links: list[Json] = [
        {
            "from": numbers[older.id],
            "to": numbers[newer.id],
            "relation": relation.value,
            "words": words.link_of(relation.value),
            **JUDGEMENT,
        }
        for (older, newer), relation in zip(pairwise(timeline.events), timeline.relations, strict=True)
    ]
    events: list[Json] = [
        {"number": numbers[event.id], "date": event.time.date().isoformat(), "event": event.summary}
        for event in timeline.events
    ]
    return {
        "conversation": drawn.linked.name,
        "through": numbers[timeline.through],
        "told": list(drawn.lines),
        "events": events,
        "links": links,
    }


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"
