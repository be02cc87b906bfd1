"""Commands: who asks for what, and what they are answered."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.calls import Call, Choice
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


class Sign(StrEnum):
    """What somebody says by a reaction, whichever emoji a platform has for it."""

    YES = "yes"
    NO = "no"
    AGAIN = "again"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class Reaction:
    """A sign that somebody put under a message of the companion's."""

    asker: Asker
    message_id: str
    sign: Sign
    time: datetime
    as_message: str
    """An id of the platform's kind that no message has: where the sign stands for words, they are said under it."""
    offered: tuple[Call, ...] = ()
    """What the buttons under that message do."""
    topic_untold: bool = False
    """Whether the platform tells the chat alone, and not the topic in it: the message that has the sign tells that."""


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
