"""What `lab evaluate traits` found, as tables, figures and a plot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from bot.persona.extract import NO_TRAIT
from bot.ports import ChatModel
from lab.evaluation.metrics import Estimate, estimate
from lab.evaluation.overlap import rouge_l, words
from lab.evaluation.report import EvaluationReport, Grid, Json, Plot, curve_of
from lab.evaluation.structured import PEOPLE, Outcome, Row, as_figures, figures_of, grid, percent
from lab.evaluation.traits import Confusion

LD_AGENT = (("ChatGLM, zero-shot with reasoning", 61.6, 25.54), ("ChatGLM, tuned", 77.8, 43.70))
"""(extractor, accuracy, ROUGE-L) as the paper prints them (LD-Agent Table 3)."""
MEANING = (
    "An utterance counts as found when at least one statement comes out, and carries a trait when people wrote one "
    "down. ROUGE-L (β = 1.2, lab/evaluation/overlap.py) is of all statements that come out together against all that "
    "was written down: 'written' on the utterances where people wrote something, nothing coming out counting as 0; "
    "'both' where something came out too; 'all' on every utterance, with nothing read as NO_TRAIT on both sides. In "
    "per cent, with intervals at 95 % by conversation."
)
COMPARABLE = (
    "On all of MSC's test set with a 6B model. The paper does not say over which utterances its ROUGE-L is taken, "
    "nor by which program: compare it with 'written' and, if it counted NO_TRAIT as a text, with 'all'. Its accuracy "
    "is over a set of its own making, whose share of utterances with a trait it does not give."
)


@dataclass(frozen=True, slots=True)
class Labelled:
    """One utterance of session number `session`, what people wrote down of it ("": nothing), and what each arm made."""

    session: int
    text: str
    traits: str
    outcomes: tuple[Outcome, ...]

    def by(self, arm: str) -> Outcome | None:
        """What came of it by this arm; None: nothing was to."""
        return next((one for one in self.outcomes if one.arm == arm), None)


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation."""

    utterances: tuple[Labelled, ...]


@dataclass(frozen=True, slots=True)
class TraitScores:
    """How well one arm finds traits. ROUGE-L as `MEANING` has it."""

    arm: str
    accuracy: Estimate
    confusion: Confusion
    written: Estimate
    both: Estimate
    all: Estimate


def report_of(
    done: Sequence[Talk], arms: Sequence[str], split: str, seed: int, model: ChatModel | None, together: int = 1
) -> EvaluationReport:
    """The figures of all conversations."""
    name = model.description.name if model is not None else "no model"
    scores = [scores_of(arm, done, seed) for arm in arms]
    rows = [Row.of(arm, _outcomes(done, arm), seed) for arm in (*arms, PEOPLE)]
    columns = ("accuracy", "precision", "recall", "F1", "ROUGE-L, written", "both", "all")
    return EvaluationReport(
        name="traits",
        title=f"Traits of Multi-Session Chat, {split}: {name}",
        lines=(*_lines(done, split, seed), f"Worked at at once: {together}."),
        grids=(
            Grid(f"Traits found, {name}", ("arm", *columns), tuple(map(_cells, scores)), MEANING),
            grid("The task itself", rows),
            Grid(
                "LD-Agent, Table 3",
                ("extractor", "accuracy", "ROUGE-L"),
                tuple((who, f"{right:.1f}", f"{overlap:.2f}") for who, right, overlap in LD_AGENT),
                COMPARABLE,
            ),
        ),
        plots=(_plot(scores),),
        figures={
            "model": name,
            "split": split,
            "seed": seed,
            "conversations": len(done),
            "scores": [_figures(one) for one in scores],
            "task": [figures_of(row) for row in rows],
            "utterances": [asdict(one) | {"talk": at} for at, talk in enumerate(done) for one in talk.utterances],
        },
    )


def scores_of(arm: str, done: Sequence[Talk], seed: int) -> TraitScores:
    """The figures of one arm."""
    pairs = [[(one.traits, found.stored) for one in talk.utterances if (found := one.by(arm))] for talk in done]
    every = [pair for talk in pairs for pair in talk]
    return TraitScores(
        arm,
        estimate([[float(bool(gold) == bool(said)) for gold, said in talk] for talk in pairs], seed),
        Confusion(
            true_positive=sum(bool(gold) and bool(said) for gold, said in every),
            false_positive=sum(not gold and bool(said) for gold, said in every),
            false_negative=sum(bool(gold) and not said for gold, said in every),
            true_negative=sum(not gold and not said for gold, said in every),
        ),
        _overlap(pairs, lambda gold, _: bool(gold), seed),
        _overlap(pairs, lambda gold, said: bool(gold and said), seed),
        _overlap([[(gold or NO_TRAIT, said or NO_TRAIT) for gold, said in talk] for talk in pairs], _always, seed),
    )


def _overlap(pairs: Sequence[Sequence[tuple[str, str]]], counts: Callable[[str, str], bool], seed: int) -> Estimate:
    """ROUGE-L over the pairs (written down, came out) that count."""
    return estimate(
        [[rouge_l(words(said), words(gold)) for gold, said in talk if counts(gold, said)] for talk in pairs], seed
    )


def _always(_gold: str, _said: str) -> bool:
    return True


def _outcomes(done: Sequence[Talk], arm: str) -> list[list[Outcome]]:
    return [[found for one in talk.utterances if (found := one.by(arm))] for talk in done]


def _cells(scores: TraitScores) -> tuple[str, ...]:
    counts = (scores.confusion.precision, scores.confusion.recall, scores.confusion.f1)
    overlaps = (scores.written, scores.both, scores.all)
    return (
        scores.arm,
        percent(scores.accuracy),
        *(f"{100 * one:.1f}" for one in counts),
        *map(percent, overlaps),
    )


def _figures(scores: TraitScores) -> Json:
    return {
        "arm": scores.arm,
        "accuracy": as_figures(scores.accuracy),
        "confusion": asdict(scores.confusion),
        "rouge_l_written": as_figures(scores.written),
        "rouge_l_both": as_figures(scores.both),
        "rouge_l_all": as_figures(scores.all),
    }


def _lines(done: Sequence[Talk], split: str, seed: int) -> tuple[str, ...]:
    every = [one for talk in done for one in talk.utterances]
    with_traits = sum(bool(one.traits) for one in every) / max(1, len(every))
    return (
        f"{len(every)} utterances of {len(done)} conversations of {split}, drawn whole (--seed {seed}); "
        f"{with_traits:.1%} carry a trait, which is the accuracy of always saying so. The model is greedy at first; "
        "where an answer is refused, the second one is sampled.",
    )


def _plot(scores: Sequence[TraitScores]) -> Plot:
    curves = tuple(curve_of(one.arm, (one.accuracy, one.written, one.both)) for one in scores)
    groups = ("accuracy", "ROUGE-L, written", "ROUGE-L, both")
    return Plot("traits", "Traits of Multi-Session Chat, %", "", "%", curves, groups)
