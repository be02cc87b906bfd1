"""What is added to which row of a packed batch: each request gets its own adapter's share, to the bit."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from bitsandbytes.nn.modules import Int8Params, Linear4bit, Linear8bitLt, Params4bit
from torch import nn
from transformers import PreTrainedModel
from transformers.generation.continuous_batching.cache_allocators.cache_allocator import compute_block_hash
from transformers.generation.continuous_batching.requests import RequestState

from bot.domain import Skill
from bot.llm.adapters import Adapter, LowRank, read_adapter
from bot.llm.lora import NO_ADAPTER, Routes, attach
from bot.llm.routing import adapter_of, request_id
from tests.llm.adapter_folders import float_model, placed, save_adapter
from tests.llm.tiny import save_tiny_model

pytestmark = pytest.mark.model
INPUTS, OUTPUTS = 64, 128


class OneLayer(nn.Module):
    """As much of a model as `attach` looks at."""

    def __init__(self, layer: nn.Module, dtype: torch.dtype) -> None:
        super().__init__()
        self.layer = layer
        self.device, self.dtype = torch.device("cpu"), dtype

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        added: torch.Tensor = self.layer(rows)
        return added


def linear(kind: str) -> tuple[nn.Module, torch.dtype]:
    torch.manual_seed(1)
    weight = torch.randn(OUTPUTS, INPUTS) / 8
    if kind == "float32":
        plain = nn.Linear(INPUTS, OUTPUTS, bias=True)
        return plain, torch.float32
    if kind == "bfloat16":
        return nn.Linear(INPUTS, OUTPUTS, bias=False, dtype=torch.bfloat16), torch.bfloat16
    if kind == "4 bits":
        four = Linear4bit(INPUTS, OUTPUTS, bias=False, quant_type="nf4")  # type: ignore[no-untyped-call]  # not annotated
        four.weight = Params4bit(weight.bfloat16(), requires_grad=False, quant_type="nf4")
        return four.to("cpu"), torch.bfloat16
    eight = Linear8bitLt(INPUTS, OUTPUTS, bias=False, has_fp16_weights=False)
    eight.weight = Int8Params(weight.bfloat16(), requires_grad=False)
    return eight.to("cpu"), torch.bfloat16  # type: ignore[no-untyped-call]  # not annotated in bitsandbytes


def random_adapter(rank: int, seed: int, *layers: str) -> Adapter:
    torch.manual_seed(seed)
    parts = {name: LowRank(torch.randn(rank, INPUTS) / 8, torch.randn(rank, OUTPUTS) / 4) for name in layers}
    return Adapter(placed(Path(str(seed)), Skill.SUMMARIZER), parts)


ADAPTERS = [random_adapter(4, 11, "layer"), random_adapter(8, 12, "layer"), random_adapter(2, 13, "other")]
BATCHES = {
    "nobody": [(0, 3), (0, 2)],
    "one alone": [(1, 6)],
    "one in company": [(0, 3), (1, 2), (0, 4)],
    "one with others between": [(2, 1), (0, 3), (2, 1)],
    "all kinds": [(1, 1), (0, 2), (2, 5), (3, 2), (1, 3), (0, 1)],
    "two without a gap": [(2, 1), (1, 1)],
    "a long prompt": [(1, 20), (0, 3), (2, 10)],
    "long prompts of one": [(2, 40)],
    "one that changes another layer": [(3, 4), (0, 1)],
}


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "4 bits", "8 bits"])
@pytest.mark.parametrize("batch", BATCHES)
def test_every_row_gets_what_is_its_own(kind: str, batch: str) -> None:
    layer, dtype = linear(kind)
    model = OneLayer(layer, dtype)
    requests = BATCHES[batch]
    rows = torch.randn(1, sum(length for _, length in requests), INPUTS, dtype=dtype)
    with torch.no_grad():
        base = model(rows)
        expected = base.double()
        at = 0
        for number, length in requests:
            part = ADAPTERS[number - 1].layers.get("layer") if number else None
            if part is not None:
                mine = rows[:, at : at + length].double()
                expected[:, at : at + length] += mine @ part.down.T.double() @ part.up.double()
            at += length
        routes = attach_to(model)
        routes.look_at(requests)
        answer = model(rows)
    untouched = [number in {NO_ADAPTER, 3} for number, length in requests for _ in range(length)]
    assert torch.equal(answer[0, untouched], base[0, untouched])
    rounding = 1e-5 if kind == "float32" else 0.03
    torch.testing.assert_close(answer.double(), expected, rtol=rounding, atol=rounding)


def attach_to(model: OneLayer) -> Routes:
    return attach(as_pretrained(model), ADAPTERS)


def as_pretrained(model: object) -> PreTrainedModel:
    return model  # type: ignore[return-value]  # it has what `attach` looks at


def test_what_is_no_number_in_one_request_stays_there() -> None:
    layer, dtype = linear("float32")
    model = OneLayer(layer, dtype)
    rows = torch.randn(1, 4, INPUTS)
    rows[0, 1] = torch.inf
    with torch.no_grad():
        base = model(rows)
        attach_to(model).look_at([(1, 1), (2, 1), (0, 1), (1, 1)])
        answer = model(rows)
    assert answer[0, [0, 2, 3]].isfinite().all()
    assert torch.equal(answer[0, 2], base[0, 2])


def test_a_layer_that_does_not_see_the_whole_batch_is_an_error() -> None:
    layer, dtype = linear("float32")
    model = OneLayer(layer, dtype)
    attach_to(model).look_at([(1, 3), (0, 2)])
    with pytest.raises(RuntimeError, match="3 rows of a batch of 5"), torch.no_grad():
        model(torch.randn(1, 3, INPUTS))


def test_a_model_with_idle_adapters_answers_the_same_to_the_bit(tmp_path: Path) -> None:
    base = save_tiny_model(tmp_path / "tiny")
    model = float_model(base).bfloat16()
    tokens = torch.arange(40)[None]
    with torch.no_grad():
        before = model(tokens).logits
        routes = attach(model, [read_adapter(placed(save_adapter(base, tmp_path / "a")))])
        assert torch.equal(model(tokens).logits, before)
        routes.look_at([(1, 40)])
        assert not torch.equal(model(tokens).logits, before)
        routes.look_at([(0, 40)])
        assert torch.equal(model(tokens).logits, before)


def test_the_adapter_is_in_the_id_and_stays_when_a_request_is_set_back() -> None:
    assert adapter_of(request_id(7, NO_ADAPTER)) == NO_ADAPTER
    state = RequestState(request_id(12, 3), [1, 2, 3], generated_tokens=[4])
    assert adapter_of(state.create_equivalent_initial_request().request_id) == 3


def test_the_manager_still_hashes_tokens_with_an_adapter_in_them() -> None:
    """Its hash takes 32-bit numbers; a larger one would raise."""
    assert compute_block_hash(None, [(1 << 24) - 1 | 3 << 24]) != compute_block_hash(None, [(1 << 24) - 1])
