"""What a check-in says where no model writes it. Lists are gone through in turn, so that no two in a row are alike."""

from collections.abc import Mapping
from typing import Any

from bot.texts.beside import read_beside

_READ: Mapping[str, Any] = read_beside(__file__)

TURNED: tuple[str, ...] = tuple(_READ["turned"])
"""Around what somebody told, put in "you"."""
QUOTED: tuple[str, ...] = tuple(_READ["quoted"])
"""Around what somebody told, word for word."""
QUESTIONS: Mapping[str, tuple[str, ...]] = {kind: tuple(asked) for kind, asked in _READ["questions"].items()}
"""What keeps something open → what is asked about it; what is grave is asked about by `care/words/*.yaml`."""
TODAY, TOMORROW = "today", "tomorrow"
EARLIER, YESTERDAY = "earlier", "yesterday"
ON_WEEKDAY, ON_DATE, ON_DATE_OF_YEAR = "on {weekday}", "on {day} {month}", "on {day} {month} {year}"
WEEKS_AGO = {1: "a week ago", 2: "two weeks ago", 3: "three weeks ago"}
WEEKDAYS: tuple[str, ...] = tuple(_READ["weekdays"])
MONTHS: tuple[str, ...] = tuple(_READ["months"])
"""English, whatever the system's language is."""

FAREWELL = (
    "I have written to you a few times without an answer, so I will not write first any more. Write to me whenever you"
    " like, and /checkin on brings these messages back."
)
FAREWELL_BACKGROUND = "My last messages were not answered."
FAREWELL_INTENTION = "To say that no more such messages will come."

INTENTIONS: Mapping[str, str] = _READ["intentions"]
"""What keeps something open → what a check-in about it is to achieve, where no model says so."""
TURNED_TO = "To follow what they talk about now."
"""What a session is to achieve once its subject has changed."""
QUIET_BACKGROUND = "{name} told me something that sounded hard."
QUIET_INTENTION = "To ask how they are, and to listen."
REMEMBERED = "{When} {name} told me: “{words}”"
"""A memory as one line: what it rests on, and when it was said."""
