"""What a command line or a button stands for."""

from dataclasses import dataclass


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
class Choice:
    """A button: its label, and the command that it stands for. Whoever presses it is that command's asker."""

    label: str
    call: Call
