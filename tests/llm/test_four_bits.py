"""Weights in a short form: the same numbers, only where they were such numbers, and only for few rows."""

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn.functional import linear
from transformers import AutoModelForCausalLM, GgufConfig, LlamaConfig, LlamaForCausalLM, PreTrainedModel

from bot.llm import four_bits
from bot.llm.bundled import prepare_bundled
from bot.llm.four_bits import EIGHT, FEW_ROWS, FOUR, GROUP, MULTIPLIES_16_BITS, ShortLinear, use_short_weights
from bot.llm.gguf_files import bundled_gguf

CAPABILITY = torch.backends.cpu.get_cpu_capability()
FEW = FEW_ROWS.get(CAPABILITY, {})
HAS_EIGHT = pytest.mark.skipif(EIGHT not in FEW, reason=f"eight bits are not used on {CAPABILITY}")
HAS_FOUR = pytest.mark.skipif(FOUR not in FEW, reason=f"nothing is used on {CAPABILITY}")
INPUTS, OUTPUTS = 96, 48
ROOM = 1 << 30
DRAWS = 256


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
    return use_short_weights(model, ROOM)  # type: ignore[arg-type]  # of a PreTrainedModel it uses no more than `One` has


@pytest.mark.parametrize("long", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(
    ("bits", "weights"),
    [
        pytest.param(FOUR, four_bit_weights(), marks=HAS_FOUR),
        pytest.param(EIGHT, eight_bit_weights(), marks=HAS_EIGHT),
    ],
)
def test_few_rows_give_the_exact_product_about_as_nearly_as_16_bits_do(
    monkeypatch: pytest.MonkeyPatch, bits: int, weights: torch.Tensor, bias: bool, long: torch.dtype
) -> None:
    can = dict.fromkeys(MULTIPLIES_16_BITS, long is torch.bfloat16)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: can)
    dice = torch.Generator().manual_seed(5)
    model = made_of(weights.bfloat16(), bias=bias)
    plain = model.layer
    assert isinstance(plain, nn.Linear)
    if bias:
        plain.bias = nn.Parameter(torch.randn(OUTPUTS, generator=dice).bfloat16(), requires_grad=False)
    assert shortened(model) == 1
    short = model.layer
    assert isinstance(short, ShortLinear)
    assert short.weight.dtype is long
    assert short.short_bytes == weights.numel() * bits * (1 + 32 / 4 / GROUP) / 8, "two numbers of 16 bits a group"
    assert short.more_bytes == short.short_bytes + weights.numel() * (long.itemsize - 2)
    for rows in (1, 3, FEW[bits], FEW[bits] + 1):
        far, usual = 0.0, 0.0
        for asked in torch.randn(DRAWS, 1, rows, INPUTS, generator=dice).bfloat16():
            exact = linear(asked.float(), weights, plain.bias.float() if bias else None)
            with torch.no_grad():
                got, in_16_bits = short(asked), plain(asked)
            assert got.shape == (1, rows, OUTPUTS)
            assert got.dtype is torch.bfloat16
            assert float((got.float() - exact).abs().max()) < 0.03 * float(exact.abs().max())
            far += float((got.float() - exact).square().mean())
            usual += float((in_16_bits.float() - exact).square().mean())
        assert far < 2 * usual
        assert short.short_for(rows) == (rows <= FEW[bits])


@HAS_FOUR
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float16])
@pytest.mark.parametrize("rows", [1, 5, 40])
def test_rows_may_be_of_any_kind_and_lie_anywhere(dtype: torch.dtype, rows: int) -> None:
    model = made_of(four_bit_weights().bfloat16())
    shortened(model)
    assert isinstance(model.layer, ShortLinear)
    wide = torch.randn(rows, 2 * INPUTS, generator=torch.Generator().manual_seed(6)).to(dtype)
    model.layer.weight.data = model.layer.weight.to(dtype)
    with torch.no_grad():
        got = model.layer(wide[:, ::2])
        exact = linear(wide[:, ::2].float(), four_bit_weights())
    assert got.dtype is dtype
    assert torch.allclose(got.float(), exact, atol=0.03 * float(exact.abs().max()))


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
        torch.cat([four_bit_weights(256), 0.03 * four_bit_weights(16) * (1 + 0.2 * ORDINARY[:16].float())]).bfloat16(),
        four_bit_weights(),
        four_bit_weights(24).bfloat16(),
        four_bit_weights()[:, : INPUTS - 8].bfloat16(),
    ],
    ids=[
        "ordinary ones",
        "ordinary ones at the end",
        "ordinary small ones among others",
        "32 bits",
        "outputs of an odd number",
        "no whole groups",
    ],
)
def test_other_weights_stay_what_they_are(weights: torch.Tensor) -> None:
    model = made_of(weights)
    before = model.layer
    assert shortened(model) == 0
    assert model.layer is before


@HAS_FOUR
def test_in_training_the_weights_are_used() -> None:
    model = made_of(four_bit_weights().bfloat16())
    shortened(model)
    asked = torch.randn(1, INPUTS).bfloat16().requires_grad_()
    layer = model.layer
    assert isinstance(layer, ShortLinear)
    layer(asked).sum().backward()
    assert asked.grad is not None
    assert torch.allclose(asked.grad.float(), layer.weight.float().sum(0, keepdim=True), atol=0.02)


@pytest.mark.parametrize("capability", ["DEFAULT", "NEON"])
def test_a_processor_for_which_it_is_no_gain_does_without(monkeypatch: pytest.MonkeyPatch, capability: str) -> None:
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    assert shortened(made_of(four_bit_weights().bfloat16())) == 0


@HAS_FOUR
def test_what_has_no_room_stays_in_16_bits() -> None:
    model = made_of(four_bit_weights().bfloat16())
    assert use_short_weights(model, 5 * INPUTS * OUTPUTS) == 0  # type: ignore[arg-type]  # see `shortened`
    assert use_short_weights(model, 6 * INPUTS * OUTPUTS) == 1  # type: ignore[arg-type]


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
    use_short_weights(model, ROOM)
    output = model.get_output_embeddings()  # type: ignore[no-untyped-call]  # not annotated in transformers
    assert output.weight is model.get_input_embeddings().weight
    assert isinstance(output, ShortLinear) == (EIGHT in FEW)


@pytest.mark.model
@HAS_FOUR
def test_the_bundled_model_says_what_its_file_says(model_cache: Path) -> None:
    """Next tokens are as likely as by the file's own weights in 32 bits, but for about what 16 bits differ by, too."""
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
    plain = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16, local_files_only=True)
    assert use_short_weights(short, ROOM) == 30 * 7 + (EIGHT in FEW)
    tokens = torch.tensor([[504, 2302, 314, 1343, 284, 260, 1767, 28, 284, 357, 416, 2316]])
    differences: dict[str, float] = {}
    with torch.no_grad():
        right = _likely(exact, tokens)
        for name, model in (("short", short), ("16 bits", plain)):
            differences[name] = float((right.exp() * (right - _likely(model, tokens))).sum(-1).mean())
    assert 0 < differences["16 bits"] < 0.004
    assert differences["short"] < max(0.004, 3 * differences["16 bits"])


def _likely(model: PreTrainedModel, tokens: torch.Tensor) -> torch.Tensor:
    """Logarithms of how likely each next token is after each of these; by one row at a time, with a cache."""
    cache, logits = None, []
    for at in range(tokens.shape[1]):
        out = model(tokens[:, at : at + 1], past_key_values=cache, use_cache=True)
        cache = out.past_key_values
        logits.append(out.logits[0, -1])
    return torch.stack(logits).float().log_softmax(-1)
