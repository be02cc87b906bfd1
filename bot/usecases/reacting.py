"""Reactions as answers to the companion's messages, in the terms of what the same person could say or press.

Under a check-in they are its buttons; under a question that has buttons, its yes and its no; under a reply, words of
the person, said to it: consent, a channel's mode and the limits hold for these as for all that is said.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bot.conversation.checking.language import guessed_language
from bot.domain import Answer, Call, Place, Quotation, Reaction, Sign, Utterance
from bot.texts import reacting as texts
from bot.texts.translating import ENGLISH, speaking
from bot.usecases.kept import Kept
from bot.usecases.pointing import Method

CHECKINS = 20
"""The person's last check-ins, among which the one that has the sign is looked for."""
LATELY = 10
"""Utterances among which those are looked for that tell somebody's language."""

_ANSWERS = {
    Sign.YES: (Call("privacy consent", (("answer", "yes"),)), Call("checkin on")),
    Sign.NO: (Call("privacy consent", (("answer", "no"),)), Call("checkin off")),
    Sign.STOP: (Call("privacy consent", (("answer", "no"),)), Call("checkin off")),
}
"""What a sign may press of the buttons under it. Nothing that erases is among them."""
_OF_CHECKIN = {Sign.NO: "checkin less", Sign.AGAIN: "checkin snooze", Sign.STOP: "checkin off"}


@dataclass(kw_only=True, eq=False, repr=False)
class Reacting:
    """Does what a reaction stands for. `run` does a command, `receive` takes in what is said.

    `hush` gives up the reply that is thought of in a place, where that speaker asked for it.
    """

    kept: Kept
    agent_name: str
    run: Method
    receive: Callable[[Utterance], Awaitable[bool]]
    hush: Callable[[Place, str], bool]

    async def react(self, reaction: Reaction) -> Answer | None:
        """What is to be shown to the one who reacted; None: nothing, or a reply will come. Raises StorageError only."""
        with speaking(await self._language(reaction)):
            return await self._react(reaction)

    async def _language(self, reaction: Reaction) -> str:
        """What they spoke there lately: a platform does not tell a reaction's language."""
        said = await self.kept.utterances.recent(reaction.asker.place, LATELY)
        own = [one.text for one in said if one.speaker.id == reaction.asker.speaker.id]
        return guessed_language("\n".join(own))

    async def _react(self, reaction: Reaction) -> Answer | None:
        asker, sign = reaction.asker, reaction.sign
        pressed = next((call for call in _ANSWERS.get(sign, ()) if call in reaction.offered), None)
        if pressed is not None:
            return await self.run(pressed, asker)
        if sign is Sign.STOP and await self._grows(reaction):
            self.hush(asker.place, asker.speaker.id)
            return None
        found = await self.kept.utterances.by_message(asker.place.platform, [reaction.message_id])
        said = found.get(reaction.message_id)
        if said is None or not said.speaker.is_agent:
            return None
        if reaction.topic_untold:
            reaction = replace(reaction, asker=replace(asker, place=said.place, place_name=""))
        elif said.place != asker.place:
            return None
        if await self._is_checkin(said, asker.speaker.id):
            return await self._to_checkin(reaction)
        if sign is Sign.AGAIN or (sign is not Sign.STOP and await self._is_open_question(said)):
            await self.receive(self._as_words(said, reaction))
        return None

    async def _grows(self, reaction: Reaction) -> bool:
        growing = await self.kept.outbox.unfinished(reaction.asker.place)
        return any(one.message_id == reaction.message_id for one in growing)

    async def _is_checkin(self, said: Utterance, person: str) -> bool:
        if said.place.dm_person != person:
            return False
        sent = await self.kept.checkins.latest(CHECKINS, person, sent=True)
        return any(one.utterance_id == said.id for one in sent)

    async def _to_checkin(self, reaction: Reaction) -> Answer | None:
        """A yes counts as an answer: the next one does not come later for want of one."""
        command = _OF_CHECKIN.get(reaction.sign)
        if command is not None:
            return await self.run(Call(command), reaction.asker)
        await self.kept.checkins.answered(reaction.asker.speaker.id, reaction.time)
        return None

    async def _is_open_question(self, said: Utterance) -> bool:
        """Whether a message asks something, and nothing was said after it."""
        if not said.text.rstrip().endswith(("?", "？")):
            return False
        last = await self.kept.utterances.recent(said.place, 1)
        return bool(last) and last[-1].id == said.id

    def _as_words(self, said: Utterance, reaction: Reaction) -> Utterance:
        """The sign as the person's words, in the language of what it is put under."""
        asker = reaction.asker
        meant = texts.WORDS.get(guessed_language(said.text), texts.WORDS[ENGLISH])
        return Utterance(
            place=asker.place,
            message_id=reaction.as_message,
            speaker=asker.speaker,
            text=meant[reaction.sign],
            time=reaction.time,
            reply_to=reaction.message_id,
            place_name=asker.place_name,
            off_record=reaction.sign is Sign.AGAIN,
            quoting=Quotation(self.agent_name, said.text, said.speaker.id),
        )
