"""What the program does, as numbers for Prometheus. Labels are words of this program: nobody's, and of no place."""

import asyncio
import logging
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from bot.conversation.turn import Turn
from bot.domain import Backlog, ChatMessage, Chunk, GenerationRequest, ModelDescription, Priority
from bot.errors import ModelError
from bot.log import OURS
from bot.ports import ChatModel, HiddenStates, Vector

STAGE_S = (0.001, 0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 120)
PREFIX = "hello_again_"
REPLY, BACKGROUND = "reply", "background"


class Metrics(logging.Handler):
    """Counts what it is told of, and what the log says of warnings and errors."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)

        def counter(name: str, what: str, *labels: str) -> Counter:
            return Counter(PREFIX + name, what, labels, registry=registry)

        def gauge(name: str, what: str, *labels: str) -> Gauge:
            return Gauge(PREFIX + name, what, labels, registry=registry)

        def histogram(name: str, what: str, *labels: str) -> Histogram:
            return Histogram(PREFIX + name, what, labels, registry=registry, buckets=STAGE_S)

        self._turns = counter("turns", "Turns that ended: answered, or taken in without a reply.", "kind")
        self._messages = counter("messages", "Messages that were dealt with.")
        self._stages = histogram("turn_stage_seconds", "Seconds of a turn's stage.", "stage")
        self._turn_s = histogram("turn_seconds", "Seconds of a whole turn, without its wait in the queue.")
        self.model_s = histogram("model_seconds", "Seconds of one answer of the language model.", "task")
        self.first_s = histogram("model_first_token_seconds", "Seconds until its first words.", "task")
        self.tokens = counter("model_tokens", "Tokens that the language model read and wrote.", "task", "kind")
        self.failed = counter("model_errors", "Answers of the language model that failed.", "task", "error")
        self._lines = counter(
            "log_lines", "Warnings and errors in the log, as far as log.level lets them in.", "level", "part", "error"
        )
        self._ready = gauge("ready", "1: messages are answered.")
        self._database = gauge("database_up", "1: the database answers.")
        self._waiting = gauge("queue_waiting", "What waits in the tables, of all processes together.", "queue")
        self._oldest = gauge("queue_oldest_seconds", "How long the oldest of it has waited.", "queue")
        self._leases = gauge("leases", "Leases by kind; over: ran out, and nobody gave them back.", "kind", "state")
        self._places = gauge("places_busy", "Places in which this process deals with something.")
        self._held = gauge("messages_held", "Messages that this process holds and has not dealt with.")
        self._adapters = gauge("adapter_running", "1: this process serves the platform.", "platform")

    def turn_ended(self, turn: Turn) -> None:
        """Counts a turn."""
        self._turns.labels("answered" if turn.reply is not None else "taken in").inc()
        self._messages.inc(len(turn.utterances))
        for stage, ms in turn.stages_ms.items():
            self._stages.labels(stage).observe(ms / 1000)
        self._turn_s.observe(sum(turn.stages_ms.values()) / 1000)

    def also(self, on_turn: Callable[[Turn], None]) -> Callable[[Turn], None]:
        """Counts each turn, and tells somebody else."""

        def both(turn: Turn) -> None:
            self.turn_ended(turn)
            on_turn(turn)

        return both

    def measured(self, model: ChatModel | None) -> ChatModel | None:
        """The same model, whose answers are counted."""
        if model is None:
            return None
        return _WithStates(model, self) if isinstance(model, HiddenStates) else _Measured(model, self)

    def emit(self, record: logging.LogRecord) -> None:
        """Counts a line of ours: which part of the program says it, and the class of the error, never its words."""
        if record.name.partition(".")[0] not in OURS:
            return
        raised = record.exc_info[0] if record.exc_info else None
        if raised is None and isinstance(record.msg, dict) and record.msg.get("exc_info"):
            raised = sys.exc_info()[0]
        self._lines.labels(record.levelname.lower(), record.name, raised.__name__ if raised else "").inc()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hears the log while the context is open."""
        logging.getLogger().addHandler(self)
        try:
            yield
        finally:
            logging.getLogger().removeHandler(self)

    def look(
        self, backlog: Backlog | None, now: datetime, *, ready: bool, busy: tuple[int, int], states: dict[str, str]
    ) -> bytes:
        """All numbers as Prometheus reads them. `backlog`: None when the database does not answer."""
        self._ready.set(ready)
        self._database.set(backlog is not None)
        self._waiting.clear()
        self._oldest.clear()
        self._leases.clear()
        found = backlog or Backlog()
        for queue, (count, since) in found.queues.items():
            self._waiting.labels(queue).set(count)
            self._oldest.labels(queue).set(max((now - since).total_seconds(), 0) if since is not None else 0)
        for kind, (held, over) in found.leases.items():
            self._leases.labels(kind, "held").set(held)
            self._leases.labels(kind, "over").set(over)
        self._places.set(busy[0])
        self._held.set(busy[1])
        for platform, state in states.items():
            self._adapters.labels(platform).set(state == "running")
        return generate_latest(self._registry)


class _Measured:
    """Implements `bot.ports.ChatModel`: hands everything on, and counts answers, time and tokens."""

    def __init__(self, model: ChatModel, metrics: Metrics) -> None:
        self._model = model
        self._metrics = metrics

    @property
    def description(self) -> ModelDescription:
        """Which model this is."""
        return self._model.description

    def count_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """The number of tokens of a prompt."""
        return self._model.count_tokens(messages)

    async def stream(self, request: GenerationRequest) -> AsyncIterator[Chunk]:
        """The reply, piece by piece."""
        metrics, begun, first, last = self._metrics, perf_counter(), True, Chunk("")
        task = REPLY if request.priority is Priority.REPLY else request.skill.value if request.skill else BACKGROUND
        answer = self._model.stream(request)
        try:
            async for last in answer:
                if first:
                    metrics.first_s.labels(task).observe(perf_counter() - begun)
                first = False
                yield last
        except (ModelError, asyncio.CancelledError, GeneratorExit) as error:
            metrics.failed.labels(task, type(error).__name__).inc()
            raise
        finally:
            if isinstance(answer, AsyncGenerator):
                await answer.aclose()  # whoever stops reading here has stopped the model, too
            metrics.model_s.labels(task).observe(perf_counter() - begun)
            metrics.tokens.labels(task, "read").inc(last.prompt_tokens)
            metrics.tokens.labels(task, "written").inc(last.completion_tokens)

    async def aclose(self) -> None:
        """Frees all memory."""
        await self._model.aclose()


class _WithStates(_Measured):
    """The same of a model that gives its hidden states, too: `bot.ports.HiddenStates`."""

    _model: ChatModel

    def _states(self) -> HiddenStates:
        assert isinstance(self._model, HiddenStates)  # noqa: S101  Metrics.measured looked
        return self._model

    @property
    def model_digest(self) -> str:
        """The SHA-256 of the model's file."""
        return self._states().model_digest

    async def hidden_state(self, messages: Sequence[ChatMessage], opening: str, deadline: timedelta) -> Vector:
        """What the model holds of a prompt."""
        return await self._states().hidden_state(messages, opening, deadline)
