"""A chat model on any server that speaks the OpenAI API: vLLM, llama.cpp, Ollama and the like.

The server batches and decodes. This side admits requests (replies first), tries again what failed before the first
word, ends at the deadline with what has arrived, and closes the connection of a generation that nobody reads any more,
which is how these servers learn that they can stop.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from openai import AsyncOpenAI, AsyncStream, DefaultAsyncHttpxClient, Timeout
from pydantic import BaseModel, SecretStr, ValidationError

from bot.config import Model, Remote
from bot.domain import ChatMessage, Chunk, FinishReason, GenerationRequest, ModelDescription
from bot.errors import ModelError, ModelUnavailable
from bot.llm.admission import Admission, Ticket
from bot.llm.dialect import Dialect
from bot.llm.estimate import TokenEstimate
from bot.llm.faults import (
    FAULTS,
    BrokenStream,
    Fault,
    address,
    explain,
    explain_start,
    may_pass,
    no_such_model,
    not_a_server,
    pause_before_retry,
    status_of,
)
from bot.llm.skills import check_skill
from bot.llm.stopping import StopTexts

NOT_FOUND = 404
CONNECT_S = 10.0
"""The longest a connection may take to be made."""
COMFORT = ((3e8, 900), (1e9, 1500), (3e9, 3000))
"""(parameters under this, tokens of prompt that a model of that size follows well), as for the local engine."""
FOLLOWS_FROM = 1e9
"""Parameters from which structured answers are worth asking for."""
_SIZE_IN_NAME = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bm])(?![a-z])", re.IGNORECASE)


class _Delta(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Part(BaseModel):
    """One piece of a streamed chat completion."""

    choices: list[_Choice] | None = None
    usage: _Usage | None = None


class _Meta(BaseModel):
    n_ctx: int | None = None
    n_params: int | None = None


class _Offer(BaseModel):
    """One model that a server lists. vLLM gives `max_model_len`; llama.cpp gives `aliases` and `meta`."""

    id: str
    max_model_len: int | None = None
    aliases: list[str] | None = None
    meta: _Meta | None = None

    def answers_to(self, name: str) -> bool:
        return name in {self.id, *(self.aliases or ())} or self.id == f"{name}:latest"


class _Offers(BaseModel):
    data: list[_Offer]


class _Reply:
    """What one attempt has brought so far."""

    def __init__(self, request: GenerationRequest, dialect: Dialect) -> None:
        self.dialect = dialect
        self.stops = StopTexts(request.stop)
        self.finish: FinishReason | None = None
        self.usage: _Usage | None = None
        self.pieces = 0

    def take(self, raw: object) -> str:
        """Takes one part of the stream; returns the text that became certain. Raises BrokenStream."""
        try:
            part = _Part.model_validate(raw)
        except ValidationError:
            raise BrokenStream("a part of it is not what the OpenAI API prescribes") from None
        self.usage = part.usage or self.usage
        text = ""
        for choice in part.choices or ():
            if choice.delta is not None and choice.delta.content:
                self.pieces += 1
                text += self.stops.push(choice.delta.content)
            if choice.finish_reason is not None:
                self.finish = FinishReason.LENGTH if choice.finish_reason == "length" else FinishReason.STOP
        if self.stops.stopped:
            self.finish = FinishReason.STOP
        return text


class RemoteChatModel:
    """A `ChatModel` on a server. Made by `connect_remote_model`; owns `client`.

    It has no skills: adapters stand beside the local model only, and the OpenAI API knows none.
    """

    def __init__(self, client: AsyncOpenAI, settings: Model, name: str, description: ModelDescription) -> None:
        self._client = client
        self._remote = settings.remote
        self._name = name
        self._description = description
        self._dialect = Dialect()
        self._estimate = TokenEstimate()
        self._admission = Admission(settings.max_concurrent, settings.max_waiting, capacity=0)
        self._waits: set[asyncio.Timeout] = set()
        self._closed = False

    @property
    def description(self) -> ModelDescription:
        """See `ChatModel.description`."""
        return self._description

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """An estimate (`TokenEstimate`), corrected by what the server counted: servers share no tokenizer API."""
        return self._estimate.count(messages)

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """See `ChatModel.stream`. Token counts are the server's, or estimates where it was stopped before it told."""
        self._refuse_if_closed()
        check_skill(request, self._description)
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
        await self._client.close()

    async def _attempts(self, request: GenerationRequest, ends: float) -> AsyncGenerator[Chunk, None]:
        """The whole generation, tried again as long as no text has been passed on."""
        attempts = itertools.count()
        while True:
            reply, begun = _Reply(request, self._dialect), False
            try:
                async with aclosing(self._pieces(request, reply, ends)) as pieces:
                    async for piece in pieces:
                        begun = True
                        yield Chunk(piece)
            except TimeoutError:
                self._refuse_if_closed()
                reply.finish = reply.finish or FinishReason.DEADLINE
            except FAULTS as fault:
                self._refuse_if_closed()
                if begun or not self._adapt(fault, reply.dialect):
                    await self._pause(fault, next(attempts), ends, begun)
                continue
            yield self._last(request, reply)
            return

    async def _pieces(self, request: GenerationRequest, reply: _Reply, ends: float) -> AsyncGenerator[str, None]:
        """The text of one attempt as it comes. Raises TimeoutError at `ends`, and one of FAULTS."""
        async with self._until(ends):
            stream = await self._client.post(
                "/chat/completions",
                cast_to=object,
                body=reply.dialect.body(request, self._name),
                stream=True,
                stream_cls=AsyncStream[object],
            )
        try:
            while not reply.stops.stopped:
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

    def _adapt(self, fault: Fault, dialect: Dialect) -> bool:
        """Whether the request can be written in another way that the server may take. Remembers that way."""
        other = dialect.after(fault)
        if other is None:
            return False
        self._dialect = other
        return True

    async def _pause(self, fault: Fault, attempt: int, ends: float, begun: bool) -> None:
        """Waits before attempt number `attempt` + 1. Raises the explained fault when there is none."""
        pause = pause_before_retry(fault, attempt)
        now = asyncio.get_running_loop().time()
        if begun or not may_pass(fault) or attempt >= self._remote.retries or now + pause >= ends:
            raise await self._explained(fault, begun) from None
        try:
            async with self._until(ends):
                await asyncio.sleep(pause)
        except TimeoutError:
            self._refuse_if_closed()

    async def _explained(self, fault: Fault, begun: bool) -> ModelError:
        if status_of(fault) != NOT_FOUND:
            return explain(fault, self._remote, begun=begun)
        try:
            offers = await _offers(self._client, self._remote)
        except ModelUnavailable as error:
            return error
        return no_such_model(self._remote, self._name, [offer.id for offer in offers])

    def _last(self, request: GenerationRequest, reply: _Reply) -> Chunk:
        usage = reply.usage or _Usage()
        if usage.prompt_tokens:
            self._estimate.learn(request.messages, usage.prompt_tokens)
        prompt_tokens = usage.prompt_tokens or self.count_tokens(request.messages)
        return Chunk(reply.stops.finish(), reply.finish, prompt_tokens, usage.completion_tokens or reply.pieces)

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
    """Asks the server of `settings.remote` for its models, once, and takes the one that is named (or its first).

    Raises ModelUnavailable when nothing answers, the key is refused, or the model is not there.
    """
    remote = settings.remote
    async with AsyncExitStack() as stack:
        client = _client(remote, api_key)
        stack.push_async_callback(client.close)
        offers = await _offers(client, remote)
        offer = next((offer for offer in offers if not remote.name or offer.answers_to(remote.name)), None)
        if offer is None:
            raise no_such_model(remote, remote.name, [offer.id for offer in offers])
        model = RemoteChatModel(client, settings, remote.name or offer.id, _describe(offer, remote))
        stack.pop_all()
    return model


def _client(remote: Remote, api_key: SecretStr | None) -> AsyncOpenAI:
    parts = urlsplit(remote.base_url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ModelUnavailable(
            f"model.remote.base_url should be an address such as http://127.0.0.1:8080/v1 (it is {address(remote)!r})."
        )
    timeout = Timeout(remote.timeout_s, connect=min(CONNECT_S, remote.timeout_s))
    # What people write goes to a server on this machine directly, also when the environment names a proxy.
    local = parts.hostname in {"localhost", "::1"} or parts.hostname.startswith("127.")
    return AsyncOpenAI(
        base_url=remote.base_url,
        # Without a key the library would send the one in OPENAI_API_KEY, which was not meant for this server.
        api_key=api_key.get_secret_value() if api_key is not None else "none",
        timeout=timeout,
        max_retries=0,
        http_client=DefaultAsyncHttpxClient(timeout=timeout, trust_env=False) if local else None,
    )


async def _offers(client: AsyncOpenAI, remote: Remote) -> list[_Offer]:
    """The models that the server lists. Raises ModelUnavailable."""
    options = client.with_options(max_retries=remote.retries)
    try:
        raw = await options.get("/models", cast_to=object)
        return _Offers.model_validate(raw).data
    except FAULTS as fault:
        raise explain_start(fault, remote) from None
    except ValueError:
        raise not_a_server(remote) from None


def _describe(offer: _Offer, remote: Remote) -> ModelDescription:
    meta = offer.meta or _Meta()
    limits = [limit for limit in (remote.context_tokens, offer.max_model_len, meta.n_ctx) if limit]
    context = min(limits)
    name = PurePosixPath(remote.name or offer.id).name.removesuffix(".gguf")
    parameters = meta.n_params or _parameters(name)
    follows = parameters >= FOLLOWS_FROM
    comfortable = next((tokens for limit, tokens in COMFORT if parameters < limit), context)
    return ModelDescription(
        name=name,
        detail=f"on the server at {address(remote)}",
        advice="" if follows else "This model is very small; load a larger one on the server for better answers.",
        context_tokens=context,
        comfortable_tokens=min(context, comfortable),
        follows_instructions=follows,
    )


def _parameters(name: str) -> float:
    """How many parameters a model has by its name, e.g. "Qwen3-8B"; infinite when the name does not say."""
    found = _SIZE_IN_NAME.search(name)
    return float(found[1]) * (1e9 if found[2] in "bB" else 1e6) if found else float("inf")


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
