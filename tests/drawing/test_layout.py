"""Where the parts of a timeline's picture stand."""

from __future__ import annotations

import unicodedata
from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from bot.domain import Relation
from bot.drawing.layout import (
    ELLIPSIS,
    GAP,
    MARGIN,
    MOST_LANES,
    NEAREST_CARD,
    TIME_X,
    WIDTH,
    Arrow,
    Plan,
    plan,
    shortened,
    wrap,
)
from bot.drawing.scene import Card, Note, Scene
from tests.drawing.scenes import EDGE, scene


def measure(text: str, size: int, bold: bool) -> float:
    return sum(not unicodedata.combining(letter) for letter in text) * size * 0.6


def span(arrow: Arrow) -> tuple[float, float]:
    return arrow.start_y, max(arrow.heads)


@st.composite
def graphs(draw: st.DrawFn) -> list[EDGE]:
    """Any edges between twelve cards, one at most between two."""
    pairs = st.sampled_from(list(combinations(range(12), 2)))
    chosen = draw(st.lists(pairs, unique=True, max_size=25))
    return [(older, newer, draw(st.sampled_from(list(Relation)))) for older, newer in sorted(chosen)]


@given(st.text(max_size=300), st.integers(30, 600))
def test_wrapped_lines_keep_every_letter_in_order_and_fit(text: str, room: int) -> None:
    lines = wrap(text, room, 30, measure, most=10_000)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert all(measure(line, 30, False) <= room for line in lines)


def test_words_are_kept_whole_where_they_fit() -> None:
    assert wrap("one two three four", 8 * 18, 30, measure) == ("one two", "three", "four")
    assert wrap("a " + "b" * 20, 8 * 18, 30, measure) == ("a bbbbbb", "bbbbbbbb", "bbbbbb")
    assert wrap("", 100, 30, measure) == ()
    accented = "e\u0301"
    assert wrap(accented * 10, 8 * 18, 30, measure) == (accented * 8, accented * 2)


def test_what_is_over_the_last_line_is_cut_with_a_mark() -> None:
    lines = wrap("word " * 50, 12 * 18, 30, measure, most=3)
    assert lines == ("word word", "word word", f"word word {ELLIPSIS}")
    assert wrap("word " * 6, 12 * 18, 30, measure, most=3) == ("word word",) * 3


def test_a_date_is_shortened_to_its_room() -> None:
    assert shortened("in #kitchen", 200, 30, measure) == "in #kitchen"
    assert shortened("in #kitchen", 10 * 18, 30, measure) == f"in #kitc {ELLIPSIS}"
    assert shortened("in", 1, 30, measure) == ELLIPSIS


def test_cards_follow_each_other_and_end_before_the_picture_does() -> None:
    laid = plan(scene(["short", "long " * 60, "short"]), measure)
    for upper, lower in pairwise(laid.cards):
        assert lower.top == upper.top + upper.height + GAP
    last = laid.cards[-1]
    assert last.top + last.height + MARGIN <= laid.height + 1
    assert laid.cards[1].height > laid.cards[0].height
    assert laid.card_x == NEAREST_CARD


@given(graphs())
def test_arrows_lead_from_the_older_card_to_their_notes_in_lanes_of_their_own(edges: list[EDGE]) -> None:
    laid = plan(scene(["words"] * 12, edges), measure)
    lanes = {arrow.lane_x for arrow in laid.arrows}
    assert len(lanes) <= MOST_LANES
    assert all(TIME_X + 15 < lane < laid.card_x - 15 for lane in lanes)
    assert laid.card_x < WIDTH / 3
    for one, other in combinations(laid.arrows, 2):
        if one.lane_x == other.lane_x:
            first, second = sorted((span(one), span(other)))
            assert first[1] < second[0]
    check_ends(laid, edges)


def check_ends(laid: Plan, edges: list[EDGE]) -> None:
    """Every arrow begins inside its older card, and its heads are notes of the same relation there."""
    starts = [arrow.start_y for arrow in laid.arrows]
    assert len(set(starts)) == len(starts)
    for arrow in laid.arrows:
        [older] = [n for n, one in enumerate(laid.cards) if one.top < arrow.start_y < one.top + one.height]
        newer = {end for start, end, relation in edges if (start, relation) == (older, arrow.relation)}
        found = {
            (n, number)
            for n, one in enumerate(laid.cards)
            for number, note in enumerate(one.card.notes)
            if one.note_y(number) in arrow.heads and note.relation is arrow.relation and note.older == older
        }
        assert {n for n, _ in found} == newer
        assert len(found) == len(arrow.heads)


def ends(edges: list[EDGE], arrow: Arrow, laid: Plan) -> tuple[int, set[int]]:
    """The number of the card that an arrow begins at, and of those where it ends."""
    [older] = [n for n, one in enumerate(laid.cards) if one.top < arrow.start_y < one.top + one.height]
    return older, {newer for start, newer, relation in edges if (start, relation) == (older, arrow.relation)}


def cross(one: Arrow, other: Arrow) -> bool:
    """Whether one of two lines passes through the lane of the other, on its way from or to the cards."""
    outer, inner = sorted((one, other), key=lambda arrow: arrow.lane_x)
    begins, finishes = span(inner)
    return outer.lane_x < inner.lane_x and any(begins < y < finishes for y in (outer.start_y, *outer.heads))


def entwined(one: tuple[int, set[int]], other: tuple[int, set[int]]) -> bool:
    """Whether two lines cross however they are drawn: an end of one lies between two ends of the other, both ways."""
    (first, firsts), (second, seconds) = sorted((one, other), key=lambda each: each[0])
    inside = {first, *firsts} & set(range(second + 1, max(seconds)))
    around = {second, *seconds} & set(range(first + 1, max(firsts)))
    return bool(inside and around)


@given(graphs())
def test_lines_cross_only_where_they_have_to(edges: list[EDGE]) -> None:
    newest_first = sorted(edges, key=lambda edge: -edge[0])  # as notes stand on a card
    laid = plan(scene(["words"] * 12, newest_first), measure)
    for one, other in combinations(laid.arrows, 2):
        assert not cross(one, other) or entwined(ends(edges, one, laid), ends(edges, other, laid))


def test_no_line_crosses_another_in_a_story_that_can_be_drawn_without() -> None:
    cause, changed, react = Relation.CAUSE, Relation.CHANGED, Relation.REACT
    story = [
        (2, 3, react),
        (4, 5, react),
        (3, 4, cause),
        (1, 4, changed),
        (1, 5, cause),
        (0, 1, react),
        (0, 5, changed),
    ]
    newest_first = sorted(story, key=lambda edge: -edge[0])
    laid = plan(scene(["words"] * 6, newest_first), measure)
    assert len(laid.arrows) == len(story)
    assert not [pair for pair in combinations(laid.arrows, 2) if cross(*pair)]
    entwining = plan(scene(["words"] * 4, [(1, 3, cause), (0, 2, react)]), measure)
    assert cross(*entwining.arrows), "the test sees a crossing"


def test_arrows_of_one_relation_from_one_card_share_a_lane() -> None:
    cause, want = Relation.CAUSE, Relation.WANT
    laid = plan(scene(["words"] * 4, [(0, 1, cause), (0, 2, cause), (0, 3, want)]), measure)
    assert [(arrow.relation, len(arrow.heads)) for arrow in laid.arrows] == [(want, 1), (cause, 2)]
    outer, inner = laid.arrows
    assert outer.lane_x < inner.lane_x
    assert outer.start_y < inner.start_y


def test_an_arrow_that_finds_no_lane_is_left_to_its_words() -> None:
    edges = [(0, number, relation) for number, relation in enumerate(Relation, start=1)]
    laid = plan(scene(["words"] * 8, edges), measure)
    assert len(laid.arrows) == MOST_LANES
    assert sum(len(one.card.notes) for one in laid.cards) == len(Relation)


def test_a_note_about_what_is_not_in_the_picture_has_no_arrow() -> None:
    card = Card("e9", "1 May 2026", "words", notes=(Note(Relation.CAUSE, "because of e2"),))
    laid = plan(Scene("t", "s", (card,), "light", (), ""), measure)
    assert laid.arrows == ()
    assert laid.cards[0].note_y(0) > laid.cards[0].date_y
