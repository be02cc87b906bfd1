"""The whole core on real SQLite and real Chroma, with a scripted model, in a folder of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bot.app import App, open_app
from bot.clock import ManualClock
from bot.config import load_settings
from bot.conversation.turn import Turn
from bot.domain import AGENT_ID, Outgoing, Place, PlaceKind, Speaker, Utterance
from bot.errors import DeliveryFailed
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.ports import Messenger, Vectors

START = datetime(2026, 11, 2, 9, tzinfo=UTC)
ANN, BOB = Speaker("test:ann", "Ann"), Speaker("test:bob", "Bob")
DM = Place("test", PlaceKind.DM, "ann")
CHANNEL = Place("test", PlaceKind.CHANNEL, "home/kitchen")


class WordTopics:
    """A TopicExtractor that needs no model: every word of four letters or more is a topic."""

    def topics(self, text: str) -> frozenset[str]:
        """Long words, lower-case, without marks."""
        words = (word.strip(".,!?'\"").lower() for word in text.split())
        return frozenset(word for word in words if len(word) >= 4)


class FirstPersonGate:
    """A TraitGate that needs no weights: what has "I" or "my" in it carries a trait."""

    def probability(self, texts: Sequence[str], vectors: Vectors) -> NDArray[np.float64]:
        """1 or 0 for each text."""
        return np.array([float(bool({"i", "my"} & set(text.lower().split()))) for text in texts])


@dataclass
class Screen:
    """A platform that keeps what it is given. `refuse` is raised at the next sends, first come."""

    sent: list[Outgoing] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    refuse: list[DeliveryFailed] = field(default_factory=list)
    out_of_reach: set[Place] = field(default_factory=set)

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Nothing to show."""
        return nullcontext()

    def reaches(self, place: Place) -> bool:
        """Everywhere, unless `out_of_reach` names the place."""
        return place not in self.out_of_reach

    async def show(self, place: Place, text: str) -> None:
        """Keeps the growing reply."""
        self.shown.append(text)

    async def send(self, outgoing: Outgoing) -> str:
        """Takes the reply, or refuses it."""
        if self.refuse:
            raise self.refuse.pop(0)
        self.sent.append(outgoing)
        return f"id-{outgoing.id}"


@dataclass
class OpenCore:
    """A running core, its clock, its platform and the turns it took."""

    app: App
    clock: ManualClock
    screen: Screen
    turns: list[Turn]
    model: ScriptedChatModel | None
    number: int = 0
    heard: list[Utterance] = field(default_factory=list)
    in_channel: list[Utterance] = field(default_factory=list)

    async def say(
        self, text: str, speaker: Speaker = ANN, place: Place = DM, *, to_bot: bool = True, message_id: str = ""
    ) -> Turn:
        """Says one thing, now, and waits until it is dealt with."""
        self.number += 1
        now = self.clock.now()
        message = message_id or f"m{now.timestamp():.0f}-{self.number}"
        assert await self.app.receive(Utterance(place, message, speaker, text, now, to_bot))
        await self.app.idle()
        return self.turns[-1]

    async def passes(self, time: timedelta) -> None:
        """Lets time pass, and the background work that it brings be done."""
        self.clock.advance(time)
        await self.app.settle()


@asynccontextmanager
async def open_core(
    folder: Path,
    *,
    model: ScriptedChatModel | None = None,
    start: datetime = START,
    screen: Screen | None = None,
    messengers: Mapping[str, Messenger] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> AsyncIterator[OpenCore]:
    """Opens the core in `folder`; `model` None runs it without one."""
    settings = load_settings(None, {}, storage__data_dir=str(folder), **(overrides or {}))
    clock, screen, turns = ManualClock(start), screen or Screen(), list[Turn]()
    async with open_app(
        settings,
        clock=clock,
        messengers=messengers or {"test": screen},
        with_model=model is not None,
        model=model,
        encoder=ScriptedEncoder(),
        topics=WordTopics(),
        gate=FirstPersonGate(),
        on_turn=turns.append,
    ) as app:
        await app.prepare()
        await app.connected()
        yield OpenCore(app, clock, screen, turns, model)


def agent(text: str, message_id: str, place: Place, time: datetime) -> Utterance:
    """Something that the companion said before, as a replay tells it."""
    return Utterance(place, message_id, Speaker(AGENT_ID, "Monica"), text, time, to_bot=False)
