"""Where the time of a decoding step goes: the stages of the engine's thread, and the operators of the forward pass.

The stages are timed by wrapping the three calls that the generation loop makes for each step. Only steps in which every
request gets exactly one token are counted. On a GPU the forward pass is waited for, so that its time is its own.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch.profiler import ProfilerActivity, profile
from transformers import PreTrainedModel
from transformers.generation.continuous_batching.continuous_api import ContinuousBatchProcessor
from transformers.generation.continuous_batching.input_outputs import ContinuousBatchingIOs

from bot.llm.files import Quantization

SCHEDULING, FORWARD, SAMPLING, DELIVERY = "scheduling and inputs", "forward pass", "sampling", "handing over"
EVENT_LOOP = "meanwhile, event loop: text, queues"
STAGES = (SCHEDULING, FORWARD, SAMPLING, DELIVERY)
WARM_STEPS = 2
"""Decoding steps before the operators are recorded."""
RECORDED_STEPS = 4
LARGEST = 12
"""Operators that are told."""
PROFILER_SILENT = ("KINETO_LOG_LEVEL", "6")

Clock = tuple[float, float]
"""Seconds on the clock, seconds of this thread's processor time."""


@dataclass(frozen=True, slots=True)
class StageCost:
    """Milliseconds of one stage for each decoding step, on average: on the clock, and of its thread's processor time.

    Where other work shares the machine, the second is the surer one. The event loop has no time on the clock.
    """

    stage: str
    wall_ms: float | None
    cpu_ms: float


@dataclass(frozen=True, slots=True)
class OperatorCost:
    """One operator, without what it calls. Milliseconds and calls for each decoding step, on average."""

    name: str
    ms: float
    calls: float
    share: float
    """Of all operators of the recorded steps, 0 to 1."""


@dataclass(frozen=True, slots=True)
class EngineProfile:
    """Where the time of decoding went, for requests that came in together."""

    quantization: Quantization
    concurrent: int
    prompt_tokens: int
    """Of each."""
    steps: int
    """Decoding steps that the stages are the mean of."""
    recorded: int
    """Decoding steps that the operators are the mean of; 0 where there were too few."""
    stages: tuple[StageCost, ...]
    operators: tuple[OperatorCost, ...]


class StepWatch:
    """Times the decoding steps of a batch processor. Made and used in the event loop's thread; counts in the engine's.

    `operators`: record those of a few steps too, whose own times are then left out of the stages.
    """

    def __init__(self, processor: ContinuousBatchProcessor, model: PreTrainedModel, *, operators: bool) -> None:
        self._processor = processor
        self._model = model
        self._cuda = model.device.type == "cuda"
        self._prepare, self._generate, self._update = (
            processor.prepare_next_batch,
            processor._generation_step,  # noqa: SLF001  (transformers has no public way to see a step)
            processor.update_batch,
        )
        self._loop_clock = _clock_of(threading.get_ident())
        self._loop_before = 0.0
        self._marks: list[Clock] = []
        self._costs: list[dict[str, Clock]] = []
        self._profiler: profile | None = None
        self._to_record = RECORDED_STEPS if operators else 0
        self._seen = 0
        if operators:
            _wake_profiler()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watches until the block ends. No request should run at either end of it."""
        calls = {"prepare_next_batch": self.prepare, "_generation_step": self.generate, "update_batch": self.update}
        hooks = (
            self._model.register_forward_pre_hook(self._mark_forward),
            self._model.register_forward_hook(self._mark_forward),
        )
        for name, call in calls.items():
            setattr(self._processor, name, call)
        try:
            yield
        finally:
            for name in calls:
                delattr(self._processor, name)
            for hook in hooks:
                hook.remove()

    def prepare(self) -> bool:
        """Stands for the processor's `prepare_next_batch`."""
        self._loop_before = _seconds(self._loop_clock)
        self._marks = [_now()]
        available = bool(self._prepare())
        self._marks.append(_now())
        return available

    def generate(self, model: PreTrainedModel) -> None:
        """Stands for the processor's `_generation_step`, and records its operators when it is time to."""
        recording = self._decoding() and self._seen >= WARM_STEPS and self._to_record > 0
        if recording and self._profiler is None:
            kinds = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if self._cuda else [])]
            self._profiler = profile(activities=kinds)
            self._profiler.start()
        self._generate(model)
        if recording:
            self._to_record -= 1
            self._marks.clear()
            if self._to_record == 0 and self._profiler is not None:
                self._profiler.stop()

    def update(self) -> None:
        """Stands for the processor's `update_batch`: the end of a step."""
        marks = self._marks
        if marks:
            marks.append(_now())
        self._update()
        if not self._decoding():
            return
        self._seen += 1
        if len(marks) != len(STAGES) + 1:  # a step whose operators were recorded
            return
        marks.append(_now())
        start, prepared, entered, left, generated, end = marks
        loop = _seconds(self._loop_clock) - self._loop_before
        self._costs.append(
            {
                SCHEDULING: _span(start, prepared),
                FORWARD: _span(entered, left),
                SAMPLING: _sum(_span(prepared, entered), _span(left, generated)),
                DELIVERY: _span(generated, end),
                EVENT_LOOP: (0.0, loop),
            }
        )

    @property
    def steps(self) -> int:
        """Decoding steps that were timed."""
        return len(self._costs)

    @property
    def recorded(self) -> int:
        """Decoding steps whose operators were recorded: all that were wanted, or none."""
        return RECORDED_STEPS if self._profiler is not None and self._to_record == 0 else 0

    def stages(self) -> tuple[StageCost, ...]:
        """What a decoding step costs, stage by stage; nothing when there was none."""
        if not self._costs:
            return ()
        means = {
            name: [1000 * sum(column) / self.steps for column in zip(*self._of(name), strict=True)] for name in STAGES
        }
        own = tuple(StageCost(name, wall, cpu) for name, (wall, cpu) in means.items())
        if self._loop_clock is None:
            return own
        loop = 1000 * sum(cpu for _, cpu in self._of(EVENT_LOOP)) / self.steps
        return (*own, StageCost(EVENT_LOOP, None, loop))

    def operators(self) -> tuple[OperatorCost, ...]:
        """The operators that took longest, the largest first; on a GPU by its time, else by the processor's."""
        if not self.recorded or self._profiler is None:
            return ()
        rows = [
            (row.key, (row.self_device_time_total if self._cuda else row.self_cpu_time_total) / 1000, row.count)
            for row in self._profiler.key_averages()
        ]
        whole = sum(ms for _, ms, _ in rows) or 1.0
        rows.sort(key=lambda row: -row[1])
        return tuple(
            OperatorCost(name, ms / RECORDED_STEPS, count / RECORDED_STEPS, ms / whole)
            for name, ms, count in rows[:LARGEST]
        )

    def _of(self, stage: str) -> list[Clock]:
        return [cost[stage] for cost in self._costs]

    def _decoding(self) -> bool:
        """Whether each request in the batch gets one token and brings no prompt."""
        batch = self._processor.inputs_and_outputs
        return isinstance(batch, ContinuousBatchingIOs) and batch.max_length_q == 1

    def _mark_forward(self, *_: object) -> None:
        if self._cuda:
            torch.cuda.synchronize()
        if self._marks:
            self._marks.append(_now())


def _wake_profiler() -> None:
    """What the profiler sets up once, it wants set up in the main thread; and it talks unless told not to."""
    os.environ.setdefault(*PROFILER_SILENT)
    with profile(activities=[ProfilerActivity.CPU]):
        pass


def _now() -> Clock:
    return time.perf_counter(), time.thread_time()


def _span(start: Clock, end: Clock) -> Clock:
    return end[0] - start[0], end[1] - start[1]


def _sum(one: Clock, other: Clock) -> Clock:
    return one[0] + other[0], one[1] + other[1]


def _clock_of(thread: int) -> int | None:
    """The clock of a thread's processor time; None where the system has none."""
    return time.pthread_getcpuclockid(thread) if hasattr(time, "pthread_getcpuclockid") else None


def _seconds(clock: int | None) -> float:
    return time.clock_gettime(clock) if clock is not None else 0.0
