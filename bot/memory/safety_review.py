"""What was stored before the look for signs of danger existed goes through that look, once.

Nothing is derived from what the look withholds (`bot/conversation/safety.py`). What was derived from such lines before
goes from here on: traits, events with their places on timelines, guessed personality types and check-ins that were not
sent yet. What people said stays, and jobs derive anew what the rest of a session says. It is done in the background
after a start, and by a later process from where an earlier one was ended.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import structlog

from bot.domain import Utterance
from bot.errors import StorageError
from bot.language.withheld import Withheld
from bot.memory.eraser import Eraser
from bot.ports import Clock, SafetyReviews

BATCH = 500
"""Utterances that one transaction is about."""

AT_ONCE = 32
"""Utterances that are looked at without a pause: some 30 ms of one processor."""

PAUSE_S = 0.05
"""Seconds after that, which belong to the conversations."""

RETRY_S = 60.0
"""Seconds before another try after an error."""

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class SafetyReview:
    """Reviews what was stored before.

    `look` gives the version of the look; None: nobody looks for danger, and all is reviewed anew once somebody does.
    `withheld`: the look, what nothing is derived from. Both are called in a thread.
    """

    reviews: SafetyReviews
    eraser: Eraser
    clock: Clock
    look: Callable[[], str] | None
    withheld: Withheld
    _left: bool | None = field(init=False, default=None)
    """Whether something is left to review; None: nobody has asked yet."""

    async def begin(self) -> None:
        """Notes what is to be reviewed: all that is stored before the first start with this look. Raises StorageError.

        Call it before anything is derived, and before anything is sent: check-ins that wait are reviewed at once.
        """
        if self.look is None:
            await self.reviews.forget()
            self._left = False
        else:
            self._left = await self.reviews.begin(await asyncio.to_thread(self.look))
        if self._left and (behind := await self.reviews.behind_unsent()):
            await self._take_out(0, await self._withheld_among(behind))

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to review."""
        return self._left is False

    def done_before(self, work: Callable[[], Awaitable[object]]) -> Callable[[], Awaitable[None]]:
        """`work`, which does nothing while something is left to review."""

        async def works() -> None:
            if self.is_done:
                await work()

        return works

    async def run(self) -> None:
        """Reviews until nothing is left; an error of the storage is waited for."""
        done = False
        while not done:
            try:
                await self.catch_up()
                done = True
            except StorageError as error:
                _log.error("the review for signs of danger waits for the storage", reason=str(error))
                await asyncio.sleep(RETRY_S)

    async def catch_up(self) -> None:
        """Reviews all that is left. Raises StorageError."""
        if self._left is None:
            await self.begin()
        if not self._left:
            return
        number = taken = 0
        while lines := await self.reviews.unreviewed(BATCH):
            number += len(lines)
            withheld = await self._withheld_among(lines)
            taken += len(withheld)
            await self._take_out(lines[-1].id, withheld)
        await self.reviews.end()
        self._left = False
        _log.info("what was stored before was reviewed for signs of danger", utterances=number, withheld=taken)

    async def _take_out(self, until: int, withheld: Sequence[int]) -> None:
        with self.eraser.erasing():
            erased = await self.reviews.reviewed(until, withheld, self.clock.now())
            if erased.erasure_id:
                await self.eraser.follow(erased)

    async def _withheld_among(self, lines: Sequence[Utterance]) -> list[int]:
        found: list[int] = []
        for start in range(0, len(lines), AT_ONCE):
            found += await asyncio.to_thread(self._withheld_of, lines[start : start + AT_ONCE])
            await asyncio.sleep(PAUSE_S)
        return found

    def _withheld_of(self, lines: Sequence[Utterance]) -> list[int]:
        return [line.id for line in lines if self.withheld(line)]
