"""The decision adapter's formulas, by hand and by their properties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.care.decide import (
    balance,
    decided,
    feedback,
    freshness,
    ranks,
    rating,
    recent_similarity,
    total,
    turn_similarity,
)
from bot.config.care import CareWeights
from bot.errors import MalformedOutput

WEIGHTS = CareWeights(importance=0.5, balance=0.2, freshness=0.3)


@pytest.mark.parametrize(("text", "value"), [("8", 0.8), ("0", 0.0), ("10", 1.0), (" 7\n", 0.7)])
def test_a_rating_is_read(text: str, value: float) -> None:
    assert rating(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "11", "0.8", "-5", "85", "8.", "I would say 8", "8 9", "٥"],
)
def test_anything_else_is_no_rating(text: str) -> None:
    with pytest.raises(MalformedOutput):
        rating(text)


def test_the_most_similar_memory_is_first() -> None:
    assert ranks([0.2, 1.5, -0.3, 0.2]).tolist() == [2, 1, 4, 3]
    assert ranks([]).tolist() == []


@given(st.lists(st.floats(-3, 3), max_size=30))
def test_ranks_are_each_number_once(sums: list[float]) -> None:
    found = ranks(sums).tolist()
    assert sorted(found) == list(range(1, len(sums) + 1))
    assert all(sums[a] >= sums[b] for a in range(len(sums)) for b in range(len(sums)) if found[a] < found[b])


def test_similarity_to_the_last_three_sessions() -> None:
    memories = np.array([[1.0, 0.0], [0.0, 1.0]])
    vectors = np.array([[0.0, 1.0], [1.0, 0.0], [0.6, 0.8], [1.0, 0.0], [0.0, 1.0]])
    # Session 1 is too long ago; 2 is (1, 0), 3 is (0.6, 0.8), and the middle of 4 is (1, 1) / √2.
    expected = [1 + 0.6 + math.sqrt(0.5), 0 + 0.8 + math.sqrt(0.5)]
    assert recent_similarity(memories, vectors, [1, 2, 3, 4, 4]) == pytest.approx(expected)
    assert recent_similarity(memories, np.zeros((0, 2)), []).tolist() == [0.0, 0.0]
    assert recent_similarity(memories, np.zeros((1, 2)), [1]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("rank", "topics", "expected"),
    [
        (1, 1, 1 - 0.5 * math.exp(-0.5)),
        (1, 4, 1 - 2 * math.exp(-2)),
        (2, 4, 1 - 2 * math.exp(-2)),
        (4, 4, 1 - 16 / 24 * math.exp(-2)),
        (3, 10, 1 - 125 / 6 * math.exp(-5)),
    ],
)
def test_balance_by_hand(rank: int, topics: int, expected: float) -> None:
    assert balance(rank, topics) == pytest.approx(expected)


@given(st.integers(2, 400))
def test_both_ends_of_the_ranking_are_balanced_best(topics: int) -> None:
    scores = [balance(rank, topics) for rank in range(1, topics + 1)]
    lowest = int(np.argmin(scores)) + 1
    assert abs(lowest - topics / 2) <= 1
    assert scores[: lowest - 1] == sorted(scores[: lowest - 1], reverse=True)
    assert scores[lowest:] == sorted(scores[lowest:])
    assert all(0 < score <= 1 for score in scores)


@pytest.mark.parametrize("rank", [0, 4, -1])
def test_a_rank_that_nobody_has(rank: int) -> None:
    with pytest.raises(ValueError, match="of 3 memories"):
        balance(rank, 3)


def test_freshness_is_a_share() -> None:
    assert freshness([10.0, 30.0, 0.0]) == pytest.approx([0.25, 0.75, 0.0])
    assert freshness([7.0, 7.0]) == pytest.approx([0.5, 0.5])
    assert freshness([0.0, 0.0]).tolist() == [0.5, 0.5], "all on the first day"
    assert freshness([3.0]).tolist() == [1.0]
    assert freshness([]).tolist() == []
    with pytest.raises(ValueError, match="before the first"):
        freshness([1.0, -0.1])


@given(st.lists(st.floats(0, 10_000), min_size=1, max_size=50))
def test_freshness_sums_up_to_one_and_the_newer_is_fresher(days: list[float]) -> None:
    found = freshness(days)
    assert found.sum() == pytest.approx(1)
    assert int(found.argmax()) in [at for at, day in enumerate(days) if day == max(days)] or found.max() == found.min()


def test_the_total_by_hand() -> None:
    assert total(0.8, 0.5, 0.1, WEIGHTS) == pytest.approx(0.4 + 0.1 + 0.03)


def test_all_scores_of_all_memories() -> None:
    found = decided([0.9, 0.2], [0.1, 0.5], [1.0, 3.0], WEIGHTS)
    first, second = found
    assert (first.importance, first.freshness) == (0.9, 0.25)
    assert first.balance == pytest.approx(1 - 0.5 * math.exp(-1)), "the less similar one is ranked second"
    assert second.balance == pytest.approx(1 - math.exp(-1))
    assert first.total == pytest.approx(0.45 + 0.2 * first.balance + 0.075)
    assert decided([], [], [], WEIGHTS) == []
    with pytest.raises(ValueError, match="zip"):
        decided([0.9, 0.2], [0.1, 0.5], [1.0], WEIGHTS)


def test_the_person_s_last_three_utterances_count() -> None:
    memory = np.array([1.0, 0.0])
    said = np.array([[0.0, 1.0], [1.0, 0.0], [0.6, 0.8], [0.8, 0.6]])
    assert turn_similarity(memory, said) == pytest.approx(1 + 0.6 + 0.8)
    assert turn_similarity(memory, said[:1]) == 0.0
    assert turn_similarity(memory, np.zeros((0, 2))) == 0.0


def test_the_sum_decides_where_the_mean_would_decide_otherwise() -> None:
    """Equations 12 and 13 by hand: of three utterances, each with its cosines with M, and with the only other one."""
    said = np.eye(3)
    current, other = np.array([0.1, 0.2, 0.1]), np.array([0.3, 0.1, 0.3])
    assert (turn_similarity(current, said), turn_similarity(other, said)) == pytest.approx((0.4, 0.7))
    assert feedback(turn_similarity(current, said), [turn_similarity(other, said)]) == 0, "0.13 and 0.23 on the mean"
    current, other = np.array([0.2, 0.2, 0.2]), np.array([0.8, 0.4, 0.4])
    assert (turn_similarity(current, said), turn_similarity(other, said)) == pytest.approx((0.6, 1.6))
    assert feedback(turn_similarity(current, said), [turn_similarity(other, said)]) is None, "0.2 and 0.53 on the mean"


@pytest.mark.parametrize(
    ("current", "others", "expected"),
    [
        (0.3, [0.2, 0.6, 0.7], 2),
        (0.3, [0.6, 0.6], 0),
        (0.5, [0.9], None),
        (0.3, [0.5], None),
        (0.3, [0.1], None),
        (0.3, [], None),
    ],
)
def test_the_memory_changes_when_the_answer_does(current: float, others: list[float], expected: int | None) -> None:
    assert feedback(current, others) == expected
