"""What is kept in memory of a place's events follows the tables, and is made anew only where they differ."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import cast

from bot.config import Memory
from bot.domain import Edge, Event, Place, PlaceKind, Relation
from bot.memory.event_search import EventSearch
from bot.ports import Events, Graph
from bot.storage.vectors.memory import NumpyVectorIndex

PLACE = Place("chat", PlaceKind.DM, "ann")
FIRST = Edge(1, 2, Relation.SAME_TOPIC)
SECOND = Edge(2, 3, Relation.CAUSE)


def event(number: int) -> Event:
    time = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=number)
    speakers = frozenset({"chat:ann"})
    return Event(PLACE, number, f"Thing {number}.", frozenset({"thing"}), time, speakers, (number,), number)


class Tables:
    """The two ports as far as they are asked, over lists that a test changes."""

    def __init__(self) -> None:
        self.events = [event(number) for number in (1, 2, 3)]
        self.edges = [FIRST]
        self.counted = 0
        self.on_read: Callable[[], None] = lambda: None

    async def version(self) -> int:
        return self.counted

    async def readable_in(self, place: Place, only: Collection[int] | None = None) -> list[Event]:
        found = list(self.events)
        self.on_read()
        return found

    async def among(self, event_ids: Collection[int]) -> list[Edge]:
        return [edge for edge in self.edges if {edge.older, edge.newer} <= set(event_ids)]


def search(tables: Tables) -> EventSearch:
    return EventSearch(
        events=cast("Events", tables), graph=cast("Graph", tables), index=NumpyVectorIndex(), memory=Memory()
    )


async def test_a_change_elsewhere_leaves_the_graph_as_it_is() -> None:
    tables = Tables()
    found = search(tables)
    before = await found.view(PLACE)
    tables.counted += 1

    assert await found.view(PLACE) is before


async def test_a_new_edge_between_the_same_events_is_seen() -> None:
    tables = Tables()
    found = search(tables)
    await found.view(PLACE)
    tables.counted, tables.edges = 1, [FIRST, SECOND]

    assert len((await found.view(PLACE)).timelines(3, 1)[0].events) == 3


async def test_an_edge_that_went_is_not_told_any_more() -> None:
    tables = Tables()
    found = search(tables)
    await found.view(PLACE)
    tables.counted, tables.edges = 1, []

    assert len((await found.view(PLACE)).timelines(2, 1)[0].events) == 1


async def test_an_event_that_may_not_be_used_any_more_is_in_no_graph() -> None:
    tables = Tables()
    found = search(tables)
    await found.view(PLACE)
    tables.counted, tables.events = 1, tables.events[1:]

    assert set((await found.view(PLACE)).events) == {2, 3}


async def test_what_was_read_while_something_was_erased_is_not_kept() -> None:
    tables = Tables()
    found = search(tables)
    tables.on_read = found.forget
    await found.view(PLACE)
    tables.events, tables.on_read = tables.events[1:], lambda: None

    assert set((await found.view(PLACE)).events) == {2, 3}  # the version is the same: only what was kept would show 1
