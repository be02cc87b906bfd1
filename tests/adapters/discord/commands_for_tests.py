"""Slash commands as `cogs/` has them, for tests of how answers are shown. An extension of discord.py."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from adapters.discord.answering import answer
from adapters.discord.client import Companion
from bot.domain import Call


async def setup(bot: Companion) -> None:
    """Adds them."""

    @app_commands.command(name="about", description="About me")
    async def about(interaction: discord.Interaction[Any]) -> None:
        await answer(interaction, Call("about"))

    @app_commands.command(name="list", description="What I know")
    @app_commands.describe(page="Which page")
    async def listing(interaction: discord.Interaction[Any], page: str = "") -> None:
        await answer(interaction, Call("memory list", (("page", page),)))

    bot.tree.add_command(about)
    bot.tree.add_command(listing)
