"""What every slash command does: turn its arguments into a `Call`, have it done, and show the answer."""

from typing import TypeAlias

import discord
from discord import app_commands

from adapters.discord.answering import answer, asker_of
from adapters.discord.client import Companion
from bot.domain import Call
from bot.texts.translating import speaking

Interaction: TypeAlias = discord.Interaction[Companion]

MAX_CHOICE = 100
"""Characters of a completion's label and of its value."""


async def ask(interaction: Interaction, command: str, **arguments: str | int | None) -> None:
    """Does `command` as the one who asks. Arguments that were not given are left out."""
    given = tuple((name, str(value)) for name, value in arguments.items() if value is not None)
    await answer(interaction, Call(command, given))


async def suggest(interaction: Interaction, command: str, parameter: str, typed: str) -> list[app_commands.Choice[str]]:
    """Completions for a parameter that is being typed."""
    asker = asker_of(interaction)
    if asker is None:
        return []
    with speaking(interaction.locale.value):
        found = await interaction.client.core.suggest(command, parameter, typed, asker)
    return [
        app_commands.Choice(name=label[:MAX_CHOICE], value=value)
        for label, value in found
        if label and len(value) <= MAX_CHOICE
    ]
