"""The real bundled model: streaming, many at once, cancelling, deadlines, priority."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

import pytest
import torch
from transformers import PreTrainedModel
from transformers.generation.continuous_batching.input_outputs import ContinuousBatchingIOs

from bot.config import Model
from bot.domain import ChatMessage, Chunk, FinishReason, GenerationRequest, Priority, Role
from bot.errors import ModelBusy, ModelUnavailable, PromptTooLong
from bot.llm.engine import MANY_ROWS, threads_for
from bot.llm.local import LocalChatModel, load_local_model
from bot.llm.machine import cores, threads
from tests.llm.talking import asking, heard
from tests.llm.tiny import STRICT, save_tiny_model

pytestmark = pytest.mark.model
STORY = "Tell me a long story about a lighthouse."


@pytest.fixture
async def tiny(tmp_path: Path) -> LocalChatModel:
    """A random model whose template takes no system message, in full precision."""
    folder = save_tiny_model(tmp_path / "tiny", STRICT)
    return await load_local_model(tiny_settings(folder))


def tiny_settings(folder: Path) -> Model:
    return Model(id=str(folder), device="cpu", quantization="none", kv_cache_tokens=1024, cache_dir=folder.parent)


async def until(condition: Callable[[], bool]) -> bool:
    """Whether `condition` comes true within ten seconds."""
    for _ in range(1000):
        if condition():
            return True
        await asyncio.sleep(0.01)
    return False


async def idle(model: LocalChatModel) -> bool:
    """Whether the engine lets go of all requests."""
    return await until(lambda: model.engine.active_requests() == 0)


async def test_answers_sensibly_and_stops_by_itself(bundled_model: LocalChatModel) -> None:
    system = ChatMessage(Role.SYSTEM, "You are a warm friend. Answer in one or two sentences.")
    question = ChatMessage(Role.USER, "What is the capital of France?")
    text, last = await heard(bundled_model.stream(GenerationRequest((system, question), max_tokens=60)))
    assert "Paris" in text
    assert "<|im_end|>" not in text
    assert last.finish is FinishReason.STOP


async def test_streams_as_it_generates(bundled_model: LocalChatModel) -> None:
    chunks = [chunk async for chunk in bundled_model.stream(asking(STORY, max_tokens=20))]
    assert len(chunks) > 10
    assert all(chunk.text for chunk in chunks[:-1])


async def test_an_answer_in_company_is_as_long_as_one_alone(bundled_model: LocalChatModel) -> None:
    questions = [f"Tell me about {thing}." for thing in ("bread", "rain", "cats", "the sea", "Paris", "chess")]
    answers = await asyncio.gather(*(heard(bundled_model.stream(asking(q, max_tokens=16))) for q in questions))
    assert all(last.completion_tokens for _, last in answers)
    assert len({text for text, _ in answers}) > 1


async def test_sampling_is_per_request(bundled_model: LocalChatModel) -> None:
    greedy = asking(STORY, max_tokens=16)
    hot = asking(STORY, max_tokens=16, temperature=2.0)
    (first, _), (second, _), (third, _), (fourth, _) = await asyncio.gather(
        *(heard(bundled_model.stream(request)) for request in (greedy, hot, greedy, hot))
    )
    assert first[:20] == third[:20]  # later, the rounding of bfloat16 differs by the row of the batch
    assert second != fourth


async def test_cancelling_frees_the_engine(bundled_model: LocalChatModel) -> None:
    task = asyncio.ensure_future(heard(bundled_model.stream(asking(STORY, max_tokens=2000))))
    assert await until(lambda: bundled_model.engine.active_requests() > 0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await idle(bundled_model)
    assert bundled_model.admission.running == 0


async def test_a_deadline_keeps_what_was_generated(bundled_model: LocalChatModel) -> None:
    request = asking(STORY, max_tokens=2000, deadline=timedelta(seconds=1.5))
    text, last = await heard(bundled_model.stream(request))
    assert last.finish is FinishReason.DEADLINE
    assert text
    assert await idle(bundled_model)


async def test_background_work_gives_way_and_loses_nothing(bundled_model: LocalChatModel) -> None:
    request = asking(STORY, max_tokens=40, priority=Priority.BACKGROUND)
    alone, _ = await heard(bundled_model.stream(request))
    order: list[str] = []
    started = asyncio.Event()

    async def background() -> tuple[str, Chunk]:
        text, chunk = "", Chunk("")
        async for chunk in bundled_model.stream(request):
            text += chunk.text
            started.set()
        order.append("background")
        return text, chunk

    async def reply() -> None:
        await started.wait()
        await heard(bundled_model.stream(asking("Hello!", max_tokens=4)))
        order.append("reply")

    (text, last), _ = await asyncio.gather(background(), reply())
    assert order == ["reply", "background"]
    assert last.completion_tokens == 40
    assert text[:20] == alone[:20]


async def test_more_than_may_wait_are_refused_in_words(bundled_model: LocalChatModel) -> None:
    held = [asyncio.ensure_future(heard(bundled_model.stream(asking(STORY, max_tokens=300)))) for _ in range(8)]
    assert await until(lambda: bundled_model.admission.waiting == 4)
    with pytest.raises(ModelBusy, match=r"model\.max_waiting"):
        await heard(bundled_model.stream(asking("One more")))
    for task in held:
        task.cancel()
    await asyncio.gather(*held, return_exceptions=True)
    assert await idle(bundled_model)


async def test_too_long_a_prompt_names_the_setting(bundled_model: LocalChatModel) -> None:
    with pytest.raises(PromptTooLong, match=r"prompt\.max_tokens"):
        await heard(bundled_model.stream(asking("word " * 4100)))


def test_the_bundled_model_knows_its_limits(bundled_model: LocalChatModel) -> None:
    described = bundled_model.description
    assert described.name == "SmolLM2-135M-Instruct"
    assert described.comfortable_tokens == 900
    assert not described.follows_instructions
    assert "hello-again model recommend" in described.advice


async def test_a_template_without_a_system_role_gets_its_text_from_the_user(tiny: LocalChatModel) -> None:
    question = ChatMessage(Role.USER, "Hi")
    plain = tiny.count_tokens([question])
    assert tiny.count_tokens([ChatMessage(Role.SYSTEM, "Be kind."), question]) == plain + len("Be kind.\n\n")
    _, last = await heard(tiny.stream(asking("Hi", max_tokens=5)))
    assert last.prompt_tokens > 0
    await tiny.aclose()


async def test_closing_twice_ends_the_thread_and_what_waits(tiny: LocalChatModel) -> None:
    task = asyncio.ensure_future(heard(tiny.stream(asking("Hi", max_tokens=900))))
    assert await until(lambda: tiny.engine.active_requests() > 0)
    before = threading.active_count()
    await tiny.aclose()
    await tiny.aclose()
    assert threading.active_count() < before + 1
    assert not tiny.engine.alive
    with pytest.raises(ModelUnavailable, match="closed"):
        await task
    with pytest.raises(ModelUnavailable, match="closed"):
        await heard(tiny.stream(asking("Hi")))


async def test_a_dead_engine_fails_every_request_and_hangs_none(
    tiny: LocalChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    monkeypatch.setattr(tiny.engine._running_manager().batch_processor, "_generation_step", broken)
    tasks = (heard(tiny.stream(asking("Hi", max_tokens=5))) for _ in range(10))
    results = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 20)
    assert all(isinstance(result, ModelUnavailable) for result in results), results
    with pytest.raises(ModelUnavailable, match="illegal memory access"):
        await heard(tiny.stream(asking("Hi")))
    await tiny.aclose()


async def test_a_folder_without_a_chat_template_is_no_chat_model(tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "base", None)
    with pytest.raises(ModelUnavailable, match="chat template"):
        await load_local_model(tiny_settings(folder))


async def test_eight_bits_work_on_the_cpu(tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "tiny")
    model = await load_local_model(tiny_settings(folder).model_copy(update={"quantization": "int8"}))
    _, last = await heard(model.stream(asking("Hi", max_tokens=4)))
    assert last.completion_tokens <= 4
    assert "8-bit" in model.description.detail
    await model.aclose()


async def test_loading_the_bundled_model_opens_no_connection(
    bundled_model: LocalChatModel, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr("socket.socket.connect", refused)
    monkeypatch.setattr("socket.getaddrinfo", refused)
    model = await load_local_model(Model(id="auto", device="cpu", cache_dir=model_cache, kv_cache_tokens=1024))
    assert model.description.name == bundled_model.description.name
    async with aclosing(model.stream(GenerationRequest((ChatMessage(Role.USER, "Hi"),), max_tokens=2))) as chunks:
        assert [chunk async for chunk in chunks]
    await model.aclose()


async def test_long_prompts_take_all_cores_and_an_answer_leaves_one(
    tiny: LocalChatModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    processor = tiny.engine.processor
    assert processor is not None
    passes: set[tuple[bool, int]] = set()
    generate = processor._generation_step

    def watched(model: PreTrainedModel) -> None:
        generate(model)
        batch = processor.inputs_and_outputs
        assert isinstance(batch, ContinuousBatchingIOs)
        passes.add((batch.max_length_q >= MANY_ROWS, torch.get_num_threads()))

    processor._generation_step = watched  # type: ignore[assignment, method-assign]
    async with aclosing(tiny.stream(asking("word " * 2 * MANY_ROWS, max_tokens=3))) as chunks:
        async for _ in chunks:
            pass
    await tiny.aclose()
    assert passes == {(True, cores()), (False, max(1, cores() - 1))}


def test_an_owner_may_give_it_fewer_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert (threads(), threads_for(1), threads_for(MANY_ROWS)) == (1, 1, 1)
    monkeypatch.setenv("OMP_NUM_THREADS", "0")
    assert threads() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert threads() == threads_for(MANY_ROWS) == cores()
    monkeypatch.setenv("OMP_NUM_THREADS", str(cores() + 1))
    assert threads() == cores()
