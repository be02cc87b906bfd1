"""The Discord client of one connection: events to the core, in order, and what a new session has to catch up on."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Self

import discord
import structlog
from discord.ext import commands
from discord.state import ConnectionState

from adapters.discord.absences import Absences
from adapters.discord.answering import CallButton
from adapters.discord.catching_up import CatchUp, Missed, asked, dm_lane
from adapters.discord.intake import Changed, Deleted, Edited, Happening, Intake, Said
from adapters.discord.messenger import FAULTS
from adapters.discord.reactions import Reactions
from adapters.discord.reading import PLATFORM, Me, is_deleted, is_said, utterance, words
from adapters.discord.sharding import ONLY, IdentifyTurns, Shard
from adapters.discord.surroundings import Surroundings
from adapters.discord.syncing import sync_if_changed
from adapters.discord.translating import Translations
from adapters.discord.typed_commands import TypedCommands, typed_command
from adapters.discord.unreadable import UNREADABLE, SkippingState
from adapters.pace import COMMANDS_PER_MINUTE, Pace
from bot.config import Settings
from bot.errors import StorageError
from bot.ports import Clock, Core
from bot.usecases.channel import welcome

NOTED_EVERY_S = 15.0
"""Seconds between notes of how far everything has been seen."""

MARGIN = timedelta(minutes=3)
"""How much of the latest past is not yet taken for seen: a dead connection is noticed within 100 seconds."""

LATE = timedelta(seconds=5)
"""How much later than others a message may reach us."""

DRAIN_S = 10.0
"""Seconds for what has been heard and not yet handed over when the client stops."""

MISSED_S = 20.0
"""Seconds for which everything that was missed is waited for; then replies go out, and slow channels come later."""

CHANNEL_S = 3.0
"""Seconds that a live message is held up when its channel has to be asked for; all others wait behind it."""

AGAIN_S = 5.0
"""Seconds before what failed at the beginning of a session is tried again."""

COMMANDS_S = 1.0
"""Seconds that telling the slash commands may hold up the connection, so that they are there at the first start."""

LONGEST_WAIT_S = 30.0
"""Seconds discord.py may wait for a rate limit by itself; beyond, the outbox waits."""

_log = structlog.get_logger(__name__)


def intents() -> discord.Intents:
    """What Discord is asked to tell. Message content is the one that an owner has to allow."""
    return discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True, reactions=True)


class Companion(commands.Bot):
    """discord.py's client, handing what it hears to `core`. Slash commands are in `extensions`.

    Each shard has a client of its own. `turns`: who of several processes may identify; None: there is only this one.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        core: Core,
        *,
        extensions: Sequence[str] = ("cogs",),
        shard: Shard = ONLY,
        turns: IdentifyTurns | None = None,
    ) -> None:
        sharding: dict[str, Any] = {} if shard == ONLY else {"shard_id": shard.id, "shard_count": shard.count}
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=intents(),
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=None,
            max_ratelimit_timeout=LONGEST_WAIT_S,
            **sharding,
        )
        self._shard = shard
        self._turns = turns
        self.settings = settings
        self.core = core
        self.presses = Pace(clock, COMMANDS_PER_MINUTE)
        self._clock = clock
        self._to_load = extensions
        self._intake = Intake(self._deal)
        greeting = partial(welcome, settings.agent.name, settings.channels.mode)
        self._surroundings = Surroundings(self, core, self._intake, greeting, shard)
        self._syncing: asyncio.Task[None] | None = None
        """The telling of the slash commands, beside the connection."""
        self._to_read = asyncio.Event()
        """Set when something was missed: before this session, or on a server that is told of late."""
        self._absences = absences = Absences(self._intake, clock.now, self._to_read.set)
        self._typed = TypedCommands(self)
        self._catch_up = CatchUp(self, core, self._intake, settings.discord, self.person_gone, absences.release, shard)
        self._is_new = False
        """Whether there is a session that nothing has been read for yet."""
        self._session = 0
        self._since = clock.now()
        self._readings = set[asyncio.Task[None]]()
        """Those of what was missed, while they go on: of a session's beginning, and of servers that came back."""
        self._listening = False
        self._caught_up = False

    def _get_state(self, **options: Any) -> ConnectionState[Self]:
        state = {"dispatch": self.dispatch, "handlers": self._handlers, "hooks": self._hooks, "http": self.http}
        return SkippingState(**state, **options)

    @property
    def had_session(self) -> bool:
        """Whether it has ever been connected."""
        return self._session > 0

    @property
    def owners(self) -> frozenset[int]:
        """Who owns the application on Discord: a person, or a team."""
        application = self.application
        if application is None:
            return frozenset()
        team = application.team.members if application.team else ()
        return frozenset({application.owner.id, *(member.id for member in team)})

    async def setup_hook(self) -> None:
        """Loads the slash commands, once logged in, and begins to tell Discord about them."""
        self.add_dynamic_items(CallButton)
        await self.add_cog(self._surroundings)
        await self.add_cog(Reactions(self, self.core, self.presses))
        await self.add_cog(self._typed)
        await self.tree.set_translator(Translations())
        for extension in self._to_load:
            await self.load_extension(extension)
        if not self._shard.is_first:
            return
        # Owned by the client, whose `close` ends it.
        self._syncing = asyncio.create_task(self._sync_commands(), name="discord commands")
        await asyncio.wait([self._syncing], timeout=COMMANDS_S)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Waits until this connection may begin. Raises NoTurn."""
        if self._turns is None:
            await super().before_identify_hook(shard_id, initial=initial)
        else:
            await self._turns.take(self, self._shard.id)

    def person_gone(self, person: str) -> None:
        """Discord says that the account with this id has been deleted."""
        self._surroundings.person_gone(person)

    async def work(self) -> None:
        """Hands over what is heard, catches up, and notes how far everything has been seen; without end."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._intake.run(), name="discord intake")
            group.create_task(self._begin_sessions(), name="discord sessions")
            group.create_task(self._note_presence(), name="discord presence")

    async def close(self) -> None:
        """Ends the connection; also what discord.py still waits for in the first seconds of a session."""
        waiting = self._connection._ready_task  # noqa: SLF001  # discord.py leaves it running, and it fails then
        for task in (waiting, self._syncing):
            if task is not None:
                task.cancel()
        await super().close()

    async def finish(self) -> None:
        """Hands over what was heard before the end, and notes it."""
        surely = self._listening and self._caught_up
        handed_over = await self._intake.finish(DRAIN_S)
        latest = self._intake.latest
        if surely and handed_over and latest is not None:
            await self._saw(self._surely_until(latest - LATE))

    # What discord.py tells. Each only puts something into the line: tasks begin in the order of events, and none of
    # these waits for anything.

    async def on_connect(self) -> None:
        """A new session: what happened before it is not told again, so nothing goes on before it is known."""
        self._session += 1
        self._since = self._clock.now()
        self._listening, self._caught_up = True, False
        self._intake.hold_all()
        self._absences.forget()
        for reading in self._readings:
            reading.cancel()  # the new session reads it all again

    async def on_ready(self) -> None:
        """The new session knows its servers, but for those that are told of late."""
        self._absences.begin(self.guilds)
        self._is_new = True
        self._to_read.set()

    async def on_resumed(self) -> None:
        """The session goes on; what was missed has been told."""
        self._listening = True

    async def on_disconnect(self) -> None:
        """Nothing is heard."""
        self._listening = False

    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """Discord has trouble with a server, and tells nothing of it."""
        self._absences.went(guild, self._surely_until(self._clock.now() - MARGIN))

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """A server is told of again, or late."""
        self._absences.came(guild)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """It is on a server no more."""
        self._absences.gone(guild)

    async def on_message(self, message: discord.Message, /) -> None:
        """Somebody said something, and no command (`typed_commands.py`)."""
        if is_said(message) and typed_command(message, self.me) is None:
            if is_deleted(message.author):
                self._surroundings.person_alive(str(message.author.id))
            self._intake.put(_lane(message), Said(message))

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """A message changed; link previews come this way too, without a time of editing."""
        if is_said(payload.message) and payload.message.edited_at is not None:
            self._intake.put(_lane(payload.message), Edited(payload.message))

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """A message was deleted."""
        self._intake.put(str(payload.channel_id), Deleted((payload.message_id,)))

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Many messages were deleted at once."""
        self._intake.put(str(payload.channel_id), Deleted(tuple(sorted(payload.message_ids))))

    async def _deal(self, happening: Happening) -> None:
        """Hands one happening to the core. Raises StorageError."""
        match happening:
            case Said(message, missed) if missed and typed_command(message, self.me) is not None:
                await self._typed.missed(message)
            case Said(message, missed) if missed and is_deleted(message.author):
                self.person_gone(str(message.author.id))
            case Said(message, missed):
                said = utterance(await self._completed(message), self.me)
                if said is not None:
                    await self.core.receive(replace(said, caught_up=missed))
            case Edited(message):
                await self.core.edited(PLATFORM, str(message.id), words(message, self.me))
            case Deleted(message_ids):
                await self.core.deleted(PLATFORM, [str(message_id) for message_id in message_ids])
            case Changed(tell):
                await tell()

    async def _completed(self, message: discord.Message) -> discord.Message:
        """The message with what Discord leaves out: the channel of an old thread."""
        if isinstance(message.channel, discord.PartialMessageable):
            channel: Any = await asked(self.fetch_channel(message.channel.id), CHANNEL_S)
            message.channel = channel or message.channel
        return message

    @property
    def me(self) -> Me:
        """The companion, as Discord knows it."""
        return Me(self.user.id if self.user else 0, self.settings.agent.name)

    async def _sync_commands(self) -> None:
        """Tells Discord about the slash commands. What it does not take is told of again at the next start."""
        try:
            await sync_if_changed(self, self.tree)
        except (*FAULTS, *UNREADABLE, discord.DiscordException) as fault:
            code = fault.code if isinstance(fault, discord.HTTPException) else 0
            _log.warning("Discord did not take the slash commands", fault=type(fault).__name__, code=code)

    async def _begin_sessions(self) -> None:
        """Begins what is to be read, beside what is being read."""
        async with asyncio.TaskGroup() as readings:
            while True:
                await self._to_read.wait()
                self._to_read.clear()
                begins, self._is_new = self._is_new, False
                try:
                    if begins:
                        await self._begin(self._session, readings)
                        begins = False
                    await self._read_returned(self._session, readings)
                except StorageError:
                    _log.exception("what was missed on Discord could not be looked for, and will be again")
                    await asyncio.sleep(AGAIN_S)
                    self._is_new = self._is_new or begins
                    self._to_read.set()

    def _reads(self, readings: asyncio.TaskGroup, reading: Coroutine[Any, Any, None]) -> None:
        task = readings.create_task(reading, name="discord catch-up")
        self._readings.add(task)
        task.add_done_callback(self._readings.discard)

    async def _begin(self, session: int, readings: asyncio.TaskGroup) -> None:
        """Catches up and lets everything go on, unless yet another session begins meanwhile, which does so then."""
        began = self._since
        since = await self.core.seen_until(self._shard.seen_as)
        self._absences.not_heard_since(since or began)
        if since is None:
            await self._saw(began)
            missed = Missed(discord.Object(0), ())
        else:
            self._intake.forget_losses()
            missed = await self._catch_up.missed(since, began)
        if session == self._session:
            self._intake.hold_only(missed.lanes | self._absences.lanes)
            self._reads(readings, self._read(missed, session))

    async def _read(self, missed: Missed, session: int) -> None:
        """Reads what was missed; a slow channel holds up nothing but itself."""
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(self._catch_up.read(missed), name="discord history")
            await asyncio.wait([reading], timeout=MISSED_S)
            went_on = await self._go_on(session)
        if went_on and session == self._session:
            await self._intake.passed()
            self._caught_up = session == self._session and reading.result()

    async def _read_returned(self, session: int, readings: asyncio.TaskGroup) -> None:
        """Begins to read servers that are told of again, unless yet another session begins meanwhile."""
        for guild in self._absences.back:
            missed = await self._catch_up.missed(self._absences.since(guild), self._clock.now(), [guild])
            if session != self._session:
                return
            held = self._absences.taken(guild)
            if held is not None:
                for lane in held - missed.lanes:
                    self._intake.release(lane)
                self._reads(readings, self._read_server(guild, missed, session))

    async def _read_server(self, guild: discord.Guild, missed: Missed, session: int) -> None:
        whole = await self._catch_up.read(missed)
        await self._intake.passed()
        if session == self._session:
            self._absences.over(guild, whole=whole)

    async def _go_on(self, session: int) -> bool:
        """Says that replies can be sent, when all that was missed and read is handed over; False in a new session."""
        await self._intake.passed()
        while session == self._session:
            try:
                await self.core.connected()
            except StorageError:
                _log.exception("what was not answered on Discord could not be looked for, and will be again")
                await asyncio.sleep(AGAIN_S)
            else:
                return True
        return False

    async def _note_presence(self) -> None:
        while True:
            await asyncio.sleep(NOTED_EVERY_S)
            if self._listening and self._caught_up and self.is_ready():
                await self._saw(self._surely_until(self._clock.now() - MARGIN))

    def _surely_until(self, time: datetime) -> datetime:
        """`time`, or until when everything has surely been heard and handed over, if that is before it."""
        return self._absences.surely_until(self._intake.surely_until(time))

    async def _saw(self, until: datetime) -> None:
        try:
            await self.core.saw(self._shard.seen_as, until)
        except StorageError:
            _log.exception("how far Discord has been seen could not be stored")


def _lane(message: discord.Message) -> str:
    """A DM's lane is its person's: their channel is not known before it is opened."""
    in_dm = isinstance(message.channel, discord.DMChannel)
    return dm_lane(message.author.id) if in_dm else str(message.channel.id)
