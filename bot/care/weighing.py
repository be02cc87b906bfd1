"""Which memory a check-in is about: every clue with something open, its scores, and the thread to ask about. Pure.

Importance by rules stands in for the model's rating (METHODS §4, S_I) where no model is asked.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

import numpy as np

from bot.care.clues import Clue, ClueRules, clues_of
from bot.care.cues import Kind
from bot.care.decide import decided, recent_similarity
from bot.care.reading import Told
from bot.care.threads import LONGEST_QUOTE, LONGEST_SENTENCE, Lines, Thread, fresh, gravest, left_open, threads_of
from bot.care.wording import is_taken_up
from bot.config import Care
from bot.domain import CareScores, Utterance
from bot.language.extractive import sentences, word_count
from bot.language.lexicon import says_nothing

SHARE_OF_OTHERS = 0.1
"""How much what else is told in a clue adds to the importance of its most important thread."""
MANY_PERSONAL = 4
FEWEST_TOLD = 5
"""Words of a sentence that is worth asking a model about."""
TOLD_DAYS = (3, 30)
"""How old, in days, something is that only a model takes for worth asking about."""

_PERSONAL = re.compile(r"\b(?:i|i'\w+|my|me|we|our)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A clue that could be talked about. `clue`: its position among all."""

    clue: int
    thread: Thread
    lines: tuple[Utterance, ...]
    """All of the clue, in order."""
    personal: int
    """How many of them the person says of themselves."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """Something grave in words that may be a sign of danger: the person is asked how they are, without one of them."""

    line: Utterance
    language: str
    """The code of the one in which it was told."""


@dataclass(frozen=True, slots=True)
class Found:
    """What there is to talk about. `settled`: whether there was something, but later words have settled all of it."""

    threads: tuple[Thread, ...]
    settled: bool = False
    quiet: Quiet | None = None
    """What is open besides, where nothing grave is among the threads: it comes before them."""


def find(told: Told, now: datetime, zone: tzinfo, spoken: Sequence[tuple[datetime, Sequence[int]]]) -> Found:
    """The threads that are open, due and not yet asked about."""
    said = told.said()
    remembered = {line.id for line in told.lines}
    due = [one for one in fresh(threads_of(said, now, zone), said, spoken) if one.line.id in remembered]
    left = [one for one in left_open(due, said, now) if not is_taken_up(one, told.lines, zone)]
    everything = told.with_doubted() if told.doubted else said
    threads = tuple(gravest(left, everything, now))
    doubted = () if any(one.grave is not None for one in threads) else told.doubted
    quiet = _quiet(doubted, everything, now, zone, spoken) if doubted else None
    return Found(threads, settled=bool(due) and not left, quiet=quiet)


def _quiet(
    doubted: Sequence[Utterance],
    said: Lines,
    now: datetime,
    zone: tzinfo,
    spoken: Sequence[tuple[datetime, Sequence[int]]],
) -> Quiet | None:
    """The last that is grave, open and due among the `doubted` of what was `said`."""
    ids = {line.id for line in doubted}
    due = [one for one in threads_of(said, now, zone) if one.grave is not None and one.line.id in ids]
    left = left_open(fresh(due, said, spoken), said, now)
    last = max(left, key=lambda one: (one.said, -one.at), default=None)
    return None if last is None or last.grave is None else Quiet(last.line, last.grave.language)


def find_told(told: Told, now: datetime, zone: tzinfo, spoken: Sequence[tuple[datetime, Sequence[int]]]) -> Found:
    """What the person told of late, whatever it is, for a model to judge: of it in languages that no rule reads."""
    said = told.said()
    threads: list[Thread] = []
    for at in told.own.tolist():
        line = told.lines[at]
        if TOLD_DAYS[0] <= (now - line.time).days <= TOLD_DAYS[1] and not says_nothing(line.text):
            best = max(sentences(line.text), key=lambda one: min(word_count(one), LONGEST_QUOTE), default="")
            short = len(best) <= LONGEST_SENTENCE and FEWEST_TOLD <= word_count(best) <= LONGEST_QUOTE
            if short and not best.rstrip().endswith(("?", "？")):
                place = int(np.searchsorted(told.own, at))
                threads.append(Thread(Kind.TOLD, place, line, line.time.astimezone(zone), best, best, 0.3))
    return Found(tuple(left_open(fresh(threads, said, spoken), said, now)))


def candidates(told: Told, clues: Sequence[Clue], threads: Sequence[Thread]) -> list[Candidate]:
    """For each clue that has an open thread, the thread that one would ask about first."""
    found: list[Candidate] = []
    for number, clue in enumerate(clues):
        lines = tuple(told.lines[at] for at in clue.utterances)
        ids = {line.id for line in lines}
        here = [one for one in threads if one.line.id in ids]
        if here:
            best = max(here, key=lambda one: (one.before, one.weight, one.said, -one.at))
            personal = sum(line.speaker.id == told.person and _PERSONAL.search(line.text) is not None for line in lines)
            found.append(Candidate(number, best, lines, personal))
    return found


def importance_by_rules(candidate: Candidate) -> float:
    """S_I without a model: what the thread weighs, and how much the person told of themselves."""
    much = min(candidate.personal / MANY_PERSONAL, 1.0)
    return round(min(candidate.thread.weight * (1 - SHARE_OF_OTHERS) + SHARE_OF_OTHERS * much, 1.0), 2)


def told_clues(told: Told, care: Care) -> list[Clue]:
    """The clues of what was told, over the lines that have a vector; positions are those in `told`."""
    there = np.flatnonzero(told.vectors.any(axis=1)) if told.vectors.size else np.zeros(0, dtype=np.int64)
    lines = [told.lines[at] for at in there.tolist()]
    found = clues_of(
        told.vectors[there],
        [line.session_id for line in lines],
        [line.text for line in lines],
        [line.time for line in lines],
        border=care.border,
        rules=ClueRules(care.single_pass, care.max_topics, care.clustering),
    )
    return [replace(clue, utterances=tuple(there[list(clue.utterances)].tolist())) for clue in found]


def scores_of(
    told: Told, clues: Sequence[Clue], rated: Sequence[tuple[Candidate, float]], care: Care
) -> list[CareScores]:
    """The scores (CareAgent eqs 4-7) of the candidates among all clues. `rated`: each with its importance."""
    importance = [0.0] * len(clues)
    for candidate, rate in rated:
        importance[candidate.clue] = rate
    sums = recent_similarity(
        np.array([clue.vector for clue in clues]), told.vectors, [line.session_id for line in told.lines]
    )
    scores = decided(importance, sums, [clue.days for clue in clues], care.weights)
    return [scores[candidate.clue] for candidate, _ in rated]
