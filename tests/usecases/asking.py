"""The commands over the real stores, and a small life to ask about."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.clock import ManualClock
from bot.config import Settings, load_settings
from bot.conversation.last_prompts import LastPrompts
from bot.conversation.safety import may_be_danger
from bot.domain import (
    Answer,
    Asker,
    Call,
    CareWishes,
    Erased,
    ErasureReason,
    Event,
    ModelDescription,
    Place,
    RecalledEvent,
    RecalledTrait,
    Receipt,
    Recollection,
    Selection,
    Session,
    Speaker,
    Trait,
    Utterance,
)
from bot.llm.scripted import ScriptedEncoder
from bot.ports import Erasures
from bot.usecases.about import Vitals
from bot.usecases.calls import parse_line
from bot.usecases.commands import Commands, Hearers
from bot.usecases.links import OneTimeLinks
from bot.usecases.markup import bare
from tests.open_rows import open_rows
from tests.stored import AGENT, ANN, ANNS_DM, BETA, HALL, START, Rows, event_of

MODEL = ModelDescription("Tiny-1B", "4-bit on the CPU", "", 4096, 2048)
VITALS = Vitals(
    uptime=timedelta(days=3, hours=4, minutes=5),
    answering=1,
    waiting=7,
    tokens_per_s=12.34,
    resident_bytes=3 * 2**29,
    data_bytes=1_234_500_000,
    free_bytes=56_780_000_000,
    jobs_waiting=2,
    adapters=(("discord", "connected"), ("telegram", "stopped")),
)


@dataclass
class RowsEraser:
    """Erases rows; the files are "looked through" at once, with what `found` says. `slow`: they take too long."""

    erasures: Erasures
    clock: ManualClock
    found: int | None = 0
    slow: bool = False
    asked: list[tuple[Selection, ErasureReason, str | None]] = field(default_factory=list)

    async def erase(
        self, selection: Selection, reason: ErasureReason, subject: str | None = None, confirmation: str = ""
    ) -> Erased:
        """Erases from the tables."""
        self.asked.append((selection, reason, subject))
        return await self.erasures.erase(selection, reason, self.clock.now(), subject, confirmation)

    async def complete(self, erasure_id: int, timeout_s: float) -> Receipt | None:
        """The receipt."""
        assert timeout_s > 0
        return None if self.slow else await self.erasures.finish(erasure_id, self.found, self.clock.now())


@dataclass
class Asking:
    """The commands, the rows under them, and short ways to fill and to ask."""

    rows: Rows
    settings: Settings = field(default_factory=lambda: load_settings(None, {}, privacy__consent="implied"))
    vitals: Vitals = VITALS
    model: ModelDescription | None = MODEL
    encoder: ScriptedEncoder = field(default_factory=ScriptedEncoder)
    clock: ManualClock = field(default_factory=lambda: ManualClock(START))
    changed: list[Place] = field(default_factory=list)
    """The channels whose mode was set."""
    decided: list[str] = field(default_factory=list)
    """Of whom something was decided."""
    consented: list[tuple[str, bool]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.links = OneTimeLinks(self.clock)

    @property
    def commands(self) -> Commands:
        """The use cases, built anew."""
        return Commands(
            kept=self.rows,
            encoder=self.encoder,
            model=self.model,
            clock=self.clock,
            settings=self.settings,
            eraser=RowsEraser(self.rows.erasures, ManualClock(START)),
            indexed=self._nothing,
            vitals=self._vitals,
            hearers=Hearers(
                self.changed.append, self.decided.append, self._consented, self._receive, lambda _place, _speaker: False
            ),
            help_for=self._help,
            links=self.links,
            withheld=lambda said: may_be_danger(said.text),
            decided=self.rows.privacies.of,
            foresee=self._foresee,
            prompts=LastPrompts(()),
        )

    async def _help(self, _speaker_id: str, text: str) -> str | None:
        return "Please call 112." if "kill myself" in text else None

    async def _foresee(self, _wishes: CareWishes, _at: datetime) -> None:
        """There are no check-ins."""

    async def _nothing(self) -> None:
        """There is no index."""

    async def _consented(self, speaker_id: str, agreed: bool) -> None:
        self.consented.append((speaker_id, agreed))

    async def _receive(self, _said: Utterance) -> bool:
        return True

    async def _vitals(self) -> Vitals:
        return self.vitals

    async def ask(self, line: str, asker: Asker | None = None) -> str:
        """The words of the answer to a typed line."""
        return bare((await self.answer(line, asker)).text)

    async def answer(self, line: str, asker: Asker | None = None) -> Answer:
        """The answer to a typed line."""
        call = parse_line(line)
        assert call is not None
        return await self.commands.run(call, asker or in_dm())

    async def press(self, call: Call, asker: Asker | None = None) -> str:
        """The words of the answer to a button."""
        return bare((await self.commands.run(call, asker or in_dm())).text)

    async def talk(
        self,
        place: Place,
        said: Sequence[tuple[Speaker, str]],
        *,
        after: timedelta = timedelta(0),
        name: str = "",
        reply: str = "",
        recalled: Recollection | None = None,
    ) -> Session:
        """A session, open; `reply` answers its last line, and was shown all of them."""
        session: Session | None = None
        for speaker, text in said:
            told = replace(self.rows.utterance(text, speaker=speaker, place=place, after=after), place_name=name)
            stored = await self.rows.inbox.accept(told)
            assert stored is not None
            session = await self.rows.sessions.append(stored, BETA, 10_000)
            await self.rows.inbox.remembered([stored.id])
        assert session is not None
        if reply:
            said_back = Utterance(place, "", AGENT, reply, START + after, to_bot=False)
            shown = {one.id: one.text for one in session.utterances}
            recalled = recalled or Recollection()
            assert await self.rows.outbox.commit(said_back, [*shown][-1:], recalled, [], shown) is not None
        told_all = await self.rows.sessions.get(session.id)
        assert told_all is not None
        return told_all

    async def remember(self, session: Session, summary: str, after: timedelta = timedelta(0)) -> Event:
        """Closes a session, and the event it became."""
        await self.rows.sessions.close(session.place)
        return await self.rows.events.add(event_of(session, summary, after), job_id=0)

    async def learn(self, said: Utterance, text: str) -> Trait:
        """A trait of the speaker of `said`."""
        trait = Trait(said.speaker.id, said.place, text, said.time, (said.id,))
        [stored] = await self.rows.traits.apply(await self.rows.leased(), [trait])
        return stored


@asynccontextmanager
async def open_asking() -> AsyncIterator[Asking]:
    """The commands over an empty database."""
    async with open_rows() as rows:
        yield Asking(rows)


def in_dm(speaker: Speaker = ANN) -> Asker:
    """Somebody in their DM."""
    return Asker(speaker, replace(ANNS_DM, ref=speaker.id.partition(":")[2]), may_manage=True)


def in_channel(speaker: Speaker = ANN, place: Place = HALL, *, may_manage: bool = False) -> Asker:
    """Somebody in a channel."""
    return Asker(speaker, place, may_manage=may_manage)


def owner(speaker: Speaker = ANN) -> Asker:
    """Somebody in their DM, who owns the companion."""
    return replace(in_dm(speaker), is_owner=True)


def shown(events: Sequence[Event] = (), traits: Sequence[Trait] = ()) -> Recollection:
    """What a reply is shown."""
    return Recollection(
        tuple(RecalledEvent(event, 1.0, 1.0, 0.0, 1.0) for event in events),
        tuple(RecalledTrait(trait, 1.0) for trait in traits),
    )
