"""The whole core on real SQLite and real Chroma, with a scripted model, in a folder of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from adapters.live import Pump, pumping
from bot.app.app import App, open_app
from bot.clock import ManualClock
from bot.config import load_settings
from bot.conversation.turn import Turn
from bot.domain import AGENT_ID, LastPart, Outgoing, Place, PlaceKind, Speaker, Utterance
from bot.errors import DeliveryFailed
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.ports import Growing, Live, Messenger, Vectors

UNASKED: dict[str, object] = {
    "privacy__consent": "implied",
    "privacy__introduce": False,
    "privacy__erase_after_s": 0,
    "memory__timelines__linker": "rules",
    "memory__fused__threshold": 0.0,
    "care__offer": False,
}
"""Settings under which nobody is asked or told anything, all is remembered, and no model is asked for links.

The threshold is calibrated for the real encoder; what the scripted one finds is always shown.
"""

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


async def unheard(said: Utterance) -> Utterance:
    """As without a voice: nobody is asked whether there is danger in it."""
    return said


class FirstPersonGate:
    """A TraitGate that needs no weights: what has "I" or "my" in it carries a trait."""

    def __init__(self, likely: float = 0.7) -> None:
        self._likely = likely

    def probability(self, texts: Sequence[str], vectors: Vectors) -> NDArray[np.float64]:
        """`likely` or 0 for each text."""
        return np.array([self._likely * bool({"i", "my"} & set(text.lower().split())) for text in texts])


@dataclass
class Shown:
    """The `Live` of a `Screen`: what it shows can be seen at once, unless `hidden`."""

    shown: list[str]
    hidden: bool
    seen: bool = False

    def show(self, text: str) -> None:
        """Keeps the growing reply."""
        if text:
            self.shown.append(text)
            self.seen = not self.hidden


@dataclass
class Screen:
    """A platform that keeps what it is given. `refuse` is raised at the next parts, first come; None lets one through.

    A reply takes one message, or one for each of `parts_of(text)`. With `drafts` a growing reply is a message, as it is
    on Discord: `drawn` says what its last one shows, by id, and `retracted` which were taken back.
    """

    resends: Literal[True] = True
    sent: list[Outgoing] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    refuse: list[DeliveryFailed | None] = field(default_factory=list)
    out_of_reach: set[Place] = field(default_factory=set)
    hidden: bool = False
    """Whether nobody sees a growing reply: a platform that streams nothing."""
    drafts: bool = False
    drawn: dict[str, str] = field(default_factory=dict)
    retracted: list[str] = field(default_factory=list)
    parts_of: Callable[[str], list[str]] = lambda text: [text]
    arrived: list[str] = field(default_factory=list)
    """The parts that have arrived, in order."""
    attempts: list[Outgoing] = field(default_factory=list)
    """What it was asked to send, whether it took it or not."""

    def reaches(self, place: Place) -> bool:
        """Everywhere, unless `out_of_reach` names the place."""
        return place not in self.out_of_reach

    def live(self, growing: Growing) -> AbstractAsyncContextManager[Live]:
        """Keeps the growing reply, or draws it as a message."""
        return self._drawing(growing) if self.drafts else self._showing()

    @asynccontextmanager
    async def _showing(self) -> AsyncIterator[Live]:
        yield Shown(self.shown, self.hidden)

    @asynccontextmanager
    async def _drawing(self, growing: Growing) -> AsyncIterator[Live]:
        draft = growing.draft

        async def put(text: str) -> None:
            nonlocal draft
            if draft is None:
                draft = f"draft-{len(self.drawn)}"
                self.drawn[draft] = text
                await growing.created(draft)
            self.drawn[draft] = text
            self.shown.append(text)

        async with pumping(Pump(put=put, every_s=0.0, nudge=self._nothing, nudge_s=60.0)) as pump:
            yield pump

    async def _nothing(self) -> None:
        """No typing indicator."""

    async def send(self, outgoing: Outgoing) -> AsyncIterator[str]:
        """Takes the parts that have not arrived, or refuses the next one."""
        if outgoing.sought_from is not None:
            raise DeliveryFailed("It may be there.", retry=False, code="uncertain")
        parts = self.parts_of(outgoing.text)
        self.attempts.append(outgoing)
        for number in range(len(outgoing.parts), len(parts)):
            if self.refuse and (failure := self.refuse.pop(0)) is not None:
                raise failure
            self.arrived.append(parts[number])
            if number == len(parts) - 1:
                self.sent.append(outgoing)
            if number == 0 and outgoing.draft is not None:
                self.drawn[outgoing.draft] = parts[0]
                shown = outgoing.draft
            else:
                shown = f"id-{outgoing.id}" if number == 0 else f"id-{outgoing.id}-{number}"
            yield LastPart(shown) if number == len(parts) - 1 else shown

    async def retract(self, place: Place, message_id: str) -> None:
        """Takes the draft back."""
        self.retracted.append(message_id)
        self.drawn.pop(message_id, None)


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
    """Opens the core in `folder`; `model` None runs it without one. Channels are listened to, if `overrides` agree."""
    chosen = {"storage__data_dir": str(folder), "channels__mode": "listen", **UNASKED, **(overrides or {})}
    settings = load_settings(None, {}, **chosen)
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


def holding(folder: Path, text: str) -> list[str]:
    """The names of the files in which a text stands."""
    return [file.name for file in folder.rglob("*") if file.is_file() and text.encode() in file.read_bytes()]


def agent(text: str, message_id: str, place: Place, time: datetime) -> Utterance:
    """Something that the companion said before, as a replay tells it."""
    return Utterance(place, message_id, Speaker(AGENT_ID, "Monica"), text, time, to_bot=False)
