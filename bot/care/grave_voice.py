"""The model that talks as a second ear for what is grave: what it holds of a line of which the net is in doubt.

Its hidden state is read (`conversation/state_reading.py`), and that counts beside the net's logit, in the seven
languages of the lists. A state takes a second or two on a CPU, so it is asked while a check-in is made, about the
loudest of the latest lines, once for each while the program runs. Where there are no weights for the model, or it does
not answer, the net decides alone. `lab/tuning/grave_voice.py` makes the weights.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Sequence
from datetime import timedelta
from functools import cache
from importlib import resources
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import structlog

from bot.care.grave import graves_in, left_to_net, lines_before
from bot.care.grave_net import grave_net
from bot.config.care import Care
from bot.conversation.phrases import ENGLISH
from bot.conversation.state_reading import OPENING, StateReading, prompt_of, read_reading
from bot.domain import Utterance
from bot.errors import ModelError, ModelUnavailable, PromptTooLong
from bot.ports import HiddenStates

WEIGHTS = "grave_voice.npz"
"""The shipped weights' file, beside this module."""
LOUD = -6.8
"""How far below its threshold the net must be for the model not to be asked: three lines in ten are above it."""
LATELY = timedelta(days=30)
"""Lines so long before the latest one are asked about."""
MOST_ASKED = 30
"""Lines that are asked about at a time: those in which the net hears most."""
MOST_TIME = timedelta(seconds=40)
"""For how long it is asked at a time; the rest is asked the next time."""
SLOW = timedelta(seconds=3)
"""Where one line takes longer, the machine is busy, and nothing more is asked this time: replies go first."""
DEADLINE = timedelta(seconds=20)
"""How long one opinion may take."""
LONGEST = 600
"""Characters of a line that are read."""
MOST_KEPT = 50_000
"""Lines of which it is kept what the model takes them for."""

_log = structlog.get_logger(__name__)


class Doubt(NamedTuple):
    """A line that the model may be asked about."""

    line: Utterance
    margin: float
    """The net's logit above the one from which it is taken for grave."""
    english: bool


class GraveVoice:
    """Asks the model that talks. Keeps ids and hashes, no words. For one event loop."""

    def __init__(self, states: HiddenStates, reading: StateReading) -> None:
        """`states` must be of the model that `reading` was made for."""
        self._states = states
        self._reading = reading
        self._kept: OrderedDict[int, tuple[int, bool]] = OrderedDict()
        """Utterance → the hash of its words, and the verdict; what was asked last is last."""

    def known(self, said: Sequence[Utterance]) -> dict[int, bool]:
        """Whether lines are grave, by id, as far as that was asked before."""
        return {line.id: verdict for line in said if (verdict := self._known(line)) is not None}

    def unasked(self, said: Sequence[Utterance]) -> list[Doubt]:
        """Those of a person's lines, all of them in their order, that are in doubt and were not asked about yet."""
        return doubts_in(said, self.known(said))

    async def weigh(self, said: Sequence[Utterance]) -> int:
        """Asks about a person's lines, all of them in their order, of those in doubt; about how many. Takes seconds."""
        unasked, asked = await asyncio.to_thread(self.unasked, said), 0
        began = now = monotonic()
        for doubt in sorted(unasked, key=lambda one: -one.margin)[:MOST_ASKED]:
            if now - began > MOST_TIME.total_seconds():
                break
            asked += 1
            try:
                state = await self._states.hidden_state(prompt_of(doubt.line.text[:LONGEST]), OPENING, DEADLINE)
                verdict = self._reading.margin(doubt.margin, state, english=doubt.english) >= 0
            except PromptTooLong:
                verdict = doubt.margin >= 0
            except (ModelError, ValueError) as error:
                _log.info("the net alone decides what is grave", reason=type(error).__name__)
                break
            self._keep(doubt.line, verdict)
            before, now = now, monotonic()
            if now - before > SLOW.total_seconds():
                break
        return asked

    def _known(self, line: Utterance) -> bool | None:
        kept = self._kept.get(line.id)
        return kept[1] if kept is not None and kept[0] == hash(line.text) else None

    def _keep(self, line: Utterance, verdict: bool) -> None:
        self._kept[line.id] = hash(line.text), verdict
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)


def doubts_in(said: Sequence[Utterance], known: Collection[int] = ()) -> list[Doubt]:
    """The latest of a person's lines but the `known` in which no list hears anything and the net is in doubt."""
    latest = max((line.time for line in said), default=None)
    texts = [line.text for line in said]
    found: list[Doubt] = []
    for at, line in enumerate(said):
        if latest is None or line.time < latest - LATELY or line.id in known:
            continue
        before = lines_before(texts, at)
        left = None if graves_in(line.text, before) else left_to_net(line.text, before)
        if left is not None:
            english, net = left.language == ENGLISH, grave_net()
            margin = net.logit(line.text) - (net.threshold if english else net.firmer)
            if margin >= LOUD:
                found.append(Doubt(line, margin, english))
    return found


@cache
def read_shipped() -> StateReading | None:
    """The shipped weights, read once. None where, with an error in the log, they are damaged."""
    try:
        return read_weights()
    except ModelUnavailable as error:
        _log.error("what is grave is recognised without the voice", error=str(error))
        return None


def reading_for(care: Care) -> StateReading | None:
    """What the model is read by with these settings; None: it is not asked."""
    return read_shipped() if care.enabled and care.writer != "rules" else None


def grave_voice_for(model: object, care: Care) -> GraveVoice | None:
    """The second ear, where it is wanted, `model` gives hidden states and there are weights for it."""
    reading = reading_for(care)
    if reading is None or not isinstance(model, HiddenStates) or not reading.is_of(model):
        return None
    return GraveVoice(model, reading)


def read_weights(path: Path | None = None) -> StateReading:
    """The weights in the file at `path` (None: the shipped ones). Raises ModelUnavailable."""
    source = resources.files(__package__).joinpath(WEIGHTS) if path is None else path
    advice = "Make them anew with `python -m lab tune grave-voice`."
    return read_reading(source, "the voice's second opinion on what is grave", advice)
