"""A model of a real one's shape, with weights made by chance: as quick and as large, and it needs no download.

What it says is noise. Weights are made on the device, layer by layer, and quantised as they are made: neither the
device nor the host ever holds the whole in 16 bits, unless that is what is asked for.
"""

from __future__ import annotations

import torch
from bitsandbytes.functional import int8_vectorwise_quant
from bitsandbytes.nn.modules import Int8Params, Linear4bit, Linear8bitLt, Params4bit
from torch import nn
from transformers import AutoModelForCausalLM, PreTrainedConfig, PreTrainedModel, Qwen3Config

from bot.llm.files import Quantization

SCALE = 0.02
"""The standard deviation of the weights."""
OUTLIERS = 6.0
"""What goes beyond this is computed in 16 bits, with 8-bit weights: transformers' own setting."""


def qwen3_8b() -> PreTrainedConfig:
    """The published configuration of Qwen/Qwen3-8B: 8.2 billion parameters, 6.9 of them in linear layers."""
    return Qwen3Config(
        vocab_size=151_936,
        hidden_size=4096,
        intermediate_size=12_288,
        num_hidden_layers=36,
        num_attention_heads=32,
        num_key_value_heads=8,
        head_dim=128,
        max_position_embeddings=40_960,
        rope_parameters={"rope_type": "default", "rope_theta": 1_000_000.0},
        tie_word_embeddings=False,
    )


def made_up_model(
    config: PreTrainedConfig, quantization: Quantization, device: torch.device, seed: int
) -> PreTrainedModel:
    """A model of the shape of `config` on `device`, for answers only. Computes in bfloat16."""
    dice = torch.Generator(device).manual_seed(seed)
    with torch.device("meta"):
        model: PreTrainedModel = AutoModelForCausalLM.from_config(  # type: ignore[no-untyped-call]  # not annotated
            config, dtype=torch.bfloat16, attn_implementation="sdpa"
        )
    output = model.get_output_embeddings()  # type: ignore[no-untyped-call]  # not annotated in transformers
    for parent in list(model.modules()):
        for name, layer in list(parent.named_children()):
            if isinstance(layer, nn.Linear) and layer is not output:
                setattr(parent, name, _layer(layer, quantization, dice))
    _fill_rest(model, dice)
    model.eval()  # type: ignore[no-untyped-call]  # not annotated in transformers
    model.requires_grad_(requires_grad=False)
    return model


def _layer(like: nn.Linear, quantization: Quantization, dice: torch.Generator) -> nn.Linear:
    """A linear layer of the same size; without a bias, as the shapes here have none."""
    weight = _chance((like.out_features, like.in_features), dice)
    sizes = like.in_features, like.out_features
    if quantization == "nf4":
        return _nf4(sizes, weight)
    if quantization == "int8":
        return _int8(sizes, weight)
    with torch.device("meta"):
        layer = nn.Linear(*sizes, bias=False)
    layer.weight = nn.Parameter(weight, requires_grad=False)
    return layer


def _nf4(sizes: tuple[int, int], weight: torch.Tensor) -> nn.Linear:
    with torch.device("meta"):
        layer = Linear4bit(  # type: ignore[no-untyped-call]  # not annotated in bitsandbytes
            *sizes, bias=False, compute_dtype=torch.bfloat16, quant_type="nf4"
        )
    whole = Params4bit(weight, requires_grad=False, quant_type="nf4", compress_statistics=False, module=layer)
    layer.weight = whole.to(weight.device)  # type: ignore[misc]  # its overloads are annotated with an unbound variable
    linear: nn.Linear = layer
    return linear


def _int8(sizes: tuple[int, int], weight: torch.Tensor) -> nn.Linear:
    with torch.device("meta"):
        layer = Linear8bitLt(*sizes, bias=False, has_fp16_weights=False, threshold=OUTLIERS)
    whole, scales, _ = int8_vectorwise_quant(weight.half())
    layer.weight = Int8Params(whole, requires_grad=False, has_fp16_weights=False, CB=whole, SCB=scales)
    return layer


def _fill_rest(model: PreTrainedModel, dice: torch.Generator) -> None:
    """Embeddings by chance, norms of ones, and the tables of positions computed as ever."""
    for module in model.modules():
        for name, weight in list(module.named_parameters(recurse=False)):
            if weight.is_meta:
                value = _chance(tuple(weight.shape), dice) if weight.dim() > 1 else _ones(weight, dice)
                module.register_parameter(name, nn.Parameter(value, requires_grad=False))
    if model.config.tie_word_embeddings:
        model.tie_weights()
    for parent in list(model.modules()):
        for name, module in list(parent.named_children()):
            if any(table.is_meta for table in module.buffers(recurse=False)):
                setattr(parent, name, type(module)(config=model.config).to(dice.device))


def _chance(shape: tuple[int, ...], dice: torch.Generator) -> torch.Tensor:
    return torch.randn(shape, generator=dice, device=dice.device, dtype=torch.bfloat16).mul_(SCALE)


def _ones(like: torch.Tensor, dice: torch.Generator) -> torch.Tensor:
    return torch.ones(like.shape, dtype=torch.bfloat16, device=dice.device)
