"""The loop of check-ins: what is due, whether it may speak now, and what becomes of it.

    due → claimed → composed (in the outbox) → sending → sent
            └──────────┴──→ skipped, why          └──→ failed, code

Every arrow is one transaction, so a process may be killed at any of them. No model is asked to decide "no". What is
late by more than the grace time is skipped: after a week offline everybody has one skipped check-in, and none is sent
in a burst.
"""

import asyncio
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Protocol

import structlog

from bot.care.clock_jumps import ClockWatch, Move
from bot.care.helping import HelpNotes
from bot.care.planning import Planner
from bot.care.policy import is_farewell_due, why_not, zone_of
from bot.config import Settings
from bot.conversation.consent import Consents
from bot.conversation.delivery import Delivery
from bot.domain import (
    CareWishes,
    CheckIn,
    CheckInState,
    Choice,
    Circumstances,
    Composed,
    Outgoing,
    Place,
    Speaker,
    Utterance,
    Why,
)
from bot.errors import HelloAgainError, IndexUnusable, ModelError
from bot.ports import CheckIns, Clock, Jobs

BATCH = 50
"""How many people are looked up at once."""

MOST_ATTEMPTS = 5
"""How often a check-in is taken up again when the process that was writing it has died."""

FAR = timedelta(days=60)
"""What is planned further ahead than this is looked at again, once a day: the clock may have been ahead."""

KEPT = timedelta(days=90)
"""How long the rows of check-ins stay that were not sent."""

MOST_UNSAID = 100
"""How many messages are erased a day that a killed process had withdrawn and did not come to erase."""

CLOCKS_APART = timedelta(hours=1)
"""By how much a platform's clock may be behind ours, when a check-in is looked for there."""

ARRIVED_PERHAPS = frozenset({"uncertain", "restored"})
"""The codes of a check-in that may have arrived and is not sent again: one that was looked for in vain, and one that
came back with a backup while it was on its way."""

ON_ITS_WAY = frozenset({CheckInState.CLAIMED, CheckInState.COMPOSED, CheckInState.SENDING})

Choices = tuple[tuple[Choice, ...], ...]

_log = structlog.get_logger(__name__)


class Writing(Protocol):
    """What words a check-in (`bot/care/compose.py`)."""

    async def compose(self, wishes: CareWishes, place: Place, now: datetime) -> Composed | Why:
        """What to say in `place` now, or why nothing. Raises ModelError."""

    async def farewell(self, wishes: CareWishes, place: Place, now: datetime) -> Composed:
        """The one kind line with which check-ins end that nobody answers. No model is asked."""

    async def still_fits(self, composed: Composed, place: Place, since: datetime) -> Why | None:
        """Why it does not fit any more what was said since then; None: it does."""


@dataclass(kw_only=True, eq=False, repr=False)
class CheckInWork:
    """Does what is due. `tick` is called from time to time, by one caller or several: they wait for each other."""

    checkins: CheckIns
    jobs: Jobs
    consents: Consents
    writing: Writing
    delivery: Delivery
    unsay: Callable[[int], Awaitable[object]]
    """Erases an utterance of ours that nobody was shown, by its id."""
    clock: Clock
    settings: Settings
    speaker: Speaker
    """The companion."""
    by_model: bool = False
    """Whether a model writes the words, so that the daily budget of tokens counts."""
    choices_of: Callable[[int], Choices] = lambda _checkin_id: ()
    """The buttons under a check-in, by its id."""
    _heard: set[str] = field(init=False, default_factory=set)
    _looked_after: date | None = field(init=False, default=None)
    _watch: ClockWatch = field(init=False, default_factory=ClockWatch)
    _one_by_one: asyncio.Lock = field(init=False, default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self._rules = self.settings.care
        self._budget = self.settings.background.daily_tokens if self.by_model else None
        self._grace = timedelta(minutes=self._rules.grace_minutes)
        self._lease = timedelta(seconds=self._rules.lease_s)
        self._notes = HelpNotes(store=self._help, clock=self.clock)
        self.planner = Planner(checkins=self.checkins, consents=self.consents, clock=self.clock, settings=self.settings)

    def heard(self, speaker_id: str) -> None:
        """Says that this person spoke: what is planned for them is made anew at the next tick. Returns at once."""
        if self._rules.enabled:
            self._heard.add(speaker_id)

    def helped(self, speaker_id: str) -> None:
        """Says that this person's words show danger. Returns at once: it is written down beside."""
        self._notes.add(speaker_id)

    async def aclose(self) -> None:
        """Writes down what is not written down yet."""
        await self._notes.written()

    async def tick(self) -> int:
        """Does all that is due now; returns how many check-ins were dealt with. Raises StorageError.

        What goes wrong with one person keeps nobody else waiting. What is due comes before what was said meanwhile is
        planned by: so a moment that is due has its row, whatever becomes of it.
        """
        if not self._rules.enabled:
            return 0
        async with self._one_by_one:
            await self._notes.written()
            await self._look_after(self.clock.now())
            taken_over = 0
            while (checkin := await self.checkins.take_over(self.clock.now(), self._lease)) is not None:
                await self._alone(self._go_on(checkin))
                taken_over += 1
            done = await self._through(lambda limit: self.checkins.due(self.clock.now(), limit), self._attend)
            while self._heard:
                await self._alone(self.planner.plan_anew(self._heard.pop()))
            return taken_over + done

    async def _help(self, speaker_id: str, at: datetime) -> None:
        """Writes down that somebody was in danger."""
        await self.checkins.helped(speaker_id, at)
        self.heard(speaker_id)

    async def ready(self, outgoing: Outgoing) -> Outgoing | None:
        """A check-in of the outbox as it is to be sent now, with its buttons; None: it is not sent, and is settled.

        When it comes too late, or may not speak any more, one that surely was not shown is withdrawn. One that may have
        arrived is only looked for then: to send it again would be a new message where it has not. Raises StorageError.
        """
        await self._notes.written()
        checkin = await self.checkins.get(outgoing.checkin_id)
        if checkin is None:
            return None
        why = None if outgoing.parts else await self._why_withdrawn(checkin, self.clock.now())
        if why is None and not outgoing.parts and not await self.checkins.is_readable(checkin.id):
            why = Why.CHANGED
        if why is None:
            choices = () if checkin.farewell else self.choices_of(checkin.id)
            return replace(outgoing, choices=choices, sought_from=None)
        if outgoing.uncertain:
            return replace(outgoing, sought_from=checkin.due - CLOCKS_APART)
        await self._withdraw(checkin, why)
        return None

    async def settled(self, outgoing: Outgoing) -> None:
        """After a farewell that was sent, or may have been, check-ins are off. Raises StorageError."""
        checkin = await self.checkins.get(outgoing.checkin_id)
        if checkin is None or not checkin.farewell:
            return
        if _has_perhaps_arrived(checkin):
            await self.checkins.switch_off(checkin.speaker_id)
        else:
            await self.planner.plan_anew(checkin.speaker_id)

    async def _through(
        self,
        look: Callable[[int], Awaitable[list[CareWishes]]],
        attend: Callable[[CareWishes], Awaitable[bool]],
    ) -> int:
        """Attends to everybody whom `look` finds, each once; returns to how many. Some are left as they are (False)."""
        done, left, met = 0, 0, set[str]()
        while True:
            found = [wishes for wishes in await look(BATCH + 2 * left) if wishes.speaker_id not in met]
            if not found:
                return done
            for wishes in found:
                met.add(wishes.speaker_id)
                if await self._alone(attend(wishes), wishes):
                    done += 1
                else:
                    left += 1

    async def _alone(self, doing: Awaitable[object], wishes: CareWishes | None = None) -> bool:
        """Does what concerns one person; whether it came to something. No error but the end of the task comes out.

        Of what nobody foresaw, the moment is given up, unless it is claimed: the next daily look plans another.
        """
        try:
            return bool(await doing)
        except HelloAgainError as error:
            _log.warning("one check-in waits", error=type(error).__name__)
        except Exception as error:  # noqa: BLE001  # edge: one person's check-in; the others go on
            _log.error("one check-in failed", error=type(error).__name__, at=_where(error))
            if wishes is not None:
                await self.checkins.plan(wishes, None)
        return False

    async def _attend(self, wishes: CareWishes) -> bool:
        """Deals with one that is due; False: it stays due, because its platform cannot be reached yet."""
        now, due, place = self.clock.now(), wishes.next_at, wishes.place
        if due is None or place is None:
            return await self.checkins.plan(wishes, None)
        if not self._is_late(due, now) and not self.delivery.reaches(place):
            return False
        seen = await self.planner.circumstances(wishes.speaker_id, now)
        why = await self._why_not(due, now, wishes, seen)
        farewell = why is None and is_farewell_due(seen, self._rules)
        next_at = None if farewell else self.planner.next(max(now, due), wishes, seen)
        checkin = await self.checkins.claim(wishes, next_at, now + self._lease, why)
        if checkin is not None and why is None:
            await self._write(wishes, checkin, seen, now)
        return True

    async def _go_on(self, checkin: CheckIn) -> None:
        """Takes up one that a process which has died had claimed."""
        now = self.clock.now()
        wishes = await self.checkins.wishes(checkin.speaker_id)
        seen = await self.planner.circumstances(checkin.speaker_id, now)
        reachable = self.delivery.reaches(checkin.place)
        why = await self._why_not(checkin.due, now, wishes, seen)
        if why is None and checkin.attempts > MOST_ATTEMPTS:
            why = Why.MODEL if reachable else Why.UNREACHABLE
        if why is not None:
            await self._skip(checkin, why)
        elif reachable:  # else it is taken up when this lease has run out
            await self._write(wishes, checkin, seen, now)

    async def _why_not(self, due: datetime, now: datetime, wishes: CareWishes, seen: Circumstances) -> Why | None:
        """Why one that was due then is not sent now. No model is asked."""
        if self._is_late(due, now):
            reachable = wishes.place is not None and self.delivery.reaches(wishes.place)
            return Why.LATE if reachable else Why.UNREACHABLE
        why = why_not(now, wishes, seen, self._rules)
        if why is not None or self._budget is None or is_farewell_due(seen, self._rules):
            return why
        spent = await self.jobs.spend_tokens(now.date(), 0)
        return Why.BUDGET if spent >= self._budget else None

    async def _write(self, wishes: CareWishes, checkin: CheckIn, seen: Circumstances, since: datetime) -> None:
        """Words a claimed check-in, looks again whether it may speak, and hands it to the platform."""
        try:
            composed = await self._composed(wishes, checkin, seen, since)
        except (ModelError, IndexUnusable) as error:
            _log.warning("a check-in could not be worded", error=type(error).__name__)
            if isinstance(error, ModelError) and error.tokens:
                await self.jobs.spend_tokens(self.clock.now().date(), error.tokens)
            composed = Why.MODEL
        if isinstance(composed, Why):
            await self._skip(checkin, composed)
            return
        time = max(self.clock.now(), since)
        message = Utterance(checkin.place, f"checkin:{checkin.id}", self.speaker, composed.text, time, to_bot=False)
        outgoing = await self.checkins.compose(checkin, message, composed, since)
        if outgoing is None:
            await self._skip(checkin, Why.CHANGED)
            return
        await self.delivery.deliver(outgoing)
        if not composed.farewell:
            await self.planner.plan_anew(checkin.speaker_id)

    async def _composed(
        self, wishes: CareWishes, checkin: CheckIn, seen: Circumstances, since: datetime
    ) -> Composed | Why:
        """The words, or why there are none, or none that may be said by now. Raises ModelError, IndexUnusable."""
        place, now = checkin.place, self.clock.now()
        if is_farewell_due(seen, self._rules):
            composed: Composed | Why = await self.writing.farewell(wishes, place, now)
        else:
            composed = await self.writing.compose(wishes, place, now)
        if isinstance(composed, Why):
            return composed
        why = await self._why_withdrawn(checkin, self.clock.now())
        if why is None and not composed.farewell:
            why = await self.writing.still_fits(composed, place, since)
        return composed if why is None else why

    async def _why_withdrawn(self, checkin: CheckIn, now: datetime) -> Why | None:
        """Why one that surely was not shown must not be sent any more."""
        if self._is_late(checkin.due, now):
            return Why.LATE
        wishes = await self.checkins.wishes(checkin.speaker_id)
        if wishes.on and wishes.place != checkin.place:
            return Why.CHANGED
        seen = replace(await self.planner.circumstances(checkin.speaker_id, now), sent=())  # it is one of them by now
        if seen.waiting or (seen.last_said is not None and seen.last_said > checkin.due):
            return Why.CHANGED
        return why_not(now, wishes, seen, self._rules)

    async def _skip(self, checkin: CheckIn, why: Why) -> None:
        """Ends a claimed one. After a farewell nothing was planned: now something is, if the person still wants any."""
        await self.planner.plan_anew(checkin.speaker_id)
        await self.checkins.skip(checkin, why)

    async def _withdraw(self, checkin: CheckIn, why: Why) -> None:
        utterance_id = await self.checkins.withdraw(checkin.id, why)
        _log.info("a check-in was not sent in time", why=why.value)
        if utterance_id:
            await self.unsay(utterance_id)
        await self.planner.plan_anew(checkin.speaker_id)

    async def _look_after(self, now: datetime) -> None:
        """Once a day, at the start, and when the clock was set back: what a kill or a wrong clock has left."""
        move = self._watch.seen(now)
        if self._looked_after == now.date() and move is Move.ON:
            return
        for utterance_id in await self.checkins.unsaid(MOST_UNSAID):
            await self.unsay(utterance_id)
        if move is Move.HOME or (move is Move.ON and self._looked_after is not None):  # else this one may be wrong
            await self.checkins.set_right(now)
        far = now + (FAR if move is Move.ON else self.planner.usual)
        await self._through(lambda limit: self.checkins.astray(far, limit), self._straighten)
        after = ""
        while found := await self.checkins.unplanned(BATCH, after):
            for wishes in found:
                await self._alone(self._take_up(wishes))
            after = found[-1].speaker_id
        await self.checkins.prune(now - KEPT)
        self._looked_after = now.date()

    async def _take_up(self, wishes: CareWishes) -> None:
        """Plans for somebody for whom nothing is planned: perhaps it can be by now.

        Not after a farewell: a process that was killed right after it has not come to switch them off.
        """
        last = await self.checkins.latest(1, wishes.speaker_id)
        if zone_of(wishes, self._rules) is None or (last and last[0].state in ON_ITS_WAY):
            return
        if last and last[0].farewell and _has_perhaps_arrived(last[0]):
            await self.checkins.switch_off(wishes.speaker_id)
        else:
            await self.planner.plan_anew(wishes.speaker_id)

    async def _straighten(self, wishes: CareWishes) -> bool:
        """Plans one anew that lies far ahead; False: it is right there."""
        return await self.planner.plan_anew(wishes.speaker_id) != wishes.next_at

    def _is_late(self, due: datetime, now: datetime) -> bool:
        return now - due > self._grace


def _has_perhaps_arrived(checkin: CheckIn) -> bool:
    return checkin.state is CheckInState.SENT or checkin.failure in ARRIVED_PERHAPS


def _where(error: Exception) -> str:
    """Where it was raised, without its words: they may be a person's."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{frame.name}:{frame.lineno}"
