"""The colours of pictures. Every text has a contrast of at least 4.5 to 1 with what is under it (WCAG 2, AA)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.texts.beside import read_beside


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
    topics: Sequence[str]
    """Of the dots and of the edges of cards, by topic; the first is of all topics that have no colour of their own. The
    page in the browser has the same. At least 3 to 1 with what is under them."""
    relations: Mapping[str, str]
    """`Relation` → the colour of its arrows and notes."""


LOOKS: Mapping[str, Look] = {name: Look(**colours) for name, colours in read_beside(__file__).items()}
"""Name → look. The first one is for who asks for none."""
