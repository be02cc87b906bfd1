"""Trains the trait gate on MSC persona data: `python -m lab tune trait-gate --data DIR`.

Word vectors begin as the encoder's (each frequent word encoded alone, reduced by principal components) and learn on, so
that words the labels say little about have sensible neighbours. One conversation in ten is first held out, to measure
and to calibrate; the shipped nets are then trained on all of them. Most of the time goes into encoding.

What was tried, as accuracy on two or three of five folds by conversation within `valid`: hashed word n-grams with
logistic regression 81.4 %, with counts and the encoder's vector 82.3 %; the nets with fixed word vectors 81.8 %, with
vectors that learn 83.0 %. The encoder's vector alone gives 77 %, the previous utterance, the session's number and the
annotator's leniency as a nuisance parameter add nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize

from bot.errors import BadInput
from bot.persona import gate as inference
from bot.persona.gate import GateWeights, TrainedTraitGate
from bot.persona.gate_features import BUCKETS, Seen, features, word_id, words
from bot.ports import Encoder, Vectors
from lab.datasets.msc_persona import LabelledSession, read_split
from lab.evaluation.traits import Accuracy, measure
from lab.tuning.gate_nets import GateNets, Inputs, Shape, as_inputs, as_weights, fit, logits
from lab.tuning.hashed import target_of
from lab.tuning.weights_files import write_gate

RARE = 2
"""Words seen less often than this have no vector."""
HELD_OUT = 0.1
"""Share of the conversations that measures and calibrates."""
TABLE_SCALE = 0.3
"""Standard deviation of the word vectors' numbers."""
LICENCE = (
    "Weights only, no text. Multi-Session Chat (Xu et al. 2022) is a research data set of ParlAI; see its terms "
    "before using weights trained on it commercially."
)


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What was trained, and how well it does on conversations it had not seen. `str()` is the report for people."""

    out: Path
    bytes: int
    utterances: int
    conversations: int
    with_trait: float
    """The share of the utterances that carry a trait."""
    seed: int
    seconds: float
    held_out: Accuracy
    """Of nets trained on the other conversations; the shipped ones are trained on all."""
    held_out_text_only: Accuracy

    def __str__(self) -> str:
        head = (
            f"Trained on {self.utterances} utterances of {self.conversations} conversations "
            f"({self.with_trait:.1%} carry a trait), seed {self.seed}, in {self.seconds:.0f} s.\n"
            f"Wrote {self.out} ({self.bytes / 1e6:.2f} MB)."
        )
        return f"{head}\n{self.held_out}\n{self.held_out_text_only}"


@dataclass(frozen=True, slots=True)
class _Material:
    """All utterances of a split, in order, as the nets take them."""

    sessions: list[LabelledSession]
    seen: list[Seen]
    counts: NDArray[np.float32]
    count_mean: NDArray[np.float32]
    count_scale: NDArray[np.float32]
    vectors: Vectors
    labels: NDArray[np.float32]
    conversation_of: NDArray[np.intp]
    names: list[str]
    """Of the conversations, by number."""


async def train(
    data: Path,
    encoder: Encoder,
    out: Path | None = None,
    seed: int = 0,
    split: str = "valid",
    shape: Shape = Shape(),  # noqa: B008 - frozen
) -> TrainingReport:
    """Trains on a split of the MSC persona data below `data` and writes the weights to `out` (None: the shipped file).

    The same seed, data and machine give the same file. Raises BadInput when there is no usable data, ModelError from
    the encoder.
    """
    started = time.monotonic()
    target = target_of(inference.__package__, inference.WEIGHTS, out)
    material = await _material(read_split(data, split), encoder)
    table = await _word_table(material.sessions, encoder, shape.table_width)
    about = {
        "data": f"Multi-Session Chat, persona_session_1 to 4, split {split}",
        "licence": LICENCE,
        "command": f"python -m lab tune trait-gate --data DIR --seed {seed}",
        "seed": seed,
        "utterances": len(material.labels),
        "fingerprint": encoder.fingerprint,
        "dimension": encoder.dimension,
    }
    weights, measured = await asyncio.to_thread(_learn, material, table, about, shape, seed)
    write_gate(weights, target)
    return TrainingReport(
        out=target,
        bytes=target.stat().st_size,
        utterances=len(material.labels),
        conversations=len(material.names),
        with_trait=float(material.labels.mean()),
        seed=seed,
        seconds=time.monotonic() - started,
        held_out=measured[0],
        held_out_text_only=measured[1],
    )


@contextmanager
def _reproducible() -> Iterator[None]:
    """Torch with a generator of its own and one thread.

    Sums then come out the same on any number of cores; with nets this small a second thread mostly waits.
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_num_threads(threads)


async def _material(sessions: list[LabelledSession], encoder: Encoder) -> _Material:
    utterances = [utterance for session in sessions for utterance in session.utterances]
    seen = [features(utterance.text) for utterance in utterances]
    counts = np.stack([each.counts for each in seen])
    mean, scale = counts.mean(axis=0), np.maximum(counts.std(axis=0), 1e-3)
    labels = np.array([utterance.carries_trait for utterance in utterances], dtype=np.float32)
    names = [session.conversation for session in sessions for _ in session.utterances]
    distinct, conversation_of = np.unique(names, return_inverse=True)
    if len(distinct) < 2 or labels.min() == labels.max():  # noqa: PLR2004 - one to train on, one to hold out
        raise BadInput("Training needs two conversations or more, and utterances both with and without traits.")
    return _Material(
        sessions=sessions,
        seen=seen,
        counts=((counts - mean) / scale).astype(np.float32),
        count_mean=mean,
        count_scale=scale,
        vectors=await encoder.encode([utterance.text for utterance in utterances]),
        labels=labels,
        conversation_of=conversation_of,
        names=distinct.tolist(),
    )


async def _word_table(sessions: Sequence[LabelledSession], encoder: Encoder, width: int) -> NDArray[np.float32]:
    """Vectors of the words by bucket, shape (BUCKETS, width). Words that share a bucket are averaged by frequency."""
    counted = Counter(word for session in sessions for each in session.utterances for word in words(each.text))
    frequent = sorted(word for word, count in counted.items() if count >= RARE)
    table = np.zeros((BUCKETS, width), dtype=np.float64)
    if not frequent:
        return table.astype(np.float32)
    raw = (await encoder.encode(frequent)).astype(np.float64)
    centred = raw - raw.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    kept = centred @ directions[:, ::-1][:, :width]
    kept *= TABLE_SCALE / max(float(kept.std()), 1e-9)
    share = np.zeros(BUCKETS)
    for word, vector in zip(frequent, kept, strict=True):
        table[word_id(word), : kept.shape[1]] += counted[word] * vector
        share[word_id(word)] += counted[word]
    table /= np.maximum(share, 1.0)[:, None]
    return table.astype(np.float32)


def _learn(
    material: _Material, table: NDArray[np.float32], about: dict[str, object], shape: Shape, seed: int
) -> tuple[GateWeights, list[Accuracy]]:
    """What is shipped, and the accuracy of both heads before. Blocks."""
    with _reproducible():
        calibrations, measured = _hold_out(material, table, about, shape, seed)
        nets = _trained(material, np.arange(len(material.labels)), table, shape, seed)
    return as_weights(nets, material.count_mean, material.count_scale, about, calibrations), measured


def _hold_out(
    material: _Material, table: NDArray[np.float32], about: dict[str, object], shape: Shape, seed: int
) -> tuple[list[NDArray[np.float32]], list[Accuracy]]:
    """Calibrations of both heads, and their accuracy, on conversations that the nets were not trained on."""
    conversations = np.random.default_rng(seed).permutation(len(material.names))
    chosen = conversations[: max(1, round(HELD_OUT * len(conversations)))]
    outside = np.isin(material.conversation_of, chosen)
    nets = _trained(material, np.flatnonzero(~outside), table, shape, seed)
    rows = np.flatnonzero(outside)
    both = logits(nets, _inputs(material, rows))
    calibrations = [_platt(each, material.labels[rows]) for each in both]
    weights = as_weights(nets, material.count_mean, material.count_scale, about, calibrations)
    held = {material.names[number] for number in chosen}
    sessions = [session for session in material.sessions if session.conversation in held]
    texts = [utterance.text for session in sessions for utterance in session.utterances]
    measured = []
    for name, fingerprint in (("with vectors", None), ("words alone", "")):
        probability = TrainedTraitGate(weights, fingerprint).probability(texts, material.vectors[rows])
        measured.append(measure(f"Held out, {name}", sessions, probability))
    return calibrations, measured


def _trained(
    material: _Material, rows: NDArray[np.intp], table: NDArray[np.float32], shape: Shape, seed: int
) -> GateNets:
    torch.manual_seed(seed)
    nets = GateNets(table, material.vectors.shape[1], shape)
    fit(nets, _inputs(material, rows), torch.from_numpy(material.labels[rows]), seed)
    return nets


def _inputs(material: _Material, rows: NDArray[np.intp]) -> Inputs:
    return as_inputs([material.seen[row] for row in rows], material.counts[rows], material.vectors[rows])


def _platt(logit: NDArray[np.float64], labels: NDArray[np.float32]) -> NDArray[np.float32]:
    """The slope that makes probabilities of logits: least log loss, drawn towards 1 where there is little to learn.

    No offset is fitted: it would move the decision at 0.5 after a few hundred utterances of one sample.
    """

    def loss(parameters: NDArray[np.float64]) -> float:
        scaled = parameters[0] * logit
        return float(np.sum(np.logaddexp(0.0, scaled) - labels * scaled) + 0.5 * (parameters[0] - 1.0) ** 2)

    found = minimize(loss, np.array([1.0]), method="L-BFGS-B", bounds=[(0.1, 10.0)])
    return np.array([found.x[0], 0.0], dtype=np.float32)
