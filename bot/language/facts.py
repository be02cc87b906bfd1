"""What a sentence gives a value to, and which older sentence it ends: "I moved to Graz" ends "I live in Utrecht". Pure.

A fact is (whose, what about, value); whose it is and since when, the trait or message tells that says it. Nothing is
stored beside the words: facts are read from them by the rules of `words/*.yaml`, in seven languages, whenever they
are asked for. What no rule hears has no identity, and ends nothing.

A later value ends an earlier one where a person has one of it (home, own age), or where it tells of a change ("now",
"moved", "quit", "turned", "not Pixel"). Adding is not replacing: another cat, sister or job ends nothing.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import yaml

LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl")
SLOTS = ("home", "job", "age", "name", "partner")
LONGEST = 600
"""Characters of a statement that are looked at."""
MIXED = 3
"""Words of another clause beside a fact from which on a sentence tells something else, too, and is not ended."""
DAYS_A_YEAR = 365

_END = re.compile(r"[?？]\W*$")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "´": "'", "`": "'"})
_GROUP = re.compile(r"\(\?P<([a-z]+)\d*>")
_PART = re.compile(r"(?<!\?P)<([a-z]+)\d*>")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_INSIDE = frozenset("de del di la le el los of upon am an der den do da dos aan the".split())
"""Small words inside the name of a place."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What one sentence gives one value to."""

    slot: str
    """One of SLOTS."""
    value: str = ""
    """The name of a place; digits of an age; else as it was written."""
    of: str = ""
    """The folded noun of whose name or age it is; "me" for oneself, empty for "he" and "she"."""
    who: str = ""
    """The folded name of that one, where it is told."""
    change: bool = False
    """Whether the sentence tells of a change."""
    to: str = ""
    """What it is from then on: "single" or "together"."""
    old: str = ""
    """The folded name or trade that the sentence denies."""
    leaves: bool = False
    """Whether it only tells that something ended: no rule for it gives a value."""
    mixed: bool = False
    """Whether the sentence tells something else, too."""
    said: str = ""
    """The value as it was written."""

    @property
    def key(self) -> frozenset[str]:
        """The folded words of the value."""
        return frozenset(_WORD.findall(_folded(self.value)))


@dataclass(frozen=True, slots=True)
class _Rule:
    slot: str
    find: re.Pattern[str]
    example: str
    counter: str
    change: bool = False
    to: str = ""
    mine: bool = False


class _Words:
    """One language's rules, compiled."""

    def __init__(self, code: str) -> None:
        raw = files("bot.language").joinpath("words", f"{code}.yaml").read_text("utf-8")
        tree: dict[str, Any] = yaml.load(raw, Loader=yaml.CSafeLoader)
        numbers = tree["numbers"].split()
        self.numbers = {word: str(place) for place, word in enumerate(numbers, 1)}
        parts = {**tree["parts"], "numbers": "|".join(numbers)}
        self.rules = tuple(
            _Rule(slot, **one | {"find": _compiled(one["find"], parts)}) for slot in SLOTS for one in tree[slot]
        )
        self.no_fact = _compiled("|".join(tree["not"]), {})
        self.joins = re.compile(rf"[,;:]| (?:{tree['joins']}) ")


def _compiled(pattern: str, parts: dict[str, str]) -> re.Pattern[str]:
    """A pattern at whole words, with its parts written out, and a number behind each group's name."""
    for _ in range(3):  # a part may use another one
        pattern = _PART.sub(lambda part: f"(?:{parts[part[1]]})" if part[1] in parts else part[0], pattern)
    names = iter(range(1000))
    numbered = _GROUP.sub(lambda group: f"(?P<{group[1]}{next(names)}>", pattern)
    return re.compile(rf"(?<!\w)(?:{numbered})(?!\w)")


@cache
def words_of_facts(code: str) -> _Words:
    """The rules of one of LANGUAGES."""
    return _Words(code)


def _folded(text: str) -> str:
    """Small letters without accents, as many characters as there were."""
    return "".join(unicodedata.normalize("NFD", char)[0].lower()[0] for char in text.translate(_QUOTES))


@lru_cache(maxsize=8192)
def facts_in(sentence: str) -> tuple[Fact, ...]:
    """What one sentence gives values to, at most one a slot; questions, wishes and memories of long ago give none."""
    sentence = " ".join(sentence[:LONGEST].split())
    if _END.search(sentence):
        return ()
    folded = _folded(sentence)
    found: dict[str, Fact] = {}
    for code in LANGUAGES:
        words = words_of_facts(code)
        if words.no_fact.search(folded):
            continue
        for rule in words.rules:
            if rule.slot not in found and (fact := _fact(rule, words, sentence, folded)) is not None:
                found[rule.slot] = fact
    return tuple(found.values())


def _fact(rule: _Rule, words: _Words, sentence: str, folded: str) -> Fact | None:
    """What a rule finds; None: nothing, or no name where a name has to be."""
    match = rule.find.search(folded)
    if match is None:
        return None
    spans = {name.rstrip("0123456789"): match.span(name) for name in match.groupdict() if match[name] is not None}
    said = {name: sentence[start:end] for name, (start, end) in spans.items()}
    value, (start, end) = said.get("value", "").strip(), match.span()
    written = value
    if rule.slot == "home":
        value = _place(value)
        end = spans["value"][0] + len(value)  # the pattern also takes words behind the place
    elif rule.slot == "age":
        value = words.numbers.get(_folded(value), value)
    small = sentence == sentence.lower()
    names = [value] if rule.slot in {"home", "name"} else []
    names += [said[name] for name in ("old", "who") if name in said and rule.slot == "name"]
    if not all(name and (small or name[0].isupper()) for name in names):
        return None
    who = said.get("who", "")
    return Fact(
        rule.slot,
        value,
        "me" if rule.mine else _folded(said.get("of", "")),
        _folded(who) if who[:1].isupper() else "",
        change=rule.change,
        to=rule.to,
        old=_folded(said.get("old", "")),
        leaves=not any(name.startswith("value") for name in rule.find.groupindex),
        mixed=_is_mixed(folded, start, end, words),
        said=written,
    )


def _place(value: str) -> str:
    """The name that a value begins with: "Graz" of "Graz last month"."""
    kept: list[str] = []
    for word in value.split():
        if word[0].isupper() or (_folded(word) in _INSIDE):
            kept.append(word)
        else:
            break
    while kept and not kept[-1][0].isupper():
        kept.pop()
    return " ".join(kept).strip(" ,")


def _is_mixed(folded: str, start: int, end: int, words: _Words) -> bool:
    clauses = [*words.joins.split(folded[:start])[:-1], *words.joins.split(folded[end:])[1:]]
    return any(len(_WORD.findall(clause)) >= MIXED for clause in clauses)


def ended(sentence: str, time: datetime, known: Sequence[tuple[str, datetime]]) -> list[int]:
    """Places in `known` (sentence, when it was said last; of one speaker) of what `sentence`, said then, ends.

    What tells something else, too, is not ended.
    """
    ends = ((place, old) for new in facts_in(sentence) for place, old in _ended_by(new, time, known, but=sentence))
    return sorted({place for place, old in ends if not old.mixed})


def renewed(sentence: str, time: datetime, known: Sequence[tuple[str, datetime]]) -> list[tuple[int, str]]:
    """Places in `known` of what gets a new value by a sentence that names no owner of it, each in its new words.

    "He turned seven" makes "My son is seven." of "My son is six."; "Nixel, not Pixel" gives a cat its name.
    """
    found: list[tuple[int, str]] = []
    for new in facts_in(sentence):
        if new.slot not in {"age", "name"} or new.of or new.who or not new.change:
            continue
        for place, old in _ended_by(new, time, known):
            said, _ = known[place]
            words = re.sub(rf"(?<!\w){re.escape(old.said)}(?!\w)", new.said, said, count=1)
            if words != said:
                found.append((place, words))
    return found


def _ended_by(
    new: Fact, time: datetime, known: Sequence[tuple[str, datetime]], but: str = ""
) -> Iterator[tuple[int, Fact]]:
    """Places in `known` with the facts there that a new one of this time ends; `but`: a sentence left out."""
    olds = [
        (place, old)
        for place, (said, _) in enumerate(known)
        for old in facts_in(said)
        if old.slot == new.slot and said != but
    ]
    return ((place, old) for place, old in _same_one(new, olds) if _ends(new, old, (time - known[place][1]).days))


def _same_one(new: Fact, olds: Sequence[tuple[int, Fact]]) -> list[tuple[int, Fact]]:
    """Those of `olds` that are about the same one; none where it is not plain who that is."""
    if new.slot not in {"age", "name"} or new.of == "me":
        return [(place, old) for place, old in olds if new.slot != "age" or old.of == "me"]
    about = [
        (place, old)
        for place, old in olds
        if old.of != "me" and (not new.of or not old.of or new.of == old.of) and _agree(new.who, old.who)
    ]
    if new.old:
        return [(place, old) for place, old in about if _folded(old.value) == new.old]
    if new.who and not new.of:  # "Leo turned seven": of no one who was told without that name
        return [(place, old) for place, old in about if old.who == new.who]
    ones = {(old.of, old.who, old.value) for _, old in about if new.slot == "name" or new.value != old.value}
    return about if len(ones) <= 1 else []


def _agree(one: str, other: str) -> bool:
    return not one or not other or one == other


def _ends(new: Fact, old: Fact, days: int) -> bool:
    """Whether a fact ends an older one about the same thing."""
    match new.slot:
        case "age":
            if not (new.value.isdigit() and old.value.isdigit()):
                return False
            grown = int(new.value) - int(old.value)
            return (new.change or new.of == "me") and 0 < grown <= 1 + max(days, 0) // DAYS_A_YEAR + 1
        case "partner":
            return new.change and new.to != old.to and _agree(new.who, old.who)
        case "name":
            return new.change and _folded(new.value) != _folded(old.value)
        case "home":
            return not (new.key <= old.key or old.key <= new.key)
        case _:
            denied = not new.old or not old.key.isdisjoint(_WORD.findall(new.old))
            other = new.leaves or (bool(new.value) and not new.key & old.key)
            return new.change and bool(old.value) and denied and other
