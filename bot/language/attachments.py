"""What is no text, in words: "[photo: beach.jpg]". Pure.

A companion that reads only words says so, and remembers that something was shown. Adapters add the marks to an
utterance's text, each on a line of its own.
"""

import re
from enum import StrEnum

LONGEST_NAME = 60
"""Characters of a file's name, or of a sticker's, that are kept."""

LONGEST_FORWARD = 1000
"""Characters of a forwarded message that are kept: they are words."""


class Kind(StrEnum):
    """What somebody sent, in one or two words."""

    PHOTO = "photo"
    VIDEO = "video"
    VOICE = "voice note"
    AUDIO = "audio"
    STICKER = "sticker"
    ANIMATION = "animation"
    FILE = "file"
    LOCATION = "location"
    CONTACT = "contact"
    POLL = "poll"
    DICE = "dice"
    GAME = "game"
    STORY = "story"
    OTHER = "attachment"
    FORWARD = "forwarded message"


_MARK = re.compile(rf"^\[({'|'.join(kind.value for kind in Kind)})(?:: ([^\]\n]*))?\]$")


def mark(kind: Kind, name: str = "") -> str:
    """The words for one attachment; `name` is a file's name, a sticker's emoji, or a description; a forward's words."""
    longest = LONGEST_FORWARD if kind is Kind.FORWARD else LONGEST_NAME
    shown = " ".join(name.replace("[", "(").replace("]", ")").split())[:longest].strip()
    return f"[{kind.value}: {shown}]" if shown else f"[{kind.value}]"


def with_marks(text: str, marks: list[str]) -> str:
    """The text of an utterance with its attachments' marks below it."""
    return "\n".join(part for part in (text, *marks) if part)


def without_marks(text: str) -> str:
    """The text of an utterance without the lines that stand for attachments, forwarded words among them."""
    return "\n".join(line for line in text.splitlines() if not _MARK.match(line.strip()))


def only_marks(text: str) -> tuple[Kind, ...]:
    """The kinds of the attachments of a text that says nothing else; empty when it has words."""
    return tuple(kind for kind, _ in attachments_of(text))


def attachments_of(text: str) -> tuple[tuple[Kind, str], ...]:
    """The attachments of a text that says nothing else, each with its name, or ""; empty when it has words."""
    found = [_MARK.match(line.strip()) for line in text.splitlines() if line.strip()]
    return tuple((Kind(match[1]), match[2] or "") for match in found if match) if all(found) else ()
