"""Whether something sad or good was told, in seven languages. Pure.

`mood_of` is for lines that a friend would comfort or be glad about. `has_cause` is wider: anything that comfort, or
congratulations, may be a fair answer to.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from bot.conversation.checking.language import language_of
from bot.conversation.checking.wordings import Wording, every, fold, wording

LONGEST_NEWS = 80
"""Words of a message up to which it is taken as one piece of news; longer ones tell of many things."""


class Mood(StrEnum):
    """What was told."""

    SAD = "sad"
    GLAD = "glad"


@lru_cache(maxsize=2048)
def mood_of(text: str) -> Mood | None:
    """SAD for news or feelings that a friend would comfort, GLAD for those that a friend would be glad about.

    None for everything else, and for a question that tells nothing ("Did your dog die?").
    """
    folded = fold(text)
    if len(folded.split()) > LONGEST_NEWS:
        return None
    for one in _wordings_of(text):
        left = one.pattern("sad_not").sub(" ", folded)
        if one.has("sad", left) and not _asks_only(text):
            return Mood.SAD
        if one.has("glad", folded) and not _asks_only(text):
            return Mood.GLAD
    return None


def has_cause(mood: Mood, lines: Sequence[str], wordings: Sequence[Wording]) -> bool:
    """Whether one of these lines gives a cause for comfort (SAD) or for congratulations (GLAD), a weak one too."""
    key = "trouble" if mood is Mood.SAD else "good"
    return any(mood_of(line) is mood or any(one.has(key, fold(line)) for one in wordings) for line in lines)


def _wordings_of(text: str) -> tuple[Wording, ...]:
    code = language_of(text)
    return (wording(code),) if code else every()


def _asks_only(text: str) -> bool:
    """Whether all of it is one question about somebody else than who asks."""
    folded = fold(text)
    if not folded.endswith("?") or any(mark in folded[:-1] for mark in ".!?"):
        return False
    return not any(one.has("first_person_of_people", folded) for one in _wordings_of(text))
