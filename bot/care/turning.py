"""What somebody said of themselves, told back to them: "I'm moving on Friday" → "you were moving". Pure, English.

Only what is surely right afterwards is turned; everything else is left to be quoted, word for word.
"""

import re

from bot.language.patterns import Patterns

MOST_WORDS = 22
"""Words of a clause that is turned; longer ones are quoted."""
FEWEST_WORDS = 4

_READ = Patterns.beside(__file__)
_SUBJECT = re.compile(r"^(i|we)(?:\b|(?='))", re.IGNORECASE)
_VERBS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"^{pattern}" if pattern.endswith(r"(?=\w)") else rf"^{pattern}(?= |$)", re.IGNORECASE), turned)
    for pattern, turned in _READ.listed("verbs")
)
_STOP = re.compile(_READ.written("stop"), re.IGNORECASE | re.DOTALL)
_UNCLEAR = _READ["unclear"]
"""What means something else when somebody else says it later, or would need the words around it."""
_SWAPS = dict(pair.split(":") for pair in _READ.written("swaps").split())
_OWN = re.compile(rf"\b({'|'.join(_SWAPS)})\b", re.IGNORECASE)
_OF_SEVERAL = re.compile(r"\b(?:our|ours|us|we)\b", re.IGNORECASE)
"""Of one's own and of whoever listens, perhaps."""
_HALF = _READ["half"]
_LOOSE = _READ["loose"]


def turned(clause: str, without: tuple[int, int] | None = None) -> str | None:
    """The clause as what "you" did, in the past tense, to stand after "you told me that"; None: it must be quoted.

    `without`: where words stand that said when, which would mean another day by now.
    """
    if without is not None:
        clause = f"{clause[: without[0]].rstrip(' ,')} {clause[without[1] :].lstrip()}"
    clause = " ".join(_LOOSE.sub(" ", clause.replace("’", "'")).split()).strip(" ,.!")
    clause = re.sub(r"^and |^so |^but ", "", clause, flags=re.IGNORECASE)
    if not (subject := _SUBJECT.match(clause)) or (subject[1].lower() == "i" and _OF_SEVERAL.search(clause)):
        return None
    for pattern, words in _VERBS:
        found = pattern.match(clause)
        if found is not None:
            return _whole(found.expand(words), clause[found.end() :])
    return None


def _whole(verb: str, rest: str) -> str | None:
    """The turned verb with the rest of its clause; None when that is too long, cut in the midst, or unclear."""
    rest = _STOP.sub("", rest).strip()
    if _UNCLEAR.search(rest) or _HALF.search(rest):
        return None
    rest = _OWN.sub(lambda found: _SWAPS[found[1].lower()], rest)
    whole = " ".join(f"{verb} {rest}".split())
    return whole if FEWEST_WORDS <= len(whole.split()) <= MOST_WORDS and rest else None
