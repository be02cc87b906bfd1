"""How a new trait relates to an old one, by rules and by cosine similarity. Pure.

Rules find the contradictions that matter most and are never wrong about much: the same statement with the opposite
sign ("I like tea", "I no longer like tea"), and another value for something a person has one of (where they live,
their age, their name, their marital status, a favourite). What the rules do not see stands beside the old trait, with
its date: nothing is lost.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Relation(StrEnum):
    """Of a new trait to an old one."""

    RESTATES = "restates"
    CONTRADICTS = "contradicts"
    OTHER = "other"


SAME_SHARE = 0.6
"""Share of content words that two statements of opposite sign must have in common."""

_CONTRACTIONS = (
    (re.compile(r"\bcan['’]?t\b"), "can not"),
    (re.compile(r"\bwon['’]?t\b"), "will not"),
    (re.compile(r"n['’]t\b"), " not"),
    (re.compile(r"['’]m\b"), " am"),
    (re.compile(r"['’]re\b"), " are"),
    (re.compile(r"['’]ve\b"), " have"),
    (re.compile(r"['’]s\b"), " is"),
)
_NEGATION = re.compile(
    r"\b(?:not|never|no longer|no|cannot|used to|quit|stopped|gave up|hate|dislike|without)\b", re.IGNORECASE
)
_FUNCTION_WORDS = frozenset(
    "a an the i me my mine am is are was were be been do does did have has had to of in on at for with and or but so "
    "very really just still now also too it that this there longer any anymore more like "
    "love enjoy".split()
)
_ONE_VALUE = (
    ("home", re.compile(r"^i (?:now |currently |just )?(?:live|am living|moved|have moved|am based) (?:in|to) (.+)$")),
    ("name", re.compile(r"^my name is (.+)$")),
    ("age", re.compile(r"^i am (\d+)(?: years old)?$")),
    ("employer", re.compile(r"^i (?:now |currently )?work (?:at|for) (.+)$")),
    ("job", re.compile(r"^i (?:now |currently )?work as an? (.+)$")),
    ("marital status", re.compile(r"^i am (?:now |currently )?(single|married|divorced|engaged|widowed)$")),
    ("favourite", re.compile(r"^my favou?rite ([a-z ]+?) (?:is|are) (.+)$")),
)


def relate(old: str, new: str, cosine: float, restate_cosine: float) -> Relation:
    """What `new` is to `old`, two first-person statements of one speaker with this cosine similarity."""
    if _same(old, new):
        return Relation.RESTATES
    if _opposite(old, new) or _other_value(old, new):
        return Relation.CONTRADICTS
    return Relation.RESTATES if cosine > restate_cosine else Relation.OTHER


def _plain(text: str) -> str:
    text = text.lower()
    for pattern, full in _CONTRACTIONS:
        text = pattern.sub(full, text)
    return " ".join(re.sub(r"[^\w\s]", " ", text).split())


def _same(old: str, new: str) -> bool:
    return _plain(old) == _plain(new)


def _content(plain: str) -> frozenset[str]:
    return frozenset(_NEGATION.sub(" ", plain).split()) - _FUNCTION_WORDS


def _opposite(old: str, new: str) -> bool:
    plain_old, plain_new = _plain(old), _plain(new)
    if bool(_NEGATION.search(plain_old)) == bool(_NEGATION.search(plain_new)):
        return False
    words_old, words_new = _content(plain_old), _content(plain_new)
    if not words_old or not words_new:
        return False
    return len(words_old & words_new) / len(words_old | words_new) >= SAME_SHARE


def _slot(plain: str) -> tuple[str, str] | None:
    for name, pattern in _ONE_VALUE:
        if found := pattern.match(plain):
            values = found.groups()
            return " ".join((name, *values[:-1])), values[-1]
    return None


def _other_value(old: str, new: str) -> bool:
    slot_old, slot_new = _slot(_plain(old)), _slot(_plain(new))
    if slot_old is None or slot_new is None or slot_old[0] != slot_new[0]:
        return False
    value_old, value_new = set(slot_old[1].split()), set(slot_new[1].split())
    return not (value_old <= value_new or value_new <= value_old)
