"""From the outbox to a platform: each reply once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from uuid import uuid4

import structlog

from bot.domain import Outgoing, Place
from bot.errors import DeliveryFailed
from bot.ports import Messenger, Outbox

PAUSES_S = (1.0, 4.0, 15.0)
"""Seconds between attempts to send. After the last one the reply waits in the outbox for the next look."""

_log = structlog.get_logger(__name__)


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
        messenger = self._messengers.get(place.platform)
        return messenger is not None and messenger.reaches(place)

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Shows in `place` that a reply is being thought of."""
        messenger = self._messengers.get(place.platform)
        return messenger.typing(place) if messenger is not None else nullcontext()

    async def show(self, place: Place, text: str) -> None:
        """Shows in `place` the reply as far as it is known."""
        messenger = self._messengers.get(place.platform)
        if messenger is not None:
            await messenger.show(place, text)

    async def notice(self, place: Place, text: str) -> None:
        """Tells `place` something that is no reply and is not kept, such as that an answer failed."""
        messenger = self._messengers.get(place.platform)
        if messenger is None or not messenger.reaches(place):
            return
        try:
            await messenger.send(Outgoing(0, place, text, nonce=uuid4().hex[:24]))
        except DeliveryFailed as failure:
            _log.warning("a notice could not be sent", reason=str(failure))

    async def deliver(self, outgoing: Outgoing) -> None:
        """Sends one reply. One whose place cannot be reached now stays in the outbox."""
        messenger = self._messengers.get(outgoing.place.platform)
        if messenger is None or not messenger.reaches(outgoing.place) or outgoing.id in self._under_way:
            return
        self._under_way.add(outgoing.id)
        try:
            await self._attempts(messenger, outgoing)
        finally:
            self._under_way.discard(outgoing.id)

    async def _attempts(self, messenger: Messenger, outgoing: Outgoing) -> None:
        for pause in (*self._pauses_s, None):
            await self._outbox.sending(outgoing.id)
            try:
                message_id = await messenger.send(outgoing)
            except DeliveryFailed as failure:
                _log.warning(
                    "a reply could not be sent", outgoing=outgoing.id, retry=failure.retry, reason=str(failure)
                )
                if not failure.retry:
                    await self._outbox.failed(outgoing.id, type(failure).__name__)
                    return
                outgoing = replace(outgoing, uncertain=outgoing.uncertain or failure.uncertain)
                if not outgoing.uncertain:
                    await self._outbox.put_back(outgoing.id)
            else:
                await self._outbox.sent(outgoing.id, message_id)
                return
            if pause is not None:
                await asyncio.sleep(pause)

    async def deliver_left_over(self) -> int:
        """Sends what is unsent and can be reached, oldest first; returns how many replies were unsent."""
        left = [outgoing for outgoing in await self._outbox.undelivered() if outgoing.id not in self._under_way]
        for outgoing in left:
            await self.deliver(outgoing)
        return len(left)
