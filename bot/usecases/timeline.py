"""`/memory timeline`: what happened to the asker, in order, and what led to what: as a picture and in words.

It shows the events that `/memory list` shows, and the relations between two of those: nobody else's come in, and
nothing tells that one is missing. The picture is for the asker alone, as the words are.
"""

import asyncio
import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.domain import Answer, Asker, Call, Choice, Edge, File, Place, PlaceKind, Relation
from bot.drawing.looks import LOOKS
from bot.drawing.scene import Card, Note, Scene, Standing
from bot.ports import Graph
from bot.texts import commands
from bot.texts import timeline as texts
from bot.usecases.calls import buttons, fits, turned
from bot.usecases.entries import Entry, has, line_of, page_of
from bot.usecases.markup import cut, joined, plain
from bot.usecases.memory import LONGEST_QUERY, PAGE_DIGITS, Memories
from bot.usecases.topics import colours_of, topics_of

PAGE = 6
"""Events in a picture: as many as a phone shows at once."""
LONGEST_TEXT = 3900
"""Of the words, in characters: two messages on Discord, one on Telegram."""
LENGTHS = (160, 110, 70, 40, 20)
"""How long an entry may be in words, tried in this order until all of a page fit."""
LONGEST_WORDS = 400
"""Of an entry in the picture."""
PICTURE = "hello-again-timeline.png"
PAINTING = "bot.drawing.painting"
"""Loaded when the first picture is asked for: it brings a large library along."""


@dataclass(frozen=True, slots=True)
class _Page:
    """What is shown at once: `entries` in order of time, the oldest first, and what is known of their relations."""

    entries: tuple[Entry, ...]
    names: Mapping[Place, str]
    older: Mapping[str, tuple[tuple[Relation, Entry], ...]]
    """Code → what connects an entry with older ones, the latest of those first. They may stand on other pages."""
    standing: Mapping[str, Standing]
    timeline: Mapping[str, str]
    """Code → the code that stands for all that hang together with it; those without any relation are left out."""
    span: str
    """How many of how many, and from when to when."""


class Timelines:
    """`/memory timeline`."""

    def __init__(self, *, memories: Memories, graph: Graph) -> None:
        self._memories = memories
        self._graph = graph
        self._painting = asyncio.Lock()
        """One picture at a time: each takes up to 20 MB while it is painted."""

    async def show(self, call: Call, asker: Asker) -> Answer:
        """`/memory timeline`: the newest events, or those that the words are about. Raises StorageError only."""
        asked = call.get("page").strip() or "1"
        if not asked.isdecimal() or len(asked) > PAGE_DIGITS:
            return Answer(commands.NOT_A_PAGE)
        known = await self._memories.known(asker)
        events = [entry for entry in known if not entry.speaker_id]
        if not events:
            return Answer(texts.NO_EVENTS) if known else await self._memories.nothing_known(asker)
        query = " ".join(call.get("words").split())
        chosen = await self._about(query, events) if query else events
        if not chosen:
            return Answer(commands.FOUND_NOTHING.format(words=plain(cut(query, LONGEST_QUERY))))
        title = texts.TITLE_ABOUT.format(words=cut(query, LONGEST_QUERY)) if query else texts.TITLE
        return await self._answer(call, title, int(asked), chosen, events)

    async def _answer(
        self, call: Call, title: str, asked: int, chosen: Sequence[Entry], events: Sequence[Entry]
    ) -> Answer:
        """A page of what was `chosen` among the asker's events, with its picture; all newest first."""
        number, pages, shown = page_of(chosen, asked, PAGE)
        page = await self._page(shown, chosen, events)
        look = call.get("look") or next(iter(LOOKS))
        async with self._painting:
            picture = await asyncio.to_thread(_painted, _scene(page, title, look))
        more = [texts.NOTES.format(code=page.entries[-1].code)]
        turns = ((texts.OLDER, number + 1), (texts.NEWER, number - 1))
        turning = [Choice(label, turned(call, page=str(to), look=look)) for label, to in turns if 1 <= to <= pages]
        if pages > 1:
            more.insert(0, commands.PAGE_OF.format(page=number, pages=pages, entries=commands.entries(len(chosen))))
        if not all(fits(choice.call) for choice in turning):
            more.insert(0, commands.LONG_SEARCH)
        lines = [f"**{plain(title)}**", plain(page.span)]
        rows = buttons(turning, [_repainted(call, number, look)])
        return Answer(_text(page, lines, more), choices=rows, files=(File(PICTURE, picture),))

    async def _about(self, query: str, events: Sequence[Entry]) -> list[Entry]:
        """The events that hold all the words, and those that are close in meaning, the newest first."""
        wanted = query.casefold().split()
        exact = {entry.code for entry in events if has(entry.text, wanted)}
        others = [entry for entry in events if entry.code not in exact]
        close = await self._memories.close(query, others) or []
        found = exact | {entry.code for entry in close}
        return [entry for entry in events if entry.code in found]

    async def _page(self, shown: Sequence[Entry], chosen: Sequence[Entry], events: Sequence[Entry]) -> _Page:
        """`shown`: those of the page among all that were `chosen` among the asker's events, all newest first."""
        by_id = {int(entry.code[1:]): entry for entry in events}
        edges = await self._graph.among(by_id)
        place_in_time = {entry.code: number for number, entry in enumerate(events)}
        older: dict[str, tuple[tuple[Relation, Entry], ...]] = {}
        for entry in shown:
            found = [(edge.relation, by_id[edge.older]) for edge in edges if by_id[edge.newer] is entry]
            older[entry.code] = tuple(sorted(found, key=lambda one: place_in_time[one[1].code]))
        span = texts.shown_of(len(shown), len(chosen), shown[-1].time, shown[0].time)
        names = await self._memories.names(shown)
        return _Page(tuple(reversed(shown)), names, older, _standing(edges), _timelines(edges), span)


def _standing(edges: Sequence[Edge]) -> dict[str, Standing]:
    """Code → whether that has changed since, or is what came of a change."""
    changes = [edge for edge in edges if edge.relation is Relation.CHANGED]
    now = {f"e{edge.newer}": Standing.NOW for edge in changes}
    return now | {f"e{edge.older}": Standing.BEFORE for edge in changes}


def _repainted(call: Call, page: int, look: str) -> Choice:
    """The button for the same page in the other look."""
    other = next(name for name in LOOKS if name != look)
    return Choice(texts.OTHER_LOOK[look], turned(call, page=str(page), look=other))


def _painted(scene: Scene) -> bytes:
    """The picture; slow, so it is made in a thread."""
    paint: Callable[[Scene], bytes] = importlib.import_module(PAINTING).paint
    return paint(scene)


def _scene(page: _Page, title: str, look: str) -> Scene:
    """The page as a picture."""
    at = {entry.code: number for number, entry in enumerate(page.entries)}
    cards: list[Card] = []
    words_of = unnamed([entry.text for entry in page.entries])
    topics = topics_of(page.entries)
    colours = colours_of(topics.values())
    for number, entry in enumerate(page.entries):
        standing = page.standing.get(entry.code, Standing.PLAIN)
        notes = tuple(
            Note(relation, texts.related(relation, older.code), at.get(older.code))
            for relation, older in page.older[entry.code]
        )
        gap = texts.later(page.entries[number - 1].time, entry.time) if number else ""
        words = cut(" ".join(words_of[number].split()), LONGEST_WORDS)
        tag = texts.TAGS.get(standing, "")
        colour = colours.get(topics.get(entry.code, ""), 0)
        cards.append(Card(entry.code, _date(entry, page.names), words, gap, standing, tag, notes, colour))
    legend = tuple((number, topic) for topic, number in colours.items())
    return Scene(title, page.span, tuple(cards), look, legend, texts.UNREADABLE)


def unnamed(told: Sequence[str]) -> list[str]:
    """Words as a picture shows them: without the name in front where it is the same everywhere, the asker's own."""
    named = [text.partition(": ") for text in told]
    same = len({name for name, _, _ in named}) == 1 and all(colon and words for _, colon, words in named)
    return [words for _, _, words in named] if same else list(told)


def _date(entry: Entry, names: Mapping[Place, str]) -> str:
    """When it was, and in which channel: what is private is the rule in a picture for one person alone."""
    if entry.place.kind is PlaceKind.DM:
        return commands.day(entry.time)
    where = commands.where(private=False, name=" ".join(names.get(entry.place, "").split()))
    return f"{commands.day(entry.time)} · {where}"


def _text(page: _Page, before: Sequence[str], after: Sequence[str]) -> str:
    """The page in words, with entries as long as they can be. What is the same everywhere is said nowhere."""
    words = unnamed([entry.text for entry in page.entries])
    told = (replace(entry, text=text) for entry, text in zip(page.entries, words, strict=True))
    page = replace(page, entries=tuple(told))
    groups = _groups(page)
    for length in LENGTHS:
        text = joined([*before, *_lines(page, groups, length), *after])
        if len(text) <= LONGEST_TEXT:
            break
    return text


def _lines(page: _Page, groups: Sequence[Sequence[Entry]], length: int) -> list[str]:
    """Each timeline with a line above it, then what has no relation to anything on the page."""
    lines: list[str] = []
    for group in groups:
        if len(group) > 1:
            lines.append(texts.TOGETHER.format(entries=commands.entries(len(group))))
            lines += [line for entry in group for line in _told(page, entry, length)]
    alone = [group[0] for group in groups if len(group) == 1]
    if alone and lines:
        lines.append(texts.APART)
    return [*lines, *(line for entry in alone for line in _told(page, entry, length))]


def _told(page: _Page, entry: Entry, length: int) -> list[str]:
    """One entry in words, and under it what connects it with older ones."""
    notes = [texts.STILL[standing]] if (standing := page.standing.get(entry.code)) else []
    notes += [
        f"{texts.related(relation, f'`{older.code}`')}, {texts.later(older.time, entry.time)}"
        for relation, older in page.older[entry.code]
    ]
    told = line_of(replace(entry, text=cut(entry.text, length)), dict(page.names), placed=False)
    return [told, f"> {'; '.join(notes)}"] if notes else [told]


def _groups(page: _Page) -> list[list[Entry]]:
    """The entries that hang together, each group and its entries in order of time."""
    groups: dict[str, list[Entry]] = {}
    for entry in page.entries:
        groups.setdefault(page.timeline.get(entry.code, entry.code), []).append(entry)
    return list(groups.values())


def _timelines(edges: Sequence[Edge]) -> dict[str, str]:
    """Code → the code that stands for all that hang together with it (a component of the memory graph)."""
    members: dict[str, list[str]] = {}
    for edge in edges:
        one, other = (members.setdefault(code, [code]) for code in (f"e{edge.older}", f"e{edge.newer}"))
        if one is not other:
            one += other
            members |= dict.fromkeys(other, one)
    return {code: together[0] for code, together in members.items()}
