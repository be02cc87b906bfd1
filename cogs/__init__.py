"""Discord's slash commands and the menu of a message: each parses, calls one use case, and renders.

discord.py loads this package by its name.
"""

from discord import app_commands

from adapters.discord.client import Companion
from cogs.pointing import MENUS
from cogs.slash import slash_commands


async def setup(bot: Companion) -> None:
    """Adds every command; called by `bot.load_extension("cogs")`."""
    for command in slash_commands():
        bot.tree.add_command(command)
    for name, callback in MENUS.items():
        bot.tree.add_command(app_commands.ContextMenu(name=name, callback=callback))
