"""The model that talks as a second ear for danger: what it holds of words that the net is in doubt about.

Its hidden state is read (`state_reading.py`), and that counts beside the net's logit. It is asked where the second look
finds something and no rule a sign (one line of chat in 15), in the seven languages of the phrases, of which there was
enough to learn from; it makes *unsure* at most, and takes that back as well.
Where there are no weights for the model, or it does not answer in time, the rules and the net decide alone.
`lab/tuning/danger_voice.py` makes the weights, which belong to one model file and to `prompt_of`.
"""

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import structlog

from bot.conversation.crisis.wording import Danger
from bot.conversation.phrases import LANGUAGES
from bot.conversation.safety import HEARD, NET, Doubt, Sign, danger_in, doubt_in, language_of
from bot.conversation.state_reading import OPENING, StateReading, prompt_of, read_reading
from bot.errors import ModelError, ModelFailed, ModelUnavailable
from bot.language.languages import is_english
from bot.ports import HiddenStates

WEIGHTS = "danger_voice.npz"
"""The shipped weights' file, beside this module."""

DEADLINE = timedelta(seconds=5)
"""How long somebody waits for a second opinion before their reply is thought of."""
MOST_ASKED = 3
"""Messages of a burst that are asked about: those in which the net hears most."""

NEAR = 8.0
"""How far below its threshold net and voice together still keep a text from being remembered."""

VOICE = "voice"
"""The reason of what the net and the voice have heard together."""

_log = structlog.get_logger(__name__)


class Heard(NamedTuple):
    """What was heard in a text."""

    sign: Sign | None
    danger: bool | None = None
    """Whether net and voice together come near to danger in it.

    None: the voice was not asked, told nothing, or heard none in the part of a long text that it was asked about.
    """


class DangerVoice:
    """Asks the model that talks for a second opinion."""

    def __init__(self, states: HiddenStates, listener: StateReading) -> None:
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
            margin = self._listener.margin(doubt.margin, state, english=is_english(doubt.words))
            return Heard(Sign(danger, HEARD, (VOICE,)) if margin >= 0 else None, margin >= -NEAR)
        except ModelFailed:  # not in time: the machine is busy
            _log.info("the net alone decides whether words show danger", reason="not in time")
        except (ModelError, ValueError) as error:
            _log.warning("the net alone decides whether words show danger", reason=type(error).__name__)
        return Heard(Sign(danger, HEARD, (NET,)) if doubt.margin >= 0 else None)


@cache
def read_listener() -> StateReading | None:
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
    listener = read_listener()
    if listener is None or not isinstance(model, HiddenStates) or not listener.is_of(model):
        return None
    return DangerVoice(model, listener)


def read_weights(path: Path | None = None) -> StateReading:
    """The weights in the file at `path` (None: the shipped ones). Raises ModelUnavailable."""
    source = resources.files(__package__).joinpath(WEIGHTS) if path is None else path
    advice = "Make them anew with `python -m lab tune danger-voice`."
    return read_reading(source, "the voice's second opinion on danger", advice)
