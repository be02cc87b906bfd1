"""Grave news of others, told without a word of who tells it but worry. Pure.

The second look at signs of danger takes a quarter of it for one; of what this hears, memories are made (DECISIONS 269).
"""

import re

from bot.care.grave import weight_of
from bot.conversation.checking.language import language_of
from bot.conversation.checking.wordings import fold
from bot.conversation.phrases import ENGLISH
from bot.conversation.safety import may_be_danger
from bot.language.patterns import Patterns

_WITH_PRONOUNS = frozenset({"en", "de", "fr", "nl"})
_READ = Patterns.beside(__file__)
_PARTS, _OWN = re.compile(_READ.written("parts")), re.compile(_READ.written("own"))
_ONESELF = re.compile(_READ.written("oneself"))
"""Who says it, or the one who is meant, as the doer or as done to."""
_WORRY = re.compile(_READ.written("worry"))
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
