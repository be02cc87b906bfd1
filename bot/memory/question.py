"""What somebody asks of memory: whom it is about, when it was, and in which words it may have been said. Pure.

People tell of themselves in the first person, so a question about "Ann" is compared with memories as "I": "When did Ann
run a race?" as "When did I run a race?". Names drown the words in a small encoder (dense search finds 29 % of LoCoMo's
evidence with them, and 63 % without).

The rules are English, as the bundled encoder is; in other languages a question is compared as it is.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from bot.language.lexicon import STOP_WORDS
from bot.language.patterns import Patterns
from bot.language.timewords import MONTH, SEASONS, Span, midnight, month_number, months_from, span_of

LONGEST = 1000
"""Characters of a message that are read."""
MOST_TIMES = 8
"""Times that are read of one message."""
LONGEST_LEADING = 60
"""Characters before a date that may belong to it."""

_DAY, _OF_MONTH, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", rf"(?P<month>{MONTH})", r"(?P<year>(?:19|20)\d\d)"
_DATED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_DAY}(?: of)? {_OF_MONTH}\b\.?,?(?: {_YEAR})?",
        rf"\b{_OF_MONTH}\.? (?:the )?{_DAY}\b(?!\d),?(?: {_YEAR})?",
        rf"\b{_OF_MONTH}\b\.?,?(?: of)?(?: {_YEAR})?",
        rf"\b{_YEAR}\b",
    )
)
_READ = Patterns.beside(__file__)
_CERTAIN = _READ["certain"]
"""What makes "may" and "march" a month."""
_LEADING = _READ["leading"]
"""What belongs to a date that follows."""
_RELATIVE, _WHEN, _FIRST, _SECOND = _READ["relative"], _READ["when"], _READ["first"], _READ["second"]
_VERBS = {"does": "do", "has": "have", "is": "am", "was": "was"}
_PREPOSITIONS = _READ.written("prepositions")


@dataclass(frozen=True, slots=True)
class Question:
    """What was said, read as a question to the memory."""

    about: tuple[str, ...]
    """Ids of the speakers whom it names, in order; of the asker where it names nobody and says "I"."""
    spoken: str
    """It in the words of the one it is about: names as "I", without dates."""
    words: str
    """It without dates."""
    spans: tuple[Span, ...]
    """The times that it names: days, months, years, seasons. A month without a year is that of each known year."""
    asks_when: bool


def read_question(
    text: str, names: Mapping[str, Sequence[str]], asker: str, now: datetime, years: Sequence[int]
) -> Question:
    """Reads `text`, which `asker` said at `now`, up to LONGEST characters and MOST_TIMES times.

    `names`: speaker id → the lower-case words of their names; `years`: those in which anything was said.
    """
    text = " ".join(text.split())[:LONGEST]
    spans, words = _times(text, now.astimezone(UTC), years)
    named = _named(words, names)
    about = tuple(named)
    if not about and _FIRST.search(words) and asker in names:
        about = (asker,)
    spoken = words
    first, others = named[:1], named[1:]
    for speaker_id in first:
        spoken = _as_person(spoken, names[speaker_id], "I", "me", "my", alone=not others)
    for speaker_id in others[:1]:
        spoken = _as_person(spoken, names[speaker_id], "you", "you", "your", alone=False)
    return Question(
        about=about,
        spoken=spoken,
        words=words,
        spans=tuple(spans),
        asks_when=_WHEN.search(text) is not None,
    )


def _named(text: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    """The ids of the speakers named in the text, in order of the first mention; by any word of a name, capitalised."""
    found: dict[str, int] = {}
    for match in re.finditer(r"\b[^\W\d_][\w-]*", text):
        if not match[0][0].isupper() or match[0].lower() in STOP_WORDS:
            continue  # somebody may be called "I" or "Will": that says nothing
        for speaker_id, known in names.items():
            if match[0].lower() in known and speaker_id not in found:
                found[speaker_id] = match.start()
    return sorted(found, key=found.__getitem__)


def _as_person(text: str, names: Sequence[str], subject: str, oblique: str, own: str, *, alone: bool) -> str:
    """The text with a person's names as pronouns; "she" and "he" too where nobody else is named."""
    name = rf"(?:{'|'.join(map(re.escape, names))})(?:\s+(?:{'|'.join(map(re.escape, names))}))*"

    def agreed(match: re.Match[str]) -> str:
        verb = match[1].lower()
        return f"{_VERBS.get(verb, verb) if subject == 'I' or verb in {'does', 'has'} else 'are'}{match[2]}{subject}"

    text = re.sub(rf"\b(does|has|is|was)(\s+){name}\b(?!['’]s)", agreed, text, flags=re.IGNORECASE)
    text = re.sub(rf"\b{name}['’]s?(?!\w)", own, text, flags=re.IGNORECASE)
    text = re.sub(rf"\b({_PREPOSITIONS})\s+{name}\b", lambda match: f"{match[1]} {oblique}", text, flags=re.IGNORECASE)
    text = re.sub(rf"\b{name}\b", subject, text, flags=re.IGNORECASE)
    if alone:
        for pattern, word in (
            (r"\b(?:she|he)\b", subject),
            (r"\bhis\b", own),
            (r"\bher\b(?=\s+\w)", own),
            (r"\b(?:him|her)\b", oblique),
            (r"\b(?:herself|himself)\b", f"{oblique}self"),
        ):
            text = re.sub(pattern, word, text, flags=re.IGNORECASE)
    return text


def _times(text: str, now: datetime, years: Sequence[int]) -> tuple[list[Span], str]:
    """The times that the text names, and the text without them."""
    spans: list[Span] = []
    rest = text
    for found in list(_RELATIVE.finditer(rest))[:MOST_TIMES]:
        span = _season(found[0], now) or span_of(found[0], now)
        if span is not None:
            spans.append(span)
            rest = rest.replace(found[0], " ", 1)
    read = 0
    for pattern in _DATED:
        while read < MOST_TIMES and (match := pattern.search(rest)) is not None:
            read += 1
            parts = match.groupdict()
            month = (parts.get("month") or "").lower()
            start = max(match.start() - LONGEST_LEADING, 0)
            leading = rest[start : match.start()]
            sure = parts.get("year") or parts.get("day") or month not in {"may", "march", "mar"}
            if not sure and not _CERTAIN.search(leading):
                break
            named = [int(parts["year"])] if parts.get("year") else years or (now.year,)
            spans += _dated(month, parts.get("day"), named, now)
            rest = f"{rest[:start]}{_LEADING.sub(' ', leading)} {rest[match.end() :]}"
    rest = re.sub(r"\s+", " ", rest).replace(" ?", "?").replace(" ,", ",").strip()
    return spans, rest or text


def _dated(month: str, day: str | None, years: Sequence[int], now: datetime) -> list[Span]:
    found: list[Span] = []
    for year in years:
        try:
            if not month:
                found.append(months_from(year, 1, now, 12))
            elif day:
                start = date(year, month_number(month), int(day))
                found.append((midnight(start, now), midnight(start + timedelta(days=1), now)))
            else:
                found.append(months_from(year, month_number(month), now))
        except ValueError:  # the 31st of June
            continue
    return found


def _season(words: str, now: datetime) -> Span | None:
    """Such as "last spring": the latest that has ended; "this summer": the latest that has begun."""
    which, _, name = words.lower().rpartition(" ")
    if name not in SEASONS:
        return None
    year = now.year
    while True:
        start, end = months_from(year, SEASONS[name], now, 3)
        if (end if which.endswith("last") else start) <= now:
            return start, end
        year -= 1


def asks_about_listener(text: str) -> bool:
    """Whether the text is about the one who is spoken to: it says "you", and not "I"."""
    return _SECOND.search(text) is not None and _FIRST.search(text) is None
