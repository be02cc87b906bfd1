"""How one language speaks of danger: the form that every language's patterns have. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from bot.conversation.crisis.folding import plain

NEVER = re.compile(r"(?!)")
"""Matches nothing."""

_GAP = r"(?: \S+){0,3} "


class Danger(StrEnum):
    """Whom it threatens."""

    SELF = "self"
    """Whoever writes, or somebody they worry about."""
    OTHERS = "others"


class Weight(StrEnum):
    """What can take a sign back, see `bot/conversation/safety.py`."""

    ACUTE = "acute"
    """Said of oneself, of now and in so many words."""
    HINT = "hint"
    """May be meant otherwise: laughter, a game or an idiom beside it takes it back."""
    TOLD = "told"
    """Said of a third person, who may be one of a story."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of sign. `name` is given as a reason."""

    name: str
    danger: Danger
    weight: Weight
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Wording:
    """One language. Every pattern is for text as `folded`, a sentence at a time, words parted by one space."""

    code: str
    """ISO 639-1."""
    gate: tuple[str, ...]
    """Of languages in Latin letters, except English: one of these is in what is written in it, a sentence without any
    is not looked at. A cheap guess of the language; words of other languages cost only time."""
    rules: tuple[Rule, ...]
    idioms: re.Pattern[str]
    """Taken out of a sentence before anything is looked for."""
    play: re.Pattern[str]
    """Games, laughter, exaggeration: takes hints back."""
    story: re.Pattern[str]
    """Songs, films, books, studies, quotations: what is said there is not said of oneself."""
    past: re.Pattern[str]
    """It is over. Takes back unless `present` is there too."""
    present: re.Pattern[str]
    negation: re.Pattern[str]
    """Right before a sign: it is denied."""
    ages: re.Pattern[str]
    """The writer's age, in the group `age`."""
    minor: re.Pattern[str]
    """Says in other words that the writer is under 18: a class of school."""
    parts: re.Pattern[str]
    """What parts two clauses, besides commas."""


RULES: Mapping[str, tuple[Danger, Weight]] = {
    "intent": (Danger.SELF, Weight.ACUTE),
    "means": (Danger.SELF, Weight.ACUTE),
    "harm": (Danger.SELF, Weight.ACUTE),
    "wish": (Danger.SELF, Weight.HINT),
    "despair": (Danger.SELF, Weight.HINT),
    "farewell": (Danger.SELF, Weight.HINT),
    "friend": (Danger.SELF, Weight.TOLD),
    "threatened": (Danger.SELF, Weight.TOLD),
    "attack": (Danger.OTHERS, Weight.ACUTE),
    "threat": (Danger.OTHERS, Weight.HINT),
}
"""The names of rules, the same in every language."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a language's patterns are written down.

    In them a space is one space, `~` stands for up to three words, `'` for an apostrophe that people leave out or
    replace by a space, and `<name>` for what `macros` says. They are compared without accents.
    """

    macros: Mapping[str, str]
    words: bool = True
    """Whether patterns begin and end at the boundaries of words."""
    umlauts: bool = False
    """Whether ä, ö and ü may be ae, oe and ue."""

    def pattern(self, *sources: str) -> re.Pattern[str]:
        """One pattern for all of them; none: one that matches nothing."""
        if not sources:
            return NEVER
        source = "|".join(sources)
        for _ in range(3):  # Macros may use macros.
            for name, meaning in self.macros.items():
                source = source.replace(f"<{name}>", f"(?:{meaning})")
        if self.umlauts:
            source = source.replace("ä", "ae?").replace("ö", "oe?").replace("ü", "ue?")
        source = _lower_plain(source).replace("'", " ?").replace("~", _GAP)
        return re.compile(rf"\b(?:{source})\b" if self.words else source)

    def wording(self, code: str, gate: str, rules: Mapping[str, tuple[str, ...]], **others: tuple[str, ...]) -> Wording:
        """A language from its sources. `gate`: words, `_` for a space; `others`: sources of what `Wording` names."""
        known = {name: self.pattern(*others.pop(name, ())) for name in _OTHERS}
        negation = others.pop("negation", ())
        if others or not set(rules) <= set(RULES):
            raise ValueError(f"unknown patterns: {sorted(others)}, {sorted(set(rules) - set(RULES))}")
        denied = self.pattern(*negation).pattern
        return Wording(
            code=code,
            gate=tuple(plain(word).replace("_", " ") for word in gate.split()),
            rules=tuple(Rule(name, *RULES[name], self.pattern(*sources)) for name, sources in rules.items()),
            negation=re.compile(rf"(?:{denied}) ?$") if negation else NEVER,
            **known,
        )


_OTHERS = ("idioms", "play", "story", "past", "present", "ages", "minor", "parts")


def _lower_plain(source: str) -> str:
    r"""`plain`, but classes such as `\S` keep their capital."""
    return re.sub(r"[^\x00-\x7f]+", lambda found: plain(found[0]), source)
