"""Help for somebody in danger: asked for before the model is, and never made by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bot.config import SafetySettings
from bot.conversation.consent import Consents
from bot.conversation.safety import Sign, danger_in, sign_by_rules
from bot.domain import Utterance

HelpText = Callable[[Sign, str, str], str]
"""(what was seen, what they wrote, their country or "") → the text that helps."""


def told_nobody(_speaker_id: str) -> None:
    """The `on_help` that does nothing."""


class FirstAid:
    """Says whether help is needed, and gives the text of it.

    `text_of` knows the lines of each country. `on_help` hears the id of everybody whose words show danger, whether they
    are given a line or not. It returns at once and never raises: help waits for nothing.
    """

    def __init__(
        self,
        *,
        consents: Consents,
        settings: SafetySettings,
        text_of: HelpText,
        on_help: Callable[[str], None] = told_nobody,
    ) -> None:
        self._consents = consents
        self._settings = settings
        self._text_of = text_of
        self._on_help = on_help

    def is_needed(self, text: str) -> bool:
        """Whether these words show danger to oneself or others."""
        return self._settings.enabled and danger_in(text) is not None

    def is_plainly_needed(self, text: str) -> bool:
        """Whether a rule says so. What the net alone has heard is ordinary talk as often as not."""
        return self._settings.enabled and sign_by_rules(text)[0] is not None

    async def help_for(self, speaker_id: str, said: Sequence[str]) -> str | None:
        """The text for what this person said just now; None when nothing of it shows danger."""
        if not self._settings.enabled:
            return None
        for text in reversed(said):
            sign = danger_in(text)
            if sign is not None:
                country = (await self._consents.of(speaker_id)).country or self._settings.country
                self._on_help(speaker_id)
                return self._text_of(sign, text, country)
        return None

    def heed(self, said: Iterable[Utterance]) -> None:
        """Lets `on_help` know whose words show danger, of what is not answered: said to others, or edited later.

        As a rule finds it: what the net alone hears is ordinary talk as often as not, and people talk much in channels.
        """
        for speaker_id in dict.fromkeys(one.speaker.id for one in said if self.is_plainly_needed(one.text)):
            self._on_help(speaker_id)
