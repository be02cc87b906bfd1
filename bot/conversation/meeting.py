"""What is said when people meet: to who says their name, and to who greets again after a while. Pure."""

import re
from dataclasses import dataclass

from bot.conversation.checking.naming import name_said
from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH, Phrases, phrases_of
from bot.conversation.situations import Situation
from bot.domain import Utterance
from bot.language.patterns import Patterns

NICE_TO_MEET = "Nice to meet you, {name}!"
HOW_HAVE_YOU_BEEN = (
    "It's nice to hear from you. How have you been?",
    "Good to hear from you. How are things?",
    "Nice that you're back. How have you been?",
)
"""To who comes back, day by day another one. English, as the next one."""
GLAD = "I'm glad you're here."
"""Before they are asked how they are, after something grave."""

_AGAIN = re.compile(r"\b(?:we talked|remember|again|yesterday|last (?:time|week))\b", re.IGNORECASE)
_READ = Patterns.beside(__file__)
_HELLO, _INTRODUCES, _BY_THE_WAY = _READ["hello"], _READ["introduces"], _READ["by_the_way"]

FIRST_LINES = 4
"""Lines of a session in which people say who they are."""


@dataclass(frozen=True, slots=True)
class Reunion:
    """Somebody greets again after a while, and says nothing else."""

    language: str
    """The code of the language that they write in."""
    words: str = ""
    """What is asked of them in that language: about something they had told, mostly; empty: how they have been."""
    lines: tuple[Utterance, ...] = ()
    """What `words` rests on."""
    name: str = ""
    """By which they have greeted; empty: they said none."""
    turn: int = 0
    """A number that is another one each day, so that not all greetings are answered alike."""
    gentle: bool = False
    """Whether `words` asks how they are, after something grave."""


def welcome_of(known: Known) -> str:
    """A welcome by the name that they have just said; empty where they said none, or are welcomed already. English."""
    late = _INTRODUCES.search(known.latest) is not None
    if known.situation is not Situation.TALK or known.language != ENGLISH or (known.sad and not late):
        return ""
    if _AGAIN.search(known.latest) or _has_talked_before(known):
        return ""
    if (len(known.said) >= FIRST_LINES and not late) or any("meet you" in reply.lower() for reply in known.said):
        return ""
    name = name_said(_BY_THE_WAY.sub("", known.latest))
    if not name or any(name.lower() in reply.lower() for reply in known.said):
        return ""
    return NICE_TO_MEET.format(name=name)


def _has_talked_before(known: Known) -> bool:
    """Whether something of theirs is older than this session: a trait may be of a moment ago."""
    own = [one for one in known.told if one.speaker_id == known.asker]
    began = min((one.time for one in own if one.fresh), default=None)
    return any(not one.fresh and (began is None or one.time < began) for one in own)


def greeting_again(greeting: str, reunion: Reunion, phrases: Phrases) -> str:
    """What such a greeting is answered with, by the phrases of its language or of the one that the owner wants."""
    if phrases is not phrases_of(reunion.language) or reunion.language != ENGLISH:
        listed = phrases.replies.greeting
        asked = reunion.words if phrases is phrases_of(reunion.language) else ""
        return f"{phrases.replies.hello} {asked}" if asked else listed[reunion.turn % len(listed)]
    greeted = _HELLO.match(greeting)
    hello = " ".join(greeted["hello"].split()).capitalize() if greeted else phrases.replies.hello.rstrip("!")
    asked = reunion.words or HOW_HAVE_YOU_BEEN[reunion.turn % len(HOW_HAVE_YOU_BEEN)]
    parts = (f"{hello}{f', {reunion.name}' if reunion.name else ''}!", GLAD if reunion.gentle else "", asked)
    return " ".join(filter(None, parts))
