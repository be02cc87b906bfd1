"""Discord as an adapter: connects, stays connected, and says in one sentence what its owner has to mend."""

import asyncio
from collections.abc import Sequence

import discord
import structlog
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

from adapters.discord.client import Companion
from adapters.discord.messenger import FAULTS, DiscordMessenger
from adapters.discord.reading import PLATFORM
from bot.config import Discord, Settings
from bot.errors import AdapterStopped
from bot.ports import Clock, Core, Messenger
from bot.texts import platforms as texts

PAUSES_S = (1.0, 2.0, 5.0, 15.0, 30.0, 60.0)
"""Seconds before logging in is tried again while Discord cannot be reached; the last one for ever after."""

EXTENSIONS = ("cogs",)
"""Where the slash commands are: loaded by name, because they stand above the adapters."""

_WRONG_TOKEN = 4004

_log = structlog.get_logger(__name__)


class DiscordAdapter:
    """Implements `bot.ports.Adapter`."""

    platform = PLATFORM

    def __init__(self, settings: Settings, clock: Clock, *, extensions: Sequence[str] = EXTENSIONS) -> None:
        if settings.secrets.discord_token is None:
            raise AdapterStopped(texts.DISCORD_NOT_SET_UP)
        self._token = settings.secrets.discord_token
        self._settings = settings
        self._clock = clock
        self._extensions = extensions
        self._messenger = DiscordMessenger(settings.discord)
        _point_at(settings.discord)
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nothing is said aloud here

    @property
    def messenger(self) -> Messenger:
        """How replies get to Discord."""
        return self._messenger

    def client(self, core: Core) -> Companion:
        """A new client, which the messenger uses from now on."""
        client = Companion(self._settings, self._clock, core, extensions=self._extensions)
        self._messenger.connect(client, client.person_gone)
        return client

    async def run(self, core: Core) -> None:
        """Serves until it is cancelled. Raises AdapterStopped when only the owner can mend what is wrong."""
        failures = 0
        while True:
            try:
                await self._serve(core)
            except discord.LoginFailure:
                raise AdapterStopped(texts.DISCORD_LOGIN_REFUSED) from None
            except discord.PrivilegedIntentsRequired:
                raise AdapterStopped(texts.DISCORD_NO_INTENT) from None
            except discord.ConnectionClosed as error:
                wrong = error.code == _WRONG_TOKEN
                sentence = texts.DISCORD_LOGIN_REFUSED if wrong else texts.DISCORD_CLOSED.format(code=error.code)
                raise AdapterStopped(sentence) from None
            except FAULTS as fault:
                if failures == 0:
                    _log.warning("Discord cannot be reached; I keep trying", fault=type(fault).__name__)
            else:
                return
            await asyncio.sleep(PAUSES_S[min(failures, len(PAUSES_S) - 1)])
            failures += 1

    async def _serve(self, core: Core) -> None:
        """One client, from logging in to its end. Raises what discord.py raises."""
        client = self.client(core)
        fault: Exception | None = None
        try:
            async with client, asyncio.TaskGroup() as group:
                beside = group.create_task(client.work(), name="discord work")
                try:
                    await client.start(self._token.get_secret_value())
                except (*FAULTS, discord.ClientException) as error:
                    fault = error
                finally:
                    beside.cancel()
        finally:
            await client.finish()
        if fault is not None:
            raise fault


def _point_at(settings: Discord) -> None:
    """Where Discord is. discord.py keeps it for the whole process."""
    default = Discord()
    if settings.api_url != default.api_url:
        Route.BASE = settings.api_url.rstrip("/")
    if settings.gateway_url != default.gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(settings.gateway_url)
