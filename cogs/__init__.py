"""Discord's slash commands: each parses, calls one use case, and renders. discord.py loads this package by its name."""

from __future__ import annotations

from adapters.discord.client import Companion
from cogs.about import About
from cogs.channel import Channel
from cogs.checkin import CheckIns
from cogs.linking import Linking
from cogs.memory import Memory
from cogs.persona import Persona
from cogs.privacy import Privacy

COGS = (About, Memory, Persona, Privacy, Linking, CheckIns, Channel)


async def setup(bot: Companion) -> None:
    """Adds every cog; called by `bot.load_extension("cogs")`."""
    for cog in COGS:
        await bot.add_cog(cog())
