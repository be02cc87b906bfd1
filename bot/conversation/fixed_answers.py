"""What is answered in words of ours whatever a small model would say. English. Pure."""

from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH
from bot.conversation.situations import Situation
from bot.language.patterns import Patterns

GOOD_ENGLISH = "Your English is good, I understand you well."
PROMISE = "I will. I'll remember that."
BURNT = "Better switch it off, and leave it until somebody has looked at it. A burnt smell can be a fault inside."
GAS = "If you smell gas, touch no switch, open the windows, go outside, and call the gas emergency line from there."
"""The default model called a burnt smell common."""

_READ = Patterns.beside(__file__)
_OF_ENGLISH, _TO_REMEMBER = _READ["of_english"], _READ["to_remember"]
_OF_GAS, _BURNT = _READ["of_gas"], _READ["burnt"]


def fixed_answer(known: Known, *, kept: bool) -> str:
    """The answer to what has one; empty to all else. `kept`: whether what was just said is going to be remembered."""
    line, situation = known.latest, known.situation
    once = not any(GOOD_ENGLISH in reply for reply in known.said)
    if situation is Situation.TALK and once and _OF_ENGLISH.match(line):
        return GOOD_ENGLISH
    if known.language != ENGLISH or situation is Situation.WORRY:
        return ""
    if kept and _TO_REMEMBER.search(line):
        return PROMISE
    if situation is not Situation.QUESTION:
        return ""
    return GAS if _OF_GAS.search(line) else BURNT if _BURNT.search(line) else ""
