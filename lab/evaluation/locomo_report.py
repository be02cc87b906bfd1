"""What the questions of LoCoMo showed, setting by setting: tables, a picture, and figures for programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isnan
from typing import TypeAlias

import numpy as np

from lab.datasets.locomo import Category
from lab.evaluation.locomo_asking import BUDGETS, DEEP, DEPTHS, EVENT_SETTINGS, SESSION_DEPTHS, WITHOUT, Score
from lab.evaluation.metrics import Estimate, estimate
from lab.evaluation.report import Curve, EvaluationReport, Grid, Json, Plot

Scores: TypeAlias = Mapping[str, Sequence[Score]]
"""Conversation → its questions' scores, in the order of the questions."""
Chosen: TypeAlias = Callable[[Score], float | None]
"""A figure of one question; None: it has none and does not count."""

NAMES = {
    Category.SINGLE_HOP: "single-hop",
    Category.TEMPORAL: "temporal",
    Category.MULTI_HOP: "multi-hop",
    Category.OPEN_DOMAIN: "open-domain",
}
MAIN = f"recall@{DEEP}"
NOTHING = "–"
NOT_AT_TURNS = (
    f"{' and '.join(EVENT_SETTINGS)} recall events: summaries of whole sessions. All turns of a session come up"
    " together, in no order that means anything, so at the level of turns they cannot be compared; here they can."
)


@dataclass(frozen=True, slots=True)
class Run:
    """What was measured. `results`: setting → the scores of every conversation."""

    results: Mapping[str, Scores]
    seed: int
    lines: tuple[str, ...] = ()
    """What else should be said: the encoder, the time it took."""


def build(run: Run) -> EvaluationReport:
    """The whole report."""
    plain = {name: scores for name, scores in run.results.items() if not name.startswith(WITHOUT)}
    at_turns = {name: scores for name, scores in plain.items() if name not in EVENT_SETTINGS}
    grids = [*_turn_grids(at_turns, run.seed), _session_grid(plain, run.seed)] if plain else []
    grids += _relevance_grid(plain, run.seed) + _time_grid(plain) + _contributions(run)
    return EvaluationReport(
        name="locomo",
        title="Recall on LoCoMo",
        lines=(*_about(run), *run.lines),
        grids=tuple(grids),
        plots=(_plot(at_turns, run.seed),) if at_turns else (),
        figures={"seed": run.seed, "settings": {name: _figures(one, run.seed) for name, one in run.results.items()}},
    )


def turns(metric: str, category: Category | None = None) -> Chosen:
    """A metric at the level of turns, of one category or of all."""
    return lambda score: score.turns.get(metric) if category in {None, score.category} else None


def over(scores: Scores, chosen: Chosen, seed: int) -> Estimate:
    """The mean over all questions that have the figure, its interval by conversation."""
    groups = [[value for one in some if (value := chosen(one)) is not None] for some in scores.values()]
    return estimate(groups, seed)


def difference(scores: Scores, others: Scores, metric: str, seed: int) -> Estimate:
    """How much more the first have than the others, question by question. Both answer the same questions."""
    groups = [
        [one.turns[metric] - other.turns[metric] for one, other in zip(some, others[name], strict=True) if one.turns]
        for name, some in scores.items()
    ]
    return estimate(groups, seed)


def _about(run: Run) -> list[str]:
    first = next(iter(run.results.values()), {})
    questions = [score for some in first.values() for score in some]
    answerable = sum(bool(score.sessions) for score in questions)
    return [
        f"Conversations: {', '.join(first)}. They are told line by line to the whole core. {answerable:,}"
        f" questions of categories 1 to 4 with evidence, {len(questions) - answerable:,} adversarial ones. Figures are"
        f" per cent, means over questions; intervals are 95 %, by drawing conversations 2,000 times (seed {run.seed})."
    ]


def _turn_grids(settings: Mapping[str, Scores], seed: int) -> list[Grid]:
    metrics = [*(f"recall@{k}" for k in DEPTHS), f"all@{DEEP}", f"ndcg@{DEEP}"]
    columns = ("setting", *(f"r@{k}" for k in DEPTHS), "all evidence@10", "nDCG@10", "r@10, 95 %", "nDCG@10, 95 %")
    rows = []
    for name, scores in settings.items():
        found = {metric: over(scores, turns(metric), seed) for metric in metrics}
        intervals = (_interval(found[MAIN]), _interval(found[f"ndcg@{DEEP}"]))
        rows.append((name, *(_percent(found[metric]) for metric in metrics), *intervals))
    if not rows:
        return []
    return [
        Grid("Evidence recall at the level of turns", columns, tuple(rows)),
        _by_category(settings, seed),
        _by_words(settings, seed),
        _by_conversation(settings, seed),
    ]


def _by_category(settings: Mapping[str, Scores], seed: int) -> Grid:
    first = next(iter(settings.values()))
    counts = {category: over(first, turns(MAIN, category), seed).count for category in NAMES}
    columns = ("setting", *(f"{name} ({counts[category]:,})" for category, name in NAMES.items()))
    rows = []
    for name, scores in settings.items():
        cells = []
        for category in NAMES:
            found = over(scores, turns(MAIN, category), seed)
            cells.append(f"{_percent(found)} {_interval(found)}".strip())
        rows.append((name, *cells))
    return Grid("Evidence recall@10 by category (questions)", columns, tuple(rows))


def _by_words(settings: Mapping[str, Scores], seed: int) -> Grid:
    rows = tuple(
        (name, *(_percent(over(scores, turns(f"words@{budget}"), seed)) for budget in BUDGETS))
        for name, scores in settings.items()
    )
    note = "As many of the first utterances as have no more than so many words together."
    return Grid("Evidence recall by words of context", ("setting", *(f"{n} words" for n in BUDGETS)), rows, note)


def _by_conversation(settings: Mapping[str, Scores], seed: int) -> Grid:
    names = list(next(iter(settings.values())))
    rows = tuple(
        (setting, *(_percent(over({name: scores[name]}, turns(MAIN), seed)) for name in names))
        for setting, scores in settings.items()
    )
    return Grid("Evidence recall@10 by conversation", ("setting", *names), rows)


def _session_grid(settings: Mapping[str, Scores], seed: int) -> Grid:
    metrics = [*(f"s@{k}" for k in SESSION_DEPTHS), f"ndcg@{DEEP}"]
    rows = []
    for name, scores in settings.items():
        found = [over(scores, _sessions(metric), seed) for metric in metrics]
        rows.append((name, *map(_percent, found), *map(_interval, found)))
    columns = ("setting", "s@1", "s@5", "nDCG@10", "s@1, 95 %", "s@5, 95 %", "nDCG@10, 95 %")
    note = f"The sessions of the utterances, each where its best one stands. {NOT_AT_TURNS}"
    return Grid("Evidence recall at the level of sessions", columns, tuple(rows), note)


def _relevance_grid(settings: Mapping[str, Scores], seed: int) -> list[Grid]:
    rows = []
    for name, scores in settings.items():
        false, true = over(scores, _said_relevant(adversarial=True), seed), over(scores, _answerable, seed)
        if false.count or true.count:
            rows.append((name, *map(_percent, (false, true)), *map(_interval, (false, true))))
    columns = ("setting", "adversarial", "answerable", "adversarial, 95 %", "answerable, 95 %")
    note = "Adversarial questions ask for something that was never said: the share among them is false recall."
    return [Grid("Questions for which recall says that something is relevant", columns, tuple(rows), note)] * bool(rows)


def _time_grid(settings: Mapping[str, Scores]) -> list[Grid]:
    timed = {name: _milliseconds(scores) for name, scores in settings.items()}
    rows = tuple(
        (name, f"{np.quantile(ms, 0.5):.1f}", f"{np.quantile(ms, 0.95):.1f}", f"{max(ms):.1f}")
        for name, ms in timed.items()
        if ms
    )
    return [Grid("Milliseconds of recall, the encoder apart", ("setting", "p50", "p95", "max"), rows)] * bool(rows)


def _contributions(run: Run) -> list[Grid]:
    """What each part of `fused` brings, by what is missing without it."""
    whole = run.results.get("fused")
    left_out = {name: scores for name, scores in run.results.items() if name.startswith(WITHOUT)}
    if whole is None or not left_out:
        return []
    rows: list[tuple[float, tuple[str, ...]]] = []
    for name, scores in left_out.items():
        found = [difference(whole, scores, metric, run.seed) for metric in (MAIN, f"ndcg@{DEEP}")]
        cells = [cell for one in found for cell in (_points(one), _interval(one, signed=True))]
        rows.append(
            (found[0].mean, (name.removeprefix(WITHOUT), _percent(over(scores, turns(MAIN), run.seed)), *cells))
        )
    columns = ("left out", "r@10 without", "points of r@10", "95 %", "points of nDCG@10", "95 %")
    ordered = tuple(row for _, row in sorted(rows, key=lambda pair: -pair[0]))
    return [Grid("What each part of fused brings", columns, ordered, "Its weight is 0, the others stay as they are.")]


def _plot(settings: Mapping[str, Scores], seed: int) -> Plot:
    curves = []
    for name, scores in settings.items():
        found = [over(scores, turns(f"recall@{k}"), seed) for k in DEPTHS]
        sure = all(one.low is not None for one in found)
        low = tuple(100 * (one.low or 0.0) for one in found) if sure else ()
        high = tuple(100 * (one.high or 0.0) for one in found) if sure else ()
        curves.append(Curve(name, DEPTHS, tuple(100 * one.mean for one in found), low, high))
    return Plot(
        name="locomo",
        title="LoCoMo, categories 1 to 4: evidence among the first k turns",
        x_label="k",
        y_label="evidence recall, %",
        curves=tuple(curves),
    )


def _figures(scores: Scores, seed: int) -> Json:
    """Everything about one setting, as numbers from 0 to 1 and milliseconds."""
    of_turns = _keys(score.turns for some in scores.values() for score in some)
    of_sessions = _keys(score.sessions for some in scores.values() for score in some)
    ms = _milliseconds(scores)
    return {
        "turns": {metric: _numbers(over(scores, turns(metric), seed)) for metric in of_turns},
        "sessions": {metric: _numbers(over(scores, _sessions(metric), seed)) for metric in of_sessions},
        "by_category": {
            name: {metric: _numbers(over(scores, turns(metric, category), seed)) for metric in of_turns}
            for category, name in NAMES.items()
        },
        "by_conversation": {
            name: {metric: _numbers(over({name: some}, turns(metric), seed)) for metric in of_turns}
            for name, some in scores.items()
        },
        "says_relevant": {
            "adversarial": _numbers(over(scores, _said_relevant(adversarial=True), seed)),
            "answerable": _numbers(over(scores, _answerable, seed)),
        },
        "ms": {"p50": float(np.quantile(ms, 0.5)), "p95": float(np.quantile(ms, 0.95))} if ms else None,
    }


def _numbers(found: Estimate) -> Json:
    return {name: None if isinstance(value, float) and isnan(value) else value for name, value in asdict(found).items()}


def _sessions(metric: str) -> Chosen:
    return lambda score: score.sessions.get(metric)


def _said_relevant(*, adversarial: bool) -> Chosen:
    def chosen(score: Score) -> float | None:
        counts = (score.category == Category.ADVERSARIAL) is adversarial
        return float(score.relevant) if counts and score.relevant is not None else None

    return chosen


_answerable = _said_relevant(adversarial=False)


def _milliseconds(scores: Scores) -> list[float]:
    return [score.ms for some in scores.values() for score in some if score.ms is not None]


def _keys(found: Iterable[Mapping[str, float]]) -> list[str]:
    return list(dict.fromkeys(key for one in found for key in one))


def _percent(found: Estimate) -> str:
    return NOTHING if isnan(found.mean) else f"{100 * found.mean:.1f}"


def _points(found: Estimate) -> str:
    return NOTHING if isnan(found.mean) else f"{100 * found.mean:+.1f}"


def _interval(found: Estimate, *, signed: bool = False) -> str:
    """The ends of an interval; empty when there is none."""
    if found.low is None or found.high is None:
        return ""
    sign = "+" if signed else ""
    return f"[{100 * found.low:{sign}.1f}, {100 * found.high:{sign}.1f}]"
