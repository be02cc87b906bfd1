from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain import Event, Place, PlaceKind
from bot.memory.score import score_event
from bot.memory.shelf import Shelf

NOW = datetime(2026, 11, 21, tzinfo=UTC)
PLACE = Place("test", PlaceKind.DM, "ann")
TAU = 1e6
NOUNS = st.frozensets(st.sampled_from(["cat", "dog", "tea", "job", "rain"]))
EVENTS = st.lists(st.tuples(NOUNS, st.integers(-5, 400), st.floats(-1, 1, width=32)), min_size=1, max_size=30)


def shelf_of(drawn: list[tuple[frozenset[str], int, float]]) -> tuple[Shelf, np.ndarray]:
    events = [
        Event(PLACE, number, "said", topics, NOW - timedelta(hours=hours), frozenset(), (1,), id=3 * number)
        for number, (topics, hours, _) in enumerate(drawn, start=1)
    ]
    shelf = Shelf(list(reversed(events)))
    semantic = np.full(len(events), -2.0)
    ids = np.array([event.id for event in events] + [1, 10_000], dtype=np.int64)
    cosines = np.array([cosine for _, _, cosine in drawn] + [0.99, 0.99], dtype=np.float32)
    shelf.place(semantic, ids, cosines)
    return shelf, semantic


@given(EVENTS, NOUNS)
def test_all_at_once_is_the_same_as_one_by_one(
    drawn: list[tuple[frozenset[str], int, float]], query: frozenset[str]
) -> None:
    shelf, semantic = shelf_of(drawn)
    together = shelf.scores(semantic, query, NOW, TAU)
    for position, event in enumerate(shelf.events):
        alone = score_event(event, float(semantic[position]), query, NOW, TAU)
        assert alone.semantic == pytest.approx(drawn[position][2], abs=1e-6)
        assert together[position] == pytest.approx(alone.score)


@given(EVENTS, st.floats(-1, 1), st.integers(1, 5))
def test_the_best_are_eligible_and_best_and_in_order(
    drawn: list[tuple[frozenset[str], int, float]], gamma: float, number: int
) -> None:
    shelf, semantic = shelf_of(drawn)
    scores = shelf.scores(semantic, frozenset({"cat"}), NOW, TAU)
    eligible = semantic > gamma
    best = shelf.best(scores, eligible, number)
    expected = sorted(
        (position for position in range(len(drawn)) if eligible[position]),
        key=lambda position: (scores[position], shelf.events[position].id),
        reverse=True,
    )
    assert best == expected[:number]


def test_an_empty_shelf_has_nothing_to_give() -> None:
    shelf = Shelf([])
    assert shelf.events == []
    assert shelf.places == frozenset()
