"""Times of day, days of the week and pauses as people type them. Pure; what is not understood whole is None."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta, tzinfo

from bot.language.patterns import Patterns
from bot.language.timewords import midnight, span_of
from bot.texts.beside import read_beside

MOST_TIMES = 12
LONGEST = 200
"""Characters that are looked at."""
LONGEST_PAUSE = timedelta(days=3660)

_NAMED = {"noon": time(12), "midday": time(12), "midnight": time(), "24:00": time()}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_DAY = "|".join(f"{name}s?|{name[:3]}" for name in _WEEKDAYS) + "|tues|thur|thurs"
_TREE = read_beside(__file__)
_GROUPS: Mapping[str, Sequence[int]] = _TREE["groups"]
_EVERY = frozenset(_TREE["every"])
_COUNTS: Mapping[str, int] = _TREE["counts"]
_HOURS: Mapping[str, int] = _TREE["hours"]
_READ = Patterns(_TREE)
_TIME, _APART, _SPAN = _READ.exact("time"), _READ.exact("apart"), _READ.exact("span")
_LENGTH, _UNTIL, _BEFORE = _READ.exact("length"), _READ.exact("until"), _READ.exact("before")
"""Of folded words: without regard to case, "ı" would be an "i"."""
_A_DAY = timedelta(days=1)
_AHEAD = (timedelta(0), timedelta(days=7), timedelta(days=366))
"""What `span_of` takes for the latest of its name, seen from so much later, is the next one from now."""


def time_of(word: str) -> time | None:
    """A time of day: "12:00", "8", "8.30", "6 pm", "noon"; "24:00" is midnight."""
    word = word.strip().casefold()
    if word in _NAMED:
        return _NAMED[word]
    found = _TIME.fullmatch(word)
    if found is None:
        return None
    hour, minute, half = int(found["hour"]), int(found["minute"] or 0), (found["half"] or "")[:1]
    if half:
        if not 1 <= hour <= 12:  # noqa: PLR2004  the hours of such a clock
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    return time(hour, minute) if hour < 24 and minute < 60 else None  # noqa: PLR2004  hours and minutes


def times_from(words: str) -> tuple[time, ...] | None:
    """Times of day, in order, each once: "12:00 18:30", "9 am and 6 pm"."""
    parts = [part for part in _APART.split(words.casefold().strip()) if part] if len(words) <= LONGEST else []
    found = [time_of(part) for part in parts]
    known = sorted({one for one in found if one is not None})
    return tuple(known) if known and None not in found and len(known) <= MOST_TIMES else None


def quiet_from(words: str) -> tuple[time, time] | None:
    """A span of the clock: "22:00-08:00", "10 pm to 7 am"."""
    found = _SPAN.fullmatch(" ".join(words.casefold().split())) if len(words) <= LONGEST else None
    start, end = (time_of(found["start"]), time_of(found["end"])) if found else (None, None)
    return (start, end) if start is not None and end is not None else None


def days_from(words: str) -> tuple[int, ...] | None:
    """Days of the week, 0 = Monday, in order: "mon-fri", "sat sun", "weekends"; none for "every"."""
    words = " ".join(words.casefold().split()).strip(" .") if len(words) <= LONGEST else ""
    if words in _EVERY:
        return ()
    words = re.sub(r" ?(?:-|–|—|\bto\b) ?", "-", words)
    chosen: set[int] = set()
    parts = [part for part in re.split(r"(?:\s*(?:,|;|\band\b)\s*|\s+)+", words) if part and part != "on"]
    for part in parts:
        if part in _GROUPS:
            chosen.update(_GROUPS[part])
        elif found := re.fullmatch(rf"({_DAY})(?:-({_DAY}))?", part):
            first, last = _weekday(found[1]), _weekday(found[2] or found[1])
            chosen.update((first + day) % 7 for day in range((last - first) % 7 + 1))
        else:
            return None
    if len(chosen) == len(_WEEKDAYS):
        return ()
    return tuple(sorted(chosen)) or None


def _weekday(name: str) -> int:
    return next(number for number, day in enumerate(_WEEKDAYS) if day.startswith(name[:3]))


def until(words: str, now: datetime, zone: tzinfo) -> datetime | None:
    """The moment, later than `now`, until which "2 weeks", "until 3 May", "until Friday" or "tomorrow" goes.

    Days begin at midnight in `zone`. None, too, for what is over already or longer than `LONGEST_PAUSE`.
    """
    words = " ".join(words.casefold().replace(",", " ").split()).strip(" .!?") if len(words) <= LONGEST else ""
    local = now.astimezone(zone)
    try:
        moment = _after(words, now) or _upcoming(_UNTIL.sub("", words, count=1), local, zone)
    except (ValueError, OverflowError):
        return None
    return moment.astimezone(UTC) if moment is not None and now < moment <= now + LONGEST_PAUSE else None


def _after(words: str, now: datetime) -> datetime | None:
    found = _LENGTH.fullmatch(words)
    if found is None:
        return None
    count = int(found["count"]) if found["count"].isdecimal() else _COUNTS[found["count"]]
    return now + timedelta(hours=count * _HOURS[found["unit"]])


def _upcoming(words: str, local: datetime, zone: tzinfo) -> datetime | None:
    """The beginning of a day, week or month to come."""
    today = local.date()
    if words == "tomorrow":
        return midnight(today + _A_DAY, local)
    if words == "next week":
        return midnight(today + (7 - today.weekday()) * _A_DAY, local)
    if words == "next month":
        return midnight((today.replace(day=1) + 32 * _A_DAY).replace(day=1), local)
    words = words.removeprefix("next ").removeprefix("this ")
    if _BEFORE.search(words):
        return None
    for ahead in _AHEAD:
        span = span_of(words, local + ahead, zone)
        if span is not None and span[0] > local:
            return span[0]
    return None
