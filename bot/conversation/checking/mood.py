"""Whether something sad or good was told, in seven languages. Pure.

`mood_of` is for lines that a friend would comfort or be glad about. `has_cause` is wider: anything that comfort, or
congratulations, may be a fair answer to. `mild_mood_of` is for the troubles and joys of any day: they get a word of
sympathy or of pleasure, and neither condolences nor congratulations.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from bot.conversation.checking.language import language_of
from bot.conversation.checking.wordings import Wording, every, fold, wording

LONGEST_NEWS = 80
"""Words of a message up to which it is taken as one piece of news; longer ones tell of many things."""


_MOVING = ("sad", "glad", "hard", "nice", "asks_human", "asks_bot", "asks_own")
_TROUBLED = frozenset("😞😢😭😔💔🥺😩😫😖😣😰😨😟🙁☹😓😥")
_PLEASED = frozenset("🎉🥳🎊🏆🥂😍🥰🤩💕💖❤")
"""What people put behind a line that tells how it is meant."""


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


@lru_cache(maxsize=1024)
def mild_mood_of(text: str) -> Mood | None:
    """SAD for the troubles of any day ("my back hurts again"), GLAD for its joys; None for both at once, or neither."""
    folded = fold(text)
    if len(folded.split()) > LONGEST_NEWS or _asks_only(text):
        return None
    wordings = _wordings_of(text)
    troubled = is_troubled(text)
    pleased = any(one.has("nice", folded) for one in wordings)
    if pleased and not troubled and _goes_on_badly(folded, wordings):
        return None
    if troubled == pleased:  # the words do not tell: the signs behind them may
        troubled, pleased = not _TROUBLED.isdisjoint(text), not _PLEASED.isdisjoint(text)
    return None if troubled == pleased else Mood.SAD if troubled else Mood.GLAD


@lru_cache(maxsize=1024)
def is_troubled(text: str) -> bool:
    """Whether it tells of a trouble of any day, beside whatever else: "I'm pregnant and I don't know what to do"."""
    folded = fold(text)
    return any(one.has("hard", one.pattern("sad_not").sub(" ", folded)) for one in _wordings_of(text))


def _goes_on_badly(folded: str, wordings: Sequence[Wording]) -> bool:
    """Whether a line that tells of a joy has a word of loss or trouble beside it: "he loves her, now she's gone"."""
    for one in wordings:
        rest = one.pattern("nice").sub(" ", folded)
        if rest != folded and any(one.has(key, rest) for key in ("losses", "trouble")):
            return True
    return False


def moved_in(text: str) -> tuple[str, ...]:
    """The languages in whose words `text` tells something sad or good, or asks the companion what it is.

    Of a short line these words may say most.
    """
    folded = fold(text)
    return tuple(one.code for one in every() if any(one.has(key, folded) for key in _MOVING))


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
