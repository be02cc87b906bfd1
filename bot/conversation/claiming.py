"""A worker's places: claimed where something waits and nobody is at it, renewed, and let go of when all is said.

One worker at a time speaks in a place. Whatever is written for it is written under its lease, so one that stood still
while another took over writes nothing any more (`ports.Leases.holding`). Leases are renewed beside the looks: one
that takes long, since the storage is busy, loses no place.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import structlog

from bot.conversation.elsewhere import Claimed
from bot.domain import INBOX, Lease, Place, Utterance
from bot.errors import StorageError
from bot.ports import Bell, Claims, Leases

PLACES = 32
"""In how many places one worker is at work at once. Its model takes as many as it can of them."""

AT_ONCE = 4
"""How many it claims at a time, so that several workers share what waits."""

REST = timedelta(seconds=30)
"""Before a turn that failed is tried again."""

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class Claiming:
    """Has `conversations` deal with places. `freshen` is awaited before each look: what others changed is known then.

    `look_s`: how often it looks when nothing rings.
    """

    claims: Claims
    leases: Leases
    conversations: Claimed
    bell: Bell
    freshen: Callable[[], Awaitable[None]]
    look_s: float

    def __post_init__(self) -> None:
        self._rung = self.bell.listener(INBOX)
        self._held: dict[Place, Lease] = {}
        self._given: defaultdict[Place, set[int]] = defaultdict(set)
        """What was handed over since the place was claimed."""
        self._lost: dict[Place, Lease] = {}
        """What another process has taken over, and is to be given up."""
        self._renewing = asyncio.Lock()
        """So that what is let go of is not renewed behind it."""
        self._closing = False
        self._look_again = partial(self.bell.ring, INBOX, here=True)
        self.conversations.on_emptied = self._look_again

    @property
    def places(self) -> int:
        """How many it holds."""
        return len(self._held)

    def close(self) -> None:
        """From now on it claims nothing; what it holds is renewed until all is said there."""
        self._closing = True

    async def run(self) -> None:
        """Looks until cancelled; then lets go of all."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._keep(), name="leases of places")
                group.create_task(self._look_on(), name="looks for places")
        finally:
            await self._let_go([*self._held])

    async def _keep(self) -> None:
        """Renews what it holds, however long a look takes."""
        while True:
            await asyncio.sleep(self.leases.lease_s / 4)
            try:
                async with self._renewing:
                    held = dict(self._held)
                    kept = {lease.token for lease in await self.leases.renew([*held.values()])} if held else set()
            except StorageError as error:
                _log.error("leases of places wait for the storage", reason=str(error))
                continue
            if lost := {place: lease for place, lease in held.items() if lease.token not in kept}:
                self._lost.update(lost)
                self._look_again()

    async def _look_on(self) -> None:
        while True:
            try:
                await self.freshen()
                while await self._look():
                    pass
            except StorageError as error:
                _log.error("places wait for the storage", reason=str(error))
            await self._rung.heard(min(self.look_s, self.leases.lease_s / 4))

    async def _look(self) -> bool:
        """One look; whether there may be more to claim."""
        await self._give_up_lost()
        room = 0 if self._closing else min(AT_ONCE, PLACES - len(self._held))
        claimed = await self.claims.claim(room) if room > 0 else {}
        for place in self._held.keys() & claimed.keys():
            await self._lose(place)  # its own lease had run out before it was renewed
        self._held.update(claimed)
        for place in claimed:
            self.conversations.begin(place)
        await self._attend()
        return len(claimed) == AT_ONCE

    async def _attend(self) -> None:
        """Hands over what is new in the places that are held, and lets go of those where all is said."""
        engaged = {place for place in self._held if self.conversations.engaged(place)}
        waiting: defaultdict[Place, list[Utterance]] = defaultdict(list)
        for utterance in await self.claims.waiting([*self._held]) if self._held else ():
            waiting[utterance.place].append(utterance)
        over: list[Place] = []
        for place, lease in self._held.items():
            left = waiting[place]
            was_left = self.conversations.was_left(place)
            new = [one for one in left if one.id not in self._given[place] and not was_left]
            with self.leases.holding(lease):
                if new and not self._closing:
                    await self.conversations.deal_with(place, new)
                    self._given[place].update(one.id for one in new)
                elif place not in engaged:
                    over.append(place)
                    if left and not was_left and not self._closing:  # they were dealt with, and it came to nothing
                        await self.claims.put_off([one.id for one in left], REST)
        await self._let_go(over)

    async def _give_up_lost(self) -> None:
        while self._lost:
            place, lease = self._lost.popitem()
            if self._held.get(place) == lease:  # and not claimed anew meanwhile, or let go of
                _log.warning("another process has taken over a place", place=place.key)
                await self._lose(place)

    async def _lose(self, place: Place) -> None:
        self._forget(place)
        await self.conversations.give_up(place)

    async def _let_go(self, places: list[Place]) -> None:
        if places:
            async with self._renewing:
                await self.leases.release([self._forget(place) for place in places])

    def _forget(self, place: Place) -> Lease:
        self._given.pop(place, None)
        return self._held.pop(place)
