"""Hears that somebody asks what is kept of their words, for how long, and who sees it. English. Pure.

People ask that in the first ten minutes in ever other words ("does my sister get a message when i write about her");
patterns heard one in twenty of a stranger's. Logistic regression over hashed words, pairs of neighbouring words and
parts of words; `lab/tuning/privacy.py` makes the weights.
"""

from functools import cache
from importlib import resources
from pathlib import Path

import structlog

from bot.conversation.checking.wordings import fold
from bot.conversation.crisis.folding import folded
from bot.conversation.danger_net import tokens_of, words_and_pairs
from bot.conversation.hashed import Features, HashedNet, hashed, parts_of, unpacked_as
from bot.errors import ModelUnavailable
from bot.language import weights as weights_file
from bot.language.patterns import Patterns

WEIGHTS = "privacy_net.npz"
"""The shipped weights' file, beside this module."""
FORMAT = 1
BUCKETS = 1 << 15
LEAST = {"words": 8, "parts": 20}
LONGEST = 24
"""Words of a line that the net is asked about."""
UNLIKELY = -1.5
"""The logit below which what patterns take for such a question is none: "does anyone see that I'm dying inside"."""

_log = structlog.get_logger(__name__)
_READ = Patterns.beside(__file__)
_NEVER, _OF_FEELING, _KEPT = _READ.exact("never"), _READ.exact("of_feeling"), _READ.exact("kept")
_OF_OTHERS, _HERE = _READ.exact("of_others"), _READ.exact("here")


class PrivacyNet(HashedNet):
    """Hears such questions: from `threshold` on where a line asks anything, else from `firmer` on.

    Some have neither a question mark nor a word that asks: "so it gets saved then".
    """

    __slots__ = ()

    def hears(self, text: str, *, asks: bool) -> bool:
        """Whether a line, in English, is taken for such a question; about 0.1 ms. `asks`: whether it asks anything."""
        return is_short(text) and self.logit(text) >= (self.threshold if asks else self.firmer) and not asks_else(text)

    def logit(self, text: str) -> float:
        """The logit that it is one."""
        return self.logit_of(features(text))


def asks_else(text: str) -> bool:
    """Whether it asks something else with the same words: "will you still talk to me if I tell you"."""
    said = fold(text)
    feeling = _OF_FEELING.search(said) and not _KEPT.search(said)
    return bool(_NEVER.search(said) or feeling or (_OF_OTHERS.search(said) and not _HERE.search(said)))


def is_short(text: str) -> bool:
    """Whether the net may be asked about a line: in a longer one everything sounds like it a little."""
    return len(text.split()) <= LONGEST


def features(text: str) -> Features:
    """The features of a line."""
    tokens = tokens_of(folded(text))
    parts = [part for token in tokens for part in parts_of(token)]
    return hashed({"words": list(words_and_pairs(tokens)), "parts": parts}, LEAST, BUCKETS)


def asks_of_privacy(text: str, *, asks: bool) -> bool:
    """Whether the shipped net takes a line, in English, for such a question; False where there is none."""
    net = privacy_net()
    return net is not None and net.hears(text, asks=asks)


def may_ask_of_privacy(text: str) -> bool:
    """Whether a line with the words of such a question, in English, is one: the net must not find that unlikely."""
    net = privacy_net()
    return net is None or (net.logit(text) >= UNLIKELY and not asks_else(text))


@cache
def privacy_net() -> PrivacyNet | None:
    """The shipped weights, read once. None, and an error in the log, when their file is missing or damaged."""
    try:
        return read_weights()
    except ModelUnavailable as error:
        _log.error("questions of privacy are heard by patterns alone", error=str(error))
        return None


def read_weights(path: Path | None = None) -> PrivacyNet:
    """The net in the file at `path` (None: the shipped one). Raises ModelUnavailable."""
    source = resources.files(__package__).joinpath(WEIGHTS) if path is None else path
    advice = "Make it anew with `python -m lab tune privacy`."
    return weights_file.read(
        source, "the net for questions of privacy", advice, FORMAT, unpacked_as(PrivacyNet, BUCKETS)
    )
