"""What connects something that was told with what was told later, by the words of both. Pure.

Each rule needs a thing that both sentences name and a cue word (`relating.yaml`) that says what came of it: a plan and
its outcome, a cause or a hindrance that was said ("because of my knee"), a feeling, a wish, or somebody or something by
name. The cues are English; what `facts.py` hears as a change of a fact is heard in seven languages, and needs no word
that both have. What no rule is sure of is no relation: a link that is wrong costs more trust than one that is missing.
"Reason" (the later explains the earlier) is never said: no rule that was tried for it was right.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from bot.domain import Relation
from bot.language.facts import ended
from bot.language.patterns import Patterns

ALIKE = 0.5
"""Cosine of two sentences from which they may be about the same, where they share a thing."""
CLOSE = 0.6
"""Cosine from which one shared thing is enough for "the same topic"."""
FEWEST_WORDS = 4
"""Words of a sentence that says enough to be linked by."""

_READ = Patterns.beside(__file__)

ABSTRACT = frozenset(_READ.written("abstract").split())
"""Nouns that so many sentences share that alone they make none of them about the same."""
VAGUE = frozenset(_READ.written("vague").split())
"""Nouns that say who was there, when it was or that something was shown, and not what it was about."""

_QUESTION = re.compile(r"[?？]\W*$")
_NAME = re.compile(r"(?<=[^.!?…:\s\"“*] )(?!I\b)[A-Z][\w'-]+")
_CAPITAL = re.compile(r"\b[A-Z][\w'-]+")
_ADDRESSED = re.compile(
    r"^[A-Z][\w'-]+(?=,)|(?<=, )[A-Z][\w'-]+(?=[.!?,…]*$)|"
    + "".join(rf"(?<! {word} )" for word in _READ.written("before_a_name").split())
    + r"(?<= )[A-Z][\w'-]+(?=[.!…]*$)"
)
"""Somebody who is spoken to, at the edge of a sentence."""
_OWN, _THEIRS, _CLAUSE = _READ["own"], _READ["theirs"], _READ["clause"]
_PLAN, _DONE, _UNDER_WAY, _ENDED = (_READ[key] for key in ("plan", "done", "under_way", "ended"))
_BECAUSE, _SO, _HINDERED = _READ["because"], _READ["so"], _READ["hindered"]
_CALLED_OFF, _NOT_HINDERED = _READ["called_off"], _READ["not_hindered"]
_FEELING, _WISH = _READ["feeling"], _READ["wish"]

_SURE = (
    None,
    Relation.SAME_TOPIC,
    Relation.REACT,
    Relation.WANT,
    Relation.CAUSE,
    Relation.HINDERED_BY,
    Relation.CHANGED,
)
"""Which relation is taken of several between the same two events: the last, which says most."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of somebody's, and the things that it names: nouns that are nobody's name who talks here."""

    speaker: str
    text: str
    things: frozenset[str]

    @property
    def plain(self) -> str:
        """The words with straight apostrophes, as the patterns are written."""
        return self.text.replace("’", "'")


@dataclass(frozen=True, slots=True)
class Connection:
    """What connects two sentences. `relation` is None where they are about the same and no rule says how."""

    older: Said
    newer: Said
    cosine: float
    relation: Relation | None


def connect(
    older: Sequence[Said], newer: Sequence[Said], cosines: NDArray[np.floating], times: tuple[datetime, datetime]
) -> Connection | None:
    """The surest connection between what was told and what was told later; None without any.

    `cosines`: of the sentences' vectors, shape (older, newer). `times`: when both were told.
    """
    found = [Connection(*pair, _relation(*pair)) for pair in _pairs(older, newer, cosines)]
    found += _changes(older, newer, cosines, times)
    return max(found, key=lambda one: (_SURE.index(one.relation), one.cosine), default=None)


def _changes(
    older: Sequence[Said], newer: Sequence[Said], cosines: NDArray[np.floating], times: tuple[datetime, datetime]
) -> Iterator[Connection]:
    """What one speaker's later sentences end of what they had told, in any of the languages of `facts.py`.

    A fact has an identity: "I live in Leeds" and "I moved to York" need no word in common.
    """
    for column, new in enumerate(newer):
        rows = [row for row, old in enumerate(older) if old.speaker == new.speaker]
        for place in ended(new.text, times[1], [(older[row].text, times[0]) for row in rows]):
            row = rows[place]
            yield Connection(older[row], new, float(cosines[row, column]), Relation.CHANGED)


def _pairs(
    older: Sequence[Said], newer: Sequence[Said], cosines: NDArray[np.floating]
) -> Iterator[tuple[Said, Said, float]]:
    """The pairs in which one speaker tells of themselves, or of somebody by name, and of the same thing."""
    before = [(row, one) for row, one in enumerate(older) if _tells(one) and _OWN.search(one.plain)]
    after = [(column, one) for column, one in enumerate(newer) if _tells(one)]
    for row, old in before:
        for column, new in after:
            if old.speaker != new.speaker or cosines[row, column] < ALIKE or not (shared := _about(old, new)):
                continue
            if _OWN.search(new.plain) or _by_name(old, new, shared):
                yield old, new, float(cosines[row, column])


def _tells(one: Said) -> bool:
    """Whether somebody tells something, and not of the one they speak to."""
    return (
        not _QUESTION.search(one.text) and len(one.text.split()) >= FEWEST_WORDS and _THEIRS.search(one.plain) is None
    )


def _about(old: Said, new: Said) -> frozenset[str]:
    """The things that both name: one that is concrete, or several. Who is spoken to is none."""
    called = {name.lower() for one in (old, new) for name in _ADDRESSED.findall(one.plain)}
    shared = (old.things & new.things) - called
    return shared if len(shared) > 1 or shared - ABSTRACT else frozenset()


def _relation(old: Said, new: Said, cosine: float) -> Relation | None:
    """What the cues of two sentences about the same thing say."""
    shared = _about(old, new)
    if (by_cause := _by_cause(new, shared)) is not None:
        return by_cause
    clauses = [clause for clause in _CLAUSE.split(new.plain) if _names(clause, shared)]
    if any(_ENDED.search(clause) and not _NOT_HINDERED.search(clause) for clause in clauses):
        return None if _ENDED.search(old.plain) else Relation.CHANGED
    planned = any(_PLAN.search(clause) and _names(clause, shared) for clause in _CLAUSE.split(old.plain))
    found = _of_plan(old, new, clauses) if planned else _of_event(old, clauses)
    if found is None and (cosine >= CLOSE or len(shared - ABSTRACT) > 1 or _by_name(old, new, shared)):
        return Relation.SAME_TOPIC
    return found


def _of_plan(old: Said, new: Said, clauses: Sequence[str]) -> Relation | None:
    """What became of a plan. `clauses`: those of the later sentence that name it."""
    if any(map(_CALLED_OFF.search, clauses)):
        return Relation.HINDERED_BY
    if any(map(_UNDER_WAY.search, clauses)) and not _UNDER_WAY.search(old.plain):
        return Relation.CAUSE
    ahead = _PLAN.search(new.plain) is not None or _WISH.search(new.plain) is not None
    return Relation.CAUSE if not ahead and any(map(_DONE.search, clauses)) else None


def _of_event(old: Said, clauses: Sequence[str]) -> Relation | None:
    """What somebody feels or wants after what they told. `clauses`: those of the later sentence that name it."""
    if any(map(_FEELING.search, clauses)) and not _FEELING.search(old.plain):
        return Relation.REACT
    return Relation.WANT if any(map(_WISH.search, clauses)) and not _WISH.search(old.plain) else None


def _by_cause(new: Said, shared: frozenset[str]) -> Relation | None:
    """What a cause that was said makes of the two, where the older thing is that cause."""
    if (so := _SO.search(new.plain)) is not None and _names(new.plain[: so.start()], shared):
        return Relation.CAUSE
    because = _BECAUSE.search(new.plain)
    if because is None:
        return None
    effect, cause = new.plain[: because.start()], new.plain[because.end() :]
    if _names(cause, shared) and not _HINDERED.search(cause):
        return Relation.HINDERED_BY if _HINDERED.search(effect) else Relation.CAUSE
    return None


def _by_name(old: Said, new: Said, shared: frozenset[str]) -> bool:
    """Whether both call one of the things by name: capitals in both, in one not only because a sentence begins."""
    written = [{word.lower() for word in _CAPITAL.findall(one.plain)} for one in (old, new)]
    inside = {name.lower() for one in (old, new) for name in _NAME.findall(one.plain)}
    return bool(written[0] & written[1] & inside & shared)


def _names(text: str, things: frozenset[str]) -> bool:
    """Whether a text names one of these things."""
    words = {*re.findall(r"\w+", text.lower())}
    return any({thing, f"{thing}s", f"{thing}es", f"{thing[:-1]}ies"} & words for thing in things)
