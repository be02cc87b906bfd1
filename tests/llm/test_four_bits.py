"""Weights in a short form: the same numbers, only where they were such numbers, and only for few rows."""

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn.functional import linear
from transformers import AutoModelForCausalLM, GgufConfig, LlamaConfig, LlamaForCausalLM, PreTrainedModel

from bot.llm import four_bits
from bot.llm.bundled import bundled_gguf, prepare_bundled
from bot.llm.four_bits import EIGHT, FEW_ROWS, FOUR, GROUP, MULTIPLIES_16_BITS, ShortLinear, use_short_weights

CAPABILITY = torch.backends.cpu.get_cpu_capability()
FEW = FEW_ROWS.get(CAPABILITY, {})
HAS_BOTH = pytest.mark.skipif(set(FEW) != {FOUR, EIGHT}, reason=f"not both kinds are used on {CAPABILITY}")
HAS_FOUR = pytest.mark.skipif(FOUR not in FEW, reason=f"nothing is used on {CAPABILITY}")
INPUTS, OUTPUTS = 96, 48


def four_bit_weights(outputs: int = OUTPUTS, inputs: int = INPUTS, seed: int = 0) -> torch.Tensor:
    """As GGUF's Q4_1 has them: a scale and a least weight for each 32, of which one is at each end."""
    dice = torch.Generator().manual_seed(seed)
    q = torch.randint(0, 16, (outputs, inputs // GROUP, GROUP), generator=dice)
    q[..., 3], q[..., 7] = 0, 15
    scale = torch.rand((outputs, inputs // GROUP, 1), generator=dice) * 0.02 + 0.001
    least = -scale * (6 + 4 * torch.rand((outputs, inputs // GROUP, 1), generator=dice))
    return (q * scale + least).view(outputs, inputs)


def eight_bit_weights(seed: int = 0) -> torch.Tensor:
    """As GGUF's Q8_0 has them: the largest of 32 at an end."""
    dice = torch.Generator().manual_seed(seed)
    q = torch.randint(-126, 127, (OUTPUTS, INPUTS // GROUP, GROUP), generator=dice)
    q[..., 5] = torch.where(torch.rand(q.shape[:2], generator=dice) < 0.5, -127, 127)
    return (q * (torch.rand((OUTPUTS, INPUTS // GROUP, 1), generator=dice) * 0.001 + 0.0001)).view(OUTPUTS, INPUTS)


def made_of(weights: torch.Tensor, *, bias: bool = False) -> nn.Module:
    """A model of one layer, as `use_short_weights` takes it."""
    layer = nn.Linear(weights.shape[1], weights.shape[0], bias=bias)
    layer.weight = nn.Parameter(weights.clone(), requires_grad=False)

    class One(nn.Module):
        device = torch.device("cpu")

        def __init__(self) -> None:
            super().__init__()
            self.layer = layer
            self.words = nn.Embedding(4, 4)

        def get_input_embeddings(self) -> nn.Embedding:
            return self.words

    return One()


def shortened(model: nn.Module) -> int:
    return use_short_weights(model)  # type: ignore[arg-type]  # of a PreTrainedModel it uses no more than `One` has


@HAS_BOTH
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(("bits", "weights"), [(FOUR, four_bit_weights()), (EIGHT, eight_bit_weights())])
def test_few_rows_give_the_exact_product_as_nearly_as_16_bits_do(bits: int, weights: torch.Tensor, bias: bool) -> None:
    model = made_of(weights.bfloat16(), bias=bias)
    plain = model.layer
    assert isinstance(plain, nn.Linear)
    if bias:
        plain.bias = nn.Parameter(torch.randn(OUTPUTS).bfloat16(), requires_grad=False)
    assert shortened(model) == 1
    short = model.layer
    assert isinstance(short, ShortLinear)
    assert short.short_bytes == weights.numel() * bits * (1 + 32 / 4 / GROUP) / 8, "two numbers of 16 bits a group"
    for rows in (1, 3, FEW[bits], FEW[bits] + 1):
        asked = torch.randn(1, rows, INPUTS).bfloat16()
        exact = linear(asked.float(), weights, plain.bias.float() if bias else None)
        with torch.no_grad():
            got, in_16_bits = short(asked), plain(asked)
        assert got.shape == (1, rows, OUTPUTS)
        assert got.dtype == torch.bfloat16
        far, usual = (got.float() - exact).abs().mean(), (in_16_bits.float() - exact).abs().mean()
        assert float(far) < 1.5 * float(usual)
        assert float((got.float() - exact).abs().max()) < 0.02 * float(exact.abs().max())
        if rows > FEW[bits] and not bias:
            assert torch.equal(got, in_16_bits), "many rows are computed as ever"


@HAS_FOUR
def test_groups_of_one_weight_and_of_none_are_exact() -> None:
    weights = four_bit_weights()
    weights[0] = 0
    weights[1, :GROUP] = 0.25
    model = made_of(weights.bfloat16())
    assert shortened(model) == 1
    assert isinstance(model.layer, ShortLinear)
    with torch.no_grad():
        product = model.layer(torch.eye(INPUTS).bfloat16()[:4])
    assert product[:, 0].tolist() == [0.0] * 4
    assert product[:, 1].tolist() == [0.25] * 4


ORDINARY = torch.randn(OUTPUTS, INPUTS, generator=torch.Generator().manual_seed(1)).bfloat16()


@pytest.mark.parametrize(
    "weights",
    [
        ORDINARY,
        torch.cat([four_bit_weights(256), four_bit_weights(16) + 0.3 * ORDINARY[:16].float()]).bfloat16(),
        four_bit_weights(),
        four_bit_weights(24).bfloat16(),
        four_bit_weights()[:, : INPUTS - 8].bfloat16(),
    ],
    ids=["ordinary ones", "ordinary ones at the end", "32 bits", "outputs of an odd number", "no whole groups"],
)
def test_other_weights_stay_what_they_are(weights: torch.Tensor) -> None:
    model = made_of(weights)
    before = model.layer
    assert shortened(model) == 0
    assert model.layer is before


@HAS_FOUR
def test_in_training_the_weights_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    model = made_of(four_bit_weights().bfloat16())
    shortened(model)
    asked = torch.randn(1, INPUTS).bfloat16().requires_grad_()
    layer = model.layer
    assert isinstance(layer, ShortLinear)
    layer(asked).sum().backward()
    assert asked.grad is not None
    assert torch.allclose(asked.grad, layer.weight.sum(0, keepdim=True), atol=0.02)


@pytest.mark.parametrize("capability", ["DEFAULT", "NEON"])
def test_a_processor_for_which_it_is_no_gain_does_without(monkeypatch: pytest.MonkeyPatch, capability: str) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    assert shortened(made_of(four_bit_weights().bfloat16())) == 0


def test_a_torch_without_the_kernel_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(four_bits, "MULTIPLY", "_no_such_operator")
    assert shortened(made_of(four_bit_weights().bfloat16())) == 0


@HAS_FOUR
@pytest.mark.parametrize("name", [*MULTIPLIES_16_BITS, ""])
def test_a_processor_that_does_not_multiply_16_bits_computes_many_rows_in_32(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: dict.fromkeys(MULTIPLIES_16_BITS, False) | {name: True})
    model = made_of(four_bit_weights().bfloat16())
    shortened(model)
    layer = model.layer
    assert isinstance(layer, nn.Linear)
    assert layer.weight.dtype is (torch.bfloat16 if name else torch.float32)
    many = layer(torch.randn(2, 40, INPUTS).bfloat16())
    assert many.shape == (2, 40, OUTPUTS)
    assert many.dtype is torch.bfloat16


def test_an_output_layer_goes_on_sharing_its_weights_with_the_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", dict)
    config = LlamaConfig(
        vocab_size=OUTPUTS,
        hidden_size=INPUTS,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        tie_word_embeddings=True,
    )
    model = LlamaForCausalLM(config).bfloat16().requires_grad_(requires_grad=False)
    model.model.embed_tokens.weight.copy_(eight_bit_weights().bfloat16())
    use_short_weights(model)
    output = model.get_output_embeddings()  # type: ignore[no-untyped-call]  # not annotated in transformers
    assert output.weight is model.get_input_embeddings().weight
    assert isinstance(output, ShortLinear) == (EIGHT in FEW)


@pytest.mark.model
@HAS_FOUR
def test_the_bundled_model_says_what_its_file_says(model_cache: Path) -> None:
    """Next tokens are as likely as by the file's own weights in 32 bits; in 16 bits they are just as near."""
    folder = prepare_bundled(model_cache, "none", lambda *_: None)
    source = bundled_gguf()
    exact = AutoModelForCausalLM.from_pretrained(
        source.parent,
        gguf_file=source.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.float32,
        local_files_only=True,
    )
    short = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16, local_files_only=True)
    assert use_short_weights(short) == 30 * 7 + (EIGHT in FEW)
    tokens = torch.tensor([[504, 2302, 314, 1343, 284, 260, 1767, 28, 284, 357, 416, 2316]])
    differences = []
    with torch.no_grad():
        for end in range(1, tokens.shape[1] + 1):
            right, got = (_likely(model, tokens[:, :end], end) for model in (exact, short))
            differences.append(float((right.exp() * (right - got)).sum()))
    assert max(differences) < 0.02
    assert sum(differences) / len(differences) < 0.004


def _likely(model: PreTrainedModel, tokens: torch.Tensor, end: int) -> torch.Tensor:
    """Logarithms of how likely each next token is; by one row at a time, with a cache."""
    cache, logits = None, torch.empty(0)
    for at in range(end):
        out = model(tokens[:, at : at + 1], past_key_values=cache, use_cache=True)
        cache, logits = out.past_key_values, out.logits
    return logits[0, -1].float().log_softmax(-1)
