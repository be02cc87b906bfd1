"""The trait gate: a small classifier that decides cheaply whether an utterance carries a trait of its speaker.

An ensemble of convolutional nets over hashed words (Kim 2014), whose heads also see a few counts and the utterance's
encoder vector. Each net has a second head without the vector, which answers when the encoder is not the one it was
trained with. Inference needs numpy alone; `lab tune trait-gate` makes the weights (`lab/tuning/trait_gate.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import resources
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bot.language import weights as weights_file
from bot.language.weights import finite
from bot.persona.gate_features import BUCKETS, COUNTS, FLAGS, features
from bot.ports import Vectors

WEIGHTS = "trait_gate.npz"
"""The shipped weights' file, beside this module."""
FORMAT = 1
"""Counted up when the features or the arrays change: older files are then refused."""
WIDTHS = (1, 2, 3, 4)
"""Words that a convolution sees at once."""
VECTOR_SCALE = 5.0
"""What a unit-length vector is multiplied with, so that its numbers are about as large as the other inputs."""

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Head:
    """The upper layers of all nets: `inputs` → hidden units → one logit, and a Platt calibration of their mean."""

    hidden: Array
    """Shape (nets, inputs, units)."""
    hidden_bias: Array
    """Shape (nets, 1, units)."""
    output: Array
    """Shape (nets, units, 1)."""
    output_bias: Array
    """Shape (nets,)."""
    calibration: Array
    """Slope and offset, shape (2,)."""

    def logits(self, inputs: Array) -> NDArray[np.float64]:
        """The mean logit over the nets, not calibrated. `inputs` has shape (nets, texts, inputs)."""
        units = np.maximum(inputs @ self.hidden + self.hidden_bias, 0.0)
        each = (units @ self.output)[:, :, 0] + self.output_bias[:, None]
        return np.asarray(each.mean(axis=0), dtype=np.float64)

    def probability(self, inputs: Array) -> NDArray[np.float64]:
        """The calibrated probabilities, shape (texts,)."""
        slope, offset = self.calibration.astype(np.float64)
        certainty = np.clip(slope * self.logits(inputs) + offset, -50.0, 50.0)
        return np.asarray(1.0 / (1.0 + np.exp(-certainty)), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class GateWeights:
    """All arrays of a weights file, as float32."""

    about: Mapping[str, Any]
    """What they were made from; `fingerprint` and `dimension` are the encoder's."""
    table: Array
    """Word vectors, shape (BUCKETS, width); row 0 is padding."""
    convolutions: tuple[Array, ...]
    """For each of WIDTHS a matrix of shape (width · (columns of `table` + FLAGS), nets · filters)."""
    convolution_biases: tuple[Array, ...]
    count_mean: Array
    count_scale: Array
    full: Head
    """Sees pooled filters, counts and the encoder's vector, in this order."""
    text_only: Head
    """Sees pooled filters and counts."""


class TrainedTraitGate:
    """A TraitGate from a weights file. About 1 ms an utterance; safe to use from several threads."""

    def __init__(self, weights: GateWeights, fingerprint: str | None = None) -> None:
        """`fingerprint` is that of the encoder whose vectors will be given; None: the one it was trained with."""
        self._weights = weights
        self.about = weights.about
        """What the weights were made from: data, licence, seed, command, encoder."""
        # With another encoder the words alone decide.
        self._uses_vectors = fingerprint is None or fingerprint == weights.about["fingerprint"]

    @classmethod
    def load(cls, path: Path | None = None, fingerprint: str | None = None) -> Self:
        """The gate of the file at `path` (None: the shipped one) for the encoder with this `fingerprint`.

        Raises ModelUnavailable when the file is missing, damaged or of another version.
        """
        return cls(read_weights(path), fingerprint)

    def probability(self, texts: Sequence[str], vectors: Vectors) -> NDArray[np.float64]:
        """For each text with its vector, the probability in [0, 1] that it carries a trait. Shape (len(texts),).

        Raises ValueError when there is not one vector a text, or one has the wrong length for the encoder in use.
        """
        if len(texts) != len(vectors):
            raise ValueError(f"{len(texts)} texts, but {len(vectors)} vectors")
        if not texts:
            return np.zeros(0, dtype=np.float64)
        shared = self._see(texts)
        if not self._uses_vectors:
            return self._weights.text_only.probability(shared)
        if vectors.shape[1] != self._weights.about["dimension"]:
            raise ValueError(f"vectors of {vectors.shape[1]} numbers, but {self._weights.about['dimension']} expected")
        scaled = np.asarray(vectors, dtype=np.float32) * np.float32(VECTOR_SCALE)
        every = np.broadcast_to(scaled, (len(shared), *scaled.shape))
        return self._weights.full.probability(np.concatenate([shared, every], axis=2))

    def _see(self, texts: Sequence[str]) -> Array:
        """Pooled filters and counts, shape (nets, texts, inputs)."""
        weights = self._weights
        nets = len(weights.full.output)
        rows = []
        for text in texts:
            seen = features(text)
            pooled = self._pooled(np.concatenate([weights.table[seen.ids], seen.flags], axis=1))
            counts = (seen.counts - weights.count_mean) / weights.count_scale
            each = np.concatenate([part.reshape(nets, -1) for part in pooled], axis=1)
            rows.append(np.concatenate([each, np.broadcast_to(counts, (nets, COUNTS))], axis=1))
        return np.stack(rows, axis=1)

    def _pooled(self, words: Array) -> list[Array]:
        """The largest answer of each filter anywhere in the text, ends included. `words`: shape (n, columns)."""
        pooled = []
        columns = words.shape[1]
        for width, matrix, bias in zip(
            WIDTHS, self._weights.convolutions, self._weights.convolution_biases, strict=True
        ):
            padded = np.zeros((len(words) + 2 * width, columns), dtype=np.float32)
            padded[width : width + len(words)] = words
            spans = np.lib.stride_tricks.sliding_window_view(padded.reshape(-1), width * columns)[::columns]
            pooled.append(np.maximum((spans @ matrix).max(axis=0) + bias, 0.0))
        return pooled


def read_weights(path: Path | None = None) -> GateWeights:
    """The weights in the file at `path` (None: the shipped one). Raises ModelUnavailable."""
    source = resources.files(__package__).joinpath(WEIGHTS) if path is None else path
    advice = "Make it anew with `python -m lab tune trait-gate --data DIR`."
    return weights_file.read(source, "the trait gate", advice, FORMAT, _unpacked)


def _unpacked(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> GateWeights:
    table = finite(arrays["table"])
    weights = GateWeights(
        about=about,
        table=table,
        convolutions=tuple(finite(arrays[f"convolution_{width}"]) for width in WIDTHS),
        convolution_biases=tuple(finite(arrays[f"convolution_{width}_bias"]) for width in WIDTHS),
        count_mean=finite(arrays["count_mean"]),
        count_scale=finite(arrays["count_scale"]),
        full=_head(arrays, "full"),
        text_only=_head(arrays, "text_only"),
    )
    _check(weights)
    return weights


def _head(arrays: Mapping[str, NDArray[Any]], name: str) -> Head:
    return Head(*(finite(arrays[f"{name}_{part.name}"]) for part in fields(Head)))


def _check(weights: GateWeights) -> None:
    """Raises ValueError when shapes do not fit each other, KeyError when the encoder is not named."""
    _ = weights.about["fingerprint"]
    filters = sum(len(bias) for bias in weights.convolution_biases)
    nets = len(weights.full.output)
    columns = weights.table.shape[1] + FLAGS
    matrices = [matrix.shape[0] for matrix in weights.convolutions]
    inputs = filters // nets + COUNTS
    fits = (
        weights.table.shape[0] == BUCKETS
        and matrices == [width * columns for width in WIDTHS]
        and weights.text_only.hidden.shape[:2] == (nets, inputs)
        and weights.full.hidden.shape[:2] == (nets, inputs + weights.about["dimension"])
        and weights.count_mean.shape == weights.count_scale.shape == (COUNTS,)
    )
    if not fits:
        raise ValueError("arrays of the wrong shape")
