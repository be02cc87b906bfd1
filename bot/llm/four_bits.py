"""Weights that are of four or eight bits in truth, read as such: fewer bytes for each token of an answer, on a CPU.

A small batch takes as long as reading the weights takes. The files of quantised models (GGUF's Q4_1, Q8_0) keep a few
bits of each weight, and a scale and an offset for 32 of them; loaded in 16 bits, the same weights are up to four times
as long. So where a layer's weights turn out to lie on such levels, few rows are computed from the short form. Nothing
is quantised anew: both forms are the file's weights but for rounding, of each weight in the one and of each scale in
the other (next tokens differ from the file's own by 0.0008 and 0.0012 nats, by 0.22 in NF4; BENCHMARKS.md).

Many rows (a prompt) are quicker from the long form, which stays in memory, too: in 16 bits where the processor
multiplies such numbers, and else in 32. The short form takes 0.6 to 1.3 bytes a weight beside it, and 32 bits two more;
what does not fit into the room that is given is left out.

The kernel is torch's own for four bits in groups. Eight bits are two layers of four: q = 16 h + l.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import nn
from torch.nn.functional import linear
from transformers import PreTrainedModel

GROUP = 32
"""Weights that share a scale and an offset."""
MIDDLE = 8
"""The kernel takes q from 0 to 15 for the weight (q - 8) · scale + zero."""
OUTPUTS = 16
"""The kernel takes multiples of so many outputs."""
FOUR, EIGHT = 4, 8
FEW_ROWS: Mapping[str, Mapping[int, int]] = {"AVX512": {FOUR: 12, EIGHT: 6}, "AVX2": {FOUR: 12}}
"""The processor's vectors → bits → up to as many rows, the short form is quicker, where weights come from memory. On
AVX512 it was measured to lose from 14 and from 7 rows on; on AVX2 eight bits always lose. On others the kernel is slow.
"""
MULTIPLIES_16_BITS = ("avx512_bf16", "amx_bf16")
"""Without these, 512 rows take 2.6 (AVX512) to 5 times (AVX2) as long in bfloat16 as in float32."""
ROUNDING = 2.0**-14 / 28
"""The squared error of rounding to bfloat16 as a share of the squared numbers, on average: its 8 bits are 2**-7 of the
lower end of an octave apart, so it is 2**-14 / 12, and over an octave numbers have a mean square of 7/3."""
MISSED, MISSED_IN_A_GROUP = 3.0, 30.0
"""By so many times that error weights may miss their levels, on average and in any group. Weights that were such levels
do so by 0.5 to 1.3 times it on average; others by 10 (eight bits) and 2,000 (four), in the best of groups by 600."""
TRIES = 3
"""How often the eight bits of a weight are looked for, each time with a better scale."""
AT_ONCE = 256
"""Outputs whose weights are looked at together: what is computed of them stays in the processor's cache."""
MOST_BYTES = 6
"""A weight needs at most so many while its layer is made short."""
PACK, MULTIPLY = "_convert_weight_to_int4pack_for_cpu", "_weight_int4pack_mm_for_cpu"

Levels: TypeAlias = tuple[torch.Tensor, torch.Tensor, torch.Tensor]
"""(q, scale, zero) of weights q · scale + zero; shapes (outputs, groups, GROUP), (outputs, groups) and the same."""


@dataclass(frozen=True, slots=True)
class Plane:
    """Four bits of each weight, as the kernel wants them. `scales`: scale and zero, shape (groups, outputs, 2)."""

    packed: torch.Tensor
    scales: torch.Tensor

    @classmethod
    def of(cls, parts: Iterable[Levels]) -> Plane:
        """The plane of these levels, one part of the outputs after the other, with q from 0 to 15."""
        q, scale, zero = (torch.cat(tensors) for tensors in zip(*parts, strict=True))
        scales = torch.stack((scale, zero + MIDDLE * scale), dim=-1).transpose(0, 1)
        packed = getattr(torch.ops.aten, PACK)(q.flatten(1).to(torch.int32), 1)
        return cls(packed, scales.contiguous().bfloat16())

    def multiply(self, rows: torch.Tensor) -> torch.Tensor:
        """`rows` (rows, inputs) times the weights: (rows, outputs)."""
        product: torch.Tensor = getattr(torch.ops.aten, MULTIPLY)(rows, self.packed, GROUP, self.scales)
        return product


class ShortLinear(nn.Linear):
    """A linear layer whose weights are kept in a short form, too."""

    def __init__(self, layer: nn.Linear, planes: tuple[Plane, ...], few: int, dtype: torch.dtype) -> None:
        """In the place of `layer`. `few`: rows up to which the planes are used; `dtype`: of the long form."""
        nn.Module.__init__(self)
        self.in_features, self.out_features = layer.in_features, layer.out_features
        self.weight = layer.weight
        if layer.weight.dtype != dtype:
            self.weight = nn.Parameter(layer.weight.detach().to(dtype), requires_grad=layer.weight.requires_grad)
        self.bias = layer.bias
        self._planes = planes
        self._few = few

    @property
    def short_bytes(self) -> int:
        """The length of the short form, with its scales."""
        tensors = [tensor for plane in self._planes for tensor in (plane.packed, plane.scales)]
        return sum(tensor.numel() * tensor.element_size() for tensor in tensors)

    @property
    def more_bytes(self) -> int:
        """What this takes beyond the 16 bits of each weight."""
        return self.short_bytes + self.weight.numel() * (self.weight.element_size() - torch.bfloat16.itemsize)

    def short_for(self, rows: int) -> bool:
        """Whether so many rows are computed from the short form."""
        return rows <= self._few

    def forward(self, input: torch.Tensor) -> torch.Tensor:  # noqa: A002  (torch's name)
        """`input` (…, inputs) times the weights: (…, outputs)."""
        rows = input.reshape(-1, self.in_features)
        if self.short_for(rows.shape[0]) and not torch.is_grad_enabled():
            short = rows.bfloat16().contiguous()
            product = self._planes[0].multiply(short)
            for plane in self._planes[1:]:
                product += plane.multiply(short)
        else:
            product = linear(rows.to(self.weight.dtype), self.weight)
        if self.bias is not None:
            product = product + self.bias
        return product.to(input.dtype).view(*input.shape[:-1], self.out_features)


def use_short_weights(model: PreTrainedModel, room: int) -> int:
    """Puts a `ShortLinear` in the place of every linear layer of `model` that allows it, and says of how many.

    None on a GPU, on a processor for which this is no gain, and where torch has no such kernel any more. `room`: bytes
    that all of this may take. Comes before anything that is hooked to a layer.
    """
    if model.device.type != "cpu" or not all(hasattr(torch.ops.aten, name) for name in (PACK, MULTIPLY)):
        return 0
    few_rows = FEW_ROWS.get(torch.backends.cpu.get_cpu_capability(), {})
    can = torch.cpu.get_capabilities()
    many = torch.bfloat16 if any(can.get(name) for name in MULTIPLIES_16_BITS) else torch.float32
    embedding = model.get_input_embeddings().weight
    changed = 0
    for name, layer in list(model.named_modules()):
        if type(layer) is not nn.Linear or room < MOST_BYTES * layer.weight.numel():
            continue
        dtype = layer.weight.dtype if layer.weight is embedding else many
        if (short := _shortened(layer, few_rows, dtype)) is not None:
            model.set_submodule(name, short)
            room -= short.more_bytes
            changed += 1
    return changed


def _shortened(layer: nn.Linear, few_rows: Mapping[int, int], dtype: torch.dtype) -> ShortLinear | None:
    weight = layer.weight.detach()
    if weight.dtype is not torch.bfloat16 or layer.in_features % GROUP or layer.out_features % OUTPUTS:
        return None
    for bits, few in few_rows.items():
        planes = _planes(weight, bits)
        if planes:
            return ShortLinear(layer, planes, few, dtype)
    return None


def _planes(weight: torch.Tensor, bits: int) -> tuple[Plane, ...]:
    """Its planes of four bits; none where a part of the weights has no levels of so many `bits`."""
    parts: list[tuple[Levels, ...]] = []
    for some in torch.split(weight, AT_ONCE):
        groups = some.float().view(len(some), -1, GROUP)
        levels = _four_bits(groups) if bits == FOUR else _eight_bits(groups)
        if not _are(groups, levels):
            return ()
        parts.append((_stored(levels),) if bits == FOUR else _in_fours(levels))
    return tuple(map(Plane.of, zip(*parts, strict=True)))


def _four_bits(groups: torch.Tensor) -> Levels:
    """16 levels in each group, from its least to its greatest. `groups` (outputs, groups, GROUP), float32."""
    low, high = groups.aminmax(dim=-1)
    step = _positive((high - low) / 15)
    q = (groups - low[..., None]).div_(step[..., None]).round_()
    # The least and the greatest were rounded as all are: the line through all 32 is surer.
    mean = q.mean(-1)
    apart = q - mean[..., None]
    step = (apart * groups).sum(-1) / _positive(apart.square_().sum(-1))
    return q, step, groups.mean(-1) - mean * step


def _eight_bits(groups: torch.Tensor) -> Levels:
    """The levels from -127 to 127 in each group, with the greatest at an end. `groups` as in `_four_bits`."""
    step = groups.abs().amax(-1) / 127
    q = groups
    for _ in range(TRIES):
        q = (groups / _positive(step)[..., None]).round_().clamp_(-127, 127)
        step = (q * groups).sum(-1) / _positive(q.square().sum(-1))
    return q, step, torch.zeros_like(step)


def _are(groups: torch.Tensor, levels: Levels) -> bool:
    """Whether these weights are these levels, but for having been rounded to 16 bits."""
    q, scale, zero = levels
    missed = (q * scale[..., None]).add_(zero[..., None]).sub_(groups).square_().mean(-1)
    rounding = ROUNDING * groups.square().mean(-1)
    return bool(missed.mean() <= MISSED * rounding.mean()) and bool((missed <= MISSED_IN_A_GROUP * rounding).all())


def _in_fours(levels: Levels) -> tuple[Levels, Levels]:
    """Levels from -128 to 127 as two from 0 to 15, whose sum they are."""
    q, scale, zero = levels
    high = ((q + 128) / 16).floor_()
    low = q + 128 - 16 * high
    return _stored((high, 16 * scale, zero - 128 * scale)), _stored((low, scale, torch.zeros_like(scale)))


def _stored(levels: Levels) -> Levels:
    """With each q in a byte."""
    q, scale, zero = levels
    return q.to(torch.uint8), scale, zero


def _positive(numbers: torch.Tensor) -> torch.Tensor:
    """These, of which none is negative, with the least of positive numbers for zero, so that they can divide."""
    return numbers.clamp_min(torch.finfo(numbers.dtype).tiny)
