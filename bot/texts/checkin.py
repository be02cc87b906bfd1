"""What `/checkin` answers, and how check-ins are offered: Markdown that both platforms can show."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time

from bot.texts.care import MONTHS, WEEKDAYS
from bot.texts.commands import listed
from bot.texts.translating import here, speaks

# under a check-in

NOT_NOW, LESS_OFTEN, STOP, WHY = "Not now", "Less often", "Stop", "Why this?"

# the offer

OFFER = (
    "We have talked a few times now. If you like, I can write to you first now and then, for example to ask how"
    " something went that you told me about. Only if you want that."
)
YES_PLEASE, NO_THANKS, WHAT_IS_THAT = "Yes, please", "No, thank you", "What is that?"

# on and off

ON = "All right. From now on I may write to you first, now and then, about something that you told me."
ON_IN_CHANNEL = (
    "I do that in our private chat and nowhere else. If you have not written to me there yet, please do so once, and"
    " let me write to you: without that, the chat service does not let my messages through."
)
HOW_TO_STOP = "`/checkin off` ends it, and so does a button under each message."
ASK_ZONE = (
    "I still have to know what time it is where you live; until then I write nothing, so that I wake nobody. Tell me"
    " your city, for example: `/checkin timezone Leeds`"
)
BY_OWNERS_CLOCK = "I go by the clock of {zone}. If that is not yours, tell me your city: `/checkin timezone Leeds`"
FOR_MINORS = "You are under 18, so it is {most} a week at most."
NEEDS_MEMORY = (
    "For that I have to remember what you tell me, and you have not said that I may. Until you do, I write nothing."
)
NEEDS_NO_PAUSE = "You have paused my memory. Until you end that, I write nothing."
REMEMBER, END_MEMORY_PAUSE = "Yes, remember me", "End the pause of my memory"
OFF = "All right, I will not write to you first any more."
NOT_ON = "I will not write to you first. I only do that with people who want it."
WISH_IN_CHANNEL = "I can do that. Choose it below, and I will not write to you first any more."
STOP_THEM = "Do not write to me first"
UNDO, SWITCH_ON, SWITCH_OFF = "Undo", "Turn them on", "Turn them off"
CLOSED = "My owner has switched check-ins off here, so none will come."

# show

WHAT_IT_IS = (
    "A check-in is a message that I send you first, in our private chat: a few words about something that you told me,"
    " at times that you choose. At most one a day, never in quiet hours, and fewer and fewer when you do not answer."
)
TITLE_ON, TITLE_OFF = "**Check-ins are on**", "**Check-ins are off**"
NEXT = "The next one may come on {when}, if there is something worth asking about."
NEXT_IF_NOTHING_NEW = "It waits longer when we talk before that."
NONE_FITS = "But all of your times of day are in your quiet hours, so none will come."
LINE_ZONE = "- **Time zone:** {zone}, where it is {now} now"
LINE_NO_ZONE = "- **Time zone:** I do not know it yet; `/checkin timezone` sets it"
LINE_TIMES = "- **Times of day:** {times}"
LINE_DAYS = "- **Days:** {days}"
LINE_QUIET = "- **Quiet hours:** {quiet}"
LINE_OFTEN = "- **How often:** {often}, and {week} a week at most"
LINE_PAUSED = "- **Paused** until {when}"
LAST_TITLE = "The last ones:"
LAST_LINE = "- `{number}` on {when}"
WHY_BUTTON = "Why {number}"
NO_QUIET = "none"
EVERY_DAY = "every day"
UNANSWERED_NOW = "You have not answered the last ones, so I wait longer than usual."
WHY_NONE: Mapping[str, str] = {
    "held": "My owner has stopped all check-ins for now, so none will come until that is over.",
    "refused": (
        "My last one could not be delivered: I may not write to you there. I try again when you have written to me."
    ),
    "unanswered": "You have not answered the last ones, so none will come until you write to me.",
    "after help": "Because of what you told me lately, I leave it to you for a while when we talk.",
}
"""Why none will come, or not soon (`Why`), where the time of the next one does not say it all."""

# timezone

NOW_THERE = (
    "I go by the clock of {zone} from now on. It is {now} there now; if that is not right, tell me another city."
)
ZONE_FIXED = "That follows no summer time; a city does."
WHICH_ZONE = "Which one do you mean?"
NO_SUCH_ZONE = (
    "I know no place “{words}”. Please tell me a larger city near you, or the name of a time zone, such as"
    " `/checkin timezone Europe/Berlin`"
)
ZONE_NOW = "I go by the clock of {zone}. It is {now} there now."
NO_ZONE = "I do not know which clock is yours. Tell me your city, for example: `/checkin timezone Leeds`"
ZONE_GONE = "I have forgotten where you live."

# times, days, quiet, often

TIMES_SET = "They may come at {times}."
NOT_TIMES = (
    "I do not understand these times. Please write them like this: `/checkin times 12:00 18:30`, {most} at most, or:"
    " `/checkin times default`"
)
DAYS_SET = "They may come {days}."
ON_DAYS = "on {days}"
NOT_DAYS = (
    "I do not understand these days. Please write them like this: `/checkin days mon-fri`, or: `/checkin days every`"
)
QUIET_SET = "Between {start} and {end} nothing will come."
QUIET_OFF = "You have no quiet hours now."
NOT_QUIET = (
    "I do not understand these times. Please write them like this: `/checkin quiet 22:00-08:00`, or:"
    " `/checkin quiet off`"
)
OFTEN_SET = "I write {often} at most."
NOT_OFTEN = "Please give me a number of days from 1 to {most}, such as `/checkin often 3`, or: `/checkin often default`"
NOT_ON_YET = "Check-ins are off, so none will come."

# pause

PAUSED = "I write nothing until {when}."
NOT_PAUSED = "Check-ins are not paused. For how long should I pause them?"
PAUSE_OVER = "The pause is over."
NOT_A_PAUSE = (
    "I do not understand how long that is. Please write it like this: `/checkin pause 2 weeks`,"
    " `/checkin pause until 3 May`, or: `/checkin pause off`"
)
END_PAUSE = "End the pause"

# snooze and less

SNOOZED = "All right, not now. Nothing comes before tomorrow."
LESS = "All right, less often: {often} at most from now on."
LEAST = "I write {often} at most already, which is as seldom as I can. You can stop it altogether."

# why

NO_CHECK_INS = "I have not written to you first yet."
UNKNOWN_NUMBER = "I know no check-in of that number to you. `/checkin show` lists yours."
BECAUSE = "I wrote that because of what you told me:"
BECAUSE_OTHERS = "It rests on what others said where you were, too; their words stay with them."
BECAUSE_TONE = (
    "How I put it comes from a guess at your personality, made from {others} that you told me (`/persona show`)."
)
INTENDED = "What I wanted: {intention}"
FAREWELL_WHY = "I wrote that because my last messages were not answered. Nothing that you told me is behind it."
WORDS_GONE = "What it was about has been erased since, so I cannot say any more."
FORGET_THAT = "Forget that"
QUOTE = "> “{words}” *({day})*"
MORE_QUOTES = "> … and {count} more"

# queue and hold

QUEUE_TITLE = "**Check-ins** (times in UTC)"
HELD_NOW = "All of them are stopped."
GOING_ON = "They are running."
CLOSED_BY_SETTINGS = "They are switched off in the settings (`care.enabled`)."
PLANNED_TITLE = "Planned next:"
PLANNED_LINE = "- {when}, person {person}"
NOTHING_PLANNED = "Nothing is planned."
LATEST_TITLE = "The last ones:"
LATEST_LINE = "- `{number}` {when}, person {person}: {state}"
SCORES = "importance {importance:.2f}, balance {balance:.2f}, freshness {freshness:.2f}, total {total:.2f}"
FAREWELL = "the farewell"
AGAIN, HOLD, GO_ON = "Look again", "Stop all of them", "Resume them"
HOLD_ON = "All check-ins are stopped now, for everybody, until you resume them."
HOLD_OFF = "Check-ins are running again."

# /privacy policy

POLICY_FIRST = "- **I write first** only if you want me to: `/checkin` says when, and turns it off."


def at(moment: datetime) -> str:
    """A moment by the clock that it is given in: "Tuesday, 3 November, 12:05"."""
    return here("{weekday}, {day} {month}, {clock}").format(
        weekday=here(WEEKDAYS[moment.weekday()]),
        day=moment.day,
        month=here(MONTHS[moment.month - 1]),
        clock=clock(moment.time()),
    )


def clock(moment: time) -> str:
    """A time of day: "18:05"."""
    return f"{moment:%H:%M}"


def times(some: Sequence[time]) -> str:
    """Times of day: "12:00, 18:00 and 21:00"."""
    return listed([clock(one) for one in some])


def days(some: Sequence[int]) -> str:
    """Days of the week, 0 = Monday: "on Monday and Friday", "every day" for none and for all."""
    chosen = [here(WEEKDAYS[one]) for one in some]
    return here(ON_DAYS).format(days=listed(chosen)) if 0 < len(chosen) < len(WEEKDAYS) else here(EVERY_DAY)


def quiet(span: tuple[time, time]) -> str:
    """Quiet hours: "22:00 to 08:00", "none"."""
    return (
        here(NO_QUIET)
        if span[0] == span[1]
        else here("{start} to {end}").format(start=clock(span[0]), end=clock(span[1]))
    )


def often(every: int) -> str:
    """An interval in days: "once a day", "once every 3 days"."""
    return here("once a day") if every == 1 else here("once every {days} days").format(days=every)


def state(of: str, why: str) -> str:
    """How far a check-in has come (`CheckInState`), and why no further: "sent", "skipped (quiet hours)"."""
    return f"{of} ({why})" if why else of


speaks(__name__)
