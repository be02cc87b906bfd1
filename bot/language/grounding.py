"""Whether a model's answer keeps to its source: small models invent names, numbers and things. Pure.

It sees what is new, not what is wrong: words of the source put together into something false pass. That is why the
utterances stay linked to all that is made of them.

Measured with `load_topics`: shown the wrong source, it flags 94 % of MSC's gold traits and 99 % of DialogSum's gold
summaries (dev); shown the right one, 29 % and 38 %, those that put it in new nouns.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Topics = Callable[[str], frozenset[str]]

NEUTRAL = frozenset(
    {
        "speaker",
        "user",
        "person",
        "people",
        "friend",
        "man",
        "woman",
        "name",
        "conversation",
        "chat",
        "talk",
        "discussion",
    }
    | {"topic", "question", "answer", "plan", "feeling", "interest", "trait", "life", "thing", "other", "both"}
)
"""Nouns that a summary may use of its own accord."""
NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
SHORTEST_STEM = 3

_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"(?<=[^.!?…:\s\"“]\s)[A-Z][^\W\d_]+")
_SUFFIX = re.compile(r"(?:ations?|ings?|ments?|ness|ers?|ors?|ists?|ed|ly|ies|es|s|y|e)$")


def invented(output: str, source: str, topics: Topics) -> frozenset[str]:
    """The numbers, capitalised names and topic nouns of `output` that `source` has in no form; lower case.

    `source` is all that the model was given of people: utterances and the speakers' names. Inflected forms count as
    the same word ("ran a bakery" has "baker"), digits as their words ("2", "two").
    """
    spoken = source.lower()
    known = _stems(source)
    new_words = [word for word in _words(output) if stem(word) not in known and (word.isascii() or word not in spoken)]
    if not new_words:
        return frozenset()
    nouns = topics(output) | {name.lower() for name in _NAME.findall(output)}
    nouns -= NEUTRAL | NUMBER_WORDS.keys() | topics(source)
    unknown = {noun for noun in nouns if not _stems(noun) <= known and (noun.isascii() or noun not in spoken)}
    return frozenset(unknown | _new_numbers(_words(output), _words(source)))


def grounded(output: str, source: str, topics: Topics) -> bool:
    """Whether nothing in `output` is `invented`."""
    return not invented(output, source, topics)


def stem(word: str) -> str:
    """A word without its usual English ending, only good for comparing: "swimming", "swims" → "swim"."""
    shorter = word
    while (match := _SUFFIX.search(shorter)) and match.start() >= SHORTEST_STEM:
        shorter = shorter[: match.start()]
    return shorter[:-1] if len(shorter) > SHORTEST_STEM and shorter[-1] == shorter[-2] else shorter


def _new_numbers(claimed: list[str], said: list[str]) -> set[str]:
    known = {NUMBER_WORDS.get(word, word) for word in said}
    numbers = (word for word in claimed if word[0].isdigit() or (word in NUMBER_WORDS and word != "one"))
    return {number for number in numbers if NUMBER_WORDS.get(number, number) not in known}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _words(text))
