"""The slash commands, made from the catalogue: a command that is new there is one on Discord too.

discord.py reads a command's parameters off the signature of its callback, so each callback is given one.
"""

from collections.abc import Callable, Coroutine, Sequence
from inspect import Parameter as Argument
from inspect import Signature
from typing import Any, TypeAlias

import discord
from discord import app_commands

from bot.usecases.catalogue import CATALOGUE, GROUPS, LEFT_TO_BUTTONS, Command, Parameter, Who
from cogs.asking import Interaction, ask, suggest

Slash: TypeAlias = app_commands.Command[Any, ..., None]
Completion: TypeAlias = Callable[[Interaction, str], Coroutine[Any, Any, list[app_commands.Choice[str]]]]

DEFAULTS = {("memory timeline", "look"): "dark"}
"""What a parameter is that was not given: pictures are dark, as Discord is for most."""

PERMISSIONS = {
    Who.MANAGER: discord.Permissions(manage_channels=True),
    Who.SERVER: discord.Permissions(manage_guild=True),
    Who.OWNER: discord.Permissions(administrator=True),
}
"""Who sees a command at all, in this order for a group; who may use it, the use case checks."""


def slash_commands() -> list[Slash | app_commands.Group]:
    """All of them, those of two words in the group of their first."""
    alone: list[Slash | app_commands.Group] = [_slash(command) for command in CATALOGUE if " " not in command.name]
    return [*alone, *(_group(name, help_) for name, help_ in GROUPS.items())]


def _group(name: str, help_: str) -> app_commands.Group:
    """Discord hides whole groups and limits them to servers, and no single command of one."""
    members = [command for command in CATALOGUE if command.name.startswith(f"{name} ")]
    group = app_commands.Group(name=name, description=help_, default_permissions=_permissions(members))
    if all(command.in_channels_only for command in members):
        app_commands.guild_only(group)
    for command in members:
        group.add_command(_slash(command))
    return group


def _slash(command: Command) -> Slash:
    async def callback(interaction: Interaction, **given: str | int | None) -> None:
        await ask(interaction, command.name, **given)

    typed = [one for one in command.parameters if one.help != LEFT_TO_BUTTONS]
    first = Argument("interaction", Argument.POSITIONAL_ONLY, annotation=discord.Interaction)
    callback.__signature__ = Signature([first, *(_argument(command, one) for one in typed)])  # type: ignore[attr-defined]
    app_commands.describe(**{one.name: one.help for one in typed})(callback)
    chosen = {one.name: [app_commands.Choice(name=value, value=value) for value in one.choices] for one in typed}
    app_commands.choices(**{name: values for name, values in chosen.items() if values})(callback)
    slash: Slash = app_commands.Command(
        name=command.name.rpartition(" ")[2], description=command.help, callback=callback
    )
    if " " not in command.name:
        slash.default_permissions = _permissions([command])
    for one in typed:
        if one.suggests:
            slash.autocomplete(one.name)(_completion(command.name, one.name))
    return slash


def _argument(command: Command, parameter: Parameter) -> Argument:
    """A parameter as discord.py wants it. What a form asks for can be left out."""
    kind: Any = str
    if parameter.range is not None:
        kind = app_commands.Range[(int, *parameter.range)]
    elif parameter.length is not None:
        kind = app_commands.Range[(str, *parameter.length)]
    if parameter.required and not parameter.in_form:
        return Argument(parameter.name, Argument.KEYWORD_ONLY, annotation=kind)
    default = DEFAULTS.get((command.name, parameter.name))
    return Argument(parameter.name, Argument.KEYWORD_ONLY, annotation=kind | None, default=default)


def _completion(command: str, parameter: str) -> Completion:
    async def complete(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        return await suggest(interaction, command, parameter, typed)

    return complete


def _permissions(commands: Sequence[Command]) -> discord.Permissions | None:
    """None: everybody sees at least one of these."""
    who = {command.who for command in commands}
    return None if Who.EVERYONE in who else next(allowed for one, allowed in PERMISSIONS.items() if one in who)
