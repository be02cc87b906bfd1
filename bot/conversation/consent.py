"""What may be read and kept of whom: what people decided, applied to what they say."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from bot.config import PrivacySettings
from bot.conversation.safety import says_minor
from bot.domain import Consent, Place, PlaceKind, Privacy, Utterance
from bot.ports import Privacies

KNOWN = 10_000
"""People, and people in channels, whose decisions are kept in mind."""

K = TypeVar("K")
V = TypeVar("V")


class Standing(StrEnum):
    """What becomes of something that was said."""

    KEPT = "kept"
    OFF_RECORD = "off the record"
    """It is answered, and forgotten when its session ends."""
    REFUSED = "refused"
    """The same, and it stays so when its speaker agrees later."""
    UNREAD = "unread"
    """It is as if it had not been said."""


class Consents:
    """Looks decisions up, once; `forget` has them looked up anew."""

    def __init__(self, *, privacies: Privacies, settings: PrivacySettings) -> None:
        self._privacies = privacies
        self._asks = settings.consent == "ask"
        self._known: dict[str, Privacy] = {}
        self._out: dict[tuple[str, Place], bool] = {}
        """(speaker, channel) → whether they have opted out there."""
        self._untold: set[str] = set()
        """Those who said that they are under 18, and were not told yet what follows."""
        self._changes = 0
        self._in_order = asyncio.Lock()

    async def of(self, speaker_id: str) -> Privacy:
        """What this person has decided."""
        return await self._once(self._known, speaker_id, lambda: self._privacies.of(speaker_id))

    async def _once(self, known: dict[K, V], key: K, look: Callable[[], Awaitable[V]]) -> V:
        """What is known of `key`, looked up the first time."""
        if key in known:
            return known[key]
        changes = self._changes
        found = await look()
        if changes == self._changes:  # what was read before a change must not outlive it
            if len(known) >= KNOWN:
                known.clear()
            known[key] = found
        return found

    async def decide(self, privacy: Privacy) -> None:
        """Stores what is decided from now on."""
        await self._privacies.put(privacy)
        self.forget()

    def forget(self) -> None:
        """Says that somebody has decided something, or was linked or parted, or that a channel has another name."""
        self._changes += 1
        self._known.clear()
        self._out.clear()

    async def standing(self, utterance: Utterance) -> Standing:
        """What becomes of this. In a channel, what is not for the companion and not to be kept is not read at all."""
        if utterance.speaker.is_agent:
            return Standing.KEPT
        async with self._in_order:  # what arrived first is looked up first, and so stored first
            return await self._standing(utterance)

    async def _standing(self, utterance: Utterance) -> Standing:
        speaker_id, place = utterance.speaker.id, utterance.place
        in_channel = place.kind is PlaceKind.CHANNEL
        if in_channel and await self._is_out(speaker_id, place):
            return Standing.UNREAD
        privacy = await self.of(speaker_id)
        is_read = not in_channel or utterance.to_bot or self.keeps(privacy, in_channel=True)
        if is_read and not privacy.minor and says_minor(utterance.text):
            privacy = await self._now_minor(utterance)
        if self.keeps(privacy, in_channel=in_channel):
            return Standing.KEPT
        if in_channel and not utterance.to_bot:
            return Standing.UNREAD
        return Standing.REFUSED if privacy.paused or privacy.consent is Consent.REFUSED else Standing.OFF_RECORD

    async def may_quote(self, speaker_id: str, place: Place) -> bool:
        """Whether this person's words may be used for a reply when somebody else points to them."""
        if place.kind is PlaceKind.CHANNEL and await self._is_out(speaker_id, place):
            return False
        privacy = await self.of(speaker_id)
        return not privacy.paused and privacy.consent is not Consent.REFUSED

    async def _is_out(self, speaker_id: str, place: Place) -> bool:
        return await self._once(self._out, (speaker_id, place), lambda: self._privacies.opted_out(speaker_id, place))

    async def _now_minor(self, utterance: Utterance) -> Privacy:
        """Somebody said that they are under 18: it counts from this message on, everywhere, until they correct it."""
        now = await self._privacies.of(utterance.speaker.id)
        await self.decide(replace(now, minor=True, minor_since=now.minor_since or utterance.time))
        if len(self._untold) >= KNOWN:
            self._untold.clear()
        self._untold.add(utterance.speaker.id)
        return await self.of(utterance.speaker.id)

    def tells_minor(self, speaker_id: str) -> bool:
        """Whether this person is to be told, now and once, that they count as under 18."""
        if speaker_id not in self._untold:
            return False
        self._untold.discard(speaker_id)
        return True

    async def agrees(self, speaker_id: str) -> bool:
        """Whether what this person says in private is kept, but for a pause."""
        return self.keeps(replace(await self._privacies.of(speaker_id), paused=False), in_channel=False)

    def keeps(self, privacy: Privacy, *, in_channel: bool) -> bool:
        """Whether what this person says is kept. In a channel, that the owner opened it, and nobody refused, is enough.

        Somebody known to be under 18 is always asked.
        """
        if privacy.paused or privacy.consent is Consent.REFUSED:
            return False
        if privacy.consent is Consent.AGREED:
            return True
        return not privacy.minor and (in_channel or not self._asks)
