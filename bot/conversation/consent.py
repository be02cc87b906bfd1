"""What may be read and kept of whom: what people decided, applied to what they say."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from enum import StrEnum

from bot.config import PrivacySettings
from bot.conversation.safety import says_minor
from bot.domain import Consent, PlaceKind, Privacy, Utterance
from bot.ports import Privacies

KNOWN = 10_000
"""People whose decisions are kept in mind."""


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
        self._changes = 0
        self._in_order = asyncio.Lock()

    async def of(self, speaker_id: str) -> Privacy:
        """What this person has decided."""
        known = self._known.get(speaker_id)
        if known is not None:
            return known
        changes = self._changes
        privacy = await self._privacies.of(speaker_id)
        if changes == self._changes:  # what was read before a change must not outlive it
            if len(self._known) >= KNOWN:
                self._known.clear()
            self._known[speaker_id] = privacy
        return privacy

    async def decide(self, privacy: Privacy) -> None:
        """Stores what is decided from now on."""
        await self._privacies.put(privacy)
        self.forget()

    def forget(self) -> None:
        """Says that somebody has decided something, or was linked or parted."""
        self._changes += 1
        self._known.clear()

    async def standing(self, utterance: Utterance) -> Standing:
        """What becomes of this. In a channel, what is not for the companion and not to be kept is not read at all."""
        if utterance.speaker.is_agent:
            return Standing.KEPT
        async with self._in_order:  # what arrived first is looked up first, and so stored first
            return await self._standing(utterance)

    async def _standing(self, utterance: Utterance) -> Standing:
        in_channel = utterance.place.kind is PlaceKind.CHANNEL
        if in_channel and await self._privacies.opted_out(utterance.speaker.id, utterance.place):
            return Standing.UNREAD
        privacy = await self.of(utterance.speaker.id)
        if says_minor(utterance.text):
            privacy = replace(privacy, minor=True)
        if self.keeps(privacy, in_channel=in_channel):
            return Standing.KEPT
        if in_channel and not utterance.to_bot:
            return Standing.UNREAD
        return Standing.REFUSED if privacy.paused or privacy.consent is Consent.REFUSED else Standing.OFF_RECORD

    def keeps(self, privacy: Privacy, *, in_channel: bool) -> bool:
        """Whether what this person says is kept. In a channel, that the owner opened it, and nobody refused, is enough.

        Somebody known to be under 18 is always asked.
        """
        if privacy.paused or privacy.consent is Consent.REFUSED:
            return False
        if privacy.consent is Consent.AGREED:
            return True
        return not privacy.minor and (in_channel or not self._asks)
