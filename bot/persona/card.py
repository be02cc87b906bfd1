"""The companion's own character, as its owner wrote it."""

from dataclasses import dataclass

from bot.config import Agent


@dataclass(frozen=True, slots=True)
class Card:
    """Name, one phrase of description, fixed first-person traits, and how to answer."""

    name: str
    description: str
    traits: tuple[str, ...]
    language: str
    max_words: int


def card_of(settings: Agent) -> Card:
    """The card that the settings describe."""
    return Card(settings.name, settings.card, settings.traits, settings.language, settings.max_words)
