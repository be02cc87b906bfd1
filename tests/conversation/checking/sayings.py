"""Replies that may be sent, and replies that may not: language | told, with ";" between | latest | reply."""

from pathlib import Path

from bot.conversation.checking.ground import Ground

FOLDER = Path(__file__).parent

GOOD = (FOLDER / "good.txt").read_text("utf-8")

BAD = (FOLDER / "bad.txt").read_text("utf-8")

INSTRUCTIONS = (
    "You are Monica, a warm companion.",
    "You are a chatbot, not a person: you have no pets, family, home or job of your own.",
    "My aunt Rosa grows lemons.",
    "Lemons, how lovely! Does your aunt Rosa share them with you?",
)


def rows(table: str) -> list[tuple[str, ...]]:
    """The rows of one of the tables."""
    return [tuple(line.split("|")) for line in table.strip("\n").splitlines()]


def ground_of(latest: str, *told: str, said: tuple[str, ...] = (), speaker: str = "Sam") -> Ground:
    """What a reply to `latest` may rest on, after `told`."""
    lines = tuple((speaker, text) for text in (*told, latest) if text)
    return Ground(latest, speaker, (speaker,), "Monica", ("A warm companion.",), lines, said, INSTRUCTIONS)
