"""Small scenes to draw."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bot.domain import Relation
from bot.drawing.scene import Card, Note, Scene

UNREADABLE = "(not drawn)"
EDGE = tuple[int, int, Relation]
"""(older, newer, relation), cards counted from 0."""


def scene(words: Sequence[str], edges: Iterable[EDGE] = (), *, look: str = "light", dates: str = "1 May 2026") -> Scene:
    """A card for each of `words`, with the notes of these edges."""
    notes: Mapping[int, list[Note]] = {number: [] for number in range(len(words))}
    for older, newer, relation in edges:
        notes[newer].append(Note(relation, f"{relation.value} of e{older}", older))
    cards = tuple(
        Card(f"e{number}", dates, text, "the next day" if number else "", notes=tuple(notes[number]))
        for number, text in enumerate(words)
    )
    return Scene("Your timeline", "2 entries", cards, look, (), UNREADABLE)
