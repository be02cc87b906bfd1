"""How a new trait relates to an old one, by rules and by cosine similarity. Pure.

Rules find the contradictions that matter most and are never wrong about much: the same statement with the opposite
sign ("I like tea", "I no longer like tea"), another value for something a person has one of (where they live, their
age, their name, their marital status, a favourite), and another number or date in the same words ("two dogs", "three
dogs"). A high cosine alone does not see such changes, so it restates only where signs, numbers, dates and names agree.
What the rules do not see stands beside the old trait, with its date: nothing is lost. The words are English.
"""

import re
from collections.abc import Mapping
from enum import StrEnum

from bot.language.grounding import NUMBER_WORDS, stem
from bot.language.patterns import Patterns
from bot.texts.beside import read_beside


class Relation(StrEnum):
    """Of a new trait to an old one."""

    RESTATES = "restates"
    CONTRADICTS = "contradicts"
    OTHER = "other"


SAME_SHARE = 0.6
"""Share of content words that two statements of opposite sign about the speaker must have in common."""
SAME_REST = 0.75
"""Share of the other content words that two statements with different numbers or dates must have in common."""

_TREE = read_beside(__file__)
_READ = Patterns(_TREE)
_CONTRACTIONS = tuple((re.compile(pattern), full) for pattern, full in _READ.listed("contractions"))
_LIKE, _HATE = frozenset(_READ.written("like").split()), frozenset(_READ.written("hate").split())
_HAVE = frozenset({"have", "has", "had", "own", "owns"})
_NEGATION = re.compile(
    rf"\b(?:no longer|not|never|no|used to|quit|stopped|gave up|without|{'|'.join(sorted(_HATE))})\b", re.IGNORECASE
)
_PERFECT = re.compile(_READ.written("perfect"))
"""The "have" of "I have not had coffee" and "I have stopped smoking", which owns nothing."""
_FUNCTION_WORDS = frozenset(_READ.written("function_words").split())
_NUMBERS: Mapping[str, str] = NUMBER_WORDS | _TREE["numbers"]
_COMPOUND = re.compile(_READ.written("compound"))
_NO_NUMBER = re.compile(_READ.written("no_number"))
_DATES = frozenset(_READ.written("dates").split())
_WRITTEN_LARGE = frozenset({"March", "May"})
"""Months whose small form is another word."""
_ONE_VALUE = tuple((name, re.compile(pattern)) for name, pattern in _READ.named("one_value"))
_NAMED = frozenset({"home", "employer"})
"""Slots of which two values exclude each other only when both begin with a name: "a small flat" may be in Leeds."""
_NAMED_VALUE = re.compile(_READ.written("named_value"))
_WORD = re.compile(r"[^\W_]+")
_MIDDLE_WORD = re.compile(r"(?<=[^.!?…:\s\"“] )[^\W\d_][^\W_]+")


def relate(old: str, new: str, cosine: float, restate_cosine: float) -> Relation:
    """What `new` is to `old`, two first-person statements of one speaker with this cosine similarity."""
    plain_old, plain_new = _plain(old), _plain(new)
    if plain_old == plain_new:
        return Relation.RESTATES
    if _negations(plain_old) != _negations(plain_new):
        return Relation.CONTRADICTS if _opposite(plain_old, plain_new) else Relation.OTHER
    by_rule = _other_value(old, new) or _other_details(old, new)
    if by_rule is not None:
        return by_rule
    return Relation.RESTATES if cosine > restate_cosine else Relation.OTHER


def _plain(text: str) -> str:
    text = text.lower()
    for pattern, full in _CONTRACTIONS:
        text = pattern.sub(full, text)
    return " ".join(re.sub(r"[^\w\s]", " ", text).split())


def _negations(plain: str) -> int:
    return len(_NEGATION.findall(plain))


def _content(plain: str) -> list[str]:
    """The stems of the words that matter, in order; "love" and "hate" are "like", and "own" is "have"."""
    words = _PERFECT.sub("", plain)
    words = re.sub(r"\b(no longer|not|never|no|used to|quit|stopped|gave up|without|years? old)\b", " ", words)
    kept = (word for word in words.split() if word not in _FUNCTION_WORDS)
    return ["like" if word in _LIKE | _HATE else "have" if word in _HAVE else stem(word) for word in kept]


def _share(old: set[str], new: set[str]) -> float:
    return len(old & new) / len(old | new) if old | new else 0.0


def _same_verb(old: list[str], new: list[str]) -> bool:
    """Whether two contents begin with the same word and agree in "like" and "have"; those alone say nothing."""
    shared = {"like", "have"}
    return bool(set(old) - shared and set(new) - shared) and old[0] == new[0] and set(old) & shared == set(new) & shared


def _opposite(plain_old: str, plain_new: str) -> bool:
    """Whether one denies the other: "I like tea", "I hate tea", but not "I like dogs", "I do not have dogs"."""
    if _negations(plain_old) % 2 == _negations(plain_new) % 2:
        return False
    old, new = _content(plain_old), _content(plain_new)
    if not _same_verb(old, new):
        return False
    of_speaker = plain_old.startswith(("i ", "we ")) and plain_new.startswith(("i ", "we "))
    things_old, things_new = set(old) - {"like", "have"}, set(new) - {"like", "have"}
    return _share(things_old, things_new) >= (SAME_SHARE if of_speaker else 1.0)


def _slot(plain: str) -> tuple[str, str, str] | None:
    """What a statement gives one value to, which of it ("colour" of a favourite), and the value."""
    for name, pattern in _ONE_VALUE:
        if found := pattern.match(plain):
            values = found.groups()
            return name, " ".join(values[:-1]), values[-1]
    return None


def _other_value(old: str, new: str) -> Relation | None:
    """CONTRADICTS or OTHER when both give a value to the same slot and the values differ; else None."""
    slot_old, slot_new = _slot(_plain(old)), _slot(_plain(new))
    if slot_old is None or slot_new is None or slot_old[:2] != slot_new[:2]:
        return None
    if _agree(slot_old[2], slot_new[2]):
        return None
    if slot_old[0] not in _NAMED:
        return Relation.CONTRADICTS
    name_old, name_new = _named_value(old), _named_value(new)
    if name_old is None or name_new is None:
        return Relation.OTHER
    return None if _agree(name_old, name_new) else Relation.CONTRADICTS


def _agree(value_old: str, value_new: str) -> bool:
    old, new = set(value_old.split()), set(value_new.split())
    return old <= new or new <= old


def _named_value(text: str) -> str | None:
    """The name that a home or an employer begins with, lower case: "leeds england" of "I live in Leeds, England"."""
    found = _NAMED_VALUE.search(text)
    return _plain(found.group(1)) if found and found.group(1)[0].isupper() else None


def _other_details(old: str, new: str) -> Relation | None:
    """CONTRADICTS or OTHER when numbers, dates or names differ; else None.

    Numbers and dates exclude each other where the other words are nearly the same ("my exam is on Monday", "on
    Tuesday"). Names do not: who likes Paris may like London too.
    """
    changes = [_difference(_quantities(old), _quantities(new)), _difference(_dates(old), _dates(new))]
    names = _unknown_names(old, new) or _unknown_names(new, old)
    if not names and all(change is None for change in changes):
        return None
    if names or not all(change for change in changes if change is not None):
        return Relation.OTHER
    rest_old, rest_new = _rest(old), _rest(new)
    if not _same_verb(rest_old, rest_new):
        return Relation.OTHER
    return Relation.CONTRADICTS if _share(set(rest_old), set(rest_new)) >= SAME_REST else Relation.OTHER


def _difference(old: frozenset[str], new: frozenset[str]) -> bool | None:
    """None: the same; True: each has something that the other lacks; False: one has more than the other."""
    return None if old == new else bool(old - new) and bool(new - old)


def _rest(text: str) -> list[str]:
    """The content without numbers and dates."""
    spoken = _plain(text).split()
    return _content(" ".join(word for word in spoken if not _is_quantity(word) and word not in _DATES | _months(text)))


def _is_quantity(word: str) -> bool:
    return word[0].isdigit() or word in _NUMBERS


def _quantities(text: str) -> frozenset[str]:
    """The numbers of a text as digits: "5" of "five"."""
    plain = _NO_NUMBER.sub(" ", _plain(text))
    plain = _COMPOUND.sub(lambda found: str(int(_NUMBERS[found[1]]) + int(_NUMBERS[found[2]])), plain)
    return frozenset(_NUMBERS.get(word, word) for word in plain.split() if _is_quantity(word))


def _months(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _MIDDLE_WORD.findall(text) if word in _WRITTEN_LARGE)


def _dates(text: str) -> frozenset[str]:
    """Its weekdays and months. "Mondays" are a habit, and stand among the other words."""
    return frozenset(_plain(text).split()) & _DATES | _months(text)


def _unknown_names(text: str, other: str) -> frozenset[str]:
    """The capitalised words inside the sentences of `text` that `other` has in no case; dates are no names."""
    known = frozenset(_WORD.findall(other.lower())) | _DATES | {month.lower() for month in _WRITTEN_LARGE}
    return frozenset(word.lower() for word in _MIDDLE_WORD.findall(text) if word[0].isupper()) - known
