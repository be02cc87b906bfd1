"""From the outbox to a platform: each reply once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext

import structlog

from bot.domain import Outgoing, Place
from bot.errors import DeliveryFailed
from bot.ports import Messenger, Outbox

PAUSES_S = (1.0, 4.0, 15.0)
"""Seconds between attempts to send. After the last one the reply waits in the outbox for the next start."""

_log = structlog.get_logger(__name__)


class Delivery:
    """Sends what the outbox holds through the messenger of its platform."""

    def __init__(
        self, *, outbox: Outbox, messengers: Mapping[str, Messenger], pauses_s: tuple[float, ...] = PAUSES_S
    ) -> None:
        self._outbox = outbox
        self._messengers = messengers
        self._pauses_s = pauses_s

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Shows in `place` that a reply is being thought of."""
        messenger = self._messengers.get(place.platform)
        return messenger.typing(place) if messenger is not None else nullcontext()

    async def show(self, place: Place, text: str) -> None:
        """Shows in `place` the reply as far as it is known."""
        messenger = self._messengers.get(place.platform)
        if messenger is not None:
            await messenger.show(place, text)

    async def deliver(self, outgoing: Outgoing) -> None:
        """Sends one reply. One whose platform is not running stays in the outbox."""
        messenger = self._messengers.get(outgoing.place.platform)
        if messenger is None:
            return
        for pause in (*self._pauses_s, None):
            await self._outbox.sending(outgoing.id)
            try:
                message_id = await messenger.send(outgoing)
            except DeliveryFailed as failure:
                if not failure.retry:
                    _log.warning("the platform refused a reply", outgoing=outgoing.id, reason=str(failure))
                    await self._outbox.failed(outgoing.id, type(failure).__name__)
                    return
                _log.warning("a reply could not be sent", outgoing=outgoing.id, reason=str(failure))
            else:
                await self._outbox.sent(outgoing.id, message_id)
                return
            if pause is not None:
                await asyncio.sleep(pause)

    async def deliver_left_over(self) -> int:
        """Sends what an earlier run left unsent, oldest first; returns how many there were."""
        left = await self._outbox.undelivered()
        for outgoing in left:
            await self.deliver(outgoing)
        return len(left)
