"""The language model of a GGUF file, run by llama.cpp in this process: a `ChatModel` that loads in seconds.

Neither torch nor transformers is imported here. What llama.cpp is and how it is asked is `llama_server.py`; which place
in its cache a prompt gets is `slots.py`.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

from bot.config import Model
from bot.domain import ChatMessage, Chunk, FinishReason, GenerationRequest, ModelDescription, Skill
from bot.errors import ModelFailed, ModelUnavailable
from bot.llm.abilities import FOLLOWS_FROM, advice, comfortable_tokens
from bot.llm.admission import Admission, Ticket
from bot.llm.chat_shapes import no_chat_template
from bot.llm.generation import Generation, Turn, take_in
from bot.llm.gguf_files import GgufFile, find_gguf
from bot.llm.gguf_template import GgufTemplate
from bot.llm.hidden_states import StateReader
from bot.llm.llama_server import LlamaServer, Part, Start
from bot.llm.machine import threads
from bot.llm.prompt_beginnings import Beginnings, beginnings_folder
from bot.llm.skills import in_words, room_for
from bot.llm.slots import Slot, Slots, common
from bot.llm.thinking import AnswerText
from bot.ports import Vector

SLOTS_PER_REQUEST = 4
"""Places in the cache for each request that may run at once: as many conversations keep theirs while others talk."""
MOST_SLOTS = 64
TIGHT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
"""How JSON is laid out. Where white space may be of any length, small models go on with it until the answer is cut."""


class LlamaCppChatModel:
    """A `ChatModel` (bot/ports) in this process. Build it with `load_llama_cpp_model`.

    Greedy answers repeat exactly when nothing else runs. In company, rounding depends on the batch, and two nearly
    equal tokens may change places.
    """

    def __init__(
        self,
        server: LlamaServer,
        file: GgufFile,
        description: ModelDescription,
        settings: Model,
        seed: int | None,
        digest: str = "",
        admission: Admission | None = None,
    ) -> None:
        """`digest`: of the file, where the server gives hidden states. `admission`: of a model it takes turns with."""
        self._server = server
        self._template = GgufTemplate(server)
        self.description = description
        self._skills = sorted(description.skills)
        capacity = settings.kv_cache_tokens
        self.slots = Slots(slots_for(settings), capacity)
        """What llama.cpp works on, for those who watch it."""
        self.admission = admission or Admission(settings.max_concurrent, settings.max_waiting, capacity)
        """Who runs and who waits, for those who watch it."""
        self._threads = ThreadPoolExecutor(slots_for(settings) + bool(digest), "llama")
        self._states = StateReader(server, self._template, self._threads, len(self._skills))
        self._turns: set[Turn] = set()
        self._seeds = count(seed) if seed is not None else None
        self._beginnings = Beginnings(server, beginnings_folder(settings.cache_dir), file.path)
        self._closed = False
        self.model_digest = digest

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """The number of tokens of the whole prompt, with the chat template and the opening of the reply."""
        return len(self._template.encode(messages))

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Chunk]:
        """The reply, piece by piece; see `ChatModel.stream`.

        A background request that gave way to a reply goes on where it stopped: nothing is said twice. One with a
        schema or choices begins again, and comes as one piece, since a grammar cannot begin in the middle.
        """
        generation = self._begin(request)
        if request.most_unread is not None and self._unread(generation) > request.most_unread:
            generation.finish = FinishReason.DEADLINE
        ticket = Ticket(request.priority, len(generation.prompt) + generation.room, on_preempt=generation.give_way)
        while generation.finish is None:
            self._refuse_if_closed()
            if not await self.admission.enter(ticket, generation.deadline):
                generation.finish = FinishReason.DEADLINE
                break
            generation.turn = Turn(generation.tokens)
            try:
                async with aclosing(self._turn(generation, generation.turn)) as pieces:
                    async for piece in pieces:
                        if not request.constrained:
                            yield Chunk(piece)
            finally:
                self.admission.leave(ticket)
            if ticket.preempted and request.constrained and generation.finish is None:
                generation.text, generation.tokens, generation.likelihood = "", 0, 0.0
        if generation.finish is FinishReason.STOP and generation.answer.thinking.inside:
            generation.finish = FinishReason.LENGTH
        tail = generation.answer.finish(whole=False)
        yield Chunk(
            generation.text if request.constrained else tail,
            generation.finish,
            len(generation.prompt),
            generation.tokens,
            generation.cached or 0,
            generation.likelihood if request.likelihood else None,
        )

    async def hidden_state(self, messages: Sequence[ChatMessage], opening: str, deadline: timedelta) -> Vector:
        """See `HiddenStates.hidden_state`."""
        self._refuse_if_closed()
        if not self.model_digest:
            raise ModelUnavailable("No hidden states are asked of this model.")
        return await self._states.state(messages, opening, deadline)

    async def aclose(self) -> None:
        """Ends what is running and frees all memory. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        for turn in self._turns:
            turn.end()
        self.admission.close(_gone())
        await asyncio.to_thread(self._close_server)

    def _close_server(self) -> None:
        self._threads.shutdown()
        self._server.close()

    def _begin(self, request: GenerationRequest) -> Generation:
        self._refuse_if_closed()
        prompt = self._template.encode(request.messages)
        room = room_for(request, len(prompt), self.description.context_tokens, self.description)
        deadline = asyncio.get_running_loop().time() + request.deadline.total_seconds()
        answer = AnswerText(request.stop, begun=self._template.begins_thinking)
        return Generation(request, prompt, room, deadline, answer)

    async def _turn(self, generation: Generation, turn: Turn) -> AsyncGenerator[str]:
        """One turn at the server: until the end, or until a reply needs the place."""
        prompt = [*generation.prompt, *(self._template.plain(generation.text) if generation.text else ())]
        shared = self._shared_of(generation.request, prompt)
        slot = await self.slots.take(prompt, generation.room - turn.before, generation.request.skill, len(shared))
        self._turns.add(turn)
        ended = self._submit(self._asked(generation, prompt, slot), turn, slot, shared)
        try:
            while generation.finish is None and not turn.over:
                part = await self._next(generation, turn)
                if part is None:
                    break
                piece = take_in(generation, turn, part)
                if piece:
                    yield piece
            if generation.finish is None and not turn.over and ended.done():
                raise self._failure(ended)
        finally:
            turn.over = True
            self.slots.leave(slot, prompt)
            self._turns.discard(turn)
        if generation.finish is None:
            self._refuse_if_closed()

    def _unread(self, generation: Generation) -> int:
        """The tokens of a prompt that no slot holds and that are not kept as a file."""
        prompt, request = generation.prompt, generation.request
        shared = self._shared_of(request, prompt)
        kept = len(shared) if shared and self._beginnings.has(shared) else 0
        return len(prompt) - max(self.slots.held(prompt, request.skill), kept)

    def _shared_of(self, request: GenerationRequest, prompt: Sequence[int]) -> Sequence[int]:
        """The tokens that every conversation begins with; none under an adapter, whose reading is its own."""
        if not request.shared or request.skill is not None:
            return ()
        return prompt[: common(self._template.encode(request.messages[: request.shared]), prompt)]

    def _submit(self, asked: Mapping[str, Any], turn: Turn, slot: Slot, shared: Sequence[int]) -> asyncio.Future[None]:
        """Has a thread work on it, which gives the slot back when the server has let go of it."""
        loop = asyncio.get_running_loop()

        def take(part: Part) -> bool:
            if not turn.over:
                loop.call_soon_threadsafe(turn.parts.put_nowait, part)
            return turn.over

        def work() -> None:
            try:
                if slot.kept < len(shared) and not self._beginnings.fill(slot.number, asked, shared, lambda: turn.over):
                    slot.tokens = ()  # what it was to hold has not been read
                    return
                self._server.complete(asked, take)
            finally:
                self.slots.give_back(slot)

        def finished(done: asyncio.Future[None]) -> None:
            done.exception()  # looked at, also where nobody waits for it any more
            turn.parts.put_nowait(None)

        future = loop.run_in_executor(self._threads, work)
        future.add_done_callback(finished)
        return future

    async def _next(self, generation: Generation, turn: Turn) -> Part | None:
        """What the server says next; None at the deadline, at the end, or when the turn was taken away."""
        try:
            async with asyncio.timeout_at(generation.deadline):
                return await turn.parts.get()
        except TimeoutError:
            generation.finish = FinishReason.DEADLINE
            return None

    def _failure(self, ended: asyncio.Future[None]) -> ModelFailed:
        """The error for an answer that ended without an end. What the server says may quote the prompt."""
        reason = type(ended.exception()).__name__ if ended.exception() is not None else "it broke off"
        return ModelFailed(f"The model could not finish this answer ({reason}). Another try may succeed.")

    def _asked(self, generation: Generation, prompt: Sequence[int], slot: Slot) -> dict[str, Any]:
        request = generation.request
        asked: dict[str, Any] = {
            "prompt": list(prompt),
            "max_tokens": generation.room - generation.tokens,
            "temperature": request.temperature,
            "top_p": request.top_p,
            "samplers": ["temperature", "top_p"],
            "stream": True,
            "return_progress": True,
            "timings_per_token": True,
            "cache_prompt": True,
            "id_slot": slot.number,
        }
        if self._skills:  # without this, llama.cpp would go on with what was read with another adapter
            asked["lora"] = [
                {"id": number, "scale": float(skill is request.skill)} for number, skill in enumerate(self._skills)
            ]
        if request.likelihood:
            asked["logprobs"] = 1
        if request.schema is not None:
            asked["json_schema"] = {**request.schema, "x-guidance": TIGHT}
        elif request.choices:
            asked["grammar"] = "root ::= " + " | ".join(json.dumps(one, ensure_ascii=False) for one in request.choices)
        if self._seeds is not None:
            asked["seed"] = next(self._seeds)
        return asked

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise _gone()


def slots_for(settings: Model) -> int:
    """The places in the cache: more than may run at once, so that conversations that pause find theirs again."""
    return max(settings.max_concurrent, min(SLOTS_PER_REQUEST * settings.max_concurrent, MOST_SLOTS))


async def load_llama_cpp_model(
    settings: Model,
    file: Path,
    name: str,
    *,
    adapters: Mapping[Skill, Path] | None = None,
    seed: int | None = None,
    digest: str = "",
    admission: Admission | None = None,
) -> LlamaCppChatModel:
    """Loads a GGUF file. Takes seconds, and the first answer a little longer than others: `read_ahead` sees to that.

    `adapters` are LoRA files in GGUF that fit the model. `seed` makes sampling repeatable. `digest`, the file's, has it
    give hidden states too; with the `admission` of another model the two take turns. Raises ModelUnavailable, with a
    sentence that names the setting to change.
    """

    def load() -> LlamaCppChatModel:
        found, tuned = find_gguf(str(file)), adapters or {}
        if not found.chat_template:
            raise ModelUnavailable(no_chat_template(name))
        start = Start(
            file=found.path,
            slots=slots_for(settings),
            context_tokens=settings.kv_cache_tokens,
            device=settings.device,
            threads=threads(),
            prefixes=beginnings_folder(settings.cache_dir),
            adapters=[tuned[skill] for skill in sorted(tuned)],
            hidden_states=bool(digest),
        )
        server = LlamaServer(start)
        description = _describe(found, name, settings, server, tuned)
        return LlamaCppChatModel(server, found, description, settings, seed, digest, admission)

    return await asyncio.to_thread(load)


def _describe(
    file: GgufFile, name: str, settings: Model, server: LlamaServer, skills: Mapping[Skill, Path]
) -> ModelDescription:
    context = min(file.context_tokens or settings.kv_cache_tokens, settings.kv_cache_tokens)
    tuned = f", tuned for {in_words(skills)}" if skills else ""
    where = "the GPU" if server.on_gpu else "the CPU"
    return ModelDescription(
        name=name,
        detail=f"{file.quantization or 'GGUF'} in llama.cpp on {where}{tuned}",
        advice=advice(file.parameters, on_gpu=server.on_gpu),
        context_tokens=context,
        comfortable_tokens=comfortable_tokens(file.parameters, context),
        follows_instructions=file.parameters >= FOLLOWS_FROM,
        skills=frozenset(skills),
        decodes_schemas=True,
        chooses=True,
        reads_ahead=True,
    )


def _gone() -> ModelUnavailable:
    return ModelUnavailable("The model has been closed.")
