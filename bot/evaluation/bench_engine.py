"""How quick a chat model is, alone and with several people at once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from statistics import median

from bot.domain import ChatMessage, GenerationRequest, Role
from bot.ports import ChatModel

QUESTIONS = ("a long walk by the sea", "moving to a new town", "a cake that went wrong", "learning the violin")


@dataclass(frozen=True, slots=True)
class EngineRow:
    """One measurement with `concurrent` requests started together."""

    concurrent: int
    tokens_per_s: float
    """Of all requests together, from the first request to the last token."""
    first_token_s: float
    """The median over the requests: from asking to the first text."""
    prompt_tokens: int
    """Of all requests together."""
    completion_tokens: int


async def measure(model: ChatModel, concurrent: Sequence[int], *, max_tokens: int = 48) -> list[EngineRow]:
    """One row for each number in `concurrent`. The prompts differ, so that no request profits from another's."""
    return [await _measure_together(model, number, max_tokens) for number in concurrent]


async def _measure_together(model: ChatModel, number: int, max_tokens: int) -> EngineRow:
    start = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_ask(model, number, i, max_tokens), name=f"bench-{i}") for i in range(number)]
    elapsed = time.perf_counter() - start
    firsts, prompts, completions = zip(*(task.result() for task in tasks), strict=True)
    return EngineRow(number, sum(completions) / elapsed, median(firsts), sum(prompts), sum(completions))


async def _ask(model: ChatModel, number: int, i: int, max_tokens: int) -> tuple[float, int, int]:
    """Seconds to the first text, prompt tokens and completion tokens of one request."""
    text = f"{number}.{i}: write a long story about {QUESTIONS[i % len(QUESTIONS)]}, with every detail."
    request = GenerationRequest((ChatMessage(Role.USER, text),), max_tokens=max_tokens)
    start = time.perf_counter()
    first, prompt, completion = 0.0, 0, 0
    async with aclosing(model.stream(request)) as chunks:  # type: ignore[type-var]  # all implementations are generators
        async for chunk in chunks:
            first = first or time.perf_counter() - start
            prompt, completion = chunk.prompt_tokens, chunk.completion_tokens
    return first, prompt, completion
