"""One worker per place: serial within a conversation, parallel across conversations."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

import structlog

from bot import texts
from bot.config import Queue
from bot.conversation.delivery import Delivery
from bot.conversation.turn import Turn, Turns
from bot.domain import Place, Utterance
from bot.errors import QueueFull
from bot.ports import Inbox

BURST = timedelta(seconds=60)
"""What one speaker sends with gaps up to this is one turn."""

PAUSES_S = (0.5, 3.0)
"""Seconds before a turn that failed is tried again."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Waiting:
    """What one place has to be dealt with."""

    utterances: deque[Utterance] = field(default_factory=deque)
    asked: int = 0
    """How many of them, and of those just being stored, want a reply."""
    arriving: int = 0
    """How many are just being stored."""
    worker: asyncio.Task[None] | None = None


class Conversations:
    """Takes utterances in and has each place's worker deal with them in order.

    `on_turn` is told of every turn that has ended. `aclose` lets the turns that run end, for `grace_s` seconds, and
    cancels them then; what they had not finished is still in the inbox.
    """

    def __init__(
        self,
        *,
        inbox: Inbox,
        turns: Turns,
        delivery: Delivery,
        settings: Queue,
        on_turn: Callable[[Turn], None] = lambda _turn: None,
        grace_s: float = 10.0,
        pauses_s: tuple[float, ...] = PAUSES_S,
    ) -> None:
        self._inbox = inbox
        self._turns = turns
        self._delivery = delivery
        self._settings = settings
        self._on_turn = on_turn
        self._grace_s = grace_s
        self._pauses_s = pauses_s
        self._places: dict[str, _Waiting] = {}
        self._known: set[int] = set()

    async def receive(self, utterance: Utterance) -> bool:
        """Stores `utterance` and has it dealt with; False when this message was stored before.

        Raises QueueFull, having stored nothing, when its place has too many unanswered messages. What wants no reply is
        always taken.
        """
        waiting = self._places.setdefault(utterance.place.key, _Waiting())
        if utterance.to_bot and waiting.asked >= self._settings.max_pending:
            raise QueueFull(texts.QUEUE_FULL.format(count=waiting.asked))
        waiting.asked += utterance.to_bot
        waiting.arriving += 1
        stored: Utterance | None = None
        try:
            stored = await self._inbox.accept(utterance)
        finally:
            waiting.arriving -= 1
            if stored is None:
                waiting.asked -= utterance.to_bot
                self._tidy(utterance.place.key)
        if stored is None:
            return False
        self._enqueue(stored, waiting)
        return True

    async def take_up(self) -> int:
        """Enqueues what is in the inbox and not being dealt with; returns how many utterances.

        What wants a reply in a place that cannot be reached now waits until it can.
        """
        left = [utterance for utterance in await self._inbox.pending() if utterance.id not in self._known]
        taken = [utterance for utterance in left if not utterance.to_bot or self._delivery.reaches(utterance.place)]
        for utterance in taken:
            waiting = self._places.setdefault(utterance.place.key, _Waiting())
            waiting.asked += utterance.to_bot
            self._enqueue(utterance, waiting)
        return len(taken)

    async def idle(self) -> None:
        """Waits until nothing is being dealt with."""
        while running := [waiting.worker for waiting in self._places.values() if waiting.worker is not None]:
            await asyncio.wait(running)

    async def aclose(self) -> None:
        """Lets running turns end for `grace_s` seconds, then cancels them."""
        for waiting in self._places.values():
            waiting.utterances.clear()
        running = [waiting.worker for waiting in self._places.values() if waiting.worker is not None]
        if not running:
            return
        _, late = await asyncio.wait(running, timeout=self._grace_s)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _enqueue(self, utterance: Utterance, waiting: _Waiting) -> None:
        self._known.add(utterance.id)
        waiting.utterances.append(utterance)
        if waiting.worker is None:
            name = f"place {utterance.place.key}"
            # Owned by its entry in `_places`, awaited by idle() and aclose().
            waiting.worker = asyncio.get_running_loop().create_task(self._work(utterance.place, waiting), name=name)

    async def _work(self, place: Place, waiting: _Waiting) -> None:
        try:
            while waiting.utterances:
                burst = take_burst(waiting.utterances)
                try:
                    await self._turn(burst)
                finally:
                    waiting.asked -= sum(utterance.to_bot for utterance in burst)
                    self._known.difference_update(utterance.id for utterance in burst)
        finally:
            waiting.worker = None
            self._tidy(place.key)

    def _tidy(self, key: str) -> None:
        """Forgets a place that nothing is waiting in."""
        waiting = self._places.get(key)
        if waiting is not None and not (waiting.worker or waiting.utterances or waiting.arriving):
            del self._places[key]

    async def _turn(self, burst: list[Utterance]) -> None:
        """One turn, tried again when it fails; then its people are told, and the inbox keeps it for the next start."""
        with structlog.contextvars.bound_contextvars(turn=burst[-1].id):
            for pause in (*self._pauses_s, None):
                try:
                    turn = await (self._turns.answer(burst) if burst[-1].to_bot else self._turns.remember(burst))
                except Exception:  # noqa: BLE001  # edge: one turn; its utterances stay in the inbox
                    _log.exception("a turn failed")
                else:
                    self._on_turn(turn)
                    return
                if pause is not None:
                    await asyncio.sleep(pause)
            if burst[-1].to_bot:
                await self._delivery.notice(burst[-1].place, texts.TURN_FAILED)


def take_burst(utterances: deque[Utterance]) -> list[Utterance]:
    """Takes the next turn off the queue: the first utterance and what its speaker sent right after it."""
    burst = [utterances.popleft()]
    while utterances and _joins(burst[-1], utterances[0]):
        burst.append(utterances.popleft())
    return burst


def _joins(last: Utterance, following: Utterance) -> bool:
    same = (following.speaker.id, following.to_bot) == (last.speaker.id, last.to_bot)
    return same and abs(following.time - last.time) <= BURST
