"""Questions for what the person has just said: "What do you study?" to somebody who studies engineering. Pure."""

import re

from bot.conversation.checking.ground import Ground
from bot.conversation.checking.wordings import any_has, fold, keys_of, sentences
from bot.language.patterns import Patterns

LATELY, MOST_SAID_AGAIN = 2, 2
"""Lines that a question should go beyond, and words of it from which it does not."""

_READ = Patterns.beside(__file__)
_HOW = _READ.exact("how")
_WHAT_THEY_DO, _HOW_WAS, _DID_YOU = _READ.exact("what_they_do"), _READ.exact("how_was"), _READ.exact("did_you")
_WHERE_THEY = _READ.exact("where_they")
_TALKED_ABOUT, _OF_WHAT = _READ.exact("talked_about"), _READ.exact("of_what")
_BROUGHT, _WHAT_OF_IT = _READ.exact("brought"), _READ.exact("what_of_it")
_SOMEWHERE = (
    r" (?:(?:here|now) )?(?:just )?(?:in|at|near|by|outside) "
    r"(?!(?:the )?(?:mornings?|evenings?|nights?|weekends?|fear|peace|an? )\b)\w"
)
_IT_WENT = r" (?:really |just |all )?(?:went|was|were|turned out)\b"
_ENDS = r"(?=\W{0,20}$|[.,!?]| (?:and|but|today|yesterday|again|on|at|for|last|this)\b)"
_DONE = {"meet": "met", "see": "saw", "get": "got", "win": "won"}
"""The past of what is asked for with "did you"; of other verbs it ends in -ed."""


def asks_what_was_said(reply: str, ground: Ground) -> bool:
    """Whether a question of it has only what the person has just said: "How long was your longest run?"."""
    if _asks_again(fold(reply), ground):
        return True
    lately = frozenset().union(*(keys_of(line, ground.codes) for line in ground.lines[-LATELY:]))
    for part in sentences(reply):
        asked = keys_of(part, ground.codes) if part.rstrip().endswith("?") else frozenset[str]()
        if len(asked) >= MOST_SAID_AGAIN and asked <= lately:
            return True
        answers = ground.question is not None and not any_has("not_told", fold(reply), ground.wordings)
        how = _HOW.match(fold(part).strip()) if answers and asked else None
        if how is not None and how[0] in ground.folded and asked <= keys_of(ground.latest, ground.codes):
            return True  # what they ask of what was told themselves: "It was 5 pounds. How big was it?"
    return False


def _asks_again(folded: str, ground: Ground) -> bool:
    """Whether a folded reply asks in English for what the latest line has, by the form of both."""
    latest = ground.folded
    does, was, did = _WHAT_THEY_DO.search(folded), _HOW_WAS.search(folded), _DID_YOU.search(folded)
    where = _WHERE_THEY.search(folded)
    past = _DONE.get(did[1], f"{did[1]}ed") if did else ""
    return (
        (does is not None and re.search(rf"\bi {does[1]} (?!a lot\b|here\b|there\b|too\b)\w", latest) is not None)
        or (where is not None and re.search(rf"\b(?:i|we) {where[1]}{_SOMEWHERE}", latest) is not None)
        or (was is not None and re.search(rf"\b{was[1]}{_IT_WENT}", latest) is not None)
        or (
            did is not None
            and re.search(rf"\bi (?:\w{{1,20}} )?{past} {did[2] if did else ''}{_ENDS}", latest) is not None
        )
        or (_TALKED_ABOUT.search(folded) is not None and _OF_WHAT.search(latest) is not None)
        or bool(not ground.said and _BROUGHT.search(latest) and _WHAT_OF_IT.search(folded))
    )
