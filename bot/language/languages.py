"""Which language a text seems to be in, and its words that can be topics, without a model.

For languages other than English there is no tagger on board, so topics come from what every language shows on its
surface: words that are not in spaCy's stop list of that language, and overlapping character groups where a script
writes no spaces. Deterministic; a wrong guess of the language costs a few stop words among the topics, nothing more.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

ENGLISH = "en"
LATIN_LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "pl", "vi", "tr", "sv", "da", "nb", "fi", "cs", "ro", "hu", "id")
OTHER_LANGUAGES = ("ru", "uk", "el", "ar", "he", "fa", "hi")
SHORTEST_WORD = 3
"""Letters of a word that can be a topic; one less for words with accents, and for Korean without its particle."""
UNSPACED_GROUP = 4
"""Characters of one topic in Thai, Lao, Burmese and Khmer."""

_WORD = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*")
_LATIN = re.compile(r"[a-z\u00c0-\u024f\u1e00-\u1eff]")
_HAN = r"\u3005\u3400-\u4dbf\u4e00-\u9fff"
_KATAKANA = r"\u30a1-\u30fa\u30fc"
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17d3"
"""Thai, Lao, Burmese and Khmer: letters and the marks that belong to them."""
_RUNS = re.compile(
    rf"(?P<han>[{_HAN}]+)|(?P<katakana>[{_KATAKANA}]{{2,}})|(?P<kana>[\u3040-\u309f]+)|(?P<unspaced>[{_UNSPACED}]+)"
)
_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0970-\u0dff\u200c"
_MARKED_WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{_MARKS}])*")
_CONTRACTION = re.compile(r"(?:n't|'(?:s|m|re|ve|ll|d))$")
_TYPED = frozenset(
    "im ive youre youve hes shes theyre theyve thats whats dont cant wont didnt doesnt isnt arent wasnt werent".split()
)
"""Contractions as they are typed; "im" is a German stop word, too."""
_HAN_FUNCTION = frozenset(
    "的了是我你您他她它在不有和与就都也很嗎吗呢吧啊這这那個个們们沒没去來来到說说要會会把被讓让對对從从什么麼怎樣样"
)
_KOREAN_ENDING = re.compile(r"(?<=..)(?:에서|으로|은|는|이|가|을|를|에|의|도|로|와|과)$")


def _folder_of(package: str) -> Path:
    """Where a package is, without importing it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"the package {package} is not installed")
    return Path(spec.submodule_search_locations[0])


_SPACY_LANGUAGES = _folder_of("spacy") / "lang"


def _stop_words(code: str) -> frozenset[str]:
    """The stop list that spaCy has of a language.

    Its file is read by itself: spaCy's packages import a pipeline for each language, French alone 2 s of it.
    """
    spec = spec_from_file_location(f"{__name__}.stop_words_{code}", _SPACY_LANGUAGES / code / "stop_words.py")
    if spec is None or spec.loader is None:
        raise ImportError(f"spaCy's stop words of {code!r} are not installed")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    words: set[str] = module.STOP_WORDS
    return frozenset(unicodedata.normalize("NFC", word.lower()) for word in words if word.strip())


ENGLISH_STOP_WORDS = _stop_words(ENGLISH)
_LATIN_STOP_WORDS = {code: _stop_words(code) for code in LATIN_LANGUAGES}
_WITH_STOP_WORD: dict[str, tuple[str, ...]] = {
    word: tuple(code for code, stop in _LATIN_STOP_WORDS.items() if word in stop)
    for word in frozenset().union(*_LATIN_STOP_WORDS.values())
}
"""Stop word → the languages in whose list it is, so that a word is looked up once and not in each of them."""
_OTHER_STOP_WORDS = frozenset().union(*(_stop_words(code) for code in OTHER_LANGUAGES))


def words(text: str) -> list[str]:
    """The lower-case words of `text`: letters, with inner hyphens and apostrophes, in any spaced script."""
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


def latin_language(latin_words: Sequence[str]) -> str:
    """The code of the language with most stop words among `latin_words`; "en" when none has more than English."""
    best = ENGLISH
    count = sum(
        word in ENGLISH_STOP_WORDS or word in _TYPED or ("'" in word and _CONTRACTION.search(word) is not None)
        for word in latin_words
    )
    hits = Counter(code for word in latin_words for code in _WITH_STOP_WORD.get(_after_elision(word), ()))
    for code in LATIN_LANGUAGES if hits else ():
        if hits[code] > count:
            best, count = code, hits[code]
    return best


def is_english(text: str) -> bool:
    """Whether `text` seems to be English: most of its words are in the Latin script, and none is more likely. Cheap.

    A text too short to tell counts as English.
    """
    spoken = words(text)
    latin = [word for word in spoken if is_latin(word)]
    letters = sum(len(word) for word in latin)
    return 2 * letters >= sum(len(word) for word in spoken) and latin_language(latin) == ENGLISH


def _after_elision(word: str) -> str:
    """The noun of "l'école" or "d'embauche"."""
    return word.rpartition("'")[2]


def _shortest(word: str) -> int:
    return SHORTEST_WORD if word.isascii() else SHORTEST_WORD - 1


def is_latin(word: str) -> bool:
    """Whether a lower-case word begins with a letter of the Latin script."""
    return _LATIN.match(word) is not None


def latin_topics(latin_words: Sequence[str], language: str) -> frozenset[str]:
    """The words of a Latin-script text that can be topics: long enough, and in no stop list."""
    stop = _LATIN_STOP_WORDS.get(language, ENGLISH_STOP_WORDS)
    parts = (_after_elision(word) for word in latin_words)
    return frozenset(part for part in parts if part not in stop and len(part) >= _shortest(part))


def other_topics(text: str) -> frozenset[str]:
    """The topics of all parts of `text` that are not in the Latin script.

    Chinese and Japanese give pairs of Han characters and whole katakana words; Thai, Lao, Burmese and Khmer groups of
    four characters; Korean, Cyrillic, Arabic, Indic and other scripts words of at least three letters (Korean two,
    without a particle) that are in no stop list.
    """
    if text.isascii():
        return frozenset()
    lowered = text.lower()
    found: set[str] = set()
    for run in _RUNS.finditer(lowered):
        found |= _run_topics(run)
    spaced = (word for word in _MARKED_WORD.findall(_RUNS.sub(" ", lowered)) if not is_latin(word))
    return frozenset(found.union(*(_spaced_topic(word) for word in spaced)))


def _spaced_topic(word: str) -> set[str]:
    if "\uac00" <= word[0] <= "\ud7a3":
        stem = _KOREAN_ENDING.sub("", word)
        return {stem} if len(stem) >= SHORTEST_WORD - 1 else set()
    return {word} if len(word) >= SHORTEST_WORD and word not in _OTHER_STOP_WORDS else set()


def _run_topics(run: re.Match[str]) -> set[str]:
    text = run.group()
    if run.lastgroup == "katakana":
        return {text}
    if run.lastgroup == "unspaced":
        return {text[i : i + UNSPACED_GROUP] for i in range(len(text) - UNSPACED_GROUP + 1)}
    if run.lastgroup == "han":
        content = {char for char in text if char not in _HAN_FUNCTION}
        if len(text) == 1:
            return content
        pairs = (text[i : i + 2] for i in range(len(text) - 1))
        return {pair for pair in pairs if pair[0] in content and pair[1] in content}
    return set()
