"""A small trained part beside the lists: hears that something grave is told in words that no list has. Pure.

Logistic regression over hashed words, pairs of neighbouring words, parts of words, and ideas. It has learnt from real
chat, and from what is written to a companion, what is ordinary there, and is set so that it is wrong about one line of
some three hundred. It needs numpy alone; `lab/tuning/grave.py` makes the weights.
"""

from functools import cache
from importlib import resources
from pathlib import Path

from bot.conversation.crisis.folding import folded
from bot.conversation.crisis.ideas import ideas_in
from bot.conversation.danger_net import tokens_of, words_and_pairs
from bot.conversation.hashed import Features, HashedNet, hashed, parts_of, unpacked_as
from bot.language import weights as weights_file

WEIGHTS = "grave_net.npz"
"""The shipped weights' file, beside this module."""
FORMAT = 1
BUCKETS = 1 << 17
LEAST = {"words": 6, "parts": 20, "ideas": 3}
"""Features of each kind that a line counts as having at least, so that a short one is not loud."""


class GraveNet(HashedNet):
    """Hears what is grave: from `threshold` on in English, from `firmer` on in other languages.

    Of their ordinary talk less was learnt.
    """

    __slots__ = ()

    def logit(self, text: str) -> float:
        """The logit that something grave is told."""
        return self.logit_of(features(text))

    def hears(self, text: str, *, english: bool) -> bool:
        """Whether it is taken for grave."""
        return self.logit(text) >= (self.threshold if english else self.firmer)


def features(text: str) -> Features:
    """The features of a line."""
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
    return weights_file.read(source, "the net for grave things", advice, FORMAT, unpacked_as(GraveNet, BUCKETS))
