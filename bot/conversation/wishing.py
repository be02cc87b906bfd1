"""Wishes for what people say lies ahead of them: "Good luck on Thursday!". English, as the echoes. Pure."""

from dataclasses import replace
from datetime import datetime, timedelta

from bot.conversation.checking.feeling import LINGERING
from bot.conversation.checking.language import language_of
from bot.conversation.checking.wordings import fold
from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH
from bot.conversation.safety import danger_in
from bot.conversation.situations import Situation, takes_leave
from bot.language.ahead import When, ahead_in
from bot.language.patterns import Patterns

_WISHED = frozenset({Situation.TALK, Situation.NICE})

LONGEST_SPAN = timedelta(days=7)
"""What is "in January" is far, or past."""

MOST_WORDS = 30
"""A longer line tells of more."""

TRIED = "Good luck{when}! Tell me afterwards how it went."
"""For what they have to pass or win themselves."""
TRIED_NOW = TRIED.format(when="")
HOPED = "I hope it goes well{when}. Tell me afterwards how it went."
"""For what is done to them, and for what others have before them."""

_READ = Patterns.beside(__file__)
_ASKED = _READ.exact("asked")
_TRIED = _READ.exact("tried")
_HOPED = _READ.exact("hoped")
_NOT_TESTED = _READ.exact("not_tested")
_OTHERS = _READ.exact("others")
_PAST = _READ.exact("past")
_HEAVY = _READ.exact("heavy")
_CLAUSES = _READ.exact("clauses")
_PLAIN = _READ.exact("plain")


def wish_for(known: Known, now: datetime) -> str:
    """A wish for the test or the appointment that they say is ahead; empty where there is none, or it was wished for.

    Also where something sad or dangerous was told lately. `now` is UTC: only the words for the day are said again.
    """
    text = fold(known.latest)
    if known.situation not in _WISHED or known.language != ENGLISH or language_of(known.latest) not in {ENGLISH, None}:
        return ""
    if _ASKED.search(text):
        fit = not (known.sad or _is_out_of_place(text) or _is_in_danger(known) or TRIED_NOW in known.said)
        return TRIED_NOW if fit else ""
    tested = _TRIED.search(text) is not None and _NOT_TESTED.search(text) is None
    if not tested and not (_HOPED.search(text) or _NOT_TESTED.search(text)):  # most lines
        return ""
    if known.sad or _is_out_of_place(text) or takes_leave(known.latest, known.language) or _is_in_danger(known):
        return ""
    when, clause = _when(text, now)
    if when is None or when.start <= now or when.vague or when.end - when.start > LONGEST_SPAN or _PAST.search(clause):
        return ""
    form = TRIED if tested and not _OTHERS.search(text) else HOPED
    wish = form.format(when=_said(text, when))
    return "" if any(wish in reply for reply in known.said) else wish


def _is_out_of_place(text: str) -> bool:
    return "?" in text or len(text.split()) > MOST_WORDS or _HEAVY.search(text) is not None


def _is_in_danger(known: Known) -> bool:
    """Whether they have just told of a danger: then nobody wishes them luck for Friday."""
    own = [one.words for one in known.told if one.speaker_id == known.asker]
    return any(danger_in(line) for line in own[-LINGERING:])


def _when(text: str, now: datetime) -> tuple[When | None, str]:
    """When the trial is, the time in its own clause, or the first that is said; and the words that say so."""
    at = 0
    for clause in _CLAUSES.split(text):
        begin = text.index(clause, at)
        at = begin + len(clause)
        if any(one.search(clause) for one in (_TRIED, _HOPED, _NOT_TESTED)) and (when := ahead_in(clause, now)):
            return replace(when, at=(begin + when.at[0], begin + when.at[1])), clause
    return ahead_in(text, now), text


def _said(text: str, when: When) -> str:
    """The time as it is said behind "good luck", with a space before; empty where it would read oddly there."""
    match = _PLAIN.fullmatch(text[slice(*when.at)])
    if match is None:
        return ""
    if match["as_said"]:
        return f" {match['as_said']}"
    return f" on {match['day'].capitalize()}{match['part'] or ''}"
