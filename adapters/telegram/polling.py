"""Asks Telegram for what happened, and confirms it when it has been dealt with, not before.

An update is confirmed by asking for the next one. So one that could not be stored is asked for again, and after a crash
at most what had been stored already comes once more, which the inbox notices.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import structlog
from telegram import Update
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from adapters.telegram.connection import Connection, Json
from adapters.telegram.sending import named, seconds_to_wait
from bot.errors import AdapterStopped, StorageError
from bot.texts import platforms as texts

KINDS = (Update.MESSAGE, Update.EDITED_MESSAGE, Update.CALLBACK_QUERY, Update.MY_CHAT_MEMBER)
PAUSES_S = (0.5, 1.0, 2.0, 5.0, 15.0, 30.0)
"""Seconds between attempts while Telegram, or the disk, does not do its work; the last one for ever after."""
PATIENCE_S = 30.0
"""Seconds for which another process with our token is borne: it may be one that is about to end."""
CONFLICT_S = 3.0
"""Seconds between attempts meanwhile."""
FAREWELL_S = 2.0
"""Seconds for the last confirmation."""

Deal: TypeAlias = Callable[[Update], Awaitable[None]]

_log = structlog.get_logger(__name__)


class Polling:
    """Updates, one after the other. `patience_s`: how long another process with our token is borne."""

    def __init__(self, bot: Connection, *, patience_s: float = PATIENCE_S) -> None:
        self._bot = bot
        self._patience_s = patience_s
        self._offset: int | None = None
        self._confirmed: int | None = None
        self._failures = 0
        self._unstored = 0
        self._first_conflict = self._last_conflict = float("-inf")

    async def connect(self) -> None:
        """Logs in, however long that takes. Raises AdapterStopped."""
        while True:
            try:
                await self._bot.initialize()
                await self._bot.delete_webhook()
            except TelegramError as fault:
                await self._bear(fault)
            else:
                self._recover()
                return

    async def run(self, deal: Deal) -> None:
        """Asks for updates and has `deal`, which may raise StorageError, deal with each, without end.

        When cancelled, confirms what has been dealt with. Raises AdapterStopped.
        """
        try:
            while True:
                try:
                    updates = await self._bot.raw_updates(self._offset, KINDS)
                except TelegramError as fault:
                    await self._bear(fault)
                    continue
                self._confirmed = self._offset
                self._recover()
                await self._deal_with(updates, deal)
        finally:
            await self._confirm()

    async def _deal_with(self, updates: list[Json], deal: Deal) -> None:
        for raw in updates:
            update = _parsed(raw, self._bot)
            try:
                if update is not None:
                    await deal(update)
            except StorageError:
                if self._unstored == 0:
                    _log.exception("something that happened on Telegram could not be stored; it is asked for again")
                self._unstored += 1
                await asyncio.sleep(_pause(self._unstored))
                return
            self._offset = int(raw["update_id"]) + 1
            self._unstored = 0

    async def _bear(self, fault: TelegramError) -> None:
        """Waits until it makes sense to try again. Raises AdapterStopped when only the owner can mend it."""
        match fault:
            case InvalidToken():
                raise AdapterStopped(texts.TELEGRAM_LOGIN_REFUSED) from None
            case Conflict():
                await self._bear_other_process()
            case RetryAfter():
                await asyncio.sleep(seconds_to_wait(fault))
            case _:
                if self._failures == 0:
                    _log.warning("Telegram cannot be reached; I keep trying", fault=named(fault))
                self._failures += 1
                await asyncio.sleep(_pause(self._failures))

    async def _bear_other_process(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._last_conflict > self._patience_s:
            self._first_conflict = now
            _log.warning(texts.TELEGRAM_CONFLICT)
        self._last_conflict = now
        if now - self._first_conflict >= self._patience_s:
            raise AdapterStopped(texts.TELEGRAM_SECOND_POLLER)
        await asyncio.sleep(min(CONFLICT_S, self._patience_s))

    def _recover(self) -> None:
        if self._failures:
            _log.info("Telegram can be reached again")
        self._failures = 0

    async def _confirm(self) -> None:
        """Tells Telegram how far everything has been dealt with, so that it is not told again at the next start."""
        if self._offset == self._confirmed:
            return
        try:
            async with asyncio.timeout(FAREWELL_S):
                await self._bot.raw_updates(self._offset, KINDS, seconds=0)
        except (TelegramError, TimeoutError) as fault:
            _log.info(
                "the last updates could not be confirmed; they are known when they come again", fault=named(fault)
            )


def _pause(failures: int) -> float:
    """Seconds to wait after so many failures in a row."""
    return PAUSES_S[min(failures, len(PAUSES_S)) - 1]


def _parsed(raw: Json, bot: Connection) -> Update | None:
    """An update; None for one that python-telegram-bot cannot read, which would otherwise come again for ever."""
    try:
        return Update.de_json(raw, bot)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        _log.error("an update of Telegram's cannot be read and is left out", fault=type(error).__name__)
        return None
