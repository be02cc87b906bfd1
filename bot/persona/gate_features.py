"""What the trait gate sees of a text: hashed words with flags, and a few counts. Pure, and free of any vocabulary.

Words are known by a hash alone, so the weights hold no text of the data they were trained on.
"""

import math
import re
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

BUCKETS = 1 << 14
"""Word ids are 1 … BUCKETS − 1; 0 is padding."""
FLAGS = 5
"""Of each word: it is there; in a question; in a sentence in the first person; a name; first of its sentence."""
COUNTS = 15
LONGEST = 120
"""Words of an utterance that count; 0.1 % of MSC's are longer."""
LONGEST_TEXT = 2000
"""Characters of an utterance that count."""
FEW_WORDS = 8

_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?|[0-9]+|[?!.,;:]")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
_FIRST_PERSON = frozenset({"i", "i'm", "i've", "i'd", "i'll", "my", "me", "mine", "we", "our"})
_POSSESSIVE = frozenset({"my", "our"})
_SECOND_PERSON = frozenset({"you", "your", "you're"})


@dataclass(frozen=True, slots=True)
class Seen:
    """The features of one text of n ≤ LONGEST words."""

    ids: NDArray[np.int64]
    """Shape (n,)."""
    flags: NDArray[np.float32]
    """Shape (n, FLAGS), 0 or 1."""
    counts: NDArray[np.float32]
    """Shape (COUNTS,), not yet standardised."""


def word_id(word: str) -> int:
    """The bucket of a lower-case word or punctuation mark."""
    return 1 + crc32(word.encode()) % (BUCKETS - 1)


def words(text: str) -> list[str]:
    """The lower-case words and punctuation marks of a text."""
    return [word.lower() for sentence in _sentences(text) for word in _WORD.findall(sentence)]


def features(text: str) -> Seen:
    """The features of a text. Never raises; an empty text has no words and counts of zero words."""
    sentences = _sentences(text)
    ids: list[int] = []
    flags: list[tuple[bool, ...]] = []
    for sentence in sentences:
        found = _WORD.findall(sentence)
        question, own = "?" in sentence, any(word.lower() in _FIRST_PERSON for word in found)
        for place, word in enumerate(found):
            ids.append(word_id(word.lower()))
            flags.append((True, question, own, place > 0 and _is_name(word), place == 0))
    return Seen(
        np.array(ids[:LONGEST], dtype=np.int64),
        np.array(flags[:LONGEST], dtype=np.float32).reshape(-1, FLAGS),
        np.array(_counts(sentences), dtype=np.float32),
    )


def _sentences(text: str) -> list[str]:
    return _SENTENCE_END.split(text[:LONGEST_TEXT].replace("’", "'").strip())


def _is_name(word: str) -> bool:
    return word[0].isupper() and word.lower() not in _FIRST_PERSON


def _counts(sentences: list[str]) -> list[float]:
    """COUNTS numbers on the whole utterance; "stated" is what stands in sentences that are not questions."""
    each = [[word.lower() for word in _WORD.findall(sentence)] for sentence in sentences]
    every = [word for found in each for word in found]
    statements = ["?" not in sentence for sentence in sentences]
    stated = [word for found, counts in zip(each, statements, strict=True) if counts for word in found]
    length = max(len(every), 1)
    own, own_stated = (sum(word in _FIRST_PERSON for word in some) for some in (every, stated))
    names = any(_is_name(word) for sentence in sentences for word in _WORD.findall(sentence)[1:])
    return [
        math.log1p(len(every)),
        math.log1p(len(stated)),
        math.log1p(every.count("?")),
        math.log1p(every.count("!")),
        math.log1p(len(sentences)),
        sum(statements) / len(sentences),
        own / length,
        math.log1p(own_stated),
        float(own_stated > 0),
        math.log1p(sum(word in _SECOND_PERSON for word in every)),
        float(sentences[-1].endswith("?")),
        math.log1p(sum(word in _POSSESSIVE for word in stated)),
        float(names),
        float(any(word[0].isdigit() for word in every)),
        float("?" not in every and len(every) < FEW_WORDS),
    ]
