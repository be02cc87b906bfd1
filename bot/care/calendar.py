"""Wall clocks: which moment a time of day is, in a zone whose clocks change. Pure.

The standard library's zones do all of it. APScheduler's CronTrigger was tried and is not used here. 3.11 fires twice
where clocks go back over a time; where they leap over one, it comes as long after the leap as the time is into it
(02:30 in Berlin at 03:30); where they leap over midnight, that day is lost (00:30 in Cairo). And to make a trigger for
each person takes longer than all of the arithmetic here.
"""

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)


@lru_cache(maxsize=1024)
def zone_named(name: str) -> ZoneInfo | None:
    """The zone with this IANA name; None where there is none (or none any more), or the name is empty."""
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):  # no such file; no name at all; a folder such as "Europe"
        return None


def moment_of(day: date, at: time, zone: ZoneInfo) -> datetime:
    """The first moment, in UTC, at which clocks in `zone` show `at` of that day, or a later time.

    Of a time that they show twice, that is the first. Of a time that they leap over, it is the moment of the leap,
    which may be another day's by the clock there.
    """
    wall = datetime.combine(day, at, zone)
    moment = wall.astimezone(UTC)
    offset = moment.astimezone(zone).utcoffset()
    if offset == wall.utcoffset():
        return moment
    return _leap(before_leap(day, at, zone), moment, zone)


def before_leap(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Of a time that clocks leap over: the moment that would be it if they had leapt before; they have not then."""
    return datetime.combine(day, at, zone).replace(fold=1).astimezone(UTC)


def end_of(day: date, zone: ZoneInfo) -> datetime:
    """The first moment of the day after."""
    return moment_of(day + DAY, time(), zone)


def is_within(at: time, span: tuple[time, time]) -> bool:
    """Whether a time of day is in a span of the clock: its start is in it, its end is not. It may go over midnight.

    Both the same: nothing is in it.
    """
    start, end = span
    return start <= at < end if start <= end else at >= start or at < end


def _leap(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    """The moment in (low, high] from which on the zone's offset is that of `high`, to the second."""
    late = high.astimezone(zone).utcoffset()
    while high - low > _SECOND:
        middle = low + (high - low) // 2
        middle = max(middle.replace(microsecond=0), low + _SECOND)
        if middle.astimezone(zone).utcoffset() == late:
            high = middle
        else:
            low = middle
    return high
