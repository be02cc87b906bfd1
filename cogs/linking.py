"""`/link` and `/unlink`."""

from __future__ import annotations

from typing import TypeAlias

from discord import app_commands
from discord.ext import commands

from cogs.asking import Interaction, ask, help_of, parameters_of

Code: TypeAlias = app_commands.Range[str, 1, 40]


class Linking(commands.Cog):
    """Who is one person on two platforms."""

    @app_commands.command(description=help_of("link"))
    @app_commands.describe(**parameters_of("link"))
    async def link(self, interaction: Interaction, code: Code | None = None) -> None:
        """Shows a code, or takes one."""
        await ask(interaction, "link", code=code)

    @app_commands.command(description=help_of("unlink"))
    async def unlink(self, interaction: Interaction) -> None:
        """Parts your platforms."""
        await ask(interaction, "unlink")
