"""`lab bench engine` through the port: always where llama.cpp runs the model, whose inside cannot be watched."""

from __future__ import annotations

from pathlib import Path

from bot.app.engines import model_of
from bot.config import Settings
from bot.errors import BadInput
from bot.llm.gguf_choice import choose_gguf
from bot.ports import ChatModel, quietly
from lab.evaluation.engine_port import run_port

CONCURRENT, PROMPTS = "1,8", "500"


async def run_through_port(
    settings: Settings,
    concurrent: str | None,
    prompts: str | None,
    *,
    new_tokens: int,
    repeats: int,
    seed: int,
    out: Path | None,
    any_engine: bool = False,
) -> int | None:
    """Measures the model if it is one for llama.cpp, or `any_engine`; else None. Raises BadInput and ModelError."""
    if not any_engine and choose_gguf(settings.model) is None:
        return None
    many, lengths = _numbers(concurrent or CONCURRENT), _numbers(prompts or PROMPTS)
    room = max(many) * (max(lengths) + new_tokens + 64)
    model = settings.model.model_copy(
        update={
            "max_concurrent": max(settings.model.max_concurrent, *many),
            "kv_cache_tokens": max(settings.model.kv_cache_tokens, room),
        }
    )

    async def load() -> ChatModel:
        return await model_of(settings.model_copy(update={"model": model}), quietly, seed=seed)

    return await run_port(load, many, lengths, new_tokens=new_tokens, repeats=repeats, seed=seed, out=out)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        numbers = {int(part) for part in text.split(",")}
    except ValueError:
        numbers = {0}
    if min(numbers) < 1:
        raise BadInput("--concurrent and --prompts take whole numbers from 1 up with commas between them.")
    return tuple(sorted(numbers))
