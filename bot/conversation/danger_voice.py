"""The model that talks as a second ear for danger: what it holds of words that the net is in doubt about.

It is not asked for an answer, which small models give badly. Its hidden state, after it has read the words and the
beginning of a reply, is read by a line of weights, and that counts beside the net's logit. It is asked where the second
look finds something and no rule a sign (one line of chat in 15), in the seven languages of the phrases, of which there
was enough to learn from; it makes *unsure* at most, and takes that back as well.
Where there are no weights for the model, or it does not answer in time, the rules and the net decide alone.
`lab/tuning/danger_voice.py` makes the weights, which belong to one model file and to `prompt_of`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import structlog
from numpy.typing import NDArray

from bot.conversation.crisis.wording import Danger
from bot.conversation.phrases import LANGUAGES
from bot.conversation.safety import HEARD, NET, Doubt, Sign, danger_in, doubt_in, language_of
from bot.domain import ChatMessage, Role
from bot.errors import ModelError, ModelFailed, ModelUnavailable
from bot.language import weights as weights_file
from bot.language.languages import is_english
from bot.language.weights import finite
from bot.ports import HiddenStates, Vector

WEIGHTS = "danger_voice.npz"
"""The shipped weights' file, beside this module."""
FORMAT = 2
"""Counted up when the prompt or the arrays change: older files are then refused."""

SYSTEM = (
    "Somebody writes to a friend, in any language. Say what it tells of them: an ordinary day, joy, worry, grief, or "
    "danger to themselves or to others."
)
OPENING = "In one word:"
"""How the reply begins that is never given: what would come next is what the model makes of the words."""
DEADLINE = timedelta(seconds=5)
"""How long somebody waits for a second opinion before their reply is thought of."""
MOST_ASKED = 3
"""Messages of a burst that are asked about: those in which the net hears most."""

NEAR = 0.8
"""How far below its threshold net and voice together still keep a text from being remembered."""

VOICE = "voice"
"""The reason of what the net and the voice have heard together."""

_log = structlog.get_logger(__name__)


class Weighing(NamedTuple):
    """How the reading counts beside the net."""

    share: float
    """How much the reading's logit counts, beside the net's margin."""
    threshold: float
    """The sum from which danger counts."""


@dataclass(frozen=True, slots=True)
class Listener:
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
        """The logit of danger in what was read. Raises ValueError for a state of another width."""
        return float(self.weights @ state) + self.bias

    def margin(self, doubt: Doubt, state: Vector) -> float:
        """How far net and voice together are above the threshold of danger; negative: below it."""
        weighing = self.english if is_english(doubt.words) else self.elsewhere
        return doubt.margin + weighing.share * self.logit(state) - weighing.threshold


class Heard(NamedTuple):
    """What was heard in a text."""

    sign: Sign | None
    danger: bool | None = None
    """Whether net and voice together come near to danger in it.

    None: the voice was not asked, told nothing, or heard none in the part of a long text that it was asked about.
    """


class DangerVoice:
    """Asks the model that talks for a second opinion."""

    def __init__(self, states: HiddenStates, listener: Listener) -> None:
        """`states` must be of the model that `listener` was made for."""
        self._states = states
        self._listener = listener

    async def listen(self, said: Sequence[str], deadline: timedelta | None = None) -> list[Heard]:
        """What is in each text, as `danger_in` has it or, where there is doubt, as net and voice have it together.

        `deadline`: of each opinion; None: as long as somebody waits before their reply.
        """
        heard = [Heard(danger_in(text)) for text in said]
        asked = [(place, text) for place, text in enumerate(said) if language_of(text) in LANGUAGES]
        doubts = [(place, doubt) for place, text in asked if (doubt := doubt_in(text)) is not None]
        for place, doubt in sorted(doubts, key=lambda one: -one[1].margin)[:MOST_ASKED]:
            told = await self._heard_in(doubt, deadline or DEADLINE)
            whole = len(doubt.words) >= len(" ".join(said[place].split()))
            heard[place] = told if whole or told.danger else told._replace(danger=None)
        return heard

    async def _heard_in(self, doubt: Doubt, deadline: timedelta) -> Heard:
        danger = Danger.OTHERS if doubt.others else Danger.SELF
        try:
            state = await self._states.hidden_state(prompt_of(doubt.words), OPENING, deadline)
            margin = self._listener.margin(doubt, state)
            return Heard(Sign(danger, HEARD, (VOICE,)) if margin >= 0 else None, margin >= -NEAR)
        except ModelFailed:  # not in time: the machine is busy
            _log.info("the net alone decides whether words show danger", reason="not in time")
        except (ModelError, ValueError) as error:
            _log.warning("the net alone decides whether words show danger", reason=type(error).__name__)
        return Heard(Sign(danger, HEARD, (NET,)) if doubt.margin >= 0 else None)


def prompt_of(words: str) -> tuple[ChatMessage, ...]:
    """What the model reads."""
    return ChatMessage(Role.SYSTEM, SYSTEM), ChatMessage(Role.USER, words)


@cache
def read_listener() -> Listener | None:
    """The shipped weights, read once. None where none are shipped, or, with an error in the log, they are damaged."""
    if not resources.files(__package__).joinpath(WEIGHTS).is_file():
        return None
    try:
        return read_weights()
    except ModelUnavailable as error:
        _log.error("danger is recognised without the voice", error=str(error))
        return None


def voice_for(model: object) -> DangerVoice | None:
    """The second ear, where `model` gives hidden states and there are weights for it."""
    if not isinstance(model, HiddenStates) or not model.model_digest:
        return None
    listener = read_listener()
    return DangerVoice(model, listener) if listener is not None and listener.digest == model.model_digest else None


def read_weights(path: Path | None = None) -> Listener:
    """The weights in the file at `path` (None: the shipped ones). Raises ModelUnavailable."""
    source = resources.files(__package__).joinpath(WEIGHTS) if path is None else path
    advice = "Make them anew with `python -m lab tune danger-voice`."
    return weights_file.read(source, "the voice's second opinion on danger", advice, FORMAT, _unpacked)


def write_weights(listener: Listener, path: Path) -> None:
    """Writes a weights file: the same bytes for the same weights. Raises OSError."""
    arrays: weights_file.Arrays = {
        "weights": listener.weights,
        "numbers": np.array([listener.bias, *listener.english, *listener.elsewhere], dtype=np.float32),
    }
    weights_file.write(path, {**listener.about, "sha256": listener.digest}, FORMAT, arrays)


def _unpacked(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> Listener:
    weights, numbers = finite(arrays["weights"]), finite(arrays["numbers"])
    if weights.ndim != 1 or numbers.shape != (5,) or not isinstance(about["sha256"], str) or not about["sha256"]:
        raise ValueError("arrays of the wrong shape")
    bias, *both = map(float, numbers)
    return Listener(about, about["sha256"], weights, bias, Weighing(*both[:2]), Weighing(*both[2:]))
