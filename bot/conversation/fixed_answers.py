"""What is answered in words of ours whatever a small model would say. English. Pure."""

from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH
from bot.conversation.safety import may_be_danger
from bot.conversation.situations import Situation
from bot.language.patterns import Patterns

GOOD_ENGLISH = "Your English is good, I understand you well."
PROMISE = "I will. I'll remember that."
NOT_KEPT = "I keep nothing of this conversation when it ends. `/privacy` shows what you have chosen, and changes it."
SEES = "No. I read what is written in our chat and nothing else: not your screen, your camera or your files."

_READ = Patterns.beside(__file__)
_OF_ENGLISH, _TO_REMEMBER, _RECALLS = _READ["of_english"], _READ["to_remember"], _READ["recalls"]
_SEES = _READ["sees"]
_OPEN = frozenset({Situation.TALK, Situation.QUESTION})


def fixed_answer(known: Known, *, kept: bool) -> str:
    """The answer to what has one; empty to all else. `kept`: whether what was just said is going to be remembered."""
    line, situation = known.latest, known.situation
    once = not any(GOOD_ENGLISH in reply for reply in known.said)
    if situation is Situation.TALK and once and _OF_ENGLISH.match(line):
        return GOOD_ENGLISH
    if known.language in {ENGLISH, None} and SEES not in known.said and _SEES.match(line):
        return SEES
    if situation is Situation.PRIVATE and not kept and known.language == ENGLISH:
        return NOT_KEPT
    promises = kept and known.language == ENGLISH and situation in _OPEN and _TO_REMEMBER.search(line) is not None
    return PROMISE if promises and not (_RECALLS.search(line) or may_be_danger(line)) else ""
