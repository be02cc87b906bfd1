"""Gold answers made such as the live parsers take them: whole sentences, in order, with names for "#Person1#". Pure."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from bot.language.grounding import stem
from lab.datasets.dialogsum import Dialogue

NAMES = tuple(
    "Ada Amir Anna Ben Carla Chen Clara David Diego Elif Ella Emil Eva Felix Fiona Grace Hana Hugo Ines Ivan Jonas "
    "Julia Karim Laura Leo Lina Lucas Maria Marta Max Maya Mia Milan Nadia Nina Noah Nora Olga Omar Oscar Paul Petra "
    "Priya Rosa Ruth Sam Sara Sofia Stefan Tara Theo Tom Vera Victor Yuki Zoe".split()
)
"""What "#Person1#" and the others are called, drawn anew for each dialogue."""

_ABBREVIATED = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|St|Jr|Sr|Bros|Mt|vs|feat)\.?$", re.IGNORECASE)
_SPLIT = re.compile(r"(?<=[.!?])\s+")
_DOMAIN = re.compile(r"(?<=\w)\. (?=(?:com|org|net)\b)")
_WORD = re.compile(r"[^\W_]+")
_BEGIN = re.compile(r"(?:^|(?<=[.!?] ))[a-z]")
_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|we|our|us)\b", re.IGNORECASE)
_MENDED = (
    (re.compile(r"[´’`]"), "'"),
    (re.compile(r"\bi(?=\b(?!\.e)|'(?:m|ve|d|ll)\b)"), "I"),
    (re.compile(r"\b[Ii]m\b"), "I'm"),
    (re.compile(r"\b[Ii]ve\b"), "I've"),
    (re.compile(r"\b([Dd]o|[Dd]oes|[Dd]id|[Cc]a|[Ww]o|[Ii]s|[Hh]ave)nt\b"), r"\1n't"),
)
_APART = re.compile(r"(?<=\w) ' ?(?=(?:s|t|m|d|ve|re|ll)\b)", re.IGNORECASE)
_PERSON = re.compile(r"#Person(\d+)#")


def statements(traits: str, source: str) -> list[str]:
    """The sentences of an MSC `persona_text`, mended, in the order in which `source` says them.

    The data set splits sentences at every full stop and joins them in any order: "Florian and Linz. I know St." is put
    together again as "I know St. Florian and Linz."
    """
    joined = _DOMAIN.sub(".", " ".join(traits.split()))
    found = [_mended(each) for each in _rejoined([part for part in _SPLIT.split(joined) if _WORD.search(part)])]
    distinct = {each.lower(): each for each in found}
    return sorted(distinct.values(), key=lambda each: _place(each, source))


def first_sentences(sentences: Sequence[str], words: int) -> str:
    """As many of the first sentences as have `words` words at most; empty when the first one is longer."""
    kept: list[str] = []
    for sentence in sentences:
        if len(" ".join([*kept, sentence]).split()) > words:
            break
        kept.append(sentence)
    return " ".join(kept)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text; none ends after "Mr." and the like."""
    whole: list[str] = []
    for part in _SPLIT.split(" ".join(text.split())):
        if whole and _ABBREVIATED.search(whole[-1]):
            whole[-1] = f"{whole[-1]} {part}"
        else:
            whole.append(part)
    return [each for each in whole if each]


def tidied(text: str) -> str:
    """The same words with "I" and the first letter of a sentence as they should be, ending with a mark."""
    together = " ".join(re.sub(r" +(?=[,.!?])", "", text).split())
    return _ended(_BEGIN.sub(lambda found: found[0].upper(), _spelt(together)))


def named(dialogue: Dialogue, seed: int) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """The lines (name, text) and the summaries of a DialogSum dialogue with first names for "#Person1#" and so on.

    The names are drawn by the seed and the dialogue's id, and are none that anybody in it says.
    """
    everything = " ".join([*(turn.text for turn in dialogue.turns), *dialogue.summaries])
    free = [name for name in NAMES if name not in everything]
    drawn = random.Random(f"{seed} {dialogue.id}").sample(free, len(free))  # noqa: S311 - no secret

    def call(text: str) -> str:
        renamed = _PERSON.sub(lambda found: drawn[int(found[1]) % len(drawn)], text)
        return " ".join(_APART.sub(lambda _: "'", renamed).split())

    return [(call(turn.speaker), call(turn.text)) for turn in dialogue.turns], tuple(map(call, dialogue.summaries))


def _rejoined(parts: Sequence[str]) -> list[str]:
    """The same sentences, with what was cut off at an abbreviation put behind it again."""
    cut = [part for part in parts if _ABBREVIATED.search(part)]
    rest = [part for part in parts if not _ABBREVIATED.search(part)]
    for head in cut:
        tail = next((part for part in rest if not _FIRST_PERSON.search(part)), None)
        if tail is not None:
            rest[rest.index(tail)] = f"{head.rstrip('.')}. {tail}"
    return rest


def _mended(sentence: str) -> str:
    text = _spelt(sentence.strip())
    return _ended(text[:1].upper() + text[1:])


def _spelt(text: str) -> str:
    for wrong, right in _MENDED:
        text = wrong.sub(right, text)
    return text


def _ended(text: str) -> str:
    return text if not text or text[-1] in ".!?" else f"{text}."


def _place(sentence: str, source: str) -> float:
    """Where in `source` the words of the sentence stand, on average; at the end when none of them does."""
    first: dict[str, int] = {}
    for position, word in enumerate(_WORD.findall(source.lower())):
        if len(word) > 2:  # noqa: PLR2004 - "I", "is", "to" stand everywhere
            first.setdefault(stem(word), position)
    found = [first[stem(word)] for word in _WORD.findall(sentence.lower()) if stem(word) in first]
    return sum(found) / len(found) if found else float("inf")
