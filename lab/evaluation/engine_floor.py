"""The least time that a decoding step can take: what must be read, over how fast memory can be read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from transformers import PreTrainedModel

from bot.llm.engine import threads_for

COPIED_BYTES = 1 << 28
"""Of the buffer that is copied to measure the bandwidth: larger than any cache of a processor."""
COPIES = 8


def floor_step_s(weights: int, cache: int, bandwidth: float) -> float:
    """Seconds of one step that reads `weights` and `cache` bytes once, at `bandwidth` bytes a second."""
    return (weights + cache) / bandwidth


def cache_read_bytes(per_token: int, contexts: int, prompt: int, new: int) -> int:
    """Bytes of cache that a step reads: `contexts` requests, half-way through their `new` tokens after `prompt` tokens.

    What requests share is counted for each of them: the attention reads it for each.
    """
    return per_token * contexts * (prompt + new // 2)


def weight_bytes(model: PreTrainedModel) -> int:
    """Bytes of weights that a step reads, as they are stored.

    All but an input embedding, of which it needs some rows; one that serves as output layer too is read whole, and
    counts. With the scales of quantised weights.
    """
    embedding = model.get_input_embeddings().weight
    output = model.get_output_embeddings()  # type: ignore[no-untyped-call]  # not annotated in transformers
    tied = output is not None and output.weight is embedding
    parameters = {id(weight): weight for weight in model.parameters()}.values()
    read = [weight for weight in parameters if tied or weight is not embedding]
    whole = sum(weight.numel() * weight.element_size() for weight in read)
    return whole + sum(scale.numel() * scale.element_size() for scale in _scales(model))


def _scales(model: PreTrainedModel) -> Iterator[torch.Tensor]:
    """Where bitsandbytes keeps them: `absmax` of 4-bit weights, `SCB` of 8-bit ones."""
    for module in model.modules():
        weight = getattr(module, "weight", None)
        kept = (
            getattr(getattr(weight, "quant_state", None), "absmax", None),
            getattr(weight, "SCB", None),
            getattr(getattr(module, "state", None), "SCB", None),
        )
        yield from (scale for scale in kept[:1] if isinstance(scale, torch.Tensor))
        yield from [scale for scale in kept[1:] if isinstance(scale, torch.Tensor)][:1]


def copy_bandwidth(device: torch.device) -> float:
    """Bytes a second that memory reads and writes while a large buffer is copied, at its best of COPIES tries.

    On a CPU with as many threads as the engine decodes with.
    """
    source = torch.ones(COPIED_BYTES, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    with _threads_of_the_engine():
        return max(2 * COPIED_BYTES / _copy_s(source, target) for _ in range(COPIES))


def _copy_s(source: torch.Tensor, target: torch.Tensor) -> float:
    start = time.perf_counter()
    target.copy_(source)
    if source.is_cuda:
        torch.cuda.synchronize()
    return time.perf_counter() - start


@contextmanager
def _threads_of_the_engine() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(threads_for(rows=1))
    try:
        yield
    finally:
        torch.set_num_threads(before)
