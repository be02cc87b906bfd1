"""Waits for silence in open channels, and then looks whether the companion should join in."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import structlog

from bot.config import ChannelSettings
from bot.conversation.joining import score
from bot.conversation.modes import Modes
from bot.domain import ChannelMode, Place, Utterance
from bot.errors import StorageError
from bot.ports import Clock, Utterances

LINES = 100
"""How far back a channel is looked at."""

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class Overhearing:
    """One timer for each open channel in which somebody has spoken; each new message begins it anew.

    `quiet` waits until nothing is being dealt with in a place; `join` has the companion answer an utterance unasked.
    """

    utterances: Utterances
    settings: ChannelSettings
    clock: Clock
    modes: Modes
    quiet: Callable[[Place], Awaitable[None]]
    join: Callable[[Utterance], None]
    _timers: dict[Place, asyncio.Task[None]] = field(init=False, default_factory=dict)
    _looking: set[asyncio.Task[None]] = field(init=False, default_factory=set)

    def heard(self, utterance: Utterance) -> None:
        """Begins the silence of its channel anew."""
        place = utterance.place
        self._end(place)
        # Owned by its entry in `_timers`, which the next message of the place and `aclose` end; then by `_looking`.
        timer = asyncio.get_running_loop().create_task(self._wait(utterance), name=f"silence in {place.key}")
        self._timers[place] = timer

    def listens(self, place: Place) -> bool:
        """Whether the silence of a channel is waited for."""
        return place in self._timers

    def forget_mode(self, place: Place) -> None:
        """Ends the silence of `place` and of its threads: its mode was set. The next message begins it anew."""
        for waiting in [waiting for waiting in self._timers if place in {waiting, waiting.parent}]:
            self._end(waiting)

    async def aclose(self) -> None:
        """Ends all timers."""
        tasks = [*self._timers.values(), *self._looking]
        for place in list(self._timers):
            self._end(place)
        await asyncio.gather(*tasks, return_exceptions=True)

    def _end(self, place: Place) -> None:
        timer = self._timers.pop(place, None)
        if timer is not None:
            timer.cancel()

    async def _wait(self, heard: Utterance) -> None:
        await asyncio.sleep(self.settings.open_silence_s)
        await self.quiet(heard.place)
        looking = self._timers.pop(heard.place)
        self._looking.add(looking)
        looking.add_done_callback(self._looking.discard)
        try:
            await self._look(heard)
        except StorageError as error:
            _log.error("a channel could not be looked at", reason=str(error))

    async def _look(self, heard: Utterance) -> None:
        """Decides. What is said meanwhile has begun a new timer, and this look is for nothing.

        So it is when the channel is not open any more.
        """
        lines = await self.utterances.recent(heard.place, LINES)
        last = lines[-1] if lines else heard
        decision = score(lines, self.settings, self.clock.now(), to_other=heard.to_other and last.id == heard.id)
        _log.debug("joining in", place=heard.place.key, score=decision.score, reason=decision.reason)
        still_open = await self.modes.of(heard.place) is ChannelMode.OPEN
        if still_open and heard.place not in self._timers and decision.joins(self.settings.open_score):
            self.join(last)
