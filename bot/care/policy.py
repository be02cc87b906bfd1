"""When a check-in may be sent, and why not (promise 5). Pure: no model, no store, no clock of its own.

Two questions. `next_due` plans: the next moment at which one may be sent, as far as that can be known. `why_not`
decides, at that moment, by what has happened meanwhile. Both look at the same rules, and days and times of day are by
the clock where the person lives: "a day" is a date there.

Moments go in with any zone and come out in UTC. Spans begin with the moment or time at which they begin and end before
that at which they end: a pause until noon ends at noon; quiet hours from 22:00 hold at 22:00, and at 8:00 no more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from hashlib import sha256
from zoneinfo import ZoneInfo

from bot.care.calendar import DAY, before_leap, end_of, is_within, moment_of, zone_named
from bot.config import Care
from bot.domain import CareWishes, Circumstances, Why

WEEK_DAYS = 7
LONGEST_DAYS = 3650
"""An interval is no longer than this, whatever is stored."""
HORIZON_DAYS = 60
"""How many days are looked at once nothing stands in the way. A week is enough, but for days that a zone leaves out."""
EVER = datetime(1970, 1, 1, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)
FAR = datetime(9000, 1, 1, tzinfo=UTC)
"""Nobody is planned for later: calendars end with the year 9999."""


def zone_of(wishes: CareWishes, rules: Care) -> ZoneInfo | None:
    """The zone that the person lives in: theirs, else that of the settings; None when neither is known.

    A zone of theirs that does not exist (any more) is not replaced by another one: nobody would know that it is wrong.
    """
    return zone_named(wishes.zone or rules.zone)


def quiet_hours(wishes: CareWishes, rules: Care) -> tuple[time, time]:
    """The wall-clock times between which nothing comes: the person's, else those of the settings."""
    return wishes.quiet if wishes.quiet is not None else (rules.quiet_from, rules.quiet_until)


def times_of(wishes: CareWishes, rules: Care) -> tuple[time, ...]:
    """The times of day at which one may come, without those in quiet hours; empty: none ever comes."""
    quiet = quiet_hours(wishes, rules)
    return tuple(at for at in wishes.times or rules.times if not is_within(at, quiet))


def is_farewell_due(circumstances: Circumstances, rules: Care) -> bool:
    """Whether the next check-in is to say that no more will come: as many as `stop_after` were not answered.

    True for one message only. Should the program die between sending it and switching off, the farewell itself counts
    as not answered: then this is False, and `why_not` refuses everything until the person writes.
    """
    return circumstances.unanswered == rules.stop_after


def why_not(now: datetime, wishes: CareWishes, circumstances: Circumstances, rules: Care) -> Why | None:
    """Why nothing may be sent at `now`; None when it may. Of several reasons, the one that lasts longest is told.

    Whether `now` is one of the person's times of day is not asked: that is what was planned, and how late one may be is
    the caller's (`grace_minutes`).
    """
    if not wishes.on or not rules.enabled:
        return Why.OFF
    zone = zone_of(wishes, rules)
    if zone is None:
        return Why.ZONE
    reason = _until_something_happens(circumstances, rules) or _for_a_while(now, wishes, circumstances, rules)
    if reason is not None:
        return reason
    local = now.astimezone(zone)
    if is_within(local.time(), quiet_hours(wishes, rules)):
        return Why.QUIET
    if wishes.days and local.weekday() not in wishes.days:
        return Why.DAY
    return _too_often(local.date(), zone, wishes, circumstances, rules)


def next_due(
    after: datetime, wishes: CareWishes, circumstances: Circumstances, rules: Care, key: str
) -> datetime | None:
    """The first moment, later than `after`, at which a check-in may be sent; in UTC, whole seconds.

    Whatever `circumstances` already tell will be over by then, and if nothing else happens `why_not` has nothing
    against it. What ends only when something happens (the owner lets them go on, a refused person writes, an answer is
    sent, memory is agreed to) is taken to be over soon: then it is a moment of another day than `after`, so that such a
    person is looked at once a day and nobody has to be planned anew when it ends.

    None: the person wants none, nobody knows their zone, or all of their times are in quiet hours. `key` is something
    that stays the same for the person, such as an id: the jitter follows from it, the date and the time of day.
    """
    zone, times = zone_of(wishes, rules), times_of(wishes, rules)
    if not wishes.on or zone is None or not times:
        return None
    ends = [over for _, over in _spans(wishes, circumstances, rules) if over is not None]
    earliest = max(after.astimezone(UTC) + INSTANT, *ends, EVER)
    if earliest > FAR:
        return None
    day = max([earliest.astimezone(zone).date(), *_free_days(zone, wishes, circumstances, rules)])
    if not rules.enabled or _until_something_happens(circumstances, rules):
        day = max(day, after.astimezone(zone).date() + DAY)
    plan = _Plan(zone, times, quiet_hours(wishes, rules), timedelta(minutes=rules.jitter_minutes), key)
    for _ in range(HORIZON_DAYS):
        if not wishes.days or day.weekday() in wishes.days:
            moment = plan.first(day, earliest)
            if moment is not None:
                return moment
        day += DAY
    return None


def _until_something_happens(circumstances: Circumstances, rules: Care) -> Why | None:
    """What stands in the way and does not end by itself."""
    reasons = {
        Why.HELD: circumstances.held,
        Why.CONSENT: not circumstances.agreed,
        Why.REFUSED: circumstances.refused,
        Why.UNANSWERED: circumstances.unanswered > rules.stop_after,
        Why.TALKING: circumstances.waiting,
    }
    return next((why for why, holds in reasons.items() if holds), None)


def _spans(wishes: CareWishes, circumstances: Circumstances, rules: Care) -> tuple[tuple[Why, datetime | None], ...]:
    """What stands in the way for a while, each with the moment from which on it does no more; None: it does not."""
    said, helped = circumstances.last_said, circumstances.helped
    return (
        (Why.PAUSED, wishes.paused_until),
        (Why.HELP, helped and _later(helped, timedelta(days=rules.after_help_days))),
        (Why.TALKING, said and _later(said, timedelta(hours=rules.after_talk_hours))),
    )


def _for_a_while(now: datetime, wishes: CareWishes, circumstances: Circumstances, rules: Care) -> Why | None:
    spans = _spans(wishes, circumstances, rules)
    return next((why for why, over in spans if over is not None and now < over), None)


def _later(moment: datetime, by: timedelta) -> datetime:
    return moment + by if moment < FAR else moment


def _too_often(
    today: date, zone: ZoneInfo, wishes: CareWishes, circumstances: Circumstances, rules: Care
) -> Why | None:
    """Whether those that were sent forbid one more today."""
    if all(today >= day for day in _free_days(zone, wishes, circumstances, rules)):
        return None
    as_usual = _free_days(zone, wishes, replace(circumstances, unanswered=0), rules)
    if all(today >= day for day in as_usual):
        return Why.UNANSWERED
    return Why.OFTEN if today < as_usual[0] else Why.WEEK


def _free_days(zone: ZoneInfo, wishes: CareWishes, circumstances: Circumstances, rules: Care) -> list[date]:
    """The dates before which those that were sent forbid another; unanswered ones make both spans twice as long.

    First what the interval forbids, then what the most in a week does; empty when nothing was sent. Days, not hours: at
    seven a week, one that came at 12:15 does not forbid 12:05 a week later.
    """
    sent = sorted(circumstances.sent)
    if not sent:
        return []
    stretch = 2 if circumstances.unanswered >= rules.back_off_after else 1
    every = min(max(wishes.every_days or rules.every_days, 1), LONGEST_DAYS)
    free = [sent[-1].astimezone(zone).date() + every * stretch * DAY]
    most = min(rules.per_week, rules.minor_per_week) if circumstances.minor else rules.per_week
    if len(sent) >= most:
        free.append(sent[-most].astimezone(zone).date() + WEEK_DAYS * stretch * DAY)
    return free


@dataclass(frozen=True, slots=True)
class _Plan:
    """The moments of a day at which one may be sent to somebody: one a time of day, jitter included."""

    zone: ZoneInfo
    times: Sequence[time]
    quiet: tuple[time, time]
    jitter: timedelta
    key: str

    def first(self, day: date, earliest: datetime) -> datetime | None:
        """The first of that day, from `earliest` on; None: there is none."""
        starts = ((self._start(day, at), at) for at in self.times)
        moments = (self._spread(start, day, at) for start, at in starts if start is not None)
        return min((moment for moment in moments if moment >= earliest), default=None)

    def _start(self, day: date, at: time) -> datetime | None:
        """The moment of a time of day; None on a day that the zone leaves out.

        A time that clocks leap over comes right after the leap; where that is another day or in quiet hours, before it.
        """
        start = moment_of(day, at, self.zone)
        if self._fits(start, day):
            return start
        start = before_leap(day, at, self.zone)
        return start if self._fits(start, day) else None

    def _spread(self, start: datetime, day: date, at: time) -> datetime:
        """`start` with its jitter, which is shortened where it would reach into quiet hours or the next day."""
        share = _share(self.key, day, at)
        moment = _whole(start, share * self.jitter)
        if self._fits(moment, day):
            return moment
        limits = (end_of(day, self.zone), moment_of(day, self.quiet[0], self.zone))
        room = min([self.jitter, *(limit - start for limit in limits if limit > start)])
        moment = _whole(start, share * room)
        return moment if self._fits(moment, day) else start

    def _fits(self, moment: datetime, day: date) -> bool:
        local = moment.astimezone(self.zone)
        return local.date() == day and not is_within(local.time(), self.quiet)


def _whole(start: datetime, jitter: timedelta) -> datetime:
    """`start` and whole seconds of `jitter`."""
    return start + timedelta(seconds=int(jitter.total_seconds()))


def _share(key: str, day: date, at: time) -> float:
    """A number in [0, 1) that follows from the person, the date and the time of day, and from nothing else."""
    digest = sha256(f"{key}\n{day.isoformat()}\n{at.isoformat()}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48
