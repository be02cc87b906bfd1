"""`bot run` on leaving: background work gets a moment, and what waits is said. The adapter is scripted."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from bot.app.app import open_app
from bot.clock import SystemClock
from bot.commands import leaving, run
from bot.config import Settings, load_settings
from bot.conversation.background import BackgroundWork
from bot.domain import Utterance
from bot.errors import AdapterStopped
from bot.llm.scripted import ScriptedEncoder
from bot.ports import Clock, Core
from bot.texts import commands as texts
from bot.texts import platforms
from tests.living import ANN, DM, START, UNASKED, FirstPersonGate, Screen, WordTopics, open_core

DISCORD_TOO = """adapters:
  discord: adapters.discord.adapter:DiscordAdapter
  telegram: adapters.telegram.adapter:TelegramAdapter
"""
SAID = "I have a parrot called Kiko."


class Talker:
    """An adapter on which Ann says one thing, after which the process is asked to stop."""

    def __init__(self, *, settings: Settings, clock: Clock) -> None:
        self.platform = "test"
        self.messenger = Screen()
        self._now = clock.now

    async def run(self, core: Core) -> None:
        """Hears Ann once."""
        assert await core.receive(Utterance(DM, "m1", ANN, SAID, self._now(), to_bot=True))
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(60)


async def never(_work: BackgroundWork) -> None:
    """Leaves all work to the time after serving."""
    await asyncio.sleep(60)


@pytest.mark.parametrize(("seconds", "left"), [(60.0, False), (0.0, True)])
async def test_leaving_finishes_the_work_or_says_how_much_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, seconds: float, left: bool
) -> None:
    scripted = partial(
        open_app, with_model=False, encoder=ScriptedEncoder(), topics=WordTopics(), gate=FirstPersonGate()
    )
    monkeypatch.setattr(run, "open_app", scripted)
    monkeypatch.setattr(leaving, "LEAVING_S", seconds)
    monkeypatch.setattr(BackgroundWork, "run", never)
    adapters = {"test": f"{__name__}:Talker"}
    settings = load_settings(None, {}, **{"storage__data_dir": str(tmp_path), "adapters": adapters, **UNASKED})
    assert await run.run(settings, tmp_path / "config.yaml") == 0
    told = capsys.readouterr().err
    assert (texts.left_waiting(1) in told) is left
    assert "Kiko" not in told
    async with open_core(tmp_path, start=START) as core:
        await core.app.settle()
        assert [trait.text for trait in await core.app.stores.traits.current(ANN.id, DM)] == [SAID]


@pytest.mark.parametrize(
    ("tokens", "settings", "told"),
    [
        ({"TELEGRAM_TOKEN": "1:x"}, "", []),
        ({"DISCORD_TOKEN": "x"}, "", []),
        ({"TELEGRAM_TOKEN": "1:x"}, DISCORD_TOO, [platforms.DISCORD_NOT_SET_UP]),
        ({}, "", [platforms.DISCORD_NOT_SET_UP, platforms.TELEGRAM_NOT_SET_UP]),
    ],
    ids=["Telegram only", "Discord only", "the settings name both", "none"],
)
def test_of_a_platform_that_nobody_asked_for_nothing_is_said(
    tmp_path: Path, tokens: dict[str, str], settings: str, told: list[str]
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(settings, "utf-8")
    said = list[str]()
    loaded = load_settings(file, tokens, storage__data_dir=str(tmp_path))
    with nullcontext() if tokens else pytest.raises(AdapterStopped, match="hello-again chat"):
        assert [adapter.platform for adapter in run.build_adapters(loaded, SystemClock(), said.append)] == [
            name.removesuffix("_TOKEN").lower() for name in tokens
        ]
    assert said == told
