"""Yes or no to who asks whether it is wrong, or normal, to feel as they do. English. Pure.

A small model gives such a question all kinds of answers. It is heard only where the feeling is all that they ask
about: what goes on ("… to be scared of my husband", "… angry enough to shake her") is for the model, and for help.
"""

from bot.conversation.checking.wordings import fold
from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH
from bot.conversation.safety import may_be_danger
from bot.conversation.situations import Situation, Weighing
from bot.language.patterns import Patterns

NOT_AT_ALL = "No, not at all. It makes sense that you feel like that."
OF_COURSE = "Yes, it is. It makes sense that you feel like that."

_READ = Patterns.beside(__file__)
_IS_WRONG, _IS_NORMAL = _READ.exact("is_wrong"), _READ.exact("is_normal")


def comfort_of(known: Known, weigh: Weighing) -> str:
    """The answer; empty where they ask for something else, or it was given. `weigh`: hears what is grave."""
    text = fold(known.latest)
    wrong = _IS_WRONG.match(text) is not None
    if known.situation is not Situation.QUESTION or known.language != ENGLISH or not (wrong or _IS_NORMAL.match(text)):
        return ""
    said = NOT_AT_ALL if wrong else OF_COURSE
    own = [one.words for one in known.told if one.speaker_id == known.asker][-1:]
    dark = any(may_be_danger(line) for line in (*own, known.latest)) or weigh(known.latest) is not None
    return "" if dark or said in known.said else said
