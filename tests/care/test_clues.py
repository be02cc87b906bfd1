"""Segments become clues: the paper's count of topics by hand, both ways of clustering, and what has no words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bot.care import clues as clues_module
from bot.care.clues import Clue, ClueRules, Clustering, clues, clues_of, lda, linkage, single_pass, topic_count
from bot.care.segments import Segment

WORDS = {
    "a": "kitten vet vaccine fur basket",
    "b": "violin orchestra rehearsal concert bow",
    "c": "marathon training knee shoes running",
    "d": "garden tomatoes compost seeds rain",
}
WAYS: tuple[Clustering, ...] = ("lda", "linkage")


def about(topics: str) -> NDArray[np.float32]:
    """One unit vector a letter: the cosine of two of one letter is ½, of others 0."""
    rows = np.zeros((len(topics), 4 + len(topics)), dtype=np.float32)
    for at, letter in enumerate(topics):
        rows[at, "abcd".index(letter)] = rows[at, 4 + at] = np.sqrt(0.5)
    return rows


def pieces(topics: str, each: int = 2) -> tuple[list[Segment], NDArray[np.float32], list[float], list[str]]:
    """A segment a letter, of `each` utterances, one a day."""
    spelt = "".join(letter * each for letter in topics)
    cut = [Segment(at * each, (at + 1) * each) for at in range(len(topics))]
    return cut, about(spelt), [float(day) for day in range(len(spelt))], [WORDS[letter] for letter in spelt]


@pytest.mark.parametrize("way", WAYS)
def test_one_topic_is_one_clue_in_order_of_time(way: Clustering) -> None:
    cut, vectors, days, texts = pieces("abacbca")
    # LDA ends where it began to go: from other seeds it misses one of these topics as often as not.
    found = clues(cut, vectors, days, texts, ClueRules(0.4, 12, way, seed=1))
    assert [clue.segments for clue in found] == [(0, 2, 6), (1, 4), (3, 5)]
    assert found[1].utterances == (2, 3, 8, 9)
    assert found[1].days == pytest.approx((2.5 + 8.5) / 2)
    expected = vectors[[2, 3, 8, 9]].mean(axis=0)
    assert found[1].vector == pytest.approx(expected / np.linalg.norm(expected))


def test_the_mean_time_is_over_segments_not_utterances() -> None:
    cut = [Segment(0, 1), Segment(1, 4)]
    found = clues(cut, about("aaaa"), [0.0, 10.0, 10.0, 10.0], ["x"] * 4, ClueRules(-1.0))
    assert [clue.days for clue in found] == [5.0]


def test_single_pass_in_order() -> None:
    right, up = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    between = np.array([0.8, 0.6])
    assert single_pass(np.array([right, up, between, right]), 0.7).tolist() == [0, 1, 0, 0]
    assert single_pass(np.array([right, up, between, right]), 0.9).tolist() == [0, 1, 2, 0]
    # The mean of (1, 0) and (0.8, 0.6) has a cosine of 0.316 with (0, 1); the last alone has 0.6.
    assert single_pass(np.array([right, between, up]), 0.5).tolist() == [0, 0, 1]
    assert single_pass(np.zeros((3, 2)), 0.1).tolist() == [0, 1, 2], "what has no vector is like nothing"


@pytest.mark.parametrize(
    ("labels", "lengths", "most", "expected"),
    [
        ([0, 1, 2], [5, 5, 5], 12, 3),
        ([0, 1, 2, 3], [5, 5, 5, 5], 3, 3),
        ([0, 1], [20, 2], 12, 2),
        ([0, 1, 0], [11, 2, 10], 2, 2),
        ([0, 1, 0, 0], [11, 1, 1, 1], 3, 3),
        ([0, 1], [21, 2], 12, 2),
        ([0], [4], 12, 1),
        ([], [], 12, 0),
    ],
)
def test_the_number_of_topics(labels: list[int], lengths: list[int], most: int, expected: int) -> None:
    assert topic_count(np.array(labels, dtype=np.int64), lengths, most) == expected


def test_ten_times_as_long_is_not_too_uneven_but_more_is() -> None:
    labels = np.array([0, 0, 0, 1], dtype=np.int64)
    assert topic_count(labels, [10, 5, 5, 2], 4) == 2
    assert topic_count(labels, [10, 5, 6, 2], 4) == 4


def test_linkage_joins_down_to_the_similarity_itself() -> None:
    middles = np.array([[1.0, 0.0], [0.6, 0.8]])
    assert linkage(middles, 0.6, 12).tolist() == [0, 0]
    assert linkage(middles, 0.61, 12).tolist() == [0, 1]


def test_linkage_keeps_to_the_most() -> None:
    assert linkage(np.eye(9), 0.5, 4).max() == 3


def test_lda_is_the_same_for_the_same_seed_and_may_use_fewer_topics() -> None:
    words = [WORDS[letter].split() for letter in "abcdabcd"]
    assert lda(words, 4, 3).tolist() == lda(words, 4, 3).tolist()
    assert lda(words, 1, 0).tolist() == [0] * 8
    assert lda([[], []], 5, 0).tolist() == [0, 0]


def test_segments_without_words_go_where_their_vectors_are() -> None:
    cut, vectors, days, texts = pieces("abab")
    texts[4:6] = ["", "ok!"]
    found = clues(cut, vectors, days, texts, ClueRules(0.4, 12, "lda"))
    assert [clue.segments for clue in found] == [(0, 2), (1, 3)]


@pytest.mark.parametrize("way", WAYS)
def test_next_to_nothing(way: Clustering) -> None:
    rules = ClueRules(clustering=way)
    assert clues([], about(""), [], [], rules) == []
    (only,) = clues([Segment(0, 1)], np.zeros((1, 4), dtype=np.float32), [3.0], [""], rules)
    assert (only.segments, only.utterances, only.days) == ((0,), (0,), 3.0)
    assert not only.vector.any()


@pytest.mark.parametrize("way", WAYS)
def test_only_the_most_recent_are_clustered(way: Clustering, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clues_module, "MOST_SEGMENTS", 3)
    cut, vectors, days, texts = pieces("ddaba")
    found = clues(cut, vectors, days, texts, ClueRules(0.4, 12, way))
    assert [clue.segments for clue in found] == [(2, 4), (3,)]
    assert found[0].utterances == (4, 5, 8, 9)


def test_from_utterances_to_clues() -> None:
    topics = "aaaabbbb" + "aaaa"
    start = datetime(2026, 3, 1, tzinfo=UTC)
    times = [start + timedelta(hours=12 * at) for at in range(12)]
    found = clues_of(
        about(topics),
        [1] * 8 + [2] * 4,
        [WORDS[letter] for letter in topics],
        times,
        border=0.9,
        rules=ClueRules(0.4),
    )
    assert [clue.utterances for clue in found] == [(0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7)]
    assert [clue.days for clue in found] == [pytest.approx((0.75 + 4.75) / 2), pytest.approx(2.75)]
    assert clues_of(about(""), [], [], [], border=0.9, rules=ClueRules()) == []


def shared_out(found: list[Clue]) -> list[int]:
    return sorted(segment for clue in found for segment in clue.segments)


@settings(max_examples=40, deadline=None)
@given(
    st.text("abcd", max_size=12),
    st.floats(-1.0, 1.0),
    st.integers(1, 6),
    st.sampled_from(WAYS),
    st.sets(st.integers(0, 11)),
)
def test_every_segment_is_in_one_clue(
    topics: str, threshold: float, most: int, way: Clustering, silent: set[int]
) -> None:
    cut, vectors, days, texts = pieces(topics, each=1)
    texts = ["" if at in silent else text for at, text in enumerate(texts)]
    found = clues(cut, vectors, days, texts, ClueRules(threshold, most, way))
    assert shared_out(found) == list(range(len(topics)))
    assert len(found) <= most
    assert [clue.segments[0] for clue in found] == sorted(clue.segments[0] for clue in found)
    assert all(list(clue.segments) == sorted(clue.segments) for clue in found)
