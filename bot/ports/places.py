"""What is kept of places, platforms and days. A method that writes is one transaction: all or nothing."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Protocol

from bot.domain import ChannelMode, DayTokens, Place, Scope


class Channels(Protocol):
    """What was chosen for a channel."""

    async def mode(self, place: Place) -> ChannelMode | None:
        """The mode that was set for exactly this channel or thread; None: none was."""

    async def set_mode(self, place: Place, mode: ChannelMode, by: str) -> None:
        """Sets the mode; `by` is the id of the speaker who did."""

    async def modes(self) -> dict[Place, ChannelMode]:
        """All channels and threads for which a mode was set."""

    async def shares(self, place: Place) -> bool:
        """Whether, on this channel's server, what everybody there can read may be used in all its channels."""

    async def set_sharing(self, place: Place, by: str, *, on: bool) -> None:
        """Switches that for the whole server; `by` is the id of the speaker who did."""

    async def set_public(self, places: Mapping[Place, bool]) -> None:
        """Records for channels whether everybody on their server can read them. Unknown ones are made known."""

    async def left(self, platform: str, server: str, at: datetime | None) -> None:
        """Records that the companion was removed from a server at that time; None: that it is there."""

    async def left_before(self, before: datetime) -> list[tuple[str, str, list[Place]]]:
        """The servers that it was removed from before then, as (platform, server, all their places)."""

    async def servers(self, platform: str) -> list[str]:
        """The servers on which it is as far as is known: it was told so, or something is kept from there."""

    async def everywhere(self) -> dict[tuple[str, str], list[Place]]:
        """(platform, server) of all servers on which it is, as `servers` → the channels and threads known there."""

    async def with_threads(self, place: Place) -> list[Place]:
        """This channel and the known threads of it."""

    async def move(self, old: Place, new: Place, at: datetime) -> list[tuple[Scope, tuple[int, ...]]]:
        """Has a channel, with its threads, and its server go by other ids: what was chosen and said there goes along.

        Returns where vectors still lie under the old name: they must be expunged, and all are made anew. The old
        server counts as left at that time. Raises ValueError for a DM.
        """

    async def forget_server(self, platform: str, server: str) -> None:
        """Drops what was chosen for a server, when nothing else of it is left."""


class Usage(Protocol):
    """Model tokens of replies, a day and a subject (a speaker's id, or `platform:server`)."""

    async def spent(self, day: date, subjects: Sequence[str]) -> dict[str, int]:
        """Subject → its sum of `day`. `Outbox.commit` adds to it."""

    async def of_day(self, day: date) -> DayTokens:
        """What `day` has used so far. A server counts as one once any of its channels is known."""
