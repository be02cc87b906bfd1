"""How much of the words of one text is in another: BLEU-n and ROUGE-L, by formulas of our own.

"BLEU" names several figures that differ by a factor of two and more on replies of ten words, so each has a name here:

- `corpus_bleu`: cumulative BLEU-n over all replies together (Papineni et al. 2002): clipped n-gram counts and lengths
  are summed first, the precisions of orders 1 to n are averaged geometrically, with one brevity penalty.
- `sentence_bleu`: the same for one reply, with one added to count and total of every order above the first (Lin and Och
  2004), so that a reply without a common pair of words does not count as nothing. Its mean over replies is given.
- `plain_bleu`: for one reply without smoothing: 0 without a common n-gram. Its mean over replies is what LD-Agent's
  released evaluation gives (nlg-eval, called with one reply at a time).

ROUGE-L is the F-measure of the longest common subsequence with recall weighted by β = 1.2, as in nlg-eval. All take
words in lower case with marks and English contractions apart, close to the Penn treebank's way. One reference each.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

BETA = 1.2
"""How much more the recall weighs than the precision in ROUGE-L."""

_WORD = re.compile(r"n't\b|'(?:s|m|d|re|ve|ll)\b|[^\W_]+?(?=n't\b)|[^\W_]+|[^\w\s]")

Pair = tuple[Sequence[str], Sequence[str]]
"""The words of what was said, and of what should have been."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Common n-grams of the orders 1, 2, … with their totals, and the lengths in words: what BLEU is made of."""

    common: tuple[int, ...]
    """By order: n-grams of the reply that the reference has too, each as often as there at most."""
    total: tuple[int, ...]
    """By order: n-grams of the reply."""
    said: int
    wanted: int


def words(text: str) -> tuple[str, ...]:
    """The words and marks of a text in lower case: "I don't." is i, do, n't, and the full stop."""
    return tuple(_WORD.findall(text.replace("’", "'").lower()))


def matches(said: Sequence[str], wanted: Sequence[str], order: int) -> Matches:
    """What two texts have in common up to n-grams of this order."""
    common, total = [], []
    for length in range(1, order + 1):
        mine, theirs = _grams(said, length), _grams(wanted, length)
        common.append((mine & theirs).total())
        total.append(mine.total())
    return Matches(tuple(common), tuple(total), len(said), len(wanted))


def corpus_bleu(pairs: Iterable[Pair], order: int) -> float:
    """Cumulative BLEU of this order over all pairs together, in [0, 1]; 0 when there are none."""
    counted = [matches(said, wanted, order) for said, wanted in pairs]
    whole = Matches(
        tuple(sum(one.common[at] for one in counted) for at in range(order)),
        tuple(sum(one.total[at] for one in counted) for at in range(order)),
        sum(one.said for one in counted),
        sum(one.wanted for one in counted),
    )
    return _bleu(whole, 0)


def sentence_bleu(said: Sequence[str], wanted: Sequence[str], order: int) -> float:
    """BLEU of one text, one added to counts and totals of all orders above the first; in [0, 1]."""
    return _bleu(matches(said, wanted, order), 1)


def plain_bleu(said: Sequence[str], wanted: Sequence[str], order: int) -> float:
    """BLEU of one text without smoothing, in [0, 1]."""
    return _bleu(matches(said, wanted, order), 0)


def rouge_l(said: Sequence[str], wanted: Sequence[str], beta: float = BETA) -> float:
    """The F-measure of the longest common subsequence, in [0, 1]; 0 when either is empty."""
    common = common_subsequence(said, wanted)
    if not common:
        return 0.0
    precision, recall = common / len(said), common / len(wanted)
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision)


def _bleu(counted: Matches, added: int) -> float:
    """The geometric mean of the precisions times the brevity penalty. `added`: to all orders above the first."""
    if not counted.said or not counted.common[0]:
        return 0.0
    logs = 0.0
    for order, (common, total) in enumerate(zip(counted.common, counted.total, strict=True)):
        extra = added if order else 0
        if common + extra == 0:
            return 0.0
        logs += math.log((common + extra) / (total + extra))
    brevity = min(0.0, 1 - counted.wanted / counted.said)
    return math.exp(logs / len(counted.common) + brevity)


def _grams(text: Sequence[str], length: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(text[at : at + length]) for at in range(len(text) - length + 1))


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(second) + 1)
    for word in first:
        before = 0
        for at, other in enumerate(second, start=1):
            above = row[at]
            row[at] = before + 1 if word == other else max(above, row[at - 1])
            before = above
    return row[-1]
