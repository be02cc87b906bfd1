"""Values that people type in another language than the commands' own: "2 Wochen", "bis 3. Mai", "alles". Pure.

A value is taken only when all of its words are known (`typed.yaml`); any other is left as it was typed, so that "my
old job" in whatever language stays what is looked for.
"""

import re
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import yaml

from bot.domain import Call
from bot.usecases.catalogue import Command

LONGEST = 60
"""Characters of a value that is looked at."""
CHOICES = ("choices",)
TAKEN: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("checkin pause", "span"): ("limits", "words"),
    ("checkin days", "days"): ("limits", "days", "words"),
    ("checkin times", "times"): ("limits",),
    ("checkin quiet", "hours"): ("limits",),
    ("checkin often", "days"): ("limits",),
    ("checkin timezone", "place"): ("limits", "places"),
    ("privacy keep", "days"): ("limits",),
    ("privacy country", "country"): ("limits", "places"),
    ("memory forget", "what"): ("words",),
}
"""Command and parameter → the tables that hold what may be typed there. The first that has a word decides."""
WORD_BY_WORD = frozenset({"days", "words"})
"""Tables of single words, of which several make a value."""
_TABLES: Mapping[str, Mapping[str, Mapping[str, str]]] = yaml.load(
    Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
)
_PART = re.compile(r"[^\W\d_]+|\d+\.(?=\s)|[^\w\s]|[\w:]+")


def in_english(call: Call, command: Command) -> Call:
    """The call with its values as the command takes them."""
    choices = {one.name for one in command.parameters if one.choices}
    arguments = [
        (name, _value(typed, CHOICES if name in choices else TAKEN.get((command.name, name), ())))
        for name, typed in call.arguments
    ]
    return replace(call, arguments=tuple(arguments))


def _value(typed: str, tables: Sequence[str]) -> str:
    wanted = " ".join(typed.casefold().split()).strip(" .!")
    if not tables or len(wanted) > LONGEST:
        return typed
    for known in _TABLES.values():
        for table in tables:
            if table not in WORD_BY_WORD and wanted in known[table]:
                return known[table][wanted]
        words = ChainMap(*(dict(known[table]) for table in tables if table in WORD_BY_WORD))
        parts = _PART.findall(wanted)
        if any(part in words for part in parts) and all(part in words or not part[0].isalpha() for part in parts):
            return " ".join(" ".join(words.get(part, part.rstrip(".")) for part in parts).split())
    return typed
