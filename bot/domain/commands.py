"""Commands: who asks for what, and what they are answered."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.calls import Choice
from bot.domain.conversation import Place, Speaker


@dataclass(frozen=True, slots=True)
class Asker:
    """Who uses a command, where, and what the platform says they may."""

    speaker: Speaker
    place: Place
    is_owner: bool = False
    """Whether they own the companion."""
    may_manage: bool = False
    """Whether they may manage the channel. Always true in one's own DM."""
    place_name: str = ""
    may_manage_server: bool = False
    """Whether they may manage the whole server."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that goes with an answer, to the asker alone."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command answers. `text` is Markdown that both platforms can show (`bot/usecases/markup.py`)."""

    text: str
    private: bool = True
    """Whether only the asker may see it: ephemeral on Discord, in the DM on Telegram."""
    choices: tuple[tuple[Choice, ...], ...] = ()
    """Rows of buttons. An answer to a button takes the place of the message that the button is on."""
    files: tuple[File, ...] = ()
    """Only with a private answer."""
