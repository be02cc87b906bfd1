"""A request to llama.cpp on its way to an answer: over as many turns at the server as it takes."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.domain import FinishReason, GenerationRequest
from bot.errors import ModelFailed
from bot.llm.llama_server import Part
from bot.llm.thinking import AnswerText


@dataclass(eq=False, slots=True)
class Turn:
    """One stay at the server."""

    before: int = 0
    """Tokens that earlier turns generated."""
    parts: asyncio.Queue[Part | None] = field(default_factory=asyncio.Queue)
    """What the server says; None when it has nothing more to say, or when the turn was taken away."""
    over: bool = False
    """Set to end it: the server asks before each token and each step."""

    def end(self) -> None:
        """Takes the turn away."""
        self.over = True
        self.parts.put_nowait(None)


@dataclass(slots=True)
class Generation:
    """One request on its way, over all the turns it takes."""

    request: GenerationRequest
    prompt: Sequence[int]
    room: int
    """The tokens it may generate: what was asked for, or what the context has left."""
    deadline: float
    answer: AnswerText
    text: str = ""
    """All that was generated, thinking and stop texts included: what a later turn goes on from."""
    tokens: int = 0
    cached: int | None = None
    """Tokens of the prompt that its first turn found in the cache."""
    likelihood: float = 0.0
    """The logarithm of the likelihood of what was generated, where the request asks for it."""
    finish: FinishReason | None = None
    turn: Turn = field(default_factory=Turn)

    def give_way(self) -> None:
        """A reply needs the place."""
        self.turn.end()


def take_in(generation: Generation, turn: Turn, part: Part) -> str:
    """Notes what a part of the stream says; returns its text. Raises PromptTooLong or ModelFailed."""
    if "error" in part:
        kind = str(part["error"].get("type", ""))
        raise ModelFailed(f"The model could not finish this answer ({kind}). Another try may succeed.")
    timings = part.get("timings")
    if timings is not None:
        generation.tokens = turn.before + int(timings["predicted_n"])
        if generation.cached is None:
            generation.cached = int(timings["cache_n"])
    text = ""
    for choice in part.get("choices", ()):
        text += choice.get("text") or ""
        generation.likelihood += sum(token["logprob"] for token in (choice.get("logprobs") or {}).get("content", ()))
        if choice.get("finish_reason") is not None:
            length = choice["finish_reason"] == "length"
            generation.finish = FinishReason.LENGTH if length else FinishReason.STOP
    generation.text += text
    if generation.request.constrained:
        return text
    piece = generation.answer.push(text)
    if generation.answer.stopped:
        generation.finish = FinishReason.STOP
    return piece
