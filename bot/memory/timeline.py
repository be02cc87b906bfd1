"""Timelines through the memory graph (THEANINE phase II-1), and how they are told without a model. Pure.

A graph is made of the events that may be used in a place and the edges among them alone, so a timeline that would go
through a memory which may not be used there ends before it, or begins after it, and nothing tells that there is more.
"""

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from bot.domain import Edge, Event, Relation, Timeline
from bot.language.speakers import one_line
from bot.texts import timelines as words

RECENT_DAYS = 28
"""Events younger than this are dated by their age, older ones by their month."""

MOST_REPEATS = 3
"""Random walks one after the other that find nothing new; what is still wanted is then taken in order."""

WEEKS_FROM_DAYS = 14
"""From this age on it is told in weeks."""

Path = tuple[int, ...]


class GraphView:
    """Events and the edges among them, for many timelines. Never changes: build it once for each state of the store.

    Edges that do not go from an older event to a newer one (of equal times: by id), or whose events are not both there,
    are left out, so there are no cycles. Inside, an event is its position in order of time. On one core, 10,000 events
    with 30,000 edges are built in about 0.1 s, and a timeline takes some milliseconds.
    """

    def __init__(self, events: Iterable[Event], edges: Iterable[Edge]) -> None:
        self.events: Mapping[int, Event] = {event.id: event for event in events}
        self._in_order = sorted(self.events.values(), key=lambda event: (event.time, event.id))
        self._positions = {event.id: position for position, event in enumerate(self._in_order)}
        self._next: list[list[int]] = [[] for _ in self._in_order]
        self._previous: list[list[int]] = [[] for _ in self._in_order]
        self._relations: dict[tuple[int, int], Relation] = {}
        for edge in edges:
            older, newer = self._positions.get(edge.older, -1), self._positions.get(edge.newer, -1)
            if 0 <= older < newer and (older, newer) not in self._relations:
                self._relations[older, newer] = edge.relation
                self._next[older].append(newer)
                self._previous[newer].append(older)
        for ends in (*self._next, *self._previous):
            ends.sort()
        self._oldest = self._components()
        self.changed = frozenset(
            self._in_order[older].id for (older, _), found in self._relations.items() if found is Relation.CHANGED
        )
        """The ids of the events that changed since, as a later one says: they tell what was so before."""

    def component_of(self, event_id: int) -> int:
        """The id of the oldest event of the connected component, edges taken in both directions (eq. 9)."""
        return self._in_order[self._oldest[self._positions[event_id]]].id

    def timelines(self, through: int, samples: int, seed: int | None = None) -> list[Timeline]:
        """At most `samples` different raw timelines through the event `through` (THEANINE eqs 9–10).

        Each begins with the oldest event of its connected component or, where that does not reach `through`, with the
        oldest that does (ours: the paper's condition would give no timeline), goes along edges through `through`, and
        ends with an event of which no edge goes out. They are sampled by random walks, repeatable: `seed` is the
        event's id unless another is given. There are fewer only if no more exist. An unknown event has none.
        """
        if through not in self.events or samples < 1:
            return []
        position = self._positions[through]
        towards = self._ancestors(position)
        # The oldest that reaches it is the component's oldest, if that does.
        search = _Search(self._next, towards.find(1), position, towards)
        dice = random.Random(through if seed is None else seed)  # noqa: S311 - repeatable, not secret
        found: dict[Path, None] = {}
        repeats = 0
        while len(found) < samples and repeats < MOST_REPEATS:
            path = search.walk(dice)
            repeats = repeats + 1 if path in found else 0
            found[path] = None
        for path in search.in_order() if len(found) < samples else ():
            found[path] = None
            if len(found) == samples:
                break
        return [self._timeline(path, through) for path in found]

    def _timeline(self, path: Path, through: int) -> Timeline:
        relations = tuple(self._relations[pair] for pair in pairwise(path))
        return Timeline(tuple(self._in_order[position] for position in path), relations, through)

    def _components(self) -> list[int]:
        """For each position, that of the oldest event of its connected component."""
        found = [-1] * len(self._in_order)
        for first in range(len(found)):
            waiting = [first] if found[first] < 0 else []
            while waiting:
                position = waiting.pop()
                if found[position] < 0:
                    found[position] = first
                    waiting += self._next[position]
                    waiting += self._previous[position]
        return found

    def _ancestors(self, position: int) -> bytearray:
        """For each position up to this one whether this one can be reached from it; it can from itself."""
        found = bytearray(position + 1)
        found[position] = 1
        for later in range(position, -1, -1):
            if found[later]:
                for earlier in self._previous[later]:
                    found[earlier] = 1
        return found


@dataclass(frozen=True, slots=True)
class _Search:
    """The paths from `start` through `through` to an end, as positions. `towards`: what reaches `through`."""

    after: Sequence[Sequence[int]]
    start: int
    through: int
    towards: bytearray

    def onward(self, position: int) -> Sequence[int]:
        """Where a path goes from here: until it is at `through`, only to what reaches that."""
        after = self.after[position]
        if position >= self.through:
            return after
        return [later for later in after if later <= self.through and self.towards[later]]

    def walk(self, dice: random.Random) -> Path:
        """One path, at random."""
        path = [self.start]
        while onward := self.onward(path[-1]):
            path.append(dice.choice(onward) if len(onward) > 1 else onward[0])
        return tuple(path)

    def in_order(self) -> Iterator[Path]:
        """All paths, one by one; each takes as long as it has steps, because every beginning leads to an end."""
        path: list[int] = []
        open_steps = [iter((self.start,))]
        while open_steps:
            position = next(open_steps[-1], None)
            if position is None:
                open_steps.pop()
                del path[-1:]
                continue
            path.append(position)
            onward = self.onward(position)
            if not onward:
                yield tuple(path)
            open_steps.append(iter(onward))


def timelines_through(view: GraphView, retrieved: Sequence[Event], samples: int) -> list[Timeline]:
    """The raw timelines of the events that were retrieved, best first: at most `samples` of each, all different.

    This is T of THEANINE, |T| ≤ k·n. A path through two of the events is told once, for the better one.
    """
    found: dict[Path, Timeline] = {}
    for event in retrieved:
        for timeline in view.timelines(event.id, samples):
            found.setdefault(tuple(step.id for step in timeline.events), timeline)
    return list(found.values())


def render_timeline(
    timeline: Timeline,
    now: datetime,
    tell: Callable[[Event], str],
    *,
    most: int = 8,
    changed: Collection[int] = (),
) -> list[str]:
    """A timeline in words, one line an event, oldest first: when, how it came of the one before, what.

    What changed is told as what was so before, what it changed to as what is so now. `tell`: an event's words.
    `most`: the first event, the one it goes through and the newest ones stay, at least three. `changed`: ids of events
    that changed since, also where this timeline does not tell to what (`GraphView.changed`). A refined timeline is its
    own text, on one line.
    """
    if timeline.refined:
        return [one_line(timeline.refined)]
    kept = _kept(timeline, most)
    relations = (None, *timeline.relations)
    lines: list[str] = []
    for place, position in enumerate(kept):
        event, relation = timeline.events[position], relations[position]
        follows = place > 0 and kept[place - 1] == position - 1
        link = words.link_of(relation.value) if relation is not None and follows else words.LATER if place else ""
        outdated = timeline.relations[position : position + 1] == (Relation.CHANGED,) or event.id in changed
        line = words.step(
            one_line(tell(event)),
            since_of(event.time, now) if relation is Relation.CHANGED and not outdated else date_of(event.time, now),
            link=link,
            before=outdated,
            changed=relation is Relation.CHANGED,
        )
        lines.append(line)
    return lines


def date_of(then: datetime, now: datetime) -> str:
    """When an event was: by its age within the last weeks ("3 days ago"), then by its month ("May 2024")."""
    days = (now.date() - then.date()).days
    if days >= RECENT_DAYS or days < 0:
        return f"{then:%B %Y}"
    if days > 1:
        return words.ago(days // 7, "week") if days >= WEEKS_FROM_DAYS else words.ago(days, "day")
    return words.YESTERDAY if days else words.TODAY


def since_of(then: datetime, now: datetime) -> str:
    """The same for what has been so since then: "9 February" within the last weeks, then "May 2024"."""
    days = (now.date() - then.date()).days
    return f"{then.day} {then:%B}" if 1 < days < RECENT_DAYS else date_of(then, now)


def _kept(timeline: Timeline, most: int) -> list[int]:
    """The positions of the events that are told, in order."""
    count = len(timeline.events)
    through = {position for position, event in enumerate(timeline.events) if event.id == timeline.through}
    fixed = {0, count - 1} | through
    newest = [position for position in range(count - 1, -1, -1) if position not in fixed]
    return sorted(fixed.union(newest[: max(most - len(fixed), 0)]))
