"""A command as a line that somebody types, and as the few bytes that a button carries. Pure.

A button says all that it does, so that it works after a restart; that leaves room for a short search and no more.
They are the command's name and its arguments in the order of the catalogue, with `|` between them: new parameters go to
the end. What comes back may be forged: `decode` takes anything, and what it gives is checked like every other call.
"""

import re
from collections.abc import Iterable

from bot.domain import Call, Choice
from bot.usecases.catalogue import GROUPS, LEFT_TO_BUTTONS, Command, command_named

MAX_BYTES = 64
"""Telegram takes no more on a button; Discord takes 100 characters."""

_ESCAPED = re.compile(r"\\(.?)", re.DOTALL)
_MARKS = {"\\": "\\", "p": "|"}
_LINE = re.compile(r"/(?P<word>\w+)(?:@(?P<bot>\w+))?(?P<rest>(?:\s.*)?)", re.DOTALL)


def encode(call: Call) -> str:
    """A call as at most 64 bytes of UTF-8. Raises ValueError for one that does not fit, or that nothing answers."""
    if not is_known(call.command):
        raise ValueError(f"{call.command!r} is no command")
    command = command_named(call.command)
    values = [call.get(parameter.name) for parameter in command.parameters] if command else []
    while values and not values[-1]:
        values.pop()
    text = "|".join([call.command, *(value.replace("\\", "\\\\").replace("|", "\\p") for value in values)])
    if len(text.encode()) > MAX_BYTES:
        raise ValueError("the call is too long for a button")
    return text


def fits(call: Call) -> bool:
    """Whether a button can carry this call."""
    try:
        encode(call)
    except ValueError:
        return False
    return True


def decode(text: str) -> Call | None:
    """The call that a button carries; None when it is none of ours, or of a catalogue that is no more."""
    name, *escaped = text.split("|")
    command = command_named(name)
    parameters = command.parameters if command else ()
    if not is_known(name) or len(escaped) > len(parameters):
        return None
    arguments: list[tuple[str, str]] = []
    for parameter, value in zip(parameters, escaped, strict=False):
        if any(mark not in _MARKS for mark in _ESCAPED.findall(value)):
            return None
        if value:
            arguments.append((parameter.name, _ESCAPED.sub(lambda found: _MARKS[found[1]], value)))
    return Call(name, tuple(arguments))


def buttons(*rows: Iterable[Choice]) -> tuple[tuple[Choice, ...], ...]:
    """Rows of the choices that buttons can carry; rows that are empty then are left out."""
    fitting = (tuple(choice for choice in row if fits(choice.call)) for row in rows)
    return tuple(row for row in fitting if row)


def button(label: str, command: str, **arguments: str) -> Choice:
    """The choice of this label that does a command with these arguments."""
    return Choice(label, Call(command, tuple(arguments.items())))


def turned(call: Call, **changed: str) -> Call:
    """The same call with other values, such as another page of its answer."""
    return Call(call.command, tuple({**dict(call.arguments), **changed}.items()))


def is_known(name: str) -> bool:
    """Whether a command or a group of commands has this name."""
    return name in GROUPS or command_named(name) is not None


def parse_line(line: str, bot_name: str = "") -> Call | None:
    """The call that a typed line such as "/memory search the cat" or "/memory@BotName list" stands for.

    None when it is no command line, or when it names another bot than `bot_name`. The first word of a group alone is a
    call too, and so is a name that nothing has: `Commands` answers them. "/memory_list" is "/memory list".
    """
    found = _LINE.fullmatch(line.strip())
    if found is None or (found["bot"] and bot_name and found["bot"].casefold() != bot_name.casefold()):
        return None
    name, rest = found["word"].casefold(), found["rest"].split()
    if (both := name.replace("_", " ", 1)) != name and command_named(both) is not None:
        name = both
    elif name in GROUPS and rest:
        name = f"{name} {rest.pop(0).casefold()}"
    command = command_named(name)
    return Call(name, _arguments(command, rest) if command else ())


def _arguments(command: Command, words: list[str]) -> tuple[tuple[str, str], ...]:
    """The words as the command's parameters, in order; words that are left over say nothing."""
    arguments: list[tuple[str, str]] = []
    for parameter in command.parameters:
        if not words or parameter.help == LEFT_TO_BUTTONS:
            break
        value = " ".join(words) if parameter.takes_rest else words[0]
        words = [] if parameter.takes_rest else words[1:]
        arguments.append((parameter.name, value))
    return tuple(arguments)


def usage(command: Command) -> str:
    """How a command is typed: "/memory search WORDS", "/channel mode [mention|listen|open|off]"."""
    parts = [f"/{command.name}"]
    for parameter in command.parameters:
        if parameter.help == LEFT_TO_BUTTONS:
            continue
        word = "|".join(parameter.choices) or parameter.name.upper()
        parts.append(word if parameter.required else f"[{word}]")
        if parameter.takes_rest:
            break
    return " ".join(parts)
