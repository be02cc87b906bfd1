"""What happened on Discord, in order, on its way to the core.

discord.py starts a task for every event; here they wait in one line, so that an edit does not overtake its message.
A lane (one DM, or one channel) can be held back while what was missed in it is fetched.
"""

import asyncio
import sys
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

import discord
import structlog

from bot.errors import StorageAway, StorageError

LONGEST_LINE = 20_000
"""Happenings that may wait; beyond, the newest is left for the next catch-up."""

TRIES_S = (0.5, 2.0)
"""Pauses before what could not be stored is tried again."""

AWAY_S = 2.0
"""Before it is tried again where the database's server does not answer: that is waited for, and all behind it waits."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Said:
    """Somebody said something."""

    message: discord.Message
    missed: bool = False
    """Whether it comes from the history of a channel."""


@dataclass(frozen=True, slots=True)
class Edited:
    """Somebody changed what they had said."""

    message: discord.Message


@dataclass(frozen=True, slots=True)
class Deleted:
    """Messages were deleted."""

    message_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """Something else that the core is to know, in its turn: `tell` says so, and may raise StorageError."""

    tell: Callable[[], Awaitable[None]]


Happening: TypeAlias = Said | Edited | Deleted | Changed


class Intake:
    """One line of happenings; `deal` hands one to the core and may raise StorageError."""

    def __init__(self, deal: Callable[[Happening], Awaitable[None]]) -> None:
        self._deal = deal
        self._line: deque[Happening | asyncio.Event] = deque()
        self._more = asyncio.Event()
        self._waiting: dict[str, list[Happening]] = {}
        self._held: set[str] | None = set()
        """The lanes that are held back; None: all."""
        self._lost: datetime | None = None
        self._latest: datetime | None = None

    def put(self, lane: str, happening: Happening) -> None:
        """Takes what just happened in `lane`. Returns at once."""
        if len(self._line) + sum(map(len, self._waiting.values())) >= LONGEST_LINE:
            _log.error("too much is happening on Discord; a message is left for the next catch-up")
            self._lose(happening)
        elif self._held is None or lane in self._held:
            self._waiting.setdefault(lane, []).append(happening)
        else:
            self._append(happening)

    def put_missed(self, lane: str, message: discord.Message) -> None:
        """Takes a message that was missed in a lane that is held; what was said later in it comes later."""
        self._waiting.setdefault(lane, []).append(Said(message, missed=True))

    def hold_all(self) -> None:
        """From now on everything waits."""
        self._held = None

    def hold(self, lanes: frozenset[str]) -> None:
        """From now on these lanes wait, too."""
        if self._held is not None:
            self._held |= lanes

    def hold_only(self, lanes: frozenset[str]) -> None:
        """From now on only these lanes wait; the others go on."""
        self._held = set(lanes)
        for lane in [lane for lane in self._waiting if lane not in lanes]:
            self._let_go(lane)

    def release(self, lane: str) -> None:
        """Lets a lane go on, unless all are held."""
        if self._held is not None:
            self._held.discard(lane)
            self._let_go(lane)

    async def run(self) -> None:
        """Deals with one after the other, without end."""
        while True:
            await self._more.wait()
            while self._line:
                await self._next()
            self._more.clear()

    async def finish(self, seconds: float) -> bool:
        """Deals with what still waits, for so many seconds at most; False when something is left."""
        self.hold_only(frozenset())
        try:
            async with asyncio.timeout(seconds):
                while self._line:
                    await self._next()
        except TimeoutError:
            return False
        return True

    async def passed(self) -> None:
        """Waits until everything that is in the line now is dealt with."""
        milestone = asyncio.Event()
        self._append(milestone)
        await milestone.wait()

    def forget_losses(self) -> None:
        """What could not be handed over is about to be fetched again."""
        self._lost = None

    def surely_until(self, time: datetime) -> datetime:
        """`time`, or the time of the earliest message that has not been handed over, if that is before it."""
        waiting = [*self._line, *(item for held in self._waiting.values() for item in held)]
        times = [item.message.created_at for item in waiting if isinstance(item, Said)]
        return min([time, *times, *([self._lost] if self._lost else [])])

    @property
    def latest(self) -> datetime | None:
        """When the latest message that was handed over had been said."""
        return self._latest

    def _append(self, item: Happening | asyncio.Event) -> None:
        self._line.append(item)
        self._more.set()

    def _let_go(self, lane: str) -> None:
        for happening in sorted(self._waiting.pop(lane, ()), key=_message_id):
            self._append(happening)

    def _lose(self, happening: Happening) -> None:
        if isinstance(happening, Said):
            said = happening.message.created_at
            self._lost = min(self._lost or said, said)

    async def _next(self) -> None:
        """The first of the line; it stays the first until it is dealt with, so that a cancelled one is not lost."""
        item = self._line[0]
        if isinstance(item, asyncio.Event):  # a milestone
            item.set()
        else:
            await self._attempts(item)
        self._line.popleft()

    async def _attempts(self, happening: Happening) -> None:
        pauses_s = iter(TRIES_S)
        while (fault := await self._fault(happening)) is not None:
            pause_s = AWAY_S if isinstance(fault, StorageAway) else next(pauses_s, None)
            if pause_s is None:
                _log.error("something that happened on Discord could not be stored")
                self._lose(happening)
                return
            await asyncio.sleep(pause_s)

    async def _fault(self, happening: Happening) -> StorageError | None:
        """Why it is not dealt with, and may be tried again; None: it is."""
        try:
            await self._deal(happening)
        except StorageError as error:
            _log.warning("what happened on Discord cannot be stored", reason=str(error))
            return error
        except Exception:  # noqa: BLE001  # edge: one event of the adapter's loop; it would stop all others
            _log.exception("something that happened on Discord could not be dealt with")
        if isinstance(happening, Said):
            said = happening.message.created_at
            self._latest = max(self._latest or said, said)
        return None


def _message_id(happening: Happening) -> int:
    """Ids of messages rise with time; an edit stays behind its message, as sorting keeps the order of equals.

    What happens to a channel as a whole comes after all that was said in it.
    """
    if isinstance(happening, Changed):
        return sys.maxsize
    return max(happening.message_ids) if isinstance(happening, Deleted) else happening.message.id
