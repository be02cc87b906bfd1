"""A small trained part beside the lists: hears that something grave is told in words that no list has. Pure.

Logistic regression over hashed words, pairs of neighbouring words, parts of words, and ideas. It has learnt from real
chat, and from what is written to a companion, what is ordinary there, and is set so that it is wrong about one line of
some three hundred. It needs numpy alone; `lab/tuning/grave.py` makes the weights.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bot.conversation.crisis.folding import folded
from bot.conversation.crisis.ideas import ideas_in
from bot.conversation.danger_net import tokens_of, words_and_pairs
from bot.conversation.hashed import hashed, parts_of
from bot.language import weights as weights_file
from bot.language.weights import finite
from bot.ports import Vector

WEIGHTS = "grave_net.npz"
"""The shipped weights' file, beside this module."""
FORMAT = 1
BUCKETS = 1 << 17
LEAST = {"words": 6, "parts": 20, "ideas": 3}
"""Features of each kind that a line counts as having at least, so that a short one is not loud."""


@dataclass(frozen=True, slots=True)
class GraveNet:
    """All weights. Safe to use from several threads."""

    about: Mapping[str, object]
    """What they were made from."""
    weights: Vector
    """Shape (BUCKETS,)."""
    bias: float
    threshold: float
    """The logit from which an English line is grave."""
    elsewhere: float
    """The same in other languages, of whose ordinary talk less was learnt."""

    def logit(self, text: str) -> float:
        """The logit that something grave is told."""
        buckets, values = features(text)
        return float(self.weights[buckets] @ values) + self.bias

    def hears(self, text: str, *, english: bool) -> bool:
        """Whether it is taken for grave."""
        return self.logit(text) >= (self.threshold if english else self.elsewhere)


def features(text: str) -> tuple[NDArray[np.int64], Vector]:
    """The buckets of a line and how much each counts, both of shape (n,)."""
    tokens = tokens_of(folded(text))
    kinds = {
        "words": list(words_and_pairs(tokens)),
        "parts": [part for token in tokens for part in parts_of(token)],
        "ideas": ["k" + idea for token in tokens for idea in dict.fromkeys(ideas_in(token))],
    }
    return hashed(kinds, LEAST, BUCKETS)


@cache
def grave_net() -> GraveNet:
    """The shipped weights, read once. Raises ModelUnavailable."""
    return read_weights()


def read_weights(path: Path | None = None) -> GraveNet:
    """The net in the file at `path` (None: the shipped one). Raises ModelUnavailable."""
    source = resources.files(__package__).joinpath(WEIGHTS) if path is None else path
    advice = "Make it anew with `python -m lab tune grave`."
    return weights_file.read(source, "the net for grave things", advice, FORMAT, _unpacked)


def _unpacked(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> GraveNet:
    weights, numbers = finite(arrays["weights"]), finite(arrays["numbers"])
    if weights.shape != (BUCKETS,) or numbers.shape != (3,):
        raise ValueError("arrays of the wrong shape")
    return GraveNet(about, weights, *map(float, numbers))
