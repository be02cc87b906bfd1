"""Whether a platform takes a token, and what its owner still has to do there: one request each."""

from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any

import httpx

from bot.config import Settings
from bot.errors import AdapterStopped, BadInput
from bot.texts import platforms as texts
from bot.texts import setup as setup_texts

PATIENCE_S = 10.0
WRITING_S = 120.0
"""How long an owner may take to write to their bot."""
LOOKS_S = 1.0
SHOWN = 100
"""Updates that Telegram shows at most."""
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


@dataclass(frozen=True, slots=True)
class Writer:
    """Somebody who wrote to the bot: their id as `owners` has it, and their name."""

    id: str
    name: str


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


def telegram_writer(settings: Settings, token: str, begun: Callable[[], None]) -> Writer | None:
    """Whoever writes to the bot in private while this waits; None: nobody did for `WRITING_S`.

    What they write stays there, to be answered once the bot runs. `begun` is called as soon as it can be written.
    Raises AdapterStopped, and BadInput where so much waits for the bot that nothing new is shown: Telegram shows the
    oldest `SHOWN`, and shows later ones only to whoever gives these up, who alone would ever have answered them.
    """
    url = f"{settings.telegram.api_url}{token}/getUpdates"
    waiting = _ask(url, token, {}, texts.TELEGRAM_LOGIN_REFUSED, "Telegram")["result"]
    before = {one["update_id"] for one in waiting}
    if len(waiting) < SHOWN:
        begun()
    ends = monotonic() + WRITING_S
    while monotonic() < ends:
        waiting = _ask(url, token, {}, texts.TELEGRAM_LOGIN_REFUSED, "Telegram")["result"]
        for update in waiting:
            message = update.get("message", {})
            if update["update_id"] not in before and message.get("chat", {}).get("type") == "private":
                who = message["from"]
                name = " ".join(who[part] for part in ("first_name", "last_name") if who.get(part))
                name = "".join(sign for sign in name if sign.isprintable())
                return Writer(f"telegram:{who['id']}", f"{name} (@{who['username']})" if who.get("username") else name)
        if len(waiting) >= SHOWN:
            raise BadInput(setup_texts.OWNER_TOO_MANY.format(shown=SHOWN))
        sleep(LOOKS_S)
    return None


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
        raise AdapterStopped(setup_texts.NOT_REACHED.format(platform=platform, reason=_why(error))) from None
    return dict(told)


def _why(error: Exception) -> str:
    """What kept a platform from answering, without the address."""
    if isinstance(error, httpx.TimeoutException):
        return setup_texts.TOO_SLOW.format(seconds=PATIENCE_S)
    if isinstance(error, httpx.HTTPStatusError):
        return setup_texts.WITH_STATUS.format(status=error.response.status_code)
    return setup_texts.NO_CONNECTION if isinstance(error, httpx.TransportError) else setup_texts.UNREADABLE
