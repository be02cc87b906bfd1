"""`/memory list`, `/memory search` and `/memory why`."""

from __future__ import annotations

from typing import TypeAlias

from discord import app_commands
from discord.ext import commands

from bot.usecases.catalogue import GROUPS
from cogs.asking import Interaction, ask, help_of, parameters_of, suggest

Page: TypeAlias = app_commands.Range[int, 1, 10_000]
Words: TypeAlias = app_commands.Range[str, 1, 200]


class Memory(commands.GroupCog, group_name="memory", group_description=GROUPS["memory"]):
    """What the companion knows of the one who asks."""

    @app_commands.command(name="list", description=help_of("memory list"))
    @app_commands.describe(**parameters_of("memory list"))
    async def list_all(self, interaction: Interaction, page: Page | None = None) -> None:
        """What I know of you."""
        await ask(interaction, "memory list", page=page)

    @app_commands.command(description=help_of("memory search"))
    @app_commands.describe(**parameters_of("memory search"))
    async def search(self, interaction: Interaction, words: Words, page: Page | None = None) -> None:
        """Looks for something in it."""
        await ask(interaction, "memory search", words=words, page=page)

    @app_commands.command(description=help_of("memory why"))
    @app_commands.describe(**parameters_of("memory why"))
    async def why(self, interaction: Interaction, entry: str | None = None) -> None:
        """Where my last reply, or an entry, comes from."""
        await ask(interaction, "memory why", entry=entry)

    @why.autocomplete("entry")
    async def entries(self, interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """The asker's own entries."""
        return await suggest(interaction, "memory why", "entry", typed)
