"""Trains the net that hears questions about what is kept and who sees it (`bot/conversation/privacy_net.py`).

From lines that three writers made up for it, others that share their words or ask a bot something else, and ordinary
talk as for the net for danger, in which hardly anybody asks that. The thresholds are chosen on this, by nets that have
not seen it; another writer's lines are kept aside, and measured.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from bot.conversation import privacy_net
from bot.conversation.privacy_net import BUCKETS, WEIGHTS, PrivacyNet, features, is_short
from bot.conversation.situations import asks
from lab.tuning import danger
from lab.tuning.hashed import matrix_of, target_of
from lab.tuning.weights_files import write_hashed_net

WRITTEN = Path(__file__).parent / "privacy"
FOLDS = 5
STRENGTH = 30.0
"""scikit-learn's C."""
MOST_ALARMS = 0.001, 0.00005
"""The share of what is said to a companion that is taken for such a question, rightly or not: of lines that ask
something, of others."""


@dataclass(frozen=True, slots=True)
class PrivacyReport:
    """What was trained. `str()` is the report for people."""

    out: Path
    lines: int
    seconds: float
    heard: float
    """The share of the questions that is heard out of fold."""
    aside: tuple[float, float]
    """Of a writer's lines that are kept aside: the share of the questions that is heard, and of the other lines."""
    alarms: tuple[str, ...]
    """What of all that is said to a companion is taken for one, out of fold: to be read."""

    def __str__(self) -> str:
        return "\n".join(
            (
                *self.alarms,
                f"Trained on {self.lines} lines in {self.seconds:.0f} s; wrote {self.out}. Out of fold it hears "
                f"{self.heard:.1%} of the questions, and takes the {len(self.alarms)} lines above for one. Of a "
                f"writer's that are kept aside it hears {self.aside[0]:.1%}, and {self.aside[1]:.1%} of the others.",
            )
        )


def train(data: Path, out: Path | None = None, seed: int = 0) -> PrivacyReport:
    """Trains and writes the weights to `out` (None: the shipped file). The same seed gives the same bytes."""
    started = time.monotonic()
    target = target_of(privacy_net.__package__, WEIGHTS, out)
    asked, other = written("yes"), written("no")
    ordinary = (one.text for one in danger.ordinary_talk(data, seed) if one.language == "en")
    talk = [text for text in dict.fromkeys(ordinary) if is_short(text) and text not in {*asked}]
    texts = [*asked, *other, *talk]
    matrix, labels = matrix_of((features(text) for text in texts), BUCKETS), np.arange(len(texts)) < len(asked)
    logits = np.zeros(len(texts))
    for seen, unseen in KFold(FOLDS, shuffle=True, random_state=seed).split(logits):
        logits[unseen] = _fitted(matrix[seen], labels[seen]).decision_function(matrix[unseen])
    asking = np.array([asks(text) for text in texts])
    of_talk = np.arange(len(texts)) >= len(texts) - len(talk)
    threshold, firmer = (
        float(np.quantile(logits[of_talk & (asking == one)], 1 - most, method="higher"))
        for one, most in zip((True, False), MOST_ALARMS, strict=True)
    )
    taken = logits >= np.where(asking, threshold, firmer)
    fit, about = _fitted(matrix, labels), _about(len(texts), seed)
    net = PrivacyNet(about, fit.coef_[0].astype(np.float32), float(fit.intercept_[0]), threshold, firmer)
    write_hashed_net(net, privacy_net.FORMAT, target)
    heard_aside, wrong_aside = (
        sum(net.hears(line, asks=asks(line)) for line in lines) / len(lines)
        for lines in (written("aside_yes"), written("aside_no"))
    )
    return PrivacyReport(
        target,
        len(texts),
        time.monotonic() - started,
        float(taken[: len(asked)].mean()),
        (heard_aside, wrong_aside),
        tuple(texts[at] for at in np.flatnonzero(taken & of_talk)),
    )


def written(name: str) -> list[str]:
    """The lines of one of the files of WRITTEN."""
    return [line for line in (WRITTEN / f"{name}.txt").read_text("utf-8").splitlines() if line.strip()]


def _fitted(matrix: NDArray[np.float64], labels: NDArray[np.bool_]) -> LogisticRegression:
    return LogisticRegression(C=STRENGTH, solver="liblinear", random_state=0).fit(matrix, labels)


def _about(lines: int, seed: int) -> dict[str, object]:
    return {
        "data": ["lab/tuning/privacy", "ordinary talk of the net for danger"],
        "lines": lines,
        "seed": seed,
        "command": f"python -m lab tune privacy --data DIR --seed {seed}",
        "licence": "Weights only, no text. Sentences written for this project, and research data as ordinary talk.",
    }
