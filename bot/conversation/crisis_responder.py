"""Help for somebody in danger: asked for before the model is, and never made by one."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from bot.config import SafetySettings
from bot.conversation.consent import Consents
from bot.conversation.crisis.wording import Danger
from bot.conversation.danger_voice import DangerVoice, Heard
from bot.conversation.delivery import Delivery
from bot.conversation.safety import Sign, danger_in, may_be_danger, sign_by_rules
from bot.domain import Place, PlaceKind, Utterance
from bot.errors import StorageError
from bot.ports import Utterances
from bot.texts import correcting as texts

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Help:
    """What somebody in danger is told."""

    text: str
    """Where the danger is plain, the reply; where it is not, one line on where help is, to stand below a reply."""
    sure: bool
    in_channel: str = ""
    """What is said in a channel where `text` was sent to the person alone; empty: all of it is said there."""


HelpText = Callable[[Sign, str, str], Help]
"""(what was seen, what they wrote, their country or "") → what helps."""


PATIENCE = timedelta(minutes=1)
"""How long an opinion of the voice may take that nobody waits for."""

MAYBE = Sign(Danger.SELF, 0.0, ())
"""What only the second look has seen."""


async def help_said(aid: Help, latest: Utterance, delivery: Delivery) -> str:
    """What is said in the place: in a channel a short sentence, where the help itself has reached them alone."""
    if latest.place.kind is PlaceKind.CHANNEL and aid.in_channel:
        platform, _, person = latest.speaker.id.partition(":")
        if await delivery.notice(Place(platform, PlaceKind.DM, person), aid.text):
            return aid.in_channel
    return aid.text


def is_withheld(text: str, heard: bool | None, explained: Callable[[str], bool]) -> bool:
    """Whether these words may be a sign of danger. `heard`: whether the voice heard some, where it was asked.

    What only the second look has found is no sign where the voice heard none, nor, where it was not asked, where it is
    `explained` why it sounds dark ("we buried my uncle today").
    """
    if not may_be_danger(text):
        return False
    _, doubted = sign_by_rules(text)
    if doubted or danger_in(text) is not None:
        return True
    return not explained(text) if heard is None else heard


@dataclass(kw_only=True, eq=False, repr=False)
class CrisisResponder:
    """Says whether help is needed, and gives the text of it.

    `text_of` knows the lines of each country. `voice` is the model as a second ear, where there is one. `on_help`
    hears the id of everybody whose words plainly show danger, whether they are given a line or not. It returns at once
    and never raises: help waits for nothing. `explained`: whether grief, illness or the like of others is why a line
    sounds dark to the net.
    """

    utterances: Utterances
    consents: Consents
    settings: SafetySettings
    text_of: HelpText
    on_help: Callable[[str], None] = lambda _speaker_id: None
    voice: DangerVoice | None = None
    explained: Callable[[str], bool] = lambda _: False

    def is_needed(self, text: str) -> bool:
        """Whether these words show danger to oneself or others, plainly or not: they are never left unread."""
        return self.settings.enabled and danger_in(text) is not None

    def withholds(self, said: Utterance) -> bool:
        """Whether nothing is to be derived from what was said. Ordinary talk among it costs a memory, no more."""
        return self._may_be_needed(said.text, said.heard_danger)

    def _may_be_needed(self, text: str, heard: bool | None = None) -> bool:
        return self.settings.enabled and is_withheld(text, heard, self.explained)

    def surely_withholds(self, said: Utterance) -> bool:
        """Whether what was said shows danger plainly."""
        return self.settings.enabled and (sign := danger_in(said.text)) is not None and sign.sure

    async def help_for(self, speaker_id: str, text: str) -> Help | None:
        """What helps with what this person said just now; None when nothing of it shows danger."""
        return await self._help_with(speaker_id, [(danger_in(text), text)]) if self.settings.enabled else None

    async def listen(self, said: Sequence[Utterance]) -> Help | None:
        """What helps with what one person said just now, the plainest of it; None when nothing of it shows danger.

        Where there is doubt, the voice is asked too, for as long as a reply may wait; what it heard is kept.
        """
        if not self.settings.enabled:
            return None
        texts = [one.text for one in said]
        found = await self.voice.listen(texts) if self.voice is not None else [Heard(danger_in(one)) for one in texts]
        signs = [(one.sign, text) for one, text in zip(reversed(found), reversed(texts), strict=True)]
        aid = await self._help_with(said[-1].speaker.id, signs)
        try:
            await self._keep(said, found)
        except StorageError as error:  # help waits for nothing
            _log.warning("what the voice heard is not kept", reason=type(error).__name__)
        return aid

    async def hear(self, said: Utterance) -> Utterance:
        """The same, with what the voice hears in it: for what nobody answered, or had the time to ask about.

        For background work: it may take longer.
        """
        asks = said.heard_danger is None and not said.speaker.is_agent and self.settings.enabled
        if self.voice is None or not asks or not await asyncio.to_thread(self._depends_on_voice, said.text):
            return said
        kept = await self._keep([said], await self.voice.listen([said.text], PATIENCE))
        return kept[0] if kept else said

    def _depends_on_voice(self, text: str) -> bool:
        """Whether it is for the voice to say that something may be made of these words."""
        return self._may_be_needed(text, True) != self._may_be_needed(text, False)

    async def _keep(self, said: Sequence[Utterance], found: Sequence[Heard]) -> list[Utterance]:
        """Stores what the voice heard; those of which it was asked, with that."""
        heard = [
            replace(one, heard_danger=what.danger)
            for one, what in zip(said, found, strict=True)
            if what.danger is not None
        ]
        if heard:
            await self.utterances.keep_heard(heard)
        return heard

    async def _help_with(self, speaker_id: str, found: Iterable[tuple[Sign | None, str]]) -> Help | None:
        """Help with the first sure one of these signs, or else the first."""
        signs = [(sign, text) for sign, text in found if sign is not None]
        if not signs:
            return None
        sign, text = next((one for one in signs if one[0].sure), signs[0])
        if sign.sure:
            self.on_help(speaker_id)
        return self.text_of(sign, text, await self._country_of(speaker_id))

    async def instead_of_keeping(self, speaker_id: str, text: str) -> str | None:
        """What is answered to words that somebody wants kept of themselves; None when they may be kept.

        Nothing is made of what may be a sign of danger, also when it is told with a command.
        """
        aid = await self.help_for(speaker_id, text)
        if aid is not None and aid.sure:
            return aid.text
        if aid is None:
            if not self._may_be_needed(text):
                return None
            aid = self.text_of(MAYBE, text, await self._country_of(speaker_id))
        return f"{texts.NOT_KEPT}\n\n{aid.text}"

    async def _country_of(self, speaker_id: str) -> str:
        return (await self.consents.of(speaker_id)).country or self.settings.country

    def heed(self, said: Iterable[Utterance]) -> None:
        """Lets `on_help` know whose words show danger, of what is not answered: said to others, or edited later.

        Only what is plain: the rest is ordinary talk as often as not, and people talk much in channels.
        """
        for speaker_id in dict.fromkeys(one.speaker.id for one in said if self.surely_withholds(one)):
            self.on_help(speaker_id)
