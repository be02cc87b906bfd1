"""The command menu that Telegram's apps show."""

from __future__ import annotations

import structlog
from telegram.error import TelegramError

from adapters.telegram.connection import Connection
from adapters.telegram.sending import named
from bot.usecases.catalogue import CATALOGUE, GROUPS

_log = structlog.get_logger(__name__)


def menu() -> list[tuple[str, str]]:
    """The first words of all commands, and their help. Telegram's commands are one word long."""
    first_words: dict[str, str] = {}
    for command in CATALOGUE:
        word = command.name.partition(" ")[0]
        first_words.setdefault(word, GROUPS.get(word, command.help))
    return list(first_words.items())


async def show_menu(bot: Connection) -> bool:
    """Tells Telegram the menu if it has another one; returns whether it did."""
    ours = menu()
    try:
        theirs = [(command.command, command.description) for command in await bot.get_my_commands()]
        if theirs == ours:
            return False
        await bot.set_my_commands(ours)
    except TelegramError as fault:
        _log.warning("Telegram did not take the command menu", fault=named(fault))
        return False
    return True
