"""How the hidden state of the model that talks is read: a line of weights, whose logit counts beside a small net's.

The model is not asked for an answer, which small models give badly. What it holds after it has read somebody's words
and the beginning of a reply is multiplied by weights that belong to one model file and to `prompt_of`. Danger
(`danger_voice.py`) and what is grave (`care/grave_voice.py`) are each read so.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bot.domain import ChatMessage, Role
from bot.language import weights as weights_file
from bot.language.weights import finite
from bot.ports import HiddenStates, Vector

FORMAT = 2
"""Counted up when the prompt or the arrays change: older files are then refused."""

SYSTEM = (
    "Somebody writes to a friend, in any language. Say what it tells of them: an ordinary day, joy, worry, grief, or "
    "danger to themselves or to others."
)
OPENING = "In one word:"
"""How the reply begins that is never given: what would come next is what the model makes of the words."""


class Weighing(NamedTuple):
    """How a reading counts beside a net."""

    share: float
    """How much the reading's logit counts, beside the net's margin."""
    threshold: float
    """The sum from which it counts."""


@dataclass(frozen=True, slots=True)
class StateReading:
    """A reading of one model's hidden states, and how it counts beside the net."""

    about: Mapping[str, object]
    """What it was made from."""
    digest: str
    """The SHA-256 of the model's file."""
    weights: Vector
    bias: float
    english: Weighing
    elsewhere: Weighing
    """In other languages, of which the net has seen far less."""

    def logit(self, state: Vector) -> float:
        """The logit of what was read for. Raises ValueError for a state of another width."""
        return float(self.weights @ state) + self.bias

    def margin(self, net: float, state: Vector, *, english: bool) -> float:
        """How far the net's margin and the reading are above the threshold together; negative: below it."""
        weighing = self.english if english else self.elsewhere
        return net + weighing.share * self.logit(state) - weighing.threshold

    def is_of(self, model: HiddenStates) -> bool:
        """Whether it was made for this model."""
        return bool(model.model_digest) and model.model_digest == self.digest


def prompt_of(words: str) -> tuple[ChatMessage, ...]:
    """What the model reads."""
    return ChatMessage(Role.SYSTEM, SYSTEM), ChatMessage(Role.USER, words)


def read_reading(source: Traversable, what: str, advice: str) -> StateReading:
    """The reading in a file. `what` and `advice` as in `weights.read`. Raises ModelUnavailable."""
    return weights_file.read(source, what, advice, FORMAT, _unpacked)


def write_reading(reading: StateReading, path: Path) -> None:
    """Writes a weights file: the same bytes for the same weights. Raises OSError."""
    arrays: weights_file.Arrays = {
        "weights": reading.weights,
        "numbers": np.array([reading.bias, *reading.english, *reading.elsewhere], dtype=np.float32),
    }
    weights_file.write(path, {**reading.about, "sha256": reading.digest}, FORMAT, arrays)


def _unpacked(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> StateReading:
    weights, numbers = finite(arrays["weights"]), finite(arrays["numbers"])
    if weights.ndim != 1 or numbers.shape != (5,) or not isinstance(about["sha256"], str) or not about["sha256"]:
        raise ValueError("arrays of the wrong shape")
    bias, *both = map(float, numbers)
    return StateReading(about, about["sha256"], weights, bias, Weighing(*both[:2]), Weighing(*both[2:]))
