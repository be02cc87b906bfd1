"""The menu of a message: remember this, forget this, why."""

import discord

from adapters.discord.reading import words
from bot.texts import menu as texts
from cogs.asking import Interaction, ask


async def remember(interaction: Interaction, message: discord.Message) -> None:
    """What somebody said of themselves. Only of a message of one's own are the words taken from here."""
    own = message.author.id == interaction.user.id
    text = (words(message, interaction.client.me) if own else "") or None
    await ask(interaction, "memory remember", words=text, message=message.id)


async def forget(interaction: Interaction, message: discord.Message) -> None:
    """What comes of a message would go: the first of two steps."""
    await ask(interaction, "memory forget", message=message.id)


async def why(interaction: Interaction, message: discord.Message) -> None:
    """What was behind it, or what was made of it."""
    await ask(interaction, "memory why", message=message.id)


MENUS = {texts.REMEMBER_THIS: remember, texts.FORGET_THIS: forget, texts.WHY_THIS: why}
"""What an entry is called → what it does."""
