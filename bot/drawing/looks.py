"""The colours of pictures. Every text has a contrast of at least 4.5 to 1 with what is under it (WCAG 2, AA)."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain import Relation


@dataclass(frozen=True, slots=True)
class Look:
    """Colours as "#rrggbb". What is over (`before`) is dimmed; a word says so, too."""

    background: str
    card: str
    border: str
    text: str
    muted: str
    """Of dates and of the words between cards."""
    before_card: str
    before_text: str
    line: str
    """Of the line of time."""
    accent: str
    """Of the word for what is so now, which stands on it in the card's colour."""
    topics: tuple[str, ...]
    """Of the dots and of the edges of cards, by topic; the first is of all topics that have no colour of their own. The
    page in the browser has the same. At least 3 to 1 with what is under them."""
    relations: Mapping[Relation, str]


DARK = Look(
    background="#16181d",
    card="#262a33",
    border="#3b414e",
    text="#f3f4f6",
    muted="#b3b9c5",
    before_card="#1d2027",
    before_text="#9aa1ae",
    line="#4a5160",
    accent="#7ee0a1",
    topics=("#aab2bf", "#6fbaff", "#ffb454", "#7ee0a1", "#f7a1d8", "#c6adff", "#ff9189"),
    relations={
        Relation.CHANGED: "#ffb454",
        Relation.CAUSE: "#6fbaff",
        Relation.REASON: "#5fd6cc",
        Relation.HINDERED_BY: "#ff9189",
        Relation.REACT: "#f7a1d8",
        Relation.WANT: "#c6adff",
        Relation.SAME_TOPIC: "#c3cad6",
    },
)

LIGHT = Look(
    background="#f1f3f6",
    card="#ffffff",
    border="#cfd4dc",
    text="#1b1e24",
    muted="#535a67",
    before_card="#f1f3f6",
    before_text="#656c79",
    line="#b9c0cb",
    accent="#13753f",
    topics=("#5b6472", "#0b5cad", "#8a5000", "#13753f", "#a12b7a", "#6539bd", "#b3261e"),
    relations={
        Relation.CHANGED: "#8a5000",
        Relation.CAUSE: "#0b5cad",
        Relation.REASON: "#006a63",
        Relation.HINDERED_BY: "#b3261e",
        Relation.REACT: "#a12b7a",
        Relation.WANT: "#6539bd",
        Relation.SAME_TOPIC: "#4b5563",
    },
)

LOOKS: Mapping[str, Look] = {"light": LIGHT, "dark": DARK}
"""Name → look. The first one is for who asks for none."""
