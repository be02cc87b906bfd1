"""`/checkin`: what a person chooses about check-ins, for themselves alone, and the buttons under a check-in.

Everything is for whoever asks. The number of a check-in that a button carries only tells what to show: whoever presses
the button under somebody else's check-in changes what they chose themselves, and sees nothing of it.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.care.planning import Planner
from bot.care.policy import quiet_hours, times_of, why_not, zone_of
from bot.care.zones import MOST, Zone, local_now, offset_words, zones_of
from bot.config import Settings
from bot.conversation.consent import Consents
from bot.domain import Answer, Asker, Call, CareWishes, CheckIn, Choice, PlaceKind, Privacy, Why
from bot.language.timewords import midnight
from bot.ports import CheckIns, Clock
from bot.texts import checkin as texts
from bot.texts.translating import here
from bot.usecases.calls import button, buttons
from bot.usecases.kept import Kept
from bot.usecases.markup import cut, joined, plain
from bot.usecases.memory import dm_of
from bot.usecases.schedule import MOST_TIMES, days_from, quiet_from, times_from, until

MOST_DAYS = 365
STEPS = (1, 2, 4, 7, 14, 30)
"""Days between two check-ins that "less often" goes through."""
LAST_SHOWN = 3
LONGEST_ECHO = 60
LONGEST_LABEL = 55
"""Characters of a place on a button: Telegram shows 64 in all."""
IN_A_ROW = 2
PAUSES = ("1 week", "2 weeks", "1 month")
DEFAULT, NONE, OFF = "default", "none", "off"
ENDS = frozenset({OFF, "end", "over", "stop", "resume"})
Change = Callable[[CareWishes], CareWishes]
OFTEN = {"daily": 1, "every day": 1, "weekly": 7, "every week": 7, "monthly": 30}


def checkin_choices(checkin_id: int, without: str = "") -> tuple[tuple[Choice, ...], ...]:
    """The buttons under a check-in; `without`: the label of one that has been pressed already."""
    rows = (
        ((texts.NOT_NOW, "checkin snooze"), (texts.LESS_OFTEN, "checkin less")),
        ((texts.STOP, "checkin off"), (texts.WHY, "checkin why")),
    )
    number = str(checkin_id)
    return buttons(*([button(label, does, number=number) for label, does in row if label != without] for row in rows))


def number_in(words: str) -> int:
    """The number of a check-in, as "12" or "c12"; 0 when it is none."""
    digits = words.strip().casefold().removeprefix("c")
    return int(digits) if digits.isdecimal() and digits.isascii() and len(digits) <= 9 else 0  # noqa: PLR2004  of ids


async def sent_to(ids: Collection[str], number: int, checkins: CheckIns) -> CheckIn | None:
    """The check-in of this number, if it was one to a person with one of these ids."""
    found = await checkins.get(number) if number else None
    return found if found is not None and found.speaker_id in ids else None


class CheckInRules:
    """What people choose. What is chosen is planned anew at once."""

    def __init__(self, *, kept: Kept, clock: Clock, settings: Settings) -> None:
        self._kept = kept
        self._clock = clock
        self._rules = settings.care
        self._consents = consents = Consents(privacies=kept.privacies, settings=settings.privacy)
        self._planner = Planner(checkins=kept.checkins, consents=consents, clock=clock, settings=settings)
        self._choosing = asyncio.Lock()

    async def on(self, _call: Call, asker: Asker) -> Answer:
        """`/checkin on`: from now on, in the asker's DM. Ends a pause."""
        if not self._rules.enabled:
            return Answer(texts.CLOSED)
        place = dm_of(asker)
        wishes = await self._change(asker, lambda now: replace(now, on=True, place=place, paused_until=None))
        privacy = await self._kept.privacies.of(asker.speaker.id)
        lines = [texts.ON]
        if asker.place.kind is PlaceKind.CHANNEL:
            lines.append(texts.ON_IN_CHANNEL)
        if privacy.minor:
            lines.append(texts.FOR_MINORS.format(most=min(self._rules.per_week, self._rules.minor_per_week)))
        lines += [*await self._next(wishes, privacy), texts.HOW_TO_STOP]
        return Answer(joined(lines), choices=buttons(self._missing(privacy)))

    async def off(self, call: Call, asker: Asker) -> Answer:
        """`/checkin off`: at once, with a button that undoes it."""
        theirs = await self._pressed(call, asker)
        before = await self._kept.checkins.wishes(asker.speaker.id)
        await self._change(asker, lambda now: replace(now, on=False))
        words = await self._below(theirs, texts.OFF if before.on else texts.NOT_ON)
        undo = [button(texts.UNDO, "checkin on")] if before.on and self._rules.enabled else []
        return Answer(words, choices=buttons(undo))

    async def show(self, _call: Call, asker: Asker) -> Answer:
        """`/checkin show`: what is chosen, when the next one may come or why none will, and the last ones."""
        wishes, privacy = await self._chosen_by(asker.speaker.id)
        sent = await self._kept.checkins.latest(LAST_SHOWN, asker.speaker.id, sent=True)
        if not wishes.on:
            lines = [texts.TITLE_OFF, texts.WHAT_IT_IS, *([] if self._rules.enabled else [texts.CLOSED])]
            switch = [button(texts.SWITCH_ON, "checkin on")] if self._rules.enabled else []
        else:
            lines = [texts.TITLE_ON, *self._chosen(wishes, privacy), *await self._next(wishes, privacy)]
            switch = [*self._missing(privacy), button(texts.SWITCH_OFF, "checkin off")]
        if sent:
            zone = self._zone(wishes)
            when = {one.id: texts.at(local_now(zone, one.sent_at or one.due)) for one in sent}
            lines += [texts.LAST_TITLE, *(texts.LAST_LINE.format(number=one.id, when=when[one.id]) for one in sent)]
        whys = [button(texts.WHY_BUTTON.format(number=one.id), "checkin why", number=str(one.id)) for one in sent]
        return Answer(joined(lines), choices=buttons(switch, whys))

    async def timezone(self, call: Call, asker: Asker) -> Answer:
        """`/checkin timezone`: shows whose clock counts, sets it by a place, or asks which of several is meant."""
        words = " ".join(call.get("place").split())
        if not words:
            wishes = await self._kept.checkins.wishes(asker.speaker.id)
            zone = self._zone(wishes)
            return Answer(texts.ZONE_NOW.format(**self._there(zone)) if zone else texts.NO_ZONE)
        if words.casefold() == NONE:
            await self._change(asker, lambda now: replace(now, zone=""))
            return Answer(texts.ZONE_GONE)
        found = await asyncio.to_thread(zones_of, words)
        if not found:
            return Answer(texts.NO_SUCH_ZONE.format(words=plain(cut(words, LONGEST_ECHO))))
        if len(found) > 1:
            return Answer(texts.WHICH_ZONE, choices=self._which(found))
        [meant] = found
        lines = [texts.NOW_THERE.format(**self._there(meant.name)), *([texts.ZONE_FIXED] if meant.fixed else [])]
        return await self._set(asker, lambda now: replace(now, zone=meant.name), lines)

    async def times(self, call: Call, asker: Asker) -> Answer:
        """`/checkin times`: times of day at which one may come."""
        words = call.get("times")
        if not words:
            return await self.show(call, asker)
        chosen = () if words.strip().casefold() == DEFAULT else times_from(words)
        if chosen is None:
            return Answer(texts.NOT_TIMES.format(most=MOST_TIMES))
        line = texts.TIMES_SET.format(times=texts.times(chosen or self._rules.times))
        return await self._set(asker, lambda now: replace(now, times=chosen), [line])

    async def days(self, call: Call, asker: Asker) -> Answer:
        """`/checkin days`: days of the week on which one may come."""
        words = call.get("days")
        if not words:
            return await self.show(call, asker)
        chosen = days_from(words)
        if chosen is None:
            return Answer(texts.NOT_DAYS)
        line = texts.DAYS_SET.format(days=texts.days(chosen))
        return await self._set(asker, lambda now: replace(now, days=chosen), [line])

    async def quiet(self, call: Call, asker: Asker) -> Answer:
        """`/checkin quiet`: between which times nothing comes."""
        words = call.get("hours").strip().casefold()
        if not words:
            return await self.show(call, asker)
        usual = (self._rules.quiet_from, self._rules.quiet_until)
        span = usual if words == DEFAULT else quiet_from(words)
        if words in {OFF, NONE}:
            span = (usual[0], usual[0])
        if span is None:
            return Answer(texts.NOT_QUIET)
        start, end = (texts.clock(one) for one in span)
        line = texts.QUIET_OFF if start == end else texts.QUIET_SET.format(start=start, end=end)
        chosen = None if words == DEFAULT else span
        return await self._set(asker, lambda now: replace(now, quiet=chosen), [line])

    async def often(self, call: Call, asker: Asker) -> Answer:
        """`/checkin often`: at most one in so many days."""
        words = call.get("days").strip().casefold()
        if not words:
            return await self.show(call, asker)
        count = int(words) if words.isdecimal() and len(words) <= len(str(MOST_DAYS)) else OFTEN.get(words, 0)
        if words != DEFAULT and not 1 <= count <= MOST_DAYS:
            return Answer(texts.NOT_OFTEN.format(most=MOST_DAYS))
        line = texts.OFTEN_SET.format(often=texts.often(count or self._rules.every_days))
        return await self._set(asker, lambda now: replace(now, every_days=count or None), [line])

    async def pause(self, call: Call, asker: Asker) -> Answer:
        """`/checkin pause`: shows it, begins it, ends it."""
        words, now = call.get("span").strip(), self._clock.now()
        wishes = await self._kept.checkins.wishes(asker.speaker.id)
        if not words and wishes.paused_until is not None and wishes.paused_until > now:
            return self._paused(wishes, wishes.paused_until)
        if not words:
            offered = [button(here(span), "checkin pause", span=span) for span in PAUSES]
            return Answer(texts.NOT_PAUSED, choices=buttons(offered))
        if words.casefold() in ENDS:
            return await self._set(asker, lambda was: replace(was, paused_until=None), [texts.PAUSE_OVER])
        moment = until(words, now, zone_of(wishes, self._rules) or UTC)
        if moment is None:
            return Answer(texts.NOT_A_PAUSE)
        await self._change(asker, lambda was: replace(was, paused_until=moment))
        return self._paused(wishes, moment)

    async def snooze(self, call: Call, asker: Asker) -> Answer:
        """`/checkin snooze`: nothing before tomorrow, by the asker's clock. A longer pause stays."""
        now = self._clock.now()

        def put_off(was: CareWishes) -> CareWishes:
            local = now.astimezone(zone_of(was, self._rules) or UTC)
            tomorrow = midnight(local.date() + timedelta(days=1), local).astimezone(UTC)
            return replace(was, paused_until=max(tomorrow, was.paused_until or tomorrow))

        return await self._if_on(call, asker, put_off, texts.SNOOZED, texts.NOT_NOW)

    async def less(self, call: Call, asker: Asker) -> Answer:
        """`/checkin less`: half as often, down to once in 30 days."""
        before = self._every(await self._kept.checkins.wishes(asker.speaker.id))
        every = next((step for step in STEPS if step > before), max(before, STEPS[-1]))
        line = (texts.LESS if every > before else texts.LEAST).format(often=texts.often(every))
        return await self._if_on(call, asker, lambda was: replace(was, every_days=every), line, texts.LESS_OFTEN)

    async def coming(self, asker: Asker) -> tuple[CareWishes, datetime | None, list[str]]:
        """What the asker chose, when the next one may come, and what is said of it; without a moment, why none is."""
        wishes, privacy = await self._chosen_by(asker.speaker.id)
        at, lines = await self._coming(wishes, privacy) if wishes.on else (None, [texts.NOT_ON_YET])
        return wishes, at, lines

    async def _chosen_by(self, person: str) -> tuple[CareWishes, Privacy]:
        return await self._kept.checkins.wishes(person), await self._kept.privacies.of(person)

    def _paused(self, wishes: CareWishes, until: datetime) -> Answer:
        end = button(texts.END_PAUSE, "checkin pause", span=OFF)
        return Answer(texts.PAUSED.format(when=texts.at(local_now(self._zone(wishes), until))), choices=buttons([end]))

    async def _if_on(self, call: Call, asker: Asker, change: Change, line: str, pressed: str) -> Answer:
        """Changes what somebody chose who has check-ins on; the buttons that are left stay."""
        theirs = await self._pressed(call, asker)
        if not (await self._kept.checkins.wishes(asker.speaker.id)).on:
            return Answer(await self._below(theirs, texts.NOT_ON))
        await self._change(asker, change)
        left = checkin_choices(theirs.id, without=pressed) if theirs is not None else ()
        return Answer(await self._below(theirs, line), choices=left)

    async def _pressed(self, call: Call, asker: Asker) -> CheckIn | None:
        """The check-in whose button was pressed, if that was one to the asker: whoever presses one has answered."""
        ids = await self._kept.identities.of(asker.speaker.id)
        theirs = await sent_to(ids, number_in(call.get("number")), self._kept.checkins)
        if theirs is not None:
            await self._kept.checkins.answered(asker.speaker.id, self._clock.now())
        return theirs

    async def _below(self, theirs: CheckIn | None, line: str) -> str:
        """A line below the check-in whose button was pressed: the answer takes its place."""
        shown_as = [theirs.utterance_id] if theirs is not None and theirs.utterance_id else []
        said = await self._kept.utterances.get(shown_as)
        shown = [plain(words) for one in said for words in one.text.splitlines() if words.strip()]
        return "\n\n".join([*shown, f"*{line}*"]) if shown else line

    async def _set(self, asker: Asker, change: Change, lines: Sequence[str]) -> Answer:
        """Stores a choice, and says when the next one may come by it."""
        wishes, privacy = await self._change(asker, change), await self._kept.privacies.of(asker.speaker.id)
        if wishes.on:
            return Answer(joined([*lines, *await self._next(wishes, privacy)]), choices=buttons(self._missing(privacy)))
        on = [button(texts.SWITCH_ON, "checkin on")] if self._rules.enabled else []
        return Answer(joined([*lines, texts.NOT_ON_YET]), choices=buttons(on))

    async def _change(self, asker: Asker, change: Change) -> CareWishes:
        """Stores what somebody chooses, with the next one planned by it. Who has chosen is never asked again."""
        async with self._choosing:
            wishes = replace(change(await self._kept.checkins.wishes(asker.speaker.id)), offered=True)
            privacy = await self._kept.privacies.of(wishes.speaker_id) if wishes.on else None
            wishes = replace(wishes, next_at=await self._planner.planned(wishes, privacy))
            await self._kept.checkins.choose(wishes)
        return wishes

    async def _next(self, wishes: CareWishes, privacy: Privacy) -> list[str]:
        """When the next one may come, or why none will, in sentences."""
        return (await self._coming(wishes, privacy))[1]

    async def _coming(self, wishes: CareWishes, privacy: Privacy) -> tuple[datetime | None, list[str]]:
        """The same with the moment; None: none will come, or not soon."""
        if wanting := self._wanting(wishes, privacy):
            return None, wanting
        by_owner = [] if wishes.zone else [texts.BY_OWNERS_CLOCK.format(zone=self._named(self._rules.zone))]
        now = self._clock.now()
        seen = await self._planner.circumstances(wishes.speaker_id, now, privacy)
        next_at = self._planner.next(now, wishes, seen)  # what is stored may be from before the last thing they said
        if next_at is None:
            return None, [*by_owner, texts.NONE_FITS]
        why = why_not(now, wishes, seen, self._rules)
        over = why is Why.UNANSWERED and seen.unanswered <= self._rules.stop_after
        if why is not None and why.value in texts.WHY_NONE and not over:
            return None, [*by_owner, texts.WHY_NONE[why.value]]
        when = texts.NEXT.format(when=texts.at(local_now(self._zone(wishes), next_at)))
        lines = [*by_owner, *([texts.UNANSWERED_NOW] if over else []), f"{when} {texts.NEXT_IF_NOTHING_NEW}"]
        return next_at, lines

    def _wanting(self, wishes: CareWishes, privacy: Privacy) -> list[str]:
        """What has to be there before any can come, and is not."""
        lines = []
        if not self._rules.enabled:
            return [texts.CLOSED]
        if privacy.paused:
            lines.append(texts.NEEDS_NO_PAUSE)
        elif not self._consents.keeps(privacy, in_channel=False):
            lines.append(texts.NEEDS_MEMORY)
        if zone_of(wishes, self._rules) is None:
            lines.append(texts.ASK_ZONE)
        return lines

    def _chosen(self, wishes: CareWishes, privacy: Privacy) -> list[str]:
        """What is set, one line each."""
        rules, zone, now = self._rules, self._zone(wishes), self._clock.now()
        week = min(rules.per_week, rules.minor_per_week) if privacy.minor else rules.per_week
        shown = times_of(wishes, rules) or wishes.times or rules.times
        lines = [
            texts.LINE_ZONE.format(**self._there(zone)) if zone else texts.LINE_NO_ZONE,
            texts.LINE_TIMES.format(times=texts.times(shown)),
            texts.LINE_DAYS.format(days=texts.days(wishes.days)),
            texts.LINE_QUIET.format(quiet=texts.quiet(quiet_hours(wishes, rules))),
            texts.LINE_OFTEN.format(often=texts.often(self._every(wishes)), week=week),
        ]
        if wishes.paused_until is not None and wishes.paused_until > now:
            lines.append(texts.LINE_PAUSED.format(when=texts.at(local_now(zone, wishes.paused_until))))
        return lines

    def _missing(self, privacy: Privacy) -> list[Choice]:
        """What the asker has to allow before any may come, as a button."""
        if privacy.paused:
            return [button(texts.END_MEMORY_PAUSE, "privacy pause", state="off")]
        if not self._consents.keeps(privacy, in_channel=False):
            return [button(texts.REMEMBER, "privacy consent", answer="yes")]
        return []

    def _which(self, found: Sequence[Zone]) -> tuple[tuple[Choice, ...], ...]:
        """One button a zone, with what time it is there."""
        now = self._clock.now()
        labels = {one.name: f"{local_now(one.name, now):%H:%M} {cut(one.place, LONGEST_LABEL)}" for one in found[:MOST]}
        choices = [button(label, "checkin timezone", place=name) for name, label in labels.items()]
        return buttons(*(choices[start : start + IN_A_ROW] for start in range(0, len(choices), IN_A_ROW)))

    def _every(self, wishes: CareWishes) -> int:
        return wishes.every_days or self._rules.every_days

    def _zone(self, wishes: CareWishes) -> str:
        return wishes.zone or self._rules.zone

    def _there(self, zone: str) -> dict[str, str]:
        return {"zone": self._named(zone), "now": texts.clock(local_now(zone, self._clock.now()).time())}

    def _named(self, zone: str) -> str:
        """A zone as people call it: "Berlin (UTC+1)"; one of a fixed offset by that alone."""
        offset = offset_words(zone, self._clock.now())
        city = zone.rpartition("/")[2].replace("_", " ")
        return plain(offset if zone.startswith("Etc/") else f"{city} ({offset})")
