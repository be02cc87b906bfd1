"""What `lab evaluate teafarm` found, as tables, figures and a plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from bot.domain import ModelDescription
from lab.evaluation.metrics import Estimate, estimate
from lab.evaluation.rehearsal import ARMS, WITH
from lab.evaluation.report import EvaluationReport, Grid, Json, Plot, curve_of
from lab.evaluation.verdicts import Verdict, agreement

MSC, LOCOMO = "MSC", "LoCoMo"
EXAMPLES = 12
LONGEST_SHOWN = 140
WEAK = (
    "{model} is a weak judge: it does not follow instructions, and its yes or no is hardly better than chance. Go by "
    "the rule; 'agreement' and 'kappa' show how far the two agree."
)
MEANING = (
    "By the rule: 'corrects' denies or doubts the premise or says what is true, 'gives in' agrees or repeats what is "
    "false, 'evades' does neither. Success is 'corrects'; intervals at 95 % by conversation. 'judge: resists': the "
    "share of replies that the model says were not taken in; evading counts as resisting there. Agreement: how often "
    "rule and judge say the same on giving in; kappa 0 is chance."
)


@dataclass(frozen=True, slots=True)
class Judged:
    """One question, one reply to it, and what is thought of it. `fooled`: the model's word; None: it gave none."""

    question: str
    truth: str
    made_by: str
    arm: str
    reply: str
    shown: int
    verdict: Verdict
    fooled: bool | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Asked:
    """All that was asked about one conversation of a set."""

    set: str
    conversation: str
    judged: tuple[Judged, ...]


def report_of(done: Sequence[Asked], seed: int, described: ModelDescription) -> EvaluationReport:
    """The figures of all replies."""
    kinds = [kind for kind in (MSC, LOCOMO) if any(one.set == kind and one.judged for one in done)]
    rows = {(kind, arm): _Row.of(done, kind, arm, seed) for kind in kinds for arm in ARMS}
    columns = (
        "set, arm",
        "replies",
        "corrects",
        "evades",
        "gives in",
        "judge: resists",
        "no word",
        "agreement",
        "kappa",
    )
    grid = Grid(
        f"Questions with a false premise, {described.name}",
        (*columns, "shown"),
        tuple(row.cells(f"{kind}, {arm}") for (kind, arm), row in rows.items()),
        MEANING,
    )
    weak = () if described.follows_instructions else (WEAK.format(model=described.name),)
    return EvaluationReport(
        name="teafarm",
        title=f"TeaFarm, questions with a false premise: {described.name}",
        lines=(*weak, _how(done, seed)),
        grids=(grid, _examples(done)),
        plots=(_plot(rows, kinds),),
        figures={
            "model": described.name,
            "weak_judge": not described.follows_instructions,
            "seed": seed,
            "rows": [{"set": kind, "arm": arm} | row.figures() for (kind, arm), row in rows.items()],
            "replies": [
                asdict(judged) | {"set": one.set, "conversation": one.conversation}
                for one in done
                for judged in one.judged
            ],
        },
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """The replies of one arm in one set."""

    rates: Mapping[Verdict, Estimate]
    resists: Estimate
    no_word: int
    agreement: tuple[float, float] | None
    """Of the two judges, and kappa; None: the model said nothing."""
    shown: float

    @classmethod
    def of(cls, done: Sequence[Asked], kind: str, arm: str, seed: int) -> _Row:
        """The figures of all that was asked about conversations of this set."""
        groups = [[one for one in asked.judged if one.arm == arm] for asked in done if asked.set == kind]
        replies = [one for group in groups for one in group]
        pairs = [(one.verdict is Verdict.GIVES_IN, one.fooled) for one in replies if one.fooled is not None]
        return cls(
            {
                each: estimate([[float(one.verdict is each) for one in group] for group in groups], seed)
                for each in Verdict
            },
            estimate([[float(not one.fooled) for one in group if one.fooled is not None] for group in groups], seed),
            sum(one.fooled is None for one in replies),
            agreement(pairs),
            sum(one.shown > 0 for one in replies) / max(1, len(replies)),
        )

    def cells(self, name: str) -> tuple[str, ...]:
        """The row for people."""
        return (
            name,
            f"{self.rates[Verdict.CORRECTS].count}",
            *(_percent(self.rates[verdict]) for verdict in Verdict),
            _percent(self.resists),
            f"{self.no_word}",
            *(("–", "–") if self.agreement is None else (f"{self.agreement[0]:.0%}", f"{self.agreement[1]:.2f}")),
            f"{self.shown:.0%}",
        )

    def figures(self) -> dict[str, Json]:
        """The row for programs."""
        return {
            **{verdict.value: asdict(found) for verdict, found in self.rates.items()},
            "judge_resists": asdict(self.resists) if self.resists.count else None,
            "judge_no_word": self.no_word,
            "agreement": self.agreement[0] if self.agreement is not None else None,
            "kappa": self.agreement[1] if self.agreement is not None else None,
            "shown": self.shown,
        }


def _percent(found: Estimate) -> str:
    if not found.count:
        return "–"
    interval = "" if found.low is None or found.high is None else f" ({found.low:.0%} to {found.high:.0%})"
    return f"{found.mean:.0%}{interval}"


def _how(done: Sequence[Asked], seed: int) -> str:
    judged = [one for asked in done for one in asked.judged]
    makers = ", ".join(
        f"{len({one.question for one in judged if one.made_by == maker})} made by {maker}"
        for maker in sorted({one.made_by for one in judged})
    )
    seconds = sum(one.seconds for one in judged)
    return (
        f"{len(done)} conversations, --seed {seed}. Questions: {makers}. {seconds:.0f} s of replying. Each question is "
        "asked a week after the last session, after the same little talk; without memory the core knows this talk "
        "alone. Greedy decoding. THEANINE's success rates are of other questions, made and judged by GPT-4, and not "
        "comparable."
    )


def _examples(done: Sequence[Asked]) -> Grid:
    """Some replies with memory, of both sets by turns, so that people can judge the judges."""
    by_set = [[one for asked in done if asked.set == kind for one in asked.judged] for kind in (MSC, LOCOMO)]
    chosen = [one for group in by_set for one in [one for one in group if one.arm == WITH][: EXAMPLES // 2]]
    rows = tuple(
        (_cut(one.question), _cut(one.truth or "–"), _cut(one.reply), one.verdict.value, _word(one.fooled))
        for one in chosen
    )
    return Grid("Some of the replies with memory", ("question", "truth", "reply", "rule", "judge: taken in"), rows)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_SHOWN else f"{line[: LONGEST_SHOWN - 2]} …"


def _word(fooled: bool | None) -> str:  # three states
    return "no word" if fooled is None else "yes" if fooled else "no"


def _plot(rows: Mapping[tuple[str, str], _Row], kinds: Sequence[str]) -> Plot:
    curves = []
    for arm in ARMS:
        found = [rows[kind, arm].rates[Verdict.CORRECTS] for kind in kinds]
        curves.append(curve_of(arm, found))
    title = "Replies that correct the false premise, by the rule, %"
    return Plot("teafarm", title, "", "corrected, %", tuple(curves), tuple(kinds))
