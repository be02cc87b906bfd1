"""Asks Telegram for what happened, and confirms it when it has been dealt with, not before.

An update is confirmed by asking for the next one. So one that could not be stored is asked for again, and after a crash
at most what had been stored already comes once more, which the inbox notices.
"""

import asyncio
import traceback
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import structlog
from telegram import Update
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from adapters.telegram.connection import Connection, Json
from adapters.telegram.sending import named, seconds_to_wait
from bot.errors import AdapterStopped, StorageError
from bot.texts import platforms as texts

KINDS = (Update.MESSAGE, Update.EDITED_MESSAGE, Update.CALLBACK_QUERY, Update.MESSAGE_REACTION, Update.MY_CHAT_MEMBER)
PAUSES_S = (0.5, 1.0, 2.0, 5.0, 15.0, 30.0)
"""Seconds between attempts while Telegram, or the disk, does not do its work; the last one for ever after."""
PATIENCE_S = 30.0
"""Seconds after which another process with our token is one that somebody has to stop: at first it may just end."""
CONFLICT_S = 3.0
"""Seconds between attempts until then."""
LASTING_CONFLICT_S = 30.0
"""Seconds between attempts from then on. They go on: who is the rightful one, nobody here can know."""
BRIEF_S = 20.0
"""Seconds without a conflict after which the next is a new one: another process that goes on asks more often."""
CALM_S = 120.0
"""The same after a conflict that lasted: its other side may wait as long as we do then."""
REFUSED_S = (5.0, 15.0, 30.0)
"""Seconds before Telegram is asked again when it does not know our token while we run; then that is believed."""
REMEMBERED = 1000
"""Updates whose ids are kept in mind: one that Telegram tells twice is dealt with once."""
FAREWELL_S = 2.0
"""Seconds for the last confirmation."""

Deal: TypeAlias = Callable[[Update], Awaitable[None]]

_log = structlog.get_logger(__name__)


class Polling:
    """Updates, one after the other. `patience_s`: when to say that another process with our token must be stopped."""

    def __init__(self, bot: Connection, *, patience_s: float = PATIENCE_S) -> None:
        self._bot = bot
        self._patience_s = patience_s
        self._offset: int | None = None
        self._confirmed: int | None = None
        self._dealt_with: deque[int] = deque(maxlen=REMEMBERED)
        self._failures = self._refusals = 0
        self._unstored = 0
        self._first_conflict = self._last_conflict = float("-inf")
        self._told_of_conflict = False
        self._connected = False

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
            number = int(raw["update_id"])
            if number in self._dealt_with:
                continue
            try:
                await survived(self._hand_over(raw, deal))
            except StorageError:
                if self._unstored == 0:
                    _log.exception("something that happened on Telegram could not be stored; it is asked for again")
                self._unstored += 1
                await asyncio.sleep(_pause(self._unstored))
                return
            self._dealt_with.append(number)
            self._offset = number + 1
            self._unstored = 0

    async def _hand_over(self, raw: Json, deal: Deal) -> None:
        update = Update.de_json(raw, self._bot)
        if update is not None:
            await deal(update)

    async def _bear(self, fault: TelegramError) -> None:
        """Waits until it makes sense to try again. Raises AdapterStopped when only the owner can mend it."""
        match fault:
            case InvalidToken():
                await self._bear_refusal()
            case Conflict():
                await self._bear_other_process()
            case RetryAfter():
                await asyncio.sleep(seconds_to_wait(fault))
            case _:
                if self._failures == 0:
                    _log.warning("Telegram cannot be reached; I keep trying", fault=named(fault))
                self._failures += 1
                await asyncio.sleep(_pause(self._failures))

    async def _bear_refusal(self) -> None:
        """At the start the token is wrong; later Telegram may be. Raises AdapterStopped."""
        if not self._connected or self._refusals == len(REFUSED_S):
            raise AdapterStopped(texts.TELEGRAM_LOGIN_REFUSED)
        if self._refusals == 0:
            _log.warning("Telegram does not know my token any more; I ask again")
        self._refusals += 1
        await asyncio.sleep(REFUSED_S[self._refusals - 1])

    async def _bear_other_process(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._last_conflict > (CALM_S if self._told_of_conflict else BRIEF_S):
            self._first_conflict, self._told_of_conflict = now, False
            _log.warning(texts.TELEGRAM_CONFLICT)
        self._last_conflict = now
        lasting = now - self._first_conflict >= self._patience_s
        if lasting and not self._told_of_conflict:
            self._told_of_conflict = True
            _log.error(texts.TELEGRAM_SECOND_POLLER.format(seconds=LASTING_CONFLICT_S))
        await asyncio.sleep(LASTING_CONFLICT_S if lasting else CONFLICT_S)

    def _recover(self) -> None:
        if self._failures:
            _log.info("Telegram can be reached again")
        self._failures = self._refusals = 0
        self._connected = True

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


async def survived(work: Awaitable[None]) -> None:
    """Does what one update wants. Raises StorageError; what else goes wrong is logged, and ends there."""
    try:
        await work
    except StorageError:
        raise
    except Exception as error:  # noqa: BLE001  # edge: one update; it would come again, and stop all others
        # What an error says may quote people; where it happened does not.
        where = "".join(traceback.format_tb(error.__traceback__))
        _log.error("an update of Telegram's could not be dealt with", fault=type(error).__name__, where=where)
        _log.debug("what that error said", exc_info=error)
