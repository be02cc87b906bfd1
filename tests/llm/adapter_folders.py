"""Adapters with random weights, made and saved by PEFT itself, and the models that they are for."""

import warnings
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from transformers import AutoModelForCausalLM, PreTrainedModel

from bot.domain import Skill
from bot.llm.adapter_files import AdapterPlace

ALL = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]


def lora(**changes: Any) -> LoraConfig:
    """Random from the first step on: PEFT's own default begins with B = 0, which would change nothing."""
    fields: dict[str, Any] = {"r": 8, "lora_alpha": 16, "target_modules": ALL, "task_type": "CAUSAL_LM"}
    return LoraConfig(**{**fields, "init_lora_weights": False, **changes})


def float_model(folder: Path) -> PreTrainedModel:
    model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    return model


def first_layers(model: PreTrainedModel, count: int) -> PreTrainedModel:
    """The model with its first layers alone."""
    decoder: Any = model.get_decoder()  # type: ignore[no-untyped-call]  # not annotated in transformers
    decoder.layers = decoder.layers[:count]
    model.config.num_hidden_layers = count
    return model


def with_lora(model: PreTrainedModel, config: LoraConfig, seed: int = 0) -> PeftModel:
    torch.manual_seed(seed)
    with warnings.catch_warnings():
        # PEFT 0.21 asks transformers 5.23 for `is_gradient_checkpointing`, which has another name there by now.
        warnings.simplefilter("ignore", FutureWarning)
        tuned = get_peft_model(model, config)
    assert isinstance(tuned, PeftModel)
    return tuned.eval()


def save_adapter(base: Path, folder: Path, seed: int = 0, **changes: Any) -> Path:
    """An adapter for the model in the folder `base`."""
    with_lora(float_model(base), lora(**changes), seed).save_pretrained(str(folder))
    return folder


def placed(folder: Path, skill: Skill = Skill.SUMMARIZER, *, shipped: bool = False) -> AdapterPlace:
    return AdapterPlace(skill, folder, shipped)
