"""The loop of check-ins: what is due, whether it may speak now, and what becomes of it.

    due → claimed → composed (in the outbox) → sending → sent
            └──────────┴──→ skipped, why          └──→ failed, code

Every arrow is one transaction, so a process may be killed at any of them. No model is asked to decide "no". What is
late by more than the grace time is skipped: after a week offline everybody has one skipped check-in, and none is sent
in a burst.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Protocol

import structlog

from bot.care.policy import is_farewell_due, next_due, why_not
from bot.config import Settings
from bot.conversation.consent import Consents
from bot.conversation.delivery import Delivery
from bot.domain import (
    CareWishes,
    CheckIn,
    Choice,
    Circumstances,
    Composed,
    Outgoing,
    Place,
    Speaker,
    Utterance,
    Why,
)
from bot.errors import ModelError
from bot.ports import CheckIns, Clock, Jobs, Outbox

BATCH = 50
"""How many people are looked up at once."""

MOST_ATTEMPTS = 5
"""How often a check-in is taken up again when the process that was writing it has died."""

FAR = timedelta(days=60)
"""What is planned further ahead than this is looked at again, once a day: the clock may have been ahead."""

KEPT = timedelta(days=90)
"""How long the rows of check-ins stay that were not sent."""

SET_BACK = timedelta(minutes=5)
"""By how much the clock must go back for everything to be looked at again at once."""

MOST_TRIES = 3
"""How often a plan is made anew when the person has chosen something else meanwhile."""

MOST_UNSAID = 100
"""How many messages are erased a day that a killed process had withdrawn and did not come to erase."""

UNCERTAIN = "uncertain"
"""The code of a check-in that may have arrived and is not sent again."""

Choices = tuple[tuple[Choice, ...], ...]

_log = structlog.get_logger(__name__)


class Writing(Protocol):
    """What words a check-in (`bot/care/compose.py`)."""

    async def compose(self, wishes: CareWishes, place: Place, now: datetime) -> Composed | Why:
        """What to say in `place` now, or why nothing. Raises ModelError."""
        ...

    async def farewell(self, wishes: CareWishes, place: Place, now: datetime) -> Composed:
        """The one kind line with which check-ins end that nobody answers. No model is asked."""
        ...

    async def still_fits(self, composed: Composed, place: Place, since: datetime) -> Why | None:
        """Why it does not fit any more what was said since then; None: it does."""
        ...


class CheckInWork:
    """Does what is due. `tick` is called from time to time, by one caller or several: they wait for each other.

    `speaker`: the companion. `by_model`: whether a model writes the words, so that the daily budget of tokens counts.
    `unsay` erases an utterance of ours that nobody was shown, by its id. `choices_of` gives the buttons under a
    check-in, by its id.
    """

    def __init__(
        self,
        *,
        checkins: CheckIns,
        outbox: Outbox,
        jobs: Jobs,
        consents: Consents,
        writing: Writing,
        delivery: Delivery,
        unsay: Callable[[int], Awaitable[object]],
        clock: Clock,
        settings: Settings,
        speaker: Speaker,
        by_model: bool = False,
        choices_of: Callable[[int], Choices] = lambda _checkin_id: (),
    ) -> None:
        self._checkins = checkins
        self._outbox = outbox
        self._jobs = jobs
        self._consents = consents
        self._writing = writing
        self._delivery = delivery
        self._unsay = unsay
        self._clock = clock
        self._rules = settings.care
        self._budget = settings.background.daily_tokens if by_model else None
        self._grace = timedelta(minutes=settings.care.grace_minutes)
        self._lease = timedelta(seconds=settings.care.lease_s)
        self._speaker = speaker
        self._choices_of = choices_of
        self._heard: set[str] = set()
        self._looked_after: date | None = None
        self._latest_tick: datetime | None = None
        self._one_by_one = asyncio.Lock()

    def heard(self, speaker_id: str) -> None:
        """Says that this person spoke: what is planned for them is made anew at the next tick. Returns at once."""
        self._heard.add(speaker_id)

    async def helped(self, speaker_id: str) -> None:
        """Says that this person was given a crisis line just now. Raises StorageError."""
        await self._checkins.helped(speaker_id, self._clock.now())
        self.heard(speaker_id)

    async def tick(self) -> int:
        """Does all that is due now; returns how many check-ins were dealt with. Raises StorageError."""
        if not self._rules.enabled:
            return 0
        async with self._one_by_one:
            await self._look_after(self._clock.now())
            while self._heard:
                speaker_id = next(iter(self._heard))
                await self.plan_anew(speaker_id)
                self._heard.discard(speaker_id)
            taken_over = 0
            while (checkin := await self._checkins.take_over(self._clock.now(), self._lease)) is not None:
                await self._go_on(checkin)
                taken_over += 1
            return taken_over + await self._through(
                lambda limit: self._checkins.due(self._clock.now(), limit), self._attend
            )

    async def circumstances(self, speaker_id: str, now: datetime) -> Circumstances:
        """What decides whether this person may be written to now, with what they agreed to."""
        found = await self._checkins.circumstances(speaker_id, now)
        privacy = await self._consents.of(speaker_id)
        return replace(found, agreed=self._consents.keeps(privacy, in_channel=False), minor=privacy.minor)

    async def plan_anew(self, speaker_id: str) -> datetime | None:
        """Plans the next check-in of this person by what they have chosen and what has happened; None: none comes.

        To be called after every choice of theirs. Raises StorageError.
        """
        for _ in range(MOST_TRIES):
            now = self._clock.now()
            wishes = await self._checkins.wishes(speaker_id)
            next_at = None
            if wishes.on and wishes.place is not None:
                next_at = self._next(now, wishes, await self.circumstances(speaker_id, now))
            if wishes.next_at == next_at or await self._checkins.plan(wishes, next_at):
                return next_at
        return (await self._checkins.wishes(speaker_id)).next_at

    async def explain(self, wishes: CareWishes, now: datetime, until: datetime) -> list[tuple[datetime, Why | None]]:
        """What the rules would say at each of the person's times until then, if nobody said anything meanwhile.

        None: a check-in would be sent, if there is something to say. Nothing is written, and no model is asked.
        """
        seen = await self.circumstances(wishes.speaker_id, now)
        free = replace(wishes, on=True, paused_until=None, every_days=1)
        loose = self._rules.model_copy(update={"enabled": True, "per_week": 7, "minor_per_week": 7})
        told: list[tuple[datetime, Why | None]] = []
        moment = next_due(now, free, Circumstances(), loose, _key(wishes))
        while moment is not None and moment <= until:
            why = why_not(moment, wishes, seen, self._rules)
            told.append((moment, why))
            if why is None:
                if is_farewell_due(seen, self._rules):
                    break
                seen = replace(seen, sent=(*seen.sent, moment)[-10:], unanswered=seen.unanswered + 1)
            moment = next_due(moment, free, Circumstances(), loose, _key(wishes))
        return told or [(now, why_not(now, wishes, seen, self._rules))]

    async def ready(self, outgoing: Outgoing) -> Outgoing | None:
        """A check-in of the outbox as it is to be sent now, with its buttons; None: it is not sent, and is settled.

        One that surely was not shown is withdrawn when it comes too late or may not speak any more. One that may have
        arrived is left to its platform, and beyond the grace time it is not sent again. Raises StorageError.
        """
        checkin = await self._checkins.get(outgoing.checkin_id)
        if checkin is None:
            return None
        now = self._clock.now()
        if not outgoing.uncertain and not outgoing.parts:
            why = await self._why_withdrawn(checkin, now)
            if why is not None:
                await self._withdraw(checkin, why)
                return None
        elif not outgoing.parts and self._is_late(checkin.due, now):
            await self._outbox.failed(outgoing.id, UNCERTAIN)
            return None
        if checkin.farewell:
            await self._switch_off(checkin.speaker_id)
            return outgoing
        return replace(outgoing, choices=self._choices_of(checkin.id))

    async def _through(
        self, look: Callable[[int], Awaitable[list[CareWishes]]], attend: Callable[[CareWishes], Awaitable[bool]]
    ) -> int:
        """Attends to everybody whom `look` finds, each once; returns to how many. Some are left as they are (False)."""
        done, left, met = 0, 0, set[str]()
        while True:
            found = [wishes for wishes in await look(BATCH + 2 * left) if wishes.speaker_id not in met]
            if not found:
                return done
            for wishes in found:
                met.add(wishes.speaker_id)
                if await attend(wishes):
                    done += 1
                else:
                    left += 1

    async def _attend(self, wishes: CareWishes) -> bool:
        """Deals with one that is due; False: it stays due, because its platform cannot be reached yet."""
        now, due, place = self._clock.now(), wishes.next_at, wishes.place
        if due is None or place is None:
            return await self._checkins.plan(wishes, None)
        if not self._is_late(due, now) and not self._delivery.reaches(place):
            return False
        seen = await self.circumstances(wishes.speaker_id, now)
        why = await self._why_not(due, now, wishes, seen)
        farewell = why is None and is_farewell_due(seen, self._rules)
        next_at = None if farewell else self._next(max(now, due), wishes, seen)
        checkin = await self._checkins.claim(wishes, next_at, now + self._lease, why)
        if checkin is not None and why is None:
            await self._write(wishes, checkin, seen, now)
        return True

    async def _go_on(self, checkin: CheckIn) -> None:
        """Takes up one that a process which has died had claimed."""
        now = self._clock.now()
        wishes = await self._checkins.wishes(checkin.speaker_id)
        seen = await self.circumstances(checkin.speaker_id, now)
        reachable = self._delivery.reaches(checkin.place)
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
            reachable = wishes.place is not None and self._delivery.reaches(wishes.place)
            return Why.LATE if reachable else Why.UNREACHABLE
        why = why_not(now, wishes, seen, self._rules)
        if why is not None or self._budget is None or is_farewell_due(seen, self._rules):
            return why
        spent = await self._jobs.spend_tokens(now.date(), 0)
        return Why.BUDGET if spent >= self._budget else None

    async def _write(self, wishes: CareWishes, checkin: CheckIn, seen: Circumstances, since: datetime) -> None:
        """Words a claimed check-in, looks again whether it may speak, and hands it to the platform."""
        composed = await self._composed(wishes, checkin.place, seen)
        if isinstance(composed, Why):
            await self._skip(checkin, composed)
            return
        now = self._clock.now()
        why = await self._why_withdrawn(checkin, now)
        if why is None and not composed.farewell:
            why = await self._writing.still_fits(composed, checkin.place, since)
        if why is not None:
            await self._skip(checkin, why)
            return
        message = Utterance(
            checkin.place, f"checkin:{checkin.id}", self._speaker, composed.text, max(now, since), to_bot=False
        )
        outgoing = await self._checkins.compose(checkin, message, composed, since)
        if outgoing is None:
            await self._skip(checkin, Why.CHANGED)
            return
        await self._delivery.deliver(outgoing)
        if not composed.farewell:
            await self.plan_anew(checkin.speaker_id)

    async def _composed(self, wishes: CareWishes, place: Place, seen: Circumstances) -> Composed | Why:
        now = self._clock.now()
        if is_farewell_due(seen, self._rules):
            return await self._writing.farewell(wishes, place, now)
        try:
            return await self._writing.compose(wishes, place, now)
        except ModelError as error:
            _log.warning("a check-in could not be worded", error=type(error).__name__)
            if error.tokens:
                await self._jobs.spend_tokens(now.date(), error.tokens)
            return Why.MODEL

    async def _why_withdrawn(self, checkin: CheckIn, now: datetime) -> Why | None:
        """Why one that surely was not shown must not be sent any more."""
        if self._is_late(checkin.due, now):
            return Why.LATE
        wishes = await self._checkins.wishes(checkin.speaker_id)
        if checkin.farewell:  # which switches check-ins off when it is first sent
            wishes = replace(wishes, on=True)
        seen = replace(await self.circumstances(checkin.speaker_id, now), sent=())  # it is one of them by now
        if seen.waiting or (seen.last_said is not None and seen.last_said > checkin.due):
            return Why.CHANGED
        return why_not(now, wishes, seen, self._rules)

    async def _skip(self, checkin: CheckIn, why: Why) -> None:
        """Ends a claimed one. After a farewell nothing was planned: now something is, if the person still wants any."""
        await self.plan_anew(checkin.speaker_id)
        await self._checkins.skip(checkin.id, why)

    async def _withdraw(self, checkin: CheckIn, why: Why) -> None:
        utterance_id = await self._checkins.withdraw(checkin.id, why)
        _log.info("a check-in was not sent in time", why=why.value)
        if utterance_id:
            await self._unsay(utterance_id)
        await self.plan_anew(checkin.speaker_id)

    async def _switch_off(self, speaker_id: str) -> None:
        wishes = await self._checkins.wishes(speaker_id)
        if wishes.on:
            await self._checkins.choose(replace(wishes, on=False, next_at=None))

    async def _look_after(self, now: datetime) -> None:
        """Once a day, at the start, and when the clock was set back: what a kill or a wrong clock has left."""
        set_back = self._latest_tick is not None and now < self._latest_tick - SET_BACK
        self._latest_tick = now
        if self._looked_after == now.date() and not set_back:
            return
        for utterance_id in await self._checkins.unsaid(MOST_UNSAID):
            await self._unsay(utterance_id)
        await self._through(lambda limit: self._checkins.astray(now + FAR, limit), self._straighten)
        await self._checkins.prune(now - KEPT)
        self._looked_after = now.date()

    async def _straighten(self, wishes: CareWishes) -> bool:
        """Plans one anew that lies far ahead; False: it is right there."""
        return await self.plan_anew(wishes.speaker_id) != wishes.next_at

    def _next(self, after: datetime, wishes: CareWishes, seen: Circumstances) -> datetime | None:
        return next_due(after, wishes, seen, self._rules, _key(wishes))

    def _is_late(self, due: datetime, now: datetime) -> bool:
        return now - due > self._grace


def _key(wishes: CareWishes) -> str:
    """What the person's jitter follows from: the same for all their identities."""
    return wishes.place.key if wishes.place is not None else wishes.speaker_id
