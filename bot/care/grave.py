"""What is grave in what a person told: death, illness, separation, job loss, fear, sleeplessness. Pure after loading.

In seven languages, by the lists of `words/*.yaml` (en.yaml says how they are read); the folding, the languages and the
exceptions ("my phone died") are those of the checks of replies. One clause is looked at at a time. Something that
happens to somebody needs one who is dear in the same clause, or a pronoun after one in the same session. Of what no
list has, a small net hears part (`grave_net.py`): that it is heavy, not what it is.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import yaml

from bot.care.cues import CALLED_OFF, Kind, in_timetable
from bot.care.grave_net import grave_net
from bot.conversation.checking.language import language_of, speaks_against, spoken_language
from bot.conversation.checking.wordings import LANGUAGES, Wording, fold, wording
from bot.conversation.phrases import ENGLISH
from bot.conversation.scene import cut
from bot.conversation.situations import Situation
from bot.language.extractive import sentences

_MOURNED = frozenset({Kind.DEATH, Kind.ILLNESS_OF, Kind.SEPARATION, Kind.JOB_LOSS})
TOPICS = {
    "death": Kind.DEATH,
    "illness": Kind.ILLNESS,
    "separation": Kind.SEPARATION,
    "job": Kind.JOB_LOSS,
    "fear": Kind.FEAR,
    "sleep": Kind.SLEEP,
}
"""Keys of `heard` and `over` → kinds; illness of others has the key of illness."""
LONGEST_QUOTE = 160
"""Characters of a clause that is quoted; people who type without full stops make long ones."""
SHORTEST_QUOTE = 5
"""Words of one; with fewer, and where it points ("she didn't make it"), the sentence is quoted up to its end."""
LONGEST_CHORE = 9
"""Words of a line that tells of a chore and of nothing else."""
BEFORE = 2
"""Words that may stand between "not" and what it denies."""
AT_ONCE = 5
"""Characters of a clause before what happens, where nobody is named and no pronoun stands: "died", "è morto"."""
LINES_BEFORE = 3
"""Lines of the person that show the language of a short one."""
SOMEBODY = "illness of somebody"
"""The questions about an illness of others where nobody can be named."""


@dataclass(frozen=True, slots=True)
class Grave:
    """One grave thing in a line."""

    kind: Kind
    quote: str
    """The clause that tells it, as it was written."""
    language: str
    dear: str = ""
    """Folded noun of whom it is about; empty: oneself, or somebody who cannot be named."""
    pointing: bool = False
    """Whether it is said of "her" or "him", so that only the lines before say of whom."""


class GraveWords:
    """One language's file, compiled."""

    def __init__(self, code: str) -> None:
        written = (files("bot.care") / "words" / f"{code}.yaml").read_text("utf-8")
        tree: dict[str, Any] = yaml.load(written, Loader=yaml.CSafeLoader)
        self.code = code
        self.checks: Wording = wording(code)
        self.frames: tuple[str, ...] = tuple(tree["frames"])
        self.quiet: tuple[str, ...] = tuple(tree["quiet"])
        self.asks: dict[str, tuple[str, ...]] = {kind: tuple(asked) for kind, asked in tree["asks"].items()}
        self.yours = {fold(noun): f"{your} {noun}" for your, nouns in tree["who"].items() for noun in _nouns(nouns)}
        """Folded noun → the person or animal as "your mother"."""
        nouns = "|".join(sorted(map(re.escape, self.yours), key=len, reverse=True))
        mine, called = tree["mine"], tree["called"]
        bare = rf"|^(?:also |and |so )?(?P<bare>{nouns})(?='s|\b)" if tree.get("bare") else ""
        own = rf"(?:{mine}) (?:[\w-]+ ){{0,2}}?(?P<noun>{nouns})(?P<of>'s (?:{nouns}))?"
        self._dear = re.compile(rf"(?<!\w)(?:{own}|(?P<called>{called}){bare})(?!\w)")
        self._pronoun = _whole([tree["pronouns"]])
        self._denied = re.compile(rf"(?<!\w)(?:{tree['denies']}) (?:[\w']+ ){{0,{BEFORE}}}$")
        self._joins = re.compile(tree["joins"], re.IGNORECASE)
        parts = {"dear": nouns, "mine": mine}
        self._not = _whole(tree["not"])
        self._chores = _whole([tree["chores"]])
        self._alone = {topic: self._topic(tree["heard"].get(topic, ()), parts) for topic in TOPICS}
        self._of = {topic: self._topic(tree["heard"].get(f"{topic}_of", ()), parts) for topic in TOPICS}
        self._over = {TOPICS[topic]: _whole([pattern]) for topic, pattern in tree["over"].items()}
        self._over[Kind.ILLNESS_OF] = self._over[Kind.ILLNESS]

    def _topic(self, listed: Sequence[str], parts: dict[str, str]) -> re.Pattern[str]:
        return self.checks.compiled("|".join(f"(?:{one})" for one in listed), parts)

    def in_text(self, text: str) -> list[Grave]:
        """What is grave in a text, clause by clause, in its order."""
        found: list[Grave] = []
        for sentence in sentences(text.replace("’", "'")):
            clauses = filter(None, (part.strip(" ,;:-–—") for part in self._joins.split(sentence)))
            found += filter(None, (self._in_clause(clause, sentence) for clause in clauses))
        return found

    def dear_in(self, folded: str) -> str:
        """The folded noun of the first person or animal that is named as one's own; empty: nobody."""
        found = self._dear.search(folded)
        if found is None or found.groupdict().get("of"):  # "my friend's dad" is nobody who can be named
            return ""
        groups = found.groupdict()
        return next((groups[name] for name in ("noun", "called", "bare") if groups.get(name)), "")

    def over(self, kind: Kind, folded: str) -> bool:
        """Whether a folded text tells that such a thing is settled; not "she is not any better"."""
        patterns = self._over.values() if kind is Kind.HEAVY else filter(None, [self._over.get(kind)])
        matches = (match for pattern in patterns for match in pattern.finditer(folded))
        return any(self._denied.search(folded[: match.start()]) is None for match in matches)

    def taken_back(self, folded: str) -> bool:
        """Whether a folded text is of a film, of long ago, a joke or the like."""
        return self._not.search(folded) is not None

    def is_chore(self, folded: str) -> bool:
        """Whether a short folded text tells of washing, taxes or the like that have to be done."""
        return len(folded.split()) <= LONGEST_CHORE and self._chores.search(folded) is not None

    def of_oneself(self, clause: str) -> bool:
        """Whether a clause has a word such as "I"."""
        return self.checks.has("first_person_of_people", fold(clause))

    def _in_clause(self, clause: str, sentence: str) -> Grave | None:
        folded = fold(clause)
        if self.taken_back(folded):
            return None
        left = self.checks.pattern("sad_not").sub(" ", folded)
        if folded.endswith("?") and not self.checks.has("first_person_of_people", folded):
            return None
        dear = self._dear.search(left)
        named = self.dear_in(left)
        for topic, kind in TOPICS.items():
            alone = self._alone[topic].search(left) is not None
            happens = self._of[topic].search(left)
            at_once = happens is not None and happens.start() <= AT_ONCE
            pointing = dear is None and (self._pronoun.search(left) is not None or at_once)
            if not alone and not ((dear or pointing) and happens):
                continue
            of_other = kind is Kind.ILLNESS and not alone
            quote = clause
            if pointing or len(clause.split()) < SHORTEST_QUOTE:
                before, found, _ = sentence.partition(clause)
                quote = f"{before}{found}".strip(" ,;:-–—") if len(before) + len(clause) <= LONGEST_QUOTE else clause
            who = named if of_other or kind is not Kind.ILLNESS else ""
            what = Kind.ILLNESS_OF if of_other else kind
            return Grave(what, cut(quote, LONGEST_QUOTE), self.code, who, pointing and not alone)
        return None


def _nouns(listed: str) -> list[str]:
    """Nouns that stand side by side; those of two words are in quotation marks."""
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]+)"|(\S+)', listed)]


def _whole(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(f'(?:{one})' for one in patterns)})(?!\w)")


@cache
def grave_words(code: str) -> GraveWords:
    """The words of one of LANGUAGES."""
    return GraveWords(code)


@lru_cache(maxsize=8192)
def graves_in(text: str, before: tuple[str, ...] = ()) -> tuple[Grave, ...]:
    """What is grave in a text, in the language in which it is; pronouns are not resolved.

    `before`: lines of the person that show their language where the text is too short to.
    """
    if (sure := language_of(text)) is not None:
        return tuple(grave_words(sure).in_text(text)) if sure in LANGUAGES else ()
    told = {code: found for code in LANGUAGES if (found := grave_words(code).in_text(text))}
    if not told:
        return ()
    likely = spoken_language(text, before)
    others = (found for code, found in told.items() if not speaks_against(text, code))
    return tuple(told[likely] if likely in told else next(others, ()))


@lru_cache(maxsize=8192)
def heavy_in(text: str, before: tuple[str, ...] = (), verdict: bool | None = None) -> tuple[Grave, ...]:
    """What the model takes for grave in a text in which no list hears anything; without its `verdict`, what the net."""
    left = left_to_net(text, before)
    if left is None:
        return ()
    heavy = grave_net().hears(text, english=left.language == ENGLISH) if verdict is None else verdict
    return (left,) if heavy else ()


@lru_cache(maxsize=8192)
def left_to_net(text: str, before: tuple[str, ...] = ()) -> Grave | None:
    """What would be grave in a text in which no list hears anything, if the net says so; None: it is not asked."""
    code = spoken_language(text, before)
    if code not in LANGUAGES or text.rstrip().endswith("?") or len(text.split()) < SHORTEST_QUOTE:
        return None
    words, folded = grave_words(code), fold(text)
    ordinary = in_timetable(text) or words.is_chore(folded)
    if ordinary or words.taken_back(folded) or words.over(Kind.HEAVY, folded) or CALLED_OFF.search(text):
        return None
    return Grave(Kind.HEAVY, cut(text.replace("’", "'"), LONGEST_QUOTE), code)


def lines_before(texts: Sequence[str], at: int) -> tuple[str, ...]:
    """The lines of the person before one, which show its language where it is short."""
    return tuple(texts[max(at - LINES_BEFORE, 0) : at])


def weight_of(text: str) -> Situation | None:
    """The situation of somebody who tells this: SAD, HARD; None where no list hears anything grave, or it is over."""
    kinds = {one.kind for one in graves_in(text) if not grave_words(one.language).over(one.kind, fold(text))}
    return Situation.SAD if kinds & _MOURNED else Situation.HARD if kinds else None


_NOT_WEIGHED: Mapping[int, bool] = {}


@dataclass(slots=True)
class _Talked:
    """Of whom was talked last: the session, the folded noun and its position."""

    session: int | None = None
    dear: str = ""


def heard(
    texts: Sequence[str], sessions: Sequence[int | None], weighed: Mapping[int, bool] = _NOT_WEIGHED
) -> list[tuple[Grave, ...]]:
    """What is grave in each of a person's lines, in their order.

    "He died this morning" is of whom was talked in the same session, or of whoever was told to be ill. `weighed`: what
    the model that talks takes for grave, by position, of what is left to the net (`grave_voice.py`): it decides there.
    """
    found: list[tuple[Grave, ...]] = []
    talked, ill = _Talked(), ""
    for at, (text, session) in enumerate(zip(texts, sessions, strict=True)):
        before = lines_before(texts, at)
        if talked.session != session:
            talked = _Talked(session)
        kept: list[Grave] = []
        graves = graves_in(text, before) or heavy_in(text, before, weighed.get(at))
        for one in [_of_whom(grave, text) for grave in graves]:
            whom = talked.dear or (ill if one.kind is Kind.DEATH else "") or _named_in(text)
            if not one.pointing:
                kept.append(one)
            elif whom:
                kept.append(replace(one, dear=whom))
            if kept and kept[-1].kind is Kind.ILLNESS_OF:
                ill = kept[-1].dear or "?"
        talked.dear = _named_in(text) or talked.dear
        once = {(one.kind, one.dear): one for one in reversed(kept)}  # the first clause of each thing
        found.append(tuple(replace(one, dear="") if one.dear == "?" else one for one in reversed(once.values())))
    return found


def _of_whom(one: Grave, text: str) -> Grave:
    """An illness that is told without "I" in a text about somebody: "My son stays in his room, they say depression"."""
    of_oneself = one.kind is not Kind.ILLNESS or grave_words(one.language).of_oneself(one.quote)
    dear = _named_in(text)
    return one if of_oneself or not dear else replace(one, kind=Kind.ILLNESS_OF, dear=dear)


@lru_cache(maxsize=8192)
def _named_in(text: str) -> str:
    """Whom a text names as one's own, in any of the languages."""
    folded = fold(text)
    return next((dear for code in LANGUAGES if (dear := grave_words(code).dear_in(folded))), "")


def settles(one: Grave, text: str) -> bool:
    """Whether later words tell that it is settled: a sick one at home, a new job, a night's sleep.

    Not where they are of somebody else.
    """
    words, folded = grave_words(one.language), fold(text)
    named = _named_in(text)
    same = not (named and one.dear) or named == one.dear or one.kind in {Kind.SEPARATION, Kind.FEAR}
    return same and words.over(one.kind, folded)


def names(text: str, dear: str) -> bool:
    """Whether a text is of this one, a folded noun."""
    return bool(dear) and re.search(rf"(?<!\w){re.escape(dear)}(?!\w)", fold(text)) is not None


def question_of(one: Grave, turn: int) -> str:
    """What is asked about it, in the second person."""
    words = grave_words(one.language)
    who = words.yours.get(one.dear, "")
    kind = Kind.JOB_LOSS if one.kind is Kind.HEAVY else one.kind  # how somebody is since then fits whatever it was
    key = SOMEBODY if kind is Kind.ILLNESS_OF and not who else kind.value
    asked = words.asks[key]
    return asked[turn % len(asked)].format(who=who)
