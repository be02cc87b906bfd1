"""LoRA beside a base model that is in memory once, for batches in which each request may use another adapter.

Continuous batching packs the tokens of all requests into one row, (1, tokens). So an adapter is not chosen for a
sample, as PEFT does, but for a stretch of rows: y = base(x), and to the rows of those who use an adapter is added
(x @ A.T) @ B. The matrices of all adapters of a layer lie side by side, so that a mixed batch takes no more steps than
one adapter: what a row gets from an adapter that is not its own is set to zero between the two products.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional
from transformers import PreTrainedModel

from bot.llm.adapters import Adapter, LowRank

FEW_ROWS = 16
"""Up to as many, a CPU is quicker in float32: a small product costs some 20 µs in bfloat16, 6 in float32."""
NO_ADAPTER = 0
"""The number of the base model. That of an adapter is its place in `attach`'s sequence, counted from 1."""


@dataclass(frozen=True, slots=True)
class _Share:
    """What of a layer's adapters the coming forward pass uses."""

    batch: int
    """Rows of the whole batch."""
    rows: slice
    """From the first row that uses one to the last."""
    columns: slice
    """From the first column of the matrices that is used to the last."""
    foreign: torch.Tensor | None
    """Where a row and a column belong to different adapters: bool, shape (rows, columns). None: nowhere."""


class _Columns:
    """Which columns belong to which adapter. All layers that the same adapters change at the same ranks share one."""

    def __init__(self, ranks: Sequence[tuple[int, int]], device: torch.device) -> None:
        """`ranks`: (adapter, rank), in the order in which their columns lie."""
        self.share: _Share | None = None
        self._device = device
        self._owners = torch.tensor([adapter for adapter, rank in ranks for _ in range(rank)])
        self._places: dict[int, slice] = {}
        at = 0
        for adapter, rank in ranks:
            self._places[adapter] = slice(at, at + rank)
            at += rank

    def look_at(self, stretches: Sequence[tuple[int, slice]], batch: int) -> None:
        """`stretches`: (adapter, rows) of all requests that use one, in the order of the batch."""
        mine = [(adapter, rows) for adapter, rows in stretches if adapter in self._places]
        if not mine:
            self.share = None
            return
        rows = slice(mine[0][1].start, mine[-1][1].stop)
        places = [self._places[adapter] for adapter in {adapter for adapter, _ in mine}]
        columns = slice(min(place.start for place in places), max(place.stop for place in places))
        foreign = None
        if len(places) > 1 or sum(stretch.stop - stretch.start for _, stretch in mine) < rows.stop - rows.start:
            users = [NO_ADAPTER] * batch
            for adapter, stretch in mine:
                users[stretch] = [adapter] * (stretch.stop - stretch.start)
            foreign = (torch.tensor(users[rows])[:, None] != self._owners[columns]).to(self._device)
        self.share = _Share(batch, rows, columns, foreign)


class _Beside:
    """What is added to one linear layer, as a forward hook: the layer itself stays what it is."""

    def __init__(self, columns: _Columns, parts: Sequence[LowRank], like: torch.Tensor, dtype: torch.dtype) -> None:
        self._columns = columns
        exact = LowRank(torch.cat([part.down for part in parts]), torch.cat([part.up for part in parts]))
        self._many = LowRank(exact.down.to(like.device, dtype), exact.up.to(like.device, dtype))
        self._few = exact if like.device.type == "cpu" else self._many

    def __call__(self, _layer: nn.Module, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
        """Adds to `output`, of shape (…, rows, outputs), in place."""
        share = self._columns.share
        if share is None:
            return
        rows = inputs[0].view(-1, inputs[0].shape[-1])
        if rows.shape[0] != share.batch:
            raise RuntimeError(f"an adapter was given {rows.shape[0]} rows of a batch of {share.batch}")
        weights = self._few if share.rows.stop - share.rows.start <= FEW_ROWS else self._many
        inner = functional.linear(rows[share.rows].to(weights.down.dtype), weights.down[share.columns])
        if share.foreign is not None:
            inner.masked_fill_(share.foreign, 0)
        mine = output.view(-1, output.shape[-1])[share.rows]
        if inner.dtype == mine.dtype:
            mine.addmm_(inner, weights.up[share.columns])
        else:
            mine.add_(inner @ weights.up[share.columns])


class Routes:
    """Says before each forward pass which rows of the batch use which adapter."""

    def __init__(self, columns: Sequence[_Columns]) -> None:
        self._columns = columns

    def look_at(self, requests: Iterable[tuple[int, int]]) -> None:
        """`requests`: (adapter, rows) of each request, in the order of the batch. Holds until the next call."""
        stretches: list[tuple[int, slice]] = []
        batch = 0
        for adapter, rows in requests:
            if adapter != NO_ADAPTER:
                stretches.append((adapter, slice(batch, batch + rows)))
            batch += rows
        for columns in self._columns:
            columns.look_at(stretches, batch)


def attach(model: PreTrainedModel, adapters: Sequence[Adapter]) -> Routes:
    """Puts `adapters`, which must fit (`check_fit`), beside the layers of `model`. None is used until it is routed.

    The layers may be in full precision, 8 or 4 bits. Not for CUDA graphs: a replayed graph would not ask who is who.
    """
    shared: dict[tuple[tuple[int, int], ...], _Columns] = {}
    for name, layer in model.named_modules():
        parts = [(number, adapter.layers[name]) for number, adapter in enumerate(adapters, 1) if name in adapter.layers]
        if not parts:
            continue
        ranks = tuple((number, part.down.shape[0]) for number, part in parts)
        columns = shared.setdefault(ranks, _Columns(ranks, model.device))
        beside = _Beside(columns, [part for _, part in parts], next(layer.parameters()), model.dtype)
        layer.register_forward_hook(beside)
    return Routes(list(shared.values()))
