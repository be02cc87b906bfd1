"""From the outbox to a platform: each reply once."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from uuid import uuid4
from weakref import WeakValueDictionary

import structlog

from bot.domain import Choice, Draft, LastPart, Outgoing, Place
from bot.errors import DeliveryFailed, StorageAway, StorageError
from bot.ports import Growing, Live, Messenger, Outbox, Resending

PAUSES_S = (1.0, 4.0, 15.0)
"""Seconds between attempts to send, where the platform does not say how long to wait.

After the last one the reply waits in the outbox for the next look.
"""

NOTED_S = (0.2, 0.5, 1.0, 2.0, 4.0)
"""Seconds between attempts to record what has arrived, where the database is away: else it would be sent again."""

LONG_S = 60.0
"""Seconds that a platform may want to be left alone and be waited for. For more, the reply waits in the outbox."""

MOST_PLACES = 10_000
"""Places of which it is kept in mind that no draft is recorded there."""

Ready = Callable[[Outgoing], Awaitable[Outgoing | None]]
"""A check-in → as it is to be sent now, with its buttons; None: it is not sent, and is settled."""

_log = structlog.get_logger(__name__)


Settled = Callable[[Outgoing], Awaitable[None]]
"""Hears of each check-in that was sent or refused for good."""


async def as_it_is(outgoing: Outgoing) -> Outgoing:
    """Sends check-ins without looking whether it is too late for them."""
    return outgoing


async def unheard(_outgoing: Outgoing) -> None:
    """The `settled` that does nothing."""


class Unseen:
    """The `Live` of a place where nothing is shown."""

    seen = False

    def show(self, text: str) -> None:
        """Nothing to show."""


@dataclass(kw_only=True, eq=False, repr=False)
class Delivery:
    """Sends what the outbox holds through the messenger of its platform: within a place one by one, oldest first.

    `now_s` is a clock in seconds that is never set back. `ready` is asked of a check-in right before each attempt:
    unlike a reply, nobody waits for it, so it is rather not sent than sent at the wrong moment. `settled` hears what
    has become of it.
    """

    outbox: Outbox
    messengers: Mapping[str, Messenger]
    pauses_s: tuple[float, ...] = PAUSES_S
    now_s: Callable[[], float] = time.monotonic
    ready: Ready = as_it_is
    settled: Settled = unheard

    def __post_init__(self) -> None:
        self._locks: WeakValueDictionary[Place, asyncio.Lock] = WeakValueDictionary()
        self._not_before_s: dict[Place, float] = {}
        self._undrawn: set[Place] = set()
        """Places of which it is known that no draft is recorded there."""
        self._growing: dict[Place, str] = {}  # the message that shows the latest try at a reply, until it is settled

    def reaches(self, place: Place) -> bool:
        """Whether something can be shown in `place` now."""
        return self._messenger(place) is not None

    def sends_at_once(self, place: Place) -> bool:
        """Whether a reply that is stored now is sent right away, and nothing is lost should nobody know whether it was.

        Not where something is being sent, or the platform wants to be left alone.
        """
        resends = isinstance(self._messenger(place), Resending)
        return resends and not self._lock(place).locked() and not self._left_alone(place)

    @asynccontextmanager
    async def growing(self, place: Place, in_reply_to: str | None) -> AsyncIterator[Live]:
        """Shows in `place`, while the context is open, that a reply is thought of, and the reply as it grows.

        A message in which it is shown is recorded, so that the final reply takes its place, after a crash too. What an
        unfinished try at the same reply has shown is used again, though more was said since (another `in_reply_to`).
        """
        messenger = self._messenger(place)
        if messenger is None:
            yield Unseen()
            return

        async def created(message_id: str) -> None:
            self._growing[place] = message_id
            self._undrawn.discard(place)
            await self.outbox.draft(place, in_reply_to, message_id)

        growing = Growing(place, in_reply_to, await self._take_over(place, in_reply_to), created)
        async with messenger.live(growing) as live:
            yield live

    async def retract(self, place: Place) -> None:
        """Takes back the message that shows a growing reply in `place`, if there is one: the reply will not come.

        One whose reply is still to come stays: what it answers waits in the inbox, or the reply is in the outbox.
        """
        shown = self._growing.pop(place, None)
        for draft in await self.outbox.unfinished(place):
            if draft.message_id == shown or not draft.asked:
                await self._take_back(draft)

    async def retract_forgotten(self) -> None:
        """Takes back, where that can be done now, every message that shows a reply which nobody is to make or send."""
        for draft in await self.outbox.unfinished():
            if not draft.asked and self._growing.get(draft.place) != draft.message_id:
                await self._take_back(draft)

    async def notice(
        self,
        place: Place,
        text: str,
        *,
        in_reply_to: str | None = None,
        instead_of_reply: bool = False,
        choices: tuple[tuple[Choice, ...], ...] = (),
    ) -> bool:
        """Tells `place` something that is no reply and is not kept, such as that an answer failed.

        `instead_of_reply`: no reply will come, so that a message that shows a growing one becomes the notice. Returns
        whether it has arrived.
        """
        messenger = self._messenger(place)
        if messenger is None:
            return False
        draft = await self._take_over(place, in_reply_to) if instead_of_reply else None
        notice = Outgoing(0, place, text, uuid4().hex[:24], in_reply_to, draft=draft, choices=choices)
        try:
            async for _ in messenger.send(notice):
                if draft is not None:
                    await self.outbox.draft(place, in_reply_to, None)
                    draft = None
        except DeliveryFailed as failure:
            _log.warning("a notice could not be sent", code=failure.code, reason=str(failure))
            return False
        finally:
            if instead_of_reply:
                self._growing.pop(place, None)
        return True

    async def deliver(self, outgoing: Outgoing) -> None:
        """Sends one reply, after those that its place did not get before.

        It stays in the outbox when its place cannot be reached now, or did not get an earlier one. Nothing may be
        growing in its place, unless it is a check-in: to that, what grows there is another message.
        """
        place = outgoing.place
        if outgoing.checkin_id:
            async with self._lock(place):
                await self._send_unsent(place)
            return
        alone = outgoing.alone and self._growing.get(place, outgoing.draft) == outgoing.draft
        if not alone and place in self._growing:
            await self._take_over(place, outgoing.in_reply_to)  # what it answers may have changed since
        self._growing.pop(place, None)
        messenger = self._messenger(place)
        if messenger is None:
            return
        lock = self._lock(place)
        alone = alone and not lock.locked() and not self._left_alone(place)
        async with lock:
            if not alone:
                await self._send_unsent(place)
            else:
                await self._settled(messenger, outgoing)
        if place not in self._undrawn:
            await self.retract(place)

    async def deliver_left_over(self) -> int:
        """Sends what is unsent and can be reached; returns how many replies were unsent, where none was being sent.

        Oldest first within a place; places do not wait for each other. Raises StorageError.
        """
        left = Counter(outgoing.place for outgoing in await self.outbox.undelivered())
        free = [place for place in left if not self._lock(place).locked()]
        try:
            async with asyncio.TaskGroup() as group:
                for place in free:
                    group.create_task(self.send_left_over(place), name=f"unsent in {place.key}")
        except ExceptionGroup as raised:
            raise raised.exceptions[0] from None
        return sum(left[place] for place in free)

    async def send_left_over(self, place: Place) -> None:
        """Sends what is unsent in a place, after what is being sent there. Raises StorageError."""
        try:
            async with self._lock(place):
                await self._send_unsent(place)
        except StorageError:
            raise
        except Exception:  # noqa: BLE001  # edge: one place's sends; the others and the program go on, and it is retried
            _log.exception("unsent replies of a place could not be sent", place=place.key)

    def _lock(self, place: Place) -> asyncio.Lock:
        """Held while something is sent in `place`. It is there as long as somebody has it."""
        return self._locks.setdefault(place, asyncio.Lock())

    async def _send_unsent(self, place: Place) -> None:
        """Sends what is unsent in `place`, oldest first, until one cannot be sent. The caller holds the lock."""
        for outgoing in await self.outbox.undelivered(place):
            messenger = self._messenger(place)
            if messenger is None or self._left_alone(place):
                return
            ready = await self._made_ready(outgoing)
            if ready is None:
                continue
            if not await self._settled(messenger, ready):
                return
            if ready.checkin_id:
                await self.settled(ready)

    async def _made_ready(self, outgoing: Outgoing) -> Outgoing | None:
        """What is to be sent as it is to be sent now; None: nothing, and it is settled."""
        return await self.ready(outgoing) if outgoing.checkin_id else outgoing

    def _left_alone(self, place: Place) -> bool:
        """Whether the platform wants no sends to `place` yet."""
        if self._not_before_s.get(place, 0.0) > self.now_s():
            return True
        self._not_before_s.pop(place, None)
        return False

    async def _settled(self, messenger: Messenger, outgoing: Outgoing) -> bool:
        """Sends the parts that have not arrived, again after a pause where that may help; False: not all arrived yet.

        What the platform refuses for good is settled. Lines of the log meanwhile, the messenger's too, have the number
        of the message that is answered.
        """
        with structlog.contextvars.bound_contextvars(turn=outgoing.answers):
            settled = await self._tried(messenger, outgoing)
            _log.info("a reply was sent or refused for good" if settled else "a reply waits", outgoing=outgoing.id)
        return settled

    async def _tried(self, messenger: Messenger, outgoing: Outgoing) -> bool:
        for pause in (*self.pauses_s, None):
            await self.outbox.sending(outgoing.id)
            try:
                async for part in messenger.send(outgoing):
                    if not await self._recorded(outgoing.id, part):
                        return True
                    outgoing = replace(outgoing, parts=(*outgoing.parts, part), uncertain=False)
            except DeliveryFailed as failure:
                outgoing = replace(outgoing, uncertain=not failure.absent and (outgoing.uncertain or failure.uncertain))
                if not await self._to_be_tried_again(outgoing, failure):
                    return True
                if pause is None or failure.after_s > LONG_S:
                    self._not_before_s[outgoing.place] = self.now_s() + failure.after_s
                    return False
                await asyncio.sleep(failure.after_s or pause)
                wanted = await self._as_wanted(outgoing)
                if wanted is None:
                    return True
                outgoing = wanted
            else:
                await self.outbox.sent(outgoing.id)
                if outgoing.alone:  # the only draft of its place went with the first part
                    if len(self._undrawn) >= MOST_PLACES:
                        self._undrawn.clear()
                    self._undrawn.add(outgoing.place)
                return True
        return False

    async def _recorded(self, outgoing_id: int, part: str) -> bool:
        """Records that a part has arrived, as soon as the database is there. Raises StorageError."""
        last = isinstance(part, LastPart)
        for pause in NOTED_S:
            try:
                return await self.outbox.part_sent(outgoing_id, part, last=last)
            except StorageAway:
                await asyncio.sleep(pause)
        return await self.outbox.part_sent(outgoing_id, part, last=last)

    async def _as_wanted(self, outgoing: Outgoing) -> Outgoing | None:
        """A reply as it is still to be sent; None: it was erased meanwhile, or it is too late for a check-in."""
        if all(one.id != outgoing.id for one in await self.outbox.undelivered(outgoing.place)):
            return None
        return outgoing if outgoing.parts else await self._made_ready(outgoing)

    async def _to_be_tried_again(self, outgoing: Outgoing, failure: DeliveryFailed) -> bool:
        """Records that an attempt failed; False when the platform refused the reply for good."""
        _log.warning(
            "a reply could not be sent",
            outgoing=outgoing.id,
            retry=failure.retry,
            code=failure.code,
            reason=str(failure),
        )
        if not failure.retry:
            await self.outbox.failed(outgoing.id, failure.code)
            if outgoing.draft is not None and not outgoing.parts:
                await self._take_back(Draft(outgoing.place, outgoing.in_reply_to, outgoing.draft, asked=False))
        elif not outgoing.uncertain:
            await self.outbox.put_back(outgoing.id)
        return failure.retry

    async def _take_over(self, place: Place, in_reply_to: str | None) -> str | None:
        """The message that shows an unfinished try at this reply, which is the reply's own from now on."""
        if place in self._undrawn:
            return None
        shown = self._growing.get(place)
        drafts = await self.outbox.unfinished(place)
        for draft in drafts:
            if draft.message_id == shown and draft.in_reply_to != in_reply_to:
                await self.outbox.draft(place, in_reply_to, shown)
                return shown
        draft_of_before = await self.outbox.drafts(place, in_reply_to)
        if draft_of_before is not None:
            self._growing[place] = draft_of_before
        return draft_of_before

    async def _take_back(self, draft: Draft) -> None:
        """Takes a draft from the screen, if its place can be reached."""
        messenger = self._messenger(draft.place)
        if messenger is not None:
            await messenger.retract(draft.place, draft.message_id)
            await self.outbox.draft(draft.place, draft.in_reply_to, None)

    def _messenger(self, place: Place) -> Messenger | None:
        """The messenger that reaches `place` now."""
        messenger = self.messengers.get(place.platform)
        return messenger if messenger is not None and messenger.reaches(place) else None
