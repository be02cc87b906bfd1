"""What connects something that was told with what was told later, by the words of both. Pure.

Each rule needs a thing that both sentences name and a cue that says what came of it: a fact that ended or changed, a
plan and its outcome, a cause or a hindrance that was said ("because of my knee"), a feeling, a wish, or somebody or
something by name. The cues are English; in other languages what `facts.py` hears as a change is heard. What no rule is
sure of is no relation: a link that is wrong costs more trust than one that is missing. "Reason" (the later explains the
earlier) is never said: no rule that was tried for it was right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from bot.domain import Relation
from bot.language.facts import ended

ALIKE = 0.5
"""Cosine of two sentences from which they may be about the same, where they share a thing."""
CLOSE = 0.6
"""Cosine from which one shared thing is enough for "the same topic"."""
FEWEST_WORDS = 4
"""Words of a sentence that says enough to be linked by."""

_VAGUE_TEXT = """
people person man woman men women group family friend kid child children
morning evening night day week weekend month year moment hour minute
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
photo photograph photography picture pic image
name event experience feeling idea
"""
_ABSTRACT_TEXT = """
support help encouragement word love joy journey news dream chat fun friend advice hope passion place part love life
world step goal challenge progress thought memory moment chance opportunity story stuff inspiration community energy
nature mind heart home house work job school game movie book music food class friendship growth change difference
positivity creativity interest plan trip lot
"""
ABSTRACT = frozenset(_ABSTRACT_TEXT.split())
"""Nouns that so many sentences share that alone they make none of them about the same."""
VAGUE = frozenset(_VAGUE_TEXT.split())
"""Nouns that say who was there, when it was or that something was shown, and not what it was about."""

_NO = r"(?:not|never|n't|n’t)"
_QUESTION = re.compile(r"[?？]\W*$")
_NAME = re.compile(r"(?<=[^.!?…:\s\"“*] )(?!I\b)[A-Z][\w’'-]+")
_PLAN = re.compile(
    r"\b(?:(?:i|we)(?: am|'m|’m| are|'re|’re)? (?:also |just |really |still |both )?"
    r"(?:going to|gonna|planning|hoping|about to|thinking (?:of|about)|looking (?:for|into|forward)|trying to|will"
    r"|plan to|hope to|want to|wanna|intend to|need to|have to|getting ready|preparing|signed up|applied|would like to)"
    r"|i'll|i’ll|we'll|we’ll|i'd (?:like|love) to|i’d (?:like|love) to"
    r"|(?:tomorrow|next (?:week|weekend|month|year|monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring"
    r"|summer|fall|winter)|coming up|upcoming))\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:finally|(?:i|we|it|she|he|they) (?:just |finally |actually |also |already |really )?"
    r"(?:went|got|did|had|won|finished|passed|bought|made|took|met|saw|visited|started|launched|opened|completed"
    r"|adopted|found|tried|joined|moved|signed|ran|built|wrote|received|performed|watched|enjoyed|cooked|baked|planted"
    r"|came|gave|held|hosted|organi[sz]ed|attended|attained|published|submitted|booked|was|were|turned out|worked"
    r"|[a-z]{3,}ed)|(?:i've|i’ve|we've|we’ve|i have|we have) (?:just |finally |already |now )?(?:been|done|[a-z]{3,}ed"
    r"|got(?:ten)?|won|made|met|seen|found|begun|bought|taken|had))\b",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\b(?:no longer|not \w+ any ?more|any ?more\b|(?:i|we|she|he|they|it) (?:just |finally |recently |have |had |has "
    r"|actually |'ve |’ve )*(?:quit|left|stopped|gave up|given up|dropped|cancelled|canceled|sold|switched|changed"
    r"|moved (?:out|away)|broke up|split up|lost|ended|closed|shut|passed away|died|resigned|retired|postponed"
    r"|replaced|got fired|got laid off)|was (?:cancelled|canceled|postponed|called off|fired|laid off)"
    r"|fell through|changed my mind|instead of|used to)\b",
    re.IGNORECASE,
)
_BECAUSE = re.compile(
    r"\b(?:because of|because|due to|thanks to|owing to|on account of|as a result of|ever since|inspired by"
    r"|after (?:my|our|the|that|i|we|losing|getting|having|seeing|moving))\b",
    re.IGNORECASE,
)
"""What follows is the cause."""
_SO = re.compile(
    r"\b(?:that's why|that’s why|that is why|(?:inspired|pushed|led|drove|motivated|encouraged|convinced) (?:me|us) to"
    r"|gave (?:me|us) the (?:push|courage|idea|confidence))\b",
    re.IGNORECASE,
)
"""What stands before is the cause."""
_HINDERED = re.compile(
    rf"\b(?:(?:can|could|did|was|were|wo|would|do|does|am|is|are|have|has){_NO}|(?:can|could|did|was|were|will|would|do"
    rf"|does|am|is|are|have|has) {_NO}|can't|can’t|cannot|unable|had to (?:cancel|skip|miss|stop|postpone|give up)"
    r"|missed|too (?:busy|tired|sick|expensive|late|hard)|keeps? me from|stops? me|prevent\w*|in the way)\b",
    re.IGNORECASE,
)
_CALLED_OFF = re.compile(
    r"\b(?:could(?: not|n't|n’t) (?:go|come|make it|do|run|play|attend|finish)|(?:was|were) unable to"
    r"|had to (?:cancel|skip|miss|stop|postpone|give up)|(?:i|we) missed)\b",
    re.IGNORECASE,
)
_NOT_HINDERED = re.compile(
    r"(?:ca|could|wo)(?:n't|n’t) (?:wait|believe|help|get enough|imagine|think of|agree|stop|quit|give up|be happier)"
    r"|not only|not just|do(?:n't|n’t) (?:know|mind|worry|forget|give up)|did(?:n't|n’t) (?:know|realize|realise)"
    r"|no(?:t)? (?:longer )?(?:give|giving) up|(?:n't|n’t|not|never) (?:quit|stop|give|lose)",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|i['’]\w+|im|my|me|we|we['’]\w+|our|us|mine)\b", re.IGNORECASE)
_THEIRS = re.compile(r"\b(?:you|your|yours|yourself|u|ur|you['’]\w+)\b", re.IGNORECASE)
_BEFORE_A_NAME = (
    "in to of at on by for from with about near see saw met is was our my the a an and or called visit love"
)
_ADDRESSED = re.compile(
    r"^[A-Z][\w’'-]+(?=,)|(?<=, )[A-Z][\w’'-]+(?=[.!?,…]*$)|"
    + "".join(rf"(?<! {word} )" for word in _BEFORE_A_NAME.split())
    + r"(?<= )[A-Z][\w’'-]+(?=[.!…]*$)"
)
"""Somebody who is spoken to, at the edge of a sentence."""
_FEELING = re.compile(
    r"\b(?:(?:i|we)(?:'m|’m| am|'re|’re| are| was| were| feel| felt|'ve been|’ve been| have been| got)"
    r" (?:\w+ ){0,2}?(?:happy|proud|sad|nervous|worried|excited|glad|grateful|thankful|scared|afraid|anxious|stressed"
    r"|upset|angry|annoyed|disappointed|relieved|thrilled|lonely|heartbroken|frustrated|overwhelmed|devastated|pumped"
    r"|ashamed|jealous|hurt|inspired|blessed|pleased|bummed|homesick|exhausted|depressed|stoked|bored|confident|fulfilled)"
    r"(?! to (?:hear|see you))"
    r"|(?:makes?|made) me (?:feel |so |really )*(?:happy|sad|proud|smile|cry|nervous|angry|anxious|laugh|think"
    r"|\w+ed\b)|i (?:really |already |so )*(?:miss|regret|cried)|means (?:a lot|so much|the world)|breaks my heart)\b",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\b(?:i|we)(?:['’]d| would) (?:really |also |still |just |so )*(?:love|like) to"
    r"|\b(?:i|we) (?:really |also |still |just |now |so )*(?:want to|wanna|wish|hope to"
    r"|can't wait to|can’t wait to|need to|plan to|long to)"
    r"|\b(?:i|we)(?:'m|’m| am|'re|’re| are) (?:\w+ )?(?:hoping|planning"
    r"|dreaming|thinking (?:of|about)|considering|looking forward)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;.!]|\s[-–—]\s| (?:but|and|then|which) ")


_SURE: dict[Relation | None, int] = {
    None: 0,
    Relation.SAME_TOPIC: 1,
    Relation.REACT: 2,
    Relation.WANT: 3,
    Relation.CAUSE: 4,
    Relation.HINDERED_BY: 6,
    Relation.CHANGED: 7,
}
"""Which relation is taken of several between the same two events: that which says most."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence of somebody's, and the things that it names: nouns that are nobody's name who talks here."""

    speaker: str
    text: str
    things: frozenset[str]


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
    found = [_connection(old, new, cosine, times) for old, new, cosine in _pairs(older, newer, cosines)]
    return max(found, key=lambda one: (_SURE[one.relation], one.cosine), default=None)


def _pairs(
    older: Sequence[Said], newer: Sequence[Said], cosines: NDArray[np.floating]
) -> Iterator[tuple[Said, Said, float]]:
    """The pairs of sentences in which one speaker tells of themselves and of the same thing."""
    before = [(row, one) for row, one in enumerate(older) if _tells(one)]
    after = [(column, one) for column, one in enumerate(newer) if _tells(one)]
    for row, old in before:
        for column, new in after:
            if old.speaker == new.speaker and cosines[row, column] >= ALIKE and _about(old, new):
                yield old, new, float(cosines[row, column])


def _tells(one: Said) -> bool:
    """Whether somebody tells of themselves, and not of the one they speak to."""
    return (
        not _QUESTION.search(one.text)
        and len(one.text.split()) >= FEWEST_WORDS
        and _OWN.search(one.text) is not None
        and _THEIRS.search(one.text) is None
    )


def _about(old: Said, new: Said) -> frozenset[str]:
    """The things that both name: one that is concrete, or several. Who is spoken to is none."""
    called = {name.lower() for one in (old, new) for name in _ADDRESSED.findall(one.text)}
    shared = (old.things & new.things) - called
    return shared if len(shared) > 1 or shared - ABSTRACT else frozenset()


def _connection(old: Said, new: Said, cosine: float, times: tuple[datetime, datetime]) -> Connection:
    return Connection(old, new, cosine, _relation(old, new, cosine, times))


def _relation(old: Said, new: Said, cosine: float, times: tuple[datetime, datetime]) -> Relation | None:
    """What the cues of two sentences about the same thing say."""
    shared = _about(old, new)
    if ended(new.text, times[1], [(old.text, times[0])]):
        return Relation.CHANGED
    if (by_cause := _by_cause(new, shared)) is not None:
        return by_cause
    clauses = [clause for clause in _CLAUSE.split(new.text) if _names(clause, shared)]
    if any(_ENDED.search(clause) and not _NOT_HINDERED.search(clause) for clause in clauses):
        return None if _ENDED.search(old.text) else Relation.CHANGED
    planned = any(_PLAN.search(clause) and _names(clause, shared) for clause in _CLAUSE.split(old.text))
    found = _of_plan(new, clauses) if planned else _of_event(old, clauses)
    if found is None and (cosine >= CLOSE or len(shared - ABSTRACT) > 1 or _by_name(old, new, shared)):
        return Relation.SAME_TOPIC
    return found


def _of_plan(new: Said, clauses: Sequence[str]) -> Relation | None:
    """What became of a plan. `clauses`: those of the later sentence that name it."""
    if any(map(_CALLED_OFF.search, clauses)):
        return Relation.HINDERED_BY
    ahead = _PLAN.search(new.text) is not None or _WISH.search(new.text) is not None
    return Relation.CAUSE if not ahead and any(map(_DONE.search, clauses)) else None


def _of_event(old: Said, clauses: Sequence[str]) -> Relation | None:
    """What somebody feels or wants after what they told. `clauses`: those of the later sentence that name it."""
    if any(map(_FEELING.search, clauses)) and not _FEELING.search(old.text):
        return Relation.REACT
    return Relation.WANT if any(map(_WISH.search, clauses)) and not _WISH.search(old.text) else None


def _by_cause(new: Said, shared: frozenset[str]) -> Relation | None:
    """What a cause that was said makes of the two, where the older thing is that cause."""
    if (so := _SO.search(new.text)) is not None and _names(new.text[: so.start()], shared):
        return Relation.CAUSE
    because = _BECAUSE.search(new.text)
    if because is None:
        return None
    effect, cause = new.text[: because.start()], new.text[because.end() :]
    if _names(cause, shared) and not _HINDERED.search(cause):
        return Relation.HINDERED_BY if _HINDERED.search(effect) else Relation.CAUSE
    return None


def _by_name(old: Said, new: Said, shared: frozenset[str]) -> bool:
    """Whether both call one of the things by name."""
    named = [{name.lower() for name in _NAME.findall(one.text)} for one in (old, new)]
    return bool(named[0] & named[1] & shared)


def _names(text: str, things: frozenset[str]) -> bool:
    """Whether a text names one of these things."""
    words = {*re.findall(r"\w+", text.lower())}
    return any({thing, f"{thing}s", f"{thing}es", f"{thing[:-1]}ies"} & words for thing in things)
