"""Whether a model's answer keeps to its source: small models invent names, numbers and things. Pure.

It sees what is new, not what is wrong: words of the source put together into something false pass. That is why the
utterances stay linked to all that is made of them. People who sum up put it in words of their own, so new nouns are
inventions only where most of a text is new; names and numbers always are. `lab evaluate grounding` measures it on what
people wrote.
"""

import re
from collections.abc import Set as AbstractSet

from bot.language.extractive import Topics
from bot.language.lexicon import question_stems

NEUTRAL = frozenset(
    "speaker user person people friend man woman name conversation chat talk discussion topic question answer plan "
    "feeling interest trait life thing other both".split()
)
"""Nouns that a summary may use of its own accord."""
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
NUMBER_WORDS = {word: str(value) for value, word in enumerate(_NUMBERS)}
SHORTEST_STEM = 3
MOST_NEW = 0.5
"""Share of the nouns, and of the other words, that may be new before a text counts as invented."""
FEW_SAID = 3
"""Words that say something, up to which a text's nouns alone decide: "I have a castle"."""

_WORD = re.compile(r"[^\W_]+")
_MARKS = ".,;:!?…\"“”'()"
_NAME = re.compile(r"(?<=[^.!?…:\s\"“]\s)[A-Z][^\W\d_]+")
_SUFFIX = re.compile(r"(?:ations?|ings?|ments?|ness|ers?|ors?|ists?|ed|ly|ies|es|s|y|e)$")


def invented(output: str, source: str, topics: Topics) -> frozenset[str]:
    """The numbers and capitalised names of `output` that `source` has in no form, and the nouns too where most is new.

    `source` is all that the model was given of people: utterances and the speakers' names. Inflected forms count as
    the same word ("ran a bakery" has "baker"), digits as their words ("2", "two"). All in lower case.
    """
    spoken = source.lower()
    known = _stems(source)
    new_words = [word for word in _words(output) if stem(word) not in known and (word.isascii() or word not in spoken)]
    if not new_words:
        return frozenset()
    nouns = topics(output) | {name.lower() for name in _NAME.findall(output)}
    nouns -= NEUTRAL | NUMBER_WORDS.keys() | topics(source)
    unknown = {noun for noun in nouns if not _stems(noun) <= known and (noun.isascii() or noun not in spoken)}
    large = {word.strip(_MARKS).lower() for word in output.split()[1:] if word.strip(_MARKS)[:1].isupper()}
    named = unknown & ({name.lower() for name in _NAME.findall(output)} | {one for one in large if not one.isascii()})
    other = unknown if _mostly_new(output, source, unknown, topics) else set[str]()
    return frozenset(named | other | _new_numbers(_words(output), _words(source)))


def _mostly_new(output: str, source: str, unknown: AbstractSet[str], topics: Topics) -> bool:
    """Whether half of the nouns and more than half of the words that say something (if there are some) are its own."""
    nouns = topics(output) - NEUTRAL
    if MOST_NEW * len(nouns) > len(unknown):
        return False
    said = question_stems(output)
    return len(said) <= FEW_SAID or len(said - question_stems(source)) > MOST_NEW * len(said)


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
