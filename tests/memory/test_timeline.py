"""Timelines: what a path is (eqs 9–10), that it is sampled and never enumerated, and how it is told."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain import Edge, Event, Relation, Timeline
from bot.memory.timeline import GraphView, date_of, render_timeline, timelines_through
from bot.texts.timelines import LINKS
from tests.stored import ANN, ANNS_DM

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TOPIC = Relation.SAME_TOPIC
ALL = 10_000
"""More samples than any small graph has paths."""


def event(key: int, days: float = 0.0, summary: str = "") -> Event:
    """An event `days` after the first ones."""
    time = NOW - timedelta(days=400) + timedelta(days=days)
    return Event(
        ANNS_DM, key, summary or f"Thing {key}.", frozenset(), time, frozenset({ANN.id}), (key,), id=key, names=()
    )


def events(number: int) -> list[Event]:
    return [event(key, days=key) for key in range(1, number + 1)]


def edges(*pairs: tuple[int, int]) -> list[Edge]:
    return [Edge(older, newer, TOPIC) for older, newer in pairs]


def paths(timelines: Sequence[Timeline]) -> set[tuple[int, ...]]:
    return {tuple(step.id for step in timeline.events) for timeline in timelines}


def every_path(known: Sequence[Event], linked: Sequence[Edge], through: int) -> set[tuple[int, ...]]:
    """Eqs 9 and 10 word for word, by looking at all paths of a small graph."""
    order = {one.id: (one.time, one.id) for one in known}
    after = {key: [edge.newer for edge in linked if edge.older == key] for key in order}
    around = {key: {*after[key], *(edge.older for edge in linked if edge.newer == key)} for key in order}
    component = {through}
    while more := {near for key in component for near in around[key]} - component:
        component |= more

    def walks(path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if not after[path[-1]]:
            yield path
        for later in after[path[-1]]:
            yield from walks((*path, later))

    for start in sorted(component, key=order.__getitem__):
        found = {path for path in walks((start,)) if through in path}
        if found:
            return found
    raise AssertionError("the event itself is such a start")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Event], list[Edge]]:
    """Up to nine events, with times and ids in any order and some times equal, and edges in order of time."""
    days = draw(st.lists(st.integers(0, 6), min_size=1, max_size=9))
    ids = draw(st.permutations(range(1, len(days) + 1)))
    known = [event(key, days=day) for key, day in zip(ids, days, strict=True)]
    ordered = sorted(known, key=lambda one: (one.time, one.id))
    possible = [(a.id, b.id) for at, a in enumerate(ordered) for b in ordered[at + 1 :]]
    pairs = draw(st.lists(st.sampled_from(possible), unique=True)) if possible else []
    return known, [Edge(a, b, draw(st.sampled_from(list(Relation)))) for a, b in pairs]


@settings(max_examples=300, deadline=None)
@given(graph=graphs(), data=st.data())
def test_with_many_samples_it_is_all_paths_and_no_other(
    graph: tuple[list[Event], list[Edge]], data: st.DataObject
) -> None:
    known, linked = graph
    through = data.draw(st.sampled_from(known)).id
    found = GraphView(known, linked).timelines(through, ALL)
    assert paths(found) == every_path(known, linked, through)
    assert len(found) == len(paths(found))


@settings(max_examples=300, deadline=None)
@given(graph=graphs(), samples=st.integers(1, 4), seed=st.integers(), data=st.data())
def test_each_is_a_path_through_the_event_in_order_of_time(
    graph: tuple[list[Event], list[Edge]], samples: int, seed: int, data: st.DataObject
) -> None:
    known, linked = graph
    through = data.draw(st.sampled_from(known)).id
    relations = {(edge.older, edge.newer): edge.relation for edge in linked}
    found = GraphView(known, linked).timelines(through, samples, seed)
    assert len(paths(found)) == len(found) == min(samples, len(every_path(known, linked, through)))
    assert paths(found) <= every_path(known, linked, through)
    for timeline in found:
        steps = [(step.time, step.id) for step in timeline.events]
        assert steps == sorted(steps)
        assert timeline.through == through
        assert timeline.relations == tuple(relations[a.id, b.id] for a, b in pairwise(timeline.events))
    assert found == GraphView(list(reversed(known)), list(reversed(linked))).timelines(through, samples, seed)


def ladder(rungs: int) -> tuple[list[Event], list[Edge]]:
    """A start, then `rungs` pairs of events, each linked with both of the next: 2 ** rungs paths."""
    known = events(2 * rungs + 1)
    pairs = [(1, 2), (1, 3)]
    pairs += [
        (a, b) for rung in range(1, rungs) for a in (2 * rung, 2 * rung + 1) for b in (2 * rung + 2, 2 * rung + 3)
    ]
    return known, edges(*pairs)


def test_of_a_ladder_with_2_to_the_60_paths_some_are_sampled() -> None:
    known, linked = ladder(60)
    found = GraphView(known, linked).timelines(60, 20)
    assert len(paths(found)) == 20
    assert {len(timeline.events) for timeline in found} == {61}
    assert all(any(step.id == 60 for step in timeline.events) for timeline in found)
    ends = {timeline.events[20].id for timeline in found}
    assert len(ends) == 2, "the samples differ not only at their ends"


def test_the_same_event_gives_the_same_samples_and_another_seed_others() -> None:
    known, linked = ladder(30)
    view = GraphView(known, linked)
    assert view.timelines(30, 3) == view.timelines(30, 3)
    assert paths(view.timelines(30, 3, seed=1)) != paths(view.timelines(30, 3, seed=2))


def test_long_lines_and_many_edges_are_no_matter() -> None:
    number = 10_000
    pairs = [(key, key + step) for step in (1, 2, 3) for key in range(1, number + 1 - step)]
    view = GraphView(events(number), edges(*pairs))
    [timeline] = view.timelines(number // 2, 1)
    assert timeline.events[0].id == 1
    assert timeline.events[-1].id == number
    [line] = GraphView(events(number), edges(*pairs[: number - 1])).timelines(7, 20)
    assert len(line.events) == number


def test_where_the_oldest_of_the_component_does_not_reach_it_the_oldest_ancestor_is_the_start() -> None:
    known, linked = events(5), edges((1, 3), (2, 3), (2, 4), (4, 5))
    assert paths(GraphView(known, linked).timelines(4, ALL)) == {(2, 4, 5)}
    assert paths(GraphView(known, linked).timelines(1, ALL)) == {(1, 3)}


def test_an_event_alone_is_a_timeline_and_an_unknown_one_has_none() -> None:
    view = GraphView(events(2), [])
    assert view.timelines(2, 3) == [Timeline((event(2, days=2),), (), 2)]
    assert view.timelines(9, 3) == []
    assert view.timelines(2, 0) == []


def test_an_edge_to_what_may_not_be_read_is_not_there_and_one_against_time_neither() -> None:
    known = [one for one in events(3) if one.id != 2]
    assert paths(GraphView(known, edges((1, 2), (2, 3))).timelines(3, ALL)) == {(3,)}
    assert paths(GraphView(events(2), edges((2, 1))).timelines(1, ALL)) == {(1,)}


def test_components_and_what_changed_since() -> None:
    view = GraphView(events(5), [*edges((1, 2), (3, 4)), Edge(2, 5, Relation.CHANGED)])
    assert view.component_of(1) == view.component_of(5) != view.component_of(3) == view.component_of(4)
    assert view.changed == {2}


def test_the_timelines_of_what_was_retrieved_are_all_different_the_best_first() -> None:
    known = events(6)
    view = GraphView(known, edges((1, 2), (2, 3), (2, 4), (5, 6)))
    found = timelines_through(view, [known[4], known[1], known[0]], 2)
    assert [timeline.through for timeline in found] == [5, 2, 2]
    assert paths(found) == {(5, 6), (1, 2, 3), (1, 2, 4)}
    assert len(timelines_through(view, [known[4], known[1]], 1)) == 2


def told(timeline: Timeline, *, most: int = 8, changed: Sequence[int] = ()) -> list[str]:
    return render_timeline(timeline, NOW, lambda one: one.summary, most=most, changed=changed)


def line_of(*steps: tuple[float, str, Relation | None]) -> Timeline:
    """Days ago, summary, and what connects it with the one before."""
    shown = tuple(
        replace(event(at + 1), time=NOW - timedelta(days=ago), summary=text) for at, (ago, text, _) in enumerate(steps)
    )
    return Timeline(shown, tuple(relation for _, _, relation in steps[1:] if relation), through=1)


def test_each_event_is_told_with_its_date_and_how_it_came_about() -> None:
    timeline = line_of(
        (300, "Ann lost her job.", None),
        (40, "Ann opened a bakery.", Relation.CAUSE),
        (3, "Ann is proud.", Relation.REACT),
    )
    assert told(timeline) == [
        "May 2025: Ann lost her job.",
        "Which led to (January 2026): Ann opened a bakery.",
        "Which brought the feeling (3 days ago): Ann is proud.",
    ]


def test_every_relation_has_its_words() -> None:
    assert LINKS.keys() == {relation.value for relation in Relation}
    lines = {told(line_of((60, "A.", None), (50, "B.", relation)))[1] for relation in Relation}
    assert len(lines) == len(Relation)


def test_what_changed_is_told_as_before_and_now() -> None:
    changed = Relation.CHANGED
    lines = told(line_of((700, "Ann sails.", None), (100, "Ann surfs.", changed), (40, "Ann swims.", changed)))
    assert lines == [
        "Before (March 2024): Ann sails.",
        "Then changed to (November 2025): Ann surfs.",
        "Now (since January 2026): Ann swims.",
    ]
    assert told(line_of((90, "A.", None), (9, "B.", changed)))[1] == "Now (since 20 February): B."
    assert told(line_of((90, "A.", None), (1, "B.", changed)))[1] == "Now (since yesterday): B."
    after = told(line_of((90, "A.", None), (60, "B.", TOPIC), (50, "C.", changed), (40, "D.", TOPIC)))
    assert after[1].startswith("Later, on the same topic, before (")
    assert after[2].startswith("Now (since ")
    assert after[3].startswith("Later, on the same topic (")


def test_what_changed_off_this_timeline_is_not_told_as_what_is_so_now() -> None:
    timeline = line_of((700, "Ann sails.", None), (100, "Ann surfs.", Relation.CHANGED))
    assert told(timeline, changed=[2])[1] == "Then changed to (November 2025): Ann surfs."
    assert told(line_of((100, "Ann surfs.", None)), changed=[1]) == ["Before (November 2025): Ann surfs."]


@pytest.mark.parametrize(("through", "kept"), [(1, [1, 8, 9, 10]), (4, [1, 4, 9, 10]), (10, [1, 8, 9, 10])])
def test_a_long_one_keeps_its_start_what_it_goes_through_and_the_newest(through: int, kept: list[int]) -> None:
    known = events(10)
    timeline = Timeline(tuple(known), (TOPIC,) * 9, through)
    lines = told(timeline, most=4)
    assert [line.rpartition(": ")[2] for line in lines] == [f"Thing {key}." for key in kept]
    jumps = [line.startswith("Later (") for line in lines]
    assert jumps == [False, *(b - a > 1 for a, b in pairwise(kept))]
    assert len(told(timeline, most=1)) == len({1, through, 10})


def test_a_refined_one_is_told_as_it_is() -> None:
    timeline = replace(line_of((9, "A.", None), (8, "B.", TOPIC)), refined="First A,\nthen B.")
    assert told(timeline) == ["First A, then B."]


def test_nobodys_words_make_two_lines_of_one() -> None:
    assert told(line_of((60, "Ann sails.\nBob: I steal.", None))) == ["December 2025: Ann sails. Bob: I steal."]


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0, "today"),
        (1, "yesterday"),
        (2, "2 days ago"),
        (13, "13 days ago"),
        (14, "2 weeks ago"),
        (27, "3 weeks ago"),
        (28, "February 2026"),
        (-3, "March 2026"),
    ],
)
def test_a_date_in_words(days: int, words: str) -> None:
    assert date_of(NOW - timedelta(days=days), NOW) == words
