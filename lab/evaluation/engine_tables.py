"""What `lab bench engine` found, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from bot.llm.files import Quantization
from lab.evaluation.engine_load import Speed
from lab.evaluation.engine_profile import EngineProfile


@dataclass(frozen=True, slots=True)
class SpeedRow:
    """One cell of the grid, measured."""

    quantization: Quantization
    concurrent: int
    prompt_tokens: int
    reused: bool
    speed: Speed
    """The medians of `speeds`."""
    speeds: tuple[Speed, ...]
    weight_bytes: int
    """What a decoding step reads of the weights."""
    cache_bytes: int
    """What it reads of the cache, half-way through the answers."""
    floor_tokens_per_s: float
    """While decoding, if a step took no longer than reading both."""


def speed_table(model: str, rows: Sequence[SpeedRow]) -> Table:
    """The grid. The share of the floor is that of decoding alone."""
    table = Table(title=f"{model}: requests that come in together", title_justify="left")
    for name in ("weights", "prompt", "start of it"):
        table.add_column(name)
    for name in (
        "at once",
        "tokens/s",
        "decoding: tokens/s",
        "at the floor",
        "share",
        "first token, s",
        "prompt: tokens/s",
    ):
        table.add_column(name, justify="right")
    for row in rows:
        speed = row.speed
        table.add_row(
            row.quantization,
            f"{row.prompt_tokens:,}",
            "known" if row.reused else "new",
            str(row.concurrent),
            f"{speed.tokens_per_s:.1f}",
            f"{speed.decoding_tokens_per_s:.1f}" if speed.decoding_tokens_per_s else "-",
            f"{row.floor_tokens_per_s:,.0f}",
            f"{speed.decoding_tokens_per_s / row.floor_tokens_per_s:.0%}" if speed.decoding_tokens_per_s else "-",
            f"{speed.first_token_s:.2f}",
            f"{speed.prompt_tokens_per_s:,.0f}",
        )
    return table


def profile_tables(profile: EngineProfile) -> list[Table]:
    """Stages and operators of one profile."""
    requests = f"{profile.quantization}, {profile.concurrent} at once, prompts of {profile.prompt_tokens:,} tokens"
    stages = Table(title=f"A decoding step of {requests} (mean of {profile.steps})", title_justify="left")
    stages.add_column("stage")
    for name in ("ms", "ms of processor time", "share of that"):
        stages.add_column(name, justify="right")
    whole = sum(cost.cpu_ms for cost in profile.stages if cost.wall_ms is not None)
    for cost in profile.stages:
        stages.add_row(
            cost.stage,
            f"{cost.wall_ms:.2f}" if cost.wall_ms is not None else "",
            f"{cost.cpu_ms:.2f}",
            f"{cost.cpu_ms / whole:.0%}" if cost.wall_ms is not None and whole else "",
        )
    operators = Table(title=f"Its largest operators (mean of {profile.recorded} other steps)", title_justify="left")
    operators.add_column("operator")
    for name in ("ms", "calls", "share"):
        operators.add_column(name, justify="right")
    for operator in profile.operators:
        operators.add_row(operator.name, f"{operator.ms:.2f}", f"{operator.calls:.0f}", f"{operator.share:.0%}")
    return [stages, operators]
