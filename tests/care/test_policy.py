"""When a check-in may be sent, and why not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.care.calendar import end_of, is_within, moment_of, zone_named
from bot.care.policy import is_farewell_due, next_due, times_of, why_not, zone_of
from bot.config import Care
from bot.domain import CareWishes, Circumstances, Why

BERLIN = ZoneInfo("Europe/Berlin")
EXACT = Care(jitter_minutes=0)
DAILY = Care(jitter_minutes=0, every_days=1, per_week=7)
WISHES = CareWishes("a", on=True, zone="Europe/Berlin")
NOTHING = Circumstances()
ZONES = sorted(available_timezones())
BEGINNING = datetime(2024, 1, 1, tzinfo=UTC)
NEVER_QUIET = (time(), time())
NOW = datetime(2026, 6, 3, 12, 30, tzinfo=BERLIN)
"""A Wednesday."""


def due(after: datetime, wishes: CareWishes = WISHES, so_far: Circumstances = NOTHING, rules: Care = EXACT) -> datetime:
    found = next_due(after, wishes, so_far, rules, "key")
    assert found is not None
    assert found > after
    assert found.tzinfo is UTC
    return found


def at(day: int, hour: int, minute: int = 0, month: int = 6) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=BERLIN)


# Why not.


@pytest.mark.parametrize(
    ("wishes", "circumstances", "rules", "why"),
    [
        ({}, {}, {}, None),
        ({"on": False}, {"held": True}, {}, Why.OFF),
        ({}, {}, {"enabled": False}, Why.OFF),
        ({"zone": ""}, {}, {}, Why.ZONE),
        ({"zone": "Europe"}, {}, {}, Why.ZONE),
        ({"zone": "Atlantis/Gone"}, {}, {"zone": "Europe/Berlin"}, Why.ZONE),
        ({"zone": ""}, {}, {"zone": "Europe/Berlin"}, None),
        ({}, {"held": True}, {}, Why.HELD),
        ({}, {"agreed": False}, {}, Why.CONSENT),
        ({}, {"refused": True}, {}, Why.REFUSED),
        ({}, {"waiting": True}, {}, Why.TALKING),
        ({}, {"unanswered": 5}, {}, None),
        ({}, {"unanswered": 6}, {}, Why.UNANSWERED),
        ({"paused_until": NOW + timedelta(seconds=1)}, {}, {}, Why.PAUSED),
        ({"paused_until": NOW}, {}, {}, None),
        ({}, {"helped": NOW - timedelta(days=14)}, {}, None),
        ({}, {"helped": NOW - timedelta(days=13, hours=23)}, {}, Why.HELP),
        ({}, {"last_said": NOW - timedelta(hours=12)}, {}, None),
        ({}, {"last_said": NOW - timedelta(hours=11, minutes=59)}, {}, Why.TALKING),
        ({"quiet": (time(12, 30), time(13))}, {}, {}, Why.QUIET),
        ({"quiet": (time(11), time(12, 30))}, {}, {}, None),
        ({"quiet": (time(23), time(12, 31))}, {}, {}, Why.QUIET),
        ({"quiet": NEVER_QUIET}, {}, {"quiet_from": time(12), "quiet_until": time(13)}, None),
        ({}, {}, {"quiet_from": time(12), "quiet_until": time(13)}, Why.QUIET),
        ({"days": (0, 1, 3)}, {}, {}, Why.DAY),
        ({"days": (2,)}, {}, {}, None),
        ({}, {"sent": (at(2, 0, 1),)}, {}, Why.OFTEN),
        ({}, {"sent": (at(1, 23, 59),)}, {}, None),
        ({"every_days": 1}, {"sent": (at(3, 0, 1),)}, {}, Why.OFTEN),
        ({"every_days": 1}, {"sent": (at(2, 23, 59),)}, {}, None),
        ({"every_days": 3}, {"sent": (at(1, 12),)}, {}, Why.OFTEN),
        ({}, {"sent": (at(9, 12),)}, {}, Why.OFTEN),
        ({"every_days": 1}, {"sent": (at(28, 0, 1, 5), at(30, 12, 0, 5), at(1, 12))}, {}, Why.WEEK),
        ({"every_days": 1}, {"sent": (at(27, 23, 59, 5), at(30, 12, 0, 5), at(1, 12))}, {}, None),
        ({}, {"sent": (at(31, 12, 0, 5),), "minor": True}, {}, Why.WEEK),
        ({}, {"sent": (at(27, 12, 0, 5),), "minor": True}, {}, None),
        ({}, {"sent": (at(31, 12, 0, 5),), "minor": True}, {"per_week": 1, "minor_per_week": 7}, Why.WEEK),
        ({}, {"sent": (at(31, 12, 0, 5),), "unanswered": 1}, {}, None),
        ({}, {"sent": (at(31, 12, 0, 5),), "unanswered": 2}, {}, Why.UNANSWERED),
        ({}, {"sent": (at(30, 12, 0, 5),), "unanswered": 2}, {}, None),
    ],
)
def test_why_not(wishes: dict[str, Any], circumstances: dict[str, Any], rules: dict[str, Any], why: Why | None) -> None:
    given_rules = EXACT.model_copy(update=rules)
    assert why_not(NOW, replace(WISHES, **wishes), replace(NOTHING, **circumstances), given_rules) is why


def test_while_backing_off_a_week_counts_as_two() -> None:
    wishes, sent = replace(WISHES, every_days=1), (at(25, 12, 0, 5), at(26, 12, 0, 5), at(27, 12, 0, 5))
    assert why_not(NOW, wishes, Circumstances(sent=sent, unanswered=1), EXACT) is None
    assert why_not(NOW, wishes, Circumstances(sent=sent, unanswered=2), EXACT) is Why.UNANSWERED
    assert due(NOW, wishes, Circumstances(sent=sent, unanswered=2)) == at(8, 12)


def test_one_farewell_line_and_then_nothing() -> None:
    assert [n for n in range(10) if is_farewell_due(Circumstances(unanswered=n), EXACT)] == [5]
    assert why_not(NOW, WISHES, Circumstances(unanswered=5), EXACT) is None
    assert why_not(NOW, WISHES, Circumstances(unanswered=6), EXACT) is Why.UNANSWERED


# When next.


def test_the_times_of_a_day_in_turn() -> None:
    assert due(at(3, 0)) == at(3, 12)
    assert due(at(3, 12)) == at(3, 18)
    assert due(at(3, 18)) == at(3, 21)
    assert due(at(3, 21)) == at(4, 12)
    assert due(at(3, 11, 59).astimezone(timezone(timedelta(hours=-9)))) == at(3, 12)


def test_a_persons_own_times_and_days() -> None:
    wishes = replace(WISHES, times=(time(9, 15), time(20)), days=(0, 4))
    assert due(at(3, 0), wishes) == at(5, 9, 15)
    assert due(at(5, 9, 15), wishes) == at(5, 20)
    assert due(at(5, 20), wishes) == at(8, 9, 15)


def test_who_wants_none_or_can_get_none_has_nothing_planned() -> None:
    for wishes in (
        replace(WISHES, on=False),
        replace(WISHES, zone=""),
        replace(WISHES, zone="No/Where"),
        replace(WISHES, times=(time(23), time(7))),
        replace(WISHES, paused_until=datetime(9999, 12, 31, tzinfo=UTC)),
    ):
        assert next_due(NOW, wishes, NOTHING, EXACT, "key") is None


def test_it_plans_around_all_that_is_known() -> None:
    assert due(NOW, replace(WISHES, paused_until=at(20, 13))) == at(20, 18)
    assert due(NOW, replace(WISHES, paused_until=at(20, 18))) == at(20, 18)
    assert due(NOW, replace(WISHES, paused_until=NOW + timedelta(days=5000))) > NOW + timedelta(days=5000)
    assert due(NOW, so_far=Circumstances(last_said=at(3, 12))) == at(4, 12)
    assert due(NOW, so_far=Circumstances(helped=at(3, 19))) == at(17, 21)
    assert due(NOW, so_far=Circumstances(sent=(at(3, 12),))) == at(5, 12)
    assert due(NOW, so_far=Circumstances(sent=(at(3, 12),), unanswered=2)) == at(7, 12)
    assert due(NOW, replace(WISHES, every_days=30), Circumstances(sent=(at(3, 12),))) == at(3, 12, 0, 7)
    assert due(NOW, so_far=Circumstances(sent=(at(3, 12),), minor=True)) == at(10, 12)
    assert due(NOW, replace(WISHES, days=(2,)), Circumstances(sent=(at(3, 12),), unanswered=4)) == at(10, 12)
    assert due(NOW, replace(WISHES, every_days=10**9), Circumstances(sent=(at(3, 12),))).year == 2036


def test_what_ends_only_when_something_happens_is_looked_at_once_a_day() -> None:
    for so_far in (
        Circumstances(held=True),
        Circumstances(agreed=False),
        Circumstances(refused=True),
        Circumstances(waiting=True),
        Circumstances(unanswered=6),
    ):
        assert due(at(3, 12), so_far=so_far) == at(4, 12)
    assert due(at(3, 12), rules=EXACT.model_copy(update={"enabled": False})) == at(4, 12)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_what_is_planned_is_not_refused_for_what_was_known(data: st.DataObject) -> None:
    moments = st.integers(0, 6 * 366 * 86_400).map(lambda seconds: BEGINNING + timedelta(seconds=seconds))
    clock_times = st.integers(0, 1439).map(lambda minute: time(minute // 60, minute % 60))
    wishes = CareWishes(
        "a",
        on=True,
        zone=data.draw(st.sampled_from(ZONES)),
        times=tuple(sorted(data.draw(st.sets(clock_times, max_size=4)))),
        days=tuple(sorted(data.draw(st.sets(st.integers(0, 6))))),
        quiet=data.draw(st.none() | st.tuples(clock_times, clock_times)),
        every_days=data.draw(st.none() | st.integers(1, 60)),
        paused_until=data.draw(st.none() | moments),
    )
    so_far = Circumstances(
        last_said=data.draw(st.none() | moments),
        sent=tuple(sorted(data.draw(st.lists(moments, max_size=10)))),
        unanswered=data.draw(st.integers(0, 5)),
        helped=data.draw(st.none() | moments),
        minor=data.draw(st.booleans()),
    )
    rules = Care(
        jitter_minutes=data.draw(st.sampled_from([0, 20, 240])),
        per_week=data.draw(st.integers(1, 7)),
        minor_per_week=data.draw(st.integers(1, 7)),
        every_days=data.draw(st.integers(1, 9)),
    )
    after = data.draw(moments)
    found = next_due(after, wishes, so_far, rules, "key")
    if not times_of(wishes, rules):
        assert found is None
        return
    assert found is not None
    assert found > after
    assert found.microsecond == 0
    assert why_not(found, wishes, so_far, rules) is None
    assert next_due(found - timedelta(seconds=1), wishes, so_far, rules, "key") == found
    assert next_due(after, wishes, so_far, rules, "key") == found


# Clocks that change.


def on(zone: str, *when: int, wishes: CareWishes = WISHES, chosen: time, rules: Care = DAILY) -> list[str]:
    """Three days' moments, as the clock there shows them, with its offset."""
    there = ZoneInfo(zone)
    person = replace(wishes, zone=zone, times=(chosen,), quiet=wishes.quiet or NEVER_QUIET)
    moments, now = [], moment_of(date(*when), time(), there) - timedelta(seconds=1)
    for _ in range(3):
        now = due(now, person, rules=rules)
        moments.append(f"{now.astimezone(there):%d %H:%M %z}")
    return moments


def test_a_time_that_clocks_leap_over_comes_once_right_after() -> None:
    hour = on("Europe/Berlin", 2026, 3, 28, chosen=time(2, 30))
    assert hour == [
        "28 02:30 +0100",
        "29 03:00 +0200",
        "30 02:30 +0200",
    ]
    half_an_hour = on("Australia/Lord_Howe", 2026, 10, 3, chosen=time(2, 15))
    assert half_an_hour == ["03 02:15 +1030", "04 02:30 +1100", "05 02:15 +1100"]
    midnight = on("Africa/Cairo", 2026, 4, 23, chosen=time(0, 30))
    assert midnight == ["23 00:30 +0200", "24 01:00 +0300", "25 00:30 +0300"]
    ramadan = on("Africa/Casablanca", 2026, 3, 21, chosen=time(2, 30))
    assert ramadan == ["21 02:30 +0000", "22 03:00 +0100", "23 02:30 +0100"]


def test_a_time_that_clocks_show_twice_comes_once_the_first_time() -> None:
    hour = on("Europe/Berlin", 2026, 10, 24, chosen=time(2, 30))
    assert hour == [
        "24 02:30 +0200",
        "25 02:30 +0200",
        "26 02:30 +0100",
    ]
    half_an_hour = on("Australia/Lord_Howe", 2026, 4, 4, chosen=time(1, 45))
    assert half_an_hour == ["04 01:45 +1100", "05 01:45 +1100", "06 01:45 +1030"]
    ramadan = on("Africa/Casablanca", 2026, 2, 14, chosen=time(2, 30))
    assert ramadan == ["14 02:30 +0100", "15 02:30 +0100", "16 02:30 +0000"]


def test_a_leap_at_the_end_of_a_day_or_into_quiet_hours_is_not_passed() -> None:
    late = on("America/Nuuk", 2026, 3, 28, chosen=time(23, 30))
    assert late == ["28 22:30 -0200", "29 23:30 -0100", "30 23:30 -0100"]
    quiet = replace(WISHES, quiet=(time(3), time(9)))
    night = on("Europe/Berlin", 2026, 3, 28, wishes=quiet, chosen=time(2, 30))
    assert night == ["28 02:30 +0100", "29 01:30 +0100", "30 02:30 +0200"]


def test_days_that_are_left_out_and_leap_days() -> None:
    assert on("Pacific/Apia", 2011, 12, 29, chosen=time(12)) == ["29 12:00 -1000", "31 12:00 +1400", "01 12:00 +1400"]
    assert on("Asia/Kathmandu", 2028, 2, 28, chosen=time(12)) == ["28 12:00 +0545", "29 12:00 +0545", "01 12:00 +0545"]


@pytest.mark.parametrize(
    "zone", ["Europe/Berlin", "Africa/Cairo", "America/Nuuk", "Pacific/Apia", "Australia/Lord_Howe"]
)
def test_moments_follow_the_clock(zone: str) -> None:
    """Later times are never earlier moments, and a day ends where the next begins."""
    there = ZoneInfo(zone)
    for number in range(366):
        day = date(2011, 1, 1) + timedelta(days=number)
        moments = [moment_of(day, time(quarter // 4, quarter % 4 * 15), there) for quarter in range(96)]
        assert moments == sorted(moments)
        assert end_of(day, there) == moment_of(day + timedelta(days=1), time(), there) >= moments[-1]
        assert (end_of(day, there) - timedelta(seconds=1)).astimezone(there).date() <= day


def test_spans_of_the_clock() -> None:
    night = (time(22), time(8))
    assert [hour for hour in range(24) if is_within(time(hour), night)] == [0, 1, 2, 3, 4, 5, 6, 7, 22, 23]
    assert [hour for hour in range(24) if is_within(time(hour), (time(1), time(3)))] == [1, 2]
    assert not is_within(time(5), (time(5), time(5)))


def test_zones_by_name() -> None:
    assert zone_named("Europe/Berlin") == BERLIN
    assert [zone_named(name) for name in ("", "Europe", "Nowhere", "../etc/passwd", "a\0b")] == [None] * 5
    assert zone_of(replace(WISHES, zone=""), Care(zone="Asia/Tokyo")) == ZoneInfo("Asia/Tokyo")


# Jitter.


def test_people_of_one_moment_are_spread_evenly_and_always_alike() -> None:
    rules = Care(jitter_minutes=20)
    delays = [
        (found - at(4, 12)).total_seconds() / 60
        for number in range(1000)
        if (found := next_due(at(3, 22), WISHES, NOTHING, rules, f"person {number}")) is not None
    ]
    assert len(delays) == 1000
    assert 0 <= min(delays) < 1
    assert 19 < max(delays) < 20
    assert 9 < sum(delays) / 1000 < 11
    assert due(at(3, 22), rules=rules) == due(at(3, 23), rules=rules)
    apart = {(due(at(day, 1), rules=rules) - at(day, 12)) for day in range(1, 11)}
    assert len(apart) > 8


@pytest.mark.parametrize("chosen", [time(21, 50), time(21, 59), time(23, 55)])
def test_jitter_never_reaches_into_quiet_hours_or_the_next_day(chosen: time) -> None:
    rules = DAILY.model_copy(update={"jitter_minutes": 240})
    wishes = replace(WISHES, times=(chosen,), quiet=(time(22), time(8)) if chosen < time(22) else NEVER_QUIET)
    end = at(4, 22) if chosen < time(22) else at(5, 0)
    found = [next_due(at(4, 0), wishes, NOTHING, rules, str(number)) for number in range(200)]
    assert all(one is not None and at(4, chosen.hour, chosen.minute) <= one < end for one in found)
    assert len(set(found)) > 30


def test_after_one_time_of_the_day_comes_the_next_also_where_jitter_crosses_them() -> None:
    rules = DAILY.model_copy(update={"jitter_minutes": 240})
    wishes = replace(WISHES, times=(time(12), time(12, 10), time(12, 20)))
    for number in range(50):
        first = next_due(at(4, 0), wishes, NOTHING, rules, str(number))
        moments = [first]
        while moments[-1] is not None and moments[-1] < at(5, 0):
            moments.append(next_due(moments[-1], wishes, NOTHING, rules, str(number)))
        assert len(moments) == 4


def test_a_day_that_is_left_out_gives_no_moment_of_another() -> None:
    apia = ZoneInfo("Pacific/Apia")
    wishes, sent = replace(WISHES, zone="Pacific/Apia", every_days=2), datetime(2011, 12, 28, 12, tzinfo=apia)
    assert due(sent, wishes, Circumstances(sent=(sent,))) == datetime(2011, 12, 31, 12, tzinfo=apia)


def test_jitter_that_ends_in_quiet_hours_which_clocks_go_back_to_is_dropped() -> None:
    quiet = (time(2, 15), time(2, 45))
    wishes, rules = replace(WISHES, times=(time(2, 50),), quiet=quiet), DAILY.model_copy(update={"jitter_minutes": 60})
    for number in range(100):
        found = next_due(at(24, 12, month=10), wishes, NOTHING, rules, str(number))
        assert found is not None
        assert not is_within(found.astimezone(BERLIN).time(), quiet)


def test_the_order_of_what_was_sent_does_not_matter() -> None:
    sent = (at(3, 12), at(31, 12, month=5), at(1, 12))
    assert due(NOW, so_far=Circumstances(sent=sent)) == due(NOW, so_far=Circumstances(sent=sent[::-1])) == at(7, 12)
