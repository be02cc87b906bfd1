"""SIGTERM while a reply is thought of: it is finished, or left to the next start; nothing is lost, nothing doubled."""

from __future__ import annotations

import asyncio
import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot.app.app import open_app
from bot.commands import run
from bot.config import load_settings
from bot.conversation.queue import Conversations
from bot.domain import Utterance
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.ports import Clock, Core
from tests.living import ANN, DM, START, UNASKED, FirstPersonGate, Screen, WordTopics, open_core

WORDS: dict[str, object] = {"memory__summariser": "extractive", "persona__extractor": "extractive", **UNASKED}


class Thinker:
    """An adapter that is asked to stop while the model thinks; what is said then is taken in."""

    model: ScriptedChatModel
    screen: Screen
    finishes: bool

    def __init__(self, *, settings: object, clock: Clock) -> None:
        self.platform = "test"
        self.messenger = self.screen
        self._now = clock.now

    async def run(self, core: Core) -> None:
        assert await core.receive(Utterance(DM, "m1", ANN, "Are you there?", self._now()))
        while not self.model.running:  # noqa: ASYNC110  the scripted model tells by a number
            await asyncio.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.05)
        assert await core.receive(Utterance(DM, "m2", ANN, "And now?", self._now()))
        if self.finishes and self.model.hold is not None:
            self.model.hold.set()
        await asyncio.sleep(60)


@pytest.mark.parametrize("finishes", [True, False])
async def test_a_reply_that_is_thought_of_is_finished_or_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, finishes: bool
) -> None:
    Thinker.model, Thinker.screen, Thinker.finishes = (
        ScriptedChatModel("Yes.", hold=asyncio.Event()),
        Screen(),
        finishes,
    )
    parts: dict[str, Any] = {
        "model": Thinker.model,
        "encoder": ScriptedEncoder(),
        "topics": WordTopics(),
        "gate": FirstPersonGate(),
    }
    monkeypatch.setattr(run, "open_app", partial(open_app, **parts))
    defaults = Conversations.__init__.__kwdefaults__
    assert defaults is not None
    monkeypatch.setitem(defaults, "grace_s", 30.0 if finishes else 0.2)
    chosen = {"storage__data_dir": str(tmp_path), "adapters": {"test": f"{__name__}:Thinker"}, **WORDS}
    assert await run.run(load_settings(None, {}, **chosen), tmp_path / "config.yaml") == 0
    assert [sent.in_reply_to for sent in Thinker.screen.sent] == (["m1"] if finishes else [])
    async with open_core(tmp_path, model=ScriptedChatModel("Here."), screen=Thinker.screen, start=START) as core:
        await core.app.idle()
        assert await core.app.stores.inbox.pending() == []
        assert not await core.app.receive(Utterance(DM, "m2", ANN, "And now?", START))
    assert [sent.in_reply_to for sent in Thinker.screen.sent] == (["m1", "m2"] if finishes else ["m2"])
