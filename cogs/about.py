"""`/help`, `/about`, `/web` and `/status`."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from cogs.asking import Interaction, ask, choices_of, help_of, parameters_of


class About(commands.Cog):
    """What the companion is, what it can do, and how it is doing."""

    @app_commands.command(description=help_of("help"))
    @app_commands.describe(**parameters_of("help"))
    @app_commands.choices(topic=choices_of("help", "topic"))
    async def help(self, interaction: Interaction, topic: str | None = None) -> None:
        """What I can do."""
        await ask(interaction, "help", topic=topic)

    @app_commands.command(description=help_of("about"))
    async def about(self, interaction: Interaction) -> None:
        """What I am."""
        await ask(interaction, "about")

    @app_commands.command(description=help_of("web"))
    async def web(self, interaction: Interaction) -> None:
        """A page of one's own."""
        await ask(interaction, "web")

    @app_commands.command(description=help_of("status"))
    @app_commands.default_permissions(administrator=True)
    async def status(self, interaction: Interaction) -> None:
        """How I am doing; for the owner, as the use case checks: in servers only administrators see it at all."""
        await ask(interaction, "status")
