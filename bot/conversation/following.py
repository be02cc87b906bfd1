"""Questions that only what stands around them makes questions about what was told. Pure.

One kind goes on from a question before it: "and his name?". One is known by its answer: somebody told all that "who
leaves for Rome?" asks for. And one asks for a name or a number of somebody: "how old is she?".
"""

from collections.abc import Sequence

from bot.conversation.checking.asking import ToldQuestion, asks_who, told_question
from bot.conversation.checking.wordings import content, fold, wording, words
from bot.conversation.phrases import sounding
from bot.conversation.told import Told, asking_words, best_told, words_of
from bot.domain import Session, Utterance

LONGEST_FOLLOWING = 6
"""Words of a question that goes on from another one."""
LONGEST_PLAIN = 12
"""Words of a question that is known by its answer alone."""
LINES_BACK = 4
"""Lines of people in which the question before is looked for."""
FEWEST_WANTED = 2
"""Words that somebody must have told, all of them, for a question to be about what was told; one, where it is plain
that it asks for a person, a name or a number."""


def asked_before(session: Session, latest: Utterance, names: Sequence[str]) -> ToldQuestion | None:
    """The question about what was told that people asked last before `latest`; None: there is none near."""
    lines = [one for one in session.utterances if not one.speaker.is_agent and one.message_id != latest.message_id]
    found = (told_question(one.text, names) for one in reversed(lines[-LINES_BACK:]))
    return next((one for one in found if one is not None), None)


def question_beside(
    text: str, before: ToldQuestion | None, told: Sequence[Told], asker: str, language: str
) -> ToldQuestion | None:
    """The question about what was told that `text` is by what stands around it; None: it is none."""
    return (
        following(text, before, language)
        or value_of(text, before, language)
        or answerable_of(text, told, asker, language)
    )


def following(text: str, before: ToldQuestion | None, language: str) -> ToldQuestion | None:
    """What a short `text` asks that goes on from the question `before`; None: it does not.

    "And his name?" asks for a name of whom they asked about, "and mine?" the same of another one, "and my wife?" the
    same about somebody else.
    """
    folded = fold(text).strip(" ,.:;!-")
    begin = sounding("follows", language).match(folded)
    if before is None or begin is None or len(folded.split()) > LONGEST_FOLLOWING or not folded.endswith("?"):
        return None
    asking = asking_words(language)
    subjects = tuple(word for word in content(text) if word not in asking)
    if subjects:
        return ToldQuestion(f"{before.text} {text}", subjects)
    if asking.isdisjoint(words(text)):
        return before
    own = words_of("own", language).intersection(words(before.text))
    known = tuple(word for word in before.subjects if word not in asking)
    return ToldQuestion(" ".join((text, *sorted(own))), known or before.subjects)


def answerable_of(text: str, told: Sequence[Told], asker: str, language: str) -> ToldQuestion | None:
    """The plain question that `text` is, where somebody told all that it asks for; None: nobody did, or it is none."""
    known, folded = wording(language), fold(text).strip("¿¡ ,.:;!-")
    begin = sounding("follows", language).match(folded)
    rest = folded[begin.end() :].strip() if begin else folded
    if len(rest.split()) > LONGEST_PLAIN or not known.pattern("asks_what").match(rest):
        return None
    if known.has("asks_else", folded) or known.has("asks_advice", folded):
        return None
    asking = asking_words(language)
    question = ToldQuestion(text.strip(), content(text))
    wanted = [word for word in question.subjects if word not in asking]
    plain = asks_who(rest) or not asking.isdisjoint(words(text))
    if not wanted or (len(wanted) < FEWEST_WANTED and not plain):
        return None
    found = best_told(question, told, asker, language)
    return question if found is not None and found.whole else None


def value_of(text: str, before: ToldQuestion | None, language: str) -> ToldQuestion | None:
    """The question for nothing but a name or a number of somebody else's that `text` is: "how old is she?"; else None.

    Whom it is about stands in the question `before`, where there is one. Nobody but the person can tell the answer.
    """
    known, folded = wording(language), fold(text).strip("¿¡ ,.:;!-")
    asking = asking_words(language)
    spoken = frozenset(words(text))
    if not folded.endswith("?") or not known.pattern("asks_what").match(folded) or asking.isdisjoint(spoken):
        return None
    if not asking.issuperset(content(text)) or any(known.is_one("second", word) for word in spoken):
        return None
    subjects = tuple(word for word in before.subjects if word not in asking) if before is not None else ()
    return ToldQuestion(text.strip(), subjects or content(text))
