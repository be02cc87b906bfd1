"""Times as people put them into words, in English: "last week", "since monday", "in may". Pure.

Weeks begin on Monday. A weekday or month without more is the latest one that has begun. Words that may mean something
else ("may", "march" alone) are no time here, and neither is anything that is not understood whole.
"""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, tzinfo

EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
"""Where what has no beginning begins."""
AHEAD = timedelta(days=1)
"""How far a span that lasts until now goes beyond it: platforms' clocks are not ours."""

_MONTHS = "january february march april may june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
NUMBERS = {word: number for number, word in enumerate("one two three four five six seven eight nine ten".split(), 1)}
NUMBERS |= {"a": 1, "an": 1, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_LENGTHS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1)} | {
    unit: timedelta(days=days) for unit, days in _DAYS.items()
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""Season → its first month, in the north; each has three."""
_PARTS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
"""Part of a day → its hours from the day's midnight."""
_AMBIGUOUS = frozenset({"may", "march"})

MONTH = "|".join([*(name for name in _MONTHS), *(name[:3] for name in _MONTHS), "sept"])
"""A pattern of all names of months, also short ones."""
_COUNT = r"\d{1,4}|" + "|".join(sorted(NUMBERS, key=len, reverse=True))
_UNIT = r"(?P<unit>minute|hour|day|week|month|year)s?"
Span = tuple[datetime, datetime]


def span_of(text: str, now: datetime, zone: tzinfo = UTC) -> Span | None:
    """The span of time [first, second) that `text` names when it is said at `now`; None when it names none.

    Days are those of `zone`; both moments are in it. Never raises.
    """
    words = " ".join(text.casefold().replace(",", " ").split()).strip(" .!?")
    words = re.sub(r"^(?:(?:all|everything|what) )?(?:that )?(?:i (?:have )?(?:said|told you|wrote) )", "", words)
    local = now.astimezone(zone)
    try:
        return _bounded(words, local) or _simple(words, local)
    except (ValueError, OverflowError):  # the 31st of June, the year 0, ten thousand years ago
        return None


def _bounded(words: str, now: datetime) -> Span | None:
    """Such as "since X", "before X", "after X", "until X", "between X and Y"."""
    if found := re.fullmatch(r"(?:between|from) (.{1,60}?) (?:and|to|until|till) (.+)", words):
        first, last = _simple(found[1], now), _simple(found[2], now)
        return (first[0], last[1]) if first and last and first[0] < last[1] else None
    found = re.fullmatch(r"(since|before|after|until|till|up to) (.+)", words)
    inner = _simple(found[2], now) if found else None
    if found is None or inner is None:
        return None
    earliest, latest = EARLIEST.astimezone(now.tzinfo), now + AHEAD
    span = {
        "since": (inner[0], latest),
        "before": (earliest, inner[0]),
        "after": (inner[1], latest),
    }.get(found[1], (earliest, inner[1]))
    return span if span[0] < span[1] else None


def _simple(words: str, now: datetime) -> Span | None:
    bare = re.sub(r"^(?:on|in|from|during|of|at|over|within) ", "", words)
    if words in _AMBIGUOUS:
        return None
    for read in _READERS:
        if (span := read(bare, now)) is not None:
            return span
    return None


def midnight(day: date, now: datetime) -> datetime:
    """The moment at which a day begins, in the zone of `now`."""
    return datetime.combine(day, time(), now.tzinfo)


def days_from(day: date, now: datetime, count: int = 1) -> Span:
    """`count` whole days from this one on, in the zone of `now`. Raises OverflowError beyond the years there are."""
    return midnight(day, now), midnight(day + timedelta(days=count), now)


def months_from(year: int, month: int, now: datetime, count: int = 1) -> Span:
    """`count` whole months from this one on, in the zone of `now`; month 0 is the December before.

    Raises ValueError beyond the years there are.
    """
    begin = year * 12 + month - 1
    first, end = (date(months // 12, months % 12 + 1, 1) for months in (begin, begin + count))
    return midnight(first, now), midnight(end, now)


def whole(unit: str, back: int, now: datetime) -> Span:
    """The whole day, week, month or year of `now`, or the one that lies so many `back`.

    Raises ValueError and OverflowError beyond the years there are.
    """
    match unit:
        case "day":
            return days_from(now.date() - timedelta(days=back), now)
        case "week":
            return days_from(now.date() - timedelta(days=now.weekday() + 7 * back), now, 7)
        case "month":
            return months_from(now.year, now.month - back, now)
        case _:
            return months_from(now.year - back, 1, now, 12)


def _part_of(day: date, part: str | None, now: datetime) -> Span:
    """A part of a day, such as its "evening"; None: all of it."""
    first, last = _PARTS[part] if part else (0, 24)
    return midnight(day, now) + timedelta(hours=first), midnight(day, now) + timedelta(hours=last)


def _named_day(words: str, now: datetime) -> Span | None:
    """Such as "today", "yesterday evening", "this morning", "last night"."""
    found = re.fullmatch(r"(today|yesterday|this|last|the day before yesterday)(?: (\w+))?|tonight", words)
    if found is None:
        return None
    name, part = ("this", "night") if words == "tonight" else (found[1], found[2])
    if (part is not None and part not in _PARTS) or (name in {"this", "last"} and part is None):
        return None
    if name == "last" and part != "night":
        return None
    back = {"yesterday": 1, "last": 1, "the day before yesterday": 2}.get(name, 0)
    return _part_of(now.date() - timedelta(days=back), part, now)


def _named_span(words: str, now: datetime) -> Span | None:
    """Such as "this week", "last month", "the last weekend"."""
    found = re.fullmatch(r"(?:the )?(this|last|past|previous) (week|weekend|month|year)", words)
    if found is None:
        return None
    back = 0 if found[1] == "this" else 1
    if found[2] == "weekend":
        return days_from(now.date() + timedelta(days=5 - now.weekday() - 7 * back), now, 2)
    return whole(found[2], back, now)


def _just_gone(words: str, now: datetime) -> Span | None:
    """Such as "the last hour", "past 3 days", "last two weeks"."""
    found = re.fullmatch(rf"(?:the )?(?:last|past) (?:(?P<count>{_COUNT}) )?{_UNIT}", words)
    if found is None or (found["count"] is None and found["unit"] not in {"hour", "minute", "day"}):
        return None
    return now - _LENGTHS[found["unit"]] * _number(found["count"]), now + AHEAD


def _ago(words: str, now: datetime) -> Span | None:
    """Such as "3 days ago": that day; "two weeks ago": that week; months and years likewise."""
    found = re.fullmatch(rf"(?P<count>{_COUNT}) {_UNIT} ago", words)
    if found is None or found["unit"] in {"hour", "minute"}:
        return None
    return whole(found["unit"], _number(found["count"]), now)


def _number(words: str | None) -> int:
    if words is None:
        return 1
    return int(words) if words.isdecimal() else NUMBERS[words]


def _weekday(words: str, now: datetime) -> Span | None:
    """Such as "monday": the latest, today included; "last monday": the latest before today."""
    found = re.fullmatch(rf"(last |this |past )?({'|'.join(WEEKDAYS)})(?: (morning|afternoon|evening|night))?", words)
    if found is None:
        return None
    back = (now.weekday() - WEEKDAYS.index(found[2])) % 7
    if found[1] == "last " and back == 0:
        back = 7
    return _part_of(now.date() - timedelta(days=back), found[3], now)


def _month(words: str, now: datetime) -> Span | None:
    """Such as "may", "may 2025", "last june": without a year the latest that has begun."""
    found = re.fullmatch(rf"(last |this )?({MONTH})\.?(?: (?:of )?(\d{{4}}))?", words)
    if found is None or (found[1] and found[3]):
        return None
    month = month_number(found[2])
    if found[3]:
        return months_from(int(found[3]), month, now)
    year = now.year if month <= now.month else now.year - 1
    if found[1] == "last " and month == now.month:
        year -= 1
    return months_from(year, month, now)


def month_number(name: str) -> int:
    """The number of a month by its lower-case name, also a short one."""
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name[:3]))


def _date(words: str, now: datetime) -> Span | None:
    """Such as "2026-11-01", "1.11.2026", "the 1st of november", "november 1 2026"."""
    if found := re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})", words):
        return days_from(date(int(found[1]), int(found[2]), int(found[3])), now)
    if found := re.fullmatch(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})", words):
        return days_from(date(int(found[3]), int(found[2]), int(found[1])), now)
    ordinal = r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?"
    month = rf"(?P<month>{MONTH})\.?"
    for pattern in (rf"{ordinal} (?:of )?{month}(?: (?P<year>\d{{4}}))?", rf"{month} {ordinal}(?: (?P<year>\d{{4}}))?"):
        if found := re.fullmatch(pattern, words):
            number, day = month_number(found["month"]), int(found["day"])
            if found["year"]:
                return days_from(date(int(found["year"]), number, day), now)
            latest = date(now.year, number, day)
            return days_from(latest if latest <= now.date() else date(now.year - 1, number, day), now)
    return None


def _year(words: str, now: datetime) -> Span | None:
    """Such as "2025", "2025-11"."""
    if found := re.fullmatch(r"(?:the year )?((?:19|20)\d\d)", words):
        return months_from(int(found[1]), 1, now, 12)
    if found := re.fullmatch(r"((?:19|20)\d\d)-(0?[1-9]|1[0-2])", words):
        return months_from(int(found[1]), int(found[2]), now)
    return None


_READERS: tuple[Callable[[str, datetime], Span | None], ...] = (
    _named_day,
    _named_span,
    _just_gone,
    _ago,
    _weekday,
    _month,
    _date,
    _year,
)
