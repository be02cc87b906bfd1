"""A chat model on any server that speaks the OpenAI API: vLLM, llama.cpp, Ollama and the like.

The server batches and decodes. This side admits requests (replies first), tries again what failed before the first
word, ends at the deadline with what has arrived, and closes the connection of a generation that nobody reads any more,
which is how these servers learn that they can stop.
"""

import asyncio
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

import structlog
from openai import AsyncStream
from pydantic import BaseModel, SecretStr, ValidationError

from bot.config import Model
from bot.domain import ChatMessage, Chunk, FinishReason, GenerationRequest, ModelDescription
from bot.errors import ModelError, ModelUnavailable
from bot.llm.admission import Admission, Ticket
from bot.llm.dialect import Dialect, obeys
from bot.llm.estimate import TokenEstimate
from bot.llm.faults import (
    FAULTS,
    BrokenStream,
    Fault,
    Overflow,
    explain,
    is_its_own,
    may_pass,
    no_such_model,
    overflow_of,
    pause_before_retry,
    status_of,
)
from bot.llm.remote_server import offers_of
from bot.llm.replicas import Replica, Replicas, connect
from bot.llm.skills import check_skill
from bot.llm.thinking import AnswerText

NOT_FOUND = 404
UNTOLD = 0.75
"""Share of a prompt that was too long, to which prompts are held when the server does not say what it takes."""

_log = structlog.get_logger(__name__)


class _Delta(BaseModel):
    """Servers that take a model's thinking out of its answer send it beside it: llama.cpp and vLLM, Ollama."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(BaseModel):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _PromptDetails(BaseModel):
    cached_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    prompt_tokens_details: _PromptDetails | None = None


class _Part(BaseModel):
    """One piece of a streamed chat completion."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None


class _Reply:
    """What one attempt has brought so far."""

    def __init__(self, request: GenerationRequest, dialect: Dialect) -> None:
        self.dialect = dialect
        self.finish: FinishReason | None = None
        self.usage: _Usage | None = None
        self.pieces = 0
        self._request = request
        self._text = AnswerText(request.stop, begun=dialect.begins_thinking)
        self._said: list[str] = []
        self._answer_pieces = 0
        self._reasoned = False

    @property
    def begun(self) -> bool:
        """Whether text has been passed on."""
        return bool(self._said)

    @property
    def thought(self) -> bool:
        """Whether the model thought aloud, in its text or beside it."""
        return self._reasoned or self._text.thinking.thought

    def take(self, raw: object) -> str:
        """Takes one part of the stream; returns the text that became certain. Raises BrokenStream."""
        try:
            part = _Part.model_validate(raw)
        except ValidationError:
            raise BrokenStream("a part of it is not what the OpenAI API prescribes") from None
        self.usage = part.usage or self.usage
        text = ""
        for choice in part.choices or ():
            text += self._hear(choice.delta or _Delta())
            if choice.finish_reason is not None:
                self.finish = FinishReason.LENGTH if choice.finish_reason == "length" else FinishReason.STOP
        if self._text.stopped:
            self.finish = FinishReason.STOP
        elif self._full and self.finish is None:
            self.finish = FinishReason.LENGTH
        return self._tell(text)

    @property
    def over(self) -> bool:
        """Whether no more of it is wanted."""
        return self._text.stopped or self._full

    @property
    def _full(self) -> bool:
        """Whether the answer is as long as asked for, though the server was given more tokens, to think."""
        return self.dialect.thinks and self._answer_pieces >= self._request.max_tokens

    def rest(self) -> str:
        """The end of the text, once no more comes. Thinking that never came to an answer is a cut answer."""
        whole = self.finish is FinishReason.STOP
        text = self._tell(self._text.finish(whole=whole))
        if whole and self._text.thinking.inside:
            self.finish = FinishReason.LENGTH
        return text

    def taught(self) -> Dialect:
        """How to ask this server from now on."""
        dialect = self.dialect
        if self.thought or self._text.thinking.unannounced:
            dialect = replace(dialect, thinks=True)
        if self._text.thinking.unannounced:
            dialect = replace(dialect, begins_thinking=True)
        elif dialect.begins_thinking and self.finish is FinishReason.STOP and not self._text.thinking.thought:
            dialect = replace(dialect, begins_thinking=False)
        schema = self._request.schema if dialect.decodes_schemas else None
        if schema is not None and self.finish is FinishReason.STOP and not obeys("".join(self._said), schema):
            dialect = dialect.without_schemas()
        return dialect

    def _hear(self, delta: _Delta) -> str:
        self._reasoned = self._reasoned or bool(delta.reasoning_content or delta.reasoning)
        if not delta.content:
            return ""
        self.pieces += 1
        text = self._text.push(delta.content)
        self._answer_pieces += self._text.thinking.answering
        return text

    def _tell(self, text: str) -> str:
        if text:
            self._said.append(text)
        return text


class RemoteChatModel:
    """A `ChatModel` on one server or several. Made by `connect_remote_model`; owns `servers`.

    It has no skills: adapters stand beside the local model only, and the OpenAI API knows none.
    """

    def __init__(self, servers: Replicas, settings: Model, name: str, description: ModelDescription) -> None:
        self._servers = servers
        self._remote = settings.remote
        self._name = name
        self._described = description
        self._dialect = Dialect.of(name)
        self._estimate = TokenEstimate()
        self._admission = Admission(settings.max_concurrent, settings.max_waiting, capacity=0)
        self._waits: set[asyncio.Timeout] = set()
        self._closed = False

    @property
    def description(self) -> ModelDescription:
        """See `ChatModel.description`. What the server shows of itself changes it: its context, and schemas refused."""
        return replace(self._described, decodes_schemas=self._dialect.decodes_schemas)

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """An estimate (`TokenEstimate`), corrected by what the server counted: servers share no tokenizer API."""
        return self._estimate.count(messages)

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """See `ChatModel.stream`. Token counts are the server's, or estimates where it was stopped before it told."""
        self._refuse_if_closed()
        check_skill(request, self._described)
        ends = asyncio.get_running_loop().time() + request.deadline.total_seconds()
        ticket = Ticket(request.priority, tokens=0, on_preempt=_run_on)
        if not await self._admission.enter(ticket, ends):
            yield Chunk("", FinishReason.DEADLINE, self.count_tokens(request.messages))
            return
        try:
            async with aclosing(self._attempts(request, ends)) as chunks:
                async for chunk in chunks:
                    yield chunk
        finally:
            self._admission.leave(ticket)

    async def aclose(self) -> None:
        """See `ChatModel.aclose`. Generations under way raise ModelUnavailable."""
        if self._closed:
            return
        self._closed = True
        self._admission.close(_closed())
        for wait in self._waits:
            if not wait.expired():
                wait.reschedule(asyncio.get_running_loop().time())
        await self._servers.aclose()

    async def _attempts(self, request: GenerationRequest, ends: float) -> AsyncGenerator[Chunk, None]:
        """The whole generation, tried again as long as no text has been passed on."""
        attempts, wasted = itertools.count(), 0
        while True:
            reply, server = _Reply(request, self._dialect), self._servers.pick()
            try:
                with server.asked():
                    async with aclosing(self._pieces(server, request, reply, ends)) as pieces:
                        async for piece in pieces:
                            yield Chunk(piece)
            except TimeoutError:
                self._refuse_if_closed()
                reply.finish = reply.finish or FinishReason.DEADLINE
            except FAULTS as fault:
                self._refuse_if_closed()
                if not self._is_full(fault, reply, request, server):
                    if reply.begun or (other := reply.dialect.after(fault, request)) is None:
                        await self._pause(server, fault, next(attempts), ends, reply.begun)
                    else:
                        self._dialect = other
                    continue
            tail = reply.rest()
            learnt = self._learn(reply)
            if learnt and not reply.begun and reply.finish is not FinishReason.DEADLINE:
                wasted += self._counts(request, reply).completion_tokens
                continue
            yield replace(self._counts(request, reply, wasted), text=tail, finish=reply.finish)
            return

    async def _pieces(
        self, server: Replica, request: GenerationRequest, reply: _Reply, ends: float
    ) -> AsyncGenerator[str, None]:
        """The text of one attempt as it comes. Raises TimeoutError at `ends`, and one of FAULTS."""
        async with self._until(ends):
            stream = await server.client.post(
                "/chat/completions",
                cast_to=object,
                body=reply.dialect.body(request, self._name, self._spare(request)),
                stream=True,
                stream_cls=AsyncStream[object],
            )
        try:
            while not reply.over:
                async with self._until(ends):
                    part = await _next(stream)
                if part is None:
                    break
                if text := reply.take(part):
                    yield text
        except FAULTS:
            # Once the server has said why it ended, nothing is missing but its counts.
            if reply.finish is None:
                raise
        finally:
            await stream.close()
        if reply.finish is None:
            raise BrokenStream("it ended before it was complete")

    def _spare(self, request: GenerationRequest) -> int:
        """Tokens of the context that neither prompt nor reply take."""
        return self._described.context_tokens - self.count_tokens(request.messages) - request.max_tokens

    def _learn(self, reply: _Reply) -> bool:
        """Remembers how to ask from now on; whether a model that thinks has now to be asked in another way."""
        before, taught = reply.dialect, reply.taught()
        if taught == before:
            return False
        self._dialect = taught
        _log.info("the model server is asked in another way", thinks=taught.thinks, schemas=taught.decodes_schemas)
        return taught.thinks and not before.thinks

    def _is_full(self, fault: Fault, reply: _Reply, request: GenerationRequest, server: Replica) -> bool:
        """Whether the context was full in the middle of a reply, which is then cut. Raises PromptTooLong before one."""
        overflow = overflow_of(fault)
        if overflow is None:
            return False
        if reply.begun:
            reply.finish = FinishReason.LENGTH
            return True
        self._learn_limit(overflow, request)
        raise explain(fault, server.remote) from None

    def _learn_limit(self, overflow: Overflow, request: GenerationRequest) -> None:
        """Corrects what is described and estimated by a prompt that was too long."""
        if overflow.prompt_tokens is not None:
            self._estimate.learn(request.messages, overflow.prompt_tokens)
        limit = overflow.limit or round(UNTOLD * self.count_tokens(request.messages))
        context = min(limit, self._described.context_tokens)
        comfortable = min(context, self._described.comfortable_tokens)
        self._described = replace(self._described, context_tokens=context, comfortable_tokens=comfortable)

    async def _pause(self, server: Replica, fault: Fault, attempt: int, ends: float, begun: bool) -> None:
        """Waits before attempt number `attempt` + 1, unless another server can be asked. Raises the explained fault."""
        passes, others = may_pass(fault), False
        if passes or is_its_own(fault):
            others = self._servers.failed(server, explain(fault, server.remote, begun=begun))
            passes = passes or others
        pause = 0.0 if others else pause_before_retry(fault, attempt)
        most = max(self._remote.retries, len(self._servers) - 1)
        now = asyncio.get_running_loop().time()
        if begun or not passes or attempt >= most or now + pause >= ends:
            raise await self._explained(server, fault, begun) from None
        try:
            async with self._until(ends):
                await asyncio.sleep(pause)
        except TimeoutError:
            self._refuse_if_closed()

    async def _explained(self, server: Replica, fault: Fault, begun: bool) -> ModelError:
        if status_of(fault) != NOT_FOUND:
            return explain(fault, server.remote, begun=begun)
        try:
            offers = await offers_of(server.client, server.remote)
        except ModelUnavailable as error:
            return error
        return no_such_model(server.remote, self._name, [offer.id for offer in offers])

    def _counts(self, request: GenerationRequest, reply: _Reply, wasted: int = 0) -> Chunk:
        """A chunk with the token counts alone. `wasted`: tokens of attempts that brought thinking and no answer."""
        usage = reply.usage or _Usage()
        if usage.prompt_tokens:
            self._estimate.learn(request.messages, usage.prompt_tokens)
        return Chunk(
            "",
            prompt_tokens=usage.prompt_tokens or self.count_tokens(request.messages),
            completion_tokens=(usage.completion_tokens or reply.pieces) + wasted,
            cached_tokens=(usage.prompt_tokens_details or _PromptDetails()).cached_tokens or 0,
        )

    @asynccontextmanager
    async def _until(self, ends: float) -> AsyncIterator[None]:
        """A wait that ends with TimeoutError at the loop's time `ends`, or when the model is closed."""
        self._refuse_if_closed()
        async with asyncio.timeout_at(ends) as wait:
            self._waits.add(wait)
            try:
                yield
            finally:
                self._waits.discard(wait)

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise _closed()


async def connect_remote_model(settings: Model, api_key: SecretStr | None) -> RemoteChatModel:
    """Asks the servers of `settings.remote` for their models, once, and takes the one that is named (or the first).

    Raises ModelUnavailable when nothing answers, the key is refused, or the model is not there.
    """
    servers, name, description = await connect(settings.remote, api_key)
    return RemoteChatModel(servers, settings, name, description)


async def _next(stream: AsyncStream[object]) -> object | None:
    """The next part of a stream; None after the last. Raises one of FAULTS."""
    try:
        return await anext(stream, None)
    except ValueError:
        raise BrokenStream("a part of it is not JSON") from None


def _run_on() -> None:
    """Background work that the server has begun is not taken back: it would only have to begin again."""


def _closed() -> ModelUnavailable:
    return ModelUnavailable("The connection to the model server is closed.")
