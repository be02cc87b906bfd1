"""Recorded conversations that are told to the whole core, which is then asked: what `msc` and `teafarm` share.

Nothing takes a way of its own: what was said goes in as messages, the background work makes of it what it always makes,
and the question is a message that gets its reply through recall, prompt and model. Each question is put to a copy of
the data folder, so that no reply, and no gold line that follows, is in the memory of another question.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from time import perf_counter

from bot.app.app import App, open_app
from bot.app.assembly import Engines
from bot.app.engines import encoder_of, models_of
from bot.clock import ManualClock
from bot.config import Settings
from bot.conversation.turn import Turn
from bot.errors import BadInput
from bot.memory.topics import load_topics
from bot.persona.gate import TrainedTraitGate
from bot.ports import quietly
from lab.replay.input import PLATFORM, ReplayLine
from lab.silent import SilentMessenger

WITH, WITHOUT = "with memory", "without memory"
"""The two ways in which everything is asked: without, the core knows the present session and nothing else."""
ARMS = (WITHOUT, WITH)


@dataclass(frozen=True, slots=True)
class Replied:
    """What came back. `shown`: memories of any kind that the model was shown."""

    text: str
    shown: int
    prompt_tokens: int
    seconds: float


@asynccontextmanager
async def load_engines(settings: Settings, seed: int | None = None) -> AsyncIterator[Engines]:
    """Everything that was trained, once for all cores; a model that runs here samples by `seed`.

    Raises ModelUnavailable.
    """
    async with AsyncExitStack() as stack:
        encoder = await encoder_of(stack, settings.encoder)
        model, beside = await models_of(stack, settings, quietly, seed=seed)
        topics = await asyncio.to_thread(load_topics)
        yield Engines(model, encoder, topics, TrainedTraitGate.load(fingerprint=encoder.fingerprint), beside)


@asynccontextmanager
async def load_encoder(settings: Settings) -> AsyncIterator[Engines]:
    """The same without a language model: rules write. Raises ModelUnavailable."""
    async with AsyncExitStack() as stack:
        encoder = await encoder_of(stack, settings.encoder)
        topics = await asyncio.to_thread(load_topics)
        yield Engines(None, encoder, topics, TrainedTraitGate.load(fingerprint=encoder.fingerprint))


@asynccontextmanager
async def open_core(
    settings: Settings, engines: Engines, folder: Path, clock: ManualClock, turns: list[Turn]
) -> AsyncIterator[App]:
    """The whole core in a folder of its own, on a clock that is moved; each turn is appended to `turns`."""
    async with open_over(settings.in_folder(folder), engines, clock, turns.append) as app:
        yield app


@asynccontextmanager
async def open_over(
    settings: Settings, engines: Engines, clock: ManualClock, on_turn: Callable[[Turn], None] = lambda _: None
) -> AsyncIterator[App]:
    """The whole core over engines that are loaded already, in the folder that the settings name; it tells nobody."""
    async with open_app(
        settings,
        clock=clock,
        messengers={PLATFORM: SilentMessenger()},
        with_model=engines.model is not None,
        model=engines.model,
        beside=engines.beside,
        encoder=engines.encoder,
        topics=engines.topics,
        gate=engines.gate,
        on_turn=on_turn,
    ) as app:
        await app.prepare()
        yield app


class Rehearsal:
    """Opens cores over the same engines, tells them lines, and asks them."""

    def __init__(self, settings: Settings, engines: Engines) -> None:
        """Any settings; every core gets a folder of its own, and remembers all that is said.

        Replies are the likeliest ones: sampled, they would differ where nothing but chance does, and memory would seem
        to help or to harm where the model was shown none.
        """
        greedy = settings.model.model_copy(update={"temperature": 0.0})
        self._settings = settings.at_home().model_copy(update={"model": greedy})
        self._engines = engines

    @asynccontextmanager
    async def told(self, folder: Path, lines: Sequence[ReplayLine]) -> AsyncIterator[App]:
        """A core in `folder` that was told these lines, at least one: sessions over, background work done."""
        clock = ManualClock(lines[0].time)
        async with open_core(self._settings, self._engines, folder, clock, []) as app:
            for line in lines:
                if line.time - clock.now() > self._settings.beta:  # else nothing has ended yet
                    clock.move_to(line.time)
                    await app.settle()
                await _say(app, clock, line)
            clock.advance(self._settings.beta + timedelta(seconds=1))
            await app.settle()
            yield app

    async def ask(
        self, before: Path | None, folder: Path, lines: Sequence[ReplayLine], question: ReplayLine
    ) -> Replied:
        """The reply to `question`, said after `lines` of the same session; `folder` does not exist yet.

        `before` is the folder of a core that was told what went before and is closed; None: the core has no memory, of
        earlier sessions or of the present one. Raises BadInput when no reply comes at all.
        """
        if before is not None:
            await asyncio.to_thread(shutil.copytree, before, folder)
        turns: list[Turn] = []
        clock = ManualClock((*lines, question)[0].time)
        async with open_core(self._settings, self._engines, folder, clock, turns) as app:
            for line in lines:
                await _say(app, clock, line)
            if before is not None:
                await app.settle()
            turns.clear()
            start = perf_counter()
            await _say(app, clock, replace(question, to_bot=True))
        await asyncio.to_thread(shutil.rmtree, folder)
        return _replied(turns, question, perf_counter() - start)


async def _say(app: App, clock: ManualClock, line: ReplayLine) -> None:
    """Has a line said at its time, or now when that is over, and waits until it is dealt with."""
    clock.move_to(max(line.time, clock.now()))
    await app.receive(line.utterance)
    await app.idle()


def _replied(turns: Sequence[Turn], question: ReplayLine, seconds: float) -> Replied:
    """Of all turns the one that dealt with the question."""
    for turn in turns:
        if any(one.message_id == question.message_id for one in turn.utterances):
            shown = turn.shown
            number = len(shown.events) + len(shown.traits) + len(shown.timelines) + len(shown.fragments)
            return Replied(turn.reply or "", number, turn.prompt_tokens, seconds)
    raise BadInput(f"The core could not deal with {question.message_id}. The log above says why.")
