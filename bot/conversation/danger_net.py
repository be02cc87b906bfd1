"""A small trained part beside the rules for danger: hears what is said without any of the words that rules know. Pure.

Logistic regression over hashed words, pairs of neighbouring words, and ideas (`crisis/ideas.py`), alone and in pairs.
Long messages are heard in overlapping stretches, and the worst counts, so that a cry in the middle is not drowned.
Inference needs numpy alone; `lab/tuning/danger.py` makes the weights, in which every feature is known by a hash only.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import combinations, pairwise
from math import sqrt
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bot.conversation.crisis.folding import folded
from bot.conversation.crisis.ideas import ideas_in
from bot.language import weights as weights_file
from bot.language.weights import finite

WEIGHTS = "danger.npz"
"""The shipped weights' file, beside this module."""
FORMAT = 4
"""Counted up when the features or the arrays change: older files are then refused."""
BUCKETS = 1 << 17
HEADS = 2
"""Danger at all; and, where there is danger, that to others."""

STRETCH = 240
"""Characters that are heard at once; half of that in scripts without spaces."""
FEW_IDEAS = 16
"""Different ideas of a stretch that are paired."""
SHORT = 6
"""Idea features that a stretch counts as having at least, so that one idea alone is not loud."""

_TOKEN = re.compile(
    r"[^\W\d_]{0,20}\d[^\W_]{0,20}|[^\W\d_](?:[^\W\d_]|[\u0900-\u0963'])*|[?!,\"“”«»「」『』():]|\.{2,}|…|[\U0001F300-\U0001FAFF]"
)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LONGEST_GROUP = 4
"""Characters of the longest group that stands for a word in scripts without spaces."""

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Heard:
    """What the net makes of a text."""

    danger: float
    """The logit of danger in its worst stretch."""
    others: float
    """There, the logit that it threatens others; below 0: the writer or somebody they worry about."""


@dataclass(frozen=True, slots=True)
class DangerNet:
    """All weights. Safe to use from several threads."""

    about: Mapping[str, object]
    """What they were made from."""
    weights: Array
    """Shape (HEADS, BUCKETS)."""
    biases: Array
    """Shape (HEADS,)."""
    threshold: float
    """The logit from which danger counts in English."""
    elsewhere: float
    """The same in other languages, of which less was learnt."""
    firmer: float
    """What more it takes where the rules found something and took it back: an idiom, a game, something denied."""
    wider: float
    """What less it takes for the second look, after which nothing is derived from a text."""

    def least(self, *, english: bool, doubted: bool = False) -> float:
        """The logit from which danger counts in such a text."""
        return (self.threshold if english else self.elsewhere) + (self.firmer if doubted else 0.0)

    def hear(self, text: str) -> Heard:
        """The worst of what is said in the text. Never raises; about 0.2 ms a line, linear in length."""
        return max((self._heard(stretch) for stretch in stretches(text)), key=lambda heard: heard.danger)

    def loudest(self, text: str) -> str:
        """The stretch of a text, as it was written, in which most is heard."""
        return max(_cut(text), key=lambda stretch: self.hear(stretch).danger)

    def _heard(self, stretch: str) -> Heard:
        buckets, values = features(stretch)
        danger, others = self.weights[:, buckets] @ values + self.biases
        return Heard(float(danger), float(others))


def stretches(text: str) -> list[str]:
    """A text, folded, in overlapping stretches; a short one is one stretch."""
    return _cut(folded(text))


def _cut(whole: str) -> list[str]:
    size = STRETCH // 2 if _UNSPACED.search(whole) else STRETCH
    if len(whole) <= size:
        return [whole]
    return [whole[begin : begin + size] for begin in range(0, len(whole) - size // 2, size // 2)]


def features(stretch: str, *, with_words: bool = True) -> tuple[NDArray[np.int64], Array]:
    """The buckets of a stretch of folded text and how much each counts, both of shape (n,).

    `with_words` False leaves the ideas alone: what is the same in a language of which nothing was learnt.
    """
    tokens = tokens_of(stretch)
    words = _shares(words_and_pairs(tokens), 1) if with_words else {}
    ideas = _shares(_of_ideas(tokens), SHORT)
    buckets = np.fromiter((*words, *ideas), dtype=np.int64, count=len(words) + len(ideas))
    return buckets, np.fromiter((*words.values(), *ideas.values()), dtype=np.float32, count=len(buckets))


def ideas_of(stretch: str) -> frozenset[str]:
    """The ideas that folded text speaks of."""
    return frozenset(idea for token in tokens_of(stretch) for idea in ideas_in(token))


def read_weights(path: Path | None = None) -> DangerNet:
    """The net in the file at `path` (None: the shipped one). Raises ModelUnavailable."""
    source = resources.files(__package__).joinpath(WEIGHTS) if path is None else path
    advice = "Make it anew with `python -m lab tune danger`."
    return weights_file.read(source, "the net for danger", advice, FORMAT, _unpacked)


def write_weights(net: DangerNet, path: Path) -> None:
    """Writes a weights file: float16 arrays, the same bytes for the same weights. Raises OSError."""
    thresholds = np.array([net.threshold, net.elsewhere, net.firmer, net.wider], dtype=np.float32)
    arrays: weights_file.Arrays = {
        "weights": net.weights.astype(np.float16),
        "biases": net.biases,
        "thresholds": thresholds,
    }
    weights_file.write(path, net.about, FORMAT, arrays)


def _unpacked(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> DangerNet:
    weights, biases, thresholds = (finite(arrays[name]) for name in ("weights", "biases", "thresholds"))
    if weights.shape != (HEADS, BUCKETS) or biases.shape != (HEADS,) or thresholds.shape != (4,):
        raise ValueError("arrays of the wrong shape")
    return DangerNet(about, weights, biases, *map(float, thresholds))


def tokens_of(stretch: str) -> list[str]:
    """Words, marks and runs of unspaced characters; a number, or whatever has a digit in it, is "0"."""
    found = (token.replace("'", "") for token in _TOKEN.findall(stretch))
    return ["0" if any(char.isdigit() for char in token) else token for token in found if token]


def words_and_pairs(tokens: Sequence[str]) -> Iterator[str]:
    """Each word alone and with the one before it; of scripts without spaces, groups of characters."""
    before = "^"
    for token in tokens:
        if _UNSPACED.search(token):
            for size in range(1, _LONGEST_GROUP + 1):
                yield from ("u" + token[begin : begin + size] for begin in range(len(token) - size + 1))
            before = "~"
            continue
        yield "w" + token
        yield f"b{before} {token}"
        before = token
    yield f"b{before} $"


def _of_ideas(tokens: Sequence[str]) -> Iterator[str]:
    ideas = [idea for token in tokens for idea in dict.fromkeys(ideas_in(token))]
    yield from ("k" + idea for idea in ideas)
    yield from (f"l{one} {other}" for one, other in pairwise(["^", *ideas, "$"]))
    different = sorted(list(dict.fromkeys(ideas))[:FEW_IDEAS])
    yield from (f"p{one} {other}" for one, other in combinations(different, 2))


def _shares(names: Iterator[str], least: int) -> dict[int, float]:
    """Each bucket with its count over the root of all counts: long texts are louder, but not by their length."""
    counts = Counter(crc32(name.encode("utf-8", "replace")) % BUCKETS for name in names)
    scale = sqrt(max(counts.total(), least))
    return {bucket: count / scale for bucket, count in counts.items()}
