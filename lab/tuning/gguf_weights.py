"""The weights of a GGUF file as a model that can be trained."""

from __future__ import annotations

from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

from bot.domain import ModelDescription
from bot.errors import ModelUnavailable
from bot.llm.loading import LOAD_ERRORS, Loaded, eos_of
from bot.llm.models import ModelPlan
from bot.llm.quiet import quiet_libraries
from bot.llm.template import ChatTemplate
from bot.ports import Report


def load_gguf_weights(plan: ModelPlan, progress: Report, dtype: torch.dtype = torch.float32) -> Loaded:
    """The model of a GGUF file with its quantized weights written out, to be trained or read. Takes a minute.

    A CPU without AMX multiplies float32 1.7 times as fast as bfloat16 (Xeon with AVX512-BF16, torch 2.13), one with it
    bfloat16 six times as fast.

    Raises ModelUnavailable.
    """
    quiet_libraries()
    if plan.problem or plan.place is None:
        missing = f"{plan.title} is not here. Get it with `bot model get {plan.choice.id}`."
        raise ModelUnavailable(plan.problem or missing)
    file: dict[str, Any] = {"gguf_file": plan.place.name, "local_files_only": True}
    progress(f"Loading {plan.title} …")
    try:
        tokenizer = AutoTokenizer.from_pretrained(plan.place.parent, **file)
        model = AutoModelForCausalLM.from_pretrained(
            plan.place.parent,
            dtype=dtype,
            attn_implementation="sdpa",
            quantization_config=GgufConfig(dequantize=True),
            **file,
        )
    except LOAD_ERRORS as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0].strip()
        raise ModelUnavailable(f"{plan.title} cannot be loaded for training ({reason}).") from error
    model.requires_grad_(requires_grad=False)
    described = ModelDescription(plan.title, "to be trained", "", 0, 0, follows_instructions=True)
    return Loaded(model, tokenizer, ChatTemplate(tokenizer, plan.title), described, eos_of(model, tokenizer))
