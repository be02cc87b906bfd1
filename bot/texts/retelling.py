"""What only owners read and the program says in English, in another language: the doctor's lines, the log's, faults.

These sentences are made where the fault is met, with its values in them, and stand so in the log and in reports. For
the owner's page they are recognised again: `de_owner.yaml` and its like have the English sentence with numbered
gaps ("{1} GB free under {2}") → the sentence with the same gaps. What stands in a gap is looked up in the same way.
"""

import re
from collections.abc import Mapping
from functools import cache

from bot.texts.beside import read_beside
from bot.texts.translating import LANGUAGES, NUMBERS, language_in_force

LONGEST = 2000
"""Characters of what is looked up at all."""
_FIGURE = re.compile(r"\d{1,20}\.\d{1,20}")
_GAP = re.compile(r"\{(\d)\}")


RETOLD: Mapping[str, Mapping[str, str]] = {code: read_beside(__file__, f"{code}_owner") for code in LANGUAGES}
"""Language code → English sentence with gaps → that sentence."""
SETTINGS: Mapping[str, Mapping[str, str]] = {code: read_beside(__file__, f"{code}_settings") for code in LANGUAGES}
"""Language code → a setting's path → what it is for."""


def purpose(setting: str, english: str) -> str:
    """What a setting is for, in the language in force; in English, where it is not known there."""
    return SETTINGS.get(language_in_force(), {}).get(setting, english)


def retold(sentence: str) -> str:
    """The sentence in the language in force; as it is, where it is not known there."""
    known = RETOLD.get(language_in_force(), {})
    if sentence in known:
        return known[sentence]
    if not known or len(sentence) > LONGEST:
        return sentence
    for shape, told in _shapes(language_in_force()):
        if (found := shape.fullmatch(sentence)) is not None:
            return _filled(told, found)
    return sentence


def _filled(told: str, found: re.Match[str]) -> str:
    return _GAP.sub(lambda gap: _value(found[f"gap{gap[1]}"]), told)


def _value(words: str) -> str:
    return words.translate(NUMBERS.get(language_in_force(), {})) if _FIGURE.fullmatch(words) else retold(words)


@cache
def _shapes(language: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Those with gaps, the ones with most words of their own first: they are the surest."""
    ordered = sorted(RETOLD[language].items(), key=lambda one: -len(_GAP.sub("", one[0])))
    return tuple((_shape(sentence), told) for sentence, told in ordered if _GAP.search(sentence))


def _shape(sentence: str) -> re.Pattern[str]:
    """`re.split` with a group gives words and the gaps' numbers in turn."""
    parts = _GAP.split(sentence)
    return re.compile(
        "".join(f"(?P<gap{part}>.*?)" if at % 2 else re.escape(part) for at, part in enumerate(parts)), re.DOTALL
    )
