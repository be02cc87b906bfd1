"""The language model on this machine: transformers, 4-bit weights, many people answered in one forward pass.

Importing this module takes seconds (torch, transformers), so `app` imports it only when the local engine is wanted.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from transformers.generation.continuous_batching.requests import GenerationOutput

from bot.config import Model
from bot.domain import ChatMessage, Chunk, FinishReason, GenerationRequest, Role
from bot.errors import ModelFailed, ModelUnavailable
from bot.llm.admission import Admission, Ticket
from bot.llm.detokenise import TextStream
from bot.llm.engine import Engine, Job
from bot.llm.loading import Loaded, load
from bot.llm.skills import room_for
from bot.ports import Report, quietly

HEARTBEAT_S = 1.0
"""How often a waiting request looks whether the generation thread still lives."""
WARM_UP = GenerationRequest((ChatMessage(Role.USER, "Say hello. " * 20),), max_tokens=8)


@dataclass(slots=True)
class _Generation:
    """One request on its way: what is known of it, over all the turns it takes."""

    request: GenerationRequest
    prompt: list[int]
    room: int
    """The tokens it may generate: what was asked for, or what the context has left."""
    text: TextStream
    eos: frozenset[int]
    deadline: float
    tokens: list[int] = field(default_factory=list)
    finish: FinishReason | None = None
    updates: asyncio.Queue[GenerationOutput | None] = field(default_factory=asyncio.Queue)
    """What the engine delivered in this turn; None wakes the request up to see that its turn was taken away."""

    def take(self, output: GenerationOutput, before: int) -> str:
        """Adds the new tokens of an engine output whose turn began after `before` tokens. Returns the certain text."""
        new = output.generated_tokens[len(self.tokens) - before :]
        ended = bool(new) and new[-1] in self.eos
        self.tokens.extend(new[:-1] if ended else new)
        piece = self.text.push(new[:-1] if ended else new)
        if ended or self.text.stopped:
            self.finish = FinishReason.STOP
        elif output.is_finished():
            self.finish = FinishReason.LENGTH
        return piece


class LocalChatModel:
    """A `ChatModel` (bot/ports) in this process. Build it with `load_local_model`.

    Greedy answers repeat exactly when nothing else runs. In company, the rounding of bfloat16 depends on the batch, and
    two nearly equal tokens may change places.
    """

    def __init__(self, loaded: Loaded, engine: Engine, settings: Model) -> None:
        self._loaded: Loaded | None = loaded
        self._template = loaded.template
        self.description = loaded.description
        self.engine = engine
        """The generation thread, for those who watch it."""
        self._context = min(loaded.description.context_tokens, engine.capacity)
        self.admission = Admission(settings.max_concurrent, settings.max_waiting, engine.capacity)
        """Who runs and who waits, for those who watch it."""

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """The number of tokens of the whole prompt, with the chat template and the opening of the reply."""
        return len(self._template.encode(messages))

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Chunk]:
        """The reply, piece by piece; see `ChatModel.stream`.

        A background request that gave way to a reply goes on where it stopped: nothing is said twice.
        """
        generation = self._begin(request)
        ticket = Ticket(
            request.priority,
            self.engine.in_pages(len(generation.prompt) + generation.room),
            on_preempt=lambda: generation.updates.put_nowait(None),
        )
        while generation.finish is None:
            if not self.engine.alive:
                raise self.engine.gone()
            if not await self.admission.enter(ticket, generation.deadline):
                generation.finish = FinishReason.DEADLINE
                break
            try:
                async with aclosing(self._turn(generation, ticket)) as pieces:
                    async for piece in pieces:
                        yield Chunk(piece)
            finally:
                self.admission.leave(ticket)
        if generation.finish is FinishReason.STOP and generation.text.thinking:
            generation.finish = FinishReason.LENGTH
        tail = generation.text.finish()
        yield Chunk(tail, generation.finish, len(generation.prompt), len(generation.tokens))

    async def warm_up(self) -> None:
        """Small generations, so that the first real ones do not wait for what is only set up when it is used."""
        for skill in (None, *sorted(self.description.skills)):
            request = WARM_UP if skill is None else replace(WARM_UP, skill=skill, max_tokens=1)
            async with aclosing(self.stream(request)) as chunks:
                async for _ in chunks:
                    pass

    async def aclose(self) -> None:
        """Ends what is running and frees all memory. Safe to call twice."""
        self._loaded = None
        await asyncio.to_thread(self.engine.close)
        self.admission.close(self.engine.gone())

    def _begin(self, request: GenerationRequest) -> _Generation:
        loaded = self._loaded
        if loaded is None or not self.engine.alive:
            raise self.engine.gone()
        prompt = self._template.encode(request.messages)
        room = room_for(request, len(prompt), self._context, self.description)
        deadline = asyncio.get_running_loop().time() + request.deadline.total_seconds()
        text = TextStream(loaded.decode, request.stop, begun=self._template.begins_thinking)
        return _Generation(request, prompt, room, text, loaded.eos, deadline)

    async def _turn(self, generation: _Generation, ticket: Ticket) -> AsyncGenerator[str]:
        """One turn at the engine: until the end, or until a reply needs the place."""
        before = len(generation.tokens)
        generation.updates = asyncio.Queue()
        request = generation.request
        job = Job(
            generation.prompt + generation.tokens,
            generation.room - before,
            request.temperature,
            request.top_p,
            request.skill,
        )
        request_id = self.engine.submit(job, generation.updates.put_nowait)
        try:
            while generation.finish is None and not ticket.preempted:
                output = await self._next_output(generation)
                piece = generation.take(output, before) if output is not None else ""
                if piece:
                    yield piece
        finally:
            self.engine.cancel(request_id)

    async def _next_output(self, generation: _Generation) -> GenerationOutput | None:
        """What the engine says next. None after a heartbeat without news, a lost turn, or at the deadline."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout_at(min(generation.deadline, loop.time() + HEARTBEAT_S)):
                output = await generation.updates.get()
        except TimeoutError:
            output = None
        if output is not None and output.error is not None:
            if not self.engine.alive:
                raise self.engine.gone()
            raise ModelFailed(f"The model could not finish this answer ({output.error}). Another try may succeed.")
        if loop.time() >= generation.deadline and (output is None or not output.is_finished()):
            generation.finish = FinishReason.DEADLINE
        elif output is None and not self.engine.alive:
            raise self.engine.gone()
        return output


async def load_local_model(settings: Model, *, progress: Report = quietly, seed: int | None = None) -> LocalChatModel:
    """Loads the model that `settings` name, and warms it up: after this, the first answer is as quick as the others.

    `progress` gets a sentence at each long step, from another thread. `seed` makes sampling repeatable. Raises
    ModelUnavailable, with a sentence that names the setting to change.
    """
    loaded, engine = await asyncio.to_thread(_load_and_start, settings, progress, seed)
    model = LocalChatModel(loaded, engine, settings)
    try:
        await model.warm_up()
    except BaseException:
        await model.aclose()
        raise
    return model


def _load_and_start(settings: Model, progress: Report, seed: int | None) -> tuple[Loaded, Engine]:
    loaded = load(settings, progress)
    try:
        engine = Engine(
            loaded.take_model(),
            max_concurrent=settings.max_concurrent,
            kv_cache_tokens=settings.kv_cache_tokens,
            eos=loaded.eos,
            seed=seed,
            adapters=loaded.adapters,
        )
    except ValueError as error:
        raise ModelUnavailable(
            f"{loaded.description.name} cannot answer several people at once in this program ({error}). "
            "Choose another model.id."
        ) from error
    engine.start()
    return loaded, engine
