"""What is said beside the conversation: who it is, what was wished to be forgotten, that it is a machine.

None of it is a reply, and none of it is kept.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.config import Settings
from bot.conversation.checking.language import guessed_language
from bot.conversation.consent import Consents
from bot.conversation.delivery import Delivery
from bot.domain import Answer, Call, Choice, Consent, Place, PlaceKind, Session, Utterance
from bot.language.speakers import plain_name
from bot.ports import Clock
from bot.texts import meeting as texts
from bot.texts.translating import speaking

LONG_TALKS = 1000
"""Places whose conversations are timed at once."""

_POLICY = Call("privacy policy")
_YES, _NO = (Call("privacy consent", (("answer", answer),)) for answer in ("yes", "no"))
_MINOR, _ADULT = (Call("privacy age", (("age", age),)) for age in ("minor", "adult"))

Buttons = tuple[tuple[Choice, ...], ...]

Wish = Callable[[Utterance], Awaitable[Answer | None]]
"""What to say to somebody who asks, in ordinary words, for something that a command does; None: they do not."""

Offer = Callable[[Utterance], Awaitable[Answer | None]]
"""What to ask somebody after the reply to what they said; None: nothing. It is given once, so it has to be put."""


async def no_offer(_utterance: Utterance) -> Answer | None:
    """Nothing is offered to anybody."""
    return None


def asked() -> Buttons:
    """Yes, no, and more of it."""
    return (Choice(texts.YES, _YES), Choice(texts.NO, _NO)), (Choice(texts.MORE, _POLICY),)


def told() -> Buttons:
    """Where it is kept unless somebody says no."""
    return ((Choice(texts.RATHER_NOT, _NO), Choice(texts.MORE, _POLICY)),)


def ages() -> Buttons:
    """Whether somebody is under 18."""
    return ((Choice(texts.IS_MINOR, _MINOR), Choice(texts.NOT_A_MINOR, _ADULT)),)


@dataclass(slots=True)
class _Talk:
    """A conversation that is timed."""

    began: datetime
    last: datetime


@dataclass(kw_only=True, eq=False, repr=False)
class Notices:
    """Speaks before, instead of, or after a reply.

    `wish` answers what is a command in other words; `offer` is asked for what may be offered.
    """

    consents: Consents
    delivery: Delivery
    clock: Clock
    settings: Settings
    wish: Wish
    offer: Offer = no_offer
    _talks: dict[Place, _Talk] = field(init=False, default_factory=dict)

    async def before(self, utterances: Sequence[Utterance], session: Session) -> None:
        """At first contact in a DM: who it is, and whether it may remember.

        Whoever said that they are under 18, here or in a channel, is told that it counts and how to correct it.
        """
        latest = utterances[-1]
        if latest.speaker.is_agent or latest.place.kind is not PlaceKind.DM:
            return
        with speaking(guessed_language(latest.text)):
            await self._before(utterances, latest, session)

    async def _before(self, utterances: Sequence[Utterance], latest: Utterance, session: Session) -> None:
        privacy = await self.consents.of(latest.speaker.id)
        if self.consents.tells_minor(latest.speaker.id) and privacy.minor:
            await self._tell(latest, texts.UNDER_18, ages())
        if not self.settings.privacy.introduce:
            return
        if privacy.consent is Consent.UNASKED:
            kept = self.consents.keeps(replace(privacy, consent=Consent.TOLD), in_channel=False)
            if await self._tell(latest, self._introduction(kept=kept), told() if kept else asked()):
                await self._told(latest.speaker.id)
            return
        begins = len(session.utterances) == len(utterances)
        keeps = self.consents.keeps(privacy, in_channel=False)
        if begins and privacy.consent is Consent.TOLD and not privacy.paused and not keeps:
            await self._tell(latest, texts.NOT_ANSWERED, asked())

    async def instead(self, utterances: Sequence[Utterance]) -> bool:
        """Whether something was asked for that a command does; then that is the answer."""
        for utterance in utterances:
            with speaking(guessed_language(utterance.text)):
                answer = await self.wish(utterance)
            if answer is not None:
                await self.delivery.notice(
                    utterance.place,
                    answer.text,
                    in_reply_to=utterance.message_id,
                    instead_of_reply=True,
                    choices=answer.choices,
                )
                return True
        return False

    async def after(self, latest: Utterance) -> None:
        """After a reply in a DM: a word on what it is, when the conversation has been going on for long; else an offer.

        Whoever has been reminded is offered nothing on top of it.
        """
        if latest.place.kind is not PlaceKind.DM or await self._reminded(latest):
            return
        with speaking(guessed_language(latest.text)):
            offer = await self.offer(latest)
        if offer is not None:
            await self.delivery.notice(latest.place, offer.text, choices=offer.choices)

    async def _reminded(self, latest: Utterance) -> bool:
        """Whether it was time to say what it is."""
        reminder = timedelta(minutes=self.settings.safety.reminder_minutes)
        if not reminder:
            return False
        talk = self._talk(latest.place)
        minor = (await self.consents.of(latest.speaker.id)).minor
        if talk.last - talk.began >= (reminder / 2 if minor else reminder):
            talk.began = talk.last
            with speaking(guessed_language(latest.text)):
                await self._tell(latest, texts.REMINDER)
            return True
        return False

    def _talk(self, place: Place) -> _Talk:
        """The conversation of this place, which goes on now."""
        now = self.clock.now()
        talk = self._talks.pop(place, None)
        if talk is None or now - talk.last > self.settings.beta:
            talk = _Talk(now, now)
        talk.last = now
        self._talks[place] = talk
        while len(self._talks) > LONG_TALKS:
            del self._talks[next(iter(self._talks))]
        return talk

    async def _told(self, speaker_id: str) -> None:
        """Records that somebody was told, unless they have answered already: the buttons are there before this."""
        self.consents.forget()
        now = await self.consents.of(speaker_id)
        if now.consent is Consent.UNASKED:
            await self.consents.decide(replace(now, consent=Consent.TOLD))

    def _introduction(self, *, kept: bool) -> str:
        model = texts.LOCAL if self.settings.model.is_at_home else texts.REMOTE
        body = (texts.IMPLIED if kept else texts.ASK).format(model=model)
        return f"{texts.HELLO.format(name=plain_name(self.settings.agent.name))}\n\n{body}\n\n{texts.LOOK_AND_ERASE}"

    async def _tell(self, latest: Utterance, text: str, choices: tuple[tuple[Choice, ...], ...] = ()) -> bool:
        return await self.delivery.notice(latest.place, text, choices=choices)
