"""What is told of a trained retriever: names, figures and the command, and nothing that anybody said."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from lab.tuning.retriever_figures import NAMES, Figures
from lab.tuning.triplets import LOCOMO, MSC, OWN, Material

LICENCES = {
    LOCOMO: "LoCoMo (Maharana et al. 2024) is CC BY-NC 4.0: these weights may not be used commercially.",
    MSC: (
        "Multi-Session Chat (Xu et al. 2022) is a research data set of ParlAI; see its terms before using weights "
        "trained on it commercially."
    ),
    OWN: (
        "These weights were shaped by what people said to this companion. Do not pass them on. Words that were erased "
        "since may have shaped them, too: delete this folder and train again with the command above after an erasure "
        "that matters; the training reads only what is still there."
    ),
}
"""Name of the data → what holds for the weights."""


@dataclass(frozen=True, slots=True)
class Course:
    """How it is trained. `blend`: the share of the trained weights; None: what is best on the development dialogues."""

    epochs: int = 5
    batch: int = 16
    rate: float = 2e-5
    margin: float = 0.3
    seed: int = 0
    steps: int | None = None
    """So many steps at most."""
    limit: int | None = None
    """So many triplets at most."""
    blend: float | None = None


@dataclass(frozen=True, slots=True)
class RetrieverReport:
    """What was trained and how well it finds on held-out dialogues. `str()` is the report for people."""

    out: Path
    material: Material
    course: Course
    triplets: int
    steps: int
    seconds: float
    accuracies: tuple[float, ...]
    """Of triplets of the development dialogues, before training and after each epoch."""
    blend: float
    blends: dict[float, Figures]
    """Share of the trained weights → figures on the development dialogues."""
    before: Figures
    after: Figures

    def __str__(self) -> str:
        return report_of(self)


def report_of(report: RetrieverReport) -> str:
    """What was trained, with the figures before and after, for the terminal."""
    lines = [_trained(report), _chosen(report), "", *_table(report.before, report.after), "", _verdict(report)]
    if report.material.name == OWN:
        lines += ["", LICENCES[OWN]]
    lines += ["", f"To use it, set encoder.id: {report.out.resolve()}. Vectors are then made anew in the background."]
    return "\n".join(lines)


def card_of(report: RetrieverReport, command: str) -> str:
    """The README.md of the folder."""
    parts = [
        "# A text encoder for dialogue contexts",
        _trained(report),
        f"Command: `{command}`",
        LICENCES.get(report.material.name, "See the terms of the data before you pass these weights on."),
        _chosen(report),
        "\n".join(_table(report.before, report.after, markdown=True)),
        _verdict(report),
        f"Load it with `encoder.id: {report.out.name}` (the path of this folder). It holds weights, and no text that "
        "it was trained on.",
    ]
    return "\n\n".join(parts) + "\n"


def _trained(report: RetrieverReport) -> str:
    material, course = report.material, report.course
    accuracies = ", ".join(f"{one:.1%}" for one in report.accuracies)
    return (
        f"Trained on {report.triplets:,} triplets of {len(material.train)} conversations ({material.name}), "
        f"{report.steps:,} steps of {course.batch}, rate {course.rate:g}, margin {course.margin:g}, "
        f"seed {course.seed}, in {report.seconds:.0f} s. Divided by {material.divided_by}. "
        f"Triplet accuracy on the development dialogues before training and after each epoch: {accuracies}."
    )


def _chosen(report: RetrieverReport) -> str:
    tried = ", ".join(f"{share:g}: {figures.quality:.1%}" for share, figures in report.blends.items())
    how = "chosen on the development dialogues" if report.course.blend is None else "as asked for"
    return f"Share of the trained weights in what is kept: {report.blend:g}, {how} (quality by share: {tried})."


def _table(before: Figures, after: Figures, *, markdown: bool = False) -> list[str]:
    rows = [("held-out dialogues", "before", "after")]
    for name in (one.name for one in fields(Figures)):
        old, new = getattr(before, name), getattr(after, name)
        if old is not None and new is not None:
            rows.append((NAMES[name], f"{old:.1%}", f"{new:.1%}"))
    if markdown:
        lines = [f"| {' | '.join(row)} |" for row in rows]
        return [lines[0], "|---|---:|---:|", *lines[1:]]
    return [f"{name:<48}{old:>8}{new:>8}" for name, old, new in rows]


def _verdict(report: RetrieverReport) -> str:
    """Whether it is worth using, by what it was chosen by: the figures on the development dialogues."""
    if report.blends[report.blend].quality > report.blends[0.0].quality:
        return "On the development dialogues it finds better than the encoder it began as."
    return "On the development dialogues it finds no better than the encoder it began as: keep that one."
