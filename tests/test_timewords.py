"""Times in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.language.timewords import AHEAD, EARLIEST, span_of

NOW = datetime(2026, 11, 18, 15, 30, tzinfo=UTC)
"""A Wednesday."""


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "first", "second"),
    [
        ("today", "2026-11-18", "2026-11-19"),
        ("Yesterday.", "2026-11-17", "2026-11-18"),
        ("the day before yesterday", "2026-11-16", "2026-11-17"),
        ("this morning", "2026-11-18 05:00", "2026-11-18 12:00"),
        ("yesterday evening", "2026-11-17 18:00", "2026-11-18 00:00"),
        ("last night", "2026-11-17 18:00", "2026-11-18 06:00"),
        ("tonight", "2026-11-18 18:00", "2026-11-19 06:00"),
        ("this week", "2026-11-16", "2026-11-23"),
        ("last week", "2026-11-09", "2026-11-16"),
        ("the last weekend", "2026-11-14", "2026-11-16"),
        ("this month", "2026-11-01", "2026-12-01"),
        ("last month", "2026-10-01", "2026-11-01"),
        ("this year", "2026-01-01", "2027-01-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("3 days ago", "2026-11-15", "2026-11-16"),
        ("a week ago", "2026-11-09", "2026-11-16"),
        ("two months ago", "2026-09-01", "2026-10-01"),
        ("11 months ago", "2025-12-01", "2026-01-01"),
        ("2 years ago", "2024-01-01", "2025-01-01"),
        ("monday", "2026-11-16", "2026-11-17"),
        ("on Friday", "2026-11-13", "2026-11-14"),
        ("wednesday", "2026-11-18", "2026-11-19"),
        ("last wednesday", "2026-11-11", "2026-11-12"),
        ("on tuesday morning", "2026-11-17 05:00", "2026-11-17 12:00"),
        ("in may", "2026-05-01", "2026-06-01"),
        ("in December", "2025-12-01", "2026-01-01"),
        ("november", "2026-11-01", "2026-12-01"),
        ("last november", "2025-11-01", "2025-12-01"),
        ("Sept. 2024", "2024-09-01", "2024-10-01"),
        ("december 2024", "2024-12-01", "2025-01-01"),
        ("2026-11-01", "2026-11-01", "2026-11-02"),
        ("1.11.2026", "2026-11-01", "2026-11-02"),
        ("on the 1st of November", "2026-11-01", "2026-11-02"),
        ("24 december", "2025-12-24", "2025-12-25"),
        ("Nov 2nd, 2024", "2024-11-02", "2024-11-03"),
        ("in 2025", "2025-01-01", "2026-01-01"),
        ("2025-12", "2025-12-01", "2026-01-01"),
        ("between monday and tuesday", "2026-11-16", "2026-11-18"),
        ("from 1 may to 3 may", "2026-05-01", "2026-05-04"),
        ("what I told you yesterday", "2026-11-17", "2026-11-18"),
        ("everything I said in may", "2026-05-01", "2026-06-01"),
    ],
)
def test_words_name_a_span(words: str, first: str, second: str) -> None:
    assert span_of(words, NOW) == (at(first), at(second))


def test_spans_without_an_end_reach_beyond_now_and_those_without_a_beginning_to_the_first() -> None:
    assert span_of("since monday", NOW) == (at("2026-11-16"), NOW + AHEAD)
    assert span_of("after monday", NOW) == (at("2026-11-17"), NOW + AHEAD)
    assert span_of("before 2025", NOW) == (EARLIEST, at("2025-01-01"))
    assert span_of("until 2024", NOW) == (EARLIEST, at("2025-01-01"))
    assert span_of("the last hour", NOW) == (NOW - timedelta(hours=1), NOW + AHEAD)
    assert span_of("past two weeks", NOW) == (NOW - timedelta(days=14), NOW + AHEAD)
    assert span_of("last 30 minutes", NOW) == (NOW - timedelta(minutes=30), NOW + AHEAD)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "may",
        "March",
        "my job",
        "last",
        "the last thing",
        "everything",
        "31 june",
        "2026-13-01",
        "2026-02-30",
        "monday morning coffee",
        "this",
        "last morning",
        "today lunch",
        "since my birthday",
        "after 2027",
        "between tuesday and monday",
        "99999 days ago",
        "9999 years ago",
        "an hour ago",
        "01/11/2026",
        "t12",
        "january and me",
        "the sunday roast",
        "in",
        "since",
        "0000-01-01",
    ],
)
def test_what_is_not_understood_whole_is_no_time(words: str) -> None:
    assert span_of(words, NOW) is None


def test_days_are_those_of_the_zone() -> None:
    zone = ZoneInfo("Pacific/Auckland")
    first, second = span_of("today", NOW, zone) or (NOW, NOW)
    assert first == datetime(2026, 11, 19, tzinfo=zone)
    assert second - first == timedelta(days=1)


def test_on_a_monday_last_week_and_last_weekend_are_over() -> None:
    monday = at("2026-11-16 08:00")
    assert span_of("last weekend", monday) == (at("2026-11-14"), at("2026-11-16"))
    assert span_of("last week", monday) == (at("2026-11-09"), at("2026-11-16"))
    assert span_of("monday", monday) == (at("2026-11-16"), at("2026-11-17"))


_parts = st.sampled_from(
    "since before last this the may june monday week days ago 3 31 2026 february between and in of 2nd a".split()
)


@given(st.lists(_parts, max_size=6).map(" ".join) | st.text(max_size=20))
def test_any_words_give_a_span_that_has_an_end_after_its_beginning_or_none(words: str) -> None:
    span = span_of(words, NOW)
    assert span is None or span[0] < span[1]
