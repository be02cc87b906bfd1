"""Time that passes while nobody says anything: check-ins come when they are due, and why none comes at other times.

Nothing is played: it is the loop of check-ins itself (`bot/care/checkins.py`), with its clock put on from one moment at
which something is due to the next.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from bot.app.app import App
from bot.care.policy import times_of, zone_of
from bot.clock import LeapingClock, ManualClock
from bot.domain import CareWishes, CheckIn, CheckInState
from bot.texts import checkin as texts
from bot.texts import meantime as meantime_texts

MOST_ROWS = 20
"""Rows of one person that are looked through after a tick; one tick makes one or two."""
INSTANT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class NotSaid:
    """Why nothing came at one of a person's times: a reason of the rules, or how a delivery failed."""

    at: time
    """The time of day, as the person or the settings chose it."""
    reason: str


Kept = Counter[NotSaid]


class Meantime:
    """Lets time pass for some people. `silent`: why nothing came, by person's speaker id."""

    def __init__(self, app: App, clock: LeapingClock | ManualClock, people: Sequence[str]) -> None:
        self._app = app
        self._clock = clock
        self._people = tuple(people)
        self._seen: dict[str, int] = {}
        self._wishes: dict[str, CareWishes] = {}
        """What each of them wished when they were last looked at."""
        self._told: dict[str, datetime] = {}
        """Until when it was noted why nothing came to somebody."""
        self._number = 0
        """How many check-ins came."""
        self.silent: dict[str, Kept] = {speaker_id: Counter() for speaker_id in people}

    async def until(self, end: datetime, first: int | None = None) -> int:
        """Goes to `end` through every moment at which something is due before it; returns how many check-ins came.

        `first`: stops at the moment at which so many have come. Raises StorageError.
        """
        if not self._people:
            self._clock.move_to(end)
            return 0
        before = self._number

        def enough() -> bool:
            return first is not None and self._number - before >= first

        await self._know()
        await self._look(self._people)
        while not enough() and (moment := self._next(end)) is not None:
            new_day = moment.date() != self._clock.now().date()
            met = self._people if new_day else self._due(moment)
            await self._silence_until(moment, met)
            self._clock.move_to(moment)
            if new_day:  # sessions end and jobs run as they would; once a day is as good as always, and quicker
                await self._app.settle()
            await self._look(met)
        if not enough():
            await self._silence_until(end, self._people)
            self._clock.move_to(end)
        else:
            await self._silence_until(self._clock.now(), self._people)
        return self._number - before

    async def _know(self) -> None:
        """Takes what there is of people who are met for the first time as of before."""
        self._told = dict.fromkeys(self._people, self._clock.now())
        for speaker_id in self._people:
            if speaker_id not in self._seen:
                rows = await self._app.stores.checkins.latest(MOST_ROWS, speaker_id)
                self._seen[speaker_id] = max((row.id for row in rows), default=0)

    async def _look(self, people: Sequence[str]) -> None:
        """Ticks, and takes up what became of what was due to these."""
        await self._app.checkins.tick()
        for speaker_id in people:
            wishes = self._wishes[speaker_id] = await self._app.stores.checkins.wishes(speaker_id)
            for checkin in await self._new(speaker_id):
                await self._take(wishes, checkin)

    def _next(self, end: datetime) -> datetime | None:
        """The next moment at which something is due, later than now and before `end`; None: none is."""
        planned = [one.next_at for one in self._wishes.values() if one.next_at is not None]
        if not planned:
            return None
        # What cannot be sent stays due for a while: it is looked at again a tick later, as the program would.
        moment = max(min(planned), self._clock.now() + timedelta(seconds=self._app.settings.care.tick_s))
        return moment if moment < end else None

    def _due(self, moment: datetime) -> Sequence[str]:
        """Those to whom something is due at a moment: until then nothing happens to the others."""
        return [who for who, one in self._wishes.items() if one.next_at is not None and one.next_at <= moment]

    async def _new(self, speaker_id: str) -> list[CheckIn]:
        rows = await self._app.stores.checkins.latest(MOST_ROWS, speaker_id)
        new = sorted((row for row in rows if row.id > self._seen[speaker_id]), key=lambda row: row.id)
        self._seen[speaker_id] = max([self._seen[speaker_id], *(row.id for row in new)])
        return new

    async def _take(self, wishes: CareWishes, checkin: CheckIn) -> None:
        if checkin.state is CheckInState.SENT:
            await self._came(wishes, checkin)
        else:
            self._note(wishes, checkin.due, checkin.why.value if checkin.why else checkin.failure or checkin.state)

    async def _came(self, _wishes: CareWishes, _checkin: CheckIn) -> None:
        """Takes note of a check-in right after it was sent."""
        self._number += 1

    async def _silence_until(self, moment: datetime, people: Sequence[str]) -> None:
        """Notes why nothing came to these since they were last looked at, before `moment`."""
        for speaker_id in people:
            since, self._told[speaker_id] = self._told[speaker_id], moment
            wishes = self._wishes[speaker_id]
            if wishes.place is None or since >= moment:
                continue
            for at, why in await self._app.checkins.planner.explain(wishes, since, moment - INSTANT):
                if at > since and why is not None:
                    self._note(wishes, at, why.value)

    def _note(self, wishes: CareWishes, moment: datetime, reason: str) -> None:
        care = self._app.settings.care
        local = moment.astimezone(zone_of(wishes, care) or UTC).time()
        chosen = [at for at in times_of(wishes, care) if at <= local]
        at = chosen[-1] if chosen else local.replace(second=0, microsecond=0)
        self.silent[wishes.speaker_id][NotSaid(at, reason)] += 1


def reasons(silent: Kept) -> list[str]:
    """Why nothing came, one line a reason, the most frequent first: "12:00, 18:00: often enough (23 times)"."""
    by_reason: dict[str, Kept] = {}
    for one, count in silent.items():
        by_reason.setdefault(one.reason, Counter())[one] += count
    lines = sorted(by_reason.items(), key=lambda item: (-item[1].total(), item[0]))
    return [
        meantime_texts.REASON.format(
            times=", ".join(texts.clock(at) for at in sorted(one.at for one in ones)),
            reason=reason,
            count=meantime_texts.counted(ones.total()),
        )
        for reason, ones in lines
    ]
