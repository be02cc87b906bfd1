"""Finds in words the ideas of `ideas.yaml`: what messages about danger, and those that only sound like it, speak of.

`bot/conversation/danger_net.py` sees these ideas beside the words themselves, so that what it learns from English
sentences helps with languages of which it has seen few.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

from bot.conversation.crisis.folding import plain

FILE = Path(__file__).parent / "ideas.yaml"
WHOLE = "whole"
"""Not an idea: words of the file that no beginning stands for."""

LONGEST_UNSPACED = 5
"""Characters of the longest word that is looked for in scripts without spaces."""

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ARABIC_PREFIXES = ("وال", "بال", "فال", "لل", "ال", "و", "ف", "ب", "ل", "س", "ه", "ك")


class _Words(NamedTuple):
    """Words, each with its ideas."""

    whole: dict[str, tuple[str, ...]]
    beginnings: dict[str, tuple[str, ...]]
    unspaced: dict[str, tuple[str, ...]]
    longest_beginning: int
    only_whole: frozenset[str]
    """Words that no beginning stands for."""


@cache
def ideas() -> dict[str, str]:
    """Each idea and its words, as people write them; they are compared as `plain` spells them."""
    found = dict(_file())
    del found[WHOLE]
    return found


@cache
def _file() -> dict[str, str]:
    found: dict[str, str] = yaml.load(FILE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return found


@cache
def _words() -> _Words:
    whole: dict[str, tuple[str, ...]] = {}
    beginnings: dict[str, tuple[str, ...]] = {}
    unspaced: dict[str, tuple[str, ...]] = {}
    for idea, words in ideas().items():
        for word in dict.fromkeys(plain(words).replace("'", "").split()):
            bare = word.rstrip("*")
            kept = unspaced if _UNSPACED.search(bare) else whole if bare == word else beginnings
            kept[bare] = (*kept.get(bare, ()), idea)
    only_whole = frozenset(plain(_file()[WHOLE]).split())
    return _Words(whole, beginnings, unspaced, max(map(len, beginnings)), only_whole)


def ideas_in(word: str) -> tuple[str, ...]:
    """The ideas that a word of `folded` text, or a run of unspaced ones, speaks of, in order."""
    if _UNSPACED.search(word):
        return _in_unspaced(word)
    found = _of(word)
    if not found and "\u0600" <= word[:1] <= "\u06ff":
        bare = next((word[len(prefix) :] for prefix in _ARABIC_PREFIXES if word.startswith(prefix)), "")
        found = _of(bare) if len(bare) > 1 else ()
    return found


def _of(word: str) -> tuple[str, ...]:
    words = _words()
    found = words.whole.get(word, ())
    if word in words.only_whole:
        return found
    for end in range(1, min(len(word), words.longest_beginning) + 1):
        found += words.beginnings.get(word[:end], ())
    return found


def _in_unspaced(run: str) -> tuple[str, ...]:
    found: tuple[str, ...] = ()
    unspaced = _words().unspaced
    for begin in range(len(run)):
        for end in range(begin + 1, min(begin + LONGEST_UNSPACED, len(run)) + 1):
            found += unspaced.get(run[begin:end], ())
    return found
