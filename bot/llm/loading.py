"""From settings to a model in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from bot.config import Model
from bot.domain import ModelDescription
from bot.errors import ModelUnavailable
from bot.llm.abilities import FOLLOWS_FROM, advice, comfortable_tokens
from bot.llm.adapter_files import adapter_places
from bot.llm.adapters import Adapter, check_fit, read_adapter
from bot.llm.bundled import int8, nf4
from bot.llm.choosing import BUNDLED, precision
from bot.llm.files import Quantization
from bot.llm.gguf_files import BUNDLED_NAME as NAME
from bot.llm.models import AUTO, ModelPlan, describe_choice
from bot.llm.obtaining import obtain
from bot.llm.quiet import quiet_libraries
from bot.llm.sizes import quantized_already
from bot.llm.skills import in_words
from bot.llm.template import ChatTemplate
from bot.ports import Report

LOAD_ERRORS = (OSError, ValueError, KeyError, ImportError, RuntimeError, MemoryError, SafetensorError)
"""What the libraries raise for files that are damaged, of an unknown kind, or too large (CUDA's is a RuntimeError)."""


@dataclass(slots=True)
class Loaded:
    """A model in memory, with what is needed to talk to it."""

    model: PreTrainedModel | None
    tokenizer: PreTrainedTokenizerBase
    template: ChatTemplate
    description: ModelDescription
    eos: frozenset[int]
    """The tokens that end a reply."""
    adapters: tuple[Adapter, ...] = ()
    """What it was tuned for; they fit the model."""

    def take_model(self) -> PreTrainedModel:
        """The model; from then on it belongs to the caller, and this object no longer keeps it in memory."""
        model, self.model = self.model, None
        if model is None:
            raise RuntimeError("the model was taken already")
        return model

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`, without control tokens and exactly as generated."""
        return str(self.tokenizer.decode(list(tokens), skip_special_tokens=True, clean_up_tokenization_spaces=False))


def load(settings: Model, progress: Report) -> Loaded:
    """Loads the model that `settings` name, and its adapters. Blocks for seconds to minutes.

    A bundled model whose files turn out damaged is prepared again, once. Raises ModelUnavailable.
    """
    quiet_libraries()
    plan = describe_choice(settings.model_copy(update={"engine": "transformers"}))
    if settings.id == AUTO:
        progress(f"{plan.choice.id}: {plan.choice.reason}")
    adapters = tuple(read_adapter(place) for place in adapter_places(settings, plan.choice.id))
    return _with_adapters(_load_base(plan, settings, progress), adapters)


def _load_base(plan: ModelPlan, settings: Model, progress: Report, *, afresh: bool = False) -> Loaded:
    folder = obtain(plan, settings, progress, afresh=afresh)
    try:
        return _load_folder(folder, plan, settings)
    except LOAD_ERRORS as error:
        if afresh or plan.choice.id != BUNDLED or isinstance(error, MemoryError | torch.OutOfMemoryError):
            raise _sentence(plan, settings, error) from error
    progress(f"{NAME} in the cache is damaged and is prepared again.")
    return _load_base(plan, settings, progress, afresh=True)


def _with_adapters(loaded: Loaded, adapters: tuple[Adapter, ...]) -> Loaded:
    if not adapters or loaded.model is None:
        return loaded
    for adapter in adapters:
        check_fit(adapter, loaded.model)
    skills = frozenset(adapter.place.skill for adapter in adapters)
    described = loaded.description
    described = replace(described, skills=skills, detail=f"{described.detail}, tuned for {in_words(skills)}")
    return replace(loaded, adapters=adapters, description=described)


def _load_folder(folder: Path, plan: ModelPlan, settings: Model) -> Loaded:
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    template = ChatTemplate(tokenizer, plan.choice.id)
    model = AutoModelForCausalLM.from_pretrained(
        folder,
        dtype=torch.bfloat16,
        device_map={"": plan.device},
        attn_implementation="sdpa",
        local_files_only=True,
        **_quantization(folder, precision(settings, plan.choice.id, plan.device)),
    )
    model.requires_grad_(requires_grad=False)
    return Loaded(model, tokenizer, template, _describe(model, plan, settings), eos_of(model, tokenizer))


def _quantization(folder: Path, kept: Quantization) -> dict[str, Any]:
    """How to quantize while loading: not at all for files that are quantized already."""
    made = {"nf4": nf4, "int8": int8}.get(kept)
    return {} if made is None or quantized_already(folder) else {"quantization_config": made()}


def eos_of(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """All tokens that end a reply: those of the generation settings, and the tokenizer's own."""
    configured = getattr(model.generation_config, "eos_token_id", None)
    several = configured if isinstance(configured, list) else [configured]
    return frozenset(int(token) for token in [*several, tokenizer.eos_token_id] if token is not None)


def _describe(model: PreTrainedModel, plan: ModelPlan, settings: Model) -> ModelDescription:
    bundled = plan.choice.id == BUNDLED
    weights = model.num_parameters()
    context = int(getattr(model.config.get_text_config(), "max_position_embeddings", settings.kv_cache_tokens))
    context = min(context, settings.kv_cache_tokens)
    kind = {"nf4": "4-bit NF4", "int8": "8-bit", "none": "full precision"}[
        precision(settings, plan.choice.id, plan.device)
    ]
    place = f"the GPU {torch.cuda.get_device_name()}" if plan.device == "cuda" else "the CPU"
    return ModelDescription(
        name=NAME if bundled else Path(plan.choice.id).name,
        detail=f"{kind} on {place}",
        advice=advice(weights, on_gpu=plan.device == "cuda"),
        context_tokens=context,
        comfortable_tokens=comfortable_tokens(weights, context),
        follows_instructions=weights >= FOLLOWS_FROM,
    )


def _sentence(plan: ModelPlan, settings: Model, error: Exception) -> ModelUnavailable:
    name = plan.choice.id
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        need = f"about {plan.needed / (1 << 30):.1f} GiB" if plan.needed is not None else "more than is free"
        return ModelUnavailable(
            f"{name} does not fit into memory: it needs {need}. Choose a smaller model.id, "
            "or lower model.kv_cache_tokens."
        )
    reason = (str(error).splitlines() or [type(error).__name__])[0].strip()
    hint = "" if precision(settings, name, plan.device) == "none" else ", or set model.quantization to none"
    return ModelUnavailable(f"{name} cannot be loaded ({reason}). Get its files again, choose another model.id{hint}.")
