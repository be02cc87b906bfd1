"""Discord's shards: which server belongs to which, and who may identify when.

Discord deals servers out to as many connections as their bot says it has ("shards"). What belongs to no server, such as
DMs, comes to the first. How often connections may begin is limited for all processes together.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal

import discord
import structlog

from adapters.discord.messenger import FAULTS, DiscordMessenger
from adapters.discord.reading import PLATFORM
from bot.domain import Outgoing, Place, PlaceKind
from bot.errors import StorageError
from bot.ports import Growing, Leases, Live

APART_S = 5.5
"""Seconds from one IDENTIFY to the next of the same bucket: Discord wants five."""

PATIENCE_S = 45.0
"""Seconds that a connection waits for its turn: discord.py gives up on it after sixty."""

LOOK_S = 0.25
"""Seconds between looks whether it is its turn."""

LONGEST_S = 3600.0
"""Seconds after which it is asked again whether connections may begin."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Shard:
    """One of Discord's connections."""

    id: int
    count: int
    """How many there are in all."""

    @property
    def name(self) -> str:
        """Such as "2/16"; empty where there is only one."""
        return f"{self.id}/{self.count}" if self.count > 1 else ""

    @property
    def seen_as(self) -> str:
        """What the core notes of this connection how far it has seen everything."""
        return f"{PLATFORM} {self.name}".rstrip()

    @property
    def is_first(self) -> bool:
        """Whether what belongs to no server comes here: DMs, and what is done once for the application."""
        return self.id == 0

    def has_server(self, server: int | str) -> bool:
        """Whether Discord tells this shard what happens on a server."""
        return (int(server) >> 22) % self.count == self.id

    def holds(self, place: Place) -> bool:
        """Whether Discord tells this shard what is said in a place."""
        if place.kind is PlaceKind.DM:
            return self.is_first
        return self.has_server(place.ref.partition("/")[0])


ONLY = Shard(0, 1)
"""Discord without shards."""


class NoTurn(discord.ClientException):
    """It is not this connection's turn to begin, and will not be within `after_s` seconds."""

    def __init__(self, after_s: float) -> None:
        super().__init__("not this connection's turn")
        self.after_s = after_s


class IdentifyTurns:
    """Who of all processes may identify: in each of Discord's buckets one at a time, and none when a day's are used up.

    A turn is a lease that nobody renews after the IDENTIFY: it runs out by itself. How many connections may still begin
    today only Discord knows; it is asked within the turn, and as many are left alone as there are buckets, since that
    many processes may ask at the same time.
    """

    def __init__(self, leases: Leases, *, apart_s: float = APART_S, patience_s: float = PATIENCE_S) -> None:
        self._leases = leases
        self._apart_s = apart_s
        self._patience_s = patience_s
        self._buckets = 1
        """Discord's `max_concurrency`; 1 until it was asked, which is always allowed."""

    async def take(self, client: discord.Client, shard: int) -> None:
        """Returns when this shard may identify, right now. Raises NoTurn."""
        try:
            async with asyncio.timeout(self._patience_s):
                while not await self._taken(client, shard):
                    pass
        except TimeoutError:
            raise NoTurn(0.0) from None
        except (StorageError, discord.GatewayNotFound, *FAULTS) as fault:
            _log.warning("a connection to Discord waits", shard=shard, fault=type(fault).__name__)
            raise NoTurn(self._apart_s) from fault

    async def _taken(self, client: discord.Client, shard: int) -> bool:
        """Whether the turn is this shard's now; False where the buckets are others than was known."""
        buckets = self._buckets
        name = [f"identify {PLATFORM} {shard % buckets}"]
        while not (turn := await self._leases.claim(name, lasts_s=self._apart_s)):  # noqa: ASYNC110  another process
            await asyncio.sleep(LOOK_S)
        _, _, limit = await client.http.get_bot_gateway()
        self._buckets = max(1, limit["max_concurrency"])
        if limit["remaining"] < self._buckets:
            await self._leases.release(turn)
            after_s = min(limit["reset_after"] / 1000, LONGEST_S)
            _log.error("Discord lets no more connections begin for now", shard=shard, seconds=round(after_s))
            raise NoTurn(after_s)
        if self._buckets != buckets:
            await self._leases.release(turn)
            return False
        return bool(await self._leases.renew(turn, lasts_s=self._apart_s))


class ShardMessenger:
    """Implements `bot.ports.Messenger` for several shards, those that are connected here: each sends for its places.

    What waits in the outbox is sent by whoever serves its place. A notice to a person in private, which comes of
    something on a server, goes through any connection that is there.
    """

    resends: Literal[True] = True

    def __init__(self, by_shard: Sequence[tuple[Shard, DiscordMessenger]]) -> None:
        self._by_shard = by_shard

    def reaches(self, place: Place) -> bool:
        """Whether any shard is connected here, and the place is one of Discord's."""
        return place.platform == PLATFORM and self._of(place).reaches(place)

    def live(self, growing: Growing) -> AbstractAsyncContextManager[Live]:
        """As the shard's own."""
        return self._of(growing.place).live(growing)

    def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        """As the shard's own."""
        return self._of(outgoing.place).send(outgoing)

    async def retract(self, place: Place, message_id: str) -> None:
        """As the shard's own."""
        await self._of(place).retract(place, message_id)

    def _of(self, place: Place) -> DiscordMessenger:
        """That of the shard that holds the place, else one that is connected, else none that is."""
        connected = [(shard, messenger) for shard, messenger in self._by_shard if messenger.reaches(place)]
        for shard, messenger in connected:
            if shard.holds(place):
                return messenger
        return (connected or [*self._by_shard])[0][1]
