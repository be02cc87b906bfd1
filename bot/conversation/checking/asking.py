"""Whether somebody asks for a fact of their own life or for what was told, in seven languages. Pure."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache, partial

from bot.conversation.checking.language import language_of
from bot.conversation.checking.wordings import Wording, content, every, fold, wording

LONGEST_QUESTION = 30
"""Words of a question about what was told at most: longer ones tell something themselves."""

LONGEST_OF_OWN = 10
"""Words of a question about oneself that is told by its question word alone."""

_WHO = re.compile(r"(?:\w{1,30}[ ,]{1,3})?(?:who|wer|quien|qui|chi|quem)\b")
_TESTS = re.compile(r",? (?:let me see|let'?s see|i want to see|just (?:checking|testing))\b.{0,60}$", re.IGNORECASE)
"""Behind a question, why it is asked: "what am I studying, let me see if you are listening"."""
_FOR_A_LIVING = re.compile(r"\bfor a living\b")
_PART = re.compile(r"[^.!?…\n]{1,400}[.!?…\n]{0,8}")


@dataclass(frozen=True, slots=True)
class ToldQuestion:
    """A question about what was told. `subjects`: the folded words to look it up by, such as "cat"."""

    text: str
    subjects: tuple[str, ...]


def asks_who(text: str) -> bool:
    """Whether a question asks for a person. `text`: as it was said, or folded."""
    return _WHO.match(fold(text)) is not None


def told_question(text: str, names: Collection[str] = ()) -> ToldQuestion | None:
    """The question about the asker's life or about what was told that `text` has; None: it has none.

    "What is my cat called?", "Wo wohne ich?", "What did I tell you about Rome?", "Who of us has a parrot?". With
    `names` also what asks about one of them: "Where does Ottilie work?". Not "What is your name?", "What should I do?".
    """
    return _told_question(text, tuple(sorted({fold(name) for name in names if name.strip()})))


@lru_cache(maxsize=512)
def _told_question(text: str, names: tuple[str, ...]) -> ToldQuestion | None:
    code = language_of(text)
    wordings = (wording(code),) if code else every()
    for part in map(partial(_TESTS.sub, ""), _PART.findall(text)):
        if len(part.split()) <= LONGEST_QUESTION and any(_asks(part, one, names) for one in wordings):
            codes = tuple(one.code for one in wordings) if code else ()
            living = _FOR_A_LIVING.search(fold(part)) is not None
            subjects = tuple("job" if living and word == "living" else word for word in content(part, codes))
            return ToldQuestion(part.strip(), subjects)
    return None


def _asks(part: str, one: Wording, names: tuple[str, ...]) -> bool:
    folded = fold(part).strip("¿¡ ")
    if one.has("asks_else", folded):
        return False
    if one.has("asks_told", folded) or _asks_of_own(folded, one):
        return True
    behind = (folded[match.end() :].lstrip() for match in one.pattern("asks_told_of").finditer(folded))
    return any(name and rest.startswith(name) for rest in behind for name in names)


def _asks_of_own(folded: str, one: Wording) -> bool:
    """Whether a short question is about the asker ("c'est quand mon anniversaire ?"), and wants no advice."""
    short = folded.endswith("?") and len(folded.split()) <= LONGEST_OF_OWN
    return (
        short and one.has("asks_what", folded) and one.has("asks_own_of", folded) and not one.has("asks_advice", folded)
    )
