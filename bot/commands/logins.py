"""Whether a platform takes a token, and what its owner still has to do there: one request each."""

from dataclasses import dataclass
from typing import Any

import httpx

from bot.config import Settings
from bot.errors import AdapterStopped, BadInput
from bot.texts import platforms as texts
from bot.texts import setup as setup_texts

PATIENCE_S = 10.0
MESSAGE_CONTENT = 1 << 18 | 1 << 19
"""Discord's flags of an application that may read messages; the second one of small ones."""
PERMISSIONS = 1 << 10 | 1 << 11 | 1 << 16 | 1 << 38
"""View Channels, Send Messages, Read Message History, Send Messages in Threads."""
REFUSED = frozenset({401, 403, 404})
"""How a platform answers to a token that is none of its own: Telegram says "not found" to one that looks like none."""


@dataclass(frozen=True, slots=True)
class Login:
    """Whose token it is, and what is left to do."""

    name: str
    notes: tuple[str, ...]


def discord_login(settings: Settings, token: str) -> Login:
    """Asks Discord. Raises BadInput: it refuses the token; AdapterStopped: nobody answers."""
    url = f"{settings.discord.api_url}/applications/@me"
    told = _ask(url, token, {"Authorization": f"Bot {token}"}, texts.DISCORD_LOGIN_REFUSED, "Discord")
    invite = setup_texts.DISCORD_INVITE.format(id=told["id"], permissions=PERMISSIONS)
    may_read = int(told.get("flags", 0)) & MESSAGE_CONTENT
    return Login(str(told["name"]), (invite,) if may_read else (texts.DISCORD_NO_INTENT, invite))


def telegram_login(settings: Settings, token: str) -> Login:
    """Asks Telegram. Raises as `discord_login`."""
    told = _ask(f"{settings.telegram.api_url}{token}/getMe", token, {}, texts.TELEGRAM_LOGIN_REFUSED, "Telegram")
    bot = told["result"]
    reads_groups = bot.get("can_read_all_group_messages", False)
    address = setup_texts.TELEGRAM_ADDRESS.format(name=bot["username"])
    return Login(f"@{bot['username']}", (address,) if reads_groups else (address, setup_texts.TELEGRAM_GROUPS))


def _ask(url: str, token: str, headers: dict[str, str], refused: str, platform: str) -> dict[str, Any]:
    """The answer, read. The token is never shown: an address that httpx names in an error may hold it."""
    if not token or not all("!" <= sign <= "~" for sign in token) or "/" in token:
        raise BadInput(refused)
    try:
        answer = httpx.get(url, headers=headers, timeout=PATIENCE_S)
        if answer.status_code in REFUSED:
            raise BadInput(refused)
        told = answer.raise_for_status().json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        reason = type(error).__name__
        raise AdapterStopped(setup_texts.NOT_REACHED.format(platform=platform, reason=reason)) from None
    return dict(told)
