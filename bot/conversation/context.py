"""What a turn sees of the conversation: its session, what went before it, and what its lines reply to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.conversation.session import ShortTermMemory
from bot.domain import Session, Utterance
from bot.ports import Utterances

CARRIED_OVER = 4
"""Utterances of a session up to which the end of a full session before it is still shown to the model."""


class Context:
    """Reads and grows the conversation of a place."""

    def __init__(self, *, utterances: Utterances, short_term: ShortTermMemory) -> None:
        self._utterances = utterances
        self._short_term = short_term

    async def take_in(self, utterances: Sequence[Utterance]) -> Session:
        """Appends `utterances`, at least one and all of one place; returns the session as the model is to see it.

        One that has just begun because the one before was full has the end of that one in front.
        """
        session = await self._short_term.take_in(utterances)
        first = session.utterances[0]
        if len(session.utterances) >= CARRIED_OVER:
            return session
        lines = await self._utterances.recent(session.place, 2 * CARRIED_OVER)
        before = [line for line in lines if line.id < first.id and first.time - line.time <= self._short_term.beta]
        return replace(session, utterances=(*before, *session.utterances)) if before else session

    async def links(self, session: Session) -> Mapping[str, Utterance]:
        """What the lines of the session reply to, by the message id that they give.

        Only what was said in the same place: who may read here may not have read what stands elsewhere.
        """
        ids = {line.reply_to for line in session.utterances if line.reply_to is not None}
        if not ids:
            return {}
        here = {line.message_id: line for line in session.utterances if line.message_id in ids}
        if elsewhere := sorted(ids - here.keys()):
            found = await self._utterances.by_message(session.place.platform, elsewhere)
            here |= {message_id: line for message_id, line in found.items() if line.place == session.place}
        return here
