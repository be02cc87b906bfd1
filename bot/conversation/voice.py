"""The model's part of a turn: a prompt in, a reply that is fit to be sent out, shown while it grows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

import structlog

from bot import texts
from bot.config import Model as ModelSettings
from bot.conversation.delivery import Delivery
from bot.conversation.prompt import Prompt
from bot.conversation.reply import clean, stop_texts, whole_sentences, without_said
from bot.domain import FinishReason, GenerationRequest, Place
from bot.errors import ModelError
from bot.ports import ChatModel

CALM_TEMPERATURE = 0.2
"""Very small models are held to it. SmolLM2-135M answers as aptly up to 0.4 as greedily, and less so at 0.7."""

LIVELY_TEMPERATURE = 0.8
"""For a second try when a very small model repeats what it said before."""

SMALL_TOKENS = 60
"""Tokens of a very small model's reply at most: two or three sentences. Beyond, it rambles."""

NOTES_BEGIN = ("\n(",)
"""Where very small models go on to recite the notes that they were shown."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A reply's text; `failed`: it is only an apology, because the model gave none."""

    text: str
    failed: bool = False


class Voice:
    """Asks the model for replies."""

    def __init__(self, *, model: ChatModel, delivery: Delivery, settings: ModelSettings) -> None:
        self._model = model
        self._delivery = delivery
        self._settings = settings
        self._small = not model.description.follows_instructions

    async def speak(self, prompt: Prompt, place: Place, said_before: Collection[str]) -> Spoken:
        """The reply to `prompt`, shown in `place` as it grows. Never empty, and never an exception of the model's.

        What a very small model says again of `said_before` (the agent's replies in the session so far) is left out;
        when nothing else remains, it gets a second try.
        """
        wanted = self._settings.temperature
        try:
            async with self._delivery.typing(place):
                text = await self._once(prompt, place, min(wanted, CALM_TEMPERATURE) if self._small else wanted)
                if self._small:
                    text = (
                        without_said(text, said_before)
                        or without_said(await self._again(prompt, place), said_before)
                        or text
                    )
        except ModelError as error:
            _log.error("no reply from the model", error=type(error).__name__, reason=str(error))
            return Spoken(texts.MODEL_FAILED, failed=True)
        return Spoken(text or texts.EMPTY_REPLY)

    async def _again(self, prompt: Prompt, place: Place) -> str:
        """The second try; empty when the model fails at it, because the first answer can still be sent."""
        try:
            return await self._once(prompt, place, LIVELY_TEMPERATURE)
        except ModelError as error:
            _log.warning("no second try from the model", error=type(error).__name__, reason=str(error))
            return ""

    async def _once(self, prompt: Prompt, place: Place, temperature: float) -> str:
        wanted = self._settings.max_new_tokens
        request = GenerationRequest(
            prompt.messages,
            max_tokens=min(wanted, SMALL_TOKENS) if self._small else wanted,
            temperature=temperature,
            top_p=self._settings.top_p,
            stop=stop_texts(prompt.labels) + (NOTES_BEGIN if self._small else ()),
            deadline=timedelta(seconds=self._settings.deadline_s),
        )
        said, finish = "", None
        async for chunk in self._model.stream(request):
            said, finish = said + chunk.text, chunk.finish
            await self._delivery.show(place, clean(said, prompt.labels, finished=False))
        text = clean(said, prompt.labels)
        return whole_sentences(text) if finish in {FinishReason.LENGTH, FinishReason.DEADLINE} else text
