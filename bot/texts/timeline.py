"""What `/memory timeline` says, as Markdown and in its picture. In the Markdown what people wrote is escaped."""

from collections.abc import Mapping
from datetime import datetime

from bot.texts.beside import read_beside
from bot.texts.commands import counted, day, entries
from bot.texts.translating import here, speaks

TITLE = "Your timeline"
TITLE_ABOUT = "Your timeline: “{words}”"
SHOWN = "{entries}, {span}"
SHOWN_OF = "{shown} of {entries}, {span}"
SPAN = "{first} – {last}"
NOTES = (
    "The picture shows the same. `/memory why` tells where an entry comes from, and `/memory forget` erases it: give"
    " them its name, such as `{code}`."
)
TOGETHER = "**{entries} that belong together**"
APART = "**By themselves**"
NO_EVENTS = (
    "There is no timeline of you yet: it is made of the short summaries that I keep of our talks, each some time after"
    " we have talked. `/memory list` shows what I know about you already."
)
UNREADABLE = "(I cannot draw this writing. My message has it.)"
OLDER, NEWER = "◀ Older", "Newer ▶"
OTHER_LOOK: Mapping[str, str] = {"light": "Dark picture", "dark": "Light picture"}
"""The look that is shown → the button for the other one."""
TAGS: Mapping[str, str] = {"now": "now", "before": "before"}
"""How things stand with an event (`bot/drawing/scene.py`) → the word on its card."""
STILL: Mapping[str, str] = {"now": "how it is now", "before": "how it was before"}
"""The same in words."""

RELATIONS: Mapping[str, str] = read_beside(__file__)
"""A relation of `bot.domain.Relation` → what connects an event with an older one, told from the newer one."""

_SAME_DAY, _NEXT_DAY = "later that day", "the next day"
_FEW_DAYS, _FEW_WEEKS, _YEAR = 14, 60, 345
_WEEK, _MONTH, _FULL_YEAR = 7, 30.44, 365.25


def related(relation: str, older: str) -> str:
    """What connects an event with an older one, told from the newer one. `older`: what the older one is called."""
    return here(RELATIONS[relation]).format(older=older)


def shown_of(shown: int, count: int, first: datetime, last: datetime) -> str:
    """How many of how many entries are shown, and from when to when: "12 of 31 entries, 3 May 2023 – 20 May 2026"."""
    span = day(first) if first.date() == last.date() else SPAN.format(first=day(first), last=day(last))
    form = SHOWN if shown == count else SHOWN_OF
    return here(form).format(shown=shown, entries=entries(count), span=span)


def later(older: datetime, newer: datetime) -> str:
    """How long after `older` something was, by the calendar (UTC), in whole units: "3 weeks later"."""
    days = (newer.date() - older.date()).days
    if days <= 0:
        return here(_SAME_DAY)
    if days == 1:
        return here(_NEXT_DAY)
    if days < _FEW_DAYS:
        return _later(counted(days, "day"))
    if days < _FEW_WEEKS:
        return _later(counted(days // _WEEK, "week"))
    if days < _YEAR:
        return _later(counted(round(days / _MONTH), "month"))
    return _later(counted(max(int(days / _FULL_YEAR), 1), "year"))


def _later(span: str) -> str:
    return here("{span} later").format(span=span)


speaks(__name__)
