"""How much one person, one server and one place may ask for.

`Pace` counts messages and knows no clock: a message counts at the time at which it was sent, so that what is caught up
after hours away is not taken for a flood. `TokenQuota` counts the model's tokens of a day.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum

from bot.config import Limits
from bot.domain import Place, Spending, Utterance
from bot.ports import Clock, Usage

WINDOW = timedelta(minutes=1)
"""What "per minute" means: no more than so many in any minute."""

KEPT_SHARE = 4
"""What a limit leaves unanswered is kept up to this many times `max_pending` a minute in one place, against floods."""

OVERHEARD = 4
"""Of what wants no reply this many times as much is read as people may ask: 80 messages a minute of one person."""

KEPT_WINDOWS = 2048
"""People, servers and places whose last messages are kept in mind; then those who have been calm are forgotten."""


class Excess(StrEnum):
    """Of what there is too much."""

    PLACE = "place"
    """Unanswered messages in one place."""
    PERSON = "person"
    """Messages of one person in a minute."""
    SERVER = "server"
    """Messages of all people of a server in a minute."""
    OVERHEARD = "overheard"
    """Messages in a minute that want no reply."""


@dataclass(slots=True)
class _Told:
    """A place that was told of an excess."""

    last: datetime
    """When a message was refused there last."""
    emptied: bool = False
    """Whether its queue has been empty since it was told."""


class Pace:
    """Who writes faster than is answered, and who floods a channel that is listened to."""

    def __init__(self, settings: Limits, max_pending: int) -> None:
        self._person = settings.person_per_minute
        self._server = settings.server_per_minute
        self._max_pending = max_pending
        self._times: dict[str, deque[datetime]] = {}
        self._told: dict[tuple[Place, bool], _Told] = {}
        """By place, and whether what was refused is read."""

    def excess(self, utterance: Utterance, asked: int) -> Excess | None:
        """What would be too much with this message; `asked`: how many of its place wait for a reply already."""
        if asked >= self._max_pending:
            return Excess.PLACE
        for of, (name, limit) in zip((Excess.PERSON, Excess.SERVER), self._windows(utterance), strict=False):
            if self._full(name, limit, utterance.time):
                return of
        return None

    def hears(self, utterance: Utterance) -> bool:
        """Whether a message that wants no reply is read; then it is counted. What people type by hand always is."""
        windows = [(f"heard {name}", OVERHEARD * limit) for name, limit in self._windows(utterance)]
        return self._lets_in(windows, utterance.time)

    def keeps(self, utterance: Utterance) -> bool:
        """Whether a message that is not to be answered is kept all the same; then it is counted."""
        return self._lets_in([(f"kept {utterance.place.key}", KEPT_SHARE * self._max_pending)], utterance.time)

    def count(self, utterance: Utterance) -> None:
        """Counts a message that is let in."""
        self._note(self._windows(utterance), utterance.time)

    def discount(self, utterance: Utterance) -> None:
        """Takes a message out of the count: it was stored before."""
        for name, _ in self._windows(utterance):
            times = self._times.get(name)
            if times is not None and utterance.time in times:
                times.remove(utterance.time)
                if not times:
                    del self._times[name]

    def tells(self, place: Place, now: datetime, *, empty: bool, kept: bool = False) -> bool:
        """Whether `place` is to be told that a message was refused at `now`; `kept`: that it is read all the same.

        Once of each, until it has been calm: its queue has been empty, and nothing has been refused for a minute.
        `empty`: whether its queue is empty now.
        """
        told = self._told.get((place, kept))
        if told is None:
            self._told[place, kept] = _Told(now)
            return True
        calm = (told.emptied or empty) and abs(now - told.last) >= WINDOW
        self._told[place, kept] = _Told(now, emptied=(told.emptied or empty) and not calm)
        return calm

    def emptied(self, place: Place) -> None:
        """Says that the queue of `place` is empty."""
        for kept in (True, False):
            if (place, kept) in self._told:
                self._told[place, kept].emptied = True

    def _lets_in(self, windows: Sequence[tuple[str, int]], time: datetime) -> bool:
        """Whether none of these windows is full; then it is counted in all of them."""
        full = any(self._full(name, limit, time) for name, limit in windows)
        if not full:
            self._note(windows, time)
        return not full

    def _note(self, windows: Sequence[tuple[str, int]], time: datetime) -> None:
        if len(self._times) > KEPT_WINDOWS:
            self._times = {name: times for name, times in self._times.items() if abs(time - times[-1]) < WINDOW}
        for name, limit in windows:
            self._times.setdefault(name, deque(maxlen=limit)).append(time)

    def _windows(self, utterance: Utterance) -> list[tuple[str, int]]:
        """Names and limits of a person's window and, on a server, of the server's."""
        each = zip(("person", "server"), subjects_of(utterance), (self._person, self._server), strict=False)
        return [(f"{kind} {subject}", limit) for kind, subject, limit in each]

    def _full(self, name: str, limit: int, now: datetime) -> bool:
        times = self._times.get(name)
        return times is not None and len(times) == limit and abs(now - times[0]) < WINDOW


class TokenQuota:
    """The daily budgets of model tokens, for one person's replies and for a server's. 0: no limit."""

    def __init__(self, *, usage: Usage, clock: Clock, settings: Limits) -> None:
        self._usage = usage
        self._clock = clock
        self._person = settings.person_daily_tokens
        self._server = settings.server_daily_tokens
        self._told: dict[tuple[Place, str], date] = {}

    async def used_up(self, utterance: Utterance) -> bool:
        """Whether a reply to this would be beyond today's budget of its speaker or its server."""
        budgets = zip(subjects_of(utterance), (self._person, self._server), strict=False)
        limited = {subject: tokens for subject, tokens in budgets if tokens}
        if not limited:
            return False
        spent = await self._usage.spent(self._today(), list(limited))
        return any(spent.get(subject, 0) >= tokens for subject, tokens in limited.items())

    def spending(self, utterance: Utterance, tokens: int) -> Spending:
        """What the reply to this has cost, to be recorded with it."""
        return Spending(self._today(), subjects_of(utterance), tokens)

    def tells(self, place: Place, speaker_id: str) -> bool:
        """Whether this speaker is to be told in `place` that a budget is used up: once a day."""
        today, asked = self._today(), (place, speaker_id)
        if self._told.get(asked) == today:
            return False
        self._told = {told: day for told, day in self._told.items() if day == today} | {asked: today}
        return True

    def _today(self) -> date:
        return self._clock.now().date()


def subjects_of(utterance: Utterance) -> tuple[str, ...]:
    """The names under which it is counted: its speaker's and, but in a DM, its server's."""
    place = utterance.place
    return (utterance.speaker.id, *(() if place.server is None else (f"{place.platform}:{place.server}",)))
