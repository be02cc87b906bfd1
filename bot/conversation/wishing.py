"""Wishes for what people say lies ahead of them: "Good luck on Thursday!". English, as the echoes. Pure."""

import re
from datetime import datetime, timedelta

from bot.conversation.checking import language_of
from bot.conversation.checking.wordings import fold
from bot.conversation.own_words import Known
from bot.conversation.phrases import ENGLISH
from bot.conversation.situations import Situation
from bot.language.ahead import When, ahead_in

_WISHED = frozenset({Situation.TALK, Situation.HARD, Situation.NICE})

LONGEST_SPAN = timedelta(days=7)
"""What is "in January" is far, or past."""

MOST_WORDS = 30
"""A longer line tells of more."""

TRIED = "Good luck{when}! Tell me afterwards how it went."
"""For what they have to pass or win themselves."""
HOPED = "I hope it goes well{when}. Tell me afterwards how it went."
"""For what is done to them, and for what others have before them."""

_TRIED = re.compile(
    r"\b(?:exams?|tests?|finals|interview|audition|competition|tournament|race|marathon|match|presentation|recital"
    r"|performance|speech|defen[cs]e|gig|first day (?:at|of|in))\b"
)
_HOPED = re.compile(
    r"\b(?:surgery|operation|scan|mri|x-?ray|biopsy|check-? ?up|doctor|dentist|vet|hearing|hospital|appointment"
    r"|(?:knee|hip|tooth)\b.{0,20}\bdone)\b"
)
_NOT_TESTED = re.compile(r"\b(?:blood|covid|pregnancy|eye|hearing) tests?\b|\btest results\b|\btest drive\b")
_OTHERS = re.compile(
    r"\b(?:my|our) (?:\w+ )?(?:mom|mum|mam|mother|dad|father|parents|brother|sister|son|daughter|kid|kids|child|wife"
    r"|husband|partner|boyfriend|girlfriend|bf|gf|friend|mate|cousin|aunt|uncle|niece|nephew|gran\w*|nana?|boss"
    r"|roommate|flatmate|neighbou?r|dog|cat)\b|\b(?:he|she|they|his|her|their)\b|\bvet\b"
)
_PAST = re.compile(
    r"\b(?:was|were|had|went|did|didn'?t|got|passed|failed|ended|over|cancel\w*|called off|moved|postponed|watched|saw"
    r"|came|back|been|won|lost|missed|finished|skip\w*|not going|if|would|used to|last"
    r"|no (?:exam|test|match|race|appointment))\b"
)
_PLAIN = re.compile(
    r"(?:on )?(?P<day>(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?P<part> (?:morning|afternoon|evening|night))?"
    r"|(?P<as_said>tomorrow(?: (?:morning|afternoon|evening|night))?|tonight|next (?:week|month)"
    r"|on the \d{1,2}(?:st|nd|rd|th))"
)


def wish_for(known: Known, now: datetime) -> str:
    """A wish for the test or the appointment that they say is ahead; empty where there is none, or it was wished for.

    `now`: in their zone.
    """
    if known.situation not in _WISHED or known.language != ENGLISH or language_of(known.latest) not in {ENGLISH, None}:
        return ""
    text = fold(known.latest)
    when = ahead_in(text, now)
    today = when is not None and when.start <= now
    if when is None or today or when.vague or "?" in text or _PAST.search(text) or when.end - when.start > LONGEST_SPAN:
        return ""
    if len(text.split()) > MOST_WORDS:
        return ""
    tested = _TRIED.search(text) is not None and _NOT_TESTED.search(text) is None
    if not tested and not (_HOPED.search(text) or _NOT_TESTED.search(text)):
        return ""
    form = TRIED if tested and not _OTHERS.search(text) else HOPED
    wish = form.format(when=_said(text, when))
    return "" if any(wish in reply for reply in known.said) else wish


def _said(text: str, when: When) -> str:
    """The time as it is said behind "good luck", with a space before; empty where it would read oddly there."""
    match = _PLAIN.fullmatch(text[slice(*when.at)])
    if match is None:
        return ""
    if match["as_said"]:
        return f" {match['as_said']}"
    return f" on {match['day'].capitalize()}{match['part'] or ''}"
