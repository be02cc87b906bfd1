"""What `lab evaluate summaries` found, as tables, figures and a plot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean

from bot.ports import ChatModel
from lab.evaluation.metrics import Estimate, estimate
from lab.evaluation.report import EvaluationReport, Grid, Json, Plot, curve_of
from lab.evaluation.rouge import Rouge, best_rouge, mean_rouge
from lab.evaluation.structured import (
    OWN_WORDS,
    PEOPLE,
    TUNED,
    ZERO_SHOT,
    Outcome,
    Row,
    as_figures,
    figures_of,
    grid,
    percent,
)

SCORES: Mapping[str, Callable[[Rouge], float]] = {
    "ROUGE-1": lambda found: found.unigrams,
    "ROUGE-2": lambda found: found.bigrams,
    "ROUGE-L": lambda found: found.longest,
}
MEANING = (
    "F-measures as rouge-score has them (lab/evaluation/rouge.py), the mean over the data set's summaries of a "
    "dialogue; 'best': against the one that is nearest. 'people': each of them against the others. 'words': of a "
    "summary; the setting memory.summary_words limits ours. In per cent, with intervals at 95 % by dialogue."
)
GAINS = ((ZERO_SHOT, TUNED), (OWN_WORDS, TUNED), (OWN_WORDS, ZERO_SHOT))
"""(before, after) of which the difference is given, where both were run."""
COMPARABLE = (
    "LD-Agent gives no figures for its summariser, which it trained on DialogSum. Published figures on DialogSum are "
    "of much larger models trained on its training split, which is kept apart here, and often by another ROUGE: go "
    "by what people reach by this one."
)


@dataclass(frozen=True, slots=True)
class Summarised:
    """One dialogue, what people wrote of it, and what each arm made; `people`: their own inventions."""

    dialogue: str
    references: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    people: tuple[Outcome, ...] = ()

    def by(self, arm: str) -> Outcome:
        """What came of it by this arm. Raises KeyError."""
        return {one.arm: one for one in self.outcomes}[arm]


def report_of(
    done: Sequence[Summarised], arms: Sequence[str], split: str, seed: int, model: ChatModel | None, together: int = 1
) -> EvaluationReport:
    """The figures of all dialogues."""
    name = model.description.name if model is not None else "no model"
    scores = {arm: [mean_rouge(one.by(arm).stored, one.references) for one in done] for arm in arms}
    best = {arm: [best_rouge(one.by(arm).stored, one.references) for one in done] for arm in arms}
    several = [one for one in done if len(one.references) > 1]
    if several:
        scores[PEOPLE], best[PEOPLE] = _people(several, mean_rouge), _people(several, best_rouge)
    task = [Row.of(arm, [[one.by(arm)] for one in done], seed) for arm in arms]
    task.append(Row.of(PEOPLE, [one.people for one in done], seed))
    length = {arm: mean(len(one.by(arm).stored.split()) for one in done) for arm in arms}
    length[PEOPLE] = mean(len(text.split()) for one in done for text in one.references)
    grids = [_scores_grid(name, scores, best, length, seed), grid("The task itself", task)]
    gains = _gains(scores, seed)
    if gains:
        grids.append(_gains_grid(gains))
    return EvaluationReport(
        name="summaries",
        title=f"Summaries of DialogSum, {split}: {name}",
        lines=(_how(done, split, seed), COMPARABLE, f"Worked at at once: {together}."),
        grids=tuple(grids),
        plots=(_plot(scores, seed),),
        figures={
            "model": name,
            "split": split,
            "seed": seed,
            "dialogues": len(done),
            "rouge": {arm: _figures(found, seed) for arm, found in scores.items()},
            "rouge_best": {arm: _figures(found, seed) for arm, found in best.items()},
            "words": length,
            "gains": {pair: {score: as_figures(one) for score, one in found.items()} for pair, found in gains.items()},
            "task": [figures_of(row) for row in task],
            "summaries": [asdict(one) for one in done],
        },
    )


def _people(done: Sequence[Summarised], judge: Callable[[str, Sequence[str]], Rouge]) -> list[Rouge]:
    """For each dialogue the mean over its summaries, each against the others."""
    found = []
    for one in done:
        texts = one.references
        each = [judge(text, [*texts[:at], *texts[at + 1 :]]) for at, text in enumerate(texts)]
        found.append(Rouge(*(mean(score(rouge) for rouge in each) for score in SCORES.values())))
    return found


def _estimates(found: Sequence[Rouge], seed: int) -> list[Estimate]:
    return [estimate([[score(one)] for one in found], seed) for score in SCORES.values()]


def _figures(found: Sequence[Rouge], seed: int) -> Json:
    return {name: as_figures(one) for name, one in zip(SCORES, _estimates(found, seed), strict=True)}


def _scores_grid(
    name: str,
    scores: Mapping[str, Sequence[Rouge]],
    best: Mapping[str, Sequence[Rouge]],
    length: Mapping[str, float],
    seed: int,
) -> Grid:
    rows = tuple(
        (
            arm,
            f"{len(found)}",
            *map(percent, _estimates(found, seed)),
            *(f"{100 * one.mean:.1f}" for one in _estimates(best[arm], seed)),
            f"{length[arm]:.1f}",
        )
        for arm, found in scores.items()
    )
    columns = ("arm", "dialogues", *SCORES, "best, 1", "best, 2", "best, L", "words")
    return Grid(f"Summaries, {name}", columns, rows, MEANING)


def _gains(scores: Mapping[str, Sequence[Rouge]], seed: int) -> dict[str, dict[str, Estimate]]:
    """What one arm has more than another, on the same dialogues."""
    return {
        f"{after} – {before}": {
            name: estimate(
                [[score(new) - score(old)] for new, old in zip(scores[after], scores[before], strict=True)], seed
            )
            for name, score in SCORES.items()
        }
        for before, after in GAINS
        if before in scores and after in scores
    }


def _gains_grid(gains: Mapping[str, Mapping[str, Estimate]]) -> Grid:
    rows = tuple((pair, *map(percent, found.values())) for pair, found in gains.items())
    return Grid("Differences", ("arms", *SCORES), rows, "Points of a hundred on the same dialogues.")


def _how(done: Sequence[Summarised], split: str, seed: int) -> str:
    references = len(done[0].references) if done else 0
    return (
        f"{len(done)} dialogues of {split} (--seed {seed}), each a session of its own for the real summariser, with "
        f"{references} summaries by people. The model is greedy at first; where an answer is refused, the second one "
        "is sampled, and after that people's own words are stored."
    )


def _plot(scores: Mapping[str, Sequence[Rouge]], seed: int) -> Plot:
    curves = tuple(curve_of(arm, _estimates(found, seed)) for arm, found in scores.items())
    return Plot("summaries", "Summaries of DialogSum, %", "", "%", curves, tuple(SCORES))
