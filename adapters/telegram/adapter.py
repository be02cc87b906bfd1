"""Telegram as an adapter: logs in, asks for updates, and says in one sentence what its owner has to mend."""

import asyncio

from adapters.telegram.absence import tell_of_lost_groups
from adapters.telegram.answering import Answering
from adapters.telegram.connection import Connection
from adapters.telegram.hearing import WORKERS, Hearing
from adapters.telegram.menu import show_menus
from adapters.telegram.messenger import TelegramMessenger
from adapters.telegram.polling import PATIENCE_S, Polling
from adapters.telegram.reading import PLATFORM, Reader
from bot.config import Settings
from bot.errors import AdapterStopped, NotSetUp
from bot.ports import Clock, Core, Messenger
from bot.texts import platforms as texts

FAREWELL_S = 3.0
"""Seconds for the commands that stand in line when it is asked to stop: they are confirmed, and would be lost."""


class TelegramAdapter:
    """Implements `bot.ports.Adapter`. `patience_s`: as in `Polling`."""

    platform = PLATFORM

    def __init__(self, settings: Settings, clock: Clock, *, patience_s: float = PATIENCE_S) -> None:
        if settings.secrets.telegram_token is None:
            raise NotSetUp(texts.TELEGRAM_NOT_SET_UP)
        self._token = settings.secrets.telegram_token
        self._settings = settings
        self._clock = clock
        self._patience_s = patience_s
        self._messenger = TelegramMessenger(settings.telegram)

    @property
    def messenger(self) -> Messenger:
        """How replies get to Telegram."""
        return self._messenger

    async def run(self, core: Core) -> None:
        """Serves until it is cancelled. Raises AdapterStopped when only the owner can mend what is wrong."""
        bot = Connection(self._token.get_secret_value(), self._settings.telegram.api_url)
        polling = Polling(bot, patience_s=self._patience_s)
        try:
            await polling.connect()
            await self._serve(bot, polling, core)
        except BaseExceptionGroup as raised:
            stopped = raised.subgroup(AdapterStopped)
            if stopped is None:
                raise
            raise _first(stopped) from None
        finally:
            self._messenger.connect(None)
            await bot.shutdown()

    async def _serve(self, bot: Connection, polling: Polling, core: Core) -> None:
        """Hears and answers without end; cancelled, it does what commands it can. Raises what its tasks raise."""
        reader = Reader(bot.bot, self._settings.agent.name)
        hearing = Hearing(core, reader, Answering(bot, core, reader, self._settings, self._clock), self._clock)
        self._messenger.connect(bot, hearing.person_gone)
        async with asyncio.TaskGroup() as workers:
            for number in range(WORKERS):
                workers.create_task(hearing.work(), name=f"telegram commands {number}")
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(core.connected(), name="what telegram left over")
                    group.create_task(tell_of_lost_groups(bot, core), name="groups that telegram lost")
                    group.create_task(show_menus(bot, self._settings.owners), name="telegram menus")
                    group.create_task(polling.run(hearing.deal), name="telegram polling")
            finally:
                await hearing.finish(FAREWELL_S)


def _first(group: BaseExceptionGroup[AdapterStopped]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
