"""Trains the net that hears what is grave, and what is over, beside the lists of words (`bot/care/grave_net.py`).

From lines that were written for it (`grave/*.txt`, a file a language), the weeks whose rules were mended (`weeks`), and
ordinary lines. Thresholds are chosen on lines that the net has not seen.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from bot.care import grave_net
from bot.care.grave import grave_words, graves_in
from bot.care.grave_net import BUCKETS, HEADS, TOPICS, WEIGHTS, GraveNet, features, write_weights
from bot.conversation.checking.wordings import LANGUAGES
from bot.errors import BadInput
from bot.ports import Encoder, Vectors
from lab.evaluation.weeks import weeks_of

WRITTEN = Path(__file__).parent / "grave"
EVERYDAY = Path(__file__).parents[1] / "evaluation" / "safety_ordinary.jsonl"
SEEN_WEEKS = ("open", "kept", "fresh", "last")
"""Parts of the weeks that may be learnt from."""
FOLDS = 3
REGULARISATION = 30.0
VECTOR_REGULARISATION = 3.0
"""scikit-learn's C, of words and of vectors."""
EVERYDAY_WEIGHT = 2.0
COPY_WEIGHT = 0.4
IDEAS_WEIGHT = 0.4
"""How much a line of EVERYDAY counts, one with another person or a line beside it, and the ideas of a line alone."""
MOST_ALARMS = 0.01
"""The share of ordinary lines in which something grave may be heard."""
MOST_SETTLED = 0.01
"""The share of lines that tell of nothing that is over, in which something may be heard to be."""
LICENCE = "Weights only, no text. Sentences written for this project."


@dataclass(frozen=True, slots=True)
class Line:
    """A line and what it is: a key of _TOPIC, the same with "over-" (of illness "over-ill"), or "none"."""

    text: str
    language: str
    label: str
    weight: float = 1.0

    @property
    def heads(self) -> NDArray[np.int8]:
        """1 and 0 for each of HEADS; −1 where the line says nothing of it."""
        topic = _TOPIC.get(self.label.removeprefix("over-"), "")
        is_topic = [int(name == topic) if topic else -1 for name in TOPICS]
        return np.array([int(self.label in _TOPIC), int(self.label.startswith("over")), *is_topic], dtype=np.int8)


_TOPIC = {
    "death": "death",
    "ill": "illness",
    "illof": "illness",
    "split": "separation",
    "job": "job",
    "fear": "fear",
    "sleep": "sleep",
}


@dataclass(frozen=True, slots=True)
class GraveReport:
    """What was trained and how well it does out of fold. `str()` is the report for people."""

    out: Path
    lines: int
    seconds: float
    rows: tuple[str, ...]

    def __str__(self) -> str:
        head = f"Trained on {self.lines} lines in {self.seconds:.0f} s; wrote {self.out}. Out of fold:"
        return "\n".join([head, *self.rows])


async def train(encoder: Encoder, out: Path | None = None, seed: int = 0) -> GraveReport:
    """Trains and writes the weights to `out` (None: the shipped file). The same seed gives the same bytes."""
    started = time.monotonic()
    target = out if out is not None else Path(str(resources.files(grave_net.__package__).joinpath(WEIGHTS)))
    if not target.parent.is_dir():
        raise BadInput(f"There is no folder {target.parent} to write the weights to.")
    lines = all_lines()
    english = [row for row, line in enumerate(lines) if line.language == "en"]
    vectors = np.zeros((len(lines), encoder.dimension), dtype=np.float32)
    vectors[english] = await encoder.encode([lines[row].text for row in english])
    about: dict[str, object] = {
        "data": ["lab/tuning/grave", EVERYDAY.name, *SEEN_WEEKS],
        "lines": len(lines),
        "seed": seed,
        "command": f"python -m lab tune grave --seed {seed}",
        "fingerprint": encoder.fingerprint,
        "licence": LICENCE,
    }
    by_words, both = out_of_fold(lines, vectors, seed)
    thresholds = np.array([thresholds_of(lines, by_words), thresholds_of(lines, both, only="en")], dtype=np.float32)
    net = replace(fitted(lines, vectors, seed), about=about, thresholds=thresholds)
    write_weights(net, target)
    return GraveReport(
        target, len(lines), time.monotonic() - started, tuple(rows_of(lines, by_words, both, thresholds))
    )


def all_lines() -> list[Line]:
    """Everything that is learnt from."""
    return [*written(), *_of_weeks(), *_everyday()]


def written() -> Iterator[Line]:
    """The lines of WRITTEN: "# label", and under it one a line."""
    for code in LANGUAGES:
        label = ""
        for line in (WRITTEN / f"{code}.txt").read_text("utf-8").splitlines():
            if line.startswith("# "):
                label = line[2:].strip()
            elif line.strip():
                yield Line(line.strip(), code, label)


def _of_weeks() -> Iterator[Line]:
    """What was told in the weeks: the lines that a check-in should be about, those that settle them, and the others."""
    for part in SEEN_WEEKS:
        for week in weeks_of(part):
            topic = "illof" if week.topic == "illness" and week.words else _LABELS.get(week.topic, "")
            for number, (_, text) in enumerate(week.told, start=1):
                if number in week.about and topic:
                    yield Line(text, week.language, topic)
                elif week.about and not graves_in(text):
                    yield Line(text, week.language, "none")


_LABELS = {"death": "death", "illness": "ill", "separation": "split", "job": "job", "fear": "fear", "sleep": "sleep"}


def _everyday() -> Iterator[Line]:
    """Ordinary lines in which the lists hear nothing."""
    for row in EVERYDAY.read_text("utf-8").splitlines():
        one = json.loads(row)
        if one["language"] in LANGUAGES and not graves_in(one["text"]):
            yield Line(one["text"], one["language"], "none", EVERYDAY_WEIGHT)


def copies(lines: Sequence[Line], seed: int) -> list[Line]:
    """Each line once more with other people in it, and once beside an ordinary one of its language."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    ordinary: dict[str, list[str]] = {}
    for line in lines:
        if line.label == "none":
            ordinary.setdefault(line.language, []).append(line.text)
    found: list[Line] = []
    for line in lines:
        other = swapped(line, chance)
        if other != line.text:
            found.append(replace(line, text=other, weight=COPY_WEIGHT))
        beside = chance.choice(ordinary.get(line.language, [line.text]))
        text = chance.choice([f"{beside}. {line.text}", f"{line.text}, {beside}"])
        found.append(replace(line, text=text, weight=COPY_WEIGHT))
    return found


def swapped(line: Line, chance: random.Random) -> str:
    """The line with another person or animal where one is named that the lists know, in the same form."""
    yours = grave_words(line.language).yours
    by_form: dict[str, list[str]] = {}
    for noun, your in yours.items():
        by_form.setdefault(your.removesuffix(your.split(" ", 1)[1]), []).append(noun)
    words = line.text.split(" ")
    for at, word in enumerate(words):
        your = yours.get(word.strip(",.!").lower())
        if your is not None:
            words[at] = chance.choice(by_form[your.removesuffix(your.split(" ", 1)[1])])
    return " ".join(words)


def fitted(lines: Sequence[Line], vectors: Vectors, seed: int) -> GraveNet:
    """The net of these lines, all thresholds 0."""
    material = [*lines, *copies(lines, seed)]
    matrix = vstack([_matrix(material), _matrix(material, with_words=False)]).tocsr()
    labels = np.array([line.heads for line in material])
    weights = np.array([line.weight for line in material])
    labels, weights = np.concatenate([labels, labels]), np.concatenate([weights, IDEAS_WEIGHT * weights])
    english = np.array([line.language == "en" for line in lines])
    heads = np.array([line.heads for line in lines])[english]
    counts = np.array([line.weight for line in lines])[english]
    words = [_logistic(matrix, labels[:, head], weights, REGULARISATION) for head in range(len(HEADS))]
    seen = csr_matrix(vectors[english].astype(np.float64))
    by_vector = [_logistic(seen, heads[:, head], counts, VECTOR_REGULARISATION) for head in range(len(HEADS))]
    return GraveNet(
        {},
        np.array([one for one, _ in words], dtype=np.float32),
        np.array([bias for _, bias in words], dtype=np.float32),
        np.array([one for one, _ in by_vector], dtype=np.float32),
        np.array([bias for _, bias in by_vector], dtype=np.float32),
        np.zeros((2, 2), dtype=np.float32),
    )


def _logistic(
    matrix: csr_matrix, labels: NDArray[np.int8], weights: NDArray[np.float64], strength: float
) -> tuple[NDArray[np.float64], float]:
    """Weights and bias, learnt from the rows of which it is known."""
    known = labels >= 0
    model = LogisticRegression(C=strength, solver="liblinear", random_state=0)
    model.fit(matrix[known], labels[known], sample_weight=weights[known])
    return model.coef_[0], float(model.intercept_[0])


def _matrix(lines: Sequence[Line], *, with_words: bool = True) -> csr_matrix:
    columns, values, ends = [], [], [0]
    for line in lines:
        buckets, shares = features(line.text, with_words=with_words)
        columns.append(buckets)
        values.append(shares)
        ends.append(ends[-1] + len(buckets))
    return csr_matrix((np.concatenate(values), np.concatenate(columns), ends), shape=(len(lines), BUCKETS), dtype=float)


def out_of_fold(lines: Sequence[Line], vectors: Vectors, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The logits of nets that have not seen what they judge: by words, and with vectors (in English). (lines, heads)."""
    strata = np.unique([f"{line.language} {line.label}" for line in lines], return_inverse=True)[1]
    by_words, both = np.zeros((len(lines), len(HEADS))), np.zeros((len(lines), len(HEADS)))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    for seen, unseen in folds.split(strata, strata):
        net = fitted([lines[row] for row in seen], vectors[seen], seed)
        for row in unseen:
            by_words[row] = net.logits(lines[row].text)
            both[row] = net.logits(lines[row].text, vectors[row])
    return by_words, both


def thresholds_of(lines: Sequence[Line], logits: NDArray[np.float64], only: str = "") -> tuple[float, float]:
    """The logits above which few enough lines are heard wrongly as grave, and as over."""
    taken = np.array([not only or line.language == only for line in lines])
    ordinary = taken & np.array([line.label == "none" for line in lines])
    not_over = taken & np.array([not line.label.startswith("over") for line in lines])
    grave = float(np.quantile(logits[ordinary, 0], 1 - MOST_ALARMS))
    return grave, float(np.quantile(logits[not_over, 1], 1 - MOST_SETTLED))


def rows_of(
    lines: Sequence[Line],
    by_words: NDArray[np.float64],
    both: NDArray[np.float64],
    thresholds: NDArray[np.float32],
) -> Iterator[str]:
    """Figures by language, and for English with vectors."""
    for name, logits, (grave, over) in [
        *((code, by_words, thresholds[0]) for code in LANGUAGES),
        ("en+", both, thresholds[1]),
    ]:
        heads = np.array([line.heads if line.language == name[:2] else [-1] * len(HEADS) for line in lines])
        told, ended, other = heads[:, 0] == 1, heads[:, 1] == 1, (heads[:, 0] == 0) & (heads[:, 1] == 0)
        right = np.argmax(logits[told, 2:], axis=1) == np.argmax(heads[told, 2:], axis=1)
        yield (
            f"{name}: heard {(logits[told, 0] > grave).mean():.1%} of {told.sum()} grave, "
            f"over {(logits[ended, 1] > over).mean():.1%} of {ended.sum()}, "
            f"wrongly {(logits[other, 0] > grave).mean():.1%} of {other.sum()} ordinary and "
            f"{(logits[ended, 0] > grave).mean():.1%} of what is over; topic {right.mean():.1%}"
        )
    yield f"thresholds {np.round(thresholds, 2).tolist()}"


def labels_of(lines: Sequence[Line]) -> Mapping[str, int]:
    """How many lines there are of each label."""
    found: dict[str, int] = {}
    for line in lines:
        found[line.label] = found.get(line.label, 0) + 1
    return found
