"""What somebody says that only asks the companion for something, and tells nothing: no memory is made of it. Pure.

Requests, commands, questions about what was told, greetings and thanks. `telling` leaves the rest of a text, which
traits and events are made of. The words themselves stay recallable as they were said. What these sound like is data:
`requests` and `hears` in `phrases/*.yaml`.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from bot.conversation.checking.asking import told_question
from bot.conversation.checking.language import language_of
from bot.conversation.checking.wordings import fold, sentences, wording, words
from bot.conversation.phrases import LANGUAGES, phrases_of

LEAST_WORDS = 3
"""Words that the rest of a sentence needs to tell something where it does not speak of its speaker: not "Ok,"."""

LONGEST_GREETING = 14
"""Words of a greeting or of thanks at most; the patterns are slow on more."""

LONGEST_QUESTION = 12
"""Words of a question about what was told, at most: a longer one may tell something before it asks."""

_COMMAND = re.compile(r"/[^\W\d_]+(?:\s.*)?", re.DOTALL)
_COMMA = re.compile(r"(?<=[,;:–—])\s+")
_TRAILING_NAME = re.compile(r"(?<=[\w,])\s+[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+)?(?=\W*$)")
_ENDS = ".!?…"
_MARKS = " ,;:.!?…¿¡\"'“”()-–—*~"


@dataclass(frozen=True, slots=True)
class _Sounds:
    """How one language asks and greets: patterns over folded text."""

    code: str
    forget: re.Pattern[str]
    ask: re.Pattern[str]
    polite: re.Pattern[str]
    """A greeting, thanks and the like, as a whole."""
    opening: re.Pattern[str]
    """What may stand before a request: "please", "hey"."""
    tells: re.Pattern[str]
    joins: re.Pattern[str]
    own: frozenset[str]


@lru_cache(maxsize=1024)
def telling(text: str) -> str:
    """What of `text` tells something: "Hi! I sail. Please remind me of it." is "I sail."; "" where nothing does.

    A text that asks for nothing stays as it is, to the letter. A request goes with what it is about ("remind me to
    call my sister"); what is said before it and what tells something behind it stay. A request to forget goes with
    its whole sentence.
    """
    code = language_of(text)
    sounds = [_sounds(one) for one in ((code,) if code else LANGUAGES)]
    lines = text.split("\n")
    return "\n".join(kept for line in lines if (kept := _of_line(line, sounds)) or len(lines) == 1).strip("\n")


def tells(text: str) -> bool:
    """Whether `text` says anything but requests, commands, greetings and thanks."""
    return bool(telling(text).strip())


def _of_line(line: str, sounds: list[_Sounds]) -> str:
    if _COMMAND.fullmatch(line.lstrip()):
        return ""
    parts = sentences(line)
    kept = [_of_sentence(part, sounds) for part in parts]
    rest = line[sum(map(len, parts)) :]  # a very long text: what is not looked at stays
    return line if kept == parts else " ".join(part.strip() for part in [*kept, rest] if part.strip())


def _of_sentence(sentence: str, sounds: list[_Sounds]) -> str:
    if any(one.forget.match(_bare(sentence, sounds)) for one in sounds) or _is_polite(sentence, sounds):
        return ""
    found = _parts(sentence)
    kept: list[str] = []
    asked = False
    for part in found:
        if _asks(part, sounds):
            asked = True
            kept += _told_behind(part, sounds)
        elif not _is_polite(part, sounds) and (not asked or any(one.tells.match(_plain(part)) for one in sounds)):
            asked = False
            kept.append(part)
    if kept == found:
        return sentence
    rest = "".join(kept).strip(" ,;:–—")
    ended = rest if rest[-1:] in _ENDS or sentence.rstrip()[-1:] not in _ENDS else f"{rest}."
    return ended if _says_enough(rest, sounds) else ""


def _asks(part: str, sounds: list[_Sounds]) -> bool:
    """Whether a part of a sentence asks for something, or for what was told."""
    folded = _bare(part, sounds)
    if any(one.ask.match(folded) or one.forget.match(folded) for one in sounds):
        return True
    begins = any(wording(one.code).pattern(key).match(folded) for one in sounds for key in ("asks_what", "asks_told"))
    return begins and len(words(part)) <= LONGEST_QUESTION and told_question(part) is not None


def _says_enough(rest: str, sounds: list[_Sounds]) -> bool:
    spoken = words(rest)
    own = {word.partition("'")[0] for word in spoken}  # "I'm Ann"
    return len(spoken) >= LEAST_WORDS or (len(spoken) > 1 and any(not one.own.isdisjoint(own) for one in sounds))


def _parts(sentence: str) -> list[str]:
    """A sentence, parted at its commas; joined they are the sentence."""
    borders = [0, *(found.end() for found in _COMMA.finditer(sentence)), len(sentence)]
    return [sentence[start:end] for start, end in pairwise(borders) if end > start]


def _told_behind(part: str, sounds: list[_Sounds]) -> list[str]:
    """What a request goes on to tell without a comma: "because I promised it"."""
    found = (match for one in sounds for match in one.joins.finditer(part) if match.start())
    behind = (part[match.start() :] for match in found)
    return next(([rest] for rest in behind if any(one.tells.match(_plain(rest)) for one in sounds)), [])


def _is_polite(part: str, sounds: list[_Sounds]) -> bool:
    """Whether it is a greeting, thanks or the like as a whole, with the name of somebody or without."""
    spoken = {words(part), words(_TRAILING_NAME.sub("", part))}
    greeted = [" ".join(each) for each in spoken if 0 < len(each) <= LONGEST_GREETING]
    return any(one.polite.fullmatch(each) for one in sounds for each in greeted)


def _plain(part: str) -> str:
    return fold(part).strip(_MARKS)


def _bare(part: str, sounds: list[_Sounds]) -> str:
    """A part of a sentence, folded, without what may stand before a request: "Hey, please remind" is "remind"."""
    folded = _plain(part)
    for one in sounds:
        folded = one.opening.sub("", folded)
    return folded


@cache
def _sounds(code: str) -> _Sounds:
    phrases = phrases_of(code)
    asks, hears = phrases.requests, phrases.hears
    polite = (hears.greeting, hears.how_are_you, hears.who, hears.thanks, hears.bye, hears.know)
    greeted = "|".join(f"(?:{one})" for one in polite)
    return _Sounds(
        code,
        forget=re.compile("|".join(f"(?:{one})" for one in asks.forget)),
        ask=re.compile("|".join(f"(?:{one})" for one in asks.ask)),
        polite=re.compile(rf"(?:(?:{asks.opening}) )*(?:{greeted})(?: (?:{greeted}|{asks.opening}))*"),
        opening=re.compile(rf"^(?:(?:{asks.opening})(?:[ ,.!]+|$))+"),
        tells=re.compile(asks.tells),
        joins=re.compile(rf"(?<!\w)(?:{asks.joins})(?!\w)", re.IGNORECASE),
        own=frozenset(words(phrases.own)),
    )
