"""The words by which open threads are known, in English: `cues.yaml`, compiled.

What is grave is known by `grave.py`, in seven languages.
"""

import re
from datetime import timedelta
from enum import StrEnum

from bot.language.patterns import Patterns
from bot.texts.beside import read_beside


class Kind(StrEnum):
    """What keeps a thread open."""

    AHEAD = "ahead"
    """Something with a time of its own."""
    WORRY = "worry"
    """Lighter than what is grave: stress, trouble, loneliness."""
    DEATH = "death"
    """Of somebody dear, or of an animal."""
    ILLNESS = "illness"
    """Their own, or an injury."""
    ILLNESS_OF = "illness of others"
    SEPARATION = "separation"
    JOB_LOSS = "job loss"
    FEAR = "fear"
    SLEEP = "sleep"
    """That there is none."""
    HEAVY = "heavy"
    """Something grave that no list has, so that nobody knows which of these it is."""
    UNDER_WAY = "under way"
    PLAN = "plan"
    WISH = "wish"
    TOLD = "told"
    """Nothing of these: it only was said, and a model is to judge whether it matters."""


_TREE = read_beside(__file__)
_READ = Patterns(_TREE)
_KINDS: dict[Kind, dict[str, float]] = {Kind[name.upper()]: one for name, one in _TREE["kinds"].items()}
RANK = {kind: one["rank"] for kind, one in _KINDS.items() if "rank" in one}
"""The gravest first: of several open ones the first is asked about."""
WEIGHTS = {kind: one["weight"] for kind, one in _KINDS.items()}
"""How much a person would expect to be asked."""
AGES = {
    kind: (timedelta(hours=one["hours"]), timedelta(days=one["days"])) for kind, one in _KINDS.items() if "days" in one
}
"""How old what has no day of its own is when it is asked about: from, until."""

OCCASION = _READ["occasion"]
EVENT = _READ["event"]
BARE = _READ["bare"]
"""An occasion without a word of whose it is: "exam on Friday"."""
FUTURE = _READ["future"]
CUES: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (Kind[name.upper()], re.compile(pattern, re.IGNORECASE)) for name, pattern in _READ.named("cues")
)
NOT_ONE = _READ["not_one"]
"""Said to somebody, of what may be or has been, or a mere manner of speaking."""
REGULAR = _READ["regular"]
OVER = _READ["over"]
_TIMETABLE = _READ["timetable"]
POINTING = _READ["pointing"]
DEAR = _READ["dear"]
OUTCOME = _READ["outcome"]
CALLED_OFF = _READ["called_off"]
LEAD = _READ["lead"]
CLAUSES = _READ["clauses"]
TIME_WORDS = _READ.written("time_words")


def in_timetable(clause: str) -> bool:
    """Whether it is of a lesson, a shift or a chore ("we've got double science tomorrow"): no exam or the like."""
    return _TIMETABLE.search(clause) is not None and OCCASION.search(clause) is None
