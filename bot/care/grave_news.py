"""Grave news of others, told without a word of who tells it but worry. Pure.

The second look at signs of danger takes a quarter of it for one; of what this hears, memories are made (DECISIONS 269).
"""

import re

from bot.care.grave import weight_of
from bot.conversation.checking.language import language_of
from bot.conversation.checking.wordings import fold
from bot.conversation.phrases import ENGLISH
from bot.conversation.safety import may_be_danger

_WITH_PRONOUNS = frozenset({"en", "de", "fr", "nl"})
_PARTS = re.compile(
    r"[.!?…;,:\n—–]+| - | (?:and|und|et|en|but|aber|mais|maar|so|then|because|since|while|weil|dann|want|omdat) "
)
_ONESELF = re.compile(
    r"\b(?:i|im|ive|ill|id|me|myself|mine|u|you|ich|mich|mir|je|j|me|m|moi|ik|mij|mezelf|du|dich|dir|tu|te|toi|jou|jij)\b"
)
"""Who says it, or the one who is meant, as the doer or as done to."""
_OWN = re.compile(r"\b(?:my|mein\w*|mon|ma|mes|mijn|our|unser\w*|notre|nos|onze?)\b")
_WORRY = re.compile(
    r"\b(?:i'?m|i am|we'?re|we are)(?: all| both| so| just| really| very){0,2} "
    r"(?:worried|scared|sad|gutted|devastated|heartbroken|shocked|petrified|terrified|in shock)"
    r"(?: (?:about|for) \w+)?\b|\bi (?:was|got) (?:laid off|let go|fired|made redundant)\b"
    r"|\bi lost my (?:job|\w+ today|\w+ yesterday)\b"
)
"""What is said of oneself in such news that says no more."""


def is_of_others(text: str) -> bool:
    """Whether it tells that somebody died, is ill or the like, and nothing of who says it but worry.

    Only in languages that say who does something: "pronto estaré con ella" has no word for it.
    """
    folded = fold(text)
    if (language_of(text) or ENGLISH) not in _WITH_PRONOUNS or _ONESELF.search(_WORRY.sub(" ", folded)):
        return False
    parts = [part for part in _PARTS.split(folded) if part.strip()]
    rest = [part for part in parts if weight_of(part) is None]
    grave = len(rest) < len(parts) or weight_of(text) is not None
    return grave and not any(_OWN.search(part) or may_be_danger(part) for part in rest)
