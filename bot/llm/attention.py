"""Attention of a batch in which many people's requests lie in one row: each request looks at its own past only.

Transformers' attention for continuous batching ("sdpa") lays the keys of all requests in one row too, lets every token
look at all of them, and masks what is not its own: the work grows with the square of the requests, and keys and values
are copied for each query head. Here each request is computed by itself: on a CPU in a loop, on a GPU in one call of the
flash kernel that comes with torch. There is no mask to fill or to keep (on a GPU it took gigabytes).

Only for models all of whose layers attend to everything before, in the plain way; others keep "sdpa".
"""

from functools import lru_cache
from itertools import pairwise
from typing import Any

import torch
from torch import nn
from torch.nn.attention.varlen import varlen_attn
from torch.nn.functional import scaled_dot_product_attention
from transformers import AttentionInterface, PreTrainedModel
from transformers.generation.continuous_batching import PagedAttentionCache
from transformers.generation.continuous_batching.cache import group_layers_by_attn_type
from transformers.generation.continuous_batching.cache_allocators import FULL_ATTENTION
from transformers.generation.continuous_batching.utils import find_head_dim

NAME = "each_own_flash"
"""Transformers takes an attention for one that needs no mask when its name contains "flash". No digit: it would be
taken for a version of that package."""
PLAIN = frozenset({"llama", "mistral", "olmo2", "phi3", "qwen2", "qwen3", "smollm3"})
"""The kinds of models for which this is the same as their own attention, tried on small ones."""
TOLERANCE = 0.02
"""How far the flash kernel may be from the plain computation, in bfloat16, on values around 1."""
CAUSAL = (-1, 0)
"""The window of `varlen_attn`: everything before, nothing after; the last query is at the last key."""


def use_own_attention(model: PreTrainedModel) -> bool:
    """Switches `model` to this attention, and says so; False when the model, or the GPU, does not take it."""
    if not _plain(model):
        return False
    if model.device.type != "cpu" and not flash_works(model.device, model.dtype, find_head_dim(model.config)):
        return False
    AttentionInterface.register(NAME, attend)
    model.config._attn_implementation = NAME  # noqa: SLF001  (its public setter would look for the package of that name)
    return True


def attend(
    module: nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    _mask: torch.Tensor | None,
    *,
    cache: PagedAttentionCache,
    cu_seq_lens_q: torch.Tensor,
    scaling: float | None = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    """One layer's attention over a packed batch, with new keys and values written to `cache`.

    `query` (1, heads, tokens, size), `key`, `value` (1, key heads, tokens, size), the result (1, tokens, heads, size).
    `cu_seq_lens_q`, and `cu_seq_lens_k` in `kwargs`: where each request's tokens begin and the last one's end.
    """
    key, value = cache.update(key, value, module.layer_idx, kwargs)  # makes `kwargs` those of this layer
    starts_k = kwargs["cu_seq_lens_k"]
    keys, values = key[0].transpose(0, 1), value[0].transpose(0, 1)
    queries = query[0].transpose(0, 1)
    if query.device.type != "cpu":
        longest = kwargs["max_length_q"], kwargs["max_length_k"]
        mixed = _flash(queries, keys, values, cu_seq_lens_q, starts_k, longest, scaling)
    else:
        mixed = one_by_one(queries, keys, values, cu_seq_lens_q.tolist(), starts_k.tolist(), scaling)
    return mixed.unsqueeze(0), None


def one_by_one(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    starts_q: list[int],
    starts_k: list[int],
    scale: float | None,
) -> torch.Tensor:
    """Causal attention of each request to its own keys; its last query is at its last key.

    `queries` (tokens, heads, size), `keys` and `values` (tokens, key heads, size), the result like `queries`. Several
    query heads share a key head; nothing is copied for them.
    """
    shared = queries.shape[1] // keys.shape[1]
    mixed = torch.empty_like(queries)
    for (first, last), (start, end) in zip(pairwise(starts_q), pairwise(starts_k), strict=True):
        asked = queries[first:last].view(last - first, -1, shared, queries.shape[2])
        k, v = keys[start:end].transpose(0, 1).unsqueeze(1), values[start:end].transpose(0, 1).unsqueeze(1)
        if last - first == 1:  # the heads that share a key head are as good as several tokens that see the same keys
            out = scaled_dot_product_attention(asked.transpose(0, 1), k, v, scale=scale)
            mixed[first] = out.flatten(0, 2)
            continue
        whole = last - first == end - start
        out = scaled_dot_product_attention(
            asked.permute(1, 2, 0, 3),
            k.expand(-1, shared, -1, -1),
            v.expand(-1, shared, -1, -1),
            attn_mask=None if whole else _past_and_own(last - first, end - start, queries.dtype, queries.device),
            is_causal=whole,
            scale=scale,
        )
        mixed[first:last] = out.flatten(0, 1).transpose(0, 1)
    return mixed


def _flash(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    starts_q: torch.Tensor,
    starts_k: torch.Tensor,
    longest: tuple[int, int],
    scale: float | None,
) -> torch.Tensor:
    """The same as `one_by_one`, by a GPU's kernel. `longest`: the most queries and the most keys of one request."""
    mixed = varlen_attn(
        queries, keys, values, starts_q, starts_k, *longest, scale=scale, window_size=CAUSAL, enable_gqa=True
    )
    return mixed if isinstance(mixed, torch.Tensor) else mixed[0]


@lru_cache(maxsize=2)
def _past_and_own(queries: int, keys: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """What is added to the scores of the last `queries` of `keys` tokens. One layer makes it for all of them."""
    return torch.full((queries, keys), -torch.inf, dtype=dtype, device=device).triu_(keys - queries + 1)


def _plain(model: PreTrainedModel) -> bool:
    config = model.config.get_text_config()
    return config.model_type in PLAIN and list(group_layers_by_attn_type(config)) == [FULL_ATTENTION]


def flash_works(device: torch.device, dtype: torch.dtype, size: int) -> bool:
    """Whether the flash kernel runs here and computes what it should: an older GPU has none."""
    dice = torch.Generator(device).manual_seed(0)
    queries = torch.randn((5, 4, size), generator=dice, device=device, dtype=dtype)
    keys, values = torch.randn((2, 40, 2, size), generator=dice, device=device, dtype=dtype)
    starts_q, starts_k = [0, 1, 5], [0, 30, 40]
    expected = one_by_one(queries, keys, values, starts_q, starts_k, None)
    try:
        starts = [torch.tensor(one, dtype=torch.int32, device=device) for one in (starts_q, starts_k)]
        got = _flash(queries, keys, values, starts[0], starts[1], (4, 30), None)
        return bool(torch.allclose(got, expected, atol=TOLERANCE, rtol=TOLERANCE))
    except RuntimeError:
        return False
