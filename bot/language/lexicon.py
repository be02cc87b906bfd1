"""Words as BM25 counts them: lower case, without the words that say nothing, and by their stems. Pure.

Stems are Snowball's. The language is guessed from the text (`bot/language/languages.py`), and a text too short to tell
counts as English; a question is therefore looked up by its English stems, too. Scripts that write no spaces are cut
into pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

import Stemmer

from bot.language.languages import ENGLISH, ENGLISH_STOP_WORDS, is_latin, latin_language
from bot.texts.beside import read_beside

_READ = read_beside(__file__)
_SNOWBALL: Mapping[str, str] = _READ["snowball"]
"""Language → Snowball's name of its stemmer."""

STOP_WORDS = frozenset(_READ["stop_words"].split())
"""English words that say nothing about what a sentence is about. Shorter than spaCy's list, which drops numbers."""

SMALL_TALK = frozenset(_READ["small_talk"].split())
"""English words of greetings and of answers in a word: what consists of them and STOP_WORDS alone asks for nothing."""

FUNCTION_WORDS = frozenset(_READ["function_words"].split())
"""The commonest of them, which are no part of what somebody tells."""

IRREGULAR: Mapping[str, str] = dict(pair.split(":") for pair in _READ["irregular"].split())
"""English forms that no stemmer brings together, and the names that people call their parents."""

MOST_KNOWN = 100_000
"""Words whose stems are kept in memory, of each language."""

SURELY_WORDS, SURELY_SHARE = 3, 0.4
"""So many English stop words, and such a share of all words, are in no other language's sentences."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\u0e00-\u0eff\u1000-\u109f\u1780-\u17d3]+")


def words(text: str) -> list[str]:
    """The lower-case words, without what follows an apostrophe ("Ann's" is "ann"); pairs of unspaced characters."""
    spoken = _WORD.findall(text.lower())
    if text.isascii():
        return [_head(word) if "'" in word else word for word in spoken]
    found: list[str] = []
    for word in spoken:
        head = _head(word.replace("’", "'"))
        found += _pairs(head) if _UNSPACED.search(head) else [head]
    return found


def _head(word: str) -> str:
    """What is before an apostrophe; of "don't" without the n."""
    head, _, tail = word.partition("'")
    return head[:-1] if tail == "t" and head.endswith("n") else head


def _pairs(text: str) -> list[str]:
    """Overlapping pairs of characters; a single one stays."""
    return [text[at : at + 2] for at in range(len(text) - 1)] or [text]


def stems(text: str, leave_out: Iterable[str] = ()) -> list[str]:
    """The stems of the words that say something, in order. `leave_out`: further words that count as nothing."""
    spoken = words(text)
    return _stemmed(spoken, language_of(spoken), frozenset(leave_out))


def question_stems(text: str, leave_out: Iterable[str] = ()) -> frozenset[str]:
    """The stems that a question is looked up by: those of its language, and the English ones."""
    spoken, without = words(text), frozenset(leave_out)
    found = {*_stemmed(spoken, ENGLISH, without)}
    language = language_of(spoken)
    return frozenset(found if language == ENGLISH else found | {*_stemmed(spoken, language, without)})


def says_nothing(text: str) -> bool:
    """Whether it is a greeting, an interjection or the like: it has no word that anything could be found by."""
    return not question_stems(text, SMALL_TALK)


def stem_of(word: str) -> str:
    """The English stem of one lower-case word."""
    return _stem_of(_SNOWBALL[ENGLISH])(IRREGULAR.get(word, word))


def language_of(spoken: list[str]) -> str:
    """The code of the language that these words seem to be in; "en" when there are too few to tell."""
    known = sum(word in ENGLISH_STOP_WORDS for word in spoken)
    if known >= SURELY_WORDS and known >= SURELY_SHARE * len(spoken):
        return ENGLISH  # comparing with all other languages takes most of the time
    return latin_language([word for word in spoken if is_latin(word)])


def _stemmed(spoken: list[str], language: str, leave_out: frozenset[str]) -> list[str]:
    kept = [IRREGULAR.get(word, word) for word in spoken if word not in STOP_WORDS and word not in leave_out]
    return list(map(_stem_of(_SNOWBALL.get(language, "")), kept))


@lru_cache(maxsize=len(_SNOWBALL) + 1)
def _stem_of(name: str) -> Callable[[str], str]:
    """A stemmer that keeps what it has stemmed; Snowball's own objects are not for several threads at once."""
    if not name:
        return str
    return lru_cache(maxsize=MOST_KNOWN)(lambda word: str(Stemmer.Stemmer(name, 0).stemWord(word)))
