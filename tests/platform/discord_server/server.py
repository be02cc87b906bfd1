"""The server as tests hold it: people speak and press, and what they see is read back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, TypeVar

from aiohttp import web

from tests.platform.discord_server import payloads
from tests.platform.discord_server.faults import Faults
from tests.platform.discord_server.gateway import Gateway
from tests.platform.discord_server.interactions import BUTTON, COMMAND, COMPLETION, FORM, Interaction, Interactions
from tests.platform.discord_server.rest import LARGEST_REQUEST, PREFIX, Asked, Rest
from tests.platform.discord_server.world import JSON, Attachment, Channel, Guild, Message, User, World, real_now

T = TypeVar("T")
TOKEN = "discord-token"
HOST = "127.0.0.1"
WITHIN_S = 60.0
"""Seconds after which something awaited has not come."""


class DiscordServer:
    """One Discord. Made by `open_discord`."""

    def __init__(self, now: Callable[[], datetime], heartbeat_s: float) -> None:
        self.token = TOKEN
        self.world = World(now)
        self.faults = Faults()
        self.gateway = Gateway(self.world, self.faults, TOKEN, heartbeat_s)
        self._rest = Rest(self.world, self.gateway, self.faults, TOKEN)
        self._interactions = Interactions(self._rest)
        self._runner: web.AppRunner | None = None
        self.port = 0

    @property
    def bot(self) -> User:
        """The bot itself."""
        return self.world.bot

    @property
    def api_url(self) -> str:
        """For `discord.http.Route.BASE`."""
        return f"http://{HOST}:{self.port}{PREFIX}"

    @property
    def gateway_url(self) -> str:
        """For `DiscordWebSocket.DEFAULT_GATEWAY`."""
        return f"ws://{HOST}:{self.port}/gateway"

    @property
    def asked(self) -> list[Asked]:
        """Every REST request so far."""
        return self._rest.asked

    # Setting the scene.

    def add_user(self, name: str, global_name: str | None = None, *, bot: bool = False) -> User:
        """Somebody new."""
        return self.world.add_user(name, global_name, bot=bot)

    def add_guild(self, name: str, *members: User, owner: User | None = None, shard: tuple[int, int] = (0, 1)) -> Guild:
        """A server with the bot and these people in it; before the bot connects. `shard`: its number, of how many."""
        world = self.world
        guild_id = world.snowflake()
        guild_id -= ((guild_id >> 22) % shard[1] - shard[0]) << 22
        guild = Guild(guild_id, name, owner or (members[0] if members else world.owner), world.snowflake())
        guild.members = {one.id: one for one in (world.bot, guild.owner, *members)}
        world.guilds[guild.id] = guild
        return guild

    def add_channel(self, guild: Guild, name: str, *, readable: bool = True, public: bool = True) -> Channel:
        """A text channel; before the bot connects."""
        return self.world.add_channel(Channel(self.world.snowflake(), name, guild, readable=readable, public=public))

    async def add_thread(self, parent: Channel, name: str, *, public: bool = True) -> Channel:
        """A thread; the bot is told where it is connected."""
        thread = self.world.add_channel(Channel(self.world.snowflake(), name, parent.guild, parent, public=public))
        await self.gateway.dispatch("THREAD_CREATE", payloads.channel(thread) | {"newly_created": True})
        return thread

    def open_dm(self, user: User) -> Channel:
        """The bot's DM with somebody."""
        return self.world.dm(user)

    # What becomes of servers and channels; the bot is told.

    async def invite(self, guild: Guild) -> None:
        """Adds the bot to a server that was made after it had connected."""
        content = payloads.guild(self.world, guild)
        del content["unavailable"]
        await self.gateway.dispatch("GUILD_CREATE", content)

    async def remove_bot(self, guild: Guild) -> None:
        """Removes the bot from a server; it is told if it listens."""
        del self.world.guilds[guild.id]
        await self.gateway.dispatch("GUILD_DELETE", {"id": str(guild.id)})

    async def outage(self, guild: Guild) -> None:
        """A server is not available for a moment, and is again."""
        await self.begin_outage(guild)
        await self.end_outage(guild)

    async def begin_outage(self, guild: Guild) -> None:
        """From now on a server is not available: nothing is told of it, and new sessions do not get to know it."""
        await self.gateway.dispatch("GUILD_DELETE", {"id": str(guild.id), "unavailable": True})
        self.gateway.unavailable.add(guild.id)

    async def end_outage(self, guild: Guild) -> None:
        """It is available again."""
        self.gateway.unavailable.remove(guild.id)
        await self.gateway.dispatch("GUILD_CREATE", payloads.guild(self.world, guild))

    async def open_channel(self, guild: Guild, name: str, *, public: bool = True) -> Channel:
        """A new channel."""
        channel = self.add_channel(guild, name, public=public)
        await self.gateway.dispatch("CHANNEL_CREATE", payloads.channel(channel))
        return channel

    async def set_public(self, channel: Channel, *, public: bool) -> None:
        """Lets everyone on the server see a channel, or only some."""
        channel.public = public
        await self.gateway.dispatch("CHANNEL_UPDATE", payloads.channel(channel))

    async def let_everyone(self, guild: Guild, allowed: int) -> None:
        """Changes what everyone may on a server."""
        guild.everyone = allowed
        changed = {"guild_id": str(guild.id), "role": payloads.role(guild.id, "@everyone", None, allowed)}
        await self.gateway.dispatch("GUILD_ROLE_UPDATE", changed)

    async def delete_channel(self, channel: Channel) -> None:
        """Deletes a channel with its threads, or a thread."""
        event = "THREAD_DELETE" if channel.parent is not None else "CHANNEL_DELETE"
        for one in self.world.channels.values():
            one.deleted = one.deleted or one is channel or one.parent is channel
        await self.gateway.dispatch(event, payloads.channel(channel))

    def delete_account(self, user: User, *, known: bool = True) -> None:
        """Deletes somebody's account: what they said stays, under no name; `known` False: not even that is there."""
        user.name, user.global_name, user.takes_dms, user.known = f"deleted_user_{user.id:x}", None, False, known

    # What people do.

    async def say(
        self,
        user: User,
        channel: Channel,
        text: str = "",
        *,
        reply_to: Message | None = None,
        attachments: Sequence[Attachment] = (),
        at: datetime | None = None,
        extra: JSON | None = None,
    ) -> Message:
        """Says something, now or `at` an earlier time; returns when it has been dispatched."""
        world = self.world
        message = Message(
            world.snowflake(at), channel, user, text, at or world.now(), None if reply_to is None else reply_to.id,
            attachments=tuple(attachments), extra=extra or {},
        )  # fmt: skip
        world.put(message)
        if channel.readable:
            await self._rest.tell("MESSAGE_CREATE", message)
        return message

    async def edit(self, message: Message, text: str) -> None:
        """Its author edits a message."""
        self.world.rewrite(message, text)
        await self._rest.tell("MESSAGE_UPDATE", message)

    async def unfurl(self, message: Message) -> None:
        """The preview of a link appears: an update that nobody wrote."""
        await self._rest.tell("MESSAGE_UPDATE", message)

    async def delete(self, *messages: Message) -> None:
        """Deletes messages of one channel, in bulk where it is more than one."""
        for message in messages:
            self.world.remove(message)
        await self._rest.tell_deleted(*messages)

    async def redeliver(self, message: Message) -> None:
        """Dispatches a message once more."""
        await self._rest.tell("MESSAGE_CREATE", message)

    async def slash(
        self,
        user: User,
        channel: Channel,
        command: str,
        options: Mapping[str, Any] | None = None,
        locale: str = "en-US",
    ) -> Interaction:
        """Uses a slash command, such as "memory list"; raises LookupError where the bot has not registered it."""
        content = self._interactions.command(command, options or {})
        return await self._interactions.begin(COMMAND, user, channel, content, locale=locale)

    async def choose(self, user: User, message: Message, entry: str) -> Interaction:
        """Chooses an entry in the menu of a message; raises LookupError where the bot has registered none."""
        content = self._interactions.menu(entry, message)
        return await self._interactions.begin(COMMAND, user, message.channel, content)

    async def hand_in(self, opened: Interaction, words: str) -> Interaction:
        """Fills in a form's only field, and hands it in."""
        assert opened.form is not None
        label = opened.form["components"][0]
        field = label["component"] | {"value": words}
        content = {
            "custom_id": opened.form["custom_id"],
            "components": [{"type": 18, "id": 1, "component": {"type": 4, "id": 2, **field}}],
        }
        return await self._interactions.begin(FORM, opened.user, opened.channel, content, opened.pressed)

    async def react(self, user: User, message: Message, emoji: str) -> None:
        """Puts an emoji under a message."""
        channel = message.channel
        content: JSON = {
            "user_id": str(user.id),
            "channel_id": str(channel.id),
            "message_id": str(message.id),
            "message_author_id": str(message.author.id),
            "emoji": {"id": None, "name": emoji},
            "burst": False,
            "type": 0,
        }
        if channel.guild is not None:
            member = payloads.member(channel.guild, user, alone=True)
            content |= {"guild_id": str(channel.guild.id), "member": member}
        await self.gateway.dispatch("MESSAGE_REACTION_ADD", content)

    async def press(self, user: User, message: Message, button: str) -> Interaction:
        """Presses a button by its label or custom id; raises LookupError where this person sees none."""
        ids = [message.buttons.get(button), *(one for one in message.buttons.values() if one == button)]
        custom_id = next((one for one in ids if one), None)
        if custom_id is None or (message.shown_to or user) is not user:
            raise LookupError(f"{user.name} sees no {button!r} among {list(message.buttons)}")
        content = {"custom_id": custom_id, "component_type": 2}
        return await self._interactions.begin(BUTTON, user, message.channel, content, message)

    async def suggestions(
        self, user: User, channel: Channel, command: str, option: str, typed: str
    ) -> list[tuple[str, str]]:
        """What is offered while somebody types: (label, value)."""
        content = self._interactions.command(command, {option: typed}, focused=option)
        begun = await self._interactions.begin(COMPLETION, user, channel, content)
        await self.until(lambda: begun.acknowledged)
        return [(one["name"], str(one["value"])) for one in begun.choices or []]

    # What people see.

    def messages(self, channel: Channel) -> list[Message]:
        """What everybody in the channel sees now, the oldest first."""
        return self.world.history(channel)

    def replies(self, channel: Channel) -> list[Message]:
        """What the bot said there and has not taken back."""
        return [one for one in self.messages(channel) if one.author is self.bot]

    def transcript(self, channel: Channel) -> str:
        """The channel as lines, for a note or a failed test."""
        return "\n".join(f"{one.author.name}: {one.content}" for one in self.messages(channel))

    async def until(self, question: Callable[[], T | None], within_s: float = WITHIN_S) -> T:
        """Waits until something is true of what is seen, and returns it; raises AssertionError."""
        try:
            return await self.world.changes.until(question, within_s)
        except TimeoutError:
            seen = "\n".join(f"#{one.name}\n{self.transcript(one)}" for one in self.world.channels.values())
            raise AssertionError(f"not within {within_s} s. Seen:\n{seen}") from None

    async def until_connected(self, within_s: float = WITHIN_S) -> None:
        """Waits until a bot listens."""
        await self.until(lambda: self.gateway.connected, within_s)

    async def wait_for_reply(self, message: Message, text: str | None = None, within_s: float = WITHIN_S) -> Message:
        """The bot's reply to a message; with `text`, when that is all it says (growing replies end at it).

        A reply refers to the message, or stands after it in a DM.
        """

        def reply() -> Message | None:
            for one in self.replies(message.channel):
                here = one.reference == message.id or (message.channel.recipient is not None and one.id > message.id)
                if here and text in {None, one.content}:
                    return one
            return None

        return await self.until(reply, within_s)

    async def answer(self, interaction: Interaction, within_s: float = WITHIN_S) -> Message:
        """The answer to a command or a press, when it is no longer thought of."""
        await self.until(lambda: interaction.answered, within_s)
        assert interaction.response is not None
        return interaction.response

    # The machine.

    async def start(self) -> None:
        """Listens, at the port it had before where it had one."""
        app = web.Application(middlewares=[self._rest.edge], client_max_size=LARGEST_REQUEST)
        app.add_routes([*self._rest.routes(), *self._interactions.routes(), web.get("/gateway", self.gateway.listen)])
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, self.port, reuse_address=True)
        await site.start()
        self.port = int(self._runner.addresses[0][1])
        self.gateway.url = self.gateway_url

    async def stop(self) -> None:
        """Breaks all connections and listens no more."""
        runner, self._runner = self._runner, None
        if runner is None or runner.server is None:
            return
        self.gateway.abort()
        for planned in self.faults.planned:
            planned.release.set()
        for site in list(runner.sites):
            await site.stop()
        for connection in runner.server.connections:
            if connection.transport is not None:
                connection.transport.abort()
        await runner.cleanup()

    @asynccontextmanager
    async def api_down(self) -> AsyncIterator[None]:
        """Refuses every connection while the context is open; sessions can be resumed afterwards."""
        await self.stop()
        try:
            yield
        finally:
            await self.start()


@asynccontextmanager
async def open_discord(
    *, now: Callable[[], datetime] = real_now, heartbeat_s: float = 5.0
) -> AsyncIterator[DiscordServer]:
    """A Discord with nobody in it but the bot and its owner; `heartbeat_s` is the interval it asks for."""
    server = DiscordServer(now, heartbeat_s)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
