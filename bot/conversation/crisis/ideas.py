"""What messages about danger, and those that only sound like it, speak of: ideas and their words in all languages.

`bot/conversation/danger_net.py` sees these ideas beside the words themselves, so that what it learns from English
sentences helps with languages of which it has seen few. Data, and finding it in words.

A word with `*` stands for all that begin with it; without, for itself. In Japanese and Chinese it is found anywhere.
Words that mean something else in another of the languages are left out.
"""

from __future__ import annotations

import re

from bot.conversation.crisis.folding import plain
from bot.conversation.crisis.ideas_of_danger import OF_DANGER
from bot.conversation.crisis.ideas_of_life import OF_LIFE

IDEAS = OF_DANGER | OF_LIFE
"""Each idea and its words, as people write them; they are compared as `plain` spells them."""

LONGEST_UNSPACED = 5
"""Characters of the longest word that is looked for in scripts without spaces."""

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ARABIC_PREFIXES = ("وال", "بال", "فال", "لل", "ال", "و", "ف", "ب", "ل", "س", "ه", "ك")


def _by_word() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Whole words, beginnings of words and unspaced words, each with its ideas."""
    whole: dict[str, tuple[str, ...]] = {}
    beginnings: dict[str, tuple[str, ...]] = {}
    unspaced: dict[str, tuple[str, ...]] = {}
    for idea, words in IDEAS.items():
        for word in dict.fromkeys(plain(words).replace("'", "").split()):
            bare = word.rstrip("*")
            kept = unspaced if _UNSPACED.search(bare) else whole if bare == word else beginnings
            kept[bare] = (*kept.get(bare, ()), idea)
    return whole, beginnings, unspaced


_WHOLE, _BEGINNINGS, _UNSPACED_WORDS = _by_word()
_LONGEST_BEGINNING = max(map(len, _BEGINNINGS))


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
    found = _WHOLE.get(word, ())
    for end in range(1, min(len(word), _LONGEST_BEGINNING) + 1):
        found += _BEGINNINGS.get(word[:end], ())
    return found


def _in_unspaced(run: str) -> tuple[str, ...]:
    found: tuple[str, ...] = ()
    for begin in range(len(run)):
        for end in range(begin + 1, min(begin + LONGEST_UNSPACED, len(run)) + 1):
            found += _UNSPACED_WORDS.get(run[begin:end], ())
    return found
