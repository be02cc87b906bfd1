"""Every command: its name, its help, its parameters and who may use it. Data only.

The slash commands, Telegram's menu, the console, `/help`, the README and the use cases are held to this list by tests.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.domain import ChannelMode


class Who(StrEnum):
    """Who may use a command."""

    EVERYONE = "everyone"
    MANAGER = "manager"
    """Those who may manage the channel, by the platform's own permissions."""
    SERVER = "server"
    """Those who may manage the whole server."""
    OWNER = "owner"
    """Those who own the companion."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a command; all are texts."""

    name: str
    help: str
    required: bool = False
    choices: tuple[str, ...] = ()
    """The values it can have; empty: free text."""
    suggests: bool = False
    """Whether `Core.suggest` completes it."""
    takes_rest: bool = False
    """Whether it takes all words that are left on a typed line (Telegram, console); else it takes one."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `name`: one or two words; commands with the same first word are a group."""

    name: str
    help: str
    parameters: tuple[Parameter, ...] = ()
    who: Who = Who.EVERYONE
    private: bool = True
    """Whether the answer is only for the asker."""
    in_channels_only: bool = False


LEFT_TO_BUTTONS = "Left to my buttons"
"""The help of parameters that nobody types."""

CATALOGUE: tuple[Command, ...] = (
    Command("help", "What I can do, and every command"),
    Command("about", "What I am: a machine, which model, and where your words stay"),
    Command("memory list", "What I know of you, newest first", (Parameter("page", "Which page"),)),
    Command(
        "memory search",
        "Look for something in what I know of you",
        (Parameter("words", "What to look for", required=True, takes_rest=True), Parameter("page", "Which page")),
    ),
    Command(
        "memory why",
        "Why I said what I said last, or where an entry of your list comes from",
        (Parameter("entry", "The entry, such as t12 or e3; empty: my last reply here", suggests=True),),
    ),
    Command(
        "memory timeline",
        "What happened to you, in order, and what led to what: a picture, and the same in words",
        (
            Parameter("words", "What it should be about; empty: all of it, newest first", takes_rest=True),
            Parameter("page", "Which page; the first one has the newest"),
            Parameter("look", "The colours of the picture", choices=("light", "dark")),
        ),
    ),
    Command(
        "memory forget",
        "Erase something I know of you: shown first, and done when you confirm it",
        (
            Parameter(
                "what",
                'An entry (t12), words, a time ("last week"), "last" or "everything"',
                suggests=True,
                takes_rest=True,
            ),
            Parameter("step", LEFT_TO_BUTTONS, choices=("yes", "no")),
            Parameter("token", LEFT_TO_BUTTONS),
        ),
    ),
    Command(
        "memory correct",
        "Tell me how it really is, in plain words",
        (
            Parameter("entry", "The entry, such as t12 or e3", required=True, suggests=True),
            Parameter("words", "How it is, such as: I live in York.", required=True, takes_rest=True),
        ),
    ),
    Command("memory undo", "Take back what you corrected last"),
    Command("memory export", "All I know of you, as two files for you alone"),
    Command(
        "persona show",
        "What I take you to be like, and what I am like myself",
        (Parameter("whose", "Yours or mine", choices=("me", "companion")),),
    ),
    Command(
        "persona edit",
        "Change what I take you to be like, or add to it",
        (
            Parameter("entry", "The trait, such as t12; or: new", required=True, suggests=True),
            Parameter("words", "What you are like, such as: I love sailing.", required=True, takes_rest=True),
        ),
    ),
    Command(
        "persona character",
        "The personality type that may colour my tone: what I guess, what you say, or none",
        (Parameter("letters", "Yours, such as INFP; guess: I may guess it; off: none; empty: show it", suggests=True),),
    ),
    Command("privacy policy", "What I keep of you, where, who can see it, and how it goes"),
    Command(
        "privacy consent",
        "Whether I may remember what you tell me",
        (Parameter("answer", "Your answer; empty: show it", choices=("yes", "no")),),
    ),
    Command(
        "privacy pause",
        "Nothing is remembered from now on, until you resume it",
        (Parameter("state", "Empty: show it", choices=("on", "off")),),
    ),
    Command(
        "privacy keep",
        "How long I keep what you say",
        (Parameter("days", 'Days, or "forever"; empty: show it'),),
    ),
    Command(
        "privacy channel",
        "Whether I read you in this channel",
        (Parameter("state", "Empty: show it", choices=("in", "out", "out-everywhere")),),
        in_channels_only=True,
    ),
    Command(
        "privacy country",
        "Where you live, so that I name the right number in an emergency",
        (Parameter("country", "Two letters, such as DE; or: none", takes_rest=True),),
    ),
    Command(
        "privacy age",
        "Whether you are under 18; then I am more careful",
        (Parameter("age", "Empty: show it", choices=("adult", "minor")),),
    ),
    Command(
        "privacy receipt",
        "What was erased, and whether anything of it was found afterwards",
        (Parameter("number", "The receipt's number; empty: your last ones"),),
    ),
    Command(
        "link",
        "Be one person for me on two platforms",
        (Parameter("code", "The code that I showed you on the other one; empty: show me one", takes_rest=True),),
    ),
    Command("unlink", "Part your platforms again"),
    Command("checkin on", "Let me write to you first, now and then"),
    Command("checkin off", "I do not write to you first any more", (Parameter("number", LEFT_TO_BUTTONS),)),
    Command("checkin show", "What you chose, when the next one may come, and the last ones"),
    Command(
        "checkin timezone",
        "Whose clock I go by, so that I write at good times",
        (Parameter("place", "A city, a country or a time zone, such as Leeds; or: none", takes_rest=True),),
    ),
    Command(
        "checkin times",
        "At which times of day one may come",
        (Parameter("times", "Such as 12:00 18:30; or: default", takes_rest=True),),
    ),
    Command(
        "checkin days",
        "On which days one may come",
        (Parameter("days", "Such as mon-fri; or: every", takes_rest=True),),
    ),
    Command(
        "checkin quiet",
        "Between which times nothing ever comes",
        (Parameter("hours", "Such as 22:00-08:00; or: off, or: default", takes_rest=True),),
    ),
    Command(
        "checkin often",
        "How many days there are from one to the next, at least",
        (Parameter("days", "Such as 3; or: default", takes_rest=True),),
    ),
    Command(
        "checkin pause",
        "Nothing comes for a while",
        (Parameter("span", "Such as 2 weeks, or until 3 May; or: off", takes_rest=True),),
    ),
    Command(
        "checkin why",
        "Why I wrote to you first: the words of yours that it comes from",
        (Parameter("number", "The check-in, such as 12; empty: the last one"),),
    ),
    Command("checkin snooze", "Not now: nothing before tomorrow", (Parameter("number", LEFT_TO_BUTTONS),)),
    Command("checkin less", "Less often than now", (Parameter("number", LEFT_TO_BUTTONS),)),
    Command("checkin queue", "What is planned, and what became of the last ones, without words", who=Who.OWNER),
    Command(
        "checkin hold",
        "Stop the check-ins of everybody, or let them go on",
        (Parameter("state", "Empty: show it", choices=("on", "off")),),
        who=Who.OWNER,
    ),
    Command(
        "channel mode",
        "When I speak in this channel, and what I keep of it",
        (Parameter("mode", "What to change it to; empty: show it", choices=tuple(mode.value for mode in ChannelMode)),),
        who=Who.MANAGER,
        in_channels_only=True,
    ),
    Command(
        "channel sharing",
        "Whether I may use, in all channels of this server, what everybody here can read",
        (Parameter("state", "What to change it to; empty: show it", choices=("on", "off")),),
        who=Who.SERVER,
        in_channels_only=True,
    ),
    Command("status", "How I am doing: uptime, queue, tokens a second, memory", who=Who.OWNER),
)
GROUPS = {
    "memory": "What I know of you",
    "persona": "What you and I are like",
    "privacy": "What I may keep of you",
    "checkin": "When I write to you first",
    "channel": "How I behave in this channel",
}
"""The first word of commands of two words → its help."""


def command_named(name: str) -> Command | None:
    """The command of this name; None when there is none."""
    return next((command for command in CATALOGUE if command.name == name), None)
