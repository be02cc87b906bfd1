import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain import Event, Place, PlaceKind
from bot.memory.score import score_event, time_decay, topic_overlap

NOUNS = st.frozensets(st.sampled_from(["cat", "dog", "tea", "job", "rain", "leeds"]))
NOW = datetime(2026, 11, 21, tzinfo=UTC)


def test_topic_overlap_is_equation_1() -> None:
    assert topic_overlap(frozenset({"cat", "tea"}), frozenset({"cat", "job", "rain"})) == pytest.approx(
        0.5 * (1 / 2 + 1 / 3)
    )


@given(NOUNS, NOUNS)
def test_topic_overlap_is_symmetric_and_bounded(a: frozenset[str], b: frozenset[str]) -> None:
    overlap = topic_overlap(a, b)
    assert 0.0 <= overlap <= 1.0
    assert overlap == pytest.approx(topic_overlap(b, a))
    assert (overlap == 0.0) == (not a & b)
    assert topic_overlap(a, a) == (1.0 if a else 0.0)


@given(st.floats(0, 1e9), st.floats(1, 1e9))
def test_decay_falls_from_one(age: float, tau: float) -> None:
    assert 0.0 <= time_decay(age, tau) <= 1.0
    assert time_decay(age + tau, tau) <= time_decay(age, tau)
    assert time_decay(0, tau) == 1.0


def test_decay_after_tau_is_one_over_e_and_the_future_counts_as_now() -> None:
    assert time_decay(1e7, 1e7) == pytest.approx(1 / math.e)
    assert time_decay(-5.0, 1e7) == 1.0


def test_score_is_equation_2_with_its_parts() -> None:
    place = Place("console", PlaceKind.DM, "ann")
    event = Event(place, 1, "Ann: I have a cat.", frozenset({"cat"}), NOW - timedelta(seconds=1e7), frozenset(), (1,))
    recalled = score_event(event, 0.4, frozenset({"cat", "tea"}), NOW, tau_s=1e7)
    assert recalled.decay == pytest.approx(math.exp(-1))
    assert recalled.topic == pytest.approx(0.5 * (1 / 2 + 1 / 1))
    assert recalled.score == pytest.approx(recalled.decay * (recalled.semantic + recalled.topic))
