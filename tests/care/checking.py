"""The loop of check-ins on the real SQLite, with words that a test writes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

from bot.care.checkins import CheckInWork
from bot.clock import ManualClock
from bot.config import Settings, load_settings
from bot.conversation.consent import Consents
from bot.conversation.delivery import Delivery
from bot.domain import (
    AGENT_ID,
    Call,
    CareScores,
    CareWishes,
    CheckIn,
    Choice,
    Composed,
    ErasureReason,
    Outgoing,
    Place,
    Selection,
    Speaker,
    Utterance,
    Why,
)
from bot.ports import CheckIns, Clock, Erasures, Jobs, Messenger, Outbox
from tests.living import ANN, DM, START, UNASKED, Screen
from tests.open_rows import open_rows
from tests.stored import Rows

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
"""The first moment at which one may come: `START` is 9:00 on that Monday, and everybody lives in UTC."""
EVENING = datetime(2026, 11, 2, 18, tzinfo=UTC)
GRACE = timedelta(minutes=90)
LEASE = timedelta(minutes=5)
ASKED = "On Thursday you had your interview, you told me. How did it go?"
BYE = "I will not write first any more."
SAID = "I have a job interview on Thursday."
CARE: dict[str, object] = {
    "care__zone": "UTC",
    "care__jitter_minutes": 0,
    "care__after_talk_hours": 0,
    "care__every_days": 1,
    "care__per_week": 7,
}


@dataclass
class Words:
    """A `Writing` that says what it is told to. `meanwhile` is done while it thinks, and `raises` is raised then."""

    composed: Composed | Why = Why.NOTHING
    fits: Why | None = None
    raises: BaseException | None = None
    meanwhile: Callable[[], Awaitable[object]] | None = None
    asked: list[str] = field(default_factory=list)

    async def compose(self, wishes: CareWishes, place: Place, now: datetime) -> Composed | Why:
        self.asked.append(place.ref)
        if self.meanwhile is not None:
            await self.meanwhile()
        if self.raises is not None:
            raise self.raises
        return self.composed

    async def farewell(self, wishes: CareWishes, place: Place, now: datetime) -> Composed:
        self.asked.append("farewell")
        return Composed(BYE, "", "", (), farewell=True)

    async def still_fits(self, composed: Composed, place: Place, since: datetime) -> Why | None:
        return self.fits


class LooseClock(ManualClock):
    """A clock that can be set back."""

    def set_to(self, time: datetime) -> None:
        self._now = time


class Kept(Protocol):
    """The stores that the loop stands on."""

    @property
    def checkins(self) -> CheckIns: ...

    @property
    def outbox(self) -> Outbox: ...

    @property
    def jobs(self) -> Jobs: ...

    @property
    def erasures(self) -> Erasures: ...


def buttons(checkin_id: int) -> tuple[tuple[Choice, ...], ...]:
    """One button, with the number of the check-in."""
    return ((Choice("Why this?", Call("checkin why", (("number", str(checkin_id)),))),),)


def work_on(
    stores: Kept,
    *,
    words: Words,
    messenger: Messenger,
    consents: Consents,
    clock: Clock,
    settings: Settings,
    by_model: bool = False,
    platform: str = "test",
) -> tuple[CheckInWork, Delivery]:
    """The loop on these stores, and what sends for it."""
    made: list[CheckInWork] = []

    async def ready(outgoing: Outgoing) -> Outgoing | None:
        return await made[0].ready(outgoing)

    async def settled(outgoing: Outgoing) -> None:
        await made[0].settled(outgoing)

    async def unsay(utterance_id: int) -> None:
        selection = Selection(utterances=(utterance_id,))
        await stores.erasures.erase(selection, ErasureReason.UNSENT, clock.now())

    delivery = Delivery(
        outbox=stores.outbox, messengers={platform: messenger}, pauses_s=(0.0,), ready=ready, settled=settled
    )
    work = CheckInWork(
        checkins=stores.checkins,
        jobs=stores.jobs,
        consents=consents,
        writing=words,
        delivery=delivery,
        unsay=unsay,
        clock=clock,
        settings=settings,
        speaker=Speaker(AGENT_ID, "Monica"),
        by_model=by_model,
        choices_of=buttons,
    )
    made.append(work)
    return work, delivery


@dataclass
class Caring:
    """What there is to look at. `work` writes by `words` and sends to `screen`."""

    stores: Rows
    work: CheckInWork
    words: Words
    delivery: Delivery
    screen: Screen
    clock: LooseClock
    consents: Consents
    said: int = 0

    @property
    def texts(self) -> list[str]:
        """What arrived on the screen."""
        return [sent.text for sent in self.screen.sent]

    async def at(self, moment: datetime) -> int:
        """What a tick does at that moment."""
        self.clock.set_to(moment)
        return await self.work.tick()

    async def rows(self) -> list[CheckIn]:
        """The check-ins, the oldest first."""
        return (await self.stores.checkins.latest(1000))[::-1]

    async def says(self, text: str, speaker: Speaker = ANN, place: Place = DM) -> Utterance:
        """Somebody says something now, which is dealt with."""
        self.said += 1
        said = Utterance(place, f"m{self.said}", speaker, text, self.clock.now())
        stored = await self.stores.inbox.accept(said)
        assert stored is not None
        await self.stores.sessions.append(stored, timedelta(hours=1), 1000)
        await self.stores.inbox.remembered([stored.id])
        return stored

    async def wants(self, speaker: Speaker = ANN, place: Place = DM, **chosen: object) -> CareWishes:
        """Switches check-ins on for somebody, and plans the first."""
        wishes = CareWishes(speaker.id, on=True, place=place, offered=True)
        await self.stores.checkins.choose(replace(wishes, **chosen))  # type: ignore[arg-type]  # fields by name
        await self.work.planner.plan_anew(speaker.id)
        return await self.stores.checkins.wishes(speaker.id)

    async def planned(self, speaker: Speaker = ANN) -> datetime | None:
        """When the next one may come."""
        return (await self.stores.checkins.wishes(speaker.id)).next_at

    async def lines(self) -> list[str]:
        """What is in the history of Ann's DM."""
        return [line.text for line in await self.stores.utterances.recent(DM, 100)]


def about(source: Utterance, text: str = ASKED) -> Composed:
    """A check-in that rests on something that was said."""
    scores = CareScores(0.8, 0.5, 0.2, 0.56)
    return Composed(text, source.text, "Ask how it went.", ((source.id, source.text),), scores)


@asynccontextmanager
async def open_caring(*, by_model: bool = False, **overrides: object) -> AsyncIterator[Caring]:
    """Opens a store in which Ann has said something, and nobody wants check-ins yet."""
    settings = load_settings(None, {}, **{**UNASKED, **CARE, **overrides})
    words, screen, clock = Words(), Screen(), LooseClock(START)
    async with open_rows() as rows:
        consents = Consents(privacies=rows.privacies, settings=settings.privacy)
        work, delivery = work_on(
            rows, words=words, messenger=screen, consents=consents, clock=clock, settings=settings, by_model=by_model
        )
        caring = Caring(rows, work, words, delivery, screen, clock, consents)
        words.composed = about(await caring.says(SAID))
        yield caring
        await caring.work.aclose()
