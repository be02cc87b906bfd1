"""Requests as the engine gets them: token numbers, of exact lengths, many at once, with and without a shared start."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from transformers.generation.continuous_batching.requests import GenerationOutput

from bot.errors import ModelFailed
from bot.llm.detokenise import TextStream
from bot.llm.engine import PAGE, Engine, Job

SHARED = 0.75
"""Share of a prompt that is the same for all where its start is reused: the system's text, and what was said before."""
TEMPERATURE, TOP_P = 0.7, 0.9
"""As replies are asked for."""
SPARE_PAGES = 8
LEARNT = 2
"""New tokens of the request that makes a start known: what ends with its first forward pass leaves nothing."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What is measured once: requests that come in together."""

    concurrent: int
    prompt_tokens: int
    reused: bool
    """Whether the first SHARED of the prompts is the same and has been answered to before."""

    @property
    def tokens(self) -> int:
        """Of all prompts together."""
        return self.concurrent * self.prompt_tokens

    def cache_tokens(self, new_tokens: int) -> int:
        """What the cache must hold, with some pages to spare; as if nothing were shared."""
        page = max(PAGE.values())
        pages = -(-(self.prompt_tokens + new_tokens) // page)
        return page * (pages * (self.concurrent + self.reused) + SPARE_PAGES + pages * self.concurrent // 8)


@dataclass(frozen=True, slots=True)
class Speed:
    """One measurement of a cell, or the medians of several."""

    tokens_per_s: float
    """New tokens of all requests together, from asking to the last one."""
    decoding_tokens_per_s: float
    """The same while all requests have begun to answer; 0 where the first had ended before the last began."""
    first_token_s: float
    """The median over the requests, from asking to the first token."""
    prompt_tokens_per_s: float
    """Tokens of all prompts together, reused ones too, until every request has its first token."""


@dataclass(frozen=True, slots=True)
class _Timed:
    """Seconds since all requests were asked at which each token of one came."""

    at: tuple[float, ...]


class Load:
    """Asks an engine. `vocabulary`: how many token numbers there are; `decode`: tokens to text, as for a reply."""

    def __init__(
        self, engine: Engine, vocabulary: int, decode: Callable[[Sequence[int]], str], new_tokens: int, seed: int
    ) -> None:
        self._engine = engine
        self._vocabulary = vocabulary
        self._decode = decode
        self._new_tokens = new_tokens
        self._dice = random.Random(seed)  # noqa: S311 - repeatable, not secret

    async def measure(self, cell: Cell) -> Speed:
        """Asks the requests of `cell` once. No two calls share a prompt's start."""
        start = self._chance(int(cell.prompt_tokens * SHARED) if cell.reused else 0)
        prompts = [start + self._chance(cell.prompt_tokens - len(start)) for _ in range(cell.concurrent)]
        if cell.reused:
            await self._ask(start + self._chance(cell.prompt_tokens - len(start)), LEARNT, time.perf_counter())
        begun = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._ask(prompt, self._new_tokens, begun), name=f"bench-{number}")
                for number, prompt in enumerate(prompts)
            ]
        return speed([task.result().at for task in tasks], cell.tokens)

    async def _ask(self, prompt: list[int], new_tokens: int, begun: float) -> _Timed:
        outputs: asyncio.Queue[GenerationOutput] = asyncio.Queue()
        text = TextStream(self._decode)
        at: list[float] = []
        request = self._engine.submit(Job(prompt, new_tokens, TEMPERATURE, TOP_P), outputs.put_nowait)
        try:
            while len(at) < new_tokens:
                output = await outputs.get()
                if output.error is not None:
                    raise ModelFailed(f"The model could not finish a request ({output.error}). Try fewer at once.")
                text.push(output.generated_tokens[len(at) :])
                at.extend([time.perf_counter() - begun] * (len(output.generated_tokens) - len(at)))
        finally:
            self._engine.cancel(request)
        return _Timed(tuple(at))

    def _chance(self, length: int) -> list[int]:
        """Token numbers from the middle of the vocabulary: the first ones are control tokens in some."""
        return [self._dice.randrange(self._vocabulary // 10, self._vocabulary) for _ in range(length)]


def speed(arrivals: Sequence[Sequence[float]], prompt_tokens: int) -> Speed:
    """What `arrivals` say: for each request the seconds at which its tokens came, counted from asking."""
    whole = max(times[-1] for times in arrivals)
    begun = max(times[0] for times in arrivals)
    decoding = min(times[-1] for times in arrivals) - begun
    later = sum(begun < time <= begun + decoding for times in arrivals for time in times)
    return Speed(
        tokens_per_s=sum(map(len, arrivals)) / whole,
        decoding_tokens_per_s=later / decoding if decoding > 0 else 0.0,
        first_token_s=median(times[0] for times in arrivals),
        prompt_tokens_per_s=prompt_tokens / begun,
    )


def middle(speeds: Sequence[Speed]) -> Speed:
    """The median of each figure."""
    return Speed(
        median(one.tokens_per_s for one in speeds),
        median(one.decoding_tokens_per_s for one in speeds),
        median(one.first_token_s for one in speeds),
        median(one.prompt_tokens_per_s for one in speeds),
    )
