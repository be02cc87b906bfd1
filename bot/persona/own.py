"""Which statements are a speaker's own, and no orders to the companion and no echo of others. Pure.

What somebody wants the companion to believe of itself or of others does not become a trait: orders are not statements
about oneself, and what the companion merely repeats is not its own.
"""

import re

from bot.language.grounding import stem
from bot.language.patterns import Patterns
from bot.language.speakers import COLONS

ECHO = 0.75
"""Share of a statement's words that the other has just said, from which on it is an echo."""

_READ = Patterns.beside(__file__)
_ORDER = re.compile("|".join(order for order, _ in _READ.listed("orders")), re.IGNORECASE)
_TAGGED = re.compile(rf"(?<!\W)\W*+[^\W\d_][\w .'\-]{{0,40}}(?:\(\d+\))?\s?[{COLONS}](?:\s|$)")
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")
_I_AM_A = re.compile(r"I(?: am|['’]m) an? (?:[\w-]{1,20} ){0,2}?(?P<noun>[\w-]{3,20})[.!]?$")
_OTHERS_ARE = (
    r"\b(?:(?:he|she|it|they|that|this)(?:'?s|'?re| is| was| are)"
    r"|(?:my|his|her|our|their) [\w-]{2,20}(?:'s| is| was| are))"
)
_OWN = re.compile(r"\b(?:i|i'm|im|i've|ive|i'd|i'll|me|we|we're|here|this is an?|myself|both|too|same)\b")
"""They speak of themselves, too."""
_SMALL = frozenset(_READ.written("small").split())


def is_order(statement: str) -> bool:
    """Whether a statement tells the companion what to do or be, or claims a rank, rather than something of oneself."""
    return _ORDER.search(statement) is not None


def is_of_another(statement: str, said: str) -> bool:
    """Whether it says "I am a staffie" of what was said of somebody else alone: "she's a staffie, called Pepper"."""
    match, folded = _I_AM_A.match(statement), said.lower().replace("’", "'")
    if match is None or _OWN.search(folded):
        return False
    noun = re.escape(match["noun"].lower())
    once = len(re.findall(rf"\b{noun}\b", folded)) == 1
    return once and re.search(rf"{_OTHERS_ARE} (?:an? )?(?:[\w-]{{1,20}} ){{0,3}}{noun}\b", folded) is not None


def is_quoted(statement: str) -> bool:
    """Whether a statement begins as somebody's line does, "Bob: I ...": it is not said of oneself."""
    return _TAGGED.match(statement) is not None


def is_echo(statement: str, said: str) -> bool:
    """Whether nearly all words of a statement stand in what the other has just `said`."""
    words = [word for word in _words(statement) if word not in _SMALL]
    if not words:
        return True
    theirs = {stem(word) for word in _words(said)}
    return sum(stem(word) in theirs for word in words) >= ECHO * len(words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
