"""One worker per place: serial within a conversation, parallel across conversations."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from bot import texts
from bot.config import Queue
from bot.conversation.turn import Turn, Turns
from bot.domain import Place, Utterance
from bot.errors import QueueFull
from bot.ports import Inbox

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Waiting:
    utterances: deque[Utterance] = field(default_factory=deque)
    worker: asyncio.Task[None] | None = None


class Conversations:
    """Takes utterances in and has each place's worker deal with them in order.

    `on_turn` is told of every turn that has ended. Use as an async context manager: leaving it waits for the turns that
    run, up to `grace_s` seconds, and cancels them then; what they had not finished is still in the inbox.
    """

    def __init__(
        self,
        *,
        inbox: Inbox,
        turns: Turns,
        settings: Queue,
        on_turn: Callable[[Turn], None] = lambda _turn: None,
        grace_s: float = 10.0,
    ) -> None:
        self._inbox = inbox
        self._turns = turns
        self._settings = settings
        self._on_turn = on_turn
        self._grace_s = grace_s
        self._places: dict[str, _Waiting] = {}

    async def receive(self, utterance: Utterance) -> bool:
        """Stores `utterance` and has it dealt with; False when this message was stored before.

        Raises QueueFull, having stored nothing, when its place has too many unanswered messages.
        """
        waiting = self._places.get(utterance.place.key)
        if waiting is not None and len(waiting.utterances) >= self._settings.max_pending:
            raise QueueFull(texts.QUEUE_FULL.format(count=len(waiting.utterances)))
        stored = await self._inbox.accept(utterance)
        if stored is None:
            return False
        self._enqueue(stored)
        return True

    async def take_up(self) -> int:
        """Enqueues what an earlier run left in the inbox; returns how many utterances."""
        left = await self._inbox.pending()
        for utterance in left:
            self._enqueue(utterance)
        return len(left)

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

    def _enqueue(self, utterance: Utterance) -> None:
        key = utterance.place.key
        waiting = self._places.setdefault(key, _Waiting())
        waiting.utterances.append(utterance)
        if waiting.worker is None:
            loop = asyncio.get_running_loop()
            # Owned by its entry in `_places`, awaited by idle() and aclose().
            waiting.worker = loop.create_task(self._work(utterance.place, waiting), name=f"place {key}")

    async def _work(self, place: Place, waiting: _Waiting) -> None:
        try:
            while waiting.utterances:
                await self._turn(take_burst(waiting.utterances))
        finally:
            del self._places[place.key]

    async def _turn(self, burst: list[Utterance]) -> None:
        with structlog.contextvars.bound_contextvars(turn=burst[-1].id):
            try:
                turn = await (self._turns.answer(burst) if burst[-1].to_bot else self._turns.remember(burst))
            except Exception:  # noqa: BLE001  # edge: one turn; its utterances stay in the inbox for the next start
                _log.exception("a turn failed; its messages are kept in the inbox")
                return
            self._on_turn(turn)


def take_burst(utterances: deque[Utterance]) -> list[Utterance]:
    """Takes the next turn off the queue: the first utterance and what its speaker sent right after it."""
    burst = [utterances.popleft()]
    while utterances and utterances[0].speaker.id == burst[0].speaker.id and utterances[0].to_bot == burst[0].to_bot:
        burst.append(utterances.popleft())
    return burst
