"""What is said to somebody who says their name for the first time: "Nice to meet you, Walter!". English. Pure."""

import re

from bot.conversation.checking.naming import name_said
from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH
from bot.conversation.situations import Situation

NICE_TO_MEET = "Nice to meet you, {name}!"

_AGAIN = re.compile(r"\b(?:we talked|remember|again|yesterday|last (?:time|week))\b", re.IGNORECASE)

FIRST_LINES = 4
"""Lines of a session in which people say who they are."""


def welcome_of(known: Known) -> str:
    """A welcome by the name that they have just said; empty where they said none, or are welcomed already."""
    if known.situation is not Situation.TALK or known.language != ENGLISH or known.sad:
        return ""
    if _AGAIN.search(known.latest) or any(not one.fresh and one.speaker_id == known.asker for one in known.told):
        return ""  # they know each other
    if len(known.said) >= FIRST_LINES or any("meet you" in reply.lower() for reply in known.said):
        return ""
    name = name_said(known.latest)
    if not name or any(name.lower() in reply.lower() for reply in known.said):
        return ""
    return NICE_TO_MEET.format(name=name)
