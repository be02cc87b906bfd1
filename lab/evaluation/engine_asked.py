"""What `lab bench engine` is asked to measure: the options, read and checked."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import cast, get_args

from bot.errors import BadInput
from bot.llm.files import Quantization
from lab.evaluation.engine_load import Cell

CONCURRENT, PROMPTS = (1, 8, 32, 128), (500, 3500)
CPU_TOKENS = 16_000
"""Tokens of all prompts of one cell that a CPU is given unless asked: it reads a few hundred of them a second."""
SHAPES = ("8b",)


@dataclass(frozen=True, slots=True)
class Asked:
    """The grid and how it is measured."""

    concurrent: tuple[int, ...] = CONCURRENT
    prompts: tuple[int, ...] = PROMPTS
    quantizations: tuple[Quantization, ...] = ("none", "int8", "nf4")
    new_tokens: int = 32
    repeats: int = 1
    seed: int = 0
    shape: str | None = None
    """A model of this size made up on the GPU; None: the one that the settings name."""
    profile: bool = False
    whole: bool = False
    """Whether numbers of requests or of tokens were named: then all of the grid is measured, on a CPU too."""

    def cells(self, device: str) -> tuple[list[Cell], list[Cell]]:
        """What to measure on `device` ("cpu" or "cuda"), and what of the grid is left out there."""
        grid = [Cell(*one) for one in product(self.concurrent, self.prompts, (False, True))]
        grid.sort(key=lambda cell: (cell.prompt_tokens, cell.reused, cell.concurrent))
        kept = [cell for cell in grid if self.whole or device != "cpu" or cell.tokens <= CPU_TOKENS]
        return kept, [cell for cell in grid if cell not in kept]


def asked_of(
    concurrent: str | None,
    prompts: str | None,
    quantization: str,
    shape: str | None,
    *,
    tokens: int,
    repeats: int,
    seed: int,
    profile: bool,
) -> Asked:
    """From the options of the command line. Raises BadInput."""
    if shape is not None and shape not in SHAPES:
        raise BadInput(f"--shape knows {', '.join(SHAPES)}. Leave it out to measure the model that the settings name.")
    return Asked(
        concurrent=_numbers("--concurrent", concurrent, CONCURRENT, least=1),
        prompts=_numbers("--prompts", prompts, PROMPTS, least=4),
        quantizations=_quantizations(quantization),
        new_tokens=tokens,
        repeats=repeats,
        seed=seed,
        shape=shape,
        profile=profile,
        whole=concurrent is not None or prompts is not None,
    )


def _numbers(option: str, text: str | None, default: tuple[int, ...], *, least: int) -> tuple[int, ...]:
    if text is None:
        return default
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < least:
        raise BadInput(
            f"{option} takes whole numbers from {least} up with commas between them, e.g. {option} {least},8."
        )
    return tuple(sorted(set(numbers)))


def _quantizations(text: str) -> tuple[Quantization, ...]:
    parts = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    if not set(parts) <= set(get_args(Quantization)):
        raise BadInput(
            "--quantization takes none, int8 and nf4 with commas between them, e.g. --quantization none,nf4."
        )
    return cast("tuple[Quantization, ...]", parts)
