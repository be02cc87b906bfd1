"""Words that are looked for and may be in a name, which is told as it is today and not as it is stored. Pure."""

import re
from collections.abc import Mapping, Sequence

from bot.language.speakers import label_called, without_number

_WORD, _NO_WORD = re.compile(r"\w+"), re.compile(r"\W+")


def may_name(word: str, label: str) -> bool:
    """Whether a word that is looked for may be a part of a name as it is told, where that begins and ends as a word."""
    return any(part in label for part in _NO_WORD.split(word) if part) or word in label


def called_last(called: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Speaker id → the last of the names by which they were called."""
    return {key: names[-1] for key, names in called.items()}


def told_otherwise(
    wanted: Sequence[str], own: Mapping[str, str], called: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """Others in whose label one of the words may be where what is stored has it not, each with their name.

    Those who were always `called` so are none of them. Without the name where numbers and signs may be what is told
    otherwise than it is stored. `own`: the labels of the asker and the companion.
    """
    named: dict[str, str] = {}
    for key, label in label_called(called_last(called), own).items():
        words, name = [word for word in wanted if may_name(word, label.casefold())], without_number(label)
        whole = all(word.isalpha() or (name == label and _WORD.fullmatch(word)) for word in words)
        if words and not (whole and {name} == {without_number(one) for one in called[key]}):
            named[key] = name if whole else ""
    return named
