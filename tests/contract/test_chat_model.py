"""What every `ChatModel` promises (bot/ports)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest
from pydantic import SecretStr

from bot.app.metrics import Metrics
from bot.config import Model
from bot.domain import ChatMessage, Chunk, FinishReason, GenerationRequest, Role, Skill
from bot.errors import ModelUnavailable, PromptTooLong
from bot.llm.remote import RemoteChatModel, connect_remote_model
from bot.llm.scripted import ScriptedChatModel
from bot.ports import ChatModel
from tests.llm.llama_server import API_KEY
from tests.llm.talking import asking, heard

STORY = "Tell me a long story about a lighthouse."
ANSWER = "Once there was a lighthouse on a cliff , and every night it counted the ships that passed by far below ."


MODELS = {"local": "bundled_model", "llama.cpp": "gguf_model"}


@pytest.fixture
async def remote_model(llama_url: str) -> AsyncIterator[ChatModel]:
    """The remote engine, before llama.cpp's own server."""
    settings = Model.model_validate({"engine": "remote", "remote": {"base_url": llama_url}})
    model = await connect_remote_model(settings, SecretStr(API_KEY))
    yield model
    await model.aclose()


@pytest.fixture(
    params=["scripted", "measured", "remote", *(pytest.param(name, marks=pytest.mark.model) for name in MODELS)]
)
def chat_model(request: pytest.FixtureRequest) -> ChatModel:
    """One implementation after the other. Each answers STORY with more than 12 tokens."""
    if request.param == "scripted":
        return ScriptedChatModel(ANSWER, context_tokens=4096, word_s=0.001)
    if request.param == "measured":
        return cast("ChatModel", Metrics().measured(ScriptedChatModel(ANSWER, context_tokens=4096, word_s=0.001)))
    return cast("ChatModel", request.getfixturevalue(MODELS.get(request.param, "remote_model")))


def stream(model: ChatModel, request: GenerationRequest) -> AsyncGenerator[Chunk]:
    return cast("AsyncGenerator[Chunk]", model.stream(request))


async def test_ends_with_one_last_chunk_that_has_the_counts(chat_model: ChatModel) -> None:
    request = asking(STORY, max_tokens=8)
    text, last = await heard(chat_model.stream(request))
    assert text.strip()
    assert last.finish is FinishReason.LENGTH
    assert last.completion_tokens == 8
    # Servers share no tokenizer API, so the remote engine estimates.
    roughly = 0.5 if isinstance(chat_model, RemoteChatModel) else 0.0
    assert last.prompt_tokens == pytest.approx(chat_model.count_tokens(request.messages), rel=roughly)


async def test_greedy_answers_are_the_same_each_time(chat_model: ChatModel) -> None:
    answers = [await heard(chat_model.stream(asking(STORY))) for _ in range(2)]
    # The second time the engine may know the prompt from before.
    first, second = [(text, replace(last, cached_tokens=0)) for text, last in answers]
    assert first == second


async def test_a_stop_text_ends_the_answer_and_is_not_part_of_it(chat_model: ChatModel) -> None:
    whole, _ = await heard(chat_model.stream(asking(STORY, max_tokens=12)))
    stop = whole.split()[4]
    text, last = await heard(chat_model.stream(asking(STORY, max_tokens=12, stop=(stop,))))
    assert last.finish is FinishReason.STOP
    assert stop not in text
    assert text == whole[: whole.index(stop)] or text == whole[: whole.index(stop)].rstrip()


async def test_several_at_once_are_all_answered(chat_model: ChatModel) -> None:
    answers = await asyncio.gather(*(heard(chat_model.stream(asking(STORY, max_tokens=6))) for _ in range(6)))
    assert {last.completion_tokens for _, last in answers} == {6}


async def test_a_deadline_that_has_passed_ends_with_what_there_is(chat_model: ChatModel) -> None:
    _, last = await heard(chat_model.stream(asking(STORY, max_tokens=500, deadline=timedelta(0))))
    assert last.finish is FinishReason.DEADLINE
    assert last.completion_tokens < 500


async def test_closing_early_leaves_the_model_usable(chat_model: ChatModel) -> None:
    async with aclosing(stream(chat_model, asking(STORY, max_tokens=300))) as chunks:
        async for _ in chunks:
            break
    text, _ = await heard(chat_model.stream(asking(STORY, max_tokens=4)))
    assert text


async def test_a_prompt_that_cannot_fit_is_refused(chat_model: ChatModel) -> None:
    words = "word " * (chat_model.description.context_tokens + 1)
    with pytest.raises(PromptTooLong, match=r"tokens"):
        await heard(chat_model.stream(asking(words)))


async def test_a_skill_it_lacks_is_its_callers_mistake(chat_model: ChatModel) -> None:
    for skill in set(Skill) - chat_model.description.skills:
        with pytest.raises(ValueError, match=f"no adapter for the skill {skill}"):
            await heard(chat_model.stream(replace(asking(STORY), skill=skill)))
    text, _ = await heard(chat_model.stream(asking(STORY, max_tokens=4)))
    assert text


def test_longer_prompts_count_more_tokens(chat_model: ChatModel) -> None:
    short = [ChatMessage(Role.USER, "Hello there")]
    assert 2 < chat_model.count_tokens(short) < chat_model.count_tokens([*short, *short])


def test_describes_itself(chat_model: ChatModel) -> None:
    described = chat_model.description
    assert described.name
    assert 0 < described.comfortable_tokens <= described.context_tokens


async def test_closed_twice_it_says_that_it_is_gone(request: pytest.FixtureRequest) -> None:
    model: Any = ScriptedChatModel(ANSWER)
    await model.aclose()
    await model.aclose()
    with pytest.raises(ModelUnavailable):
        await heard(model.stream(asking(STORY)))
