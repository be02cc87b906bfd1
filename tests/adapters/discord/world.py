"""The real adapter on a simulated Discord (simcord), and a core that keeps what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import discord
import simcord
from simcord.env import Env

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.client import Companion
from adapters.discord.reading import dm_with
from bot.config import Settings, load_settings
from bot.domain import Answer, Asker, Call, Outgoing, Place, Reaction, Utterance
from bot.errors import StorageError
from bot.ports import Messenger

PATIENCE_S = 10.0
SIMULATION_BEGINS = datetime(2026, 1, 1, tzinfo=UTC)
"""Where simcord's clock starts."""


@dataclass
class Ear:
    """A core that stores nothing and answers commands as it is told. `failing`: how many receives fail next."""

    heard: list[Utterance] = field(default_factory=list)
    edits: list[tuple[str, str]] = field(default_factory=list)
    deletions: list[tuple[str, ...]] = field(default_factory=list)
    calls: list[tuple[Call, Asker]] = field(default_factory=list)
    answer: Callable[[Call, Asker], Answer] = lambda call, asker: Answer(f"{asker.speaker.name} asked {call.command}")
    reactions: list[Reaction] = field(default_factory=list)
    reaction_answer: Answer | None = None
    dms: list[Place] = field(default_factory=list)
    off: set[Place] = field(default_factory=set)
    seen: datetime | None = None
    servers: list[str] = field(default_factory=list)
    public: dict[Place, bool] = field(default_factory=dict)
    """Which places everybody can read, as far as it was told."""
    told: list[tuple[str, str]] = field(default_factory=list)
    """What else was told: what it is, and of whom or what."""
    hold_commands: asyncio.Event | None = None
    """Until it is set, no command is answered."""
    connections: int = 0
    failing: int = 0

    async def receive(self, utterance: Utterance) -> bool:
        """Keeps an utterance once."""
        if self.failing:
            self.failing -= 1
            raise StorageError("the disk is full")
        if utterance.message_id in {said.message_id for said in self.heard}:
            return False
        self.heard.append(utterance)
        return True

    async def edited(self, platform: str, message_id: str, text: str) -> bool:
        """Keeps an edit."""
        self.edits.append((message_id, text))
        return True

    async def deleted(self, platform: str, message_ids: Sequence[str]) -> None:
        """Keeps a deletion."""
        self.deletions.append(tuple(message_ids))

    async def command(self, call: Call, asker: Asker) -> Answer:
        """Answers as `answer` says."""
        self.calls.append((call, asker))
        if self.hold_commands is not None:
            await self.hold_commands.wait()
        return self.answer(call, asker)

    async def reacted(self, reaction: Reaction) -> Answer | None:
        """Keeps a reaction, and answers as `reaction_answer` says."""
        self.reactions.append(reaction)
        return self.reaction_answer

    async def suggest(self, command: str, parameter: str, typed: str, asker: Asker) -> list[tuple[str, str]]:
        """Nothing."""
        return []

    async def connected(self) -> None:
        """Counts."""
        self.connections += 1

    async def seen_until(self, platform: str) -> datetime | None:
        """What `saw` said last."""
        return self.seen

    async def saw(self, platform: str, until: datetime) -> None:
        """Never goes back."""
        self.seen = max(self.seen or until, until)

    async def known_dms(self, platform: str) -> list[Place]:
        """As set."""
        return self.dms

    async def visible(self, places: Mapping[Place, bool]) -> None:
        """Keeps what is told."""
        self.public.update(places)
        self.told.append(("visible", ""))

    async def joined(self, platform: str, server: str) -> None:
        """Keeps it."""
        self.told.append(("joined", server))
        if server not in self.servers:
            self.servers.append(server)

    async def left(self, platform: str, server: str) -> None:
        """Keeps it."""
        self.told.append(("left", server))

    async def known_servers(self, platform: str) -> list[str]:
        """As set."""
        return [*self.servers]

    async def moved(self, old: Place, new: Place) -> None:
        """Discord's channels keep their ids."""
        raise AssertionError("Discord's channels keep their ids")

    async def place_deleted(self, place: Place) -> None:
        """Keeps it."""
        self.told.append(("deleted", place.ref))

    async def gone(self, speaker_id: str) -> None:
        """Keeps it."""
        self.told.append(("gone", speaker_id))

    async def reads(self, place: Place) -> bool:
        """All but `off`."""
        return place not in self.off

    async def end_session(self, place: Place) -> bool:
        """There are none."""
        return False

    async def idle(self) -> None:
        """Always."""

    async def recent(self, place: Place, limit: int) -> list[Utterance]:
        """What was heard there."""
        return [said for said in self.heard if said.place == place][-limit:]


@dataclass
class World:
    """A simulated Discord with the adapter on it."""

    env: Env
    ear: Ear
    adapter: DiscordAdapter
    work: asyncio.Task[None] | None = None

    def begin(self, client: Companion) -> None:
        """What the adapter runs beside a client."""
        self.work = asyncio.create_task(client.work())

    async def end(self) -> None:
        """The end of a client, as the adapter does it."""
        assert self.work is not None
        self.work.cancel()
        await asyncio.gather(self.work, return_exceptions=True)
        await self.companion.finish()

    @property
    def messenger(self) -> Messenger:
        """How replies get out."""
        return self.adapter.messenger

    @property
    def companion(self) -> Companion:
        """The client of now."""
        assert isinstance(self.env.bot, Companion)
        return self.env.bot

    async def heard(self, count: int) -> list[Utterance]:
        """Waits until so much was heard."""
        await eventually(lambda: len(self.ear.heard) >= count)
        assert len(self.ear.heard) == count
        return self.ear.heard

    async def restart(self, while_away: Callable[[], Any] = lambda: None) -> None:
        """The same Discord with a new client, as after a restart of the program."""
        await self.end()
        feeds = list(self.env.backend.subscribers)
        self.env.backend.subscribers.clear()
        while_away()
        self.env.backend.subscribers.extend(feeds)
        self.ear.connections = 0
        client = self.adapter.client(self.ear)
        self.begin(client)
        await self.env.restart_bot(client)
        await eventually(lambda: self.ear.connections == 1)


class SimulatedTime:
    """simcord's clock, once there is one."""

    def __init__(self) -> None:
        self.env: Env | None = None

    def now(self) -> datetime:
        """The time of the simulation."""
        return self.env.now() if self.env else SIMULATION_BEGINS


@asynccontextmanager
async def open_world(
    ear: Ear | None = None, *, extensions: Sequence[str] = (), overrides: Mapping[str, object] | None = None
) -> AsyncIterator[World]:
    """Discord with nobody on it but the companion."""
    ear, time = ear or Ear(), SimulatedTime()
    adapter = DiscordAdapter(settings_with(overrides or {}), time, extensions=extensions)
    client = adapter.client(ear)
    async with simcord.run(client) as env:
        time.env = env
        world = World(env, ear, adapter)
        with env.time_context():
            world.begin(client)
            try:
                await eventually(lambda: ear.connections == 1)
                yield world
            finally:
                await world.end()


def settings_with(overrides: Mapping[str, object], login: str = "let me in") -> Settings:
    """Settings with a token."""
    return load_settings(None, {"DISCORD_TOKEN": login}, discord__edit_every_s=0.1, **overrides)


async def eventually(condition: Callable[[], bool]) -> None:
    """Waits until something is so."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110  # the condition is about anything in the simulation
            await asyncio.sleep(0.005)


def outgoing(place: Place, text: str, **changes: Any) -> Outgoing:
    """A reply that is to be sent."""
    return Outgoing(**{"id": 1, "place": place, "text": text, "nonce": "0123456789abcdef01234567", **changes})


def dm(person: Any) -> Place:
    """The DM with a simulated user."""
    return dm_with(person.id)


def channel(of: Any, server: Any) -> Place:
    """The place of a simulated channel."""
    return Place.parse(f"discord:channel:{server.id}/{of.id}")


def messages_of(env: Env, of: Any) -> list[discord.Message]:
    """What the companion has said in a channel."""
    assert env.bot.user is not None
    me = env.bot.user.id
    return [message for message in of.history() if message.author.id == me]
