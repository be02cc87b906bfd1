"""What a picture of a timeline shows, in words. Pure: nothing here knows how it is drawn."""

from dataclasses import dataclass
from enum import StrEnum

from bot.domain import Relation


class Standing(StrEnum):
    """Whether what an event says is known to be so still (THEANINE, the relation Changed)."""

    PLAIN = "plain"
    BEFORE = "before"
    """It changed to something newer."""
    NOW = "now"
    """Something older changed to it, and nothing newer followed."""


@dataclass(frozen=True, slots=True)
class Note:
    """What connects a card with an older event, told from the newer one: "because of e3"."""

    relation: Relation
    words: str
    older: int | None = None
    """Which of the cards the older event is, counted from 0; None: it is not in the picture."""


@dataclass(frozen=True, slots=True)
class Card:
    """One event. Cards are in order of time, the oldest first."""

    code: str
    """Its name in commands, such as "e3"."""
    date: str
    words: str
    gap: str = ""
    """How long after the card above it was, in words."""
    standing: Standing = Standing.PLAIN
    tag: str = ""
    """The word for its standing; empty for a plain one."""
    notes: tuple[Note, ...] = ()
    colour: int = 0
    """The number of its topic's colour, among `bot.drawing.looks.Look.topics`; 0: of all topics without one."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture of at least one card."""

    title: str
    subtitle: str
    cards: tuple[Card, ...]
    look: str
    """A name among `bot.drawing.looks.LOOKS`."""
    legend: tuple[tuple[int, str], ...]
    """(colour, topic): what the colours stand for."""
    unreadable: str
    """What stands on a card of whose words most cannot be drawn."""
