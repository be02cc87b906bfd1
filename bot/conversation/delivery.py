"""From the outbox to a platform: each reply once."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import uuid4

import structlog

from bot.domain import Outgoing, Place
from bot.errors import DeliveryFailed
from bot.ports import Growing, Live, Messenger, Outbox

PAUSES_S = (1.0, 4.0, 15.0)
"""Seconds between attempts to send, at least. After the last one the reply waits in the outbox for the next look."""

_log = structlog.get_logger(__name__)


class Unseen:
    """The `Live` of a place where nothing is shown."""

    seen = False

    def show(self, text: str) -> None:
        """Nothing to show."""


class Delivery:
    """Sends what the outbox holds through the messenger of its platform."""

    def __init__(
        self, *, outbox: Outbox, messengers: Mapping[str, Messenger], pauses_s: tuple[float, ...] = PAUSES_S
    ) -> None:
        self._outbox = outbox
        self._messengers = messengers
        self._pauses_s = pauses_s
        self._under_way: set[int] = set()

    def reaches(self, place: Place) -> bool:
        """Whether something can be shown in `place` now."""
        return self._messenger(place) is not None

    @asynccontextmanager
    async def growing(self, place: Place, in_reply_to: str | None) -> AsyncIterator[Live]:
        """Shows in `place`, while the context is open, that a reply is thought of, and the reply as it grows.

        A message in which it is shown is recorded, so that the final reply takes its place, after a crash too.
        """
        messenger = self._messenger(place)
        if messenger is None:
            yield Unseen()
            return

        async def created(message_id: str) -> None:
            await self._outbox.draft(place, message_id)

        growing = Growing(place, in_reply_to, await self._outbox.drafts(place), created)
        async with messenger.live(growing) as live:
            yield live

    async def retract(self, place: Place) -> None:
        """Takes back the message that shows a growing reply in `place`, if there is one: the reply will not come."""
        messenger = self._messenger(place)
        draft = await self._outbox.drafts(place) if messenger is not None else None
        if messenger is not None and draft is not None:
            await messenger.retract(place, draft)
            await self._outbox.draft(place, None)

    async def notice(
        self, place: Place, text: str, *, in_reply_to: str | None = None, instead_of_reply: bool = False
    ) -> None:
        """Tells `place` something that is no reply and is not kept, such as that an answer failed.

        `instead_of_reply`: no reply will come, so that a message that shows a growing one becomes the notice.
        """
        messenger = self._messenger(place)
        if messenger is None:
            return
        draft = await self._outbox.drafts(place) if instead_of_reply else None
        notice = Outgoing(0, place, text, nonce=uuid4().hex[:24], in_reply_to=in_reply_to, draft=draft)
        try:
            async for _ in messenger.send(notice):
                if draft is not None:
                    await self._outbox.draft(place, None)
                    draft = None
        except DeliveryFailed as failure:
            _log.warning("a notice could not be sent", code=failure.code, reason=str(failure))

    async def deliver(self, outgoing: Outgoing) -> None:
        """Sends one reply. One whose place cannot be reached now stays in the outbox."""
        messenger = self._messenger(outgoing.place)
        if messenger is None or outgoing.id in self._under_way:
            return
        self._under_way.add(outgoing.id)
        try:
            await self._attempts(messenger, outgoing)
        finally:
            self._under_way.discard(outgoing.id)

    async def deliver_left_over(self) -> int:
        """Sends what is unsent and can be reached; returns how many replies were unsent.

        Oldest first within a place; places do not wait for each other.
        """
        left = [outgoing for outgoing in await self._outbox.undelivered() if outgoing.id not in self._under_way]
        places: defaultdict[Place, list[Outgoing]] = defaultdict(list)
        for outgoing in left:
            places[outgoing.place].append(outgoing)
        try:
            async with asyncio.TaskGroup() as group:
                for place, unsent in places.items():
                    group.create_task(self._in_order(unsent), name=f"unsent in {place.key}")
        except ExceptionGroup as raised:
            raise raised.exceptions[0] from None
        return len(left)

    async def _in_order(self, unsent: list[Outgoing]) -> None:
        for outgoing in unsent:
            await self.deliver(outgoing)

    async def _attempts(self, messenger: Messenger, outgoing: Outgoing) -> None:
        """Sends the parts that have not arrived, again after a pause where that may help."""
        for pause in (*self._pauses_s, None):
            await self._outbox.sending(outgoing.id)
            try:
                async for part in messenger.send(outgoing):
                    await self._outbox.part_sent(outgoing.id, part)
                    outgoing = replace(outgoing, parts=(*outgoing.parts, part), uncertain=False)
            except DeliveryFailed as failure:
                outgoing = replace(outgoing, uncertain=outgoing.uncertain or failure.uncertain)
                if not await self._to_be_tried_again(outgoing, failure):
                    return
                if pause is not None:
                    await asyncio.sleep(max(pause, failure.after_s))
            else:
                await self._outbox.sent(outgoing.id)
                return

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
            await self._outbox.failed(outgoing.id, failure.code)
            if outgoing.draft is not None and not outgoing.parts:
                await self.retract(outgoing.place)
        elif not outgoing.uncertain:
            await self._outbox.put_back(outgoing.id)
        return failure.retry

    def _messenger(self, place: Place) -> Messenger | None:
        """The messenger that reaches `place` now."""
        messenger = self._messengers.get(place.platform)
        return messenger if messenger is not None and messenger.reaches(place) else None
