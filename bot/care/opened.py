"""The session that a check-in opened: why it was written to the person, and what to turn to when the answer does.

The feedback checker (CareAgent, appendix F): when the memory that the check-in was about is no longer near what the
person says, and another one is, the session stops, and a new one begins with the other as its background. Nobody is
interrupted (ours): the new session begins with the person's last three utterances, by which it was decided, and with
the replies to them, so that the talk has its context. Where the person has said no more than these, there is nothing
to end, and only the background changes. What is worked out for that is kept in memory, for some sessions.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import structlog
from numpy.typing import NDArray

from bot.care.decide import ENOUGH, LAST_UTTERANCES, feedback, turn_similarity
from bot.care.reading import Reader, Told
from bot.care.weighing import told_clues
from bot.care.wording import remembered
from bot.config import Care
from bot.conversation.scene import Background
from bot.domain import Opened, Place, Session, Utterance
from bot.errors import IndexUnusable, ModelError
from bot.ports import CheckIns, Clock, Utterances, Vectors
from bot.texts import care as texts

MOST_SESSIONS = 32
"""Sessions whose clues are kept."""
MOST_KNOWN = 1024
"""Sessions of which it is remembered that no check-in opened them."""
MOST_LINES = 3
"""Lines of the person that a memory which is turned to is made of, those nearest to what they say."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class _Clue:
    """One memory of the person: its mean vector, and what they said of it."""

    vector: NDArray[np.float64]
    lines: tuple[Utterance, ...]
    vectors: Vectors


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """The memories of a person, and the ids of all utterances that they were made of."""

    clues: tuple[_Clue, ...]
    made_of: frozenset[int]


class OpenedSessions:
    """Says what is behind a session. A failure of the encoder or the index costs the background, never the reply."""

    def __init__(self, *, checkins: CheckIns, utterances: Utterances, reader: Reader, clock: Clock, care: Care) -> None:
        self._checkins = checkins
        self._utterances = utterances
        self._reader = reader
        self._clock = clock
        self._care = care
        self._ordinary: OrderedDict[int, None] = OrderedDict()
        self._clues: OrderedDict[tuple[int, Place], _Known] = OrderedDict()
        self._forgotten = 0

    async def of(self, session: Session) -> Background | None:
        """Why this session was opened; None when no check-in opened it, or what it was made of is not all there.

        What of it was erased, what the place may not know any more, and what may be a sign of danger is not there.
        """
        if session.id in self._ordinary or session.place.dm_person is None:
            return None
        opened = await self._checkins.opened(session.id)
        if opened is None:
            self._ordinary[session.id] = None
            _shrink(self._ordinary, MOST_KNOWN)
            return None
        lines = await self._utterances.get(opened.sources)
        if len(lines) < len(opened.sources) or not lines or not self._reader.may_be_shown(lines):
            return None
        try:
            turned = await self._turned(opened, session)
        except (IndexUnusable, ModelError) as error:
            _log.warning("a session goes on without its background", error=type(error).__name__)
            return None
        return turned or Background(opened.background, opened.intention, tuple(lines))

    def forget(self, erased: Collection[int] | None = None) -> None:
        """Drops what was worked out of these erased utterances; without them all, as when somebody's id changes."""
        self._forgotten += 1
        self._ordinary.clear()
        gone = [key for key, known in self._clues.items() if erased is None or not known.made_of.isdisjoint(erased)]
        for key in gone:
            del self._clues[key]

    async def _turned(self, opened: Opened, session: Session) -> Background | None:
        """Another memory, when that is what the person talks about; a new session begins with it as its background."""
        chosen = await self._other(opened, session)
        if {line.id for line in chosen} <= {*opened.sources} - {*opened.toned_by}:
            return None
        if not await self._reader.still_told(session.place, chosen):
            self._clues.pop((session.id, session.place), None)
            return None
        now = self._clock.now()
        text = " ".join(remembered(line.time, now, line.speaker.name, line.text) for line in chosen)
        sources = [(line.id, line.text) for line in chosen]
        since = _own(session)[0].id
        if not await self._checkins.rethink(opened.checkin_id, text, texts.TURNED_TO, sources, since):
            return None
        _log.info("a session turned to another memory")
        return Background(text, texts.TURNED_TO, tuple(chosen))

    async def _other(self, opened: Opened, session: Session) -> list[Utterance]:
        """The lines of another memory that the person talks about; none while they talk about this one, or of none."""
        said = [line.text for line in _own(session)]
        if not said:
            return []
        encode = self._reader.encoder.encode
        spoken, about = await encode(said), await encode([opened.background])
        current = turn_similarity(about[0], spoken)
        if current >= ENOUGH:
            return []  # the memories, which take long to read, need not be read
        clues = await self._clues_of(session)
        best = feedback(current, [turn_similarity(clue.vector, spoken) for clue in clues])
        return [] if best is None else _nearest(clues[best], spoken)

    async def _clues_of(self, session: Session) -> tuple[_Clue, ...]:
        key = (session.id, session.place)  # an id may be given anew
        kept = self._clues.get(key)
        if kept is None:
            before = self._forgotten
            told = await self._reader.read(session.place)
            clues = await asyncio.to_thread(_clues, told, self._care)
            kept = _Known(clues, frozenset(line.id for line in told.lines))
            if before != self._forgotten:  # something of it may have been erased meanwhile
                return ()
            self._clues[key] = kept
            _shrink(self._clues, MOST_SESSIONS)
        self._clues.move_to_end(key)
        return kept.clues


def _own(session: Session) -> list[Utterance]:
    """The person's last three utterances in the session, in order: what a memory is compared with."""
    return [line for line in session.utterances if line.speaker.id == session.place.dm_person][-LAST_UTTERANCES:]


def _clues(told: Told, care: Care) -> tuple[_Clue, ...]:
    found: list[_Clue] = []
    for clue in told_clues(told, care):
        own = [at for at in clue.utterances if told.lines[at].speaker.id == told.person]
        if own:
            found.append(_Clue(clue.vector, tuple(told.lines[at] for at in own), told.vectors[own]))
    return tuple(found)


def _nearest(clue: _Clue, spoken: Vectors) -> list[Utterance]:
    """The lines of a memory that are nearest to what was said, in order."""
    order = np.argsort(-(clue.vectors @ spoken.T).mean(axis=1), kind="stable")[:MOST_LINES]
    return [clue.lines[at] for at in sorted(order.tolist())]


def _shrink(kept: OrderedDict[int, None] | OrderedDict[tuple[int, Place], _Known], most: int) -> None:
    while len(kept) > most:
        kept.popitem(last=False)
