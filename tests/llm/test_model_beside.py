"""The small tuned model beside one that talks and is too small to be trusted with structured tasks."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.app.assembly import Engines
from bot.app.engines import model_beside
from bot.config import Model, Persona, Settings
from bot.domain import ModelDescription, Priority, Skill
from bot.errors import ModelUnavailable
from bot.llm.gguf_choice import choose_gguf, load_gguf
from bot.llm.llama_cpp import LlamaCppChatModel
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.persona.extract import Extractor
from tests.living import FirstPersonGate, WordTopics
from tests.llm.talking import asking, heard
from tests.llm.test_llama_cpp import until
from tests.persona.test_extract import said

BRIEF = ModelDescription("brief", "1.5B", "", 8192, comfortable_tokens=1500, follows_instructions=True)
ABLE = ModelDescription("able", "7B", "", 8192, comfortable_tokens=6000, follows_instructions=True)


def settings(cache: Path, **sections: object) -> Settings:
    return Settings(model={"cache_dir": cache, "device": "cpu", "id": "bundled"}, **sections)


@pytest.mark.parametrize(
    ("model", "sections"),
    [
        (ABLE, {}),
        (BRIEF, {"persona": {"extractor": "extractive"}}),
        (BRIEF, {"persona": {"extractor": "model"}}),
    ],
)
async def test_none_is_loaded_where_none_is_wanted(
    tmp_path: Path, model: ModelDescription, sections: dict[str, object]
) -> None:
    assert await model_beside(ScriptedChatModel("", description=model), settings(tmp_path, **sections)) is None


async def test_none_is_loaded_beside_one_that_was_tuned_itself(tmp_path: Path) -> None:
    tuned = ScriptedChatModel("", description=BRIEF, skills=[Skill.EXTRACTOR])
    assert await model_beside(tuned, settings(tmp_path)) is None


async def test_one_that_cannot_be_loaded_is_told_in_the_log_and_own_words_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(_settings: Model) -> None:
        raise ModelUnavailable("The bundled model is damaged.")

    monkeypatch.setattr("bot.llm.gguf_choice.choose_gguf", damaged)
    with capture_logs() as logged:
        assert await model_beside(ScriptedChatModel("", description=BRIEF), settings(tmp_path)) is None
    assert [line["reason"] for line in logged] == ["The bundled model is damaged."]


@pytest.mark.model
async def test_it_extracts_for_a_brief_one(model_cache: Path) -> None:
    talking = ScriptedChatModel("", description=BRIEF)
    beside = await model_beside(talking, settings(model_cache))
    assert beside is not None
    try:
        engines = Engines(talking, ScriptedEncoder(), WordTopics(), FirstPersonGate(), beside)
        assert engines.model_for(Skill.EXTRACTOR) is beside
        assert engines.model_for(Skill.SUMMARIZER) is talking
        extractor = Extractor(
            model=engines.model_for(Skill.EXTRACTOR),
            gate=engines.gate,
            encoder=engines.encoder,
            topics=engines.topics,
            persona=Persona(),
            deadline=timedelta(seconds=60),
        )
        found = await extractor.extract(said("Oh, I work as a nurse in a small hospital, nights mostly."))
        assert any("nurse" in statement for statement in found.statements)
        assert found.tokens > 0
    finally:
        await beside.aclose()


@pytest.mark.model
async def test_a_reply_of_the_one_that_talks_goes_first(gguf_model: LlamaCppChatModel, model_cache: Path) -> None:
    small = settings(model_cache).model
    choice = choose_gguf(small)
    assert choice is not None
    beside = await load_gguf(choice, small, admission=gguf_model.admission)
    order: list[str] = []

    async def task() -> None:
        await heard(beside.stream(asking("Tell me a story.", max_tokens=60, priority=Priority.BACKGROUND)))
        order.append("task")

    async def reply() -> None:
        assert await until(lambda: beside.slots.busy == 1)
        await heard(gguf_model.stream(asking("Hello!", max_tokens=4)))
        order.append("reply")

    try:
        async with asyncio.timeout(60):
            await asyncio.gather(task(), reply())
    finally:
        await beside.aclose()
    assert order == ["reply", "task"]
    assert "Paris" in (await heard(gguf_model.stream(asking("What is the capital of France?", max_tokens=40))))[0]
