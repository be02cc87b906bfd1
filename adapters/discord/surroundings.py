"""Where the companion is on Discord: its servers, which of their channels everybody can read, and what is gone.

What was deleted while it was away is not noticed, but for the servers that it was removed from.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import timedelta

import discord
import structlog
from discord.ext import commands

from adapters.discord.buttons import view_of
from adapters.discord.intake import Changed, Intake
from adapters.discord.messenger import FAULTS
from adapters.discord.reading import PLATFORM, channel_place, is_public
from adapters.discord.sharding import ONLY, Shard
from bot.domain import Answer, Place, PlaceKind
from bot.ports import Core
from bot.texts.translating import speaking

LANE = "servers"
LATELY = timedelta(days=2)
"""Since when it may be on a server to be greeted at the start."""

_log = structlog.get_logger(__name__)


class Surroundings(commands.Cog):
    """Hears of servers, channels and roles, and has the core told, in the intake's order. Nothing here waits.

    `greeting` is made, in the server's language, and said on a server that it was just added to.
    """

    def __init__(
        self,
        client: discord.Client,
        core: Core,
        intake: Intake,
        greeting: Callable[[], Answer],
        shard: Shard = ONLY,
    ) -> None:
        self._greeting = greeting
        self._shard = shard
        self._client = client
        self._core = core
        self._intake = intake
        self._settled = set[str]()
        """People of whom it is known whether they are gone."""

    def person_alive(self, person: str) -> None:
        """Somebody whose name looks like that of a deleted account says something."""
        self._settled.add(person)

    def person_gone(self, person: str) -> None:
        """The account with this id has been deleted. The core is told once for each client."""
        if person not in self._settled:
            self._settled.add(person)
            self._tell(lambda: self._core.gone(f"{PLATFORM}:{person}"))

    @commands.Cog.listener()
    async def on_ready(self) -> None:
        """All servers are known; those that are in trouble are among them, without their channels."""
        guilds = tuple(self._client.guilds)
        self._tell(lambda: self._begin(guilds))

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        """It was added to a server."""
        self._tell(lambda: self._join(guild))
        self._see(_channels(guild))

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        """A server that was in trouble is back, perhaps with other permissions."""
        self._see(_channels(guild))

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """It was removed from a server, or the server was deleted; one in trouble does not come this way."""
        self._tell(lambda: self._core.left(PLATFORM, str(guild.id)))

    @commands.Cog.listener("on_guild_channel_create")
    @commands.Cog.listener("on_thread_create")
    @commands.Cog.listener("on_thread_join")
    async def on_new(self, channel: discord.abc.GuildChannel | discord.Thread) -> None:
        """A new channel or thread, or a thread that was not known before."""
        self._see([channel])

    @commands.Cog.listener()
    async def on_guild_channel_update(
        self, _before: discord.abc.GuildChannel, channel: discord.abc.GuildChannel
    ) -> None:
        """A channel may be readable for others now, and its threads with it."""
        self._see([channel, *(thread for thread in channel.guild.threads if thread.parent_id == channel.id)])

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """A channel was deleted; its threads are told of one by one, as far as they were known."""
        place = channel_place(channel)
        if place is not None:
            self._deleted(place)

    @commands.Cog.listener()
    async def on_thread_update(self, _before: discord.Thread, thread: discord.Thread) -> None:
        """A thread changed."""
        self._see([thread])

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        """A thread was deleted, perhaps one that was archived long ago."""
        ref = f"{payload.guild_id}/{payload.parent_id}/{payload.thread_id}"
        self._deleted(Place(PLATFORM, PlaceKind.CHANNEL, ref))

    @commands.Cog.listener()
    async def on_guild_role_update(self, _before: discord.Role, role: discord.Role) -> None:
        """What everybody may do on a server may have changed."""
        if role.is_default():
            self._see(_channels(role.guild))

    async def _join(self, guild: discord.Guild) -> None:
        """Says hello where it was not before."""
        is_new = str(guild.id) not in await self._core.known_servers(PLATFORM)
        await self._core.joined(PLATFORM, str(guild.id))
        if is_new:
            await self._greet(guild)

    async def _greet(self, guild: discord.Guild) -> None:
        """Says hello in the channel of Discord's own notices, else in the first where it may write."""
        channel = next(filter(_may_write, (guild.system_channel, *guild.text_channels)), None)
        if channel is None:
            return
        with speaking(guild.preferred_locale.value):
            greeting = self._greeting()
        view = view_of(greeting.choices) or discord.utils.MISSING
        try:
            await channel.send(greeting.text, view=view, allowed_mentions=discord.AllowedMentions.none())
        except FAULTS as fault:
            _log.warning("nobody could be greeted on a new server", fault=type(fault).__name__)

    async def _begin(self, guilds: Iterable[discord.Guild]) -> None:
        here = {str(guild.id): guild for guild in guilds}
        known = [*filter(self._shard.has_server, await self._core.known_servers(PLATFORM))]
        for server in known:
            if server not in here:
                await self._core.left(PLATFORM, server)
        for server in sorted(here):
            await self._core.joined(PLATFORM, server)
            if server not in known and _joined_lately(here[server]):
                await self._greet(here[server])
        seen = _visible(channel for guild in guilds for channel in _channels(guild))
        if seen:
            await self._core.visible(seen)

    def _see(self, channels: Iterable[object]) -> None:
        seen = _visible(channels)
        if seen:
            self._tell(lambda: self._core.visible(seen))

    def _deleted(self, place: Place) -> None:
        """In the channel's own lane: what was said there before comes before."""
        lane = place.ref.rpartition("/")[2]
        self._intake.put(lane, Changed(lambda: self._core.place_deleted(place)))

    def _tell(self, tell: Callable[[], Awaitable[None]]) -> None:
        self._intake.put(LANE, Changed(tell))


def _joined_lately(guild: discord.Guild) -> bool:
    """Whether it was added while it did not run, and not long ago: owners often invite it before they start it."""
    joined = guild.me.joined_at if guild.me is not None else None
    return joined is not None and discord.utils.utcnow() - joined < LATELY


def _may_write(channel: discord.TextChannel | None) -> bool:
    if channel is None:
        return False
    allowed = channel.permissions_for(channel.guild.me)
    return allowed.view_channel and allowed.send_messages


def _channels(guild: discord.Guild) -> list[object]:
    """All channels and threads in which something can be said, or that threads hang on."""
    return [*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.forums, *guild.threads]


def _visible(channels: Iterable[object]) -> Mapping[Place, bool]:
    """Which of these everybody on their server can read, as far as that is known."""
    known = ((channel_place(channel), is_public(channel)) for channel in channels)
    return {place: public for place, public in known if place is not None and public is not None}
