"""What is said when people meet: to who says their name, and to who greets again after a while. Pure."""

import re
from dataclasses import dataclass

from bot.conversation.checking.naming import name_said
from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH, Phrases
from bot.conversation.situations import Situation
from bot.domain import Utterance

NICE_TO_MEET = "Nice to meet you, {name}!"
NICE_TO_HEAR = "It's nice to hear from you."
HOW_HAVE_YOU_BEEN = "How have you been?"
GOOD_ENGLISH = "Your English is good, I understand you well."

_AGAIN = re.compile(r"\b(?:we talked|remember|again|yesterday|last (?:time|week))\b", re.IGNORECASE)
_OF_ENGLISH = re.compile(r"\b(?:sorry|excuse me?) (?:for|about) my (?:\w{2,12} )?(?:english|grammar)\b", re.IGNORECASE)
_HELLO = re.compile(r"\W*(good (?:morning|afternoon|evening)|hello|hey|hi)\b", re.IGNORECASE)
_IT_IS = re.compile(r"\b(?:[Tt]his is|[Ii]t(?:['’]?s| is)) (?P<name>[A-ZÀ-Þ][a-zà-ÿ]{1,19})\b(?! [A-ZÀ-Þ])")

FIRST_LINES = 4
"""Lines of a session in which people say who they are."""


@dataclass(frozen=True, slots=True)
class Reunion:
    """Somebody talks again after a while. What they had told and is open, if anything is."""

    words: str = ""
    """It, with the day on which they said it, and a question about it; empty: nothing is open."""
    language: str = ENGLISH
    """The code of the language of `words`."""
    lines: tuple[Utterance, ...] = ()
    """What `words` is made of."""
    warm: bool = False
    """Whether `words` only asks, so that a kind word goes before it."""


def welcome_of(known: Known) -> str:
    """A welcome by the name that they have just said; empty where they said none, or are welcomed already. English."""
    if known.situation is not Situation.TALK or known.language != ENGLISH or known.sad:
        return ""
    if _AGAIN.search(known.latest) or _has_talked_before(known):
        return ""
    if len(known.said) >= FIRST_LINES or any("meet you" in reply.lower() for reply in known.said):
        return ""
    name = name_said(known.latest)
    if not name or any(name.lower() in reply.lower() for reply in known.said):
        return ""
    return NICE_TO_MEET.format(name=name)


def reassured(known: Known) -> str:
    """What is said to somebody who is sorry for their English; empty to all others."""
    once = not any(GOOD_ENGLISH in reply for reply in known.said)
    return GOOD_ENGLISH if known.situation is Situation.TALK and once and _OF_ENGLISH.search(known.latest) else ""


def _has_talked_before(known: Known) -> bool:
    """Whether something of theirs is older than this session: a trait may be of a moment ago."""
    own = [one for one in known.told if one.speaker_id == known.asker]
    began = min((one.time for one in own if one.fresh), default=None)
    return any(not one.fresh and (began is None or one.time < began) for one in own)


def greeting_again(known: Known, reunion: Reunion, phrases: Phrases) -> str:
    """What a greeting is answered with after a while: with what is open, or that it is nice to hear from them."""
    language = known.language or ENGLISH
    words = reunion.words if reunion.language == language else ""
    if language != ENGLISH:
        return f"{phrases.replies.hello} {words}" if words else phrases.replies.greeting[0]
    greeted = _HELLO.match(known.latest)
    hello = " ".join(greeted[1].split()).capitalize() if greeted else phrases.replies.hello.rstrip("!")
    name = name_said(known.latest) or (called["name"] if (called := _IT_IS.search(known.latest)) else "")
    kind = f"{NICE_TO_HEAR} " if reunion.warm or not words else ""
    return f"{hello}{f', {name}' if name else ''}! {kind}{words or HOW_HAVE_YOU_BEEN}"
