"""LoRA adapters beside a model of transformers: as tensors, and whether they fit it."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from transformers import PreTrainedModel

from bot.llm.adapter_files import AdapterPlace, Unusable, check_sizes, explained, read_layers


@dataclass(frozen=True, slots=True)
class LowRank:
    """What an adapter adds to a linear layer: x → (x @ down.T) @ up."""

    down: torch.Tensor
    """A, of shape (rank, inputs)."""
    up: torch.Tensor
    """B transposed and scaled, of shape (rank, outputs)."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter in memory: float32, on the CPU."""

    place: AdapterPlace
    layers: Mapping[str, LowRank]
    """Name of a linear layer in the base model → what is added to it."""


def read_adapter(place: AdapterPlace) -> Adapter:
    """The adapter in a folder, a few milliseconds' work.

    Raises ModelUnavailable, with a sentence that names the setting, when it is missing, damaged, or more than LoRA.
    """
    with explained(place):
        layers = read_layers(place.folder)
    tensors = {
        layer: LowRank(torch.from_numpy(added.down), torch.from_numpy(added.up).T.contiguous())
        for layer, added in layers.items()
    }
    return Adapter(place, tensors)


def check_fit(adapter: Adapter, model: PreTrainedModel) -> None:
    """Raises ModelUnavailable, with a sentence that names the setting, when `adapter` was made for another model."""
    with explained(adapter.place):
        _check_fit(adapter, model)


def _check_fit(adapter: Adapter, model: PreTrainedModel) -> None:
    modules = dict(model.named_modules())
    head = model.get_output_embeddings()  # type: ignore[no-untyped-call]  # not annotated in transformers
    for layer, added in adapter.layers.items():
        module = modules.get(layer)
        if module is None:
            raise Unusable(f"it changes {layer}, which this model does not have")
        # The head sees the last tokens alone and an expert those sent to it, so what row belongs to whom is not known.
        if not isinstance(module, torch.nn.Linear) or module is head or ".experts." in layer:
            raise Unusable(f"it changes {layer}; only the linear layers of attention and of the blocks can be changed")
        check_sizes(layer, added.down.shape, added.up.shape[1], (module.in_features, module.out_features))
