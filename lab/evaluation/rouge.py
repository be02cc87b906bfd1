"""ROUGE-1, ROUGE-2 and ROUGE-L as F-measures (Lin 2004), by the conventions of the `rouge-score` package.

Lower-case runs of letters and digits, those over three characters stemmed by Porter; no marks, no stop words. Its
stemmer is NLTK's, with some changes of NLTK's own; ours is Snowball's `porter`. On 1,500 pairs of people's summaries
(DialogSum, test) the means differ by 0.09, 0.06 and 0.07 points of a hundred: 53.28, 26.67 and 44.92 here.

With several references the mean over them is the usual figure on DialogSum; the best one is given beside it.
`overlap.rouge_l` is another figure: without stems, with marks as words, recall weighted by β = 1.2.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

import Stemmer

from lab.evaluation.overlap import common_subsequence

LONGEST_UNSTEMMED = 3
_WORD = re.compile(r"[a-z0-9]+")
_PORTER = Stemmer.Stemmer("porter")


@dataclass(frozen=True, slots=True)
class Rouge:
    """F-measures in [0, 1]."""

    unigrams: float
    bigrams: float
    longest: float
    """ROUGE-L: the longest common subsequence."""


def tokens(text: str) -> tuple[str, ...]:
    """The stems of a text: "He was running." is he, was, run."""
    found: list[str] = _WORD.findall(text.lower())
    return tuple(_PORTER.stemWord(word) if len(word) > LONGEST_UNSTEMMED else word for word in found)


def rouge(said: str, wanted: str) -> Rouge:
    """The figures of one text against one reference; all 0 when either has no words."""
    mine, theirs = tokens(said), tokens(wanted)
    common = common_subsequence(mine, theirs)
    return Rouge(_grams(mine, theirs, 1), _grams(mine, theirs, 2), _f_measure(common, len(mine), len(theirs)))


def mean_rouge(said: str, references: Sequence[str]) -> Rouge:
    """The mean of the figures against each of several references, at least one."""
    each = [rouge(said, one) for one in references]
    return Rouge(
        mean(one.unigrams for one in each), mean(one.bigrams for one in each), mean(one.longest for one in each)
    )


def best_rouge(said: str, references: Sequence[str]) -> Rouge:
    """The best figure against any of several references, at least one; each figure for itself."""
    each = [rouge(said, one) for one in references]
    return Rouge(max(one.unigrams for one in each), max(one.bigrams for one in each), max(one.longest for one in each))


def _grams(mine: Sequence[str], theirs: Sequence[str], length: int) -> float:
    first, second = (
        Counter(tuple(text[at : at + length]) for at in range(len(text) - length + 1)) for text in (mine, theirs)
    )
    return _f_measure((first & second).total(), first.total(), second.total())


def _f_measure(common: int, said: int, wanted: int) -> float:
    """The harmonic mean of common / said and common / wanted."""
    return 2 * common / (said + wanted) if common else 0.0
