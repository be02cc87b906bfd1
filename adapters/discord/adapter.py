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
from adapters.discord.sharding import ONLY, IdentifyTurns, NoTurn, Shard, ShardMessenger
from bot.config import Discord, Settings
from bot.domain import Place
from bot.errors import AdapterStopped, NotSetUp, PartStopped
from bot.ports import Clock, Core, Leases, Messenger, Part
from bot.texts import platforms as texts

PAUSES_S = (1.0, 2.0, 5.0, 15.0, 30.0, 60.0)
"""Seconds before logging in is tried again while Discord cannot be reached; the last one for ever after."""

EXTENSIONS = ("cogs",)
"""Where the slash commands are: loaded by name, because they stand above the adapters."""

_WRONG_TOKEN = 4004
_WRONG_SHARDS = (4010, 4011)
"""There is no such shard; there have to be more."""

_log = structlog.get_logger(__name__)


class DiscordAdapter:
    """Implements `bot.ports.Adapter`."""

    platform = PLATFORM

    def __init__(self, settings: Settings, clock: Clock, *, extensions: Sequence[str] = EXTENSIONS) -> None:
        if settings.secrets.discord_token is None:
            raise NotSetUp(texts.DISCORD_NOT_SET_UP)
        self._token = settings.secrets.discord_token
        self._settings = settings
        self._clock = clock
        self._extensions = extensions
        shards = [Shard(number, settings.discord.shards) for number in range(settings.discord.shards)]
        self._messengers = {shard: DiscordMessenger(settings.discord) for shard in shards}
        self._clients: dict[Shard, Companion] = {}
        _point_at(settings.discord)
        discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nothing is said aloud here

    @property
    def messenger(self) -> Messenger:
        """How replies get to Discord."""
        only = self._messengers.get(ONLY)
        return only if only is not None else ShardMessenger([*self._messengers.items()])

    @property
    def most_parts(self) -> int:
        """How many shards one process serves at most."""
        return self._settings.discord.shards_per_gateway or len(self._messengers)

    def parts(self, leases: Leases) -> Sequence[Part]:
        """The shards."""
        turns = self.turns(leases) if ONLY not in self._messengers else None
        return [_ShardPart(self, shard, turns) for shard in self._messengers]

    def turns(self, leases: Leases) -> IdentifyTurns:
        """How the processes take turns to begin connections."""
        return IdentifyTurns(leases)

    def client(self, core: Core, shard: Shard = ONLY, turns: IdentifyTurns | None = None) -> Companion:
        """A new client, which the messenger uses from now on."""
        client = Companion(self._settings, self._clock, core, extensions=self._extensions, shard=shard, turns=turns)
        self._messengers[shard].connect(client, client.person_gone)
        self._clients[shard] = client
        return client

    def connected(self, shard: Shard) -> bool:
        """Whether this shard has a connection, and knows its servers."""
        client = self._clients.get(shard)
        return client is not None and client.is_ready() and not client.is_closed()

    async def run(self, core: Core) -> None:
        """Serves until it is cancelled. Raises AdapterStopped when only the owner can mend what is wrong."""
        if ONLY not in self._messengers:
            raise AdapterStopped(texts.DISCORD_SHARDS_NEED_ROLES)
        await self.serve(core, ONLY, None)

    async def serve(self, core: Core, shard: Shard, turns: IdentifyTurns | None) -> None:
        """Serves one shard until it is cancelled. Raises AdapterStopped."""
        failures = 0
        while True:
            client = self.client(core, shard, turns)
            try:
                await self._serve(client)
            except discord.LoginFailure:
                raise AdapterStopped(texts.DISCORD_LOGIN_REFUSED) from None
            except discord.PrivilegedIntentsRequired:
                raise AdapterStopped(texts.DISCORD_NO_INTENT) from None
            except discord.ConnectionClosed as error:
                raise _closed(error.code) from None
            except NoTurn as turn:
                failures = 0  # Discord can be reached
                await asyncio.sleep(max(PAUSES_S[0], turn.after_s))
                continue
            except FAULTS as fault:
                if client.had_session:
                    failures = 0
                if failures == 0:
                    _log.warning("Discord cannot be reached; I keep trying", fault=type(fault).__name__)
            else:
                return
            await asyncio.sleep(PAUSES_S[min(failures, len(PAUSES_S) - 1)])
            failures += 1

    async def _serve(self, client: Companion) -> None:
        """One client, from logging in to its end. Raises what discord.py raises."""
        fault: Exception | None = None
        try:
            async with client, asyncio.TaskGroup() as group:
                beside = group.create_task(client.work(), name="discord work")
                try:
                    await client.start(self._token.get_secret_value())
                except (*FAULTS, discord.ClientException) as error:
                    fault = error
                except AttributeError as error:
                    if error.obj is not None or error.name != "sequence":
                        raise
                    # discord.py takes every connection that fails for a later one, and asks what the first one heard
                    fault = ConnectionError("the first connection failed")
                finally:
                    beside.cancel()
        finally:
            await client.finish()
        if fault is not None:
            raise fault


class _ShardPart:
    """Implements `bot.ports.Part`."""

    def __init__(self, adapter: DiscordAdapter, shard: Shard, turns: IdentifyTurns | None) -> None:
        self._adapter = adapter
        self._shard = shard
        self._turns = turns
        self.name = shard.name

    @property
    def ready(self) -> bool:
        """Whether it is connected."""
        return self._adapter.connected(self._shard)

    def holds(self, place: Place) -> bool:
        """Whether Discord tells this shard what is said there."""
        return self._shard.holds(place)

    async def run(self, core: Core) -> None:
        """Serves the shard. Raises AdapterStopped."""
        await self._adapter.serve(core, self._shard, self._turns)


def _closed(code: int) -> AdapterStopped:
    """What its owner is told when Discord closes a connection for good."""
    if code in _WRONG_SHARDS:
        return PartStopped(texts.DISCORD_WRONG_SHARDS)
    if code == _WRONG_TOKEN:
        return AdapterStopped(texts.DISCORD_LOGIN_REFUSED)
    return AdapterStopped(texts.DISCORD_CLOSED.format(code=code))


def _point_at(settings: Discord) -> None:
    """Where Discord is. discord.py keeps it for the whole process."""
    default = Discord()
    if settings.api_url != default.api_url:
        Route.BASE = settings.api_url.rstrip("/")
    if settings.gateway_url != default.gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(settings.gateway_url)
