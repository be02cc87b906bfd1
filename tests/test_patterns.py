"""What a pattern costs against the length of what it reads, for every pattern that people's words can reach."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from re import _constants, _parser  # type: ignore[attr-defined]  # how Python itself reads a pattern
from types import ModuleType
from typing import Any

import pytest

from bot.care import zones
from bot.care.grave import graves_in
from bot.conversation import safety, situations
from bot.conversation.checking import wordings
from bot.conversation.crisis.wording import LANGUAGES, Spelling
from bot.conversation.crisis.wording import wordings as dangers
from bot.conversation.phrases import Hears
from bot.conversation.requests import telling
from bot.indexing.indexing import event_key
from bot.language.facts import facts_in
from bot.language.speakers import plain_name
from bot.language.untrusted import _tags, as_words, is_forged
from bot.usecases import intents, schedule

OTHERS = (*("bot.cli", "bot.commands", "bot.config", "bot.drawing", "bot.llm", "bot.storage", "bot.__main__"),)
"""Packages that read settings, files, data sets and servers' answers, and nothing that people write."""

CAPPED = {intents: intents.LONGEST_MESSAGE, schedule: schedule.LONGEST, zones: zones.LONGEST}
"""Modules that look at nothing longer."""

MOST_SAID = 2 * safety.END
"""Characters of a message that are looked at for danger."""

SHORT, LONG = 2_000, 8_000
FREE_S = 0.005
"""Of SHORT characters a pattern of quadratic cost takes 10 ms and more, one of linear cost mostly below 1 ms."""
LOOKS = 4
"""So often a pattern has to be slow: others may have been in the way."""
GROWTH = 8
"""Four times the length takes 4 times as long, or 16 times where the cost is quadratic."""

PIECES = (
    *"#'\"aA1.-_()<>[]|*:,!?/@=é我и \n\t\\",
    *("\u200b", "\U0001f600", "a ", "1 ", ". ", "a.", "a-", "a'", "\n\n#", " \n", "\n- ", "(1)", "a, ", "1:", "<|"),
    *("x(", "no ", " not ", "i ", "- ", "[a", "<a", ". <a", "(a"),
)

ENTRIES: dict[str, Callable[[str], object]] = {
    "as_words": lambda text: as_words(text, ("Ann (3)", "Monica")),
    "is_forged": is_forged,
    "plain_name": plain_name,
    "forget_wish": intents.forget_wish,
    "is_checkin_refusal": intents.is_checkin_refusal,
    "telling": telling,
    "graves_in": graves_in,
    "facts_in": facts_in.__wrapped__,  # without its cache
    "event_key": lambda text: event_key(text, ("Ann (3)",)),
}


def modules() -> Iterator[ModuleType]:
    for root in ("bot", "adapters", "cogs"):
        for found in pkgutil.walk_packages(importlib.import_module(root).__path__, f"{root}."):
            if not found.name.startswith(OTHERS):
                yield importlib.import_module(found.name)


def held(thing: object, depth: int = 6) -> Iterator[re.Pattern[str]]:
    """The patterns in a value, in what it contains and in the fields of dataclasses."""
    inside: Iterable[object] = ()
    if isinstance(thing, re.Pattern) and isinstance(thing.pattern, str):
        yield thing
    elif isinstance(thing, dict):
        inside = [*thing, *thing.values()]
    elif isinstance(thing, (list, tuple, set, frozenset)):
        inside = thing
    elif is_dataclass(thing) and not isinstance(thing, type):
        inside = [getattr(thing, field.name, None) for field in fields(thing)]
    for part in inside if depth else ():
        yield from held(part, depth - 1)


class Names(dict[str, Any]):
    """The names of a module; what only a function knows is "ann"."""

    def __missing__(self, key: str) -> Any:
        return "ann"


AT = {"compile": 1, "search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "split": 3, "sub": 4}
"""Where the flags stand among the arguments."""


def written(module: ModuleType) -> Iterator[re.Pattern[str]]:
    """The patterns that functions of a module write out where they use them, `re.sub(r"...", ...)`."""
    names = Names(vars(module))
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=attr)) if attr in AT:
                flags = [one.value for one in node.keywords if one.arg == "flags"] or node.args[AT[attr] :]
                parts = [ast.unparse(part) for part in (node.args[0], *flags[:1])]
                try:
                    yield re.compile(*(eval(part, {}, names) for part in parts))  # noqa: S307  our own source
                except (AttributeError, TypeError, re.error):
                    continue  # put together by a method: `late` has those


def late() -> dict[str, list[re.Pattern[str]]]:
    """Patterns that are made when they are first needed."""
    checked = [one.pattern(key) for one in wordings.every() for key in one._lists]
    heard = [found for kind in Hears.model_fields for found in situations._patterns(kind, None)]
    return {"wordings": checked, "situations": heard, "tags": [_tags(()), _tags(("Ann (3)", "Bob"))]}


def every_pattern() -> dict[str, tuple[set[re.Pattern[str]], int]]:
    """Module → its patterns, and how long a text they are shown at most."""
    found: dict[str, tuple[set[re.Pattern[str]], int]] = {key: (set(value), LONG) for key, value in late().items()}
    seen: set[re.Pattern[str]] = set()
    for module in modules():
        own = {*held(dict(vars(module))), *written(module)} - seen
        seen |= own
        if own:
            found[module.__name__] = (own, CAPPED.get(module, LONG))
    return found


LISTS = ("idioms", "play", "story", "past", "present", "negation", "earnest", "ages", "minor", "parts")


def of_danger(code: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Each pattern of danger of a language by itself, as it stands in its file: what is slow would hide among the rest.

    Where it is used, many of them are joined by "or", which costs no more than all of them one after the other.
    """
    wording = dangers()[code]
    source, worry = wording.source, wording.source.worry
    for name, shown in source.rules.items():
        yield from ((name, wording.spelling.pattern([one.find])) for one in shown)
    yield from (("ordinary", wording.spelling.pattern([one.find])) for one in source.ordinary)
    for name in LISTS:
        yield from ((name, wording.spelling.pattern([one])) for one in getattr(source, name))
    spelling = Spelling(worry.macros, source.words, source.umlauts)
    yield from (("worry", spelling.pattern([one])) for one in (*worry.another, *worry.too))


class Pumps:
    """Strings that a pattern may begin to match again and again."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._parsed = _parser.parse(pattern.pattern, pattern.flags)
        self._random = random.Random(len(pattern.pattern))

    def __iter__(self) -> Iterator[str]:
        samples = [self._of(self._parsed) for _ in range(8)]
        cut = [part for one in samples for part in (one, one[:-1], one[: len(one) // 2], f"{one} ", one[1:])]
        yield from dict.fromkeys(part for part in (*PIECES, *cut) if part)

    def begun(self) -> set[str]:
        """What may begin to match again and again: a sample's beginnings, whole words of it where it has words."""
        sample = self._of(self._parsed)
        ends = [at for at, char in enumerate(sample) if char == " "] or range(1, len(sample))
        return {f"{sample[:end]} " for end in ends} | {sample[:end] for end in (len(sample) // 2, len(sample))} - {""}

    def _of(self, parsed: Iterable[tuple[Any, Any]]) -> str:
        """Something that matches, but for what must and must not stand around it."""
        return "".join(self._one(op, what) for op, what in parsed)

    def _one(self, op: Any, what: Any) -> str:
        found = ""
        match str(op):
            case "LITERAL":
                found = chr(what)
            case "NOT_LITERAL" | "ANY":
                found = "a"
            case "IN":
                found = self._character(what)
            case "BRANCH":
                found = self._of(self._random.choice(what[1]))
            case "SUBPATTERN":
                found = self._of(what[-1])
            case "ATOMIC_GROUP":
                found = self._of(what)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                times = min(what[0] + self._random.randrange(3), what[1], 9)
                found = "".join(self._of(what[2]) for _ in range(times))
        return found

    def _character(self, allowed: list[tuple[Any, Any]]) -> str:
        op, what = self._random.choice(allowed)
        if allowed[0][0] is _constants.NEGATE or op is _constants.CATEGORY:
            return self._random.choice("a1 #")
        return chr(what) if op is _constants.LITERAL else chr(what[0])


def cost(work: Callable[[str], object], piece: str, length: int) -> float:
    """The processor's seconds for so many characters, the best of three where it is not free."""
    text = (piece * (length // len(piece) + 1))[:length] + "\x01"
    best = FREE_S * 1e9
    for _ in range(3):
        begin = time.process_time()
        work(text)
        best = min(best, time.process_time() - begin)
        if best < FREE_S:
            break
    return best


def too_slow(work: Callable[[str], object], pieces: Iterable[str], longest: int) -> dict[str, float]:
    """The pieces of which four times as many cost far more than four times as much, and what LONG characters cost."""
    found = {}
    for piece in pieces:
        if (short := cost(work, piece, min(SHORT, longest))) < FREE_S:
            continue
        if longest == LONG and (long := cost(work, piece, LONG)) > GROWTH * short:
            found[piece] = long
        elif longest < LONG and short > 4 * FREE_S:
            found[piece] = short
    return found


def reads(pattern: re.Pattern[str]) -> Callable[[str], None]:
    """Looks for all that a pattern finds."""

    def read(text: str) -> None:
        for _ in pattern.finditer(text):
            pass

    return read


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_pattern_of_danger_costs_as_much_as_its_text_is_long(code: str) -> None:
    def is_slow(pattern: re.Pattern[str], piece: str) -> bool:
        long = cost(reads(pattern), piece, MOST_SAID)
        return long > FREE_S and long > GROWTH * cost(reads(pattern), piece, MOST_SAID // 4)

    slow: dict[tuple[str, str], str] = {}
    for name, pattern in of_danger(code):
        for piece in Pumps(pattern).begun():
            if all(is_slow(pattern, piece) for _ in range(LOOKS)):
                slow[name, pattern.pattern] = piece
    assert not slow


def test_a_pattern_costs_as_much_as_its_text_is_long() -> None:
    slow: dict[tuple[str, str], dict[str, float]] = {}
    for place, (patterns, longest) in every_pattern().items():
        for pattern in patterns:
            found = too_slow(reads(pattern), Pumps(pattern), longest)
            for _ in range(LOOKS - 1):
                found = found and too_slow(reads(pattern), found, longest)
            if found:
                slow[place, pattern.pattern] = found
    assert not slow


@pytest.mark.parametrize("entry", ENTRIES)
def test_what_reads_words_costs_as_much_as_they_are_long(entry: str) -> None:
    assert not too_slow(ENTRIES[entry], PIECES, LONG)
