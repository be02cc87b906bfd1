"""Which of seven languages a text is in, by its function words and letters: sure only when it is sure. Pure, cheap."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

from lingua import IsoCode639_1, LanguageDetector, LanguageDetectorBuilder

from bot.conversation.checking.wordings import LANGUAGES, bare, every, words
from bot.language.languages import latin_language
from bot.language.languages import words as words_of

FEWEST_WORDS = 3
"""Fewer words are no evidence, whatever they are."""
ENOUGH = 1.9
"""Evidence from which a language is sure: two words that no other of the languages has."""
AHEAD = 1.25
"""By how much it has to be ahead of the next one."""
SHARE = 0.08
"""And how much of it each word has to bring on the whole."""
SURE, SURE_ENOUGH = 0.95, 0.7
"""The confidence from which lingua's word counts for little text, against small words and beside them."""
SHORTEST = 12
"""Characters from which plain letters tell anything: lingua is sure that "hiii im bea" is French."""
LIKELY = 0.9
"""Evidence for which one word is enough that no other of the languages has."""
_SAID_ANYWHERE = re.compile(r"\b(?:yo|ok)\b", re.IGNORECASE)
"""Words that tell no language in little text: "yo" is Spanish for "I" and an English greeting, "ok" is everybody's."""
SHARED = {1: 1.0, 2: 0.45, 3: 0.2}
"""What a word counts that so many of the languages have; of more it counts nothing."""
LETTERS = (
    (re.compile("ß"), "de", 1.2),
    (re.compile("[äöü]"), "de", 0.5),
    (re.compile("[ñ¿¡]"), "es", 1.2),
    (re.compile("[ãõ]"), "pt", 1.2),
    (re.compile("[êèùœ]"), "fr", 0.4),
    (re.compile("ç"), "fr", 0.3),
    (re.compile("[òì]"), "it", 0.4),
    (re.compile(r"\b[a-z]{1,3}'[a-zàéèêô]{3}"), "fr", 0.2),
)
_LATIN = re.compile(r"[a-z\u00aa-\u024f\u1e00-\u1eff]", re.IGNORECASE)


@cache
def _having() -> dict[str, tuple[str, ...]]:
    """Function word → the languages that have it."""
    every_word = frozenset().union(*(one.common for one in every()))
    return {word: tuple(one.code for one in every() if word in one.common) for word in every_word}


@lru_cache(maxsize=1024)
def _evidence(text: str) -> tuple[tuple[str, float], ...]:
    """What speaks for each language, most first."""
    score = dict.fromkeys(LANGUAGES, 0.0)
    having = _having()
    for word in words(text):
        codes = having.get(word) or having.get(bare(word), ())
        for code in codes:
            score[code] += SHARED.get(len(codes), 0.0)
    lowered = unicodedata.normalize("NFC", text.lower().replace("’", "'"))
    for pattern, code, weight in LETTERS:
        if pattern.search(lowered):
            score[code] += weight
    return tuple(sorted(score.items(), key=lambda item: -item[1]))


def language_of(text: str) -> str | None:
    """The code of the language that `text` is in; None for another one, a mixture, or too little to tell."""
    (best, most), (_, second), *_ = _evidence(text)
    spoken = len(words(text))
    sure = spoken >= FEWEST_WORDS and most >= max(ENOUGH, SHARE * spoken) and most - second >= AHEAD
    return best if sure else None


def likely_language(text: str) -> str | None:
    """The same for little text, such as "se murió mi abuela": by its letters, too; None where unsure.

    The letters have to be very sure where small words speak for another language.
    """
    text = _SAID_ANYWHERE.sub(" ", text)
    (best, most), (_, second), *_ = _evidence(text)
    by_letters, share = _by_letters(text)
    enough = len(text.strip()) >= SHORTEST or not text.isascii()
    if share >= SURE and enough:
        return by_letters
    if most >= LIKELY and second == 0:
        return best
    return by_letters if enough and share >= SURE_ENOUGH and (most == 0 or by_letters == best) else None


def likeliest(text: str, codes: Sequence[str]) -> str | None:
    """The one of these languages that the small words, and then the letters, of `text` speak for most; None of none."""
    values = _detector().compute_language_confidence_values(text)
    letters = {one.language.iso_code_639_1.name.lower(): one.value for one in values}
    small_words = dict(_evidence(text))
    return max(codes, key=lambda code: (small_words[code], letters.get(code, 0.0)), default=None)


def _by_letters(text: str) -> tuple[str, float]:
    """The language that lingua takes it for, and its confidence; 0 where there are no letters."""
    first = next(iter(_detector().compute_language_confidence_values(text)), None)
    return (first.language.iso_code_639_1.name.lower(), first.value) if first else ("", 0.0)


def spoken_language(text: str, before: Sequence[str]) -> str | None:
    """The language of somebody who says `text` and has said `before`; None where neither tells."""
    together = "\n".join([*before, text])
    return language_of(text) or language_of(together) or likely_language(together)


def guessed_language(text: str) -> str:
    """The language of somebody's line, of which nothing else is known; it may be one that we have no words of."""
    by_stop_words = latin_language(words_of(_SAID_ANYWHERE.sub(" ", text)))
    ours = by_stop_words in LANGUAGES
    return (spoken_language(text, ()) if ours else None) or by_stop_words


@cache
def _detector() -> LanguageDetector:
    """Lingua on groups of three letters: with all it has, it would be somewhat surer and take 190 MB."""
    codes = (IsoCode639_1.from_str(code) for code in LANGUAGES)
    return LanguageDetectorBuilder.from_iso_codes_639_1(*codes).with_low_accuracy_mode().build()


def speaks_against(text: str, code: str) -> bool:
    """Whether `text` is hardly in the language `code`: another one has its words, and this one has none of them."""
    (best, most), *_ = _evidence(text)
    return best != code and most >= LIKELY and dict(_evidence(text))[code] == 0


def foreign_letters(text: str) -> int:
    """How many letters of `text` are not of the Latin script."""
    return sum(char.isalpha() and _LATIN.match(char) is None for char in text)
