"""Which statements are a speaker's own, and no orders to the companion and no echo of others. Pure.

What somebody wants the companion to believe of itself or of others does not become a trait: orders are not statements
about oneself, and what the companion merely repeats is not its own.
"""

from __future__ import annotations

import re

from bot.language.grounding import stem
from bot.language.speakers import COLONS

ECHO = 0.75
"""Share of a statement's words that the other has just said, from which on it is an echo."""

_ORDERS = (
    r"\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}"
    r"\b(?:instructions?|rules?|prompts?|above|previous|guidelines|restrictions?|memor\w+|everything)\b",
    r"\bfrom (?:now|here|this (?:moment|point))(?: on(?:wards?)?| forward)?\b.{0,60}"
    r"\b(?:you|your|act|answer|respond|pretend|speak|always|never|everyone|everybody|all users?)\b",
    r"\b(?:you (?:are|must|will|shall|should|have to|need to)|pretend|act as|roleplay as|behave as)\b.{0,60}"
    r"\b(?:now|always|never|dan|jailbroken|unrestricted|admin\w*|root|developer mode|obey)\b",
    r"\b(?:system|developer|admin(?:istrator)?|owner|root)(?:'s)? "
    r"(?:prompt|message|mode|override|note|said|says|told|wants|orders?|command\w*|allows?|permits?)\b",
    r"\bremember (?:that|this|for (?:ever|good|all))\b.{0,20}"
    r"\b(?:the owner|the admin\w*|your (?:owner|creator|developer)|everyone|everybody|all users?|you)\b",
    r"^\s*(?:please )?remember (?:that|this|for (?:ever|good))\b",
    r"\b(?:i am|i'm) (?:your|the) (?:owner|creator|developer|admin\w*|system|maker|boss|master)\b"
    r"(?! of (?:an?|one|two|three|four|five|\d+|my|our|his|her)\b)",
    r"\b(?:repeat|say|write|output|print|reply|respond|answer)\b.{0,30}"
    r"\b(?:after me|the following|exactly|verbatim|word for word|only with|your (?:system )?prompt)\b",
    r"\b(?:save|store|add|write|put|log)\b.{0,30}\b(?:to|in|into) (?:your|the) "
    r"(?:memory|memories|persona|traits?|profile)\b",
    r"\b(?:my|the) (?:user ?id|speaker ?id|role|permissions?) (?:is|are)\b",
    r"\b(?:jailbreak|prompt injection|dan mode|sudo)\b",
    r"^\s*[/{<\[#]",
    r"\b(?:assistant|system)\s*:",
    r"\buser traits?\b",
)
_ORDER = re.compile("|".join(_ORDERS), re.IGNORECASE)
_TAGGED = re.compile(rf"(?<!\W)\W*+[^\W\d_][\w .'\-]{{0,40}}(?:\(\d+\))?\s?[{COLONS}](?:\s|$)")
_WORD = re.compile(r"[^\W\d_]{2,}|\d+")
_SMALL = frozenset(
    "i i'm im am is are was were be been being my me mine myself you your yours we our us a an the and or but so of to"
    " in on at for with from that this it its as do does did have has had will would can could should really very just"
    " too also not".split()
)


def is_order(statement: str) -> bool:
    """Whether a statement tells the companion what to do or be, or claims a rank, rather than something of oneself."""
    return _ORDER.search(statement) is not None


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
