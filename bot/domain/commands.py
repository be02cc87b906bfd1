"""Commands: who asks for what, and what they are answered."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.conversation import Place, Speaker


@dataclass(frozen=True, slots=True)
class Call:
    """One use of a command, such as `memory list`; also what a button does when it is pressed."""

    command: str
    """Its name in `bot/usecases/catalogue.py`: one or two words."""
    arguments: tuple[tuple[str, str], ...] = ()

    def get(self, name: str, default: str = "") -> str:
        """The argument of this name."""
        return dict(self.arguments).get(name, default)


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


@dataclass(frozen=True, slots=True)
class Choice:
    """A button: its label, and the command that it stands for. Whoever presses it is that command's asker."""

    label: str
    call: Call


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command answers. `text` is Markdown that both platforms can show (`bot/usecases/markup.py`)."""

    text: str
    private: bool = True
    """Whether only the asker may see it: ephemeral on Discord, in the DM on Telegram."""
    choices: tuple[tuple[Choice, ...], ...] = ()
    """Rows of buttons. An answer to a button takes the place of the message that the button is on."""
