"""The model's part of a turn: a prompt in, a reply that is fit to be sent out, shown while it grows."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from time import perf_counter

import structlog

from bot import texts
from bot.config import Model as ModelSettings
from bot.conversation.prompt import Prompt
from bot.conversation.reply import clean, stop_texts, whole_sentences, without_said
from bot.domain import Chunk, FinishReason, GenerationRequest
from bot.errors import ModelError
from bot.ports import ChatModel, Live

CALM_TEMPERATURE = 0.2
"""Very small models are held to it. SmolLM2-135M answers as aptly up to 0.4 as greedily, and less so at 0.7."""

LIVELY_TEMPERATURE = 0.8
"""For a second try when a very small model repeats what it said before."""

SMALL_TOKENS = 60
"""Tokens of a very small model's reply at most: two or three sentences. Beyond, it rambles."""

NOTES_BEGIN = ("\n(",)
"""Where very small models go on to recite the notes that they were shown."""

METERED = 20
"""Generations over which the speed is measured."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reply's text, and the tokens it has cost, prompt included."""

    text: str
    tokens: int = 0
    fixed: bool = False
    """Whether it is a sentence of `bot.texts`, such as an apology, because there is none of the model's."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What one generation gave, cleaned."""

    text: str
    tokens: int


class Voice:
    """Asks the model for replies."""

    def __init__(self, *, model: ChatModel, settings: ModelSettings) -> None:
        self._model = model
        self._settings = settings
        self._small = not model.description.follows_instructions
        self._speeds: deque[tuple[int, float]] = deque(maxlen=METERED)

    @property
    def tokens_per_s(self) -> float:
        """How many tokens of a reply came in a second, over the latest generations; 0 before the first."""
        seconds = sum(time for _, time in self._speeds)
        return sum(tokens for tokens, _ in self._speeds) / seconds if seconds else 0.0

    async def speak(self, prompt: Prompt, live: Live, said_before: Collection[str]) -> Spoken:
        """The reply to `prompt`, shown as it grows. Never empty, and never an exception of the model's.

        What a very small model says again of `said_before` (the agent's replies in the session so far) is left out;
        when nothing else remains, it gets a second try. Cancelling it ends the generation.
        """
        wanted = self._settings.temperature
        try:
            first = await self._once(prompt, live, min(wanted, CALM_TEMPERATURE) if self._small else wanted)
        except ModelError as error:
            _log.error("no reply from the model", error=type(error).__name__, reason=str(error))
            return Spoken(texts.MODEL_FAILED, error.tokens, fixed=True)
        text, tokens = first.text, first.tokens
        if self._small:
            text = without_said(first.text, said_before)
            if not text:
                second = await self._again(prompt, live)
                text, tokens = without_said(second.text, said_before) or first.text, tokens + second.tokens
        return Spoken(text or texts.EMPTY_REPLY, tokens, fixed=not text)

    async def _again(self, prompt: Prompt, live: Live) -> _Said:
        """The second try; empty when the model fails at it, because the first answer can still be sent."""
        try:
            return await self._once(prompt, live, LIVELY_TEMPERATURE)
        except ModelError as error:
            _log.warning("no second try from the model", error=type(error).__name__, reason=str(error))
            return _Said("", error.tokens)

    async def _once(self, prompt: Prompt, live: Live, temperature: float) -> _Said:
        wanted = self._settings.max_new_tokens
        request = GenerationRequest(
            prompt.messages,
            max_tokens=min(wanted, SMALL_TOKENS) if self._small else wanted,
            temperature=temperature,
            top_p=self._settings.top_p,
            stop=stop_texts(prompt.labels) + (NOTES_BEGIN if self._small else ()),
            deadline=timedelta(seconds=self._settings.deadline_s),
            skill=prompt.skill,
        )
        said, last, start = "", Chunk(""), perf_counter()
        async for chunk in self._model.stream(request):
            said, last = said + chunk.text, chunk
            live.show(clean(said, prompt.labels, finished=False))
        self._speeds.append((last.completion_tokens, perf_counter() - start))
        text = clean(said, prompt.labels)
        if last.finish in {FinishReason.LENGTH, FinishReason.DEADLINE}:
            text = whole_sentences(text)
        return _Said(text, last.prompt_tokens + last.completion_tokens)
