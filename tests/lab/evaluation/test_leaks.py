"""The evaluation of leaks: it finds none, it does find secrets where they may come up, and it would see a leak."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import true

from bot.app.app import open_app
from bot.config import load_settings
from bot.llm.scripted import ScriptedEncoder
from bot.storage.memory import events, traits
from lab.datasets.locomo import Conversation, Session, Turn
from lab.evaluation import leaks
from lab.evaluation.leak_world import WORD, World, build
from tests.living import FirstPersonGate, WordTopics

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def conversation(first: str, second: str, sessions: int, hour: int) -> Conversation:
    """Two people who talk about nothing in particular."""
    said = tuple(Turn(f"D1:{at}", (first, second)[at % 2], f"I saw bird number {at} today.") for at in range(4))
    days = (Session(day, START + timedelta(days=day, hours=hour), said) for day in range(sessions))
    return Conversation(f"{first}-{second}", (first, second), tuple(days))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    quick = partial(open_app, encoder=ScriptedEncoder(), topics=WordTopics(), gate=FirstPersonGate())
    monkeypatch.setattr(leaks, "open_app", quick)
    monkeypatch.setattr(leaks, "SPOKEN", 0.6)
    return build([conversation("Ann", "Bob", 8, 0), conversation("Cleo", "Dan", 8, 5)], seed=3)


async def asked(world: World, folder: Path, probes: int = 60) -> leaks.Tally:
    return await leaks.probe(load_settings(None, {}, memory__gamma=0.0), world, probes, seed=1, folder=folder)


def test_the_world_has_secrets_in_dms_and_channels(world: World) -> None:
    kinds = {secret.place.kind for secret in world.secrets.values()}
    assert len(kinds) == 2
    assert all(WORD.fullmatch(word) for word in world.secrets)
    said = " ".join(line.text for session in world.sessions for line in session)
    assert set(WORD.findall(said)) == set(world.secrets)


async def test_nothing_leaks_and_everything_is_looked_at(world: World, tmp_path: Path) -> None:
    tally = await asked(world, tmp_path)
    assert not tally.leaked, tally.examples
    assert all(tally.looked[route] for route in ("prompt", "reply", "check-in", "command", "completion"))
    assert tally.recalled_at_home > tally.asked_at_home / 3


async def test_a_rule_that_lets_everything_through_is_seen(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(events, "readable_events", lambda *_: true())
    monkeypatch.setattr(traits, "readable_traits", lambda *_: true())
    for kept in (events, traits):  # statements that were put together with the true rule
        vars(kept)["_listed"].cache_clear()
        request.addfinalizer(vars(kept)["_listed"].cache_clear)
    tally = await asked(world, tmp_path, probes=40)
    assert tally.leaked["prompt"]
    assert tally.leaked["reply"]
