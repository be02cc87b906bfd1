"""The worker of one place: one turn after the other, and what happens to a turn while it is being thought about.

A turn may be begun anew, with what its speaker added or corrected, as long as nobody can have seen any of its reply.
What comes later is the next turn. So each utterance has one reply: what was taken into a turn is answered by it, and
what was not is still in the queue.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from bot import texts
from bot.conversation.delivery import Delivery
from bot.conversation.modes import Modes
from bot.conversation.progress import Progress
from bot.conversation.turn import Turn, Turns
from bot.domain import ChannelMode, Place, PlaceKind, Utterance
from bot.errors import LeaseLost, StorageAway, StorageError

BURST = timedelta(seconds=60)
"""What one speaker sends with gaps up to this is one turn."""

MOST_RESTARTS = 5
"""How often one turn is begun anew; what comes after that is the next turn."""

AWAY_S = 3.0
"""Seconds before a turn is begun anew that found no database."""

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class Worker:
    """Deals with what is said in `place`, in order. `on_turn` is told of every turn that has ended.

    `on_empty` is called when nothing is left to do. Before `awake` is set nothing is dealt with.
    """

    place: Place
    turns: Turns
    delivery: Delivery
    modes: Modes
    pauses_s: tuple[float, ...]
    on_turn: Callable[[Turn], None]
    on_empty: Callable[[Place], None]
    awake: asyncio.Event

    def __post_init__(self) -> None:
        self.arriving = 0
        """How many utterances are just being stored."""
        self.arriving_asked = 0
        """How many of those want a reply."""
        self.intake = asyncio.Lock()
        """Held while what waits here from before is taken in, so that nothing that arrives overtakes it."""
        self.task: asyncio.Task[None] | None = None
        self._queue: deque[Utterance] = deque()
        self._burst: list[Utterance] = []
        self._progress: Progress | None = None
        self._restarts = 0
        self._asked = 0
        self._known: set[int] = set()
        self._voluntary: set[int] = set()
        self._closing = False

    @property
    def waiting(self) -> int:
        """How many utterances are not dealt with yet."""
        return len(self._known)

    @property
    def asked(self) -> int:
        """How many of them, and of those just being stored, want a reply."""
        return self._asked + self.arriving_asked

    @property
    def busy(self) -> bool:
        """Whether anything is being dealt with, waits or arrives."""
        return bool(self.task or self._queue or self.arriving)

    @property
    def idle(self) -> bool:
        """Whether nothing is being dealt with and nothing waits: no reply comes before what arrives now."""
        return self.task is None and not self._queue

    def knows(self, utterance_id: int) -> bool:
        """Whether this utterance waits or is being dealt with."""
        return utterance_id in self._known

    def joins(self, utterance: Utterance) -> bool:
        """Whether an utterance would be part of a turn that waits or is thought of, and be answered with it."""
        waiting = self._queue or self._burst
        return bool(waiting) and _joins(waiting[-1], utterance)

    def add(self, utterance: Utterance, *, voluntary: bool = False) -> None:
        """Takes a stored utterance in. `voluntary`: nobody asked for a reply to it."""
        if self._closing or utterance.id in self._known:
            return
        self._known.add(utterance.id)
        self._asked += utterance.to_bot
        if voluntary:
            self._voluntary.add(utterance.id)
        self._queue.append(utterance)
        self._think_again()
        if self.task is None:
            # Owned by this worker, which Conversations waits for in idle() and aclose().
            self.task = asyncio.get_running_loop().create_task(self._work(), name=f"place {self.place.key}")

    def correct(self, utterance: Utterance) -> None:
        """Says that an utterance was edited: what waits has its new text, and what is thought about is begun anew."""
        for line in (self._queue, self._burst):
            for position, old in enumerate(line):
                if old.id == utterance.id:
                    line[position] = replace(old, text=utterance.text)
        if any(one.id == utterance.id for one in self._burst) and self._may_restart():
            self._stop()

    def drop(self, ids: Collection[int]) -> bool:
        """Says that utterances were erased. Whether any of them was waiting or being dealt with."""
        dropped = [one for one in (*self._queue, *self._burst) if one.id in ids]
        in_turn = any(one.id in ids for one in self._burst)
        self._queue = deque(one for one in self._queue if one.id not in ids)
        self._burst = [one for one in self._burst if one.id not in ids]
        self._forget(dropped)
        if in_turn and (not self._burst or self._may_restart()):
            self._stop()
        return bool(dropped)

    def hush(self, speaker_id: str) -> bool:
        """Gives up the reply to this speaker that is thought of; what it would answer is only remembered."""
        progress, burst = self._progress, self._burst
        if progress is None or progress.settled or self._closing or not burst or burst[-1].speaker.id != speaker_id:
            return False
        self._asked -= sum(one.to_bot for one in burst)
        self._queue.extendleft(replace(one, to_bot=False) for one in reversed(burst))
        self._burst = []
        self._stop()
        return True

    def mode_changed(self) -> None:
        """Has the turn that runs begun anew, under the mode in force now, as long as nobody has seen any of it."""
        if self._burst and not self._closing and self._is_unseen():
            self._stop()

    def close(self) -> None:
        """Lets the turn that runs be the last one. What waits stays in the inbox."""
        self._closing = True
        self._forget(self._queue)
        self._queue.clear()

    async def give_up(self) -> None:
        """Ends what is being dealt with, if there is anything, and leaves what waits in the inbox."""
        task = self.task
        if task is None:
            return
        self.close()
        task.cancel()
        await asyncio.wait({task})
        if self.task is task:  # it was cancelled before its first step, so nothing in it said that it had ended
            self.task = None
            self.on_empty(self.place)

    def _think_again(self) -> None:
        """Has the turn that runs begun anew when what was just said belongs to it, or given up when nobody asked."""
        if not self._burst or self._progress is None:
            return
        if self._progress.voluntary:
            if not self._progress.seen and not self._progress.settled:
                self._forget(self._burst)
                self._burst = []
                self._stop()
        elif self._burst[-1].to_bot and _joins(self._burst[-1], self._queue[0]) and self._may_restart():
            self._stop()

    def _may_restart(self) -> bool:
        return self._is_unseen() and not self._closing and self._restarts < MOST_RESTARTS

    def _is_unseen(self) -> bool:
        progress = self._progress
        return progress is not None and not progress.seen and not progress.settled

    def _stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _forget(self, utterances: Collection[Utterance]) -> None:
        ids = {one.id for one in utterances}
        self._asked -= sum(one.to_bot for one in utterances)
        self._known -= ids
        self._voluntary -= ids

    async def _work(self) -> None:
        try:
            await self.awake.wait()
            while self._queue:
                self._burst, self._restarts = take_burst(self._queue), 0
                try:
                    await self._deal_with_burst()
                finally:
                    self._forget(self._burst)
                    self._burst, self._progress = [], None
        finally:
            self.task = None
            self.on_empty(self.place)

    async def _deal_with_burst(self) -> None:
        """One turn, begun anew as often as it is stopped for that."""
        while self._burst:
            self._progress = Progress(voluntary=any(one.id in self._voluntary for one in self._burst))
            if await self._ended(self._progress):
                return
            self._restarts += 1
            while self._burst and self._queue and _joins(self._burst[-1], self._queue[0]):
                self._burst.append(self._queue.popleft())
        try:
            await self.delivery.retract(self.place)
        except StorageError as error:
            _log.error("a reply that will not come is still shown", reason=str(error))

    async def _ended(self, progress: Progress) -> bool:
        """Runs one try at the turn; False when it was stopped before its reply was settled."""
        tries = self._tries(tuple(self._burst), progress)
        # Owned by this method, which waits for it.
        task = asyncio.get_running_loop().create_task(tries, name=f"turn in {self.place.key}")
        try:
            await asyncio.wait({task})
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
        if not task.cancelled():
            task.result()
        elif progress.stopped:
            return False
        else:
            _log.error("a turn was cancelled from outside; its utterances stay in the inbox")
        return True

    async def _tries(self, burst: Sequence[Utterance], progress: Progress) -> None:
        """One turn, tried again when it fails; then its people are told, and the inbox keeps it for the next start."""
        left, pauses_s = burst, list(self.pauses_s)
        with structlog.contextvars.bound_contextvars(turn=burst[-1].id):
            while left:
                try:
                    _log.info("a turn begins", messages=[one.id for one in left])
                    turn = await self._turn(left, progress)
                    stages_ms = {f"{stage}_ms": round(ms) for stage, ms in turn.stages_ms.items()}
                    _log.info("a turn ended", replied=turn.reply is not None, **stages_ms)
                    self.on_turn(turn)
                except LeaseLost:
                    _log.warning("a turn is left to the process that has taken over its place")
                    self._leave()
                    return
                except StorageAway as error:
                    _log.warning("a turn waits for the database", reason=type(error).__name__)
                    if self._leave():
                        return
                    with progress.stoppable():
                        await asyncio.sleep(AWAY_S)
                except Exception as error:  # noqa: BLE001  # edge: one turn; its utterances stay in the inbox
                    before, left = left, await self._not_erased(left)
                    if len(left) == len(before):
                        _log.exception("a turn failed")
                        if not pauses_s or progress.voluntary:
                            if isinstance(error, StorageError) and self._leave():
                                return
                            break
                        with progress.stoppable():
                            await asyncio.sleep(pauses_s.pop(0))
                else:
                    return
            progress.settled = True
            if left and left[-1].to_bot and not progress.voluntary:
                await self._say_that_it_failed()

    def _leave(self) -> bool:
        """Leaves what waits here to whoever deals with this place next; False: nobody else does."""
        return False

    async def _say_that_it_failed(self) -> None:
        try:
            await self.delivery.notice(self.place, texts.TURN_FAILED, instead_of_reply=True)
        except StorageError as error:
            _log.error("nobody could be told that a turn failed", reason=str(error))

    async def _not_erased(self, utterances: Sequence[Utterance]) -> Sequence[Utterance]:
        """Those that are still stored, as far as can be told."""
        try:
            return await self.turns.still_stored(utterances)
        except StorageError:
            return utterances

    async def _turn(self, burst: Sequence[Utterance], progress: Progress) -> Turn:
        mode = await self.modes.of(self.place) if self.place.kind is PlaceKind.CHANNEL else None
        if mode is ChannelMode.OFF or (progress.voluntary and mode is not ChannelMode.OPEN):
            return await self.turns.set_aside(burst)
        if burst[-1].to_bot:
            return await self.turns.answer(burst, progress)
        return await self.turns.remember(burst)


def take_burst(utterances: deque[Utterance]) -> list[Utterance]:
    """Takes the next turn off the queue: the first utterance and what its speaker sent right after it."""
    burst = [utterances.popleft()]
    while utterances and _joins(burst[-1], utterances[0]):
        burst.append(utterances.popleft())
    return burst


def _joins(last: Utterance, following: Utterance) -> bool:
    same = (following.speaker.id, following.to_bot) == (last.speaker.id, last.to_bot)
    return same and abs(following.time - last.time) <= BURST
