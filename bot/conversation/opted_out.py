"""What somebody hears who has opted out and speaks to the companion: that it does not read them, and where help is."""

from datetime import datetime, timedelta

from bot.conversation.crisis_responder import CrisisResponder, help_said
from bot.conversation.delivery import Delivery
from bot.domain import Place, Utterance
from bot.ports import Clock
from bot.texts import meeting

TOLD_AGAIN = timedelta(hours=1)
"""Before somebody who has opted out is told again that they are not read."""


class OptedOut:
    """Tells people once an hour in each place, and whenever they need help. Nothing of what they say is stored."""

    def __init__(self, *, delivery: Delivery, crisis_responder: CrisisResponder, clock: Clock) -> None:
        self._delivery = delivery
        self._crisis_responder = crisis_responder
        self._clock = clock
        self._told: dict[tuple[Place, str], datetime] = {}
        """Who was told, and when."""

    def are_to_be_told(self, utterance: Utterance) -> bool:
        """Whether its speaker is to be told now; they count as told then."""
        now, asked = self._clock.now(), (utterance.place, utterance.speaker.id)
        self._told = {told: at for told, at in self._told.items() if now - at < TOLD_AGAIN}
        needed = self._crisis_responder.is_needed(utterance.text)
        if not utterance.to_bot or (asked in self._told and not needed):
            return False
        self._told[asked] = now
        return True

    async def tell(self, utterance: Utterance) -> None:
        """Tells its speaker; of somebody surely in danger, help alone."""
        aid = await self._crisis_responder.help_for(utterance.speaker.id, utterance.text)
        text = meeting.OPTED_OUT
        if aid is not None:
            text = await help_said(aid, utterance, self._delivery) if aid.sure else f"{text}\n\n{aid.text}"
        await self._delivery.notice(utterance.place, text, in_reply_to=utterance.message_id)
