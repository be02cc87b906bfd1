"""`/persona show | edit | character`."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.usecases.catalogue import GROUPS
from cogs.asking import Interaction, ask, choices_of, help_of, parameters_of, suggest
from cogs.memory import Entry, Telling


class Persona(commands.GroupCog, group_name="persona", group_description=GROUPS["persona"]):
    """What the one who asks is like, and what the companion is."""

    @app_commands.command(description=help_of("persona show"))
    @app_commands.describe(**parameters_of("persona show"))
    @app_commands.choices(whose=choices_of("persona show", "whose"))
    async def show(self, interaction: Interaction, whose: str | None = None) -> None:
        """What I take you to be like."""
        await ask(interaction, "persona show", whose=whose)

    @app_commands.command(description=help_of("persona edit"))
    @app_commands.describe(**parameters_of("persona edit"))
    async def edit(self, interaction: Interaction, entry: Entry, words: Telling | None = None) -> None:
        """Changes that, or adds to it."""
        await ask(interaction, "persona edit", entry=entry, words=words)

    @edit.autocomplete("entry")
    async def traits(self, interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """The asker's own traits."""
        return await suggest(interaction, "persona edit", "entry", typed)

    @app_commands.command(description=help_of("persona character"))
    @app_commands.describe(**parameters_of("persona character"))
    async def character(self, interaction: Interaction, letters: str | None = None) -> None:
        """The asker's personality type: shown, said, or switched off."""
        await ask(interaction, "persona character", letters=letters)

    @character.autocomplete("letters")
    async def types(self, interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """All that can be said."""
        return await suggest(interaction, "persona character", "letters", typed)
