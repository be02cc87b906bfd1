"""When something is that people say lies ahead, in English: "tomorrow", "on Friday", "in two weeks". Pure.

Days are those of the zone in which it was said. Where words can mean two days ("next Friday"), the span covers both, so
that whoever asks after its end never asks too early.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from bot.language.timewords import MONTH, NUMBERS, SEASONS, WEEKDAYS, Span, days_from, month_number, months_from, whole

_DAYS = "|".join(WEEKDAYS)
_PART = r"(?: (?:morning|afternoon|evening|night))?"
_NUMBERS = NUMBERS | {"a couple of": 3, "couple of": 3, "a few": 5, "few": 5, "several": 7}
_COUNT = r"\d{1,2}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True))
_FEASTS = {"christmas": (12, 25), "xmas": (12, 25), "halloween": (10, 31), "new year's eve": (12, 31)}
VAGUE_DAYS = 14
"""After so many days, what was to come "soon" has come."""


@dataclass(frozen=True, slots=True)
class When:
    """A span of time [start, end) that words name, and where in the text these words stand."""

    start: datetime
    end: datetime
    at: tuple[int, int]
    vague: bool = False
    """Whether it is only said to be near."""


def ahead_in(text: str, said: datetime) -> When | None:
    """The first time that `text`, said at `said` (in the speaker's zone), puts ahead; None when it names none."""
    found: list[When] = []
    if _TIME_WORD.search(text) is None:  # most clauses
        return None
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            try:
                span = read(match, said)
            except (ValueError, OverflowError):  # the 31st of June
                continue
            if span[1] > said:
                found.append(When(span[0], span[1], match.span(), read is _soon))
    dated = [one for one in found if not one.vague] or found
    return min(dated, key=lambda one: (one.at[0], -one.at[1]), default=None)


def _days(said: datetime, first: int, count: int = 1) -> Span:
    """`count` days, the first of them `first` days after the day of `said`."""
    return days_from(said.date() + timedelta(days=first), said, count)


def _coming(said: datetime, month: int, day: int, count: int = 1) -> Span:
    """`count` days from the next one on that has this date. Raises ValueError where there is none."""
    on = date(said.year, month, day)
    return days_from(on if on >= said.date() else date(said.year + 1, month, day), said, count)


def _tomorrow(match: re.Match[str], said: datetime) -> Span:
    return _days(said, 2 if match[1] else 1)


def _weekday(match: re.Match[str], said: datetime) -> Span:
    on = (WEEKDAYS.index(match[2].lower()) - said.weekday() - 1) % 7 + 1
    return _days(said, on, 8 if (match[1] or "").lower() == "next" else 1)


def _weekend(match: re.Match[str], said: datetime) -> Span:
    on = max(5 - said.weekday(), -1)
    return _days(said, on, 9 if (match[1] or "").lower() == "next" else 2)


def _unit(match: re.Match[str], said: datetime) -> Span:
    on = 0 if match[1].lower() in {"this", "later this"} else 1
    return whole(match[2].lower(), -on, said)


def _in_a_while(match: re.Match[str], said: datetime) -> Span:
    count = int(match[1]) if match[1].isdecimal() else _NUMBERS[match[1].lower()]
    days = count * {"day": 1, "week": 7, "month": 30}[match[2].lower()]
    slack = {"day": 1, "week": 4, "month": 15}[match[2].lower()]
    return _days(said, max(days - slack, 0), 2 * slack)


def _month(match: re.Match[str], said: datetime) -> Span:
    month = month_number(match[1].lower())
    return months_from(said.year + (month < said.month), month, said)


def _date(match: re.Match[str], said: datetime) -> Span:
    month, day = (match["m1"], match["d1"]) if match["m1"] else (match["m2"], match["d2"])
    return _coming(said, month_number(month.lower()), int(day))


def _of_this_month(match: re.Match[str], said: datetime) -> Span:
    months = said.year * 12 + said.month - 1 + (int(match[1]) < said.day)
    return days_from(date(months // 12, months % 12 + 1, int(match[1])), said)


def _season(match: re.Match[str], said: datetime) -> Span:
    first = SEASONS[match[2].lower()]
    later = match[1].lower() == "next" or said.month >= first + 3
    year = said.year + (later and said.month >= first)
    return months_from(year, first, said, 3)


def _feast(match: re.Match[str], said: datetime) -> Span:
    return _coming(said, *_FEASTS[match[1].lower()], count=2)


def _soon(_: re.Match[str], said: datetime) -> Span:
    return _days(said, 0, VAGUE_DAYS)


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?<!last )(?<!past )(?<!every )(?<!each )(?<!since ){words}\b", re.IGNORECASE)


_TIME_WORD = re.compile(
    r"\b(?:to(?:day|night|morrow)|tmrw?|this|next|coming|the|in|on|by|soon|xmas|christmas|halloween|new year|any day"
    rf"|{MONTH}|{_DAYS}|\d{{1,2}}(?:st|nd|rd|th)?)\b",
    re.IGNORECASE,
)
"""One of these is in whatever names a time that is ahead."""
_READERS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Span]], ...] = (
    (_pattern(r"(?:later )?(?:today|tonight|this (?:morning|afternoon|evening))"), lambda _, said: _days(said, 0)),
    (_pattern(rf"(?<!day after )(the day after )?(?:tomorrow|tmrw?){_PART}"), _tomorrow),
    (_pattern(rf"(?:on |by )?(?:(this|next|coming|this coming) )?({_DAYS}){_PART}"), _weekday),
    (_pattern(r"(?:on |over |at )?(this|next|the|this coming|the coming) weekend"), _weekend),
    (_pattern(r"(?:early |late )?(later this|this|next|the coming) (week|month|year)"), _unit),
    (_pattern(rf"in (?:about )?({_COUNT}) (day|week|month)s?"), _in_a_while),
    (_pattern(rf"(?:later |early |late )?(?:in|this|next|by) ({MONTH})(?! \d)"), _month),
    (_pattern(rf"(?:on |by )?(?:(?P<m1>{MONTH})\.? (?:the )?(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?"
              rf"|(?:the )?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m2>{MONTH}))"), _date),
    (_pattern(rf"on the (\d{{1,2}})(?:st|nd|rd|th)(?! (?:of|{MONTH}))"), _of_this_month),
    (_pattern(r"(?:later )?(this|next) (spring|summer|fall|autumn|winter)"), _season),
    (_pattern(r"(?:at |on |over |for )?(christmas|xmas|halloween|new year's eve)"), _feast),
    (_pattern(r"(?:really |pretty |very )?(?:soon|coming up|in the coming (?:days|weeks)|any day now)"), _soon),
)  # fmt: skip
