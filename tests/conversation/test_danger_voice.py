"""The voice as a second ear for danger: when it is asked, what its opinion changes, and what happens without it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from structlog.testing import capture_logs

from bot.app import assembly_care
from bot.conversation import danger_voice
from bot.conversation.danger_voice import (
    MOST_ASKED,
    NEAR,
    VOICE,
    DangerVoice,
    read_weights,
    voice_for,
)
from bot.conversation.safety import NET, danger_in, doubt_in, may_be_danger
from bot.conversation.state_reading import StateReading, Weighing, write_reading
from bot.errors import ModelFailed, ModelUnavailable
from bot.llm.scripted import ScriptedChatModel, ScriptedStates
from tests.living import CHANNEL, DM, OpenCore, open_core

WIDTH = 64
SURE = "I want to kill myself tonight."
PLAIN = "We had pancakes for lunch."
QUIET = "by sunday none of this will matter to me any more"
"""What the second look alone finds."""
HEARD = "I have written the letters and fed the cat for the last time"
"""What the net hears, and no rule."""


def listener(bias: float, digest: str = "abc", width: int = WIDTH) -> StateReading:
    """One that gives every state the same logit."""
    return StateReading({}, digest, np.zeros(width, np.float32), bias, Weighing(1.0, 0.0), Weighing(1.0, 0.0))


def ear(bias: float, model: ScriptedStates | None = None) -> tuple[DangerVoice, ScriptedStates]:
    model = model or ScriptedStates("I see.", digest="abc", width=WIDTH)
    return DangerVoice(model, listener(bias)), model


def test_the_examples_are_what_they_should_be() -> None:
    quiet, heard = doubt_in(QUIET), doubt_in(HEARD)
    assert quiet is not None
    assert quiet.margin < 0
    assert heard is not None
    assert heard.margin >= 0
    assert (danger_in(QUIET), doubt_in(SURE), doubt_in(PLAIN)) == (None, None, None)
    assert may_be_danger(QUIET)


async def test_what_the_second_look_finds_becomes_unsure_where_the_voice_agrees() -> None:
    for bias, reasons in ((20.0, (VOICE,)), (-20.0, None)):
        voice, model = ear(bias)
        for text in (QUIET, HEARD):
            [(sign, danger)] = await voice.listen([text])
            assert danger is (bias > 0)
            assert (sign.reasons if sign else None) == reasons
            assert sign is None or not sign.sure
        assert model.read == [QUIET, HEARD]


async def test_what_comes_near_to_danger_is_no_sign_and_yet_told() -> None:
    doubt = doubt_in(QUIET)
    assert doubt is not None
    for above, expected in ((0.1, (True, True)), (-NEAR / 2, (False, True)), (-2 * NEAR, (False, False))):
        voice, _ = ear(above - doubt.margin)
        [heard] = await voice.listen([QUIET])
        assert (heard.sign is not None, heard.danger) == expected


async def test_it_is_not_asked_where_a_rule_is_sure_or_nothing_is_found() -> None:
    voice, model = ear(-20.0)
    sure, plain = await voice.listen([SURE, PLAIN])
    assert sure.sign is not None
    assert sure.sign.sure
    assert plain.sign is None
    assert (sure.danger, plain.danger) == (None, None)
    assert model.read == []


async def test_of_a_long_message_it_reads_what_the_net_hears_most_in() -> None:
    voice, model = ear(20.0)
    [(sign, _)] = await voice.listen([f"{'We had pancakes for lunch and walked home by the river. ' * 9}{QUIET}"])
    assert sign is not None
    [words] = model.read
    assert len(words) <= 240
    assert words.endswith(QUIET)


async def test_of_a_burst_the_doubtful_messages_alone_are_asked_about() -> None:
    voice, model = ear(20.0)
    said = [PLAIN, QUIET, *[f"{QUIET}, {word}" for word in ("oh", "well", "yes", "again")], HEARD]
    doubts = [text for text in said if doubt_in(text) is not None]
    assert len(doubts) > MOST_ASKED
    signs = [heard.sign for heard in await voice.listen(said)]
    assert len(model.read) == MOST_ASKED
    assert HEARD in model.read
    assert [signs[said.index(text)] is not None for text in model.read] == [True] * MOST_ASKED


@pytest.mark.parametrize("problem", [ModelFailed("broken"), ModelUnavailable("gone"), "late", "wide"])
async def test_without_its_opinion_the_net_decides_and_no_word_is_logged(
    problem: Exception | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = asyncio.Event() if problem == "late" else None
    model = ScriptedStates("I see.", digest="abc", width=WIDTH + 1 if problem == "wide" else WIDTH, hold=hold)
    model.states_fail = problem if isinstance(problem, Exception) else None
    monkeypatch.setattr(danger_voice, "DEADLINE", timedelta(seconds=0.02))
    voice, _ = ear(20.0, model)
    with capture_logs() as logged:
        quiet, heard = await voice.listen([QUIET, HEARD])
    assert quiet == (None, None)
    assert heard.sign is not None
    assert (heard.sign.reasons, heard.danger) == ((NET,), None)
    expected = problem == "late" or isinstance(problem, ModelFailed)  # no news for a person
    assert [one["log_level"] for one in logged] == ["info" if expected else "warning"] * 2
    assert not any(word in str(logged) for word in ("quiet", "letters"))


def test_weights_belong_to_one_model_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(danger_voice, "read_listener", lambda: listener(0.0))
    assert voice_for(ScriptedStates("I see.", digest="abc")) is not None
    for other in (ScriptedStates("I see.", digest="abd"), ScriptedStates("I see.", digest=""), ScriptedChatModel("a")):
        assert voice_for(other) is None
    monkeypatch.setattr(danger_voice, "read_listener", lambda: None)
    assert voice_for(ScriptedStates("I see.", digest="abc")) is None


def test_a_file_is_read_as_it_was_written_and_a_wrong_one_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    both = Weighing(0.25, 2.0), Weighing(3.0, 1.5)
    written = StateReading({"seed": 3}, "abc", np.arange(5, dtype=np.float32), -1.5, *both)
    write_reading(written, path)
    found = read_weights(path)
    assert (found.digest, found.bias, found.english, found.elsewhere) == ("abc", -1.5, *both)
    assert found.weights.tolist() == written.weights.tolist()
    write_reading(StateReading({}, "", np.zeros(5, np.float32), 0.0, *both), path)
    with pytest.raises(ModelUnavailable, match="danger-voice"):
        read_weights(path)
    with pytest.raises(ModelUnavailable, match="missing"):
        read_weights(tmp_path / "none.npz")


@asynccontextmanager
async def core_with_an_ear(
    folder: Path, monkeypatch: pytest.MonkeyPatch, bias: float, **chosen: object
) -> AsyncIterator[tuple[OpenCore, ScriptedStates]]:
    """The whole core with a model that gives hidden states, in which the ear hears danger or none, by its bias."""
    monkeypatch.setattr(danger_voice, "read_listener", lambda: listener(bias))
    model = ScriptedStates("That sounds hard.", digest="abc", width=WIDTH)
    async with open_core(folder, model=model, overrides=chosen) as core:
        yield core, model


@pytest.mark.parametrize("bias", [20.0, -20.0])
async def test_in_a_turn_its_opinion_brings_the_line_on_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bias: float
) -> None:
    async with core_with_an_ear(tmp_path / "data", monkeypatch, bias, safety__country="DE") as (core, model):
        turn = await core.say(QUIET)
        assert turn.reply is not None
        assert ("116 123" in turn.reply) is (bias > 0)
        plain = await core.say(PLAIN)
        assert plain.reply == "That sounds hard."
        assert model.read == [QUIET]


GRIEF = "We buried my uncle Pete today. still doesn't feel real"


@pytest.mark.parametrize("bias", [20.0, -20.0])
async def test_grief_in_which_it_hears_danger_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bias: float
) -> None:
    async with core_with_an_ear(tmp_path / "data", monkeypatch, bias, memory__summariser="extractive") as (core, _):
        await core.say(GRIEF)
        await core.say("We had pancakes.")
        await core.passes(timedelta(hours=3))
        events = await core.app.stores.events.readable_in(DM)
    assert ("uncle Pete" in " ".join(event.summary for event in events)) is (bias < 0)


@pytest.mark.parametrize("bias", [20.0, -20.0])
async def test_what_it_heard_stays_known_through_a_restart_an_update_and_no_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bias: float
) -> None:
    async def remembered(core: OpenCore) -> bool:
        await core.app.settle()
        return "by sunday" in " ".join(event.summary for event in await core.app.stores.events.readable_in(DM))

    async with core_with_an_ear(tmp_path, monkeypatch, bias, memory__summariser="extractive") as (core, _):
        await core.say(QUIET)
        await core.say("We had pancakes.")
        await core.passes(timedelta(hours=3))
        assert await remembered(core) is (bias < 0)
        [said] = [one for one in await core.app.recent(DM, 10) if one.text == QUIET]
        assert said.heard_danger is (bias > 0)
    monkeypatch.setattr(assembly_care, "version_of_look", lambda: "later")
    async with core_with_an_ear(tmp_path, monkeypatch, -bias, memory__summariser="extractive") as (core, _):
        await core.app.safety_review.run()
        assert await remembered(core) is (bias < 0)
        await core.app.edited(DM.platform, said.message_id, f"{QUIET}.")
        [edited] = await core.app.stores.utterances.get([said.id])
        assert edited.heard_danger is None
        assert await remembered(core) is (bias > 0), "the edited words are asked about anew"


@pytest.mark.parametrize("bias", [20.0, -20.0])
async def test_of_what_it_could_not_be_asked_in_time_it_is_asked_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bias: float
) -> None:
    async with core_with_an_ear(tmp_path, monkeypatch, bias, memory__summariser="extractive") as (core, model):

        async def heard() -> list[bool | None]:
            said = [line for place in (DM, CHANNEL) for line in await core.app.recent(place, 10)]
            return [line.heard_danger for line in said if line.text.startswith(QUIET)]

        model.states_fail = ModelFailed("late")
        await core.say(QUIET)
        await core.say(f"{QUIET}.", place=CHANNEL, to_bot=False)
        assert await heard() == [None, None]
        model.states_fail = None
        await core.app.settle()
        assert await heard() == [bias > 0] * 2
