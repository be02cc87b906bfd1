"""A model that is listened to: what it answers before any parser sees it, how long that takes, and what it may do."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

from bot.domain import ChatMessage, Chunk, GenerationRequest, ModelDescription, Priority, Skill
from bot.ports import ChatModel


@dataclass(frozen=True, slots=True)
class Heard:
    """One whole answer. `saved`: the seconds that it did not take, because it was given before."""

    text: str
    saved: float


@dataclass(frozen=True, slots=True)
class _Kept:
    chunks: tuple[Chunk, ...]
    seconds: float


class HeardModel:
    """A `ChatModel` that keeps the answers of another, which it does not close.

    The same request of background work gets the same answer until `forget`: what two arms ask alike is asked once, and
    answered alike. Replies are always asked for.
    """

    def __init__(self, model: ChatModel, without: Collection[Skill] = ()) -> None:
        """`without`: skills that are hidden, so that whoever asks takes the model for one that lacks them."""
        self._model = model
        self._description = replace(model.description, skills=model.description.skills - set(without))
        self._kept: dict[GenerationRequest, _Kept] = {}
        self._heard: list[Heard] = []

    @property
    def description(self) -> ModelDescription:
        """The other model's, without the skills that are hidden."""
        return self._description

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """See `ChatModel.count_tokens`."""
        return self._model.count_tokens(messages)

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Chunk, None]:
        """See `ChatModel.stream`. An answer that is broken off, or fails, is not kept."""
        kept = self._kept.get(request)
        saved = 0.0
        if kept is None:
            start, chunks = perf_counter(), list[Chunk]()
            async for chunk in self._model.stream(request):
                chunks.append(chunk)
                yield chunk
            kept = _Kept(tuple(chunks), perf_counter() - start)
            if request.priority is Priority.BACKGROUND:
                self._kept[request] = kept
        else:
            saved = kept.seconds
            for chunk in kept.chunks:
                yield chunk
        self._heard.append(Heard("".join(chunk.text for chunk in kept.chunks), saved))

    def take(self) -> list[Heard]:
        """The answers since the last call, in order."""
        heard, self._heard = self._heard, []
        return heard

    def forget(self) -> None:
        """Drops what is kept: from here on everything is asked anew."""
        self._kept.clear()

    async def aclose(self) -> None:
        """Drops what is kept; the other model stays open for whoever opened it."""
        self.forget()
