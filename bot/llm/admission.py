"""Who may generate now: replies first, background work when nobody waits for an answer.

A background generation is admitted only while no reply waits or runs, and gives way when one arrives. So that it is not
put off for ever, one that gave way MAX_PREEMPTIONS times, or waited for PATIENCE_S, is treated as a reply from then on.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from bot.domain import Priority
from bot.errors import ModelBusy, ModelError

MAX_PREEMPTIONS = 3
PATIENCE_S = 60.0


@dataclass(eq=False, slots=True)
class Ticket:
    """One generation that wants its turn. `tokens` is the room it takes in the cache when it is at its longest."""

    priority: Priority
    tokens: int
    on_preempt: Callable[[], None]
    """Called when a running generation has to give way; it must then `leave`, and may `enter` again."""
    preemptions: int = 0
    preempted: bool = False
    """Whether the present turn has been taken away."""
    since: float = 0.0
    """The loop's time at which it first asked."""


class Admission:
    """Turns for at most `max_concurrent` generations that together take at most `capacity` tokens of the cache.

    First come, first served within a priority. For one event loop at a time, and not thread-safe.
    """

    def __init__(self, max_concurrent: int, max_waiting: int, capacity: int) -> None:
        self._max_concurrent = max_concurrent
        self._max_waiting = max_waiting
        self._capacity = capacity
        self._waiting: dict[Ticket, asyncio.Future[None]] = {}
        self._running: set[Ticket] = set()

    @property
    def running(self) -> int:
        """How many generations have their turn."""
        return len(self._running)

    @property
    def waiting(self) -> int:
        """How many wait for it."""
        return len(self._waiting)

    async def enter(self, ticket: Ticket, deadline: float) -> bool:
        """Waits for a turn. False when the loop's time passes `deadline` first.

        Raises ModelBusy when as many wait already as may. Background work that waits does not keep a reply out.
        """
        loop = asyncio.get_running_loop()
        ticket.preempted = False
        ticket.since = ticket.since or loop.time()
        self._refuse_when_full(ticket)
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting[ticket] = turn
        self._admit(loop.time())
        if ticket.priority is Priority.REPLY:
            self._make_way()
        try:
            async with asyncio.timeout_at(deadline):
                await turn
        except TimeoutError:
            self.leave(ticket)
            return False
        except BaseException:
            self.leave(ticket)
            raise
        return True

    def leave(self, ticket: Ticket) -> None:
        """Gives the turn, or the place in the queue, to the next. Safe to call twice."""
        self._waiting.pop(ticket, None)
        self._running.discard(ticket)
        if self._waiting:
            self._admit(asyncio.get_running_loop().time())

    def close(self, error: ModelError) -> None:
        """Sends everyone who waits away with `error`."""
        waiting, self._waiting = self._waiting, {}
        for turn in waiting.values():
            if not turn.done():
                turn.set_exception(error)

    def _refuse_when_full(self, ticket: Ticket) -> None:
        if ticket.preemptions:
            return
        ahead = sum(1 for other in self._waiting if other.priority <= ticket.priority)
        if ahead >= self._max_waiting:
            raise ModelBusy(
                f"The model has {ahead} requests waiting already. Try again in a moment, or raise model.max_waiting."
            )

    def _admit(self, now: float) -> None:
        """Gives out turns as long as the next in line fits."""
        while (ticket := self._next(now)) is not None and self._fits(ticket):
            turn = self._waiting.pop(ticket)
            if turn.done():
                continue
            self._running.add(ticket)
            turn.set_result(None)

    def _next(self, now: float) -> Ticket | None:
        urgent = [ticket for ticket in self._waiting if _urgent(ticket, now)]
        if urgent:
            return urgent[0]
        if any(ticket.priority is Priority.REPLY for ticket in self._running):
            return None
        return next(iter(self._waiting), None)

    def _fits(self, ticket: Ticket) -> bool:
        taken = sum(other.tokens for other in self._running)
        return len(self._running) < self._max_concurrent and (
            not self._running or taken + ticket.tokens <= self._capacity
        )

    def _make_way(self) -> None:
        """Takes the turn of the background generations that run, for the sake of a reply."""
        for ticket in self._running:
            if ticket.priority is Priority.BACKGROUND and not ticket.preempted and ticket.preemptions < MAX_PREEMPTIONS:
                ticket.preempted = True
                ticket.preemptions += 1
                ticket.on_preempt()


def _urgent(ticket: Ticket, now: float) -> bool:
    """Whether this is a reply, or background work that was put off for long enough (it then runs to its end)."""
    if ticket.priority is Priority.REPLY:
        return True
    if now - ticket.since > PATIENCE_S:
        ticket.preemptions = MAX_PREEMPTIONS
    return ticket.preemptions >= MAX_PREEMPTIONS
