"""`lab bench engine` for any engine, through the port that the companion uses: text in, pieces of text out.

What `bench_engine` measures inside the transformers engine cannot be seen in llama.cpp. Here every engine is asked in
the same way: requests of words drawn by chance, alone and in company, and a chat that grows, as people's chats do.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import psutil
from rich.console import Console
from rich.table import Table

from bot.domain import ChatMessage, GenerationRequest, Role
from bot.errors import BadInput
from bot.ports import ChatModel

WORDS = "tree river seven open light stone bread quiet north table green horse early paper glass winter song".split()
TURNS = 6
"""Messages of the chat that grows."""
PLACES = 4
"""Chats that grow by turns."""


@dataclass(frozen=True, slots=True)
class PortSpeed:
    """Requests that came in together; each figure is the median of several times."""

    concurrent: int
    prompt_tokens: int
    """Of each prompt."""
    whole_s: float
    """Until the last has its answer."""
    processor_s: float
    """What this process computed meanwhile, over all cores: of use where others keep them busy."""
    first_token_s: float
    prompt_tokens_per_s: float
    """Of all prompts together, until every request has its first token."""
    decoding_tokens_per_s: float
    """Of all together, from then on."""


@dataclass(frozen=True, slots=True)
class PortFigures:
    """Everything that was measured."""

    model: str
    detail: str
    load_s: float
    load_processor_s: float
    resident_mib: float
    """What the process holds more than before loading, when all has been measured."""
    speeds: tuple[PortSpeed, ...]
    reused: float
    """Share of the prompts' tokens, from each chat's second message on, that were in the cache. 0: it does not say."""
    turn_s: float
    """Seconds to the first token of those, the median."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """One request's times, in seconds since all were asked."""

    first: float
    last: float
    tokens: int
    prompt: int
    cached: int
    text: str


async def run_port(
    load: Callable[[], Awaitable[ChatModel]],
    concurrent: Sequence[int],
    prompt_tokens: Sequence[int],
    *,
    new_tokens: int,
    repeats: int,
    seed: int,
    out: Path | None,
) -> int:
    """Measures, prints, and writes JSON to `out`. Raises BadInput and ModelError."""
    figures = await measure_port(load, concurrent, prompt_tokens, new_tokens=new_tokens, repeats=repeats, seed=seed)
    console = Console(highlight=False, width=130)
    console.print(port_table(figures))
    console.print(
        f"Loaded in {figures.load_s:.1f} s ({figures.load_processor_s:.1f} s of the processor); the process has "
        f"grown by {figures.resident_mib:,.0f} MiB. In {PLACES} chats by turns, {figures.reused:.0%} of the prompts' "
        f"tokens were in the cache; the first token came after {figures.turn_s:.2f} s."
    )
    if out is not None:
        _write(out, figures)
    return 0


async def measure_port(
    load: Callable[[], Awaitable[ChatModel]],
    concurrent: Sequence[int],
    prompt_tokens: Sequence[int],
    *,
    new_tokens: int,
    repeats: int,
    seed: int,
) -> PortFigures:
    """Loads, measures and closes a model."""
    process, begun = psutil.Process(), time.perf_counter()
    computed = _computed(process)
    before = process.memory_info().rss
    model = await load()
    load_s, load_processor_s = time.perf_counter() - begun, _computed(process) - computed
    dice = random.Random(seed)  # noqa: S311 - repeatable, not secret
    try:
        speeds = [
            await _speed(model, dice, number, tokens, new_tokens, repeats)
            for tokens in prompt_tokens
            for number in concurrent
        ]
        reused, turn_s = await _growing(model, dice, new_tokens)
        grown = (process.memory_info().rss - before) / (1 << 20)
    finally:
        await model.aclose()
    described = model.description
    return PortFigures(described.name, described.detail, load_s, load_processor_s, grown, tuple(speeds), reused, turn_s)


def _write(path: Path, figures: PortFigures) -> None:
    try:
        path.write_text(json.dumps(asdict(figures), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None


def port_table(figures: PortFigures) -> Table:
    """The figures for people."""
    table = Table(title=f"{figures.model}, {figures.detail}: requests that come in together", title_justify="left")
    titles = ("prompt", "at once", "all answered, s", "processor, s", "first token, s")
    for name in (*titles, "prompt: tokens/s", "decoding: tokens/s"):
        table.add_column(name, justify="right")
    for speed in figures.speeds:
        table.add_row(
            f"{speed.prompt_tokens:,}",
            str(speed.concurrent),
            f"{speed.whole_s:.1f}",
            f"{speed.processor_s:.1f}",
            f"{speed.first_token_s:.2f}",
            f"{speed.prompt_tokens_per_s:,.0f}",
            f"{speed.decoding_tokens_per_s:.1f}",
        )
    return table


async def _speed(
    model: ChatModel, dice: random.Random, concurrent: int, tokens: int, new_tokens: int, repeats: int
) -> PortSpeed:
    runs: list[PortSpeed] = []
    process = psutil.Process()
    for _ in range(repeats):
        begun, computed = time.perf_counter(), _computed(process)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(_ask(model, [_message(dice, tokens)], new_tokens, begun), name=f"bench-{number}")
                for number in range(concurrent)
            ]
        answers = [task.result() for task in tasks]
        spent = _computed(process) - computed
        first, last = max(answer.first for answer in answers), max(answer.last for answer in answers)
        later = sum(answer.tokens for answer in answers) - concurrent
        prompts = [answer.prompt for answer in answers]
        rate = later / (last - first) if last > first else 0.0
        mine = median(answer.first for answer in answers)
        runs.append(PortSpeed(concurrent, round(median(prompts)), last, spent, mine, sum(prompts) / first, rate))
    return PortSpeed(
        concurrent,
        runs[0].prompt_tokens,
        median(one.whole_s for one in runs),
        median(one.processor_s for one in runs),
        median(one.first_token_s for one in runs),
        median(one.prompt_tokens_per_s for one in runs),
        median(one.decoding_tokens_per_s for one in runs),
    )


def _computed(process: psutil.Process) -> float:
    """Seconds of the processor that a process has used."""
    times = process.cpu_times()
    return times.user + times.system


async def _growing(model: ChatModel, dice: random.Random, new_tokens: int) -> tuple[float, float]:
    """Several chats by turns: the share of tokens that were not read again, and seconds to the first token."""
    chats = [[ChatMessage(Role.SYSTEM, _message(dice, 60).content)] for _ in range(PLACES)]
    answers: list[_Answer] = []
    for turn in range(TURNS):
        for chat in chats:
            chat.append(_message(dice, 20))
            answer = await _ask(model, chat, new_tokens, time.perf_counter())
            chat.append(ChatMessage(Role.ASSISTANT, answer.text))
            if turn:
                answers.append(answer)
    cached = sum(answer.cached for answer in answers) / sum(answer.prompt for answer in answers)
    return cached, median(answer.first for answer in answers)


async def _ask(model: ChatModel, messages: Sequence[ChatMessage], new_tokens: int, begun: float) -> _Answer:
    text, first = "", 0.0
    async for chunk in model.stream(GenerationRequest(tuple(messages), max_tokens=new_tokens)):
        text += chunk.text
        first = first or time.perf_counter() - begun
        last = chunk
    done = time.perf_counter() - begun
    return _Answer(first, done, last.completion_tokens, last.prompt_tokens, last.cached_tokens, text)


def _message(dice: random.Random, tokens: int) -> ChatMessage:
    """About so many tokens: in vocabularies of today each of these words is one."""
    return ChatMessage(Role.USER, f"Tell me a story about the {' '.join(dice.choices(WORDS, k=tokens))}.")
