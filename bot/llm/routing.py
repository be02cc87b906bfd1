"""How the continuous-batching manager learns which request uses which adapter: from the request's id.

The id is what it keeps of a request at every point where that matters, also when it sets a request back for want of
cache and begins it anew.
"""

from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import torch
from transformers.generation.continuous_batching.cache import PagedAttentionCache
from transformers.generation.continuous_batching.requests import FutureRequestState

from bot.llm.lora import Routes
from bot.llm.sampling import PerRequestSampler

P = ParamSpec("P")
T = TypeVar("T")

TOKEN_BITS = 24
"""No vocabulary has this many bits' worth of tokens, and the manager hashes tokens as 32-bit numbers."""


def request_id(number: int, adapter: int) -> str:
    """The id of request `number`, answered with adapter number `adapter` (lora.NO_ADAPTER: with none)."""
    return f"r{number}.{adapter}"


def adapter_of(request: str) -> int:
    """The adapter's number, from a request's id."""
    return int(request.rpartition(".")[2])


class RoutingSampler(PerRequestSampler):
    """A sampler that also routes the adapters: it is shown the requests of each batch before the forward pass."""

    def __init__(self, device: torch.device, seed: int | None, routes: Routes) -> None:
        super().__init__(device, seed)
        self._routes = routes

    def prepare_tensor_args(
        self, requests_in_batch: list[FutureRequestState], arg_storage: torch.Tensor
    ) -> torch.Tensor:
        """See `PerRequestSampler`; `requests_in_batch` is in the order of the packed tokens, prefills included."""
        self._routes.look_at(
            (adapter_of(request.state.request_id), request.query_length) for request in requests_in_batch
        )
        return super().prepare_tensor_args(requests_in_batch, arg_storage)


def separate_prefixes(cache: PagedAttentionCache) -> None:
    """Lets requests share the cache of a common prefix only with those of the same adapter.

    Keys and values of the same tokens differ by adapter, and the cache knows its blocks by the hash of their tokens,
    chained from the first block on. So the first token is told to it with the adapter's number in its upper bits.
    """
    # The cache is made inside the manager, which takes no class of ours for it; so methods of this object are changed.
    cache.search_prefix_match = _told_of_the_adapter(cache.search_prefix_match)  # type: ignore[method-assign, assignment]
    for allocator in cache.cache_allocators.values():
        marking = _told_of_the_adapter(allocator.mark_complete_blocks)
        allocator.mark_complete_blocks = marking  # type: ignore[method-assign, assignment]


def _told_of_the_adapter(
    method: Callable[Concatenate[str, list[int], P], T],
) -> Callable[Concatenate[str, list[int], P], T]:
    def told(request: str, tokens: list[int], /, *args: P.args, **kwargs: P.kwargs) -> T:
        adapter = adapter_of(request)
        marked = [tokens[0] | adapter << TOKEN_BITS, *tokens[1:]] if adapter else tokens
        return method(request, marked, *args, **kwargs)

    return told
