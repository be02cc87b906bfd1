"""Sessions are cut where their topic changes: hand-made topics, and properties of whatever comes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bot.care.segments import LEAST, LONGEST, Segment, borders, segments

BORDER = 1.3


def about(topics: str, spread: float = 0.6) -> NDArray[np.float32]:
    """One unit vector a letter: those of one letter share a direction, each has one of its own beside it."""
    rows = np.zeros((len(topics), 26 + len(topics)), dtype=np.float32)
    for at, letter in enumerate(topics):
        rows[at, ord(letter) - ord("a")] = 1.0
        rows[at, 26 + at] = spread
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def test_a_session_is_cut_where_its_topic_changes() -> None:
    assert segments(about("aaaabbbbbccc"), [7] * 12, BORDER) == [Segment(0, 4), Segment(4, 9), Segment(9, 12)]


def test_a_session_on_one_topic_stays_whole() -> None:
    assert segments(about("a" * 30), [1] * 30, BORDER) == [Segment(0, 30)]


def test_what_a_border_has_to_save() -> None:
    # Without spread each half is 0 from its middle, and all of them are 8 · (1 − ‖(½, ½)‖²) = 4 from theirs.
    talk = about("aaaabbbb", spread=0.0)
    assert borders(talk, 3.99) == [4]
    assert borders(talk, 4.01) == []


def test_one_topic_in_two_sessions_is_two_segments() -> None:
    assert segments(about("aaaaaa"), [1, 1, 1, 2, 2, 2], BORDER) == [Segment(0, 3), Segment(3, 6)]


def test_a_session_number_that_comes_again_is_another_run() -> None:
    assert segments(about("abc"), [1, 2, 1], BORDER) == [Segment(0, 1), Segment(1, 2), Segment(2, 3)]


def test_an_aside_is_no_segment() -> None:
    found = segments(about("aaaaabaaaaa", spread=0.1), [1] * 11, 0.1)
    assert all(one.end - one.start >= LEAST for one in found)


def test_nothing_and_one() -> None:
    assert segments(about(""), [], BORDER) == []
    assert segments(about("a"), [3], BORDER) == [Segment(0, 1)]


def test_utterances_without_vectors_are_in_segments_too() -> None:
    assert segments(np.zeros((9, 4), dtype=np.float32), [1] * 9, BORDER) == [Segment(0, 9)]


def test_a_very_long_session_is_cut_all_the_same() -> None:
    found = segments(about("a" * (2 * LONGEST + 1)), [1] * (2 * LONGEST + 1), 2.0)
    assert max(one.end - one.start for one in found) <= LONGEST
    assert found[-1].end == 2 * LONGEST + 1


def test_vectors_and_sessions_belong_together() -> None:
    with pytest.raises(ValueError, match="3 vectors, but the sessions of 2"):
        segments(about("abc"), [1, 1], BORDER)


talks = st.lists(st.tuples(st.sampled_from("abcd"), st.booleans()), max_size=40)


@settings(max_examples=150, deadline=None)
@given(talks, st.floats(0.0, 2.0))
def test_segments_hold_every_utterance_once_and_never_two_sessions(talk: list[tuple[str, bool]], border: float) -> None:
    vectors = about("".join(letter for letter, _ in talk))
    sessions = np.cumsum([new for _, new in talk], dtype=np.int64)
    found = segments(vectors, sessions, border)
    assert [at for one in found for at in range(one.start, one.end)] == list(range(len(talk)))
    assert all(len(set(sessions[one.start : one.end].tolist())) == 1 for one in found)
    for left, right in pairwise(found):
        if sessions[left.start] == sessions[right.start]:
            assert min(left.end - left.start, right.end - right.start) >= LEAST


@settings(max_examples=60, deadline=None)
@given(st.text("abc", min_size=6, max_size=9), st.floats(0.05, 2.0))
def test_no_other_borders_save_more(topics: str, border: float) -> None:
    vectors = about(topics).astype(np.float64)

    def cost(cuts: list[int]) -> float:
        parts = [vectors[start:end] for start, end in pairwise([0, *cuts, len(topics)])]
        return sum(float(((part - part.mean(axis=0)) ** 2).sum()) for part in parts) + border * len(cuts)

    every = [[], *([at] for at in range(LEAST, len(topics) - LEAST + 1))]
    every += [[a, b] for a in range(LEAST, len(topics)) for b in range(a + LEAST, len(topics) - LEAST + 1)]
    assert cost(borders(vectors.astype(np.float32), border)) == pytest.approx(min(map(cost, every)), abs=1e-5)


def test_a_higher_border_makes_no_more_segments() -> None:
    chance = np.random.default_rng(0)
    rows = chance.normal(size=(60, 8))
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    counts = [len(segments(vectors, [1] * 60, border)) for border in (0.0, 0.5, 1.0, 2.0, 4.0, 60.0)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1] == 1
