"""What somebody who greets again after a while is asked: about what they told and left open, if it can be said so.

Whatever stands behind a mere greeting is unknown, and so is who reads the answer. So only what anybody may hear of is
said again (an interview, an exam, a concert), and nothing where they have told of a trouble since. After something
grave they are asked how they are, once. Nothing is asked where check-ins keep silent (`care.enabled`,
`after_help_days`).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo

import structlog

from bot.care.compose import SPOKEN_OF
from bot.care.cues import Kind
from bot.care.grave import grave_words, weight_of
from bot.care.policy import zone_of
from bot.care.reading import Reader, Told
from bot.care.threads import LONGEST_QUOTE, Thread, left_open
from bot.care.weighing import find
from bot.care.wording import FIRST_FRAME, is_taken_up, opening_of
from bot.config import Settings
from bot.conversation.checking.language import spoken_language
from bot.conversation.checking.mood import Mood, mood_of
from bot.conversation.checking.naming import name_said
from bot.conversation.checking.wordings import fold, wording, words
from bot.conversation.meeting import Reunion
from bot.conversation.phrases import ENGLISH, LANGUAGES
from bot.conversation.safety import danger_in, may_be_danger
from bot.conversation.situations import Situation, greets_only, hears
from bot.domain import Circumstances, Session, Utterance
from bot.errors import IndexUnusable, ModelError
from bot.language.ahead import When, ahead_in
from bot.language.patterns import Patterns
from bot.ports import CheckIns, Clock

AWAY = timedelta(hours=12)
"""Since so long nothing was said where somebody is asked how they have been."""
MOST_LINES = 300
"""The latest utterances that are looked at: a reply waits for it."""
LANGUAGE_LINES = 8
"""Lines that show in which language somebody writes, where "hallo" does not."""
LATELY = timedelta(days=21)
"""For so long what had a day of its own is asked about."""
GENTLE = 1
"""Of the questions after a death the one that asks how they are now."""

_READ = Patterns.beside(__file__)
_ALONE, _DISCREET = _READ["alone"], _READ["discreet"]
_UNWANTED, _BETWEEN_US = _READ["unwanted"], _READ["between_us"]
_NO_NAMES = _READ.words("no_names")

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
        zone = zone_of(await self._checkins.wishes(person), self._care) or now.astimezone().tzinfo or UTC
        spoken = await self._checkins.spoken_of(person, SPOKEN_OF)
        return await asyncio.to_thread(with_open, plain, told, now, zone, spoken)

    def _may_ask(self, known: Circumstances, now: datetime) -> bool:
        """Whether check-ins would not keep silent: they are on here, and no crisis line was given lately."""
        helped = known.helped is not None and now - known.helped < timedelta(days=self._care.after_help_days)
        return self._care.enabled and known.agreed and not helped


def _may_greet(text: str) -> bool:
    """Whether it sounds like a greeting in any language: most lines do not, and nothing is read for them."""
    return hears(Situation.GREETING, " ".join(words(text)), None)


def _names_of(latest: Utterance, own: Sequence[str]) -> frozenset[str]:
    """The names that somebody has, by their account or their own words. One that is new is of somebody else."""
    names = {word for name in (latest.speaker.name, *map(name_said, own)) for word in name.split()}
    return frozenset(name for name in names if fold(name) not in _NO_NAMES)


def _said_in(text: str, names: frozenset[str]) -> str:
    """The first word of a text that is one of these names; empty: none."""
    called = {fold(name): name for name in names}
    name = next((called[word] for word in words(text) if word in called), "")
    return name[:1].upper() + name[1:]


def with_open(
    plain: Reunion, told: Told, now: datetime, zone: tzinfo, spoken: Sequence[tuple[datetime, Sequence[int]]]
) -> Reunion | None:
    """`plain` with a question about what is open at `now`, in `zone`; `spoken`: see `find`. Pure.

    None: nothing grave is, and in another language than English only what was recalled may tell what else.
    """
    threads = find(told, now, zone, spoken).threads or (_dated(told, now, zone) if plain.language == ENGLISH else ())
    if not threads:
        return plain if plain.language == ENGLISH else None
    thread = max(threads, key=lambda one: (one.before, one.weight, one.said, -one.at))
    if thread.grave is not None:
        asked = grave_words(plain.language).asks[Kind.DEATH.value][GENTLE]
        replies = (line for line in told.lines if line.speaker.is_agent and line.time > thread.line.time)
        if any(asked in line.text for line in replies):
            return plain
        return replace(plain, words=asked, lines=(thread.line,), gentle=True)
    if plain.language != ENGLISH or not _may_be_said(thread, told.said().said, now):
        return plain
    return replace(plain, words=opening_of(thread, "", now.astimezone(zone), FIRST_FRAME), lines=(thread.line,))


def _dated(told: Told, now: datetime, zone: tzinfo) -> Sequence[Thread]:
    """The last thing with a day that has passed, of those that may be said again: "dentist on tuesday".

    A check-in needs a verb that puts it ahead; somebody who greets expects to be asked.
    """
    said, remembered = told.said(), {line.id for line in told.lines}
    for at, line in reversed([one for one in enumerate(said.said) if one[1].id in remembered]):
        spoken = line.time.astimezone(zone)
        when = _day_of(line, spoken) if now - line.time <= LATELY else None
        if when is not None and when.end <= now and len(line.text.split()) <= LONGEST_QUOTE:
            thread = Thread(Kind.AHEAD, at, line, spoken, line.text.strip(), line.text.strip(), 0.5, when)
            left = left_open([thread], said, now)
            return [] if not left or is_taken_up(thread, told.lines, zone) else left
    return []


def _day_of(line: Utterance, spoken: datetime) -> When | None:
    """The day of what a line tells, if anybody may hear of that and the line tells nothing else; else None."""
    when = ahead_in(line.text, spoken)
    if when is None or when.vague or _DISCREET.search(line.text):
        return None
    start, end = when.at
    rest = " ".join(f"{line.text[:start]} {line.text[end:]}".split())
    return when if _ALONE.search(rest) else None


def _may_be_said(thread: Thread, said: Sequence[Utterance], now: datetime) -> bool:
    """Whether a thread can be said again to a greeting at `now`. `said`: all that they told, off the record too.

    It has to be something that anybody may hear of, alone in its line. What they told since is of before its day, and
    nothing sad, dangerous or unwanted; and nothing in that session or after it says that it is to stay between them.
    """
    line = thread.line
    when = _day_of(line, thread.said)
    if when is None or (may_be_danger(line.text) and line.heard_danger is not False):
        return False
    since = [one for one in said if one.id > line.id and one.time <= now - AWAY]
    near = [one for one in said if one.id < line.id and one.session_id == line.session_id]
    losses = wording(ENGLISH).pattern("losses")
    hushed = (_BETWEEN_US.search(one.text) or _UNWANTED.search(one.text) for one in (*near, *since))
    return not any(hushed) and not any(
        one.time >= when.start
        or (may_be_danger(one.text) and one.heard_danger is not False)
        or mood_of(one.text) is Mood.SAD
        or weight_of(one.text) is not None
        or danger_in(one.text) is not None
        or losses.search(fold(one.text))
        for one in since
    )
