"""A year of check-ins in every zone, and lives with broken clocks: none in quiet hours, none twice, none lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.care.policy import next_due, why_not
from bot.config import Care
from bot.domain import CareWishes, Circumstances
from bot.errors import BadInput
from lab.evaluation import care_year
from lab.evaluation.care_year import LIVES, alike, clock_of, days_of, lived, measure

DAILY = Care(every_days=1, per_week=7)
START = datetime(2028, 1, 3, tzinfo=UTC)
PATIENT = DAILY.model_copy(update={"back_off_after": 999, "stop_after": 1000})
TICK = timedelta(minutes=20)
GRACE = timedelta(minutes=90)
ZONES = ("Europe/Berlin", "Pacific/Apia", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Cairo")


@pytest.mark.parametrize(("year", "lives"), [(2011, (1, 4)), (2028, (1, 2, 3, 4))])
def test_nobody_in_any_zone_is_disturbed_written_to_twice_or_forgotten(year: int, lives: Sequence[int]) -> None:
    """The usual times in every zone; the odd ones, and another year, where clocks change in that year."""
    zones = alike(available_timezones(), year)
    assert sum(zones.values()) == len(available_timezones())
    changing = {zone: people for zone, people in zones.items() if len(clock_of(zone, year)) > 1}
    assert len(changing) > 20
    for number, group in ((0, zones if year == 2028 else changing), *((life, changing) for life in lives)):
        row = measure(group, year, LIVES[number])
        days = sum(len(days_of(zone, year)) * people for zone, people in group.items())
        assert (row.zones, row.days, row.sent) == (sum(group.values()), days, days), LIVES[number]
        assert (row.quiet, row.doubles, row.lost, row.elsewhere, row.refused) == (0, 0, 0, 0, 0), LIVES[number]


def test_the_year_has_its_leap_day_and_misses_the_day_that_samoa_left_out() -> None:
    assert date(2028, 2, 29) in days_of(ZoneInfo("Asia/Tokyo"), 2028)
    assert len(days_of(ZoneInfo("Pacific/Apia"), 2011)) == 364
    assert date(2011, 12, 30) not in days_of(ZoneInfo("Pacific/Apia"), 2011)


def test_zones_that_go_alike_are_lived_through_once() -> None:
    assert alike(["Europe/Berlin", "Europe/Paris", "Europe/London"], 2028) == {
        ZoneInfo("Europe/Berlin"): 2,
        ZoneInfo("Europe/London"): 1,
    }


def test_the_year_notices_what_goes_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy that is an hour late after June, and sends twice on one day of it."""
    real, twice = next_due, datetime(2028, 7, 1, 10, tzinfo=UTC)

    def wrong(now: datetime, *rest: object) -> datetime | None:
        due = real(now, *rest)  # type: ignore[arg-type]
        if due is None or due.month < 7:
            return due
        return twice if now < twice else due + timedelta(hours=11)

    monkeypatch.setattr(care_year, "next_due", wrong)
    monkeypatch.setattr(care_year, "why_not", lambda *_: None)
    row = lived(ZoneInfo("Europe/Berlin"), 2028, LIVES[0])
    assert row.quiet
    assert row.lost
    assert row.elsewhere


def test_the_command_prints_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert care_year.run(["Europe/Berlin"], 2028) == 0
    assert "366" in capsys.readouterr().out
    with pytest.raises(BadInput, match="Europe/Berlin"):
        care_year.run(["Nowhere"], 2028)
    with pytest.raises(BadInput, match="year"):
        care_year.run([], 3000)


class Life:
    """One person's check-ins as the loop handles them: planned, looked at at ticks, late ones skipped."""

    def __init__(self, wishes: CareWishes, rules: Care) -> None:
        self.wishes = wishes
        self.rules = rules
        self.sent: list[tuple[datetime, str]] = []
        self.unanswered = 0
        self.plan(START)

    @property
    def circumstances(self) -> Circumstances:
        """As the store tells them: what is dated later than now counts as now."""
        moments = tuple(min(moment, self.now) for moment, _ in self.sent[-10:])
        return Circumstances(sent=moments, unanswered=self.unanswered)

    def plan(self, now: datetime) -> None:
        self.now = now
        self.due = next_due(now, self.wishes, self.circumstances, self.rules, "key")
        assert self.due is None or self.due > now

    def move(self, zone: str) -> None:
        self.wishes = replace(self.wishes, zone=zone)
        self.plan(self.now)

    def tick(self, now: datetime) -> None:
        self.now = now
        if self.due is None or now < self.due:
            if self.due is not None and self.due > now + timedelta(days=30):  # of a clock that was ahead
                self.plan(now)
            return
        if now - self.due <= GRACE and why_not(now, self.wishes, self.circumstances, self.rules) is None:
            self.sent.append((now, self.wishes.zone))
            self.unanswered += 1
        self.plan(now)


WISHES = CareWishes("a", on=True, zone="Europe/Berlin")
GAPS = st.sampled_from([timedelta(hours=hours) for hours in (1, 3, 10, 30, 7 * 24)])


def ticks(days: int, gaps: Sequence[timedelta]) -> Iterator[datetime]:
    """Ticks of a program that is away after each five days, for these spans."""
    now, end, left = START, START + timedelta(days=days), list(gaps)
    away = START + timedelta(days=5)
    while now < end:
        yield now
        now += TICK
        if left and now >= away:
            now += left.pop()
            away = now + timedelta(days=5)


def check(life: Life) -> None:
    """None in quiet hours, none twice on a day of the zone that it was sent in."""
    days = Counter((moment.astimezone(ZoneInfo(zone)).date(), zone) for moment, zone in life.sent)
    assert all(times == 1 for times in days.values())
    for moment, zone in life.sent:
        assert time(8) <= moment.astimezone(ZoneInfo(zone)).time() < time(22)


@settings(max_examples=12, deadline=None)
@given(gaps=st.lists(GAPS, max_size=4))
def test_offline_and_suspended_nothing_comes_in_a_burst_or_is_late(gaps: list[timedelta]) -> None:
    life = Life(WISHES, PATIENT)
    seen = list(ticks(30, gaps))
    for now in seen:
        life.tick(now)
    check(life)
    there = {now.astimezone(ZoneInfo("Europe/Berlin")).date() for now in seen}
    assert len(life.sent) >= len(there) - 2 * len(gaps) - 1


def test_a_week_offline_costs_its_days_and_no_more() -> None:
    life = Life(WISHES, PATIENT)
    for now in ticks(20, [timedelta(days=7)]):
        life.tick(now)
    local = [moment.astimezone(ZoneInfo("Europe/Berlin")).date() for moment, _ in life.sent]
    assert local == [date(2028, 1, day) for day in (*range(3, 8), *range(15, 23))]


@settings(max_examples=12, deadline=None)
@given(moves=st.lists(st.sampled_from(ZONES), min_size=1, max_size=8), hours=st.integers(7, 60))
def test_who_moves_to_other_zones_gets_at_most_one_a_day_there(moves: list[str], hours: int) -> None:
    life, left = Life(WISHES, PATIENT), list(moves)
    for number, now in enumerate(ticks(25, [])):
        life.tick(now)
        if left and number % (3 * hours) == 3 * hours - 1:
            life.move(left.pop())
    check(life)
    for (before, _), (after, zone) in pairwise(life.sent):
        assert before.astimezone(ZoneInfo(zone)).date() < after.astimezone(ZoneInfo(zone)).date()
    assert len(life.sent) >= 25 - 2 * len(moves)


@settings(max_examples=12, deadline=None)
@given(jumps=st.lists(st.tuples(st.integers(1, 400), st.integers(-20_000, 20_000)), max_size=5))
def test_a_clock_that_jumps_sends_no_burst_and_nothing_at_night(jumps: list[tuple[int, int]]) -> None:
    """`jumps`: after so many ticks, the clock is so many hours wrong until the next."""
    life, now, wrong, jumps_left = Life(WISHES, PATIENT), START, timedelta(), list(jumps)
    wait, days = 0, 30
    for number in range(days * 72):
        if jumps_left and wait == 0:
            wait, hours = jumps_left.pop()
            wrong = timedelta(hours=hours)
        wait = max(wait - 1, 0)
        life.tick(now + number * TICK + (wrong if jumps_left or wait else timedelta()))
    local = [moment.astimezone(ZoneInfo("Europe/Berlin")) for moment, _ in life.sent]
    assert all(time(8) <= moment.time() < time(22) for moment in local)
    assert len(life.sent) <= days + 2 * len(jumps) + 1


def test_after_a_clock_that_was_a_year_ahead_it_goes_on_as_before() -> None:
    life = Life(WISHES, PATIENT)
    life.tick(START + timedelta(days=400))
    assert life.due is not None
    assert life.due > START + timedelta(days=400)
    for number in range(3 * 72):
        life.tick(START + number * TICK)
    assert len(life.sent) == 3


@settings(max_examples=25, deadline=None)
@given(every=st.integers(1, 9), most=st.integers(1, 7), minor=st.booleans(), days=st.integers(0, 127))
def test_intervals_weeks_and_days_hold_all_year(every: int, most: int, minor: bool, days: int) -> None:
    rules = Care(every_days=every, per_week=most, minor_per_week=min(most, 2))
    chosen = tuple(day for day in range(7) if days >> day & 1)
    sent = _year(replace(WISHES, days=chosen), rules, minor=minor)
    wanted = min(most, 2) if minor else most
    assert sent == _greedy(chosen, every, wanted)


def _greedy(chosen: Sequence[int], every: int, most: int) -> list[date]:
    """Each day in turn, by the rules in plain words."""
    sent: list[date] = []
    for number in range(366):
        today = START.date() + timedelta(days=number)
        week = [day for day in sent if today - day < timedelta(days=7)]
        apart = not sent or (today - sent[-1]).days >= every
        if apart and len(week) < most and (not chosen or today.weekday() in chosen):
            sent.append(today)
    return sent


def _year(wishes: CareWishes, rules: Care, *, minor: bool) -> list[date]:
    sent: list[datetime] = []
    now, end = START, START + timedelta(days=366)
    while now < end:
        circumstances = Circumstances(sent=tuple(sent[-10:]), minor=minor)
        due = next_due(now, wishes, circumstances, rules, "key")
        assert due is not None
        assert why_not(due, wishes, circumstances, rules) is None
        sent.append(due)
        now = due
    sent = [moment for moment in sent if moment < end]
    return [moment.astimezone(ZoneInfo(wishes.zone)).date() for moment in sent]
