"""Measuring an engine through the port."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Coroutine
from pathlib import Path
from typing import Any

import pytest

from bot.config import Model, Settings
from bot.domain import Chunk, GenerationRequest
from bot.errors import BadInput
from bot.llm.scripted import ScriptedChatModel
from bot.ports import ChatModel
from lab.evaluation.bench_port import run_through_port
from lab.evaluation.engine_port import PLACES, TURNS, measure_port, run_port


class Counted(ScriptedChatModel):
    """Says what it was asked."""

    asked = 0

    def stream(self, request: GenerationRequest) -> AsyncGenerator[Chunk]:
        Counted.asked += 1
        return super().stream(request)


async def scripted() -> ChatModel:
    return Counted("One two three four five six seven.", context_tokens=4096, word_s=0.001)


async def test_every_request_is_made_and_counted() -> None:
    Counted.asked = 0
    figures = await measure_port(scripted, (1, 3), (20, 50), new_tokens=4, repeats=2, seed=0)
    assert Counted.asked == 2 * 2 * (1 + 3) + PLACES * TURNS
    assert [speed.concurrent for speed in figures.speeds] == [1, 3, 1, 3]
    short, long = figures.speeds[0], figures.speeds[2]
    assert 20 <= short.prompt_tokens < long.prompt_tokens
    assert 0 < short.first_token_s <= short.whole_s
    assert all(speed.processor_s >= 0 for speed in figures.speeds)
    assert figures.reused == 0


async def test_the_figures_are_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "figures.json"
    assert await run_port(scripted, (1,), (20,), new_tokens=4, repeats=1, seed=0, out=out) == 0
    assert "requests that come in together" in capsys.readouterr().out
    assert len(json.loads(out.read_text())["speeds"]) == 1
    with pytest.raises(BadInput, match="cannot be written"):
        await run_port(scripted, (1,), (20,), new_tokens=4, repeats=1, seed=0, out=tmp_path)


async def test_only_models_for_llama_cpp_are_taken() -> None:
    def asked(model: Model, concurrent: str) -> Coroutine[Any, Any, int | None]:
        settings = Settings(model=model)
        return run_through_port(settings, concurrent, None, new_tokens=4, repeats=1, seed=0, out=None)

    assert await asked(Model(id="Qwen/Qwen3-8B"), "1") is None
    for wrong in ("0", "x", ""):
        with pytest.raises(BadInput, match="whole numbers"):
            await asked(Model(id="bundled", device="cpu"), wrong or ",")
