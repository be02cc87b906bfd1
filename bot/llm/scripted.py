"""The shipped fakes of the model ports: a chat model that says what it was told to, and an encoder of word counts.

They are real implementations of `ChatModel`, `HiddenStates` and `Encoder` (the contract suites run on them), quick
enough for tests of the core and for a look at the program without any model.
"""

import asyncio
import hashlib
import re
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from bot.domain import ChatMessage, Chunk, FinishReason, GenerationRequest, ModelDescription, Skill
from bot.errors import ModelFailed, ModelUnavailable, PromptTooLong
from bot.llm.skills import check_skill
from bot.ports import TokenVectors, Vector, Vectors

Answer = str | Exception
Answers = str | Sequence[Answer] | Callable[[GenerationRequest], Answer]

_PIECE = re.compile(r"\s*\S+")
_WORD = re.compile(r"\w+")
_DESCRIPTION = ModelDescription(
    name="scripted",
    detail="answers written beforehand",
    advice="",
    context_tokens=8192,
    comfortable_tokens=3500,
)


class ScriptedChatModel:
    """A `ChatModel` with answers written beforehand, streamed word by word. A token is a whitespace-separated word.

    `answers` is one text (always the same answer), a sequence (one a request, in order; ModelFailed when none is left)
    or a function of the request. An answer that is an exception is raised after `hold`, in place of any text.

    `hold`, when given, is awaited after `hold_after` words of every generation: clear it to keep a generation open,
    set it to let it go on. `context_tokens`, `skills` and `decodes_schemas` are shortcuts for a description that
    differs in these. It decodes nothing: whoever says that it does writes the answers so. `likelihood`: what it says of
    every answer when it is asked (`Chunk.likelihood`).
    """

    def __init__(
        self,
        answers: Answers,
        *,
        description: ModelDescription = _DESCRIPTION,
        context_tokens: int | None = None,
        skills: Collection[Skill] | None = None,
        decodes_schemas: bool = False,
        hold: asyncio.Event | None = None,
        hold_after: int = 0,
        word_s: float = 0.0,
        likelihood: float | None = None,
    ) -> None:
        if context_tokens is not None:
            comfortable = min(context_tokens, description.comfortable_tokens)
            description = replace(description, context_tokens=context_tokens, comfortable_tokens=comfortable)
        if skills is not None:
            description = replace(description, skills=frozenset(skills))
        if decodes_schemas:
            description = replace(description, decodes_schemas=True)
        self._answers = answers if isinstance(answers, str) or callable(answers) else list(answers)
        self.description = description
        self._word_s = word_s
        self._likelihood = likelihood
        self._hold_after = hold_after
        self._closed = False
        self.hold = hold
        self.requests: list[GenerationRequest] = []
        """Every request, in the order in which they were taken."""
        self.running = 0
        """Generations under way."""
        self.cancelled = 0
        """Generations whose reader went away, or was cancelled, before the last chunk."""

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """The number of words of all messages, plus one a message for its role and one for the reply's opening."""
        return 1 + sum(1 + len(message.content.split()) for message in messages)

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """See `ChatModel.stream`. Honours `stop`, `max_tokens` (words), the context length and the deadline."""
        ends = asyncio.get_running_loop().time() + request.deadline.total_seconds()
        prompt_tokens = self._admit(request)
        self.running += 1
        said = 0
        finished = False
        try:
            answer = self._answer(request)
            words, finish = _cut(answer, request, self.description.context_tokens - prompt_tokens)
            # One step more than there are words, so that `hold` also stands after the last one.
            for step in range(len(words) + 1):
                if not await self._step(step, ends):
                    finish = FinishReason.DEADLINE
                    break
                if isinstance(answer, Exception):
                    raise answer
                if step < len(words):
                    said += 1
                    yield Chunk(words[step])
            finished = True
            yield Chunk("", finish, prompt_tokens, said, likelihood=self._likelihood if request.likelihood else None)
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += not finished
            raise
        finally:
            self.running -= 1

    async def aclose(self) -> None:
        """Ends what is held, which then raises ModelUnavailable, and refuses everything after. Sets `hold`."""
        self._closed = True
        if self.hold is not None:
            self.hold.set()

    def _admit(self, request: GenerationRequest) -> int:
        """The prompt's tokens, when the request can be taken."""
        self._refuse_if_closed()
        check_skill(request, self.description)
        self.requests.append(request)
        tokens, limit = self.count_tokens(request.messages), self.description.context_tokens
        if tokens >= limit:
            raise PromptTooLong(f"The prompt has {tokens} tokens and this model takes {limit}, the reply included.")
        return tokens

    def _answer(self, request: GenerationRequest) -> Answer:
        if isinstance(self._answers, str):
            return self._answers
        if callable(self._answers):
            return self._answers(request)
        if not self._answers:
            raise ModelFailed(f"The scripted model has no answer left for request {len(self.requests)}.")
        return self._answers.pop(0)

    async def _step(self, step: int, ends: float) -> bool:
        """Waits as long as the next word takes. False when the deadline passed."""
        remaining = ends - asyncio.get_running_loop().time()
        if remaining <= 0:
            return False
        try:
            async with asyncio.timeout(remaining):
                await asyncio.sleep(self._word_s)
                if self.hold is not None and step >= self._hold_after:
                    await self.hold.wait()
        except TimeoutError:
            return False
        self._refuse_if_closed()
        return True

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise ModelUnavailable("The scripted model is closed.")


class ScriptedStates(ScriptedChatModel):
    """A `ScriptedChatModel` that gives hidden states too: the counts of the hashed words of the last message.

    `hold` holds them as it holds a generation; `states_fail` is raised in their place.
    """

    def __init__(self, answers: Answers, *, digest: str, width: int = 64, hold: asyncio.Event | None = None) -> None:
        super().__init__(answers, hold=hold)
        self.model_digest = digest
        self.states_fail: Exception | None = None
        self.read: list[str] = []
        """The last message of every prompt whose state was asked for."""
        self._encoder = ScriptedEncoder(width)

    async def hidden_state(self, messages: Sequence[ChatMessage], opening: str, deadline: timedelta) -> Vector:
        """See `HiddenStates.hidden_state`."""
        self._refuse_if_closed()
        if not self.model_digest:
            raise ModelUnavailable("The scripted model gives no hidden states.")
        if self.count_tokens(messages) + len(opening.split()) > self.description.context_tokens:
            raise PromptTooLong("The scripted model does not take such a long prompt.")
        self.read.append(messages[-1].content)
        if not await self._step(self._hold_after, asyncio.get_running_loop().time() + deadline.total_seconds()):
            raise ModelFailed("The scripted model did not give its hidden state in time.")
        if self.states_fail is not None:
            raise self.states_fail
        [state] = await self._encoder.encode([messages[-1].content])
        return np.asarray(state, dtype=np.float32)


def _cut(answer: Answer, request: GenerationRequest, room: int) -> tuple[list[str], FinishReason]:
    """The words that the answer has before a stop text or the token limit, and which of them ended it."""
    if isinstance(answer, Exception):
        return [], FinishReason.STOP
    ends = [at for text in request.stop if text and (at := answer.find(text)) >= 0]
    words: list[str] = _PIECE.findall(answer[: min(ends, default=len(answer))])
    limit = min(request.max_tokens, room)
    return words[:limit], FinishReason.LENGTH if len(words) > limit else FinishReason.STOP


class ScriptedEncoder:
    """An `Encoder` of hashed bags of words: texts that share words have similar vectors, the same in every process.

    Each lower-case word adds 1 to one of `dimension` buckets, chosen by its BLAKE2 hash; the sum is scaled to length 1.
    So the cosine of two texts is that of their word counts (up to collisions), and never negative.
    """

    def __init__(self, dimension: int = 256) -> None:
        if dimension < 1:
            raise ValueError(f"dimension should be at least 1 (it is {dimension})")
        self.dimension = dimension
        self.fingerprint = f"scripted-words-1:{dimension}"
        self.texts: list[str] = []
        """Every text that was encoded, in order."""

    async def encode(self, texts: Sequence[str]) -> Vectors:
        """See `Encoder.encode`. A text without words gets the vector of the empty word."""
        self.texts.extend(texts)
        return np.stack([self._vector(text) for text in texts]) if texts else np.zeros((0, self.dimension), np.float32)

    async def encode_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        """See `Encoder.encode_tokens`. Every word is a token, and has the same vector in every text."""
        none = np.zeros((0, self.dimension), np.float32)
        found: list[TokenVectors] = []
        for text in texts:
            words = tuple(_WORD.findall(text.lower()))
            found.append(TokenVectors(words, np.stack([self._vector(word) for word in words]) if words else none))
        return found

    def _vector(self, text: str) -> NDArray[np.float32]:
        counts = np.zeros(self.dimension, np.float32)
        for word in _WORD.findall(text.lower()) or [""]:
            digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
            counts[int.from_bytes(digest, "big") % self.dimension] += 1.0
        return counts / np.float32(np.linalg.norm(counts))
