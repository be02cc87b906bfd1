"""A platform that takes every reply and shows nothing: for replays and benchmarks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Literal

from bot.conversation.delivery import Unseen
from bot.domain import LastPart, Outgoing, Place
from bot.errors import DeliveryFailed
from bot.ports import Growing, Live
from bot.texts.sending import MAY_HAVE_ARRIVED


class SilentMessenger:
    """A Messenger that reaches every place and shows nothing anywhere."""

    resends: Literal[True] = True

    def reaches(self, place: Place) -> bool:
        """Everything is taken."""
        return True

    def live(self, growing: Growing) -> AbstractAsyncContextManager[Live]:
        """Nothing to show."""
        return nullcontext(Unseen())

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        """Takes the reply. Raises DeliveryFailed for a check-in that may have been taken before."""
        if outgoing.checkin_id and outgoing.uncertain and not outgoing.parts:
            raise DeliveryFailed(MAY_HAVE_ARRIVED, retry=False, code="uncertain")
        yield LastPart(outgoing.nonce)

    async def retract(self, place: Place, message_id: str) -> None:
        """Nothing was shown."""
