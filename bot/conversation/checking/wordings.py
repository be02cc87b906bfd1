"""What the checks know of each language: the files `words/*.yaml`, as patterns over folded text. Pure after loading."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

import yaml

LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl")
LONGEST = 4_000
"""Characters of a text that are looked at; a reply is far shorter."""
KEY = 4
"""Letters by which two forms of a word count as the same ("adopted", "adopts")."""

_FOLDER = Path(__file__).parent / "words"
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_SENTENCE = re.compile(r"(?:[^.!?…。！？\n]|(?<=\d)[.](?=\d)){0,600}[.!?…。！？\n]{0,12}[\"'”’»)\]]{0,2}\s{0,20}")
_FORMS = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d"})
_ELISION = 2
"""Letters in front of an apostrophe that are an article or the like ("l'école", "qu'il")."""


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Lower case, without accents, with straight apostrophes and single spaces."""
    plain = unicodedata.normalize("NFKD", text[:LONGEST].casefold().translate(_FORMS))
    return " ".join("".join(char for char in plain if not unicodedata.combining(char)).translate(_FORMS).split())


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """The folded words of `text`; "don't" and "j'ai" are one word each."""
    return tuple(_WORD.findall(fold(text)))


def sentences(text: str) -> list[str]:
    """`text` in sentences, each with its end mark and the space behind it, so that they join to the whole."""
    return [match.group() for match in _SENTENCE.finditer(text[:LONGEST]) if match.group()]


def bare(word: str) -> str:
    """A word without what an apostrophe binds to it: "l'école" is "école", "Ann's" is "Ann"."""
    head, mark, tail = word.partition("'")
    return tail if mark and len(head) <= _ELISION and len(tail) > 1 else head


def key_of(word: str) -> str:
    """What forms of one word have in common; numbers stay whole."""
    return word if word.isdigit() else word[:KEY]


class Wording:
    """One language's lists, compiled when they are first asked for."""

    def __init__(self, code: str) -> None:
        tree = yaml.load((_FOLDER / f"{code}.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader)
        self.code = code
        self._parts: dict[str, str] = {**tree.pop("parts")}
        self.numbers = {word: str(value) for word, value in tree["numbers"].items()}
        """Folded number word → its digits."""
        self._lists: dict[str, str | list[str]] = {**tree, "numbers": [*self.numbers]}
        self.common = frozenset(fold(tree["common"]).split())
        groups = [frozenset(map(key_of, group.split())) for group in fold(tree.pop("synonyms")).split(";")]
        self.synonyms = {key: group for group in groups for key in group}
        """Key of a word for an animal or kin → the keys of all words for the same."""
        self.dear_keys = frozenset(self.synonyms)
        """The keys of all these words."""
        self._patterns: dict[str, re.Pattern[str]] = {}

    def _source(self, key: str) -> str:
        """The pattern of one list, with its parts written out; matches nothing where the language has no such list."""
        listed = self._lists.get(key, [])
        pattern = listed if isinstance(listed, str) else "|".join(listed)
        return self._written_out(pattern, self._parts)

    @staticmethod
    def _written_out(pattern: str, parts: Mapping[str, str]) -> str:
        for _ in range(2):  # a part may use another one
            for name, part in parts.items():
                pattern = pattern.replace(f"<{name}>", f"(?:{part})")
        return pattern or r"(?!)"

    def compiled(self, pattern: str, parts: Mapping[str, str]) -> re.Pattern[str]:
        """Another list's pattern over folded text, at whole words; it may use this language's parts, and `parts`."""
        return re.compile(rf"(?<!\w)(?:{self._written_out(pattern, {**self._parts, **parts})})(?:(?<=\W)|(?!\w))")

    def pattern(self, key: str) -> re.Pattern[str]:
        """The list `key` as one pattern over folded text, at whole words."""
        found = self._patterns.get(key)
        if found is None:
            found = re.compile(rf"(?<!\w)(?:{self._source(key)})(?:(?<=\W)|(?!\w))")
            self._patterns[key] = found
        return found

    def has(self, key: str, text: str) -> bool:
        """Whether a folded text has something of the list `key`."""
        return self.pattern(key).search(text) is not None

    def is_one(self, key: str, word: str) -> bool:
        """Whether a folded word is one of the list `key`."""
        return self.pattern(key).fullmatch(word) is not None


@cache
def wording(code: str) -> Wording:
    """The wording of one of LANGUAGES."""
    return Wording(code)


def every() -> tuple[Wording, ...]:
    """All wordings, English first."""
    return tuple(map(wording, LANGUAGES))


def any_has(key: str, text: str, wordings: Iterable[Wording]) -> bool:
    """Whether a folded text has something of the list `key` in one of these languages."""
    return any(one.has(key, text) for one in wordings)


@cache
def _common_of_all() -> frozenset[str]:
    return frozenset().union(*(one.common for one in every()))


@lru_cache(maxsize=4096)
def content(text: str, codes: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The folded words of `text` that say something: numbers, and words of no stop list of these languages (or any)."""
    common = frozenset().union(*(wording(code).common for code in codes)) if codes else _common_of_all()
    found = ((word, bare(word)) for word in words(text))
    return tuple(
        short
        for word, short in found
        if short.isdigit() or (word not in common and short not in common and len(short) > 1)
    )


@lru_cache(maxsize=4096)
def keys_of(text: str, codes: tuple[str, ...] = ()) -> frozenset[str]:
    """The keys of the `content` words of `text`."""
    return frozenset(map(key_of, content(text, codes)))


def digits_of(spoken: Iterable[str], wordings: Iterable[Wording]) -> frozenset[str]:
    """The number words among folded words, in digits: "four" may be told again as "4", and the other way round."""
    numbers = [one.numbers for one in wordings]
    return frozenset(each[word] for word in spoken for each in numbers if word in each)
