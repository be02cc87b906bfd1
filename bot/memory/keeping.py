"""What goes by itself: what is older than its person wants, servers that were left, people and places that are gone."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog

from bot.config import PrivacySettings
from bot.domain import ErasureReason, Place, Scope, Selection
from bot.memory.eraser import Eraser
from bot.ports import Channels, Clock, Confirmations, Privacies, Sessions

AT_ONCE = 2000
"""Utterances of one person that one erasure takes."""

UNANSWERED = timedelta(days=2)
"""How long what is off the record may wait for its answer."""

EVERY = timedelta(hours=1)
"""Between looks for what has become too old."""

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class Keeping:
    """Serves what `Core` is told of servers, places and people, and what time brings."""

    channels: Channels
    privacies: Privacies
    sessions: Sessions
    confirmations: Confirmations
    eraser: Eraser
    clock: Clock
    settings: PrivacySettings
    _looked: datetime | None = field(init=False, default=None)

    async def left(self, platform: str, server: str) -> None:
        """Records that it was removed from this server, if that is news."""
        if server in await self.channels.servers(platform):
            await self.channels.left(platform, server, self.clock.now())

    async def place_deleted(self, place: Place) -> None:
        """Erases a channel with its threads: it was deleted with all that was said there."""
        keys = [one.key for one in await self.channels.with_threads(place)]
        await self.eraser.erase(Selection(places=tuple(keys)), ErasureReason.DELETED)

    async def moved(self, old: Place, new: Place) -> list[tuple[Scope, tuple[int, ...]]]:
        """Has all that is kept of a channel go by its new name. Returns the vectors that must be expunged."""
        return await self.channels.move(old, new, self.clock.now())

    async def gone(self, speaker_id: str) -> None:
        """Erases a person whom the platform reports as deleted; on another platform they may still be there."""
        await self.eraser.erase(Selection(people=(speaker_id,)), ErasureReason.GONE)

    async def look(self) -> None:
        """Erases what was said off the record and is over.

        Once an hour also what its person wants kept no longer, servers that were left long enough ago, and what people
        were asked and did not answer in time.
        """
        now = self.clock.now()
        # What no job has taken: it may wait for a place that is not reached, or for tomorrow's tokens.
        if left := await self.sessions.off_record_left(now - UNANSWERED):
            await self.eraser.erase(Selection(utterances=tuple(left)), ErasureReason.OFF_RECORD)
        if self._looked is not None and abs(now - self._looked) < EVERY:
            return
        self._looked = now
        await self.confirmations.tidy(now)
        for privacy in await self.privacies.with_retention():
            if privacy.keep_days is not None:
                await self._erase_older(privacy.speaker_id, now - timedelta(days=privacy.keep_days))
            if privacy.minor and privacy.minor_since is not None:
                before = now - timedelta(days=self.settings.minor_keep_days)
                await self._erase_older(privacy.speaker_id, before, privacy.minor_since)
        grace = timedelta(days=self.settings.server_grace_days)
        for platform, server, places in await self.channels.left_before(now - grace):
            _log.info("a server that was left is erased", platform=platform, places=len(places))
            await self.eraser.erase(Selection(places=tuple(place.key for place in places)), ErasureReason.LEFT)
            await self.channels.forget_server(platform, server)

    async def _erase_older(self, speaker_id: str, before: datetime, since: datetime | None = None) -> None:
        """Erases what this person said in [`since`, `before`); what one erasure leaves is taken by the next."""
        while ids := await self.privacies.said_before(speaker_id, before, AT_ONCE, since):
            await self.eraser.erase(Selection(utterances=tuple(ids)), ErasureReason.RETENTION)
