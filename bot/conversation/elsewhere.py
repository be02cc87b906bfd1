"""One half of the core, where the other half is in another process: gateways store and send, workers answer.

What a gateway stores is dealt with by the worker that claims its place (`claiming.py`); what a worker says waits in the
outbox that they share until the gateway of its platform sends it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import uuid4

import structlog

from bot.conversation.delivery import Delivery, Unseen
from bot.conversation.notices import ages
from bot.conversation.queue import Conversations
from bot.conversation.worker import Worker
from bot.domain import INBOX, OUTBOX, ChannelMode, Choice, Outgoing, Place, PlaceKind, Utterance
from bot.errors import StorageError
from bot.ports import Bell, Live, SharedOutbox
from bot.texts import meeting

FINISH_S = 10.0
"""Seconds that a gateway which is asked to stop waits for what it is sending."""

_log = structlog.get_logger(__name__)


class PostingDelivery(Delivery):
    """A worker's: everything it says waits for a gateway. Nothing is shown while it grows."""

    def __init__(self, *, outbox: SharedOutbox, bell: Bell) -> None:
        super().__init__(outbox=outbox, messengers={})
        self._shared = outbox
        self._bell = bell

    def reaches(self, place: Place) -> bool:
        """A gateway will: when its platform is away, what is said waits."""
        return True

    def sends_at_once(self, place: Place) -> bool:
        """Never: somebody else sends."""
        return False

    @asynccontextmanager
    async def growing(self, place: Place, in_reply_to: str | None) -> AsyncIterator[Live]:
        """Shows nothing, so that a turn can be begun anew until its reply is there."""
        yield Unseen()

    async def retract(self, place: Place) -> None:
        """Nothing was shown."""

    async def notice(
        self,
        place: Place,
        text: str,
        *,
        in_reply_to: str | None = None,
        instead_of_reply: bool = False,
        choices: tuple[tuple[Choice, ...], ...] = (),
    ) -> bool:
        """Stores a notice, which is as good as told. Raises StorageError."""
        await self._shared.post(Outgoing(0, place, text, uuid4().hex[:24], in_reply_to, choices=choices))
        self._bell.ring(OUTBOX)
        return True

    async def deliver(self, outgoing: Outgoing) -> None:
        """It stands in the outbox."""
        self._bell.ring(OUTBOX)


@dataclass(kw_only=True, eq=False, repr=False)
class Dispatch:
    """A gateway's: sends what waits for one platform, place by place, as long as `run` runs.

    `holds`: the places that are its to send in. `look_s`: how often it looks when nothing rings. `most`: in how many
    places it sends at once.
    """

    platform: str
    holds: Callable[[Place], bool]
    outbox: SharedOutbox
    delivery: Delivery
    bell: Bell
    look_s: float
    most: int = 64

    def __post_init__(self) -> None:
        self._rung = self.bell.listener(OUTBOX)
        self._most = asyncio.Semaphore(self.most)
        self._sending: dict[Place, asyncio.Task[None]] = {}
        self._again: set[Place] = set()
        self._closing = False

    async def finish(self, grace_s: float = FINISH_S) -> None:
        """Begins to send nothing more, and lets what is being sent arrive: cut off, it might come twice."""
        self._closing = True
        if self._sending:
            await asyncio.wait({*self._sending.values()}, timeout=grace_s)

    async def run(self) -> None:
        """Looks and sends until cancelled."""
        try:
            while True:
                try:
                    await self._look()
                except StorageError as error:
                    _log.error("what is to be sent waits for the storage", reason=str(error))
                await self._rung.heard(self.look_s)
        finally:
            sending = [*self._sending.values()]
            for task in sending:
                task.cancel()
            await asyncio.gather(*sending, return_exceptions=True)

    async def _look(self) -> None:
        for place in filter(self.holds, await self.outbox.places(self.platform)):
            if self._closing:
                return
            if place in self._sending:
                self._again.add(place)
            elif self.delivery.reaches(place):
                # Owned by `_sending`, which the end of `run` cancels and waits for.
                self._sending[place] = asyncio.create_task(self._send(place), name=f"send in {place.key}")

    async def _send(self, place: Place) -> None:
        """Sends what waits in a place, once more if more has come meanwhile."""
        try:
            async with self._most:
                while not self._closing:
                    self._again.discard(place)
                    await self.delivery.send_left_over(place)
                    if place not in self._again:
                        return
        except StorageError as error:
            _log.error("what is to be sent in a place waits", place=place.key, reason=str(error))
        finally:
            del self._sending[place]


@dataclass(kw_only=True, eq=False, repr=False)
class WaitsElsewhere(Worker):
    """A gateway's worker of a place: another process deals with what is stored."""

    bell: Bell

    @property
    def busy(self) -> bool:
        """Whether something arrives just now."""
        return bool(self.arriving)

    @property
    def idle(self) -> bool:
        """Nobody knows here whether a reply is on its way: sessions are the other process's."""
        return False

    def add(self, utterance: Utterance, *, voluntary: bool = False) -> None:
        """Says that there is something to do."""
        self.bell.ring(INBOX)

    def mirror(self, waiting: Sequence[Utterance]) -> None:
        """Takes for waiting here what waits there, so that limits know it."""
        self._queue.clear()
        self._queue.extend(waiting)
        self._asked = sum(one.to_bot for one in waiting)


@dataclass(kw_only=True, eq=False, repr=False)
class ClaimedWorker(Worker):
    """A worker's worker of a place. When the storage fails, all that waits is claimed anew, so that order stays."""

    left: set[Place]

    def add(self, utterance: Utterance, *, voluntary: bool = False) -> None:
        """Takes an utterance in, unless what came before it was left."""
        if self.place not in self.left:
            super().add(utterance, voluntary=voluntary)

    def _leave(self) -> bool:
        self.left.add(self.place)
        self._forget(self._queue)
        self._queue.clear()
        return True


class Intake(Conversations):
    """A gateway's conversations: they end in the inbox. What people decided may have changed elsewhere."""

    async def receive(self, utterance: Utterance) -> bool:
        """Stores `utterance`. Whoever says that they are under 18 is told here that it counts."""
        self.consents.forget()
        self._modes.forget_all()
        try:
            stored = await super().receive(utterance)
        finally:
            self._tidy(utterance.place)
        place, speaker_id = utterance.place, utterance.speaker.id
        if stored and place.kind is PlaceKind.DM and self.consents.tells_minor(speaker_id):
            self._notice(self.delivery.notice(place, meeting.UNDER_18, choices=ages()), place)
        return stored

    async def take_up(self) -> int:
        """What waits is the workers'."""
        return 0

    async def _within_limits(self, utterance: Utterance, mode: ChannelMode | None) -> Utterance | None:
        worker = self._worker(utterance.place)
        if utterance.to_bot and isinstance(worker, WaitsElsewhere):
            worker.mirror(await self.inbox.pending(utterance.place))
        return await super()._within_limits(utterance, mode)

    async def _take_up_first(self, worker: Worker) -> None:
        """What waits is the workers'."""


class Claimed(Conversations):
    """A worker's conversations: in places that were claimed. `on_emptied` hears when nothing is left to do in one."""

    on_emptied: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, **others: Any) -> None:
        self._left: set[Place] = set()
        super().__init__(worker_of=partial(ClaimedWorker, left=self._left), **others)

    def was_left(self, place: Place) -> bool:
        """Whether the storage failed in a place: nothing came of what was dealt with, and it takes nothing in."""
        return place in self._left

    def begin(self, place: Place) -> None:
        """Says that a place was claimed."""
        self._left.discard(place)

    async def deal_with(self, place: Place, utterances: Sequence[Utterance]) -> None:
        """Deals with what waits in a claimed place, within its lease."""
        is_open = place.kind is PlaceKind.CHANNEL and await self._modes.of(place) is ChannelMode.OPEN
        for utterance in utterances:
            self._worker(place).add(utterance)
            if is_open and not utterance.speaker.is_agent:
                self._overhearing.heard(utterance)

    def engaged(self, place: Place) -> bool:
        """Whether anything is being dealt with in a place, or its silence is waited for."""
        return place in self._workers or self._overhearing.listens(place)

    async def give_up(self, place: Place) -> None:
        """Ends what is being done in a place: it is another process's now."""
        self._overhearing.forget_mode(place)
        if (worker := self._workers.get(place)) is not None:
            await worker.give_up()  # what waits is the other process's, too

    async def deleted(self, utterances: Iterable[Utterance]) -> None:
        """Nothing is shown here that could be taken back."""
        for utterance in utterances:
            if (worker := self._workers.get(utterance.place)) is not None:
                worker.drop({utterance.id})

    async def take_up(self) -> int:
        """Places are claimed."""
        return 0

    def forget_modes(self) -> None:
        """Says that modes may have been set elsewhere."""
        self._modes.forget_all()

    def _emptied(self, place: Place) -> None:
        super()._emptied(place)
        self.on_emptied()
