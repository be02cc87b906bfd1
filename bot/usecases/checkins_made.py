"""Check-ins that were made: why one was written, and, for the owner, the queue with its reasons.

Whom a check-in was written to sees which of their own words it comes from, and can have exactly those forgotten. The
owner sees numbers and reasons, and nobody's words or name.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

from bot.domain import Answer, Asker, Call, CheckIn, Choice, Opened, Utterance
from bot.ports import Clock
from bot.texts import checkin as texts
from bot.texts.commands import counted, day
from bot.texts.translating import here
from bot.usecases.calls import button, buttons
from bot.usecases.checkin import number_in, sent_to
from bot.usecases.kept import Kept
from bot.usecases.markup import cut, joined, plain

QUOTED = 8
"""Words of the asker that are quoted."""
LONGEST_QUOTE = 200
QUEUED = 10
"""Check-ins of each kind that the owner sees."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A check-in that somebody got, and what it was made of."""

    checkin: CheckIn
    said: Utterance | None
    """What it said; None: it was erased."""
    opened: Opened | None
    """What it was about; None: it was erased."""
    sources: tuple[Utterance, ...] = ()
    """The asker's own words that it is about, oldest first."""
    toned_by: int = 0
    """How many other things that they said are behind its tone alone."""
    has_others: bool = False
    """Whether others' words are behind it, too."""


async def origin_of(number: int, ids: Collection[str], kept: Kept) -> Origin | None:
    """The check-in of this number to the person who has these ids; None: there was none."""
    checkin = await sent_to(ids, number, kept.checkins)
    if checkin is None:
        return None
    said = await kept.utterances.get([checkin.utterance_id]) if checkin.utterance_id else []
    if not said:
        return Origin(checkin, None, None)
    opened = await kept.checkins.opened(said[0].session_id)
    if opened is None or opened.checkin_id != checkin.id:
        return Origin(checkin, said[0], None)
    about = await kept.utterances.get(sorted({*opened.sources} - {*opened.toned_by}))
    own = sorted((one for one in about if one.speaker.id in ids), key=lambda one: (one.time, one.id))
    others = any(one.speaker.id not in ids and not one.speaker.is_agent for one in about)
    return Origin(checkin, said[0], opened, tuple(own), len(opened.toned_by), has_others=others)


class CheckInsMade:
    """`/checkin why | queue | hold`."""

    def __init__(self, *, kept: Kept, clock: Clock, enabled: bool) -> None:
        self._kept = kept
        self._clock = clock
        self._enabled = enabled

    async def why(self, call: Call, asker: Asker) -> Answer:
        """`/checkin why`: the asker's own words behind a check-in to them, and what it was to achieve."""
        asked = call.get("number")
        number = number_in(asked) if asked else await self._last(asker)
        if not number:
            return Answer(texts.UNKNOWN_NUMBER if asked else texts.NO_CHECK_INS)
        origin = await origin_of(number, await self._kept.identities.of(asker.speaker.id), self._kept)
        if origin is None:
            return Answer(texts.UNKNOWN_NUMBER)
        await self._kept.checkins.answered(asker.speaker.id, self._clock.now())
        lines = [f"> {plain(line)}" for line in (origin.said.text.splitlines() if origin.said else ()) if line.strip()]
        stop = button(texts.STOP, "checkin off")
        if origin.checkin.farewell:
            return Answer(joined([*lines, texts.FAREWELL_WHY]))
        if origin.opened is None or not (origin.sources or origin.has_others):
            return Answer(joined([*lines, texts.WORDS_GONE]), choices=buttons([stop]))
        if origin.sources:
            lines += [texts.BECAUSE, *_quotes(origin.sources)]
        if origin.has_others:
            lines.append(texts.BECAUSE_OTHERS)
        if origin.toned_by:
            lines.append(texts.BECAUSE_TONE.format(others=counted(origin.toned_by, "other thing")))
        if origin.opened.intention:
            lines.append(texts.INTENDED.format(intention=plain(here(origin.opened.intention))))
        forget = [button(texts.FORGET_THAT, "memory forget", what=f"c{number}")] if origin.sources else []
        return Answer(joined(lines), choices=buttons([*forget, stop]))

    async def queue(self, _call: Call, asker: Asker) -> Answer:
        """`/checkin queue`, for the owner: what is planned, and the last ones with their reasons."""
        held = (await self._kept.checkins.circumstances(asker.speaker.id, self._clock.now())).held
        planned, latest = await self._kept.checkins.planned(QUEUED), await self._kept.checkins.latest(QUEUED)
        met = dict.fromkeys([*(one.speaker_id for one in planned), *(one.speaker_id for one in latest)])
        people = {speaker_id: number for number, speaker_id in enumerate(met, 1)}
        lines = [texts.QUEUE_TITLE, _standing(held=held, enabled=self._enabled)]
        due = [(one.next_at, people[one.speaker_id]) for one in planned if one.next_at is not None]
        coming = [texts.PLANNED_LINE.format(when=texts.at(at), person=person) for at, person in due]
        lines += [texts.PLANNED_TITLE, *coming] if planned else [texts.NOTHING_PLANNED]
        if latest:
            lines += [texts.LATEST_TITLE, *(_line(one, people[one.speaker_id]) for one in latest)]
        return Answer(joined(lines), choices=buttons([button(texts.AGAIN, "checkin queue"), _switch(held=held)]))

    async def hold(self, call: Call, asker: Asker) -> Answer:
        """`/checkin hold`, for the owner: shows whether all are stopped, stops them, or lets them go on."""
        state = call.get("state")
        if not state:
            held = (await self._kept.checkins.circumstances(asker.speaker.id, self._clock.now())).held
            return Answer(_standing(held=held, enabled=self._enabled), choices=buttons([_switch(held=held)]))
        await self._kept.checkins.hold(on=state == "on")
        words = texts.HOLD_ON if state == "on" else texts.HOLD_OFF
        return Answer(words, choices=buttons([_switch(held=state == "on")]))

    async def _last(self, asker: Asker) -> int:
        """The number of the last check-in that the asker got; 0: none."""
        return next((one.id for one in await self._kept.checkins.latest(1, asker.speaker.id, sent=True)), 0)


def _quotes(said: Sequence[Utterance]) -> list[str]:
    """Somebody's own words, each with its day; those over `QUOTED` are counted."""
    lines = [
        texts.QUOTE.format(words=plain(cut(" ".join(one.text.split()), LONGEST_QUOTE)), day=day(one.time))
        for one in said[:QUOTED]
    ]
    return [*lines, texts.MORE_QUOTES.format(count=len(said) - QUOTED)] if len(said) > QUOTED else lines


def _standing(*, held: bool, enabled: bool) -> str:
    if not enabled:
        return texts.CLOSED_BY_SETTINGS
    return texts.HELD_NOW if held else texts.GOING_ON


def _switch(*, held: bool) -> Choice:
    if held:
        return button(texts.GO_ON, "checkin hold", state="off")
    return button(texts.HOLD, "checkin hold", state="on")


def _line(one: CheckIn, person: int) -> str:
    """A check-in as the owner sees it: no words."""
    state = texts.state(one.state.value, one.why.value if one.why is not None else one.failure)
    parts = [plain(f"{state}, {texts.FAREWELL}" if one.farewell else state)]
    if one.scores is not None:
        parts.append(texts.SCORES.format(**asdict(one.scores)))
    return texts.LATEST_LINE.format(number=one.id, when=texts.at(one.due), person=person, state="; ".join(parts))
