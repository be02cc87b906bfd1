"""The real adapter on our own Telegram, and a core that keeps what it is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from adapters.telegram.adapter import TelegramAdapter
from bot.clock import SystemClock
from bot.config import load_settings
from bot.domain import Answer, Asker, Call, Choice, Outgoing, Place, Reaction, Utterance
from bot.errors import StorageError
from bot.ports import Growing, Messenger
from tests.platform.telegram_server import TelegramServer, open_telegram


@dataclass
class Ear:
    """A core that stores nothing and answers commands as it is told. `failing`: how many receives fail next."""

    heard: list[Utterance] = field(default_factory=list)
    edits: list[tuple[str, str]] = field(default_factory=list)
    calls: list[tuple[Call, Asker]] = field(default_factory=list)
    answer: Callable[[Call, Asker], Answer] = lambda call, asker: Answer(f"{asker.speaker.name} asked {call.command}")
    reactions: list[Reaction] = field(default_factory=list)
    reaction_answer: Answer | None = None
    servers: list[str] = field(default_factory=list)
    told: list[tuple[str, str]] = field(default_factory=list)
    """What else was told: what it is, and of whom or what."""
    connections: int = 0
    failing: int = 0
    hold: asyncio.Event | None = None
    """Until it is set, nothing gets stored."""
    hold_commands: asyncio.Event | None = None
    """Until it is set, no command is answered."""
    poison: str = ""
    """Whoever says this finds a fault in the program."""
    happened: asyncio.Event = field(default_factory=asyncio.Event)

    async def receive(self, utterance: Utterance) -> bool:
        """Keeps an utterance once."""
        if self.hold is not None:
            self.happened.set()
            await self.hold.wait()
        if self.poison and utterance.text == self.poison:
            raise ValueError(f"nobody thought of {utterance.text}")
        if self.failing:
            self.failing -= 1
            raise StorageError("the disk is full")
        if utterance.message_id in {said.message_id for said in self.heard}:
            return False
        self.heard.append(utterance)
        self.happened.set()
        return True

    async def edited(self, platform: str, message_id: str, text: str) -> bool:
        """Keeps an edit."""
        self.edits.append((message_id, text))
        self.happened.set()
        return True

    async def deleted(self, platform: str, message_ids: Sequence[str]) -> None:
        """Telegram does not tell."""

    async def command(self, call: Call, asker: Asker) -> Answer:
        """Answers as `answer` says."""
        self.calls.append((call, asker))
        self.happened.set()
        if self.hold_commands is not None:
            await self.hold_commands.wait()
        return self.answer(call, asker)

    async def reacted(self, reaction: Reaction) -> Answer | None:
        """Keeps a reaction, and answers as `reaction_answer` says."""
        self.reactions.append(reaction)
        self.happened.set()
        return self.reaction_answer

    async def suggest(self, command: str, parameter: str, typed: str, asker: Asker) -> list[tuple[str, str]]:
        """Nothing."""
        return []

    async def connected(self) -> None:
        """Counts."""
        self.connections += 1

    async def seen_until(self, platform: str) -> datetime | None:
        """Never."""
        return None

    async def saw(self, platform: str, until: datetime) -> None:
        """Not needed where updates wait."""

    async def known_dms(self, platform: str) -> list[Place]:
        """None."""
        return []

    async def visible(self, places: Mapping[Place, bool]) -> None:
        """Keeps it."""
        self.told += [("public" if public else "closed", place.key) for place, public in places.items()]
        self.happened.set()

    async def joined(self, platform: str, server: str) -> None:
        """Keeps it."""
        self.told.append(("joined", server))
        self.happened.set()

    async def left(self, platform: str, server: str) -> None:
        """Keeps it."""
        self.told.append(("left", server))
        self.happened.set()

    async def known_servers(self, platform: str) -> list[str]:
        """As set."""
        return self.servers

    async def moved(self, old: Place, new: Place) -> None:
        """Keeps it."""
        self.told.append((f"moved {old.key}", new.key))
        self.happened.set()

    async def place_deleted(self, place: Place) -> None:
        """Telegram does not tell."""

    async def gone(self, speaker_id: str) -> None:
        """Keeps it."""
        self.told.append(("gone", speaker_id))
        self.happened.set()

    async def reads(self, place: Place) -> bool:
        """Everything."""
        return True

    async def end_session(self, place: Place) -> bool:
        """There are none."""
        return False

    async def idle(self) -> None:
        """Always."""

    async def recent(self, place: Place, limit: int) -> list[Utterance]:
        """What was heard there."""
        return [said for said in self.heard if said.place == place][-limit:]

    async def until(self, true: Callable[[], bool]) -> None:
        """Waits until something is so."""
        async with asyncio.timeout(20):
            while not true():
                self.happened.clear()
                await self.happened.wait()


@dataclass
class Running:
    """A Telegram and the adapter that runs on it."""

    telegram: TelegramServer
    ear: Ear
    messenger: Messenger

    def __post_init__(self) -> None:
        self.world = self.telegram.world

    async def heard(self, count: int) -> list[Utterance]:
        """What was heard, once it is so much."""
        await self.ear.until(lambda: len(self.ear.heard) >= count)
        return self.ear.heard


def adapter_on(telegram: TelegramServer, *, patience_s: float = 30.0, **settings: Any) -> TelegramAdapter:
    """An adapter for a Telegram that may not be there yet."""
    chosen = {"telegram__api_url": telegram.base_url, "telegram__edit_every_s": 0.1, **settings}
    loaded = load_settings(None, {"TELEGRAM_TOKEN": telegram.token}, **chosen)
    return TelegramAdapter(loaded, SystemClock(), patience_s=patience_s)


@asynccontextmanager
async def running(
    ear: Ear | None = None, *, telegram: TelegramServer | None = None, **settings: Any
) -> AsyncIterator[Running]:
    """The adapter, logged in, on a Telegram of its own if none is given."""
    if telegram is None:
        async with open_telegram() as opened, running(ear, telegram=opened, **settings) as here:
            yield here
        return
    ear, adapter = ear or Ear(), adapter_on(telegram, **settings)
    polls = telegram.count("getUpdates")
    async with asyncio.TaskGroup() as group:
        task = group.create_task(adapter.run(ear))
        await telegram.world.until(lambda: telegram.count("getUpdates") > polls)
        try:
            yield Running(telegram, ear, adapter.messenger)
        finally:
            task.cancel()


def outgoing(place: Place, text: str, **changes: Any) -> Outgoing:
    """A reply that is to be sent."""
    return Outgoing(**{"id": 1, "place": place, "text": text, "nonce": "0123456789abcdef01234567", **changes})


def growing(place: Place, created: list[str], in_reply_to: str | None = None, draft: str | None = None) -> Growing:
    """A reply that is thought of; `created` hears of its message."""

    async def note(message_id: str) -> None:
        created.append(message_id)

    return Growing(place, in_reply_to, draft, note)


def choice(label: str, command: str, **arguments: str) -> Choice:
    """A button."""
    return Choice(label, Call(command, tuple(arguments.items())))
