"""What a ranking is worth, by hand-made examples, and how sure that is."""

from __future__ import annotations

import math

import pytest

from lab.evaluation.metrics import all_at, estimate, ndcg_at, recall_at, recall_within, unique

RANKED = ["a", "b", "c", "d"]


def test_recall_is_the_share_of_what_is_wanted() -> None:
    assert recall_at(RANKED, {"a", "d", "x", "y"}, 3) == 0.25
    assert recall_at(RANKED, {"a", "d", "x", "y"}, 4) == 0.5
    assert recall_at([], {"a"}, 10) == 0.0


def test_all_evidence_is_there_or_not() -> None:
    assert all_at(RANKED, {"a", "b"}, 2) == 1.0
    assert all_at(RANKED, {"a", "c"}, 2) == 0.0


def test_ndcg_counts_the_places() -> None:
    assert ndcg_at(RANKED, {"a", "b"}, 10) == 1.0
    assert ndcg_at(RANKED, {"b"}, 10) == pytest.approx(1 / math.log2(3))
    best = 1 + 1 / math.log2(3)
    assert ndcg_at(RANKED, {"a", "d"}, 10) == pytest.approx((1 + 1 / math.log2(5)) / best)
    assert ndcg_at(RANKED, {"a", "x"}, 1) == 1.0, "more than one cannot stand in one place"


def test_words_are_a_budget_that_no_utterance_is_cut_for() -> None:
    words = [10, 30, 5, 5]
    assert recall_within(RANKED, words, {"b"}, 40) == 1.0
    assert recall_within(RANKED, words, {"b"}, 39) == 0.0
    assert recall_within(RANKED, words, {"c"}, 39) == 0.0, "what comes after one that is too long is not taken"


def test_one_that_is_found_twice_counts_where_it_came_first() -> None:
    assert unique(["b", "a", "b"]) == ["b", "a"]


def test_the_mean_is_over_values_and_the_interval_over_groups() -> None:
    same = estimate([[1.0, 0.0], [1.0, 0.0, 1.0, 0.0]])
    assert same.mean == 0.5
    assert (same.low, same.high) == (0.5, 0.5), "groups do not differ, however much their values do"
    unlike = estimate([[1.0] * 3, [0.0]])
    assert unlike.mean == 0.75
    assert (unlike.low, unlike.high) == (0.0, 1.0)
    assert unlike.count == 4


def test_the_interval_is_the_same_for_the_same_seed() -> None:
    groups = [[number / 10, 0.5] for number in range(10)]
    assert estimate(groups, seed=3) == estimate(groups, seed=3)
    assert estimate(groups, seed=3) != estimate(groups, seed=4)


def test_one_group_has_no_interval_and_none_has_no_mean() -> None:
    assert estimate([[0.25, 0.75], []]).low is None
    assert math.isnan(estimate([[], []]).mean)
