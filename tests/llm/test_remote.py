"""The remote engine against llama.cpp's own server, and against a server that does what servers should not."""

import asyncio
from collections.abc import AsyncIterator, Iterator
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
from bot.llm.remote import RemoteChatModel, connect_remote_model
from tests.llm.fault_server import (
    MODEL,
    Answer,
    FaultServer,
    ending,
    failed,
    fault_server,
    hang,
    models,
    replied,
    said,
    silence,
    streamed,
    word,
)
from tests.llm.llama_server import API_KEY, CONTEXT_TOKENS, llama_server
from tests.llm.llama_server import MODEL as LLAMA_MODEL
from tests.llm.talking import SYSTEM, asking, heard

KEY = SecretStr(API_KEY)
ENDLESS = "Write the word yes five hundred times."
LONG_TEXT = "The lighthouse keeper counted the ships that passed before breakfast. "


@pytest.fixture(scope="module")
def llama_url() -> Iterator[str]:
    with llama_server() as url:
        yield url


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
