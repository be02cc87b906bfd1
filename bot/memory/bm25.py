"""BM25 (Robertson and Zaragoza 2009) over short texts that come and go, in memory.

In memory, because an index of words on disk would be one more place that keeps what people said. Only what may be used
in one place is in one index: how rare a word is there tells nothing about what was said elsewhere.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

MOST_COUNTED = 65_535
"""Of one word in one text: more does not fit into two bytes."""

Floats = NDArray[np.float32]

K1 = 1.2
"""How quickly further occurrences of a word stop counting."""
B = 0.4
"""How much the length of a text counts, from 0 to 1. Utterances are short: the field's 0.75 was made for documents."""


class Bm25:
    """The texts are numbered in the order in which they were added."""

    def __init__(self) -> None:
        self._terms: dict[str, tuple[array[int], array[int]]] = {}
        """Term → the texts that have it, ascending, and how often."""
        self._lengths = np.zeros(0, dtype=np.float32)

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, texts: Sequence[Sequence[str]]) -> None:
        """Adds texts, each as its terms."""
        for number, terms in enumerate(texts, len(self._lengths)):
            for term, count in Counter(terms).items():
                there = self._terms.get(term)
                if there is None:
                    there = self._terms[term] = (array("I"), array("H"))
                there[0].append(number)
                there[1].append(min(count, MOST_COUNTED))
        new = np.fromiter((len(terms) for terms in texts), dtype=np.float32, count=len(texts))
        self._lengths = np.concatenate([self._lengths, new])

    def keep(self, kept: NDArray[np.bool_]) -> None:
        """Drops the texts that are not `kept`, shape (len(self),), with their words; the others are numbered anew."""
        new_number = np.cumsum(kept, dtype=np.int64) - 1
        for term, (numbers, counts) in list(self._terms.items()):
            there = _numpy(numbers)
            stays = kept[there]
            if not stays.any():
                del self._terms[term]
                continue
            self._terms[term] = (
                array("I", new_number[there[stays]].astype(np.uint32).tobytes()),
                array("H", _numpy(counts)[stays].tobytes()),
            )
        self._lengths = self._lengths[kept]

    def idf(self, term: str) -> float:
        """How rare a term is: ln(1 + (N − n + ½) / (n + ½)), n of N texts having it."""
        there = len(self._terms[term][0]) if term in self._terms else 0
        return float(np.log(1.0 + (len(self._lengths) - there + 0.5) / (there + 0.5)))

    def scores(self, terms: Iterable[str] | Mapping[str, float]) -> Floats:
        """The score of every text, shape (len(self),). With a mapping, each term counts as much as it says."""
        weights = terms if isinstance(terms, Mapping) else dict.fromkeys(terms, 1.0)
        found = np.zeros(len(self._lengths), dtype=np.float32)
        if not len(self._lengths):
            return found
        mean = float(self._lengths.mean()) or 1.0
        for term, weight in weights.items():
            if term in self._terms:
                numbers, counts = map(_numpy, self._terms[term])
                norm = K1 * (1.0 - B + B * self._lengths[numbers] / mean)
                found[numbers] += weight * self.idf(term) * counts * (K1 + 1.0) / (counts + norm)
        return found


def _numpy(numbers: array[int]) -> NDArray[np.uint32]:
    """The numbers as an array of their own, so that more can be appended to them."""
    return np.array(numbers, copy=True)
