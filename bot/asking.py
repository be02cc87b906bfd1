"""Structured tasks: a model's answer is never trusted to be well-formed.

Each task has a strict parser, one retry, and a defined answer when both fail, which is the caller's. Failures are
logged and counted in `failures`, so that a model unfit for a task is noticed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import structlog

from bot.domain import GenerationRequest, Skill
from bot.errors import MalformedOutput, ModelError
from bot.ports import ChatModel

T = TypeVar("T")

RETRY_TEMPERATURE = 0.5
"""The second try is sampled: the likeliest answer has just failed."""

failures: Counter[str] = Counter()
"""Task → number of answers that could not be parsed, since the program started."""

_counted: ContextVar[Counter[str] | None] = ContextVar("counted", default=None)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What came of asking: `value` is None when both tries were malformed. `tokens` counts prompts and answers."""

    value: T | None
    tokens: int


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Counts as `failures` does, but only what is asked inside, by this asyncio task and those that it starts."""
    mine = Counter[str]()
    before = _counted.set(mine)
    try:
        yield mine
    finally:
        _counted.reset(before)


def trusted(model: ChatModel | None, way: str, skill: Skill | None = None) -> ChatModel | None:
    """`model`, if structured tasks are to be put to it. `way` is a setting: model, extractive, or auto.

    `auto` asks models that follow instructions or were tuned for this `skill`, and no others.
    """
    if model is None or way == "extractive":
        return None
    able = model.description.follows_instructions or skill in model.description.skills
    return model if way == "model" or able else None


def tuned(model: ChatModel, skill: Skill) -> Skill | None:
    """`skill`, for a request to `model` that was tuned for it; else None."""
    return skill if skill in model.description.skills else None


async def complete(model: ChatModel, request: GenerationRequest) -> tuple[str, int]:
    """The whole answer to `request`, and the tokens it used. Raises what `ChatModel.stream` raises."""
    pieces: list[str] = []
    tokens = 0
    async for chunk in model.stream(request):
        pieces.append(chunk.text)
        tokens = chunk.prompt_tokens + chunk.completion_tokens
    return "".join(pieces), tokens


async def ask(model: ChatModel, request: GenerationRequest, parse: Callable[[str], T], task: str) -> Answer[T]:
    """Asks once, and once more when `parse` raises MalformedOutput. Raises what `ChatModel.stream` raises."""
    tokens = 0
    for attempt in (request, replace(request, temperature=RETRY_TEMPERATURE)):
        try:
            text, used = await complete(model, attempt)
        except ModelError as error:
            error.tokens = tokens
            raise
        tokens += used
        try:
            return Answer(parse(text), tokens)
        except MalformedOutput as error:
            failures[task] += 1
            if (mine := _counted.get()) is not None:
                mine[task] += 1
            _log.info("malformed answer", task=task, reason=str(error), tokens=used)
    return Answer(None, tokens)
