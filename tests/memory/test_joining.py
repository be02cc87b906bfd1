from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.domain import (
    Event,
    Fragment,
    Place,
    PlaceKind,
    RecalledEvent,
    RecalledTrait,
    Recollection,
    Relation,
    Timeline,
    Trait,
)
from bot.memory.joining import within_budget
from tests.memory.test_passage_shelf import passage

PLACE = Place("test", PlaceKind.DM, "ann")
NOW = datetime(2024, 1, 1, tzinfo=UTC)


def words(text: str) -> int:
    return len(text.split())


def event(number: int, score: float, length: int = 5) -> RecalledEvent:
    what = Event(PLACE, number, " ".join(["word"] * length), frozenset(), NOW, frozenset(), (), id=number)
    return RecalledEvent(what, score, 0.0, 0.0, 1.0)


def fragment(number: int, score: float, length: int = 5) -> Fragment:
    said = replace(passage(number).utterance, text=" ".join(["word"] * length))
    return Fragment((said,), (number,), score)


def trait(number: int, score: float) -> RecalledTrait:
    return RecalledTrait(Trait("test:ann", PLACE, "I like my boat", NOW, (1,), id=number), score)


def test_what_is_likeliest_to_help_is_taken_whatever_kind_it_is() -> None:
    found = Recollection((event(1, 0.9), event(2, 0.1)), (trait(1, 0.3),), (), (fragment(1, 0.5), fragment(2, 0.15)))
    kept = within_budget(found, 14, words)
    assert [one.event.id for one in kept.events] == [1]
    assert len(kept.fragments) == 1
    assert len(kept.traits) == 1, "a trait is likelier to help than what hardly fits"


def test_what_does_not_fit_makes_room_for_what_does_and_the_best_is_always_there() -> None:
    found = Recollection(fragments=(fragment(1, 0.9, 50), fragment(2, 0.8, 3)), events=(event(1, 0.7, 2),))
    assert within_budget(found, 5, words).fragments[0].keys == (1,)
    assert len(within_budget(found, 55, words).events) == 1


def test_an_event_on_a_timeline_costs_nothing_more() -> None:
    one, two = event(1, 0.5), event(2, 0.4)
    timeline = Timeline((one.event, two.event), (Relation.CAUSE,), 1, score=0.9)
    kept = within_budget(Recollection(events=(one, two), timelines=(timeline,)), 10, words)
    assert len(kept.events) == 2


@given(st.lists(st.floats(0, 1), max_size=5), st.lists(st.floats(0, 1), max_size=5), st.integers(0, 60))
def test_the_order_stays_and_the_budget_holds(events: list[float], fragments: list[float], budget: int) -> None:
    found = Recollection(
        events=tuple(event(at, score) for at, score in enumerate(events, 1)),
        fragments=tuple(fragment(at, score) for at, score in enumerate(fragments, 1)),
    )
    kept = within_budget(found, budget, words)
    assert [one for one in found.events if one in kept.events] == list(kept.events)
    assert [one for one in found.fragments if one in kept.fragments] == list(kept.fragments)
    number = len(kept.events) + len(kept.fragments)
    assert 5 * number <= max(budget, 5)
    assert number >= min(1, len(events) + len(fragments))
