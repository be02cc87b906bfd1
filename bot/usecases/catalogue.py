"""Every command: its name, its help, its parameters and who may use it, as `commands.yaml` says.

The slash commands, Telegram's menu, the console, `/help`, COMMANDS.md and the use cases are held to this list by tests.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bot.texts.beside import read_beside


class Who(StrEnum):
    """Who may use a command."""

    EVERYONE = "everyone"
    MANAGER = "manager"
    """Those who may manage the channel, by the platform's own permissions."""
    SERVER = "server"
    """Those who may manage the whole server."""
    OWNER = "owner"
    """Those who own the companion."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a command; all are texts."""

    name: str
    help: str
    required: bool = False
    choices: tuple[str, ...] = ()
    """The values it can have; empty: free text."""
    suggests: bool = False
    """Whether `Core.suggest` completes it."""
    in_form: bool = False
    """Whether a platform that has forms asks for it in one, where it was not given."""
    takes_rest: bool = False
    """Whether it takes all words that are left on a typed line (Telegram, console); else it takes one."""
    length: tuple[int, int] | None = None
    """The fewest and the most characters, where a platform holds people to that; None: any number."""
    range: tuple[int, int] | None = None
    """Where a platform knows numbers: it is one, from the first to the second."""
    tables: tuple[str, ...] = ()
    """Those of `typed.yaml` that hold what may be typed for it in another language. The first with a word decides."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `name`: one or two words; commands with the same first word are a group."""

    name: str
    help: str
    parameters: tuple[Parameter, ...] = ()
    who: Who = Who.EVERYONE
    private: bool = True
    """Whether the answer is only for the asker."""
    in_channels_only: bool = False


LEFT_TO_BUTTONS = "Left to my buttons"
"""The help of parameters that nobody types."""

_READ = read_beside(__file__, "commands")


def _command(row: dict[str, Any]) -> Command:
    parameters = tuple(Parameter(**_with_tuples(one)) for one in row.get("parameters", ()))
    return Command(**row | {"who": Who(row.get("who", Who.EVERYONE)), "parameters": parameters})


def _with_tuples(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}


CATALOGUE: tuple[Command, ...] = tuple(map(_command, _READ["commands"]))
GROUPS: Mapping[str, str] = _READ["groups"]
"""The first word of commands of two words → its help."""


def command_named(name: str) -> Command | None:
    """The command of this name; None when there is none."""
    return next((command for command in CATALOGUE if command.name == name), None)
