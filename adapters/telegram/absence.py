"""Groups that the companion was removed from while it did not run: Telegram tells of it for a day only."""

import structlog
from telegram import ChatMember
from telegram.error import BadRequest, Forbidden, TelegramError

from adapters.telegram.connection import Connection
from adapters.telegram.reading import PLATFORM
from adapters.telegram.sending import named
from bot.errors import HelloAgainError
from bot.ports import Core

_OUT = (ChatMember.LEFT, ChatMember.BANNED)
_NO_CHAT = "chat not found"

_log = structlog.get_logger(__name__)


async def tell_of_lost_groups(bot: Connection, core: Core) -> None:
    """Asks Telegram of every group that is known, and tells the core of those that it is no longer in."""
    try:
        for server in await core.known_servers(PLATFORM):
            if await _is_out(bot, int(server)):
                await core.left(PLATFORM, server)
    except HelloAgainError:
        _log.exception("groups that I was removed from could not be looked for")


async def _is_out(bot: Connection, chat: int) -> bool:
    """Whether the companion is surely not in a group any more."""
    try:
        return (await bot.get_chat_member(chat, bot.id)).status in _OUT
    except Forbidden:
        return True
    except BadRequest as refusal:
        return _NO_CHAT in refusal.message.lower()
    except TelegramError as fault:
        _log.info("Telegram does not say whether I am in a group", fault=named(fault))
        return False
