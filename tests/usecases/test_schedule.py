"""Times of day, days of the week and pauses as people type them."""

from __future__ import annotations

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest

from bot.usecases.schedule import days_from, quiet_from, times_from, until

NOW = datetime(2026, 11, 4, 15, 30, tzinfo=UTC)
"""A Wednesday."""


@pytest.mark.parametrize(
    ("words", "times"),
    [
        ("12:00 18:30", (time(12), time(18, 30))),
        ("6 pm and 9am", (time(9), time(18))),
        ("21:00, 8.15; 8.15", (time(8, 15), time(21))),
        ("18h30", (time(18, 30),)),
        ("noon, midnight", (time(), time(12))),
        ("12 am", (time(),)),
        ("12 pm", (time(12),)),
        ("25:00", None),
        ("13 pm", None),
        ("12:00 or so", None),
        ("", None),
    ],
)
def test_times_of_day(words: str, times: tuple[time, ...] | None) -> None:
    assert times_from(words) == times


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("22:00-08:00", (time(22), time(8))),
        ("10 pm to 7 am", (time(22), time(7))),
        ("between 22 and 8", (time(22), time(8))),
        ("22:00", None),
        ("late-early", None),
    ],
)
def test_quiet_hours(words: str, span: tuple[time, time] | None) -> None:
    assert quiet_from(words) == span


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("mon-fri", (0, 1, 2, 3, 4)),
        ("Saturday, Sunday", (5, 6)),
        ("weekends", (5, 6)),
        ("fri - mon", (0, 4, 5, 6)),
        ("on tuesdays and thu", (1, 3)),
        ("every", ()),
        ("mon-sun", ()),
        ("someday", None),
        ("", None),
    ],
)
def test_days_of_the_week(words: str, days: tuple[int, ...] | None) -> None:
    assert days_from(words) == days


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("2 weeks", datetime(2026, 11, 18, 15, 30, tzinfo=UTC)),
        ("a month", datetime(2026, 12, 4, 15, 30, tzinfo=UTC)),
        ("for 3 days", datetime(2026, 11, 7, 15, 30, tzinfo=UTC)),
        ("tomorrow", datetime(2026, 11, 4, 23, tzinfo=UTC)),
        ("until friday", datetime(2026, 11, 5, 23, tzinfo=UTC)),
        ("until wednesday", datetime(2026, 11, 10, 23, tzinfo=UTC)),
        ("next week", datetime(2026, 11, 8, 23, tzinfo=UTC)),
        ("until 3 May", datetime(2027, 5, 2, 22, tzinfo=UTC)),
        ("until December", datetime(2026, 11, 30, 23, tzinfo=UTC)),
        ("until 2026-11-20", datetime(2026, 11, 19, 23, tzinfo=UTC)),
        ("yesterday", None),
        ("last week", None),
        ("3 days ago", None),
        ("until 2026-11-01", None),
        ("50 years", None),
        ("9999 years", None),
        ("until I am back", None),
        ("sıx days", None),
        ("untıl friday", None),
    ],
)
def test_a_pause_ends_at_a_moment_to_come_by_the_clock_of_the_person(words: str, end: datetime | None) -> None:
    assert until(words, NOW, ZoneInfo("Europe/Berlin")) == end
