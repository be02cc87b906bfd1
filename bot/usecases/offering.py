"""The question, once, whether somebody wants check-ins, after a reply in their DM; and whether they answer one."""

from collections.abc import Awaitable, Callable

from bot.config import Settings
from bot.conversation.safety import danger_in
from bot.domain import Answer, Consent, Place, Privacy, Utterance
from bot.language.withheld import Withheld
from bot.texts import checkin as texts
from bot.usecases.calls import button, buttons
from bot.usecases.kept import Kept

SESSIONS_BEFORE = 3
"""Conversations in private that are over and remembered before it is asked."""
HEARD = 20
"""Utterances before it in which nothing may show danger."""
SETTLED = 10_000
"""People of whom is kept in mind that there is nothing to ask."""


Decided = Callable[[str], Awaitable[Privacy]]
"""Id of a speaker → what that person has decided."""


class CheckInOffer:
    """Asks adults who agreed to be remembered, and who never chose anything about check-ins.

    `withheld`: what nothing is made of, since it may be a sign of danger.
    """

    def __init__(self, *, kept: Kept, decided: Decided, withheld: Withheld, settings: Settings) -> None:
        self._kept = kept
        self._decided = decided
        self._withheld = withheld
        self._offers = settings.care.enabled and settings.care.offer
        self._settled: set[str] = set()

    async def offer(self, latest: Utterance) -> Answer | None:
        """What to ask after the reply to `latest`; None: nothing, or not now. Raises StorageError only.

        That it was asked is stored before it is: a crash may lose the question, and nobody is ever asked twice.
        """
        person = latest.speaker.id
        if not self._offers or person in self._settled or latest.place.dm_person != person:
            return None
        privacy = await self._decided(person)
        if privacy.consent is not Consent.AGREED or privacy.paused or privacy.minor:
            return None
        wishes = await self._kept.checkins.wishes(person)
        if wishes.on or wishes.offered:
            self._settle(person)
            return None
        sessions = await self._sessions(latest.place, person)
        if len(sessions) < SESSIONS_BEFORE or await self._shows_danger(latest.place):
            return None
        self._settle(person)
        await self._kept.checkins.offered(person)
        yes, no = button(texts.YES_PLEASE, "checkin on"), button(texts.NO_THANKS, "checkin off")
        return Answer(texts.OFFER, choices=buttons([yes, no], [button(texts.WHAT_IS_THAT, "checkin show")]))

    async def is_answered_by(self, said: Utterance) -> bool:
        """Whether it answers a check-in: the last thing said before it in its speaker's DM was one."""
        if said.place.dm_person != said.speaker.id:
            return False
        last = await self._kept.utterances.before(said, 1)
        sent = await self._kept.checkins.latest(1, said.speaker.id, sent=True)
        return bool(last and sent) and last[0].id == sent[0].utterance_id

    def _settle(self, person: str) -> None:
        if len(self._settled) >= SETTLED:
            self._settled.clear()
        self._settled.add(person)

    async def _sessions(self, place: Place, person: str) -> set[int]:
        """The sessions in their DM that are over and remembered."""
        events = await self._kept.events.readable_in(place)
        return {event.session_id for event in events if event.place == place and person in event.speakers}

    async def _shows_danger(self, place: Place) -> bool:
        """Whether something that they said a short while ago does."""
        said = await self._kept.utterances.recent(place, HEARD)
        return any(self._withheld(one) or danger_in(one.text) for one in said if not one.speaker.is_agent)
