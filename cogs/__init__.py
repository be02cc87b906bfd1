"""Discord's slash commands and the menu of a message: each parses, calls one use case, and renders.

discord.py loads this package by its name.
"""

from __future__ import annotations

from discord import app_commands

from adapters.discord.client import Companion
from cogs.about import About
from cogs.channel import Channel
from cogs.checkin import CheckIns
from cogs.linking import Linking
from cogs.memory import Memory
from cogs.persona import Persona
from cogs.pointing import MENUS
from cogs.privacy import Privacy

COGS = (About, Memory, Persona, Privacy, Linking, CheckIns, Channel)


async def setup(bot: Companion) -> None:
    """Adds every cog; called by `bot.load_extension("cogs")`."""
    for cog in COGS:
        await bot.add_cog(cog())
    for menu in MENUS:
        bot.tree.add_command(app_commands.ContextMenu(name=menu.name, callback=menu.callback))
