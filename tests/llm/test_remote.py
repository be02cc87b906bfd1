"""The remote engine against llama.cpp's own server, and against a server that does what servers should not."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from datetime import timedelta
from typing import TypedDict, Unpack

import httpx
import pytest
from pydantic import SecretStr

from bot.config import Model, Remote
from bot.domain import Chunk, FinishReason, Priority
from bot.errors import ModelBusy, ModelError, ModelFailed, ModelUnavailable, PromptTooLong
from bot.llm import faults
from bot.llm.dialect import THINKING_TOKENS
from bot.llm.remote import UNTOLD, RemoteChatModel, connect_remote_model
from tests.llm.fault_server import (
    MODEL,
    Answer,
    FaultServer,
    ending,
    failed,
    fault_server,
    hang,
    models,
    reasoning,
    replied,
    said,
    silence,
    streamed,
    word,
)
from tests.llm.llama_server import API_KEY, CONTEXT_TOKENS
from tests.llm.llama_server import MODEL as LLAMA_MODEL
from tests.llm.talking import SYSTEM, asking, heard

KEY = SecretStr(API_KEY)
ENDLESS = "Write the word yes five hundred times."
LONG_TEXT = "The lighthouse keeper counted the ships that passed before breakfast. "


@pytest.fixture(autouse=True)
def no_long_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "FIRST_PAUSE_S", 0.01)


class Changes(TypedDict, total=False):
    """What of the settings can be changed."""

    max_concurrent: int
    max_waiting: int
    name: str
    context_tokens: int
    timeout_s: float
    retries: int


def settings(url: str, **changes: Unpack[Changes]) -> Model:
    remote = {name: value for name, value in changes.items() if name in Remote.model_fields}
    model = {name: value for name, value in changes.items() if name in Model.model_fields}
    return Model.model_validate({**model, "remote": {"base_url": url, **remote}})


@asynccontextmanager
async def connected(
    url: str, key: SecretStr | None = KEY, **changes: Unpack[Changes]
) -> AsyncIterator[RemoteChatModel]:
    model = await connect_remote_model(settings(url, **changes), key)
    try:
        yield model
    finally:
        await model.aclose()


@asynccontextmanager
async def facing(*answers: Answer, **changes: Unpack[Changes]) -> AsyncIterator[tuple[RemoteChatModel, FaultServer]]:
    async with fault_server(*answers) as server, connected(server.url, **changes) as model:
        yield model, server


# A real server


async def test_a_real_server_answers_greedily_the_same_and_counts(llama_url: str) -> None:
    async with connected(llama_url) as model:
        first, last = await heard(model.stream(asking()))
        again, _ = await heard(model.stream(asking()))
        sampled, _ = await heard(model.stream(asking(temperature=2.0)))
    assert first.strip()
    assert again == first
    assert sampled != first
    assert (last.finish, last.completion_tokens) == (FinishReason.LENGTH, 12)
    assert 20 <= last.prompt_tokens <= 40


async def test_a_real_server_says_what_it_runs(llama_url: str) -> None:
    async with connected(llama_url) as model:
        described = model.description
    assert (described.name, described.context_tokens) == (LLAMA_MODEL, CONTEXT_TOKENS)
    assert described.detail == f"on the server at {llama_url}"
    assert not described.follows_instructions
    assert described.comfortable_tokens == 900
    async with connected(llama_url, context_tokens=512) as smaller:
        assert (smaller.description.context_tokens, smaller.description.comfortable_tokens) == (512, 512)


async def test_a_real_server_ends_at_stop_texts(llama_url: str) -> None:
    async with connected(llama_url) as model:
        whole, _ = await heard(model.stream(asking(max_tokens=20)))
        stop = whole[8:11]
        cut, last = await heard(model.stream(asking(max_tokens=20, stop=("\x00", stop))))
    assert cut == whole[: whole.index(stop)]
    assert last.finish is FinishReason.STOP


async def test_a_real_server_answers_many_at_once(llama_url: str) -> None:
    async with connected(llama_url) as model:
        questions = [asking(f"Count from {start} to ten.", max_tokens=6) for start in range(5)]
        alone = [(await heard(model.stream(question)))[0] for question in questions]
        together = await asyncio.gather(*(heard(model.stream(question)) for question in questions))
    assert len({text for text, _ in together}) > 1
    assert sum(text == expected for (text, _), expected in zip(together, alone, strict=True)) >= 3


async def test_a_real_server_refuses_a_prompt_that_is_too_long_and_works_on(llama_url: str) -> None:
    async with connected(llama_url) as model:
        with pytest.raises(PromptTooLong, match=r"prompt\.max_tokens.*model\.remote\.context_tokens"):
            await heard(model.stream(asking(LONG_TEXT * 400)))
        assert (await heard(model.stream(asking())))[0]


async def test_closing_the_iterator_frees_the_real_server(llama_url: str) -> None:
    async with connected(llama_url) as model:
        async with aclosing(model.stream(asking(ENDLESS, max_tokens=1500))) as chunks:
            assert (await anext(chunks)).text
            assert await busy_slots(llama_url) == 1
        for _ in range(100):
            if await busy_slots(llama_url) == 0:
                break
            await asyncio.sleep(0.1)
        else:
            pytest.fail("the server still generates, ten seconds after the connection was closed")


async def busy_slots(url: str) -> int:
    async with httpx.AsyncClient(headers={"authorization": f"Bearer {API_KEY}"}, trust_env=False) as client:
        slots = (await client.get(url.removesuffix("/v1") + "/slots")).json()
    return sum(slot["is_processing"] for slot in slots)


async def test_the_deadline_keeps_what_the_real_server_has_said(llama_url: str) -> None:
    async with connected(llama_url) as model:
        endless = asking(ENDLESS, max_tokens=1500, deadline=timedelta(seconds=1.5))
        text, last = await heard(model.stream(endless))
    assert last.finish is FinishReason.DEADLINE
    assert text
    assert last.completion_tokens > 1
    assert last.prompt_tokens > 20


@pytest.mark.parametrize(
    "text", [LONG_TEXT * 12, "我今天早上去公园散步。" * 20, "Dziś rano poszłam na spacer. 🙂 " * 20]
)
async def test_the_count_is_corrected_by_what_the_real_server_counts(llama_url: str, text: str) -> None:
    request = asking(text, max_tokens=1)
    async with connected(llama_url) as model:
        before = model.count_tokens(request.messages)
        true = (await heard(model.stream(request)))[1].prompt_tokens
        after = model.count_tokens(request.messages)
    assert before > 0.4 * true
    assert after >= true
    assert abs(after - true) <= max(1, abs(before - true))


@pytest.mark.parametrize("key", [None, SecretStr("wrong-key")])
async def test_a_real_server_refuses_the_wrong_key(llama_url: str, key: SecretStr | None) -> None:
    with pytest.raises(ModelUnavailable, match="MODEL_API_KEY") as caught:
        await connect_remote_model(settings(llama_url), key)
    assert "wrong-key" not in str(caught.value)


async def test_the_key_is_in_no_repr() -> None:
    async with facing(said("Hi")) as (model, _):
        assert API_KEY not in f"{vars(model)!r} {model!r}"


async def test_a_name_that_the_real_server_lacks_is_told_with_those_it_has(llama_url: str) -> None:
    with pytest.raises(ModelUnavailable, match=rf"no model 'gpt-9'.*model\.remote\.name.*{LLAMA_MODEL}"):
        await connect_remote_model(settings(llama_url, name="gpt-9"), KEY)


# At the start


async def test_no_server() -> None:
    async with fault_server() as server:
        url = server.url
    with pytest.raises(
        ModelUnavailable, match=r"No model server can be reached at http://127.*model\.remote\.base_url"
    ):
        await connect_remote_model(settings(url, retries=0), None)


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://somewhere/v1", "http://", ""])
async def test_no_address(url: str) -> None:
    with pytest.raises(ModelUnavailable, match=r"model\.remote\.base_url should be an address"):
        await connect_remote_model(settings(url), None)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (failed(401), "MODEL_API_KEY"),
        (failed(403), "MODEL_API_KEY"),
        (failed(404), "usually ends in /v1"),
        (failed(503), "not ready"),
        (replied(200, "<html>Welcome</html>"), "usually ends in /v1"),
        (replied(200, {"models": []}), "usually ends in /v1"),
        (replied(200, {"data": []}), "offers no model"),
    ],
)
async def test_a_server_that_lists_no_models(answer: Answer, sentence: str) -> None:
    async with fault_server() as server:
        server.models = answer
        with pytest.raises(ModelUnavailable, match=sentence):
            await connect_remote_model(settings(server.url, retries=0), None)


async def test_takes_the_first_model_or_the_one_that_is_named() -> None:
    async with fault_server(said("Hi")) as server:
        server.models = models("org/first-7B", "second-0.5B:latest")
        async with connected(server.url, key=None) as first, connected(server.url, name="second-0.5B") as second:
            await heard(first.stream(asking()))
            await heard(second.stream(asking()))
    assert [body["model"] for body in server.bodies] == ["org/first-7B", "second-0.5B"]
    assert (first.description.name, second.description.name) == ("first-7B", "second-0.5B")
    assert (first.description.follows_instructions, second.description.follows_instructions) == (True, False)


async def test_only_the_key_of_the_settings_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "meant-for-someone-else")
    async with fault_server(said("Hi")) as server:
        async with connected(server.url, key=None) as model:
            await heard(model.stream(asking()))
        async with connected(server.url, key=SecretStr("mine")):
            pass
    assert server.keys == ["bearer none", "bearer none", "bearer mine"]


async def test_a_server_on_this_machine_is_reached_without_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with facing(said("Hi")) as (model, _):
        assert (await heard(model.stream(asking())))[0] == "Hi"


async def test_a_password_in_the_address_is_not_shown() -> None:
    async with fault_server() as server:
        server.models = failed(401)
        url = server.url.replace("http://", "http://owner:hunter2@")
        with pytest.raises(ModelUnavailable) as caught:
            await connect_remote_model(settings(url), None)
    assert "hunter2" not in str(caught.value)


# Faults of a generation


@pytest.mark.parametrize(
    "fault",
    [
        failed(429),
        failed(500),
        failed(503),
        streamed(cut=True),
        streamed("not json"),
        streamed({"error": {"message": "x"}}),
    ],
    ids=["429", "500", "503", "cut", "not json", "error in the stream"],
)
async def test_tries_again_what_failed_before_the_first_word(fault: Answer) -> None:
    async with facing(fault, fault, said("All", " good"), retries=2) as (model, server):
        text, last = await heard(model.stream(asking()))
    assert (text, last.prompt_tokens, last.completion_tokens) == ("All good", 7, 2)
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("fault", "error", "sentence", "attempts"),
    [
        (failed(401), ModelUnavailable, "MODEL_API_KEY", 1),
        (failed(404), ModelUnavailable, rf"no model '{MODEL}'.*model\.remote\.name.*offers: {MODEL}", 1),
        (failed(400, "maximum context length is 8"), PromptTooLong, r"prompt\.max_tokens", 1),
        (failed(400, "bad top_p"), ModelFailed, "status 400", 1),
        (failed(429), ModelBusy, r"model\.max_concurrent", 2),
        (failed(503), ModelBusy, "too many requests", 2),
        (failed(500), ModelFailed, "status 500", 2),
        (streamed({"error": {"message": "context size", "code": 400}}), PromptTooLong, "longer", 1),
        (streamed({"choices": "none"}), ModelFailed, "not what the OpenAI API prescribes", 2),
        (streamed("[]["), ModelFailed, "not JSON", 2),
        (streamed("[DONE]"), ModelFailed, "before it was complete", 2),
        (replied(200, "<html>"), ModelFailed, "before it was complete", 2),
    ],
)
async def test_says_what_is_wrong(fault: Answer, error: type[ModelError], sentence: str, attempts: int) -> None:
    async with facing(fault, retries=1) as (model, server):
        with pytest.raises(error, match=sentence):
            await heard(model.stream(asking()))
    assert len(server.bodies) == attempts


@pytest.mark.parametrize("cut", [streamed(word("Half"), cut=True), streamed(word("Half"), "nonsense")])
async def test_never_starts_a_text_over(cut: Answer) -> None:
    async with facing(cut, said("Half", " and half")) as (model, server), aclosing(model.stream(asking())) as chunks:
        assert (await anext(chunks)).text == "Half"
        with pytest.raises(ModelFailed):
            await anext(chunks)
    assert len(server.bodies) == 1


async def test_an_answer_is_whole_once_the_server_said_why_it_ended() -> None:
    async with facing(streamed(word("Bye"), ending("stop"), cut=True)) as (model, _):
        text, last = await heard(model.stream(asking()))
    assert (text, last.finish, last.completion_tokens) == ("Bye", FinishReason.STOP, 1)


async def test_a_server_that_went_away_is_named() -> None:
    async with fault_server() as server:
        model = await connect_remote_model(settings(server.url, retries=1), None)
    with pytest.raises(ModelUnavailable, match=r"model\.remote\.base_url"):
        await heard(model.stream(asking()))
    await model.aclose()


async def test_a_server_that_says_nothing_is_given_up() -> None:
    async with facing(silence, retries=0, timeout_s=0.2) as (model, _):
        with pytest.raises(ModelFailed, match=r"nothing for 0\.2 seconds.*model\.remote\.timeout_s"):
            await heard(model.stream(asking()))


async def test_waits_as_long_as_the_server_asks_unless_the_deadline_is_nearer() -> None:
    async with facing(failed(429, retry_after="30"), said("Now")) as (model, server):
        with pytest.raises(ModelBusy):
            await heard(model.stream(asking(deadline=timedelta(seconds=5))))
    assert len(server.bodies) == 1


async def test_errors_do_not_repeat_what_the_server_quotes() -> None:
    async with facing(failed(400, "bad input: 'my secret diary'")) as (model, _):
        with pytest.raises(ModelFailed) as caught:
            await heard(model.stream(asking("my secret diary")))
    assert "diary" not in str(caught.value)
    assert caught.value.__suppress_context__


# What a server may not take


async def test_a_refused_system_role_is_folded_into_the_first_message_and_remembered() -> None:
    refusal = failed(400, "System role not supported")
    async with facing(refusal, said("Hi"), said("Hello"), retries=0) as (model, server):
        await heard(model.stream(asking("Who are you?")))
        await heard(model.stream(asking("And now?")))
    roles = [[message["role"] for message in body["messages"]] for body in server.bodies]
    assert roles == [["system", "user"], ["user"], ["user"]]
    assert server.bodies[2]["messages"][0]["content"] == f"{SYSTEM.content}\n\nAnd now?"


async def test_optional_fields_are_left_out_once_refused() -> None:
    refusals = [
        failed(400, f"Unrecognized request argument: {name}") for name in ("chat_template_kwargs", "stream_options")
    ]
    async with facing(*refusals, said("Hi"), retries=0) as (model, server):
        await heard(model.stream(asking()))
        await heard(model.stream(asking()))
    assert ["chat_template_kwargs" in body for body in server.bodies] == [True, False, False, False]
    assert ["stream_options" in body for body in server.bodies] == [True, True, False, False]


async def test_stop_texts_are_found_on_this_side_too() -> None:
    stops = ("\nA:", "\nB:", "\nC:", "\nD:", "END!")
    async with facing(said("The ", "EN", "D", "! and more", usage=(0, 0))) as (model, server):
        text, last = await heard(model.stream(asking(stop=stops)))
        assert (text, last.finish) == ("The ", FinishReason.STOP)
        assert (await heard(model.stream(asking())))[0] == "The END! and more"
    assert server.bodies[0]["stop"] == list(stops[:4])
    assert "stop" not in server.bodies[1]


async def test_text_held_back_for_a_stop_text_is_not_lost() -> None:
    async with facing(said("The ", "EN")) as (model, _):
        assert (await heard(model.stream(asking(stop=("END",)))))[0] == "The EN"


# A model that thinks aloud


STOPS = ("\n<", "\nAnn:")


async def test_thinking_is_not_the_answer_and_from_then_on_has_room_of_its_own() -> None:
    aloud = said("<th", "ink>", "Hm.\n\nAnn: ?", "\n</think>", "\n\n", "Hi", " there", "\nAnn:", "no", usage=(9, 40))
    async with facing(aloud) as (model, server):
        for _ in range(2):
            text, last = await heard(model.stream(asking(stop=STOPS)))
            assert (text, last.finish) == ("Hi there", FinishReason.STOP)
    first, second = server.bodies
    assert first["chat_template_kwargs"] == {"enable_thinking": False, "thinking": False}
    assert first["stop"] == list(STOPS)
    assert "reasoning_effort" not in first
    assert "stop" not in second
    assert second["reasoning_effort"] == "none"
    assert second["max_tokens"] == first["max_tokens"] + THINKING_TOKENS


@pytest.mark.parametrize(
    "thinking",
    [
        streamed(word("<think>\nHm"), ending("length"), "[DONE]"),
        streamed(word("<think>\nHm"), ending("stop"), "[DONE]"),
        streamed(reasoning("Hm"), ending("length"), "[DONE]"),
        streamed(reasoning("Hm", "reasoning"), ending("stop"), "[DONE]"),
    ],
    ids=["cut", "ended by the server's stop text", "beside, cut", "beside, stopped"],
)
async def test_an_answer_of_thinking_alone_is_asked_for_again_with_room_to_think(thinking: Answer) -> None:
    async with facing(thinking, said("Hi", usage=(7, 1)), retries=0) as (model, server):
        text, last = await heard(model.stream(asking(stop=STOPS)))
    assert (text, last.finish, last.prompt_tokens) == ("Hi", FinishReason.STOP, 7)
    assert last.completion_tokens >= 1
    assert ["stop" in body for body in server.bodies] == [True, False]
    assert server.bodies[1]["max_tokens"] > server.bodies[0]["max_tokens"]


async def test_a_model_that_only_thinks_gives_an_empty_answer_that_is_cut() -> None:
    thinking = streamed(word("<think>Hm"), ending("stop"), "[DONE]")
    async with facing(thinking) as (model, server):
        text, last = await heard(model.stream(asking()))
    assert (text, last.finish) == ("", FinishReason.LENGTH)
    assert len(server.bodies) == 2


async def test_room_to_think_is_no_room_for_the_answer() -> None:
    rambling = streamed(word("<think>Hm</think>"), *(word(f" {number}") for number in range(400)), ending("stop"))
    async with facing(said("<think>Hm</think>Hi"), rambling) as (model, _):
        await heard(model.stream(asking()))
        text, last = await heard(model.stream(asking(max_tokens=5)))
    assert (text.split(), last.finish) == (["0", "1", "2", "3", "4"], FinishReason.LENGTH)


async def test_room_to_think_does_not_go_beyond_the_context() -> None:
    async with facing(said("<think>Hm</think>Hi"), context_tokens=512) as (model, server):
        await heard(model.stream(asking(max_tokens=100)))
        await heard(model.stream(asking(max_tokens=100)))
    assert 100 < server.bodies[1]["max_tokens"] < 512


async def test_thinking_without_a_beginning_is_held_back_once_it_was_seen() -> None:
    async with facing(said("Hm.", "</think>", "Hi"), said("So", ".</thi", "nk>\n", "Hello")) as (model, _):
        assert (await heard(model.stream(asking())))[0] == "Hm.</think>Hi"
        assert (await heard(model.stream(asking())))[0] == "Hello"


@pytest.mark.parametrize("name", ["DeepSeek-R1-Distill-Qwen-7B", "Qwen3-4B-Thinking-2507", "qwq:32b"])
async def test_thinking_without_a_beginning_is_expected_of_a_model_that_is_named_so(name: str) -> None:
    async with fault_server(said("Hm.", "</think>", "Hi"), said("Hello"), silence) as server:
        server.models = models(name)
        async with connected(server.url) as model:
            assert [(await heard(model.stream(asking())))[0] for _ in range(2)] == ["Hi", "Hello"]


async def test_a_server_that_takes_the_thinking_out_itself_is_streamed_from() -> None:
    async with fault_server(streamed(reasoning("Hm."), word("Hi"), ending("stop")), hang) as server:
        server.models = models("QwQ-32B")
        async with connected(server.url) as model:
            assert (await heard(model.stream(asking())))[0] == "Hi"
            async with aclosing(model.stream(asking())) as chunks:
                assert (await anext(chunks)).text == "Well"


async def test_a_refused_wish_not_to_think_is_left_out() -> None:
    refusal = failed(400, "reasoning_effort: Input should be 'low', 'medium' or 'high'")
    async with facing(said("<think>Hm</think>Hi"), refusal, said("Hello"), retries=0) as (model, server):
        answers = [(await heard(model.stream(asking())))[0] for _ in range(2)]
    assert answers == ["Hi", "Hello"]
    assert ["reasoning_effort" in body for body in server.bodies] == [False, True, False]


# Prompts that are too long


LLAMA = {
    "code": 400,
    "message": "too long",
    "type": "exceed_context_size_error",
    "n_prompt_tokens": 4242,
    "n_ctx": 2048,
}


@pytest.mark.parametrize(
    ("fault", "limit", "tokens"),
    [
        (replied(400, {"error": LLAMA}), 2048, 4242),
        (replied(500, {"error": {**LLAMA, "code": 500}}), 2048, 4242),
        (failed(400, "request (4242 tokens) exceeds the available context size (2048 tokens), try"), 2048, 4242),
        (
            failed(
                400,
                "maximum context length is 2048 tokens. However, you requested 4120 tokens (3960 in the messages, "
                "160 in the completion).",
            ),
            2048,
            3960,
        ),
        (
            failed(
                400,
                "maximum context length is 2048 tokens. However, you requested 160 output tokens and your prompt "
                "contains at least 1889 input tokens, for a total of at least 2049 tokens.",
            ),
            2048,
            1889,
        ),
        (
            streamed(
                {
                    "error": {
                        "message": "Trying to keep the first 4242 tokens when context the overflows. However, the "
                        "model is loaded with context length of only 2048 tokens, which is not enough."
                    }
                }
            ),
            2048,
            4242,
        ),
        (streamed({"error": "The model is loaded with context length of only 2048 tokens"}), 2048, None),
        (failed(400, "prompt too long; exceeded max context length by 12 tokens"), None, None),
        (failed(400, "The input (4242 tokens) is longer than the model's context length (2048 tokens)."), 2048, 4242),
        (failed(422, "`inputs` tokens + `max_new_tokens` must be <= 2048. Given: 4242 `inputs` tokens"), 2048, 4242),
        (failed(413, "Payload Too Large"), None, None),
    ],
)
async def test_a_prompt_that_is_too_long_is_known_at_once_and_the_limit_is_learnt(
    fault: Answer, limit: int | None, tokens: int | None
) -> None:
    request = asking(LONG_TEXT * 100)
    async with facing(fault, said("Hi"), retries=3) as (model, server):
        before = model.count_tokens(request.messages)
        with pytest.raises(PromptTooLong, match=r"prompt\.max_tokens") as caught:
            await heard(model.stream(request))
        assert (caught.value.limit, caught.value.prompt_tokens) == (limit, tokens)
        assert len(server.bodies) == 1
        assert model.description.context_tokens == (limit or round(UNTOLD * before))
        assert model.description.comfortable_tokens <= model.description.context_tokens
        if tokens and tokens > before:
            assert model.count_tokens(request.messages) == pytest.approx(tokens, abs=2)
        assert (await heard(model.stream(asking())))[0] == "Hi"


async def test_a_context_that_is_full_in_the_middle_of_a_reply_cuts_it() -> None:
    full = {"error": {"message": "Reached context length of 2048 tokens with model that cannot shift it"}}
    async with facing(streamed(word("Once"), full)) as (model, server):
        text, last = await heard(model.stream(asking()))
    assert (text, last.finish) == ("Once", FinishReason.LENGTH)
    assert len(server.bodies) == 1


# Schemas


SCHEMA = {
    "type": "object",
    "properties": {"dogs": {"enum": [1, 2]}},
    "required": ["dogs"],
    "additionalProperties": False,
}


async def test_a_schema_is_asked_for_and_only_where_there_is_one() -> None:
    async with facing(said('{"dogs": 2}')) as (model, server):
        assert model.description.decodes_schemas
        await heard(model.stream(asking(schema=SCHEMA)))
        await heard(model.stream(asking()))
        assert model.description.decodes_schemas
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    assert [body.get("response_format") for body in server.bodies] == [form, None]


@pytest.mark.parametrize(
    "refusal",
    [
        failed(400, "response_format is not supported"),
        failed(422, "extra fields"),
        failed(500, "failed to parse grammar"),
    ],
)
async def test_a_refused_schema_is_left_out_and_known(refusal: Answer) -> None:
    async with facing(refusal, said("two"), retries=0) as (model, server):
        assert (await heard(model.stream(asking(schema=SCHEMA))))[0] == "two"
        assert not model.description.decodes_schemas
    assert ["response_format" in body for body in server.bodies] == [True, False]


@pytest.mark.parametrize("answer", ["There are two.", "[2]", '{"cats": 2}'])
async def test_a_server_that_ignores_schemas_is_found_out(answer: str) -> None:
    async with facing(said(answer)) as (model, server):
        await heard(model.stream(asking(schema=SCHEMA)))
        assert not model.description.decodes_schemas
        await heard(model.stream(asking(schema=SCHEMA)))
    assert ["response_format" in body for body in server.bodies] == [True, False]


async def test_a_cut_answer_says_nothing_of_schemas() -> None:
    async with facing(said('{"do', finish="length")) as (model, _):
        await heard(model.stream(asking(schema=SCHEMA)))
        assert model.description.decodes_schemas


async def test_tokens_that_the_server_still_knew_are_told() -> None:
    usage = {"prompt_tokens": 70, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 64}}
    async with facing(streamed(word("Hi"), ending("stop"), {"choices": [], "usage": usage})) as (model, _):
        _, last = await heard(model.stream(asking()))
    assert (last.prompt_tokens, last.cached_tokens) == (70, 64)


async def test_a_real_server_decodes_under_a_schema(llama_url: str) -> None:
    async with connected(llama_url) as model:
        text, last = await heard(model.stream(asking("How many dogs?", schema=SCHEMA, max_tokens=40)))
        assert model.description.decodes_schemas
    assert json.loads(text) in ({"dogs": 1}, {"dogs": 2})
    assert last.finish is FinishReason.STOP


async def test_the_limit_of_a_real_server_is_learnt(llama_url: str) -> None:
    async with connected(llama_url) as model:
        with pytest.raises(PromptTooLong) as caught:
            await heard(model.stream(asking(LONG_TEXT * 400)))
        assert caught.value.limit == model.description.context_tokens == CONTEXT_TOKENS
        assert caught.value.prompt_tokens is not None
        assert model.count_tokens(asking(LONG_TEXT * 400).messages) >= caught.value.prompt_tokens > CONTEXT_TOKENS


# Deadlines, cancelling, closing, priority


async def test_the_deadline_ends_a_server_that_hangs() -> None:
    async with facing(hang) as (model, server):
        text, last = await heard(model.stream(asking(deadline=timedelta(seconds=0.3))))
        assert (text, last.finish, last.completion_tokens) == ("Well", FinishReason.DEADLINE, 1)
        async with asyncio.timeout(5):
            await server.dropped.wait()


@pytest.mark.parametrize("answer", [hang, silence])
async def test_cancelling_the_task_closes_the_connection(answer: Answer) -> None:
    async with facing(answer) as (model, server):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await heard(model.stream(asking()))
        async with asyncio.timeout(5):
            await server.dropped.wait()


@pytest.mark.parametrize("answer", [hang, silence, failed(429, retry_after="30")])
async def test_closing_ends_what_is_running_and_refuses_more(answer: Answer) -> None:
    async with facing(answer) as (model, _):
        async with asyncio.TaskGroup() as group:
            running = group.create_task(error_of(model.stream(asking())))
            await asyncio.sleep(0.2)
            await model.aclose()
        assert isinstance(running.result(), ModelUnavailable)
        assert isinstance(await error_of(model.stream(asking())), ModelUnavailable)


async def error_of(chunks: AsyncIterator[Chunk]) -> ModelError | None:
    try:
        await heard(chunks)
    except ModelError as error:
        return error
    return None


async def test_background_work_waits_for_replies_and_too_many_are_refused() -> None:
    background = asking("background", priority=Priority.BACKGROUND)
    async with facing(hang, said("Done"), max_concurrent=4, max_waiting=1) as (model, server):
        async with aclosing(model.stream(asking("reply"))) as reply, asyncio.TaskGroup() as group:
            await anext(reply)
            waiting = group.create_task(heard(model.stream(background)))
            await asyncio.sleep(0.1)
            assert len(server.bodies) == 1
            with pytest.raises(ModelBusy, match=r"model\.max_waiting"):
                await heard(model.stream(background))
            await reply.aclose()
        assert waiting.result()[0] == "Done"
