import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import timedelta

import numpy as np
import pytest

from bot.domain import Chunk, FinishReason
from bot.errors import ModelFailed, ModelUnavailable, PromptTooLong
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.ports import ChatModel, Encoder
from tests.llm.talking import Fields, asking, heard


async def test_streams_its_answers_in_order_word_by_word() -> None:
    model: ChatModel = ScriptedChatModel(["Quite well,  thank\nyou.", "Good night."])
    chunks = [chunk async for chunk in model.stream(asking())]
    assert [chunk.text for chunk in chunks] == ["Quite", " well,", "  thank", "\nyou.", ""]
    assert chunks[-1] == Chunk("", FinishReason.STOP, prompt_tokens=11, completion_tokens=4)
    assert (await heard(model.stream(asking())))[0] == "Good night."
    with pytest.raises(ModelFailed, match="no answer left for request 3"):
        await heard(model.stream(asking()))


async def test_one_text_is_the_answer_to_everything_and_a_function_sees_the_request() -> None:
    constant = ScriptedChatModel("I see.")
    assert [(await heard(constant.stream(asking())))[0] for _ in range(3)] == ["I see."] * 3
    echo = ScriptedChatModel(lambda request: f"You said {request.messages[-1].content}")
    assert (await heard(echo.stream(asking("hello there"))))[0] == "You said hello there"
    assert [request.messages[-1].content for request in echo.requests] == ["hello there"]


@pytest.mark.parametrize(
    ("fields", "text", "finish"),
    [
        ({"max_tokens": 3}, "one two three", FinishReason.LENGTH),
        ({"max_tokens": 5}, "one two three four five", FinishReason.STOP),
        ({"stop": ("four", "two")}, "one", FinishReason.STOP),
        ({"stop": ("ree",)}, "one two th", FinishReason.STOP),
        ({"stop": ("one",)}, "", FinishReason.STOP),
        ({"stop": ("five",), "max_tokens": 2}, "one two", FinishReason.LENGTH),
        ({"deadline": timedelta()}, "", FinishReason.DEADLINE),
    ],
)
async def test_ends_where_the_request_says(fields: Fields, text: str, finish: FinishReason) -> None:
    said, last = await heard(ScriptedChatModel("one two three four five").stream(asking(**fields)))
    assert (said, last.finish) == (text, finish)


async def test_a_prompt_must_leave_room_in_the_context_and_the_reply_stays_in_it() -> None:
    model = ScriptedChatModel("one two three four", context_tokens=14)
    assert model.description.comfortable_tokens == 14
    assert (await heard(model.stream(asking("a b c d"))))[0] == "one two"
    with pytest.raises(PromptTooLong, match="14 tokens and this model takes 14"):
        await heard(model.stream(asking("a b c d e f")))


async def test_an_answer_can_be_an_error() -> None:
    model = ScriptedChatModel([ModelFailed("The GPU is on fire."), "It is out."])
    with pytest.raises(ModelFailed, match="on fire"):
        await heard(model.stream(asking()))
    assert (await heard(model.stream(asking())))[0] == "It is out."
    assert model.running == 0


async def test_a_held_generation_goes_on_when_it_is_let_go() -> None:
    gate = asyncio.Event()
    model = ScriptedChatModel("one two three", hold=gate, hold_after=2)
    async with aclosing(model.stream(asking())) as chunks:
        assert [(await anext(chunks)).text, (await anext(chunks)).text] == ["one", " two"]
        async with asyncio.TaskGroup() as group:
            rest = group.create_task(heard(chunks))
            await asyncio.sleep(0.01)
            assert not rest.done()
            assert model.running == 1
            gate.set()
    assert rest.result()[0] == " three"


async def test_a_held_generation_ends_at_the_deadline_with_what_it_has() -> None:
    model = ScriptedChatModel("one two three", hold=asyncio.Event(), hold_after=1)
    said, last = await heard(model.stream(asking(deadline=timedelta(seconds=0.05))))
    assert (said, last.finish, last.completion_tokens) == ("one", FinishReason.DEADLINE, 1)


async def test_counts_generations_that_nobody_waited_for() -> None:
    model = ScriptedChatModel("one two three", hold=asyncio.Event(), hold_after=1)
    async with aclosing(model.stream(asking())) as chunks:
        await anext(chunks)
    assert (model.running, model.cancelled) == (0, 1)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await heard(model.stream(asking()))
    assert (model.running, model.cancelled) == (0, 2)


async def test_closing_ends_what_is_held_and_refuses_more() -> None:
    model = ScriptedChatModel("one two", hold=asyncio.Event())
    async with asyncio.TaskGroup() as group:
        held = group.create_task(anext_or_error(model.stream(asking())))
        await asyncio.sleep(0.01)
        await model.aclose()
        await model.aclose()
    assert isinstance(held.result(), ModelUnavailable)
    assert isinstance(await anext_or_error(model.stream(asking())), ModelUnavailable)


async def anext_or_error(chunks: AsyncIterator[Chunk]) -> Chunk | Exception:
    try:
        return await anext(chunks)
    except ModelUnavailable as error:
        return error


async def test_texts_that_share_words_have_similar_vectors() -> None:
    encoder: Encoder = ScriptedEncoder()
    dog, puppy, boat, empty = await encoder.encode(
        ["The dog sleeps.", "the DOG barks", "A boat sails away", ""],
    )
    assert dog @ puppy > 0.6
    assert dog @ boat == 0.0
    assert np.linalg.norm(empty) == 1.0


async def test_vectors_are_the_same_in_every_process() -> None:
    (vector,) = await ScriptedEncoder(dimension=64).encode(["good morning"])
    assert np.flatnonzero(vector).tolist() == [48, 54]
    assert ScriptedEncoder(64).fingerprint != ScriptedEncoder(128).fingerprint
    with pytest.raises(ValueError, match="at least 1"):
        ScriptedEncoder(0)
