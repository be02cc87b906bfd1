"""A year of check-ins in every time zone, by the rules alone: is one ever in quiet hours, twice a day, or lost?

People who want one every day live through the year, each in one zone, at times of day that clocks like to leap over or
to show twice. What comes out is compared with the days that the zone's clock shows, not with the policy's own
arithmetic. Zones whose clocks go alike all year are lived through once and counted as often as there are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from rich.console import Console
from rich.table import Table

from bot.care.policy import next_due, why_not
from bot.config import Care
from bot.domain import CareWishes, Circumstances
from bot.errors import BadInput

STEP = timedelta(hours=12)
"""How finely a zone's clock is read; a change of it is then found to the second."""
AROUND = timedelta(days=2)
"""How much before and after a year is lived through, so that it is whole in every zone."""
REMEMBERED = 10
"""How many of those that were sent the store tells of."""
FIRST_YEAR, LAST_YEAR = 1900, 2100
RULES = Care(every_days=1, per_week=7)

Clock = tuple[tuple[datetime, timedelta], ...]
"""From which moments on a zone has which offset, in a year."""


@dataclass(frozen=True, slots=True)
class Life:
    """What somebody chose who lives through the year."""

    name: str
    times: tuple[time, ...]
    quiet: tuple[time, time]


LIVES = (
    Life("12:00, 18:00, 21:00", (time(12), time(18), time(21)), (time(22), time(8))),
    Life("00:00", (time(),), (time(6), time(22))),
    Life("02:30", (time(2, 30),), (time(6), time(1))),
    Life("21:50, quiet from 22:00", (time(21, 50),), (time(22), time(8))),
    Life("23:50", (time(23, 50),), (time(3), time(21))),
)


@dataclass(frozen=True, slots=True)
class YearRow:
    """What a year gave to people of one life, one in each zone."""

    zones: int = 0
    days: int = 0
    """Days there were, over all people."""
    sent: int = 0
    quiet: int = 0
    """Sent in quiet hours."""
    doubles: int = 0
    """Sent on a day that had one."""
    lost: int = 0
    """Days without one."""
    elsewhere: int = 0
    """Sent at another time than chosen (and jitter), on days that do have that time."""
    refused: int = 0
    """Planned for a moment at which the same rules then said no."""

    def __add__(self, other: YearRow) -> YearRow:
        """Both together."""
        return YearRow(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def __mul__(self, times: int) -> YearRow:
        """As many times the same."""
        return YearRow(*(getattr(self, field.name) * times for field in fields(self)))


@cache
def clock_of(zone: ZoneInfo, year: int) -> Clock:
    """How the clock of a zone goes from two days before the year until two after it."""
    moment, end = datetime(year, 1, 1, tzinfo=UTC) - AROUND, datetime(year + 1, 1, 1, tzinfo=UTC) + AROUND
    changes = [(moment, _offset(moment, zone))]
    while moment < end:
        low, high = moment, moment + STEP
        moment = high
        if _offset(high, zone) == changes[-1][1]:
            continue
        while high - low > timedelta(seconds=1):
            middle = low + timedelta(seconds=(high - low) // timedelta(seconds=2))
            low, high = (middle, high) if _offset(middle, zone) == changes[-1][1] else (low, middle)
        changes.append((high, _offset(high, zone)))
    return tuple(changes)


@cache
def days_of(zone: ZoneInfo, year: int) -> frozenset[date]:
    """The dates that the zone's clock shows in a year."""
    start = datetime(year, 1, 1, tzinfo=UTC) - AROUND
    seen = {(start + step * STEP).astimezone(zone).date() for step in range(2 * 371)}
    return frozenset(day for day in seen if day.year == year)


def lived(zone: ZoneInfo, year: int, life: Life, rules: Care = RULES) -> YearRow:
    """One person's year."""
    wishes = CareWishes(zone.key, on=True, zone=zone.key, times=life.times, quiet=life.quiet)
    sent: list[datetime] = []
    refused = 0
    for moment, said_no in _moments(zone, year, wishes, rules):
        sent.extend(() if said_no else (moment.astimezone(zone),))
        refused += said_no
    days, had = days_of(zone, year), Counter(moment.date() for moment in sent)
    return YearRow(
        zones=1,
        days=len(days),
        sent=len(sent),
        quiet=sum(_is_quiet(moment.time(), *life.quiet) for moment in sent),
        doubles=sum(times - 1 for times in had.values()),
        lost=len(days - set(had)),
        elsewhere=sum(not _is_wanted(moment, life.times, rules.jitter_minutes) for moment in sent),
        refused=refused,
    )


def alike(zones: Iterable[str], year: int) -> dict[ZoneInfo, int]:
    """One of those zones whose clocks go alike all year, and how many they are."""
    groups: defaultdict[Clock, list[ZoneInfo]] = defaultdict(list)
    for name in zones:
        zone = ZoneInfo(name)
        groups[clock_of(zone, year)].append(zone)
    return {group[0]: len(group) for group in groups.values()}


def measure(zones: Mapping[ZoneInfo, int], year: int, life: Life, rules: Care = RULES) -> YearRow:
    """So many people's years in each of these zones, added up."""
    return sum((lived(zone, year, life, rules) * people for zone, people in zones.items()), YearRow())


def run(zones: Sequence[str], year: int) -> int:
    """Prints the table of a year, for these zones or all; returns 1 when a promise was broken. Raises BadInput."""
    known = available_timezones()
    if unknown := [name for name in zones if name not in known]:
        raise BadInput(f"{unknown[0]} is no time zone. They have names such as Europe/Berlin.")
    if not FIRST_YEAR <= year <= LAST_YEAR:
        raise BadInput(f"A year between {FIRST_YEAR} and {LAST_YEAR}, please.")
    groups = alike(zones or sorted(known), year)
    columns = [field.name for field in fields(YearRow)]
    table = Table("chosen", *columns, title=f"Check-ins in {year}, one wanted every day", title_justify="left")
    total = YearRow()
    for life in LIVES:
        row = measure(groups, year, life)
        total += row
        table.add_row(life.name, *(f"{getattr(row, name):,}" for name in columns))
    Console(highlight=False).print(table)
    return int(bool(total.quiet or total.doubles or total.lost or total.elsewhere or total.refused))


def _moments(zone: ZoneInfo, year: int, wishes: CareWishes, rules: Care) -> Iterator[tuple[datetime, bool]]:
    """Each moment that is planned in that year, and whether the rules then say no."""
    sent: tuple[datetime, ...] = ()
    now = datetime(year, 1, 1, tzinfo=UTC) - AROUND
    while True:
        due = next_due(now, wishes, Circumstances(sent=sent), rules, wishes.speaker_id)
        if due is None or due.astimezone(zone).year > year:
            return
        said_no = why_not(due, wishes, Circumstances(sent=sent), rules) is not None
        if not said_no:
            sent = (*sent[1 - REMEMBERED :], due)
        if due.astimezone(zone).year == year:
            yield due, said_no
        now = due


def _offset(moment: datetime, zone: ZoneInfo) -> timedelta:
    offset = moment.astimezone(zone).utcoffset()
    return offset if offset is not None else timedelta()


def _is_quiet(at: time, start: time, end: time) -> bool:
    """Quiet hours by a second of the day, unlike the policy's own arithmetic."""
    second, first, last = (each.hour * 3600 + each.minute * 60 + each.second for each in (at, start, end))
    return (second - first) % 86_400 < (last - first) % 86_400


def _is_wanted(moment: datetime, times: Iterable[time], jitter_minutes: float) -> bool:
    """Whether a local moment is at one of the times, jitter included, or on a day whose clock leaps over one."""
    for at in times:
        wall = datetime.combine(moment.date(), at, moment.tzinfo)
        chosen = wall.astimezone(UTC)
        leapt = chosen.astimezone(moment.tzinfo).replace(tzinfo=None) != wall.replace(tzinfo=None)
        if leapt or timedelta() <= moment.astimezone(UTC) - chosen < timedelta(minutes=max(jitter_minutes, 1)):
            return True
    return False
