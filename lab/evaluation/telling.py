"""Recorded conversations told to a core, on their own clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta

from bot.app.app import App
from bot.clock import ManualClock
from bot.domain import Utterance


async def tell(
    app: App, clock: ManualClock, said: Iterable[Utterance], on_each: Callable[[], None] = lambda: None
) -> None:
    """Says everything at its time; in the end all sessions are over and all work is done. `on_each`: after each."""
    for utterance in said:
        clock.move_to(utterance.time)
        await app.settle()
        await app.receive(utterance)
        await app.idle()
        on_each()
    clock.advance(app.settings.beta + timedelta(seconds=1))
    await app.settle()
