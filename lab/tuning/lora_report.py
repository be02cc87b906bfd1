"""What is told of a trained adapter: names, figures and the command, and nothing that anybody said."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.domain import Skill
from lab.tuning.lora_data import DIALOGSUM, MSC_DIALOGUES, MSC_TRAITS, OWN, Draw, Material
from lab.tuning.lora_figures import Figures

_MSC = (
    "Multi-Session Chat (Xu et al. 2022) is a research data set of ParlAI; see its terms before using weights trained "
    "on it commercially."
)
LICENCES = {
    MSC_TRAITS: _MSC,
    MSC_DIALOGUES: _MSC,
    DIALOGSUM: "DialogSum (Chen et al. 2021) is CC BY-NC-SA 4.0: these weights may not be used commercially.",
    OWN: (
        "These weights were shaped by what people said to this companion. Do not pass them on. Words that were erased "
        "since may have shaped them, too: delete this folder and train again with the command above after an erasure "
        "that matters; the training reads only what is still there."
    ),
}
"""Name of the data → what holds for the weights."""


@dataclass(frozen=True, slots=True)
class Course:
    """How it is trained."""

    epochs: int = 3
    batch: int = 16
    rank: int = 8
    rate: float = 1e-3
    seed: int = 0
    layers: int | None = None
    """The last so many layers learn; None: all."""
    steps: int | None = None
    """So many steps at most."""
    limit: int | None = None
    """So many examples at most."""
    measured: int = 200
    """So many examples of unseen conversations are measured on."""

    @property
    def draw(self) -> Draw:
        """What of the data it takes."""
        return Draw(self.seed, self.limit, measured=self.measured)


@dataclass(frozen=True, slots=True)
class TuningReport:
    """What was trained and how well it does on unseen conversations. `str()` is the report for people."""

    out: Path
    base: str
    material: Material
    course: Course
    examples: int
    steps: int
    seconds: float
    losses: tuple[float, ...]
    """On the held-out conversations, before training and at each look."""
    before: Figures
    after: Figures

    @property
    def learnt(self) -> bool:
        """Whether the held-out conversations say that it learnt anything."""
        return min(self.losses) < self.losses[0]

    def __str__(self) -> str:
        return report_of(self)


def report_of(report: TuningReport) -> str:
    """What was trained, with the figures before and after, for the terminal."""
    lines = [_trained(report), "", *_table(report), "", _verdict(report)]
    if report.material.name == OWN:
        lines += ["", LICENCES[OWN]]
    lines += ["", f"To use it, set model.adapters.{report.material.skill}: {report.out.resolve()}"]
    return "\n".join(lines)


def card_of(report: TuningReport, command: str) -> str:
    """The README.md of the folder."""
    material = report.material
    parts = [
        f"# {_TITLES[material.skill]}, for {report.base}",
        f"A LoRA adapter in PEFT's format. Base model: {report.base}, to which its licence goes on applying. Data: "
        f"{material.name}. {material.left_out}".strip(),
        _trained(report),
        f"Command: `{command}`",
        LICENCES.get(material.name, "See the terms of the data before you pass these weights on."),
        "\n".join(_table(report, markdown=True)),
        _verdict(report),
        f"Use it with `model.adapters.{material.skill}: FOLDER`. It holds weights, and no text that it was trained on.",
    ]
    return "\n\n".join(parts) + "\n"


_TITLES = {
    Skill.SUMMARIZER: "An adapter for summaries of conversations",
    Skill.EXTRACTOR: "An adapter for traits in what people say",
    Skill.GENERATOR: "An adapter for replies",
}


def _trained(report: TuningReport) -> str:
    material, course = report.material, report.course
    losses = ", ".join(f"{one:.3f}" for one in report.losses)
    where = "all layers" if course.layers is None else f"the last {course.layers} layers"
    return (
        f"Trained on {report.examples:,} examples of {_conversations(material)} conversations ({material.name}), "
        f"{report.steps:,} steps of {course.batch}, rank {course.rank} on {where}, rate {course.rate:g}, "
        f"seed {course.seed}, in {report.seconds:.0f} s. Divided by conversation. Loss a token on the "
        f"conversations held out to choose by, before training and at each look: {losses}; the best is kept."
    )


def _conversations(material: Material) -> int:
    return len({one.conversation for one in material.train})


def _table(report: TuningReport, *, markdown: bool = False) -> list[str]:
    rows = [(f"{len(report.material.test)} examples of unseen conversations", "before", "after")]
    rows += [(name, f"{old:.1%}", f"{report.after[name]:.1%}") for name, old in report.before.items()]
    note = "Before: the model without the adapter, with the prompt that it gets live. Greedy decoding."
    if markdown:
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return [lines[0], "|---|---:|---:|", *lines[1:], "", note]
    return [*(f"{name:<44}{old:>8}{new:>8}" for name, old, new in rows), note]


def _verdict(report: TuningReport) -> str:
    if report.learnt:
        return "On the held-out conversations it is better than the model that it began as."
    return "On the held-out conversations it is no better than the model that it began as: do without it."
