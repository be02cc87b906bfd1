"""Trains the voice's second opinion on what is grave (`bot/care/grave_voice.py`): a reading of its hidden states.

It learns on the lines that the net learns from: all that were written for it, and of real talk those in which the net
is in doubt, since only such are asked about. How much it counts beside the net is what hears most of what is grave, by
nets and readings that have not seen what they judge, at the threshold that a share `MOST_ALARMS` of the lines of real
chat, and of what is said to a companion, reaches. What the net's training keeps aside is kept aside here, too.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from bot.care import grave_voice
from bot.care.grave import graves_in, left_to_net
from bot.care.grave_net import BUCKETS, features, read_weights
from bot.care.grave_voice import LOUD, WEIGHTS
from bot.conversation.phrases import ENGLISH
from bot.conversation.state_reading import OPENING, StateReading, Weighing, prompt_of, write_reading
from lab.evaluation.voice_states import KeptStates
from lab.tuning import grave
from lab.tuning.danger_voice import FOLDS, fitted, out_of_fold
from lab.tuning.grave import MOST_ALARMS, Line
from lab.tuning.hashed import matrix_of, target_of

STRENGTHS = (0.0003, 0.001, 0.003, 0.01)
"""scikit-learn's C, of which the best out of fold is taken."""
SHARES = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0)
"""How much the reading may count beside the net."""
MOST_ORDINARY = 1500
"""Lines in doubt that are read of each kind of ordinary talk, drawn by their hashes."""


Kind = tuple[bool, bool]
"""Whether it is said to a companion, and whether it is English."""
Talk = Mapping[Kind, int]
"""How many ordinary lines there are of each kind."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line that is read."""

    line: Line
    margin: float
    """The net's, out of fold."""
    asked: bool
    """Whether the product would ask about it."""
    stands_for: float = 0.0
    """How many lines of real talk it stands for; none: it was written."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a reading was measured at, out of fold."""

    read: int
    grave: int
    strength: float
    areas: tuple[float, float]
    """Under the curve of what is asked about: the net's margin, the reading."""
    heard: tuple[float, ...]
    """The share of what was written as grave, and no list hears, that is heard: in English by the net and by both,
    elsewhere by the net and by both."""


@dataclass(frozen=True, slots=True)
class GraveVoiceReport:
    """What was trained. `str()` is the report for people."""

    out: Path
    seconds: float
    figures: Figures
    reading: StateReading

    def __str__(self) -> str:
        one, (english, both, elsewhere, both_elsewhere) = self.figures, self.figures.heard
        ways = (self.reading.english, self.reading.elsewhere)
        counts = " and ".join(f"{way.share} (threshold {way.threshold:.2f})" for way in ways)
        return (
            f"Trained on {one.read} lines ({one.grave} grave) in {self.seconds:.0f} s, C {one.strength}.\n"
            f"Area under the curve, out of fold: net {one.areas[0]:.3f}, voice {one.areas[1]:.3f}.\n"
            f"Of what is grave and in no list the net hears {english:.1%} in English and {elsewhere:.1%} elsewhere, "
            f"both together {both:.1%} and {both_elsewhere:.1%}.\n"
            f"The voice counts {counts}.\nWrote {self.out}."
        )


async def train(model: KeptStates, data: Path, out: Path | None = None, seed: int = 0) -> GraveVoiceReport:
    """Trains on what is given and writes the weights to `out` (None: the shipped file).

    The same seed, data and states give the same bytes. Raises BadInput and ModelError.
    """
    started = time.monotonic()
    target = target_of(grave_voice.__package__, WEIGHTS, out)
    lines = grave.all_lines(data, seed)
    rows, talk = await asyncio.to_thread(_rows, lines, seed)
    states = await model.states_of([prompt_of(row.line.text) for row in rows], OPENING)
    reading, figures = await asyncio.to_thread(_trained, rows, talk, states, model.model_digest, seed)
    write_reading(reading, target)
    return GraveVoiceReport(target, time.monotonic() - started, figures, reading)


def _rows(lines: Sequence[Line], seed: int) -> tuple[list[Row], Talk]:
    """What is read of the lines, and how many ordinary lines there are of each kind of talk."""
    net = read_weights()
    logits = grave.out_of_fold(lines, matrix_of((features(line.text) for line in lines), BUCKETS), seed)
    least = np.where([_is_english(line) for line in lines], net.threshold, net.firmer)
    rows = [
        Row(line, float(margin), float(margin) >= LOUD and _is_asked(line.text))
        for line, margin in zip(lines, logits - least, strict=True)
    ]
    talk = [row for row in rows if row.line.chat and not row.line.grave]
    read = [row for row in rows if row.line.grave or (row.asked and not row.line.chat)]
    for kind in dict.fromkeys(map(_kind, talk)):
        doubtful = [row for row in talk if _kind(row) == kind and row.asked]
        drawn = sorted(doubtful, key=_drawn)[:MOST_ORDINARY]
        each = len(doubtful) / max(len(drawn), 1)
        read += [replace(one, stands_for=each) for one in drawn]
    return read, Counter(map(_kind, talk))


def _drawn(row: Row) -> bytes:
    """An order by chance, which is the same when other lines come or go: what was read of them stays of use."""
    return blake2b(row.line.text.encode(), digest_size=8).digest()


def _kind(row: Row) -> Kind:
    return row.line.companion, _is_english(row.line)


def _is_english(line: Line) -> bool:
    return line.language == ENGLISH


def _is_asked(text: str) -> bool:
    return left_to_net(text) is not None and not graves_in(text)


def _trained(
    rows: Sequence[Row], talk: Talk, states: NDArray[np.float32], digest: str, seed: int
) -> tuple[StateReading, Figures]:
    """The reading and what it was measured at: `states` has a row for each of `rows`."""
    labels, asked = np.array([row.line.grave for row in rows]), np.array([row.asked for row in rows])
    margins, folds = np.array([row.margin for row in rows]), _folds(rows)
    strength, logits = max(
        ((strength, out_of_fold(states, labels, folds, strength)) for strength in STRENGTHS),
        key=lambda one: roc_auc_score(labels[asked], one[1][asked]),
    )
    english = np.array([_is_english(row.line) for row in rows])
    written = asked & labels & np.array([not row.line.chat for row in rows])
    chosen: list[Weighing] = []
    heard: list[float] = []
    for group in (english, ~english):
        ways = [Weighing(share, _threshold(talk, rows, margins + share * logits, group)) for share in SHARES]
        hears = [float((margins + way.share * logits >= way.threshold)[written & group].mean()) for way in ways]
        chosen.append(ways[int(np.argmax(hears))])
        heard += [hears[0], max(hears)]
    weights, bias = fitted(states, labels, strength)
    reading = StateReading(_about(rows, seed), digest, weights, bias, *chosen)
    net_area, voice_area = (float(roc_auc_score(labels[asked], one[asked])) for one in (margins, logits))
    return reading, Figures(len(rows), int(labels.sum()), strength, (net_area, voice_area), tuple(heard))


def _folds(rows: Sequence[Row]) -> NDArray[np.intp]:
    """In which fold each line is judged: those of a conversation in one."""
    talks = [row.line.chat or str(number) for number, row in enumerate(rows)]
    folds = np.zeros(len(rows), dtype=np.intp)
    for fold, (_, unseen) in enumerate(GroupKFold(FOLDS).split(talks, groups=talks)):
        folds[unseen] = fold
    return folds


def _threshold(talk: Talk, rows: Sequence[Row], sums: NDArray[np.float64], group: NDArray[np.bool_]) -> float:
    """The lowest sum, to two digits, that at most MOST_ALARMS of the ordinary lines of each kind of talk reach."""
    least = -np.inf
    for kind, size in talk.items():
        of_kind = group & np.array([row.stands_for > 0 and _kind(row) == kind for row in rows])
        louder = np.flatnonzero(of_kind)[np.argsort(-sums[of_kind], kind="stable")]
        reached = np.cumsum([rows[at].stands_for for at in louder.tolist()]) > MOST_ALARMS * size
        if reached.any():
            least = max(least, float(sums[louder[int(np.argmax(reached))]]))
    return float(np.floor(least * 100 + 1) / 100)


def _about(rows: Sequence[Row], seed: int) -> dict[str, object]:
    return {
        "data": ["the lines of the net for grave things"],
        "read": len(rows),
        "seed": seed,
        "command": f"python -m lab tune grave-voice --data DIR --seed {seed}",
        "licence": grave.LICENCE,
    }
