"""What the program says, in the language of the one who asks: English sentence → the sentence in that language.

The sentences stand in English in the modules of this package, and in `de.yaml` and its like under the English ones,
with the same values in braces. A module that `speaks` gives each sentence in the language in force; what is not
translated stays English. The page in the browser looks up its sentences here, too.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from string import Formatter
from types import MappingProxyType, ModuleType

from bot.texts.beside import read_beside

ENGLISH = "en"
LANGUAGES = ("de",)
TRANSLATIONS: Mapping[str, Mapping[str, str]] = {code: read_beside(__file__, code) for code in LANGUAGES}
"""Language code → English sentence → that sentence."""

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


NUMBERS: Mapping[str, Mapping[int, int | None]] = {"de": str.maketrans(",.", ".,")}
"""How languages write numbers, where not as English does."""


class Sentence(str):
    """A sentence in another language, whose numbers are written as there: "1,5 GB"."""

    __slots__ = ()

    def format(self, *args: object, **values: object) -> str:
        """As `str.format`."""
        return _Figures().vformat(self, args, values)


class _Figures(Formatter):
    def format_field(self, value: object, spec: str) -> str:
        told = str(super().format_field(value, spec))
        is_figure = isinstance(value, int | float) and spec
        return told.translate(NUMBERS.get(_language.get(), {})) if is_figure else told


def translated(sentence: str, language: str) -> str | None:
    """The sentence in this language; None: it is not translated."""
    found = TRANSLATIONS.get(language, {}).get(sentence)
    return None if found is None else Sentence(found)


def language_in_force() -> str:
    """Its code."""
    return _language.get()


def in_language(sentence: str, language: str) -> str:
    """The sentence in this language; in English, where it is not translated."""
    return translated(sentence, language) or sentence


def here(sentence: str) -> str:
    """The sentence in the language in force."""
    return in_language(sentence, _language.get())


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """While it is open, this language is in force; `language`: a code such as "de", "de-AT" or "de_AT"."""
    token = _language.set(language.replace("_", "-").partition("-")[0].casefold())
    try:
        yield
    finally:
        _language.reset(token)


def speaks(name: str) -> None:
    """Has the module of this name, one of sentences, give them in the language in force to whoever asks it."""
    sys.modules[name].__class__ = _Speaking


class _Speaking(ModuleType):
    def __getattribute__(self, name: str) -> object:
        value = super().__getattribute__(name)
        return value if name.startswith("_") or _language.get() == ENGLISH else _translated(value)


def _translated(value: object) -> object:
    if isinstance(value, str):
        return here(value)
    if isinstance(value, Mapping):
        return MappingProxyType({key: _translated(one) for key, one in value.items()})
    return tuple(map(_translated, value)) if isinstance(value, tuple) else value
