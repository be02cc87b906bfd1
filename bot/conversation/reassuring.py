"""Yes or no to who asks in trouble whether it is wrong, or normal, to feel as they do. English. Pure.

"Do you think that is foolish?" of two cups that a widow puts out wants one answer, and a small model gives others.
"""

from bot.conversation.checking.wordings import fold
from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH
from bot.conversation.safety import danger_in
from bot.conversation.situations import Situation
from bot.language.patterns import Patterns

NOT_AT_ALL = "No, not at all. It makes sense that you feel like that."
OF_COURSE = "Yes, it is. It makes sense that you feel like that."

_READ = Patterns.beside(__file__)
_IS_WRONG, _IS_NORMAL = _READ.exact("is_wrong"), _READ.exact("is_normal")
_FEELS = _READ.exact("feels")
_OTHERWISE = _READ.exact("otherwise")


def comfort_of(known: Known) -> str:
    """The answer; empty where they ask for something else, or it was given. What they ask about has to be a feeling."""
    text = fold(known.latest)
    wrong, normal = _IS_WRONG.search(text), _IS_NORMAL.search(text)
    found = wrong or normal
    if known.situation is not Situation.QUESTION or known.language != ENGLISH or found is None:
        return ""
    feels = _FEELS.search(text[found.end() :]) is not None or (known.sorrow and not text[found.end() :].strip(" ?"))
    if not feels or _OTHERWISE.search(text) or danger_in(known.latest) is not None:
        return ""
    said = NOT_AT_ALL if wrong else OF_COURSE
    return "" if said in known.said else said
