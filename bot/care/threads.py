"""Open threads: what a person told that somebody who cares would ask about later. Pure; most cues are English.

Something ahead ("I have an interview on Friday"), a plan, something under way, a worry, a wish. Before it has come, and
when it is long over, nobody asks; nor about what later words settle, contradict, or have just been about. In other
languages only what is grave is found (`grave.py`): silence is better than a wrong question. What is grave stays open
until it is settled, comes before all else, and keeps light things from being asked about for a while.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo

from bot.care import cues
from bot.care.cues import AGES, RANK, WEIGHTS, Kind
from bot.care.grave import Grave, heard, names, settles
from bot.domain import Utterance
from bot.language.ahead import When, ahead_in
from bot.language.extractive import sentences
from bot.language.languages import is_english
from bot.language.lexicon import stems
from bot.ports import Vectors

SAME = 0.5
"""Cosine from which two lines are about the same thing."""
SPOKEN = 0.6
"""Cosine to what an earlier check-in was made of from which a line is the same again."""
AGAIN = timedelta(days=30)
"""For so long after a check-in nothing that is said of the same is asked about, unless it has a day of its own."""
JUST = timedelta(hours=24)
"""What was talked about within that time is not asked about."""
OLDEST = timedelta(days=120)
"""Lines that are looked at: no thread stays open longer."""
LUCK = timedelta(hours=24)
"""How long before a day somebody is wished luck for it."""
PASSED = timedelta(days=30)
"""How long after its day one still asks how something went."""
MOURNING = timedelta(days=7)
"""For so long after somebody told of a death, only what is grave is asked about."""
LONGEST_QUOTE = 34
"""Words of a sentence that is quoted."""
LONGEST_SENTENCE = 240
"""Characters of one."""


@dataclass(frozen=True, slots=True)
class Thread:
    """One open thread. `at` is the position of its line among the person's lines."""

    kind: Kind
    at: int
    line: Utterance
    said: datetime
    """When it was said, in the person's zone."""
    quote: str
    """The sentence, as it was said."""
    clause: str
    """The part of it that opens the thread."""
    weight: float
    """How much a person would expect to be asked, in [0, 1]."""
    when: When | None = None
    """When it is; `at` is counted in `clause`."""
    occasion: bool = False
    """Whether it is something to wish luck for."""
    before: bool = False
    """Whether it has not come yet, and is near."""
    grave: Grave | None = None
    """What is grave about it; None: nothing."""


@dataclass(frozen=True, slots=True)
class Lines:
    """What one person said, in order, with one unit vector a line (zero where there is none)."""

    said: tuple[Utterance, ...]
    vectors: Vectors
    weighed: Mapping[int, bool] = field(default_factory=dict)
    """Whether the model takes an utterance for grave, by its id, where it was asked."""


def threads_of(lines: Lines, now: datetime, zone: tzinfo) -> list[Thread]:
    """The threads that the lines open and whose time to be asked about has come, whether settled or not."""
    found: list[Thread] = []
    graves = _heard(lines)
    for at, line in enumerate(lines.said):
        if now - OLDEST <= line.time <= now:
            opened = _with_grave(_threads_in(line, at, zone), graves[at], line, at, zone)
            found += [due for one in opened if (due := timed(one, now)) is not None]
    return found


def gravest(threads: Sequence[Thread], lines: Lines, now: datetime) -> list[Thread]:
    """Those of the threads that come first: of what is grave the gravest. Nothing light soon after a death."""
    rank = max((RANK.get(one.kind, 0) for one in threads), default=0)
    if rank == 0:
        told = zip(lines.said, _heard(lines), strict=True)
        if any(now - line.time <= MOURNING and one.kind is Kind.DEATH for line, graves in told for one in graves):
            return []
    return [one for one in threads if RANK.get(one.kind, 0) == rank]


def _heard(lines: Lines) -> list[tuple[Grave, ...]]:
    weighed = {at: lines.weighed[line.id] for at, line in enumerate(lines.said) if line.id in lines.weighed}
    return heard([line.text for line in lines.said], [line.session_id for line in lines.said], weighed)


def _with_grave(
    light: Sequence[Thread], graves: Sequence[Grave], line: Utterance, at: int, zone: tzinfo
) -> list[Thread]:
    """The threads of one line. An operation that has a day is asked about after its day, not as an illness."""
    dated = [one.clause for one in light if one.kind is Kind.AHEAD]
    opened: list[Thread] = []
    for one in graves:
        if one.kind not in _SOON_OVER or not any(one.quote in clause or clause in one.quote for clause in dated):
            said, quote = line.time.astimezone(zone), one.quote[:1].upper() + one.quote[1:]
            opened.append(Thread(one.kind, at, line, said, quote, one.quote, WEIGHTS[one.kind], grave=one))
    kept = [one for one in light if one.kind is Kind.AHEAD or not graves]
    return opened + kept


_SOON_OVER = frozenset({Kind.ILLNESS, Kind.ILLNESS_OF, Kind.FEAR, Kind.HEAVY})


def timed(thread: Thread, now: datetime) -> Thread | None:
    """The thread, if it is time to speak of it; `before` its day when that is near. None: too early or too late."""
    if thread.when is None:
        youngest, oldest = AGES.get(thread.kind, (timedelta(0), OLDEST))
        return thread if youngest <= now - thread.said <= oldest else None
    if thread.when.end <= now:
        return thread if now - thread.when.end <= PASSED else None
    short = thread.when.end - thread.when.start <= timedelta(days=1)
    if thread.occasion and short and not thread.when.vague and now < thread.when.start <= now + LUCK:
        return replace(thread, before=True)
    return None


def left_open(threads: Sequence[Thread], lines: Lines, now: datetime) -> list[Thread]:
    """Those of the threads that nothing the person said later settles, contradicts or has just been about."""
    if not threads:
        return []
    later = _Later(lines, now)
    return [one for one in threads if not later.settles(one)]


def fresh(threads: Sequence[Thread], lines: Lines, spoken: Sequence[tuple[datetime, Sequence[int]]]) -> list[Thread]:
    """Those of the threads that no earlier check-in was about. `spoken`: (when it was sent, ids of its utterances).

    Who was wished luck for something is asked, once, how it went. What is said again soon after a check-in about it has
    been talked about: only if it now has a day of its own, it is something else.
    """
    position = {line.id: at for at, line in enumerate(lines.said)}
    before = {line: sent for sent, ids in reversed(spoken) for line in ids}
    asked = [(sent, position[line]) for line, sent in before.items() if line in position]
    graves = _heard(lines)

    def again(thread: Thread) -> bool:
        vector = lines.vectors[thread.at]
        if thread.line.id in before:
            return not _was_luck(thread, before[thread.line.id])
        said = thread.line.time if thread.when is not None else thread.line.time - AGAIN
        if thread.grave is not None and thread.kind is not Kind.HEAVY:
            return any(sent >= said and _the_same(thread.grave, one) for sent, at in asked for one in graves[at])
        return any(sent >= said and float(vector @ lines.vectors[at]) >= SPOKEN for sent, at in asked)

    return [one for one in threads if not again(one)]


def _the_same(one: Grave, other: Grave) -> bool:
    return one.kind is other.kind and _same_dear(one, other)


def _same_dear(one: Grave, other: Grave) -> bool:
    return not one.dear or not other.dear or one.dear == other.dear


def _was_luck(thread: Thread, sent: datetime) -> bool:
    """Whether the last check-in about a thread that is over now was to wish luck for it."""
    return thread.occasion and thread.when is not None and not thread.before and sent < thread.when.start


MANY_SHARED = 3
"""Rare words that two lines share from which they are about the same."""
RARE_SHARE = 0.02
"""A word is rare when at most this share of a person's lines, or two of them, have it."""
NEXT_LINES = 3
"""Lines of the person right after one, in the same session, that take it back without naming it."""


class _Later:
    """What a person said after something, and whether that settles it."""

    def __init__(self, lines: Lines, now: datetime) -> None:
        self._lines = lines
        self._now = now
        self._graves = _heard(lines)
        self._stems = [frozenset(stems(line.text)) for line in lines.said]
        counts = Counter(stem for words in self._stems for stem in words)
        most = max(2.0, RARE_SHARE * len(lines.said))
        self._rare = {stem for stem, count in counts.items() if count <= most}

    def settles(self, thread: Thread) -> bool:
        """Whether anything later is an outcome of it, says that it is off, or is about the same thing again."""
        if thread.grave is not None:
            over = self._grave_over(thread, thread.grave)
            if over or thread.kind is not Kind.HEAVY:  # of what the net heard, saying more is enough
                return over
        words = (frozenset(stems(thread.clause)) & self._rare) - _TIME_STEMS
        for at in range(thread.at + 1, len(self._lines.said)):
            line = self._lines.said[at]
            if any(one.kind in _PARTED and names(thread.clause, one.dear) for one in self._graves[at]):
                return True
            alike = float(self._lines.vectors[thread.at] @ self._lines.vectors[at])
            shared = len(words & self._stems[at])
            if line.session_id == thread.line.session_id:
                near = at - thread.at <= NEXT_LINES or shared > 0 or alike >= SAME
                if near and cues.CALLED_OFF.search(line.text):
                    return True
                continue
            if self._about(thread, line, alike, shared):
                return True
        return False

    def _grave_over(self, thread: Thread, grave: Grave) -> bool:
        """Whether it is told, right after it or in a later line, that it is over; of an illness, that somebody died."""
        after = thread.line.text.replace("’", "'").partition(grave.quote)[2]
        later = (line.text for line in self._lines.said[thread.at + 1 :])
        if any(settles(grave, words) for words in (grave.quote, after, *later)):
            return True
        deaths = (one for graves in self._graves[thread.at :] for one in graves if one.kind is Kind.DEATH)
        return grave.kind is Kind.ILLNESS_OF and any(_same_dear(grave, one) for one in deaths)

    def _about(self, thread: Thread, line: Utterance, alike: float, shared: int) -> bool:
        """Whether a line of a later session leaves nothing to ask."""
        told = cues.OUTCOME.search(line.text) is not None
        just = self._now - line.time <= JUST
        if alike >= SAME or shared >= MANY_SHARED:
            return True
        return shared >= 1 and (told or just) and (shared >= 2 or alike >= SAME - 0.15)  # noqa: PLR2004 - two words, or alike


_PARTED = frozenset({Kind.DEATH, Kind.SEPARATION})
"""After these nobody is asked about what was planned with the same one."""
_TIME_STEMS = frozenset(stems(cues.TIME_WORDS))
"""Words that say nothing of what a thread is about."""


def _threads_in(line: Utterance, at: int, zone: tzinfo) -> list[Thread]:
    """The threads that one line opens, at most one a sentence."""
    if not is_english(line.text):
        return []
    said = line.time.astimezone(zone)
    found = (_thread_in(cues.LEAD.sub("", sentence), line, at, said) for sentence in sentences(line.text))
    return [one for one in found if one is not None]


def _thread_in(sentence: str, line: Utterance, at: int, said: datetime) -> Thread | None:
    sentence = sentence.replace("’", "'").strip()
    if "?" in sentence or len(sentence) > LONGEST_SENTENCE or len(sentence.split()) > LONGEST_QUOTE:
        return None
    for clause in cues.CLAUSES.split(sentence):
        kind, when = _kind_of(clause.strip(), said)
        if kind is not None:  # that is rare, so what takes most time to look for is looked for last
            if cues.NOT_ONE.search(sentence) or cues.CALLED_OFF.search(sentence):
                return None
            return _made(kind, when, clause.strip(), sentence, line, at, said)
    return None


def _kind_of(clause: str, said: datetime) -> tuple[Kind | None, When | None]:
    when = ahead_in(clause, said)
    if when is not None and (not when.vague or cues.OCCASION.search(clause) or cues.EVENT.search(clause)):
        future = cues.FUTURE.search(clause) is not None and cues.REGULAR.search(clause) is None
        if future and cues.OVER.search(clause) is None and not cues.in_timetable(clause):
            return Kind.AHEAD, when
    for kind, cue in cues.CUES:
        if cue.search(clause):
            dated = kind in {Kind.PLAN, Kind.UNDER_WAY, Kind.WISH} and when is not None
            return kind, when if dated else None
    return None, None


def _made(
    kind: Kind, when: When | None, clause: str, sentence: str, line: Utterance, at: int, said: datetime
) -> Thread | None:
    """The thread with its weight; None where too little is said to ask about."""
    content = [stem for stem in dict.fromkeys(stems(cues.POINTING.sub(" ", clause))) if stem not in _TIME_STEMS]
    occasion = cues.OCCASION.search(clause) is not None
    dear = cues.DEAR.search(clause) is not None
    enough = (kind is Kind.UNDER_WAY and dear) or (occasion and when is not None)
    if len(content) < (1 if enough else FEWEST_CONTENT):
        return None
    weight = WEIGHTS[kind] + 0.15 * occasion + 0.1 * dear
    weight += 0.05 * (cues.EVENT.search(clause) is not None) - 0.2 * (cues.POINTING.search(clause) is not None)
    weight -= 0.15 * (len(content) < GOOD_CONTENT) + 0.15 * (
        not re.match(r"(?:i|my|we|our)\b|i'", clause, re.IGNORECASE)
    )
    quote = sentence[:1].upper() + sentence[1:]
    if weight < LIGHTEST:
        return None
    return Thread(kind, at, line, said, quote, clause, round(min(weight, 1.0), 2), when, occasion)


LIGHTEST = 0.44
"""What weighs less is nothing that anybody would expect to be asked."""
FEWEST_CONTENT, GOOD_CONTENT = 2, 3
"""Words that say something: fewer are no thread, unless somebody has a new job or knows when an exam is; fewer
than so many are a poor one."""
