"""A platform that takes every reply and shows nothing: for replays and benchmarks."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext

from bot.domain import Outgoing, Place


class SilentMessenger:
    """A Messenger that reaches every place and shows nothing anywhere."""

    def reaches(self, place: Place) -> bool:
        """Everything is taken."""
        return True

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Nothing to show."""
        return nullcontext()

    async def show(self, place: Place, text: str) -> None:
        """Nothing to show."""

    async def send(self, outgoing: Outgoing) -> str:
        """Takes the reply."""
        return outgoing.nonce
