"""Requests in ordinary words, to forget (in seven languages) and not to write first (in four of them). Pure.

Precision comes first: a sentence is a request only when all of it is understood as one. "I always forget my keys",
"do not forget my birthday", "forget it" and "forget about him" are none. What is missed can be asked with
`/memory forget`; what is found leads to its preview and to nothing else.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from bot.language.patterns import Patterns
from bot.language.timewords import span_of

LONGEST_MESSAGE = 600
LONGEST_WISH = 120

_ANY_DAY = datetime(2026, 6, 17, 12, tzinfo=UTC)
_SENTENCE = re.compile(r"[^.!?\n]+")
_READ = Patterns.beside(__file__)
LAST_WISHES = frozenset(_READ.written("last").split("|"))
"""What `/memory forget` takes for the last thing that was said, in lower case."""
ALL_WISHES = frozenset(_READ.written("all").split("|"))
"""What `/memory forget` takes for all that is known of somebody, in lower case."""
SMALL_WORDS = frozenset(_READ.written("small_words").split())
"""Words of a request to forget that say nothing of what."""
_OPENING, _CLOSING = _READ.written("opening"), _READ.written("closing")
_REASON = re.compile(_READ.written("reason"), re.DOTALL)
_VAGUE = _READ["vague"]
"""What names nothing that could be looked for: "it", "him", "I said anything"."""
_TAIL = re.compile(_CLOSING + r"$")


def _rules() -> Iterator[tuple[re.Pattern[str], str | None]]:
    """All rules, each a pattern of a whole sentence and what it asks for; None: what its group `what` holds."""
    for pattern, what in _READ.listed("english"):
        yield _compiled(pattern), what or None
    for code in ("de", "fr", "es", "it", "pt", "nl"):
        for pattern, what in _READ.listed(f"objects_{code}"):
            for frame, _ in _READ.listed(f"frames_{code}"):
                yield _compiled(frame.replace("{0}", pattern)), what or None


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{_OPENING}(?:{pattern}){_CLOSING}", re.IGNORECASE)


_RULES = tuple(_rules())


def forget_wish(text: str) -> str | None:
    """What somebody asks to have forgotten, as `/memory forget` takes it: words, a time, "last" or "everything".

    None when no sentence of `text` is such a request, or when that is not sure.
    """
    return next((wish for one in _sentences(text) if (wish := _of_sentence(one)) is not None), None)


_REFUSALS = tuple(_compiled(pattern) for pattern, _ in _READ.listed("refusals"))
_STOPS = _compiled(_READ.written("stops"))
"""What, said right below a check-in, is about it; elsewhere it may be about anything."""


def is_checkin_refusal(text: str) -> bool:
    """Whether a sentence of `text` asks the companion not to write to its speaker first; all of it has to say so."""
    return _says(text, _REFUSALS)


def says_stop(text: str) -> bool:
    """Whether a sentence of `text` says "stop", which right below a check-in is such a request, too."""
    return _says(text, (_STOPS,))


def _says(text: str, rules: Sequence[re.Pattern[str]]) -> bool:
    return any(rule.fullmatch(one) for one in _sentences(text) for rule in rules)


def _sentences(text: str) -> Iterator[str]:
    """Each sentence of a message that is short enough to be a wish, and then, if it gives a reason, without that."""
    if len(text) > LONGEST_MESSAGE:
        return
    for sentence in _SENTENCE.findall(text.replace("’", "'")):
        words = " ".join(sentence.split()).strip(" ,¿¡")
        yield from dict.fromkeys((words, _REASON.sub("", words)))


def _of_sentence(sentence: str) -> str | None:
    for pattern, fixed in _RULES:
        if (found := pattern.fullmatch(sentence)) is not None and (wish := fixed or _named(found)) is not None:
            return wish
    return None


def _named(found: re.Match[str]) -> str | None:
    """The words or the time that a sentence names; None when they are no such thing."""
    groups = found.groupdict()
    if (when := groups.get("when")) is not None:
        when = _tidy(when)
        return when if span_of(when, _ANY_DAY) is not None else None
    what = _tidy(groups.get("what") or "")
    return what if what and len(what) <= LONGEST_WISH and not _VAGUE.fullmatch(what) else None


def _tidy(words: str) -> str:
    """Without a reason or a courtesy behind it."""
    words = _REASON.sub("", words)
    end = min((found.start() for found in _TAIL.finditer(words)), default=len(words))
    return words[:end].strip(" ,;:\"'“”")
