"""Structured tasks watched: what the parser refuses, what is invented, how long it takes, for `traits` and `summaries`.

An arm is one way to do the task. `PEOPLE` is none: it is what people wrote, judged like the rest, to compare with.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median
from time import perf_counter
from typing import TypeVar

from bot.domain import Skill
from bot.errors import BadInput, MalformedOutput, ModelFailed, PromptTooLong
from bot.memory.events import Summed
from bot.persona.extract import NO_TRAIT, Stated
from bot.ports import ChatModel
from bot.prompting.asking import Form, counted
from lab.evaluation.heard import HeardModel
from lab.evaluation.inventions import NOTHING, Invented, Inventions
from lab.evaluation.metrics import Estimate, estimate
from lab.evaluation.report import Grid, Json

OWN_WORDS, ZERO_SHOT, TUNED, PEOPLE = "own words", "zero-shot", "tuned", "people"
ARMS = (OWN_WORDS, ZERO_SHOT, TUNED)
"""People's own words without a model; the model with the prompt in words; the model with its adapter."""
NOTE = (
    "'refused': answers that the parser did not take, at first and after the retry too, of the items that the model "
    "was asked about. 'inventing': outputs with a name, a number or a noun that the input has not, by lemmas and "
    "stems (lab/evaluation/inventions.py), of the outputs that say anything; in brackets with names / numbers / "
    "nouns. 'first answers' are the model's before the parser, 'stored' is what comes out in the end, own words "
    "included. 'people': what people wrote, by the same measure. 's': seconds an item, in which others are answered "
    "too (--together); the median is of those that the model was asked about. In per cent, with intervals at 95 % by "
    "conversation."
)
T = TypeVar("T")

_LABEL = re.compile(r"^\s*(?:\d{1,2}[.)]\s+)?(?:(?:extracted\s+)?(?:traits?|summary)\s*:\s*)?", re.IGNORECASE)
"""What may stand before an answer and claims nothing: the number that it has in the prompt's list, and its label."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one item by one arm. `invented`: in `stored`; `first_invented`: in `first`."""

    arm: str
    stored: str
    """What comes out in the end; empty: nothing."""
    first: str = ""
    """The model's first answer before the parser, see `facts_of`; empty: none, or it says that there is nothing."""
    asked: bool = False
    """Whether the model was asked at all."""
    refused: int = 0
    """How many answers the parser refused: 0, 1, or 2, after which there is none."""
    failed: bool = False
    """Whether the model gave an error, after which the item would be tried again later."""
    seconds: float = 0.0
    invented: Invented = NOTHING
    first_invented: Invented = NOTHING


def chosen(names: str) -> tuple[str, ...]:
    """The arms that "tuned,own words" names, in order. Raises BadInput."""
    wanted = {name.strip() for name in names.split(",") if name.strip()}
    if unknown := wanted - set(ARMS):
        raise BadInput(f"--arms {min(unknown)!r} is none of: {', '.join(ARMS)}.")
    return tuple(arm for arm in ARMS if arm in wanted)


def models_of(model: ChatModel | None, skill: Skill, arms: Sequence[str]) -> dict[str, HeardModel | None]:
    """Arm → its model, None for people's own words. `arms`: empty: all that can be run.

    Raises BadInput where one of `arms` cannot be run.
    """
    models: dict[str, HeardModel | None] = {OWN_WORDS: None}
    if model is not None:
        models[ZERO_SHOT] = HeardModel(model, without=(skill,))
        if skill in model.description.skills:
            models[TUNED] = HeardModel(model)
    if missing := [arm for arm in arms if arm not in models]:
        needed = f"a model tuned as {skill}: name an adapter in model.adapters.{skill}"
        raise BadInput(f"--arms {missing[0]!r} needs {needed if missing[0] == TUNED else 'a language model'}.")
    return {arm: model for arm, model in models.items() if arm in arms or not arms}


def way_of(model: HeardModel | None) -> str:
    """The setting (`persona.extractor`, `memory.summariser`) under which this arm does its work."""
    return "extractive" if model is None else "model"


async def each(items: Iterable[T], workers: Sequence[Callable[[T], Awaitable[None]]]) -> None:
    """Has the workers take item after item, at the same time. Raises the first error; then the others are stopped."""
    waiting = iter(items)

    async def go_on(work: Callable[[T], Awaitable[None]]) -> None:
        for item in waiting:
            await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            for work in workers:
                group.create_task(go_on(work))
    except ExceptionGroup as raised:
        raise raised.exceptions[0] from None


class Watch:
    """Does items, and keeps what can be seen of each."""

    def __init__(self, inventions: Inventions) -> None:
        self._inventions = inventions

    def people(self, text: str, source: str) -> Outcome:
        """What people wrote themselves."""
        return Outcome(PEOPLE, text, invented=self._inventions.found(text, source))

    async def outcome(
        self, arm: str, model: HeardModel | None, source: str, work: Callable[[], Awaitable[str]]
    ) -> Outcome:
        """What `work` makes of `source`, with this model, which nobody else asks meanwhile. Raises ModelUnavailable."""
        failed = False
        if model is not None:
            model.take()
        start = perf_counter()
        with counted() as refused:
            try:
                stored = await work()
            except (ModelFailed, PromptTooLong):  # counted
                stored, failed = "", True
        seconds = perf_counter() - start
        heard = model.take() if model is not None else []
        first = facts_of(heard[0].text) if heard else ""
        return Outcome(
            arm,
            stored,
            first,
            asked=bool(heard) or failed,
            refused=refused.total(),
            failed=failed,
            seconds=seconds + sum(one.saved for one in heard),
            invented=self._inventions.found(stored, source) if stored else NOTHING,
            first_invented=self._inventions.found(first, source) if first else NOTHING,
        )


def either(form: type[Form], text: str) -> str:
    """An answer as plain text, whether it is JSON or plain text already."""
    try:
        return form.read(text)
    except MalformedOutput:
        return text


def facts_of(answer: str) -> str:
    """What an answer says before any parser: without number and label, and empty when it says that there is nothing."""
    answer = either(Summed, either(Stated, answer))
    return "" if NO_TRAIT in answer.upper().replace(" ", "_") else " ".join(_LABEL.sub("", answer).split())


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one arm. `None` where there is nothing to take a share of."""

    arm: str
    items: int
    asked: int
    failed: int
    refused_first: Estimate
    refused_twice: Estimate
    first_invents: Estimate
    first_kinds: tuple[float, float, float]
    """Shares with a name, a number, a noun."""
    stored_invents: Estimate
    stored_kinds: tuple[float, float, float]
    median_s: float | None
    mean_s: float | None

    @classmethod
    def of(cls, arm: str, groups: Sequence[Sequence[Outcome]], seed: int) -> Row:
        """Of the outcomes of each conversation."""
        every = [one for group in groups for one in group]
        asked = [[one for one in group if one.asked and not one.failed] for group in groups]
        first = [[one.first_invented for one in group if one.first] for group in groups]
        stored = [[one.invented for one in group if one.stored] for group in groups]
        timed = [one.seconds for one in every if one.asked] or [one.seconds for one in every]
        has_time = bool(timed) and arm != PEOPLE
        return cls(
            arm,
            len(every),
            sum(one.asked for one in every),
            sum(one.failed for one in every),
            _share(asked, lambda one: one.refused > 0, seed),
            _share(asked, lambda one: one.refused > 1, seed),
            _share(first, bool, seed),
            _kinds(first),
            _share(stored, bool, seed),
            _kinds(stored),
            median(timed) if has_time else None,
            mean(one.seconds for one in every) if has_time else None,
        )

    def cells(self) -> tuple[str, ...]:
        """As a line of `grid`."""
        return (
            self.arm,
            f"{self.items}",
            f"{self.asked}",
            percent(self.refused_first),
            percent(self.refused_twice),
            percent(self.first_invents, self.first_kinds),
            percent(self.stored_invents, self.stored_kinds),
            *("–" if one is None else f"{one:.2f}" for one in (self.median_s, self.mean_s)),
        )


def grid(title: str, rows: Sequence[Row]) -> Grid:
    """The rows as a table."""
    columns = ("items", "asked", "refused first", "refused twice", "first answers inventing", "stored inventing")
    failed = sum(row.failed for row in rows)
    note = f"{NOTE} The model gave an error {failed} times." if failed else NOTE
    return Grid(title, ("arm", *columns, "s, median", "s, mean"), tuple(row.cells() for row in rows), note)


def percent(found: Estimate, parts: Sequence[float] = ()) -> str:
    """Such as "41.0 [38.2, 43.9] (3/2/38)"; a dash without any value."""
    if not found.count:
        return "–"
    shown = f"{100 * found.mean:.1f}"
    if found.low is not None and found.high is not None:
        shown += f" [{100 * found.low:.1f}, {100 * found.high:.1f}]"
    return f"{shown} ({'/'.join(f'{100 * one:.0f}' for one in parts)})" if parts else shown


def as_figures(found: Estimate) -> Json:
    """An estimate for programs; None without any value."""
    if not found.count:
        return None
    return {"mean": found.mean, "low": found.low, "high": found.high, "count": found.count}


def figures_of(row: Row) -> Mapping[str, Json]:
    """A row for programs."""
    kinds = ("names", "numbers", "nouns")
    return {
        "arm": row.arm,
        "items": row.items,
        "asked": row.asked,
        "failed": row.failed,
        "refused_first": as_figures(row.refused_first),
        "refused_twice": as_figures(row.refused_twice),
        "first_answers_inventing": as_figures(row.first_invents),
        "first_answers_with": dict(zip(kinds, row.first_kinds, strict=True)),
        "stored_inventing": as_figures(row.stored_invents),
        "stored_with": dict(zip(kinds, row.stored_kinds, strict=True)),
        "median_s": row.median_s,
        "mean_s": row.mean_s,
    }


def _share(groups: Sequence[Sequence[T]], holds: Callable[[T], bool], seed: int) -> Estimate:
    return estimate([[float(holds(one)) for one in group] for group in groups], seed)


def _kinds(groups: Sequence[Sequence[Invented]]) -> tuple[float, float, float]:
    every = [one for group in groups for one in group]
    if not every:
        return 0.0, 0.0, 0.0
    return (
        mean(bool(one.names) for one in every),
        mean(bool(one.numbers) for one in every),
        mean(bool(one.nouns) for one in every),
    )
