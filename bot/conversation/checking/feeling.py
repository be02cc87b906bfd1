"""Comfort, congratulations and cheer that do not go with what was told. Pure."""

from collections.abc import Sequence

from bot.conversation.checking.ground import Fault, Ground
from bot.conversation.checking.mood import Mood, has_cause, mood_of
from bot.conversation.checking.wordings import Wording, any_has, fold, sentences

RECENT = 4
"""Lines, the latest among them, in which comfort or congratulations must have their cause; a loss may be older."""

LINGERING = 6
"""Lines, the latest among them, over which sad news is still what a conversation is about."""


def feelings(reply: str, ground: Ground) -> set[Fault]:
    """MOURNS, CONGRATULATES and CHEERFUL, where `reply` bears them."""
    folded, wordings = fold(reply), ground.wordings
    recent = ground.lines[-RECENT:]
    found: set[Fault] = set()
    if any_has("mourns_loss", folded, wordings):
        lost = any(any_has("losses", fold(line), wordings) for line in recent)
        if not lost and not ground.grave and not saddened(ground.lines):
            found.add(Fault.MOURNS)
    elif any_has("mourns", folded, wordings) and (
        mood_of(ground.latest) is Mood.GLAD or not (ground.grave or has_cause(Mood.SAD, recent, wordings))
    ):
        found.add(Fault.MOURNS)
    if _buries(reply, ground):
        found.add(Fault.MOURNS)
    congratulates = any_has("congratulates", folded, wordings)
    if congratulates and not has_cause(Mood.GLAD, recent, wordings):
        found.add(Fault.CONGRATULATES)
    cheers = congratulates or any_has("cheer", folded, wordings)
    if cheers and not any_has("comfort", folded, wordings) and not any_has("glad", ground.folded, wordings):
        # What is glad as well is mixed: "I failed twice, but today I passed my test".
        kindly = any_has("soft", folded, wordings)  # "What a lovely thing to have from her."
        sad = ground.grave or lingers(ground.lines, wordings)
        if mood_of(ground.latest) is Mood.SAD or (not kindly and sad):
            found.add(Fault.CHEERFUL)
    return found


def _buries(reply: str, ground: Ground) -> bool:
    """Whether it says that somebody died of whom nobody said so: "and now he's gone" of a husband in a care home."""
    if not (ground.grave or saddened(ground.lines)):
        return False
    stated = (fold(part) for part in sentences(reply) if not part.rstrip().endswith("?"))
    if not any(any_has("buries", part, ground.wordings) for part in stated):
        return False
    return not any(any_has("deaths", fold(line), ground.wordings) for line in ground.lines)


def lingers(lines: Sequence[str], wordings: Sequence[Wording]) -> bool:
    """Whether sad news of a moment ago is still what it is about: the last line is a statement, and nothing good."""
    *before, latest = lines[-LINGERING:]
    if mood_of(latest) is not None or latest.rstrip().endswith("?") or has_cause(Mood.GLAD, [latest], wordings):
        return False
    return saddened(before)


def saddened(lines: Sequence[str]) -> bool:
    """Whether one of these lines tells sad news."""
    return any(mood_of(line) is Mood.SAD for line in lines)
