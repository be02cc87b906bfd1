"""What somebody who greets again after a while is asked about: what they told and left open, as a check-in has it."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo

import structlog

from bot.care.cues import Kind
from bot.care.grave import question_of
from bot.care.policy import zone_of
from bot.care.reading import Reader, Told
from bot.care.threads import Thread
from bot.care.weighing import find
from bot.care.wording import opening_of
from bot.config import Care
from bot.conversation.meeting import Reunion
from bot.conversation.phrases import ENGLISH
from bot.conversation.situations import Situation, situation_of
from bot.domain import Session
from bot.errors import IndexUnusable, ModelError
from bot.ports import CheckIns, Clock

AWAY = timedelta(hours=12)
"""After so long somebody is asked how they have been."""
SPOKEN_OF = 100
"""Earlier check-ins whose subjects are not repeated."""
MOST_LINES = 300
"""The latest utterances that are looked at: a reply waits for it."""
FIRST_FRAME = 0
"""Of the ways in which something told is said again, the one that neither greets nor names."""
_UNQUOTED = {
    **dict.fromkeys((Kind.DEATH, Kind.ILLNESS, Kind.ILLNESS_OF, Kind.SEPARATION, Kind.SLEEP), 0),
    Kind.JOB_LOSS: 1,
    Kind.HEAVY: 1,
}
"""What is asked about without saying it again: "My wife passed" is no answer to "Good evening". Kind → which of the
questions about it can be asked so."""

_log = structlog.get_logger(__name__)


class Reunions:
    """Says what is open between two people. A failure of the encoder or the index costs that, never the reply."""

    def __init__(self, *, checkins: CheckIns, reader: Reader, clock: Clock, care: Care) -> None:
        self._checkins = checkins
        self._reader = reader
        self._clock = clock
        self._care = care

    async def of(self, session: Session) -> Reunion | None:
        """What a greeting that begins a session is answered with; None where it is no such, or they talked lately."""
        person, latest = session.place.dm_person, session.utterances[-1]
        if person is None or any(line.speaker.is_agent for line in session.utterances):
            return None
        if situation_of(latest.text) is not Situation.GREETING:
            return None
        now = self._clock.now()
        try:
            told = await self._reader.read(session.place, MOST_LINES)
        except (IndexUnusable, ModelError) as error:
            _log.warning("a greeting is answered without what is open", error=type(error).__name__)
            return None
        here = {line.id for line in session.utterances}
        before = [line.time for line in told.said().said if line.id not in here]
        if not before or now - max(before) < AWAY:
            return None
        wishes = await self._checkins.wishes(person)
        spoken = await self._checkins.spoken_of(person, SPOKEN_OF)
        return await asyncio.to_thread(_reunion, told, now, zone_of(wishes, self._care) or UTC, spoken)


def _reunion(told: Told, now: datetime, zone: tzinfo, spoken: Sequence[tuple[datetime, Sequence[int]]]) -> Reunion:
    local = now.astimezone(zone)
    left = [one for one in find(told, now, zone, spoken).threads if not _is_asked(one, told, zone)]
    if not left:
        return Reunion()
    thread = max(left, key=lambda one: (one.before, one.weight, one.said, -one.at))
    language = thread.grave.language if thread.grave is not None else ENGLISH
    return Reunion(_words_of(thread, local), language, (thread.line,), warm=thread.kind in _UNQUOTED)


def _words_of(thread: Thread, now: datetime) -> str:
    """What is asked about a thread; `now`: in their zone."""
    if thread.grave is not None and thread.kind in _UNQUOTED:
        return question_of(thread.grave, _UNQUOTED[thread.kind])
    return opening_of(thread, "", now, FIRST_FRAME)


def _is_asked(thread: Thread, told: Told, zone: tzinfo) -> bool:
    """Whether an earlier greeting was answered with this thread."""
    replies = (line for line in told.lines if line.speaker.is_agent and line.time > thread.line.time)
    return any(_words_of(thread, line.time.astimezone(zone)) in line.text for line in replies)
