"""Trains the net that hears what is grave where no list does (`bot/care/grave_net.py`).

From lines that were written for it (`grave/*.txt`, a file a language), the weeks whose rules were mended and ordinary
lines, among them every other conversation of REALTALK, on which the threshold for English is chosen; the others are
kept aside. Thresholds are chosen by nets that have not seen what they judge.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from bot.care import grave_net
from bot.care.grave_net import BUCKETS, WEIGHTS, GraveNet, features, write_weights
from bot.conversation.checking.wordings import LANGUAGES
from lab.evaluation.safety import real_chat
from lab.evaluation.weeks import weeks_of
from lab.tuning import danger
from lab.tuning.hashed import matrix_of, target_of

WRITTEN = Path(__file__).parent / "grave"
SEEN_WEEKS = ("open", "kept", "fresh", "last")
"""Parts of the weeks that may be learnt from."""
GRAVE = frozenset({"death", "ill", "illof", "split", "job", "fear", "sleep"})
"""Labels of WRITTEN; the others are "none", and what is over: "over-ill" …"""
FOLDS = 3
STRENGTH = 30.0
"""scikit-learn's C."""
EVERYDAY_WEIGHT = 2.0
MOST_TALK = 8000
"""Lines of research data that are learnt from as ordinary."""
MOST_ALARMS = 0.003
"""The share of lines of real chat, in English, that are heard wrongly."""
MOST_ALARMS_ELSEWHERE = 0.02
"""The same of lines in other languages, most of which were written so that they seem grave."""
LICENCE = "Weights only, no text. Sentences written for this project, and research data as ordinary talk."


@dataclass(frozen=True, slots=True)
class Line:
    """A line, and whether it tells of something grave that is not over."""

    text: str
    language: str
    grave: bool
    weight: float = 1.0
    chat: bool = False
    """Whether it is of real chat, on which the threshold is chosen."""


@dataclass(frozen=True, slots=True)
class GraveReport:
    """What was trained. `str()` is the report for people."""

    out: Path
    lines: int
    seconds: float
    heard: tuple[float, float]
    """The share of what is grave that is heard, in English and elsewhere, out of fold."""

    def __str__(self) -> str:
        return (
            f"Trained on {self.lines} lines in {self.seconds:.0f} s; wrote {self.out}. Out of fold it hears "
            f"{self.heard[0]:.1%} of what is grave in English and {self.heard[1]:.1%} in other languages."
        )


def train(data: Path, out: Path | None = None, seed: int = 0) -> GraveReport:
    """Trains and writes the weights to `out` (None: the shipped file). The same seed gives the same bytes."""
    started = time.monotonic()
    target = target_of(grave_net.__package__, WEIGHTS, out)
    lines = all_lines(data, seed)
    net, heard = _trained(lines, seed)
    write_weights(net, target)
    return GraveReport(target, len(lines), time.monotonic() - started, heard)


def all_lines(data: Path, seed: int) -> list[Line]:
    """Everything that is learnt from."""
    talk = [Line(one.text, "en", grave=False) for one in danger.ordinary_talk(data, seed) if one.language == "en"]
    chats = (chat for chat in real_chat(data) if chat.name == "REALTALK" and not chat.aside)
    chat = (Line(text, "en", grave=False, chat=True) for one in chats for text in dict.fromkeys(one.lines))
    return [*_written(), *_of_weeks(), *_everyday(), *talk[:MOST_TALK], *chat]


def _written() -> Iterator[Line]:
    """The lines of WRITTEN: "# label", and under it one a line."""
    for code in LANGUAGES:
        label = ""
        for line in (WRITTEN / f"{code}.txt").read_text("utf-8").splitlines():
            if line.startswith("# "):
                label = line[2:].strip()
            elif line.strip():
                yield Line(line.strip(), code, label in GRAVE)


def _of_weeks() -> Iterator[Line]:
    for week in (week for part in SEEN_WEEKS for week in weeks_of(part) if week.about):
        for number, (_, text) in enumerate(week.told, start=1):
            yield Line(text, week.language, number in week.about)


def _everyday() -> Iterator[Line]:
    for one in danger.read_sentences(danger.EVERYDAY):
        if one.language in LANGUAGES:
            yield Line(one.text, one.language, grave=False, weight=EVERYDAY_WEIGHT)


def _trained(lines: Sequence[Line], seed: int) -> tuple[GraveNet, tuple[float, float]]:
    """The net of all lines, and what nets hear that have not seen what they judge."""
    matrix = matrix_of((features(line.text) for line in lines), BUCKETS)
    labels, weights = np.array([line.grave for line in lines]), np.array([line.weight for line in lines])
    logits = np.zeros(len(lines))
    strata = np.unique([f"{line.language} {line.grave} {line.chat}" for line in lines], return_inverse=True)[1]
    for seen, unseen in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(strata, strata):
        fit = _logistic().fit(matrix[seen], labels[seen], sample_weight=weights[seen])
        logits[unseen] = fit.decision_function(matrix[unseen])
    fit = _logistic().fit(matrix, labels, sample_weight=weights)
    english, chat = np.array([line.language == "en" for line in lines]), np.array([line.chat for line in lines])
    threshold = float(np.quantile(logits[chat], 1 - MOST_ALARMS))
    plain = ~english & ~labels & (weights == 1)
    elsewhere = float(np.quantile(logits[plain], 1 - MOST_ALARMS_ELSEWHERE))
    heard = (
        float((logits[english & labels] >= threshold).mean()),
        float((logits[~english & labels] >= elsewhere).mean()),
    )
    about = _about(lines, seed)
    return GraveNet(about, fit.coef_[0].astype(np.float32), float(fit.intercept_[0]), threshold, elsewhere), heard


def _logistic() -> LogisticRegression:
    return LogisticRegression(C=STRENGTH, solver="liblinear", random_state=0)


def _about(lines: Sequence[Line], seed: int) -> dict[str, object]:
    return {
        "data": [
            "lab/tuning/grave",
            danger.EVERYDAY.name,
            *SEEN_WEEKS,
            "ordinary talk of the net for danger",
            "REALTALK",
        ],
        "lines": len(lines),
        "seed": seed,
        "command": f"python -m lab tune grave --data DIR --seed {seed}",
        "licence": LICENCE,
    }
