"""What somebody who greets again after a while is asked: about what they told and left open, if it can be said so.

Whatever stands behind a mere greeting is unknown, so what is grave is not said again: they are asked how they are.
Nothing of it is asked where check-ins keep silent (`care.enabled`, `care.after_help_days`).
"""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo

import structlog

from bot.care.cues import Kind
from bot.care.grave import grave_words, weight_of
from bot.care.policy import zone_of
from bot.care.reading import Reader, Told
from bot.care.threads import Thread
from bot.care.weighing import find
from bot.care.wording import FIRST_FRAME, opening_of
from bot.config import Settings
from bot.conversation.checking.language import spoken_language
from bot.conversation.checking.mood import Mood, mood_of
from bot.conversation.checking.naming import name_said
from bot.conversation.checking.wordings import fold, words
from bot.conversation.meeting import Reunion
from bot.conversation.phrases import ENGLISH, LANGUAGES
from bot.conversation.safety import may_be_danger
from bot.conversation.situations import Situation, greets_only, hears
from bot.domain import Circumstances, Session, Utterance
from bot.errors import IndexUnusable, ModelError
from bot.language.patterns import Patterns
from bot.ports import CheckIns, Clock

AWAY = timedelta(hours=12)
"""Since so long nothing was said where somebody is asked how they have been."""
SPOKEN_OF = 100
"""Earlier check-ins whose subjects are not repeated."""
MOST_LINES = 300
"""The latest utterances that are looked at: a reply waits for it."""
LANGUAGE_LINES = 8
"""Lines that show in which language somebody writes, where "hallo" does not."""
GENTLE = 1
"""Of the questions after a death the one that asks how they are now."""

_READ = Patterns.beside(__file__)
_DISCREET, _UNWANTED = _READ["discreet"], _READ["unwanted"]

_log = structlog.get_logger(__name__)


class Reunions:
    """Says what is open between two people. A failure of the encoder or the index costs that, never the reply."""

    def __init__(self, *, checkins: CheckIns, reader: Reader, clock: Clock, settings: Settings) -> None:
        self._checkins = checkins
        self._reader = reader
        self._clock = clock
        self._care = settings.care
        self._agent = settings.agent.name

    async def of(self, session: Session) -> Reunion | None:
        """What a greeting that begins a session is answered with; None where it is no such, or they talked lately."""
        person, lines = session.place.dm_person, session.utterances
        if person is None or any(line.speaker.is_agent or not _may_greet(line.text) for line in lines):
            return None
        now = self._clock.now()
        before = [one.time for one in await self._reader.utterances.before(lines[0], 1)]
        if not before or now - before[0] < AWAY:
            return None
        try:
            told = await self._reader.read(session.place, MOST_LINES)
        except (IndexUnusable, ModelError) as error:
            _log.warning("a greeting is answered without what is open", error=type(error).__name__)
            return None
        own = [told.lines[at] for at in told.own.tolist()]
        latest, known = lines[-1], [line.text for line in own]
        names = _names_of(latest, known)
        language = spoken_language(latest.text, known[-LANGUAGE_LINES:])
        language = language if language in LANGUAGES else ENGLISH
        if not all(greets_only(line.text, language, {*names, self._agent}) for line in lines):
            return None
        plain = Reunion(language, name=_said_in(latest.text, names), turn=now.toordinal())
        if not self._may_ask(await self._checkins.circumstances(person, now), now):
            return plain
        zone = zone_of(await self._checkins.wishes(person), self._care) or UTC
        spoken = await self._checkins.spoken_of(person, SPOKEN_OF)
        return await asyncio.to_thread(_with_open, plain, told, now, zone, spoken)

    def _may_ask(self, known: Circumstances, now: datetime) -> bool:
        """Whether check-ins would not keep silent: they are on here, and no crisis line was given lately."""
        helped = known.helped is not None and now - known.helped < timedelta(days=self._care.after_help_days)
        return self._care.enabled and known.agreed and not helped


def _may_greet(text: str) -> bool:
    """Whether it sounds like a greeting in any language: most lines do not, and nothing is read for them."""
    return hears(Situation.GREETING, " ".join(words(text)), None)


def _names_of(latest: Utterance, own: Sequence[str]) -> frozenset[str]:
    """The names that somebody has, by their account or their own words. One that is new is of somebody else."""
    return frozenset(word for name in (latest.speaker.name, *map(name_said, own)) for word in name.split())


def _said_in(text: str, names: frozenset[str]) -> str:
    """The first of these names that stands in a text; empty: none."""
    said = words(text)
    return next((name[:1].upper() + name[1:] for name in sorted(names) if fold(name) in said), "")


def _with_open(
    plain: Reunion, told: Told, now: datetime, zone: tzinfo, spoken: Sequence[tuple[datetime, Sequence[int]]]
) -> Reunion | None:
    """The same, with what is open. None: only what was recalled may tell, in a language whose cues are not known."""
    found = find(told, now, zone, spoken)
    if not found.threads:
        return plain if plain.language == ENGLISH else None
    thread = max(found.threads, key=lambda one: (one.before, one.weight, one.said, -one.at))
    if thread.grave is not None:
        asked = grave_words(plain.language).asks[Kind.DEATH.value][GENTLE]
        return Reunion(plain.language, asked, (thread.line,), plain.name, plain.turn, gentle=True)
    since = [line.text for at in told.own.tolist() if (line := told.lines[at]).id >= thread.line.id]
    if not _may_be_said(thread, since):
        return plain
    opening = opening_of(thread, "", now.astimezone(zone), FIRST_FRAME)
    return Reunion(plain.language, opening, (thread.line,), plain.name, plain.turn)


def _may_be_said(thread: Thread, since: Sequence[str]) -> bool:
    """Whether a thread can be said again to a greeting. `since`: its line and all that they told after it.

    Not what is nobody else's business, nor where something sad or dangerous was told since, or they want no questions.
    """
    if _DISCREET.search(thread.line.text):
        return False
    return not any(
        _UNWANTED.search(line) or mood_of(line) is Mood.SAD or weight_of(line) is not None or may_be_danger(line)
        for line in since
    )
