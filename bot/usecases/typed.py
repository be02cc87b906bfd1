"""Values that people type in another language than the commands' own: "2 Wochen", "bis 3. Mai", "alles". Pure.

A value is taken only when all of its words are known (`typed.yaml`); any other is left as it was typed, so that "my
old job" in whatever language stays what is looked for.
"""

import re
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from bot.domain import Call
from bot.language.timewords import span_of
from bot.texts.beside import read_beside
from bot.usecases.catalogue import Command

LONGEST = 60
"""Characters of a value that is looked at."""
CHOICES = ("choices",)
FORGET = "memory forget"
WORD_BY_WORD = frozenset({"days", "words"})
"""Tables of single words, of which several make a value."""
TABLES: Mapping[str, Mapping[str, Mapping[str, str]]] = read_beside(__file__)
_WORD = re.compile(r"[^\W\d_]+")
_ORDINAL = re.compile(r"(?<!\d\.)\b(\d{1,2})\.(?=\s+[^\W\d_])")
"""The day of "3. Mai"; the points of "03.05.2027" stay."""
_ANY_DAY = datetime(2026, 1, 15, tzinfo=UTC)
"""Whether words name a time is the same on every day."""


def in_english(call: Call, command: Command) -> Call:
    """The call with its values as the command takes them."""
    tables = {one.name: CHOICES if one.choices else one.tables for one in command.parameters}
    arguments = [(name, _taken(command.name, name, typed, tables.get(name, ()))) for name, typed in call.arguments]
    return replace(call, arguments=tuple(arguments))


def _taken(command: str, name: str, typed: str, tables: Sequence[str]) -> str:
    """The value in English, where that is sure: "Mai" may be a name, whose lines are to be forgotten."""
    value = _value(typed, tables)
    return typed if (command, name) == (FORGET, "what") and not _names_a_time(typed, value) else value


def _names_a_time(typed: str, value: str) -> bool:
    """Whether `value` is a time, and `typed` was no single word that may as well be what is to be looked for."""
    alone = len(typed.split()) == 1 and value.casefold() not in {"today", "yesterday"}
    return not alone and span_of(value, _ANY_DAY) is not None


def _value(typed: str, tables: Sequence[str]) -> str:
    wanted = " ".join(typed.casefold().split()).strip(" .!")
    if not tables or len(wanted) > LONGEST:
        return typed
    for known in TABLES.values():
        for table in tables:
            if table not in WORD_BY_WORD and wanted in known[table]:
                return known[table][wanted]
        words = ChainMap(*(dict(known[table]) for table in tables if table in WORD_BY_WORD))
        parts = _WORD.findall(wanted)
        if parts and all(part in words for part in parts):
            return _word_by_word(wanted, words)
    return typed


def _word_by_word(wanted: str, words: Mapping[str, str]) -> str:
    return " ".join(_WORD.sub(lambda part: words[part[0]], _ORDINAL.sub(r"\1", wanted)).split())
