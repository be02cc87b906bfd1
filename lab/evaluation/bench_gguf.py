"""`lab bench engine` where llama.cpp runs the model: through the port, since its inside cannot be watched."""

from __future__ import annotations

from pathlib import Path

from bot.config import Settings
from bot.errors import BadInput
from bot.llm.gguf_choice import choose_gguf, load_gguf
from bot.ports import ChatModel
from lab.evaluation.engine_port import run_port

CONCURRENT, PROMPTS = "1,8", "500"


async def run_if_gguf(
    settings: Settings,
    concurrent: str | None,
    prompts: str | None,
    *,
    new_tokens: int,
    repeats: int,
    seed: int,
    out: Path | None,
) -> int | None:
    """Measures the model if it is one for llama.cpp; None when it is not. Raises BadInput and ModelError."""
    choice = choose_gguf(settings.model)
    if choice is None:
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
        loaded: ChatModel = await load_gguf(choice, model, seed=seed)
        return loaded

    return await run_port(load, many, lengths, new_tokens=new_tokens, repeats=repeats, seed=seed, out=out)


def _numbers(text: str) -> tuple[int, ...]:
    try:
        numbers = {int(part) for part in text.split(",")}
    except ValueError:
        numbers = {0}
    if min(numbers) < 1:
        raise BadInput("--concurrent and --prompts take whole numbers from 1 up with commas between them.")
    return tuple(sorted(numbers))
