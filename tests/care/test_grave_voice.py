"""The voice as a second ear for what is grave: when it is asked, what its opinion changes, and what happens without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from structlog.testing import capture_logs

from bot.app import engines
from bot.care import grave_voice
from bot.care.cues import Kind
from bot.care.grave import graves_in, heavy_in
from bot.care.grave_voice import LATELY, LONGEST, MOST_ASKED, GraveVoice, doubts_in, grave_voice_for
from bot.care.threads import Lines, threads_of
from bot.config import load_settings
from bot.config.care import Care
from bot.conversation.state_reading import StateReading, Weighing
from bot.domain import ChatMessage, Composed, ErasureReason, Selection, Utterance, Why
from bot.errors import ModelFailed, ModelUnavailable, PromptTooLong
from bot.llm.scripted import ScriptedChatModel, ScriptedStates
from bot.ports import Vector
from tests.care.writing import WISHES, composer_of, reader_of
from tests.living import ANN, DM, open_core

WIDTH = 64
MONDAY = datetime(2026, 11, 2, 9, tzinfo=UTC)
QUIET = "I still set out two cups in the morning before I catch myself."
"""In no list, and too quiet for the net."""
LOUD = "they turned off his machines this afternoon"
"""In no list; the net hears it."""
NOT_ASKED = (
    "my husband died on Sunday",
    "why did they turn off his machines?",
    "ok",
    "I still have to do my tax return",
)
"""Heard by a list, a question, too short, a chore."""


def reading(bias: float, digest: str = "abc") -> StateReading:
    """One that gives every state the same logit."""
    both = Weighing(1.0, 0.0), Weighing(1.0, 0.0)
    return StateReading({}, digest, np.zeros(WIDTH, np.float32), bias, *both)


def ear(bias: float, model: ScriptedStates | None = None) -> tuple[GraveVoice, ScriptedStates]:
    model = model or ScriptedStates("I see.", digest="abc", width=WIDTH)
    return GraveVoice(model, reading(bias)), model


def said(*texts: str, apart: timedelta = timedelta(minutes=1)) -> list[Utterance]:
    return [
        Utterance(DM, f"m{number}", ANN, text, MONDAY + number * apart, id=number, session_id=number)
        for number, text in enumerate(texts)
    ]


def kinds_of(lines: Sequence[Utterance], weighed: dict[int, bool]) -> list[Kind]:
    vectors = np.zeros((len(lines), 2), np.float32)
    return [one.kind for one in threads_of(Lines((*lines,), vectors, weighed), MONDAY + timedelta(days=2), UTC)]


def test_the_examples_are_what_they_should_be() -> None:
    assert [bool(heavy_in(text)) for text in (QUIET, LOUD)] == [False, True]
    assert not any(graves_in(text) for text in (QUIET, LOUD, *NOT_ASKED[1:]))


@pytest.mark.parametrize("grave", [True, False])
async def test_its_verdict_goes_before_the_nets(*, grave: bool) -> None:
    lines = said(QUIET, LOUD)
    voice, model = ear(50.0 if grave else -50.0)
    assert await voice.weigh(lines) == 2
    weighed = voice.known(lines)
    assert weighed == {0: grave, 1: grave}
    assert kinds_of(lines, weighed) == [Kind.HEAVY] * (2 if grave else 0)
    assert kinds_of(lines, {}) == [Kind.HEAVY]
    assert model.read == [LOUD, QUIET], "the loudest first"


async def test_it_is_asked_once_about_what_is_left_to_the_net_and_in_its_words_alone() -> None:
    lines = said(*NOT_ASKED, QUIET)
    voice, model = ear(50.0)
    assert voice.known(lines) == {}
    assert await voice.weigh(lines) == 1
    assert voice.known(lines) == {len(NOT_ASKED): True}
    assert await voice.weigh(lines) == 0
    assert model.read == [QUIET]
    edited = [replace(lines[-1], text=LOUD)]
    assert voice.known(edited) == {}
    await voice.weigh(edited)
    assert model.read == [QUIET, LOUD]


async def test_it_is_asked_about_the_loudest_of_the_latest_lines() -> None:
    old, *new = said(LOUD, *[f"{QUIET} {number}" for number in range(MOST_ASKED)], LOUD, apart=timedelta(minutes=1))
    lines = [replace(old, time=MONDAY - LATELY), *new]
    voice, model = ear(50.0)
    assert len(doubts_in(lines)) == MOST_ASKED + 1
    assert await voice.weigh(lines) == MOST_ASKED
    assert len(model.read) == MOST_ASKED
    assert model.read[0] == LOUD
    assert old.id not in voice.known(lines)
    assert await voice.weigh(lines) == 1, "the rest the next time"


@pytest.mark.parametrize("limit", ["SLOW", "MOST_TIME"])
async def test_where_the_machine_is_busy_the_rest_is_asked_the_next_time(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grave_voice, limit, timedelta(0))
    voice, model = ear(50.0)
    lines = said(QUIET, LOUD)
    assert [await voice.weigh(lines), await voice.weigh(lines), await voice.weigh(lines)] == [1, 1, 0]
    assert model.read == [LOUD, QUIET]


async def test_of_a_very_long_line_the_beginning_is_read() -> None:
    voice, model = ear(50.0)
    await voice.weigh(said(f"{LOUD} " * 30))
    assert [len(text) for text in model.read] == [LONGEST]


@pytest.mark.parametrize("problem", [ModelFailed("broken"), ModelUnavailable("gone"), PromptTooLong("long")])
async def test_without_its_opinion_the_net_decides_and_no_word_is_logged(problem: Exception) -> None:
    voice, model = ear(50.0)
    model.states_fail = problem
    lines = said(LOUD, QUIET)
    too_long = isinstance(problem, PromptTooLong)  # and that it stays: nobody is left undecided
    with capture_logs() as logged:
        assert await voice.weigh(lines) == (2 if too_long else 1)
    assert voice.known(lines) == ({0: True, 1: False} if too_long else {})
    assert kinds_of(lines, voice.known(lines)) == [Kind.HEAVY]
    assert not any(word in str(logged) for word in ("machines", "cups"))


async def test_a_check_in_is_made_of_what_it_hears_and_a_look_ahead_asks_nobody(tmp_path: Path) -> None:
    voice, model = ear(50.0)
    async with open_core(tmp_path) as core:
        await core.say(QUIET)
        await core.passes(timedelta(days=2))
        composer = composer_of(core, voice=voice)
        assert await composer.foresee(WISHES, core.clock.now()) is None, "only the model can tell"
        assert await composer_of(core).foresee(WISHES, core.clock.now()) is Why.NOTHING
        assert model.read == []
        composed = await composer.compose(WISHES, DM, core.clock.now())
        assert isinstance(composed, Composed)
        assert "two cups" in composed.text
        assert composed.text.endswith("How have you been since then?")
        assert model.read == [QUIET]
        assert isinstance(await composer.foresee(WISHES, core.clock.now()), Composed)


async def test_what_is_erased_while_it_is_asked_is_in_no_check_in(tmp_path: Path) -> None:
    async with open_core(tmp_path) as core:
        await core.say(QUIET)
        await core.passes(timedelta(days=2))
        [line] = (await reader_of(core).read(DM)).said().said

        class Erasing(ScriptedStates):
            async def hidden_state(self, messages: Sequence[ChatMessage], opening: str, deadline: timedelta) -> Vector:
                state = await super().hidden_state(messages, opening, deadline)
                await core.app.eraser.erase(Selection(utterances=(line.id,)), ErasureReason.ASKED)
                return state

        voice, _ = ear(50.0, Erasing("I see.", digest="abc", width=WIDTH))
        assert await composer_of(core, voice=voice).compose(WISHES, DM, core.clock.now()) is Why.NOTHING


def test_the_app_asks_for_the_states_that_somebody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "read_listener", lambda: reading(0.0, "abc"))
    monkeypatch.setattr(grave_voice, "read_shipped", lambda: reading(0.0, "abd"))
    both = load_settings(None, {})
    assert [one.digest for one in engines.readings_of(both)] == ["abc", "abd"]
    for care in ({"care__enabled": False}, {"care__writer": "rules"}):
        assert engines.readings_of(load_settings(None, {}, safety__enabled=False, **care)) == []


def test_weights_belong_to_one_model_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grave_voice, "read_shipped", lambda: reading(0.0))
    assert grave_voice_for(ScriptedStates("I see.", digest="abc"), Care()) is not None
    for other in (ScriptedStates("I see.", digest="abd"), ScriptedStates("I see.", digest=""), ScriptedChatModel("a")):
        assert grave_voice_for(other, Care()) is None
    monkeypatch.setattr(grave_voice, "read_shipped", lambda: None)
    assert grave_voice_for(ScriptedStates("I see.", digest="abc"), Care()) is None
