"""The thread that generates: transformers' continuous-batching manager, with adapters and an end to every request.

The manager runs one forward pass for all requests at once. What it lacks is added here: each request may use an adapter
of its own (`lora.py`, `routing.py`), results are dropped safely when their request was cancelled or its event loop is
gone (the manager's own router keeps the entry of a cancelled request for ever, and a closed loop kills its thread), and
the thread does not keep the process alive.
"""

import asyncio
import gc
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

import torch
from transformers import ContinuousBatchingConfig, GenerationConfig, PreTrainedModel
from transformers.generation.continuous_batching.continuous_api import (
    ContinuousBatchingManager,
    ContinuousBatchProcessor,
    ContinuousMixin,
    OutputRouter,
)
from transformers.generation.continuous_batching.requests import GenerationOutput
from transformers.utils.import_utils import is_flash_attn_2_available

from bot.domain import Skill
from bot.errors import ModelUnavailable
from bot.llm.adapters import Adapter
from bot.llm.attention import use_own_attention
from bot.llm.lora import NO_ADAPTER, attach
from bot.llm.machine import cores, threads
from bot.llm.routing import RoutingSampler, request_id, separate_prefixes

PAGE = {"cpu": 64, "cuda": 256}
"""Tokens in one page of the cache: the smallest unit that a request takes, and that two prompts share. A GPU's flash
kernels take pages of 256. On a CPU, where a prompt's tokens are dear, smaller ones spare more of the next prompt."""
PREFILL_TOKENS = {"cpu": 512, "cuda": 2048}
"""Tokens of prompts in one forward pass. More would make the running replies stutter when a long prompt comes in."""
MANY_ROWS = 64
"""Tokens in one forward pass from which a CPU computes with all its cores."""
STOP_SECONDS = 30.0

Sink = Callable[[GenerationOutput], None]


class _Router(OutputRouter):
    """Hands results to the event loop that asked; results nobody waits for any more are dropped."""

    def __init__(self) -> None:
        super().__init__()
        self._sinks: dict[str, tuple[Sink, asyncio.AbstractEventLoop]] = {}
        self.last_error = ""

    def connect(self, request_id: str, sink: Sink) -> None:
        self._sinks[request_id] = (sink, asyncio.get_running_loop())

    def disconnect(self, request_id: str) -> None:
        self._sinks.pop(request_id, None)

    def deliver(self, output: GenerationOutput) -> None:
        self.last_error = output.error or self.last_error
        entry = self._sinks.get(output.request_id)
        if entry is None:
            return
        sink, loop = entry
        try:
            loop.call_soon_threadsafe(sink, output)
        except RuntimeError:  # the loop was closed meanwhile
            self.disconnect(output.request_id)

    def deliver_batch(self, outputs: list[GenerationOutput]) -> None:
        for output in outputs:
            self.deliver(output)


def threads_for(rows: int) -> int:
    """The threads that a forward pass of so many rows takes on a CPU, see `_share_the_cores`."""
    return threads() if rows >= MANY_ROWS else max(1, min(threads(), cores() - 1))


def _share_the_cores(model: PreTrainedModel) -> None:
    """Before each forward pass, says how many threads it takes: all cores for many rows, all but one for few.

    A pass has some 200 barriers, at which threads spin. With few rows the work between two of them is short, so threads
    that share their cores with other work mostly wait: on two busy cores, two threads took 600 ms for a token of
    SmolLM2-135M and one took 20 ms (25 ms with two on idle cores). A prompt's rows are worth the second core: they are
    read 1.6 times as fast when it is idle, and take a tenth more when it is busy.
    """

    def before_pass(_model: PreTrainedModel, args: tuple[torch.Tensor, ...], kwargs: dict[str, torch.Tensor]) -> None:
        tokens = kwargs["input_ids"] if "input_ids" in kwargs else args[0]
        threads = threads_for(tokens.shape[-1])
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)

    model.register_forward_pre_hook(before_pass, with_kwargs=True)


@dataclass(frozen=True, slots=True)
class Job:
    """What one request asks of the engine."""

    prompt: list[int]
    max_tokens: int
    temperature: float
    top_p: float
    skill: Skill | None = None
    """Whose adapter it is answered with; None: the base model alone."""


class Engine:
    """A loaded model, the adapters beside it, and the thread that generates with them."""

    def __init__(
        self,
        model: PreTrainedModel,
        *,
        max_concurrent: int,
        kv_cache_tokens: int,
        eos: frozenset[int],
        seed: int | None = None,
        adapters: Sequence[Adapter] = (),
    ) -> None:
        """Prepares, but starts nothing. `adapters` fit the model (`check_fit`), at most one for each skill.

        Raises ValueError when the model cannot be batched continuously.
        """
        if not isinstance(model, ContinuousMixin):
            raise ValueError("it does not generate text")  # noqa: TRY004  (the caller's one sentence covers it)
        device = model.device
        self._page = PAGE[device.type]
        self.capacity = self.in_pages(kv_cache_tokens)
        """The tokens that all running requests may have together, in the cache."""
        self._eos = sorted(eos)
        self._numbers = count(1)
        self._adapters = {adapter.place.skill: number for number, adapter in enumerate(adapters, NO_ADAPTER + 1)}
        self._closing = False
        self._router = _Router()
        has_flash = device.type == "cuda" and is_flash_attn_2_available()
        if not has_flash:
            use_own_attention(model)
        config = ContinuousBatchingConfig(
            page_size=self._page,
            num_blocks=self.capacity // self._page,
            max_batch_tokens=PREFILL_TOKENS[device.type],
            max_requests_per_batch=max_concurrent,
            use_async_batching=False,  # the synchronous loop alone frees a cancelled request between two steps
            use_cuda_graph=False,  # the adapters' rows differ from step to step, and a replayed graph would not look
            auto_switch_to_flash=has_flash,
            seed=seed,
        )
        generation = GenerationConfig(  # type: ignore[no-untyped-call]  # not annotated in transformers
            do_sample=False, eos_token_id=self._eos or [-1]
        )
        if device.type == "cpu":
            _share_the_cores(model)
        self._manager: ContinuousBatchingManager | None = model.init_continuous_batching(generation, config)
        self._manager.output_router = self._router
        self._manager.logit_processor = RoutingSampler(device, seed, attach(model, adapters))

    def in_pages(self, tokens: int) -> int:
        """The tokens of the whole pages of the cache that hold `tokens`."""
        return -(-tokens // self._page) * self._page

    @property
    def alive(self) -> bool:
        """Whether requests are being worked on."""
        manager = self._manager
        if manager is None or self._closing or not manager.is_running():
            return False
        return manager.background_thread_status.can_accept_new_requests() is None

    @property
    def fatal_error(self) -> str:
        """What the generation thread died of; empty while it lives."""
        manager = self._manager
        error = manager.background_thread_status.fatal_error if manager is not None else None
        return f"{type(error).__name__}: {error}" if error is not None else ""

    def start(self) -> None:
        """Starts the generation thread. It is a daemon thread, as threads are that a daemon thread starts."""
        manager = self._running_manager()
        try:
            manager.warmup()  # makes the cache, which the thread would make otherwise; no forward pass without graphs
        except (MemoryError, RuntimeError, ValueError) as error:
            manager.background_thread_status.record_fatal_error(error)
            return
        if manager.batch_processor is not None:
            separate_prefixes(manager.batch_processor.cache)
        starter = threading.Thread(target=manager.start, name="engine-start", daemon=True)
        starter.start()
        starter.join()

    def submit(self, job: Job, sink: Sink) -> str:
        """Queues a request and returns its id. `sink` is called in the running event loop, once for each new token.

        Raises ModelUnavailable when the thread has ended, KeyError for a skill without an adapter.
        """
        if not self.alive:
            raise self.gone()
        manager = self._running_manager()
        adapter = NO_ADAPTER if job.skill is None else self._adapters[job.skill]
        request = request_id(next(self._numbers), adapter)
        self._router.connect(request, sink)
        accepted = manager.add_request(
            job.prompt,
            request_id=request,
            max_new_tokens=job.max_tokens,
            streaming=True,
            temperature=float(job.temperature),
            top_p=float(job.top_p),
        )
        if accepted is None:
            self._router.disconnect(request)
            raise self.gone()
        return request

    def cancel(self, request: str) -> None:
        """Ends a request and frees its cache before the next step. Nothing more is delivered. Safe at any time."""
        self._router.disconnect(request)
        if self._manager is not None:
            self._manager.cancel_request(request)

    def gone(self) -> ModelUnavailable:
        """The error for a request that cannot be served any more."""
        if self._closing or self._manager is None:
            return ModelUnavailable("The model has been closed.")
        reason = self.fatal_error or self._router.last_error or "no reason was given"
        return ModelUnavailable(
            f"The model stopped working ({reason}). Restart the program; if it happens again, lower "
            "model.max_concurrent or model.kv_cache_tokens, or choose a smaller model.id."
        )

    @property
    def processor(self) -> ContinuousBatchProcessor | None:
        """What makes the steps, for those who watch it; None when there is nothing to watch."""
        return self._manager.batch_processor if self._manager is not None else None

    def active_requests(self) -> int:
        """How many requests hold cache now."""
        return len(self.processor.scheduler.active_requests) if self.processor is not None else 0

    def close(self) -> None:
        """Stops the thread, whatever it is doing, and frees the model. Blocks for one step. Safe to call twice."""
        manager, self._manager, self._closing = self._manager, None, True
        if manager is None:
            return
        manager.stop(block=True, timeout=STOP_SECONDS, hard_stop=True)
        manager.destroy()
        del manager
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _running_manager(self) -> ContinuousBatchingManager:
        if self._manager is None:
            raise self.gone()
        return self._manager
