"""The nets behind the trait gate, in torch: what `bot/persona/gate.py` computes with numpy, able to learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from bot.persona.gate import VECTOR_SCALE, WIDTHS, GateWeights, Head
from bot.persona.gate_features import COUNTS, FLAGS, LONGEST, Seen
from bot.ports import Vectors

ALIKE = 16
"""Batches that are sorted by length together."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the nets are, and how they learn."""

    nets: int = 4
    filters: int = 64
    """Of each width, for each net."""
    units: int = 64
    table_width: int = 48
    epochs: int = 5
    batch: int = 64
    rate: float = 1e-3
    decay: float = 1e-4
    word_dropout: float = 0.05
    table_dropout: float = 0.3
    dropout: float = 0.5


@dataclass(frozen=True, slots=True)
class Inputs:
    """Utterances as tensors. n of them, each of LONGEST words."""

    ids: Tensor
    flags: Tensor
    lengths: Tensor
    counts: Tensor
    """Standardised, shape (n, COUNTS)."""
    vectors: Tensor
    """Scaled, shape (n, dimension)."""

    def rows(self, index: Tensor) -> Inputs:
        """Some of the utterances, cut to the longest of them."""
        lengths = self.lengths[index]
        longest = max(int(lengths.max()), 1)
        return Inputs(
            self.ids[index, :longest], self.flags[index, :longest], lengths, self.counts[index], self.vectors[index]
        )


def as_inputs(seen: Sequence[Seen], counts: NDArray[np.float32], vectors: Vectors) -> Inputs:
    """Tensors of features. `counts` are standardised already; `vectors` have unit length."""
    ids = np.zeros((len(seen), LONGEST), dtype=np.int64)
    flags = np.zeros((len(seen), LONGEST, FLAGS), dtype=np.float32)
    for row, each in enumerate(seen):
        ids[row, : len(each.ids)] = each.ids
        flags[row, : len(each.ids)] = each.flags
    lengths = np.array([len(each.ids) for each in seen], dtype=np.int64)
    scaled = np.asarray(vectors, dtype=np.float32) * np.float32(VECTOR_SCALE)
    return Inputs(*(torch.from_numpy(array) for array in (ids, flags, lengths, counts, scaled)))


class TwoLayers(nn.Module):
    """The upper layers of all nets at once: (nets, n, inputs) → logits (nets, n)."""

    def __init__(self, inputs: int, shape: Shape) -> None:
        super().__init__()
        bound = inputs**-0.5
        self.hidden = nn.Parameter(torch.empty(shape.nets, inputs, shape.units).uniform_(-bound, bound))
        self.hidden_bias = nn.Parameter(torch.zeros(shape.nets, 1, shape.units))
        bound = shape.units**-0.5
        self.output = nn.Parameter(torch.empty(shape.nets, shape.units, 1).uniform_(-bound, bound))
        self.output_bias = nn.Parameter(torch.zeros(shape.nets))
        self.dropout = nn.Dropout(shape.dropout)

    def forward(self, inputs: Tensor) -> Tensor:
        """The logits of each net."""
        units = functional.relu(torch.baddbmm(self.hidden_bias, self.dropout(inputs), self.hidden))
        return torch.bmm(self.dropout(units), self.output)[:, :, 0] + self.output_bias[:, None]

    def head(self) -> Head:
        """The layers as arrays, without calibration."""
        parameters = (self.hidden, self.hidden_bias, self.output, self.output_bias)
        hidden, hidden_bias, output, output_bias = (each.detach().numpy().copy() for each in parameters)
        return Head(hidden, hidden_bias, output, output_bias, calibration=np.array([1.0, 0.0], dtype=np.float32))


class GateNets(nn.Module):
    """All nets of the ensemble: shared word vectors, filters and two heads for each net.

    `table` are the word vectors to begin with; row 0 must be zeros, as it pads.
    """

    def __init__(self, table: NDArray[np.float32], dimension: int, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.table = nn.Parameter(torch.from_numpy(table.copy()))
        columns = table.shape[1] + FLAGS
        filters = shape.nets * shape.filters
        self.convolutions = nn.ModuleList(nn.Conv1d(columns, filters, width, padding=width) for width in WIDTHS)
        inputs = len(WIDTHS) * shape.filters + COUNTS
        self.full = TwoLayers(inputs + dimension, shape)
        self.text_only = TwoLayers(inputs, shape)
        self.table_dropout = nn.Dropout(shape.table_dropout)

    def forward(self, inputs: Inputs) -> tuple[Tensor, Tensor]:
        """Logits with and without the encoder's vector, each of shape (nets, n)."""
        ids = inputs.ids
        if self.training:
            ids = ids * (torch.rand(ids.shape) >= self.shape.word_dropout)
        looked_up = functional.embedding(ids, self.table, padding_idx=0)
        words = self.table_dropout(torch.cat([looked_up, inputs.flags], dim=2)).transpose(1, 2)
        pooled = torch.cat([self._pooled(layer(words)) for layer in self.convolutions], dim=2)
        nets = self.shape.nets
        seen = torch.cat([pooled, inputs.counts.expand(nets, -1, -1)], dim=2)
        full = torch.cat([seen, inputs.vectors.expand(nets, -1, -1)], dim=2)
        return self.full(full), self.text_only(seen)

    def layers(self) -> list[nn.Conv1d]:
        """The filters of each of WIDTHS."""
        return [layer for layer in self.convolutions if isinstance(layer, nn.Conv1d)]

    def _pooled(self, answers: Tensor) -> Tensor:
        largest = functional.relu(answers.amax(dim=2))
        return largest.reshape(len(largest), self.shape.nets, self.shape.filters).transpose(0, 1)


def fit(nets: GateNets, inputs: Inputs, labels: Tensor, seed: int) -> None:
    """Trains in place. `labels` (n,) are float, 0 or 1. Both heads learn together.

    Deterministic: the same seed, data and machine give the same nets. Draws from torch's global generator.
    """
    shape = nets.shape
    order = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(nets.parameters(), lr=shape.rate, weight_decay=shape.decay)
    steps = shape.epochs * (-(-len(labels) // shape.batch))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(1.0 - step / steps, 0.02))
    nets.train()
    for _ in range(shape.epochs):
        for rows in _batches(inputs.lengths, shape.batch, order):
            target = labels[rows].expand(shape.nets, -1)
            optimizer.zero_grad()
            losses = [
                functional.binary_cross_entropy_with_logits(each, target, reduction="sum") / len(rows)
                for each in nets(inputs.rows(rows))
            ]
            torch.autograd.backward(losses)
            optimizer.step()
            schedule.step()
    nets.eval()


def _batches(lengths: Tensor, size: int, order: torch.Generator) -> list[Tensor]:
    """All rows in random batches of texts that are about as long as each other: less padding is twice as quick."""
    batches: list[Tensor] = []
    for part in torch.split(torch.randperm(len(lengths), generator=order), size * ALIKE):
        by_length = part[torch.argsort(lengths[part], stable=True)]
        batches.extend(torch.split(by_length, size))
    return [batches[place] for place in torch.randperm(len(batches), generator=order).tolist()]


def logits(nets: GateNets, inputs: Inputs) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean logits over the nets with and without the encoder's vector, each of shape (n,)."""
    both: list[list[NDArray[np.float64]]] = [[], []]
    with torch.no_grad():
        for rows in torch.split(torch.arange(len(inputs.lengths)), 512):
            for kept, each in zip(both, nets(inputs.rows(rows)), strict=True):
                kept.append(each.mean(dim=0).double().numpy())
    return np.concatenate(both[0]), np.concatenate(both[1])


def as_weights(
    nets: GateNets,
    count_mean: NDArray[np.float32],
    count_scale: NDArray[np.float32],
    about: Mapping[str, Any],
    calibrations: Sequence[NDArray[np.float32]],
) -> GateWeights:
    """The nets as numpy computes them. `calibrations`: slope and offset of the full and of the text-only head."""
    arrays = [[each.detach().numpy() for each in layer.parameters()] for layer in nets.layers()]
    return GateWeights(
        about=about,
        table=nets.table.detach().numpy().copy(),
        convolutions=tuple(kernel.transpose(2, 1, 0).reshape(-1, len(bias)).copy() for kernel, bias in arrays),
        convolution_biases=tuple(bias.copy() for _, bias in arrays),
        count_mean=count_mean,
        count_scale=count_scale,
        full=replace(nets.full.head(), calibration=calibrations[0]),
        text_only=replace(nets.text_only.head(), calibration=calibrations[1]),
    )
