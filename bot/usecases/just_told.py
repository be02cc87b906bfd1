"""What somebody told a moment ago, beside what it ends: "he turned seven" after "My son is six". Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.conversation.requests import telling
from bot.domain import Place, Utterance
from bot.language.attachments import only_marks
from bot.language.extractive import SHORT_CLAUSE, sentences, word_count
from bot.language.facts import ended, renewed
from bot.language.lexicon import SMALL_TALK, question_stems, says_nothing
from bot.language.withheld import Withheld


@dataclass(frozen=True, slots=True)
class Fresh:
    """One thing told, as it is to be shown."""

    at: int
    """Its place among what was told."""
    words: str
    """As they were told, or what they make of what they renew."""
    before: tuple[str, ...] = ()
    """What was true until then."""


@dataclass(frozen=True, slots=True)
class JustTold:
    """What somebody told a moment ago, as it holds now: no memory is made of it yet."""

    said: Utterance
    text: str
    before: tuple[str, ...] = ()
    """What was true until then."""

    @property
    def place(self) -> Place:
        """Where it was told."""
        return self.said.place

    @property
    def key(self) -> str:
        """What it is compared by."""
        return self.text


def just_told(
    said: Sequence[Utterance], withheld: Withheld, known: Sequence[tuple[str, datetime]]
) -> tuple[list[JustTold], frozenset[int]]:
    """What one person's messages tell that still holds, the newest first, and the places in `known` of what it ends."""
    in_order = sorted(said, key=lambda one: (one.time, one.id))
    told = [(one, words) for one in in_order if (words := telling_of(one, withheld))]
    new, over = fresh([(words, one.time) for one, words in told], known)
    return [JustTold(told[one.at][0], " ".join(one.words.split()), one.before) for one in reversed(new)], over


def fresh(
    told: Sequence[tuple[str, datetime]], known: Sequence[tuple[str, datetime]]
) -> tuple[list[Fresh], frozenset[int]]:
    """What was told (oldest first) and still holds, and the places in `known` (older) of what it ends."""
    kept: list[Fresh] = []
    over: set[int] = set()
    for at, (words, time) in enumerate(told):
        older = [*known, *((one.words, told[one.at][1]) for one in kept)]
        by_it = {place for one in sentences(words) for place in ended(one, time, older)}
        new = dict(pair for one in sentences(words) for pair in renewed(one, time, older))
        gone = sorted((by_it | {*new}) - over)
        over |= {place for place in gone if place < len(known)}
        shown = " ".join([words] if not new else [new[place] for place in gone if place in new])
        inner = {place - len(known) for place in gone}
        kept = [one for place, one in enumerate(kept) if place not in inner]
        kept.append(Fresh(at, shown, tuple(older[place][0] for place in gone)))
    return kept, frozenset(over)


def telling_of(said: Utterance, withheld: Withheld) -> str:
    """What of a message will be remembered; empty: it only asks, or nothing is made of it, since it is `withheld`."""
    if only_marks(said.text) or withheld(said):
        return ""
    words = telling(said.text).strip()
    return "" if words.endswith("?") or word_count(words) < SHORT_CLAUSE or says_nothing(words) else words


def rested_on(said: Utterance, reply: Utterance, withheld: Withheld) -> bool:
    """Whether a reply names something that was told in its own session: they share a word that says something.

    A reply has all of its session in mind; what it does not take up is left out.
    """
    if said.speaker.is_agent or not telling_of(said, withheld):
        return False
    return bool(question_stems(said.text, SMALL_TALK) & question_stems(reply.text, SMALL_TALK))
