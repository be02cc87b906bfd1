"""What several processes over one database need. A process that is alone has none of it."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Protocol

from bot.domain import Lease, Outgoing, Place, Utterance
from bot.ports.messages import Outbox


class Leases(Protocol):
    """Who does what. The time that counts is the database's. All raise StorageError."""

    @property
    def lease_s(self) -> float:
        """Seconds that a lease lasts which is not renewed."""

    async def claim(self, names: Sequence[str], *, lasts_s: float | None = None) -> list[Lease]:
        """Leases of those of these that nobody has; each has a higher token than any before.

        `lasts_s`: how long they last, if not `lease_s`.
        """

    async def claim_part(self, whole: str, parts: Sequence[str], held: Collection[str]) -> Lease | None:
        """A lease of the first of `parts` that nobody has, and that is not among those `held` here.

        The parts are named like `whole`, or begin with it and a space. None: there is no such part, or somebody has
        divided the whole in another way and still holds a part of it, or somebody asks at this very moment.
        """

    async def renew(self, leases: Sequence[Lease], *, lasts_s: float | None = None) -> list[Lease]:
        """Those of them that nobody has taken over. They last from now on."""

    async def release(self, leases: Sequence[Lease]) -> None:
        """Ends leases; one that somebody has taken over stays theirs."""

    def holding(self, lease: Lease) -> AbstractContextManager[None]:
        """What is written within, and in tasks that are started within, is refused once the lease was taken over.

        That is looked at in the transaction that writes, and is a LeaseLost.
        """


class Claims(Protocol):
    """Places where something waits to be dealt with, leased to one process at a time. All raise StorageError."""

    async def claim(self, most: int) -> dict[Place, Lease]:
        """At most so many places where something waits and that nobody has, those that wait longest first."""

    async def waiting(self, places: Sequence[Place]) -> list[Utterance]:
        """What is to be dealt with now in these places, oldest first."""

    async def put_off(self, ids: Sequence[int], pause: timedelta) -> None:
        """Has what waits be left alone for a while: it could not be answered."""


class SharedOutbox(Outbox, Protocol):
    """An outbox in which notices wait, too: their ids are negative."""

    async def post(self, notice: Outgoing) -> None:
        """Stores a notice, to be sent after what waits now and before what comes later."""

    async def places(self, platform: str) -> list[Place]:
        """The places of a platform where something waits to be sent."""


class Listener(Protocol):
    """One who listens to a bell."""

    async def heard(self, seconds: float) -> None:
        """Returns when it rings, has rung since the last time, or so many seconds have passed."""


class Bell(Protocol):
    """Says across processes that there may be something to do. Polling is the truth: a ring may be lost."""

    async def run(self) -> None:
        """Rings and hears until cancelled. Never raises for the server's faults."""

    def ring(self, topic: str, *, here: bool = False) -> None:
        """Wakes all who listen for `topic`, here alone or in all processes. Returns at once."""

    def listener(self, topic: str) -> Listener:
        """One who listens for `topic`, from now on. Each loop has its own: what one has heard the others hear, too."""
