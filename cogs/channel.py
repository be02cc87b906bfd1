"""`/channel mode`, `/channel default` and `/channel sharing`, for those who may manage the channel.

Discord's permissions are those of the group. That sharing is for those who manage the server, the use case checks.
"""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.usecases.catalogue import GROUPS
from cogs.asking import Interaction, ask, choices_of, help_of, parameters_of


@app_commands.guild_only()
@app_commands.default_permissions(manage_channels=True)
class Channel(commands.GroupCog, group_name="channel", group_description=GROUPS["channel"]):
    """How the companion behaves in a channel."""

    @app_commands.command(description=help_of("channel mode"))
    @app_commands.describe(**parameters_of("channel mode"))
    @app_commands.choices(mode=choices_of("channel mode", "mode"))
    async def mode(self, interaction: Interaction, mode: str | None = None) -> None:
        """When I speak here."""
        await ask(interaction, "channel mode", mode=mode)

    @app_commands.command(description=help_of("channel default"))
    @app_commands.describe(**parameters_of("channel default"))
    @app_commands.choices(mode=choices_of("channel default", "mode"))
    async def default(self, interaction: Interaction, mode: str | None = None) -> None:
        """When I speak where nobody has chosen it; for those who manage the server, as the use case checks."""
        await ask(interaction, "channel default", mode=mode)

    @app_commands.command(description=help_of("channel sharing"))
    @app_commands.describe(**parameters_of("channel sharing"))
    @app_commands.choices(state=choices_of("channel sharing", "state"))
    async def sharing(self, interaction: Interaction, state: str | None = None) -> None:
        """What I may use in all channels."""
        await ask(interaction, "channel sharing", state=state)
