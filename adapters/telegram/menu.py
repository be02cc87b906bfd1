"""The command menus that Telegram's apps show: to everybody what they can use, in their language."""

from collections.abc import Collection, Iterator

import structlog
from telegram import BotCommandScope, BotCommandScopeAllChatAdministrators, BotCommandScopeChat, BotCommandScopeDefault
from telegram.error import TelegramError

from adapters.telegram.connection import Connection
from adapters.telegram.reading import PLATFORM
from adapters.telegram.sending import named
from bot.texts.menu import HELPS
from bot.usecases.catalogue import CATALOGUE, GROUPS, Who

EVERYONE = frozenset({Who.EVERYONE})
MANAGERS = frozenset({Who.EVERYONE, Who.MANAGER, Who.SERVER})
OWNERS = frozenset({Who.EVERYONE, Who.OWNER})
ENGLISH = ""
"""What Telegram shows to whoever has another language than those that a menu is told in."""

_log = structlog.get_logger(__name__)


def menu(users: Collection[Who] = frozenset(Who), language: str = ENGLISH) -> list[tuple[str, str]]:
    """The first words of the commands that these may use, and their help. Telegram's commands are one word long."""
    first_words: dict[str, str] = {}
    for command in CATALOGUE:
        word = command.name.partition(" ")[0]
        if command.who in users:
            first_words.setdefault(word, GROUPS.get(word, command.help))
    helps = HELPS.get(language, {})
    return [(word, helps.get(word, shown)) for word, shown in first_words.items()]


async def show_menus(bot: Connection, owners: Collection[str]) -> None:
    """Tells Telegram each menu of which it has another one; a menu that it does not take is logged."""
    for scope, users in _scopes(owners):
        for language in (ENGLISH, *HELPS):
            try:
                await _show(bot, menu(users, language), scope, language)
            except TelegramError as fault:
                _log.warning("Telegram did not take a command menu", scope=scope.type, fault=named(fault))
                break


def _scopes(owners: Collection[str]) -> Iterator[tuple[BotCommandScope, Collection[Who]]]:
    """Where a menu is shown, and what those may use who see it. In their private chat, owners see theirs."""
    yield BotCommandScopeDefault(), EVERYONE
    yield BotCommandScopeAllChatAdministrators(), MANAGERS
    for owner in owners:
        platform, _, person = owner.partition(":")
        if platform == PLATFORM and person.isdecimal():
            yield BotCommandScopeChat(int(person)), OWNERS


async def _show(bot: Connection, ours: list[tuple[str, str]], scope: BotCommandScope, language: str) -> None:
    theirs = await bot.get_my_commands(scope=scope, language_code=language or None)
    if [(command.command, command.description) for command in theirs] != ours:
        await bot.set_my_commands(ours, scope=scope, language_code=language or None)
