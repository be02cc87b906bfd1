"""`lab evaluate importance`: how a model, and the rules, rate what somebody told, beside one person's grades.

Sixty lines of our own (`importance.yaml`), graded from 0 to 10 before any model's answer to them was seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files

import numpy as np
import yaml
from numpy.typing import NDArray
from rich.console import Console

from bot.care.checks import Rated
from bot.care.compose import ANSWER_TOKENS
from bot.care.decide import MOST, rating
from bot.care.threads import Lines, threads_of
from bot.config import Settings
from bot.domain import GenerationRequest, Place, PlaceKind, Speaker, Utterance
from bot.errors import ModelUnavailable
from bot.ports import ChatModel
from bot.prompting.asking import ask
from bot.prompting.templates import turns
from lab.evaluation.rehearsal import load_engines
from lab.evaluation.report import EvaluationReport, Grid, show
from lab.replay.input import PLATFORM

WHEN = datetime(2026, 3, 2, 12, tzinfo=UTC)
LOOKED_AT = 14
"""Days after which the rules are asked what is open."""


@dataclass(frozen=True, slots=True)
class Graded:
    """A line and its grade."""

    grade: int
    text: str


def lines() -> list[Graded]:
    """The graded lines."""
    tree = yaml.safe_load(files("lab.evaluation").joinpath("importance.yaml").read_text("utf-8"))
    return [Graded(grade, text) for grade, text in tree["lines"]]


async def run(settings: Settings, seed: int) -> int:
    """Asks, and prints. Raises ModelUnavailable."""
    graded = lines()
    async with load_engines(settings, seed) as engines:
        if engines.model is None:
            raise ModelUnavailable("No language model is configured: set model.id.")
        name = engines.model.description.name
        found = [await by_model(engines.model, one.text) for one in graded]
    console = Console(highlight=False, width=120)
    for one, value in zip(graded, found, strict=True):
        console.print(f"{one.grade:>3} {'–' if value is None else round(MOST * value):>3}  {one.text}", markup=False)
    ruled = [by_rules(one.text) for one in graded]
    grades = np.array([one.grade / MOST for one in graded])
    rows = (_row(name, grades, found), _row("rules", grades, ruled))
    columns = ("by", "answered", "different values", "Spearman's ρ with the grades", "mean difference, of 10")
    grid = Grid(f"Importance of {len(graded)} lines", columns, rows, "")
    show(EvaluationReport("importance", "Importance", (), (grid,), (), {}), console)
    return 0


async def by_model(model: ChatModel, text: str) -> float | None:
    """S_I of a line by the model, as a check-in asks for it; None: no rating twice."""
    schema = Rated.schema_for(model)
    messages = turns("importance", examples=True, json=schema is not None, told=[text])
    request = GenerationRequest(messages, max_tokens=ANSWER_TOKENS["importance"], schema=schema)
    return (await ask(model, request, rating, "importance", Rated)).value


def by_rules(text: str) -> float:
    """What the heaviest thread weighs that the line opens within two weeks; 0: it opens none."""
    place = Place(PLATFORM, PlaceKind.DM, "ann")
    line = Utterance(place, "1", Speaker(f"{PLATFORM}:ann", "Ann"), text, WHEN, id=1)
    said = Lines((line,), np.zeros((1, 1), dtype=np.float32))
    days = (WHEN + timedelta(days=day) for day in range(1, LOOKED_AT + 1))
    return max((thread.weight for now in days for thread in threads_of(said, now, UTC)), default=0.0)


def _row(name: str, grades: NDArray[np.float64], found: Sequence[float | None]) -> tuple[str, ...]:
    there = np.array([value is not None for value in found])
    values = np.array([value for value in found if value is not None])
    rho = float(np.corrcoef(_ranks(grades[there]), _ranks(values))[0, 1]) if len({*values.tolist()}) > 1 else 0.0
    away = float(np.abs(values - grades[there]).mean()) * MOST
    return name, f"{there.sum()} of {len(found)}", str(len({*values.tolist()})), f"{rho:.2f}", f"{away:.1f}"


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranks, of equal values their mean."""
    order = np.array([(values < one).sum() + (values == one).sum() / 2 for one in values])
    return np.asarray(order, dtype=np.float64)
