"""When the next check-in of a person may come, by the rules and by what is stored."""

from dataclasses import replace
from datetime import datetime, timedelta

from bot.care.policy import WEEK_DAYS, is_farewell_due, next_due, why_not
from bot.config import Settings
from bot.conversation.consent import Consents
from bot.domain import CareWishes, Circumstances, Privacy, Why
from bot.ports import CheckIns, Clock

MOST_TRIES = 3
"""How often a plan is made anew when the person has chosen something else meanwhile."""


class Planner:
    """Plans check-ins, and says what stands in their way."""

    def __init__(self, *, checkins: CheckIns, consents: Consents, clock: Clock, settings: Settings) -> None:
        self._checkins = checkins
        self._consents = consents
        self._clock = clock
        self._rules = settings.care

    @property
    def usual(self) -> timedelta:
        """How far ahead the next one is at most, for somebody who chose no longer interval and no pause."""
        rules = self._rules
        return timedelta(days=max(2 * rules.every_days, 2 * WEEK_DAYS, rules.after_help_days) + 1)

    async def circumstances(self, speaker_id: str, now: datetime, privacy: Privacy | None = None) -> Circumstances:
        """What decides whether this person may be written to now, with what they agreed to.

        `privacy`: what they decided, where it has just been read.
        """
        found = await self._checkins.circumstances(speaker_id, now)
        privacy = privacy or await self._consents.of(speaker_id)
        return replace(found, agreed=self._consents.keeps(privacy, in_channel=False), minor=privacy.minor)

    async def plan_anew(self, speaker_id: str) -> datetime | None:
        """Plans the next check-in of this person by what they have chosen and what has happened; None: none comes.

        To be called after every choice of theirs. Raises StorageError.
        """
        for _ in range(MOST_TRIES):
            wishes = await self._checkins.wishes(speaker_id)
            next_at = await self.planned(wishes)
            if wishes.next_at == next_at or await self._checkins.plan(wishes, next_at):
                return next_at
        return (await self._checkins.wishes(speaker_id)).next_at

    async def planned(self, wishes: CareWishes, privacy: Privacy | None = None) -> datetime | None:
        """When the next one comes to somebody who wishes this, by what has happened; None: none comes."""
        if not wishes.on or wishes.place is None:
            return None
        now = self._clock.now()
        return self.next(now, wishes, await self.circumstances(wishes.speaker_id, now, privacy))

    async def explain(self, wishes: CareWishes, now: datetime, until: datetime) -> list[tuple[datetime, Why | None]]:
        """What the rules would say at each of the person's times until then, if nobody said anything meanwhile.

        None: a check-in would be sent, if there is something to say. Nothing is written, and no model is asked.
        """
        seen = await self.circumstances(wishes.speaker_id, now)
        free = replace(wishes, on=True, paused_until=None, every_days=1)
        loose = self._rules.model_copy(update={"enabled": True, "per_week": 7, "minor_per_week": 7})
        told: list[tuple[datetime, Why | None]] = []
        moment = next_due(now, free, Circumstances(), loose, _key(wishes))
        while moment is not None and moment <= until:
            why = why_not(moment, wishes, seen, self._rules)
            told.append((moment, why))
            if why is None:
                if is_farewell_due(seen, self._rules):
                    break
                seen = replace(seen, sent=(*seen.sent, moment)[-10:], unanswered=seen.unanswered + 1)
            moment = next_due(moment, free, Circumstances(), loose, _key(wishes))
        return told or [(now, why_not(now, wishes, seen, self._rules))]

    def next(self, after: datetime, wishes: CareWishes, seen: Circumstances) -> datetime | None:
        """The first moment after that one at which one may come; None: none does."""
        return next_due(after, wishes, seen, self._rules, _key(wishes))


def _key(wishes: CareWishes) -> str:
    """What the person's jitter follows from: the same for all their identities."""
    return wishes.place.key if wishes.place is not None else wishes.speaker_id
