"""Time that is gone through with check-ins on, and all that is to be known of what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from bot.app.app import App
from bot.care.policy import zone_of
from bot.clock import ManualClock
from bot.commands.meantime import Kept, Meantime
from bot.domain import CareWishes, CheckIn, Place, Utterance


@dataclass(frozen=True, slots=True)
class Come:
    """A check-in that came: its row, its words, and what it was made of."""

    checkin: CheckIn
    time: datetime
    """When, by the person's clock."""
    text: str
    background: str
    intention: str
    lines: tuple[Utterance, ...]
    """The memory it rests on, in order; none for the farewell."""


class ReadMeantime(Meantime):
    """Lets time pass for some people. `come`: the check-ins that it brought, by person's speaker id."""

    def __init__(
        self, app: App, clock: ManualClock, people: Sequence[str], on_come: Callable[[Come], None] = lambda _come: None
    ) -> None:
        """`on_come` is told of each check-in right after it was sent."""
        super().__init__(app, clock, people)
        self._on_come = on_come
        self.come: dict[str, list[Come]] = {speaker_id: [] for speaker_id in people}

    async def _came(self, wishes: CareWishes, checkin: CheckIn) -> None:
        await super()._came(wishes, checkin)
        come = await self._read(wishes, checkin)
        self.come[wishes.speaker_id].append(come)
        self._on_come(come)

    async def _read(self, wishes: CareWishes, checkin: CheckIn) -> Come:
        zone = zone_of(wishes, self._app.settings.care) or UTC
        utterances = self._app.stores.utterances
        [said] = await utterances.get([checkin.utterance_id])
        opened = await self._app.stores.checkins.opened(said.session_id)
        lines = await utterances.get([*{*opened.sources} - {*opened.toned_by}]) if opened else []
        return Come(
            checkin,
            (checkin.sent_at or checkin.due).astimezone(zone),
            said.text,
            opened.background if opened else "",
            opened.intention if opened else "",
            tuple(sorted(lines, key=lambda line: line.id)),
        )


def reason_counts(silent: Kept) -> dict[str, int]:
    """How often each reason held."""
    counts: Counter[str] = Counter()
    for one, count in silent.items():
        counts[one.reason] += count
    return dict(counts.most_common())


async def switch_on(app: App, place: Place, zone: str) -> str:
    """Switches check-ins on in this DM, for somebody in `zone`; returns their speaker id. Raises StorageError."""
    speaker_id = place.dm_person
    if speaker_id is None:
        raise ValueError("check-ins are sent to DMs")
    wishes = await app.stores.checkins.wishes(speaker_id)
    chosen = replace(wishes, on=True, place=place, offered=True, zone=wishes.zone or zone)
    await app.stores.checkins.choose(chosen)
    await app.checkins.planner.plan_anew(speaker_id)
    return speaker_id
