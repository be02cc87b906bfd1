"""Structured tasks: a model's answer is never trusted to be well-formed.

Each task has a strict parser, one retry, and a defined answer when both fail, which is the caller's. Where the engine
decodes schemas the answer is JSON in the task's `Form`, which the same parser then gets as plain text. An answer that
was cut is no answer. Failures are logged and counted in `failures`, so that a model unfit for a task is noticed.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from bot.domain import Chunk, FinishReason, GenerationRequest, Skill
from bot.errors import MalformedOutput, ModelError
from bot.ports import ChatModel

T = TypeVar("T")

SHORT_PROMPTS = 3000
"""Models that follow no longer prompts than this well have up to some 3B parameters."""

RETRY_TEMPERATURE = 0.5
"""The second try is sampled: the likeliest answer has just failed."""

FORM_TOKENS = 16
"""Tokens that the JSON around an answer may take."""

CUT_FACTOR = 2
"""How many times as many tokens the second try has when the first was cut at its length."""

failures: Counter[str] = Counter()
"""Task → number of answers that could not be parsed, since the program started."""

_counted: ContextVar[Counter[str] | None] = ContextVar("counted", default=None)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What came of asking: `value` is None when both tries were malformed. `tokens` counts prompts and answers."""

    value: T | None
    tokens: int


class Form(BaseModel):
    """The JSON object that a task's answer is, where the engine decodes schemas. Each task has its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def plain(self) -> str:
        """The answer as the task's parser takes it: what its one field says, unless the form says otherwise."""
        [said] = dict(self).values()
        return str(said)

    @classmethod
    def schema_for(cls, model: ChatModel, skill: Skill | None = None) -> Mapping[str, object] | None:
        """The schema for a request; None where the answer is plain text: `model` decodes none, or is tuned for text."""
        return cls.model_json_schema() if model.description.decodes_schemas and skill is None else None

    @classmethod
    def read(cls, text: str) -> str:
        """A JSON answer as plain text. Raises MalformedOutput."""
        try:
            return cls.model_validate_json(text).plain()
        except ValidationError:
            raise MalformedOutput("not in the form that was asked for") from None


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole generation. `tokens` counts prompt and answer."""

    text: str
    tokens: int
    finish: FinishReason | None


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

    `auto` asks models that follow longer instructions or were tuned for this `skill`, and no others. With 1.5B
    parameters the companion knew less than with people's own words, and every reply waited for the work.
    """
    if model is None or way == "extractive":
        return None
    described = model.description
    follows = described.follows_instructions and described.comfortable_tokens > SHORT_PROMPTS
    able = follows or skill in described.skills
    return model if way == "model" or able else None


def tuned(model: ChatModel, skill: Skill) -> Skill | None:
    """`skill`, for a request to `model` that was tuned for it; else None."""
    return skill if skill in model.description.skills else None


async def complete(model: ChatModel, request: GenerationRequest) -> Completion:
    """All that the model answers to `request`, and why it ended. Raises what `ChatModel.stream` raises."""
    pieces: list[str] = []
    last = Chunk("")
    async for last in model.stream(request):
        pieces.append(last.text)
    return Completion("".join(pieces), last.prompt_tokens + last.completion_tokens, last.finish)


async def ask(
    model: ChatModel,
    request: GenerationRequest,
    parse: Callable[[str], T],
    task: str,
    form: type[Form] | None = None,
    *,
    takes_cut: bool = False,
) -> Answer[T]:
    """Asks once, and once more when the answer was cut or `parse` raises MalformedOutput.

    `form`: how the answer is read when the request has its schema. `takes_cut`: an answer that was cut at its length is
    parsed all the same, because its beginning says all. After a deadline there is no second try. Raises what
    `ChatModel.stream` raises.
    """
    read = form.read if form is not None and request.schema is not None else str
    if request.schema is not None:
        request = replace(request, max_tokens=request.max_tokens + FORM_TOKENS)
    tokens, attempt = 0, request
    while True:
        try:
            done = await complete(model, attempt)
        except ModelError as error:
            error.tokens = tokens
            raise
        tokens += done.tokens
        try:
            _refuse_cut(done, takes_cut=takes_cut)
            return Answer(parse(read(done.text)), tokens)
        except MalformedOutput as error:
            _count(task)
            _log.info("malformed answer", task=task, reason=str(error), tokens=done.tokens)
        if attempt is not request or done.finish is FinishReason.DEADLINE:
            return Answer(None, tokens)
        room = request.max_tokens * (CUT_FACTOR if done.finish is FinishReason.LENGTH else 1)
        attempt = replace(request, temperature=RETRY_TEMPERATURE, max_tokens=room)


def _refuse_cut(done: Completion, *, takes_cut: bool) -> None:
    if done.finish is FinishReason.DEADLINE:
        raise MalformedOutput("cut at the deadline")
    if done.finish is FinishReason.LENGTH and not takes_cut:
        raise MalformedOutput("cut at its length")


def _count(task: str) -> None:
    failures[task] += 1
    if (mine := _counted.get()) is not None:
        mine[task] += 1
