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
from bot.conversation.checking.faults import passing
from bot.conversation.expecting import LEAST_ASKING
from bot.conversation.prompt import BRIEF_TOKENS, Prompt
from bot.conversation.reply import (
    clean,
    ended_sentences,
    repeats_only,
    stop_texts,
    whole_sentences,
    without_said,
)
from bot.domain import Chunk, FinishReason, GenerationRequest
from bot.errors import ModelError, PromptTooLong
from bot.ports import ChatModel, Live, Tagger
from bot.prompting.asking import complete

CALM_TEMPERATURE = 0.2
"""Models of up to some 3B parameters are held to it. SmolLM2-135M answers as aptly up to 0.4 as greedily, and less so
at 0.7."""

LIVELY_TEMPERATURE = 0.8
"""For a second try, when the likeliest words did not pass."""

SMALL_TOKENS = 60
"""Tokens of a very small model's reply at most: two or three sentences. Beyond, it rambles."""

ECHO_TOKENS = 24
"""Tokens of an echo: five words, some of them long."""

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
    likelihood: float | None = None
    """Its logarithm, where the prompt asks for it and the engine says it."""


class ReplyGenerator:
    """Asks the model for replies."""

    def __init__(self, *, model: ChatModel, settings: ModelSettings, tagger: Tagger | None = None) -> None:
        """`tagger`: for echoes of what was said; without one there are none."""
        self._model = model
        self._tagger = tagger
        self._settings = settings
        described = model.description
        self._small = not described.follows_instructions
        self._brief = self._small or described.comfortable_tokens <= BRIEF_TOKENS
        self._calm = CALM_TEMPERATURE if self._brief else settings.temperature
        self._speeds: deque[tuple[int, float]] = deque(maxlen=METERED)

    @property
    def tokens_per_s(self) -> float:
        """How many tokens of a reply came in a second, over the latest generations; 0 before the first."""
        seconds = sum(time for _, time in self._speeds)
        return sum(tokens for tokens, _ in self._speeds) / seconds if seconds else 0.0

    async def speak(self, prompt: Prompt, live: Live, said_before: Collection[str]) -> Spoken:
        """The reply to `prompt`, shown by sentences as it grows. Never empty, and never an exception of the model's.

        Every reply is checked (`checking/`). One that does not pass gets a second try, but where the prompt allows
        `once`; then an echo of what was said takes its place, or a reply in our words, and at once where it is less
        likely than it has to be. What a very small model says again of `said_before` (the agent's replies in the
        session so far) is left out. Cancelling it ends the generation. Raises PromptTooLong: a shorter prompt may do.
        """
        if prompt.ours:
            live.show(prompt.spare)
            return Spoken(prompt.spare, fixed=True)
        wanted = self._settings.temperature
        try:
            first = await self._once(prompt, live, min(wanted, self._calm))
        except PromptTooLong:
            raise
        except ModelError as error:
            _log.error("no reply from the model", error=type(error).__name__, reason=str(error))
            return Spoken(texts.MODEL_FAILED, error.tokens, fixed=True)
        tokens = first.tokens
        text = self._fit(first, prompt, said_before)
        if not text and not prompt.once and prompt.expects.likely(first.text, first.likelihood):
            second = await self._again(prompt, live)
            text, tokens = self._fit(second, prompt, said_before), tokens + second.tokens
        if not text and (prompt.ground is None or (not self._brief and repeats_only(first.text, prompt.ground))):
            text = first.text  # said again by a model that knows more than our own words do
        if text:
            return Spoken(self._without_guess(text, first, prompt), tokens)
        if begun := self._beginning(first.text, prompt):
            return Spoken(begun, tokens)
        echo = await self._echo(prompt)
        return Spoken(echo.text or prompt.spare or texts.EMPTY_REPLY, tokens + echo.tokens, fixed=not echo.text)

    def _without_guess(self, text: str, first: _Said, prompt: Prompt) -> str:
        """A reply without a question that it is not sure of, where the call before it says again what the line said."""
        sure = first.likelihood is None or first.likelihood >= LEAST_ASKING
        if sure or text != first.text or not text.endswith("?"):
            return text
        return self._beginning(text, prompt) or text

    @staticmethod
    def _beginning(said: str, prompt: Prompt) -> str:
        """What holds of a reply that is too unlikely as a whole; empty where nothing does."""
        begun = prompt.echoing.beginning_of(said) if prompt.echoing is not None else ""
        return passing(begun, prompt.ground) if begun and prompt.ground is not None else begun

    async def _echo(self, prompt: Prompt) -> _Said:
        """The echo of what was said that the model finds likeliest; empty where there is none, or it cannot choose."""
        if prompt.echoing is None or self._tagger is None or not self._model.description.chooses:
            return _Said("", 0)
        echoes = prompt.echoing.of(self._tagger.tagged(prompt.echoing.line))
        if not echoes:
            return _Said("", 0)
        request = GenerationRequest(
            prompt.messages,
            max_tokens=ECHO_TOKENS,
            deadline=timedelta(seconds=self._settings.deadline_s),
            skill=prompt.skill,
            shared=prompt.shared,
            choices=echoes,
        )
        try:
            chosen = await complete(self._model, request)
        except ModelError as error:
            _log.warning("no echo from the model", error=type(error).__name__, reason=str(error))
            return _Said("", error.tokens)
        return _Said(chosen.text if chosen.text in echoes else "", chosen.tokens)

    def _fit(self, said: _Said, prompt: Prompt, said_before: Collection[str]) -> str:
        """The reply as it can be sent, or what it says before it asks; empty when neither can."""
        for part in prompt.expects.likely(said.text, said.likelihood):
            text = without_said(part, said_before) if self._small else part
            if prompt.ground is not None:
                text = passing(text, prompt.ground)
            if text and prompt.expects.is_met(text):
                return text
        return ""

    def _show(self, text: str, checked: str, prompt: Prompt, live: Live) -> str:
        """Shows what there is so far, unless a sentence of it does not pass. A small model's grows by sentences.

        `checked`: the sentences that passed already; returns those that have now.
        """
        text = prompt.expects.cut(text)
        if prompt.expects.least is not None:  # how likely it is, is known at its end alone
            return checked
        if prompt.ground is None:
            live.show(text)
            return checked
        sentences = ended_sentences(text)
        if sentences != checked:
            if sentences and passing(sentences, prompt.ground) != sentences:
                return checked
            checked = sentences
            live.show(sentences if self._brief else text)
        elif not self._brief:
            live.show(text)
        return checked

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
            shared=prompt.shared,
            likelihood=prompt.expects.least is not None,
        )
        said, checked, last, start = "", "", Chunk(""), perf_counter()
        async for chunk in self._model.stream(request):
            said, last = said + chunk.text, chunk
            checked = self._show(clean(said, prompt.labels, finished=False), checked, prompt, live)
        self._speeds.append((last.completion_tokens, perf_counter() - start))
        text = clean(said, prompt.labels)
        if last.finish in {FinishReason.LENGTH, FinishReason.DEADLINE}:
            text = whole_sentences(text)
        return _Said(text, last.prompt_tokens + last.completion_tokens, last.likelihood)
