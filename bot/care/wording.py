"""The words of a check-in without a model: the person's own, put in "you" or quoted, and a question. Pure."""

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo

from bot.care import cues
from bot.care.calendar import DAY
from bot.care.cues import Kind
from bot.care.grave import Grave, grave_words, question_of
from bot.care.threads import Thread
from bot.care.turning import turned
from bot.conversation.phrases import ENGLISH, phrases_of
from bot.conversation.scene import cut
from bot.domain import Utterance
from bot.language.ahead import When
from bot.language.speakers import NAMELESS, plain_name
from bot.language.untrusted import as_words
from bot.texts import care as texts

_ENDED = re.compile(r"[.!?…]$")
_BEGUN = re.compile(r"\b(?:started|joined|enrolled|began|begun|adopted|took up|opened)\b", re.IGNORECASE)
_OWN = re.compile(r"\b(?:i|we|my)\b", re.IGNORECASE)
_TOMORROW = re.compile(r"\b(?:tomorrow|tmrw?)\b", re.IGNORECASE)
LONGEST_WORDS = 240
"""Characters of what somebody said that a memory is told with."""
FIRST_FRAME = 0
"""Of the ways in which something told is said again, the one that neither greets nor names."""
_WEEK = 7
_NEAR_WEEKS = 25
"""Days up to which weeks are counted; beyond, the date says more."""


def opening_of(thread: Thread, name: str, now: datetime, turn: int) -> str:
    """What to write about a thread. `turn`: how many came before, so that words change; `now`: in their zone."""
    if thread.grave is not None:
        return _grave_opening(thread, thread.grave, name, now, turn)
    words = None if thread.before else _told_back(thread, now)
    frames: tuple[str, ...] = texts.QUOTED if words is None else texts.TURNED
    questions = texts.QUESTIONS[asked_as(thread)]
    asked = questions[turn % len(questions)]
    if words is None and asked_as(thread) == Kind.AHEAD.value and (passed := _day_passed(thread, now)):
        asked = f"{asked[:-1]} {passed}{asked[-1]}"  # the words that are quoted say "tomorrow"
    shown = quotable(thread) if words is None else as_words(words)
    return _framed(frames, name, told_when(thread.said, now), shown, asked.format(day=day_ahead(thread, now)), turn)


def quiet_opening(language: str, name: str, turn: int) -> str:
    """How are you, and nothing else."""
    return _framed(grave_words(language).quiet, name, "", "", "", turn)


def is_taken_up(thread: Thread, lines: Sequence[Utterance], zone: tzinfo) -> bool:
    """Whether a greeting among these lines was answered with this thread (`reunions.py`)."""
    replies = (line for line in lines if line.speaker.is_agent and line.time > thread.line.time)
    return any(opening_of(thread, "", line.time.astimezone(zone), FIRST_FRAME) in line.text for line in replies)


def day_ahead(thread: Thread, now: datetime) -> str:
    """When it is, for what has not come yet; else empty."""
    if not thread.before or thread.when is None:
        return ""
    return texts.TODAY if thread.when.start.date() == now.date() else texts.TOMORROW


def _framed(frames: Sequence[str], name: str, when: str, words: str, question: str, turn: int) -> str:
    called = plain_name(name)
    fitting = [one for one in frames if called != NAMELESS or "{name}" not in one]
    shown = {"name": called, "when": when, "When": when[:1].upper() + when[1:], "words": words, "question": question}
    return fitting[turn % len(fitting)].format(**shown)


def _day_passed(thread: Thread, now: datetime) -> str | None:
    """The day of what was to be "tomorrow", seen from now: "yesterday", "on Thursday"; None: no such, or long ago."""
    if thread.when is None or not _TOMORROW.search(thread.clause[slice(*thread.when.at)]):
        return None
    yesterday = (now.date() - thread.when.start.date()).days == 1
    weekday = _weekday_passed(thread.when, thread.said, now)
    return texts.YESTERDAY if weekday and yesterday else weekday


def _weekday_passed(when: When, said: datetime, now: datetime) -> str | None:
    """Such as "on Thursday", for a single day of the last week that is not the one on which it was said; else None."""
    day = when.start
    passed = 0 < (now.date() - day.date()).days < _WEEK and day.date() != said.date()
    if not passed or when.end - day > DAY:
        return None
    return texts.ON_WEEKDAY.format(weekday=texts.WEEKDAYS[day.weekday()])


def _grave_opening(thread: Thread, grave: Grave, name: str, now: datetime, turn: int) -> str:
    """The person's own clause and a question about it alone, in the language in which they told it."""
    english = grave.language == ENGLISH
    when = told_when(thread.said, now) if english else phrases_of(grave.language).day(thread.said, now)
    frames = grave_words(grave.language).frames
    return _framed(frames, name, when, quotable(thread), question_of(grave, turn), turn)


def _told_back(thread: Thread, now: datetime) -> str | None:
    """The clause in "you", with the day of the week where that is known and of the last days; None: it is quoted."""
    words = turned(thread.clause, thread.when.at if thread.when else None)
    if words is None or thread.when is None or thread.kind is not Kind.AHEAD:
        return words
    weekday = _weekday_passed(thread.when, thread.said, now)
    return f"{words} {weekday}" if weekday else words


def quotable(thread: Thread) -> str:
    """The sentence that a thread stands in, as it is quoted: mere words, no quotation marks inside, and ended."""
    quote = re.sub(r"[\"“”„«»]", "'", as_words(thread.quote))
    return quote if _ENDED.search(quote) else f"{quote}."


def told_when(said: datetime, now: datetime) -> str:
    """When something was said, seen from now: "yesterday", "on Friday", "two weeks ago", "on 3 July"."""
    days = (now.date() - said.date()).days
    if days <= 1:
        return texts.EARLIER if days < 1 else texts.YESTERDAY
    if days < _WEEK:
        return texts.ON_WEEKDAY.format(weekday=texts.WEEKDAYS[said.weekday()])
    if days < _NEAR_WEEKS:
        return texts.WEEKS_AGO[min(round(days / _WEEK), 3)]
    form = texts.ON_DATE if said.year == now.year else texts.ON_DATE_OF_YEAR
    return form.format(day=said.day, month=texts.MONTHS[said.month - 1], year=said.year)


def asked_as(thread: Thread) -> str:
    """What is asked, a key of `QUESTIONS` and `INTENTIONS`: what is others', or still to come, is asked otherwise."""
    if thread.before:
        return "before"
    if thread.kind is Kind.AHEAD and not _OWN.search(thread.clause) and not cues.BARE.search(thread.clause):
        return "ahead of others"
    if thread.kind is Kind.UNDER_WAY and thread.when is not None and _has_come(thread):
        return Kind.AHEAD.value
    return thread.kind.value


def _has_come(thread: Thread) -> bool:
    """Whether the day of what is under way is that of something which it was for, and not that of its beginning."""
    for_something = thread.occasion or cues.EVENT.search(thread.clause) is not None
    return for_something and _BEGUN.search(thread.clause) is None


def remembered(said: datetime, now: datetime, name: str, words: str) -> str:
    """A memory as one line: who said it, when, and the words, cut."""
    when = told_when(said, now)
    shown = cut(as_words(words), LONGEST_WORDS)
    return texts.REMEMBERED.format(When=when[:1].upper() + when[1:], name=plain_name(name), words=shown)
