"""A chat model of a few kilobytes with random weights: real transformers parts, loaded in no time."""

from pathlib import Path

import gguf
import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
STRICT = (
    "{% for m in messages %}"
    "{% if m['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate') }}{% endif %}"
    "[{{ m['role'] }}] {{ m['content'] }}<|im_end|>"
    "{% endfor %}"
)


def byte_letters() -> list[str]:
    """The letters that stand for bytes in a byte-level vocabulary."""
    return sorted(pre_tokenizers.ByteLevel.alphabet())


def byte_tokenizer(template: str | None = CHATML) -> PreTrainedTokenizerFast:
    """One token a byte, so that every character beyond ASCII comes in pieces."""
    core = Tokenizer(BPE(vocab={letter: number for number, letter in enumerate(byte_letters())}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]  # not annotated in transformers
        tokenizer_object=core, bos_token="<|im_start|>", eos_token="<|im_end|>"
    )
    tokenizer.chat_template = template
    return tokenizer


def save_tiny_model(folder: Path, template: str | None = CHATML) -> Path:
    tokenizer = byte_tokenizer(template)
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=64,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            max_position_embeddings=1024,
            eos_token_id=tokenizer.eos_token_id,
            bos_token_id=tokenizer.bos_token_id,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_tiny_gguf(file: Path) -> dict[str, NDArray[np.float32]]:
    """A file as the bundled one (the same kinds of weights, a BPE tokenizer) in a few kilobytes; gives its weights."""
    specials, letters, (rows, wide) = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"], [*byte_letters(), "he"], (64, 96)
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_context_length(1024)
    writer.add_embedding_length(rows)
    writer.add_feed_forward_length(wide)
    writer.add_block_count(1)
    writer.add_head_count(2)
    writer.add_head_count_kv(1)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10_000.0)
    writer.add_rope_dimension_count(rows // 2)
    writer.add_vocab_size(len(specials) + len(letters))
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_1)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(specials + letters)
    writer.add_token_types([3] * len(specials) + [1] * len(letters))
    writer.add_token_merges(["h e"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(CHATML)
    shapes = {
        "token_embd": (len(specials) + len(letters), rows),
        "blk.0.attn_q": (rows, rows),
        "blk.0.attn_k": (rows // 2, rows),
        "blk.0.attn_v": (rows // 2, rows),
        "blk.0.attn_output": (rows, rows),
        "blk.0.ffn_gate": (wide, rows),
        "blk.0.ffn_up": (wide, rows),
        "blk.0.ffn_down": (rows, wide),
    }
    drawn, weights = np.random.default_rng(0), {}
    for name, shape in shapes.items():
        kind = gguf.GGMLQuantizationType.Q8_0 if name == "token_embd" else gguf.GGMLQuantizationType.Q4_1
        packed = gguf.quantize(drawn.normal(size=shape).astype(np.float32), kind)
        writer.add_tensor(f"{name}.weight", packed, raw_dtype=kind)
        weights[name] = gguf.dequantize(packed, kind)
    for name in ("blk.0.attn_norm", "blk.0.ffn_norm", "output_norm"):
        writer.add_tensor(f"{name}.weight", np.ones(rows, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return weights
