"""Trains the net that hears what is grave where no list does (`bot/care/grave_net.py`).

From lines that were written for it (`grave/*.txt`, a file a language), the weeks whose rules were mended, ordinary
lines, every other conversation of REALTALK and four in five of the written conversations with a companion
(`talk/`); the others are kept aside. Of these the lines that the nets took for grave were read: `grave/companion/`
names those that are, and those that nobody can tell, which are left out. Thresholds are chosen on both by nets that
have not seen the conversations that they judge.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from bot.care import grave_net
from bot.care.grave import SHORTEST_QUOTE
from bot.care.grave_net import BUCKETS, WEIGHTS, GraveNet, features
from bot.conversation.checking.wordings import LANGUAGES
from lab.evaluation.safety import real_chat
from lab.evaluation.weeks import weeks_of
from lab.tuning import danger
from lab.tuning.hashed import matrix_of, target_of
from lab.tuning.weights_files import write_hashed_net

WRITTEN = Path(__file__).parent / "grave"
READ = WRITTEN / "companion"
"""Lines of TALK that are grave, by label, and those of UNCLEAR; a file a language."""
TALK = Path(__file__).parent / "talk"
ASIDE = 5
"""Of this many conversations of a file of TALK the last is kept aside."""
BRACKETS = re.compile(r"^(?:\[[^\]]*\] )+")
"""What stands before a person's words in TALK: the hour, the place."""
UNCLEAR = "unclear"
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
"""The share of lines of real chat, and of what is written to a companion, that are heard wrongly."""
MOST_ALARMS_ELSEWHERE = 0.02
"""The same of lines in other languages that were written so that they seem grave."""
LICENCE = "Weights only, no text. Sentences written for this project, and research data as ordinary talk."


@dataclass(frozen=True, slots=True)
class Line:
    """A line, and whether it tells of something grave that is not over."""

    text: str
    language: str
    grave: bool
    weight: float = 1.0
    chat: str = ""
    """The conversation of real chat or with a companion that it is of; on these the thresholds are chosen."""
    companion: bool = False


@dataclass(frozen=True, slots=True)
class GraveReport:
    """What was trained. `str()` is the report for people."""

    out: Path
    lines: int
    seconds: float
    heard: tuple[float, float]
    """The share of what was written as grave that is heard, in English and elsewhere, out of fold."""
    aside: tuple[int, int]
    """Lines to a companion that were kept aside, and how many of them are taken for grave, rightly or not."""

    def __str__(self) -> str:
        return (
            f"Trained on {self.lines} lines in {self.seconds:.0f} s; wrote {self.out}. Out of fold it hears "
            f"{self.heard[0]:.1%} of what is grave in English and {self.heard[1]:.1%} in other languages. "
            f"Of {self.aside[0]} lines to a companion that were kept aside it takes {self.aside[1]} for grave."
        )


def train(data: Path, out: Path | None = None, seed: int = 0) -> GraveReport:
    """Trains and writes the weights to `out` (None: the shipped file). The same seed gives the same bytes."""
    started = time.monotonic()
    target = target_of(grave_net.__package__, WEIGHTS, out)
    lines = all_lines(data, seed)
    net, heard = _trained(lines, seed)
    write_hashed_net(net, grave_net.FORMAT, target)
    aside = list(of_companion(aside=True))
    taken = sum(_is_judged(line.text) and net.hears(line.text, english=line.language == "en") for line in aside)
    return GraveReport(target, len(lines), time.monotonic() - started, heard, (len(aside), taken))


def all_lines(data: Path, seed: int) -> list[Line]:
    """Everything that is learnt from."""
    talk = [Line(one.text, "en", grave=False) for one in danger.ordinary_talk(data, seed) if one.language == "en"]
    chats = (chat for chat in real_chat(data) if chat.name == "REALTALK" and not chat.aside)
    chat = (
        Line(text, "en", grave=False, chat=f"chat {number}")
        for number, one in enumerate(chats)
        for text in dict.fromkeys(one.lines)
    )
    return [*_written(), *_of_weeks(), *_everyday(), *talk[:MOST_TALK], *chat, *of_companion()]


def _labelled(path: Path) -> Iterator[tuple[str, str]]:
    """Label and line of a file: "# label", and under it one a line."""
    label = ""
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        if line.startswith("# "):
            label = line[2:].strip()
        elif line.strip():
            yield label, line.strip()


def _written() -> Iterator[Line]:
    for code in LANGUAGES:
        for label, text in _labelled(WRITTEN / f"{code}.txt"):
            yield Line(text, code, label in GRAVE)


def of_companion(*, aside: bool = False) -> Iterator[Line]:
    """What people say in the conversations of TALK that are learnt from, or all of it in those kept aside."""
    for code in LANGUAGES:
        label_of = {text: label for label, text in _labelled(READ / f"{code}.txt")}
        for path in sorted((TALK / "english").glob("*.yaml")) if code == "en" else [TALK / f"{code}.yaml"]:
            conversations = yaml.load(path.read_text("utf-8"), Loader=yaml.CSafeLoader)
            for number, one in enumerate(conversations, start=1):
                if (number % ASIDE == 0) != aside:
                    continue
                for said, _ in one["turns"]:
                    text = " ".join(BRACKETS.sub("", said).split())
                    label = label_of.get(text, "")
                    if aside or label != UNCLEAR:
                        yield Line(text, code, label in GRAVE, chat=f"{path.stem} {number}", companion=True)


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
    logits = out_of_fold(lines, matrix, seed)
    fit = _logistic().fit(matrix, labels, sample_weight=weights)
    english, chat = np.array([line.language == "en" for line in lines]), np.array([bool(line.chat) for line in lines])
    companion = np.array([line.companion for line in lines])
    judged = np.where([_is_judged(line.text) for line in lines], logits, -np.inf)
    threshold = max(_quantile(judged[english & chat & ~labels & one], MOST_ALARMS) for one in (companion, ~companion))
    plain = ~english & ~labels & (weights == 1)
    elsewhere = max(
        _quantile(judged[plain & companion], MOST_ALARMS), _quantile(logits[plain & ~companion], MOST_ALARMS_ELSEWHERE)
    )
    heard = (
        float((logits[english & labels & ~companion] >= threshold).mean()),
        float((logits[~english & labels & ~companion] >= elsewhere).mean()),
    )
    about = _about(lines, seed)
    return GraveNet(about, fit.coef_[0].astype(np.float32), float(fit.intercept_[0]), threshold, elsewhere), heard


def out_of_fold(lines: Sequence[Line], matrix: csr_matrix, seed: int) -> NDArray[np.float64]:
    """The logits of nets that have not seen the conversations that they judge. `matrix`: the features of the lines."""
    labels, weights = np.array([line.grave for line in lines]), np.array([line.weight for line in lines])
    logits = np.zeros(len(lines))
    order = np.random.default_rng(seed).permutation(len(lines))
    talks = np.array([line.chat or str(number) for number, line in enumerate(lines)])[order]
    for seen, unseen in GroupKFold(FOLDS).split(order, groups=talks):
        fit = _logistic().fit(matrix[order[seen]], labels[order[seen]], sample_weight=weights[order[seen]])
        logits[order[unseen]] = fit.decision_function(matrix[order[unseen]])
    return logits


def _is_judged(text: str) -> bool:
    """Whether `bot/care/grave.py` asks the net about a line."""
    return len(text.split()) >= SHORTEST_QUOTE and not text.rstrip().endswith("?")


def _quantile(logits: NDArray[np.float64], most: float) -> float:
    """The threshold that a share `most` of these logits reach; minus infinity where there are none."""
    return float(np.quantile(logits, 1 - most, method="higher")) if len(logits) else -np.inf


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
            "lab/tuning/talk",
        ],
        "lines": len(lines),
        "seed": seed,
        "command": f"python -m lab tune grave --data DIR --seed {seed}",
        "licence": LICENCE,
    }
