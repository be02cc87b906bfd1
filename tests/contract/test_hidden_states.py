"""What every `HiddenStates` promises (bot/ports)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import pytest

from bot.app.metrics import Metrics, _WithStates
from bot.config import Model
from bot.domain import ChatMessage, Role
from bot.errors import ModelFailed, ModelUnavailable, PromptTooLong
from bot.llm.gguf_files import bundled_gguf
from bot.llm.llama_cpp import load_llama_cpp_model
from bot.llm.scripted import ScriptedStates
from bot.ports import ChatModel, HiddenStates, Vector
from tests.llm.talking import asking, heard

SOON = timedelta(seconds=50)
OPENING = "In one word:"
ANSWER = "Once there was a lighthouse on a cliff , and every night it counted the ships that passed by far below ."
STORY = "Tell me a long story about a lighthouse, and of the two old friends who kept it for all their lives."


class ReadingModel(ChatModel, HiddenStates, Protocol):
    """Both ports in one."""


@pytest.fixture(params=["scripted", "measured", pytest.param("llama.cpp", marks=pytest.mark.model)])
async def model(request: pytest.FixtureRequest, model_cache: Path) -> AsyncIterator[ReadingModel]:
    """One implementation after the other."""
    if request.param == "scripted":
        yield ScriptedStates(ANSWER, digest="abc")
        return
    if request.param == "measured":
        yield cast("ReadingModel", Metrics().measured(ScriptedStates(ANSWER, digest="abc")))
        return
    settings = Model(id="bundled", device="cpu", cache_dir=model_cache, kv_cache_tokens=2048, max_concurrent=1)
    loaded = await load_llama_cpp_model(settings, bundled_gguf(), "small", seed=1, digest="abc")
    yield cast("Any", loaded)
    await loaded.aclose()


async def state(model: ReadingModel, words: str, deadline: timedelta = SOON) -> Vector:
    told = ChatMessage(Role.SYSTEM, "Somebody writes to a friend.")
    return await model.hidden_state((told, ChatMessage(Role.USER, words)), OPENING, deadline)


async def test_a_text_has_one_state_and_another_text_another(model: ReadingModel) -> None:
    rain, sun, again = [await state(model, words) for words in ("It rains.", "I love this sun!", "It rains.")]
    assert model.model_digest == "abc"
    assert rain.shape == sun.shape == (len(rain),)
    assert rain.dtype == np.float32
    assert np.isfinite(rain).all()
    assert np.abs(rain - again).max() < 0.02 * np.abs(rain).max()
    assert np.abs(rain - sun).max() > 0.1 * np.abs(rain).max()


async def test_what_it_keeps_of_conversations_stays_as_it_was(model: ReadingModel) -> None:
    asked = asking(STORY, max_tokens=6)
    text, before = await heard(model.stream(asked))
    for words in ("It rains.", "I love this sun!", "Tell me a long story.", "I had a dog once.", STORY):
        await state(model, words)
    again, after = await heard(model.stream(asked))
    assert again == text
    assert after.cached_tokens == (0 if isinstance(model, ScriptedStates | _WithStates) else before.prompt_tokens - 1)


async def test_several_at_once_and_beside_a_reply_are_all_answered(model: ReadingModel) -> None:
    reply = asyncio.ensure_future(heard(model.stream(asking(STORY, max_tokens=8))))
    states = await asyncio.gather(*(state(model, words) for words in ("It rains.", "I had a dog.", "It rains.")))
    assert (await reply)[1].completion_tokens == 8
    assert np.abs(states[0] - states[2]).max() < 0.02 * np.abs(states[0]).max()


async def test_one_that_is_not_there_in_time_is_an_error_and_the_next_one_comes(model: ReadingModel) -> None:
    with pytest.raises(ModelFailed, match="in time"):
        await state(model, "It rains.", timedelta(0))
    assert (await state(model, "It rains.")).size


async def test_a_prompt_that_cannot_fit_is_refused(model: ReadingModel) -> None:
    with pytest.raises(PromptTooLong, match="prompt"):
        await state(model, "word " * (model.description.context_tokens + 1))


async def test_who_gives_none_says_so() -> None:
    model = ScriptedStates(ANSWER, digest="")
    with pytest.raises(ModelUnavailable):
        await state(cast("ReadingModel", model), "It rains.")
    gone = ScriptedStates(ANSWER, digest="abc")
    await gone.aclose()
    with pytest.raises(ModelUnavailable):
        await state(cast("ReadingModel", gone), "It rains.")
