"""What the program says, in the language of the one who asks: English sentence → the sentence in that language.

The sentences stand in English in the modules of this package, and in `de.yaml` and its like under the English ones,
with the same values in braces. A module that `speaks` gives each sentence in the language in force; what is not
translated stays English.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType, ModuleType

import yaml

ENGLISH = "en"
LANGUAGES = ("de",)
TRANSLATIONS: Mapping[str, Mapping[str, str]] = {
    code: yaml.load(Path(__file__).with_name(f"{code}.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    for code in LANGUAGES
}
"""Language code → English sentence → that sentence."""

_language: ContextVar[str] = ContextVar("language", default=ENGLISH)


def translated(sentence: str, language: str) -> str | None:
    """The sentence in this language; None: it is not translated."""
    return TRANSLATIONS.get(language, {}).get(sentence)


def here(sentence: str) -> str:
    """The sentence in the language in force."""
    return translated(sentence, _language.get()) or sentence


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
