"""What a model's folder is made of, counted by transformers from its configuration. Loaded late: it brings torch."""

from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedConfig

from bot.llm.files import Size


def size_of(folder: Path) -> Size:
    """The size of the model in `folder`, from its configuration alone. Raises ValueError for one that is not known."""
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)  # type: ignore[no-untyped-call]  # not annotated
    output = model.get_output_embeddings()
    linear = sum(
        module.weight.numel()
        for module in model.modules()
        if isinstance(module, torch.nn.Linear) and module is not output
    )
    return Size(linear, sum(weight.numel() for weight in model.parameters()) - linear, cache_per_token(config))


def cache_per_token(config: PreTrainedConfig) -> int:
    """Bytes of one token in the KV cache, in 16-bit."""
    text = config.get_text_config()
    heads = getattr(text, "num_key_value_heads", None) or text.num_attention_heads
    head_size = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    return int(text.num_hidden_layers * 2 * heads * head_size * 2)


def quantized_already(folder: Path) -> bool:
    """Whether the weights in `folder` are stored quantized, so that there is nothing left to quantize."""
    return getattr(AutoConfig.from_pretrained(folder, local_files_only=True), "quantization_config", None) is not None
