"""What the commands answer: Markdown that both platforms can show. What people wrote is put in escaped."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache

from bot.texts.beside import read_beside
from bot.texts.care import MONTHS
from bot.texts.translating import here, in_language, language_in_force, speaks

_READ: Mapping[str, Mapping[str, str]] = read_beside(__file__)

UNKNOWN = "I know no command “{name}”."
DID_YOU_MEAN = "Did you mean {names}?"
NO_COMMAND = "There is no command {line}. /help lists them."
SEE_HELP = "`/help` lists all of them."
MISSING = "I need one more thing for that: {help}. So: `{usage}`"
NOT_A_CHOICE = "“{value}” is not among what I can do there. It can be {choices}."
ONLY_IN_CHANNELS = "That is about a channel. Please ask me there."
ONLY_MANAGERS = "Only those who may manage this channel can do that."
ONLY_SERVER = "Only those who may manage this server can do that."
ONLY_OWNER = "Only my owner can ask me that."
IF_YOU_OWN_ME = 'If that is you, make the line with `owners` in config.yaml `owners: ["{who}"]`, and start me again.'
NOTHING_HERE = "None of these works here."
NOT_A_PAGE = "A page is a number, such as 2."

BACK, ON = "◀", "▶"
WHOSE_OTHER = {"me": "And what are you like?", "companion": "And what am I like?"}
LOOK = "What I know about you"
FORGET_IT, CORRECT_IT = "Forget it", "Correct it"

# memory

NOTHING_KNOWN = (
    "I do not know anything of you yet. Tell me about yourself: what you like, whom you live with, what is coming up. I"
    " remember what you say of yourself, and some time after we have talked I keep a short summary of it. You can see"
    " all of that here."
)
NOTHING_AGREED = (
    "I do not know anything of you: you have not said that I may remember what you tell me, so I forget each"
    " conversation when it has ended."
)
LIST_TITLE = "**What I know about you**"
JUST_TOLD = "Told a moment ago, in your own words (I have not yet worked through this):"
FROM_BEFORE = "Kept from before:"
MORE_JUST_TOLD = "and {count} more"
FORMER = "until {day}: “{text}”"
MORE_FORMER = "and {count} more before"
FOUND_TITLE = "**What I know about “{words}”**"
FOUND_NOTHING = "I find nothing about “{words}” in what I know about you."
HOW_FOUND = "{exact} with these words, {close} close in meaning."
WORDS_ONLY = "I searched for the exact words only."
PAGE_OF = "Page {page} of {pages}, {entries}."
PRESS_ENTRY = "Press an entry, or give its name to `/memory why`, to see which words of yours it comes from."
LONG_SEARCH = "That is too long for my page buttons. Look for fewer words to see the rest."

NOTHING_SAID = "I have not said anything here yet."
USED_WORDS = "From earlier conversations, word for word:"
USED_JUST_TOLD = "From this conversation, word for word:"
USED_NOTHING = "For my last answer here I used no memory."
USED_TITLE = "When I last answered here ({day}), I had this in mind:"
OWN_WORDS_ONLY = "I show you your own words; what others said elsewhere stays with them."
UNKNOWN_ENTRY = "I know no entry of that name. `/memory list` shows yours."
WHY_TITLE = "It comes from your own words:"
NO_SOURCE_OF_YOURS = "No message of yours is behind this one: you were there, and others said it."
QUOTE = "“{text}”"
MORE_SOURCES = "… and {count} more"
YOU, ME, SOMEBODY = "you", "me", "somebody"

# persona

NO_TRAITS = "I do not know yet what you are like. Tell me something of yourself, and I will remember it."
YOU_TITLE = "**What I take you to be like**, from what you said"
YOU_MORE = "… and {count} more; `/memory list` has all of them."
CARD = "I am **{name}**, {description}."
LEARNT_TITLE = "What I have said of myself here:"
NOTHING_LEARNT = "I have said nothing more of myself here."

# channel

MODE_NOW = "Here my mode is **{mode}**{why}. These are the four:"
MODE_INHERITED = ", as in the channel of this thread"
MODE_OF_SERVER = ", as on this whole server"
MODE_BY_DEFAULT = ", because nobody has chosen one"
MODES: Mapping[str, str] = _READ["modes"]
"""Mode of a channel (`ChannelMode`) → what the companion does there."""
MODE_SET: Mapping[str, str] = _READ["mode_set"]
"""The same → what is said when somebody has chosen it."""

DEFAULT_NOW = "Where nobody has chosen a mode for a channel of this server, it is **{mode}**. These are the four:"
DEFAULT_SET: Mapping[str, str] = {
    mode: f"{{name}} has set me to **{mode}** in all channels of this server where nobody has chosen a mode: {what}."
    for mode, what in MODES.items()
}

# about

HELP_DM = "I am {name}, a companion that remembers. Just talk to me. Or ask me for something:"
HELP_CHANNEL = (
    "I am {name}, a companion that remembers. Mention me, reply to me or call me by name. Or ask me for something:"
)
TOPIC = "- `/{word}` {help}: {commands}"
ABOUT = (
    "I am **{name}**, a machine: a program with a language model that remembers what you tell it. I am not a person,"
    " and I can be wrong."
)
SPEAKS_WITH = "The model I speak with is **{model}** ({detail})."
NO_MODEL = "I have no language model at the moment."
LOCAL = (
    "It runs on my owner's own machine, and so does my memory. I send what you say to nobody: no telemetry, no other"
    " service. The chat service that we meet on carries our messages, as it does everybody's."
)
REMOTE_HERE = (
    "It runs in another program on my owner's own machine, and my memory is there too. I send what you say to nobody"
    " else: no telemetry. The chat service that we meet on carries our messages, as it does everybody's."
)
REMOTE = (
    "It does not run on my owner's machine but on a server that my owner has chosen: what I need for an answer, your"
    " words among it, is sent there. My memory stays on my owner's machine, and there is no telemetry."
)
KEEPS = (
    "I keep what is said to me, short summaries of our conversations, and what you tell me about yourself. In a channel"
    " I"
    " keep what is said around me only where that has been switched on. What is said in private I use only in private."
)
HOW_TO_LOOK = "`/memory list` shows what I know about you, and `/memory why` where it comes from."

STATUS_TITLE = "**How I am doing**"
UPTIME = "up for {span}"
ANSWERING = "answering in {places} now, {messages} waiting"
SPEED = "{tokens:.1f} tokens a second in my last replies"
NO_SPEED = "the model has not written a reply since I started, so I know no speed"
RESIDENT = "{gib:.2f} GiB of memory"
ROOM = "{data:,.1f} MB of data are stored, {free:,.1f} GB of disk are free"
JOBS = "{jobs} of background work waiting"
PLATFORM = "{platform}: {state}"
AGAIN = "Look again"
NO_ADAPTERS = "no platform is running"
RUNNING = "running"
TERMINAL = "The terminal"


def platform_title(name: str) -> str:
    """What a platform is called."""
    return here(TERMINAL) if name == "console" else name.capitalize()


_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def day(time: datetime, language: str = "") -> str:
    """A date as a person reads it, by the clock that it is given in: "12 May 2026". No language: the one in force."""
    return _day(time.date(), language or language_in_force())


@lru_cache(maxsize=1000)
def _day(of: date, language: str) -> str:
    month = in_language(MONTHS[of.month - 1], language)
    return in_language("{day} {month} {year}", language).format(day=of.day, month=month, year=of.year)


def where(*, private: bool, name: str) -> str:
    """Where something was said. `name`: what people call the channel, escaped; may be empty."""
    if private:
        return here("in private")
    return here("in {name}").format(name=name) if name else here("in a channel")


def counted(count: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 entry", "3 entries"."""
    return f"{count} {here(one if count == 1 else many or one + 's')}"


def entries(count: int) -> str:
    """How many entries."""
    return counted(count, "entry", "entries")


def left_waiting(jobs: int) -> str:
    """What is said on leaving, when background work is left."""
    count = counted(jobs, "piece", "pieces")
    return f"{count} of background work on what I was told is left: I go on at the next start, and nothing is lost."


def listed(words: Sequence[str], last: str = "and") -> str:
    """At least one word, as "a, b and c". `last`: what stands before the last one, in English."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {here(last)} {words[-1]}"


def span(time: timedelta) -> str:
    """A length of time in its two largest units: "3 days, 4 hours"; "less than a minute" below one."""
    seconds = int(time.total_seconds())
    parts: list[str] = []
    for unit, length in _UNITS:
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(counted(count, unit))
    return ", ".join(parts[:2]) or here("less than a minute")


speaks(__name__)
