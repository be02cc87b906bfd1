"""What stands in the file to read of `/memory export`. Plain text without Markdown, for any editor or reader."""

from datetime import datetime

from bot.texts.care import WEEKDAYS
from bot.texts.commands import day
from bot.texts.translating import here, speaks

TITLE = "What {agent} knows of {name}"
WRITTEN = "Written on {when}."
FOR_READING = "This file is for you to read; the one that ends in .json holds the same for programs."
CLOCK = "Days and times are by the clock of {zone}."
NO_CLOCK = "Days and times are in UTC: I do not know your clock."
WHOSE = "It holds all that you said to me or near me, and what I told you in private. What others said is theirs."
CONTENTS = "In this file: {sections}."

TRAITS = "What I take you to be like"
SUMMARIES = "Summaries of our talks"
DECIDED = "What you decided"
CHECKINS = "When I wrote to you first"
ERASED = "What was erased"
TALK = "What was said"
SECTION = "{title} ({count})"
NOTHING = "(nothing)"

LINE = "- {what} ({day}, {where})"
DATED = "- {day}, {where}: {what}"
ENDED = "No longer so:"
ENDED_LINE = "- {what} ({day} to {until}, {where})"
SHARED = "others spoke too, so it is not in here. /memory list shows it to you."
PLACE = "{where}, on {platform}"

UNDECIDED = "You have not said yet whether I may remember you."
KEEPS_OF_MINOR = "Being under 18, what you say is erased after some time: /privacy keep tells when."
COUNTRY = "Your country, for emergency numbers alone: {country}."
NOT_READ = "I do not read you {where}."
SOME_CHANNEL = "in a channel on {platform}"
WHOLE_SERVER = "on a whole server on {platform}"
MAY_WRITE = "I may write to you first, now and then."
TIMES = "Times of day at which I may: {times}."
DAYS = "I may do so {days}."
QUIET = "Your quiet hours: {quiet}."
OFTEN = "At most {often}."
PAUSED_UNTIL = "You have paused that until {when}."
NEXT = "The next time may be on {when}."

FAILED = "it could not be delivered"
ON_ITS_WAY = "on its way"
FAREWELL = "to say that I would not write first any more"
CAME_TO_NOTHING = "{times} I had meant to, and did not: it was not the time, or there was nothing to ask."
RECEIPT = "- {day}: {counts}; {state}. Reason: {reason}. (Receipt {number})"


def day_of(moment: datetime) -> str:
    """A day with its weekday: "Tuesday, 12 May 2026"."""
    return f"{here(WEEKDAYS[moment.weekday()])}, {day(moment)}"


def when(moment: datetime) -> str:
    """The same with its time: "Tuesday, 12 May 2026, at 09:05"."""
    return here("{day}, at {time}").format(day=day_of(moment), time=f"{moment:%H:%M}")


def times_told(count: int) -> str:
    """How often: "Once", "3 times"."""
    return here("Once") if count == 1 else here("{count} times").format(count=count)


speaks(__name__)
