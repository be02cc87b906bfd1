"""What a reply of a small model has to have, beside being without faults: the answer, comfort, what was open. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import takewhile

from bot.conversation.checking.asking import asks_who
from bot.conversation.checking.wordings import (
    any_has,
    bare,
    content,
    digits_of,
    every,
    fold,
    key_of,
    keys_of,
    sentences,
    words,
)
from bot.conversation.own_words import Known, listens_only
from bot.conversation.phrases import Phrases
from bot.conversation.situations import QUESTIONS, TAKEN_UP, Situation, goes, takes_leave
from bot.conversation.told import Mended
from bot.language.lexicon import stems
from bot.language.patterns import Patterns

LEAST = -8.0
"""The least log-likelihood (natural) of a taught model's reply that says nothing before it asks."""

LEAST_AGAIN = -9.0
"""The same where the last reply was one of ours that only listens: two in a row are one too many."""

LEAST_ASKING = -6.5
"""The same for a question behind a statement: above it 93 of 100 fitted, below 63. Less sure, the statement is sent."""

LEAST_STATED = -13.0
"""The same for a reply that asks nothing, or whose question is left out: it is the questions that miss (BENCHMARKS).

Where something sad is talked of it has to be as likely as any: what misses hurts there."""

LEAST_GOING = -12.0
"""The same where they may be about to go: a wish for the way serves better than an ear."""

MOST_OF_ADVICE = 1
"""Sentences of an answer to "should I …": what a small model adds to "Wait for her." is mostly beside the point."""
MOST_OF_GREETING = 3
"""Sentences of a greeting: "Good morning, Walt! How are you? I hope you're well."; then a small model tells tales."""

FEWEST_IN_SORROW = 4
"""Words of an answer to who asks in sorrow, below which it is curt."""

STANDS = 3
"""Words that can be a reply without the question behind them: "Poor you, the knee."."""

_ASKS = ("?", "？")
_BEHIND_MARK = ".…。!\"”»’')] "
_READ = Patterns.beside(__file__)
_CALL = _READ["call"]
_CARES = _READ.exact("cares")
_KIND = _READ.exact("kind")
_DENIES = _READ.exact("denies")
_STILL_AHEAD = _READ.exact("still_ahead")
_HOW_MUCH = _READ.exact("how_much")
_WHEN = _READ.exact("when")
_OF_ITSELF = _READ.exact("of_itself")
_RELATIVE = _READ.exact("relative")
_ROUGHLY = _READ.exact("roughly")
_OF_ANOTHER_KIND = _READ.exact("of_another_kind")
_MENDS = _READ.exact("mends")
_SETS_UP = _READ["sets_up"]
_RECALLS_WHAT, _YES_ALONE = _READ.exact("recalls_what"), _READ.exact("yes_alone")
_PART_OF_DAY = _READ.exact("part_of_day")
_EXAM, _LEARNS = _READ.written("exam"), _READ.exact("learns")


class Consoles(Enum):
    """Which replies need a word of comfort: all but those that are kind otherwise, or only some. English."""

    KINDLY = auto()
    """All but those with a soft word ("lovely") or a question for how somebody is."""
    SADLY = auto()
    """To sad news: also those with a soft word that begin with an exclamation ("Eleven years!" consoles nobody)."""
    IF_CURT = auto()
    """Those that begin with a no or are very short: "I don't think so.", "That's enough." to who asks in sorrow."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a reply is held to. Large models need none of it: what they leave out they mostly have a reason for."""

    any_of: frozenset[str] = frozenset()
    """Keys of words, one of which it has to have; empty: any will do."""
    may_deny: bool = True
    """Whether it may also say that it was not told."""
    sounds: str = ""
    """A pattern over its folded text that it has to have; empty: none."""
    whom: frozenset[str] = frozenset()
    """Keys of a name that it has to state, before it asks anything; empty: none."""
    denying: bool = False
    """Whether it has to say that this was not told."""
    of_them: bool = False
    """Whether it has to be about the person: not what the companion, a bot, is or has."""
    admitting: bool = False
    """Whether it has to say that the companion is a bot, or no."""
    word: str = ""
    """A word that it has to have as it is: "Tarock" is not "Tarok"; empty: none."""
    consoling: str = ""
    """Such a pattern for words of comfort; empty: none are needed."""
    consoles: Consoles = Consoles.KINDLY
    """Which replies need no word of comfort."""
    asking: bool = False
    """Whether it has to ask something."""
    least: float | None = None
    """The logarithm of likelihood that it has to have, where the engine says it; None: any will do."""
    stated: float = LEAST_STATED
    """The same where it asks nothing, if that is less than `least`."""
    most: int = 0
    """Sentences that are sent of it, calls not counted; what a small model says after them is left out. 0: all."""
    mended: tuple[Mended, ...] = ()
    """What was put right: it must not say a value that no longer is, without the one that is."""
    tells: bool = False
    """Whether it has to say more than that it remembers."""
    avoids: str = ""
    """A pattern over its folded text that it must not have; empty: none."""

    def likely(self, reply: str, likelihood: float | None) -> tuple[str, ...]:
        """What can be sent of a reply of this likelihood (its logarithm; None: not known), the better first.

        All of it, or what it says before it asks.
        """
        reply = self.cut(reply)
        if self.least is None or likelihood is None or likelihood >= LEAST_ASKING:
            return (reply,)
        stated = before_question(reply)
        parts = ((stated, min(self.least, self.stated)), (reply, self.least))
        return tuple(dict.fromkeys(part for part, least in parts if part and likelihood >= least))

    def cut(self, reply: str) -> str:
        """As many sentences as are sent; where it has to ask something, to the first question at least.

        All of them where one that would be left out takes something back: "You can drive. Only if you haven't drunk."
        What it has somebody say stays whole.
        """
        if not self.most:
            return reply
        kept: list[str] = []
        for sentence in sentences(reply):
            enough = sum(len(words(one)) >= STANDS for one in kept) >= self.most
            if enough and not (self.asking and not any(map(_asks, kept))) and not _quotes_on("".join(kept)):
                break
            kept.append(sentence)
        rest = reply[len("".join(kept)) :]
        return reply if _MENDS.search(fold(rest)) else "".join(kept).strip()

    def is_met(self, reply: str) -> bool:
        """Whether `reply` has what is expected."""
        if (self.avoids and _sounds(self.avoids, reply)) or (self.tells and _YES_ALONE.search(fold(reply))):
            return False
        outdated = any(_says(one.was, reply) and not _says(one.now, reply) for one in self.mended)
        if outdated or (self.word and not _says(self.word, reply)):
            return False
        if self.any_of and not self.any_of & (keys_of(reply) | digits_of(words(reply), every())):
            return self.may_deny and any_has("not_told", fold(reply), every())
        if self.denying and not any_has("not_told", fold(reply), every()):
            return False
        if self.admitting and not any(any_has(key, fold(reply), every()) for key in ("bot_words", "no")):
            return False
        return self._is_of_whom(reply) and self._sounds_right(reply)

    def _is_of_whom(self, reply: str) -> bool:
        """Whether it names whom it has to name, and is about the person where it has to be."""
        if self.whom and self.whom.isdisjoint(keys_of(_stated(reply))):
            return False
        return not (self.of_them and _OF_ITSELF.search(fold(reply)))

    def _sounds_right(self, reply: str) -> bool:
        """Whether it asks, consoles or says goodbye where it has to."""
        if self.asking and (not any(mark in reply for mark in _ASKS) or _STILL_AHEAD.search(fold(reply))):
            return False
        if self.consoling and not (_sounds(self.consoling, reply) or _does_without(self.consoles, reply)):
            return False
        return not self.sounds or _sounds(self.sounds, reply)


ANYTHING = Expectation()


def _measure(question: str, answer: str) -> frozenset[str]:
    """The keys of the time or the numbers in what answers a question for one; empty: it asks for none, or has none.

    "When is my exam?" is not answered with "the theory exam" of "my theory exam is on the 14th".
    """
    folded, spoken = fold(question), words(answer)
    numbers = {key_of(word) for word in spoken if word[0].isdigit()} | digits_of(spoken, every())
    if _HOW_MUCH.search(folded):
        plain = all(word.isdigit() for word in spoken if word[0].isdigit()) and not _ROUGHLY.search(fold(answer))
        return frozenset(numbers) if len(numbers) == 1 and plain else frozenset()
    if _WHEN.search(folded) and not _RELATIVE.search(fold(answer)):
        days = {key_of(word) for word in content(answer) if any(one.is_one("months", word) for one in every())}
        return frozenset(numbers | days)
    return frozenset()


def before_question(reply: str) -> str:
    """What a reply says before it first asks something.

    Empty where that is only a call ("Hi Murray!", "Oh no, Murray!"), or leads to the question ("Let me guess.").
    """
    parts = sentences(reply)
    kept = list(takewhile(lambda sentence: not _asks(sentence), parts))
    if len(kept) == len(parts):
        return reply
    stands = any(map(_stands, kept)) and _SETS_UP.search(kept[-1]) is None
    return "".join(kept).strip() if stands else ""


def _stated(reply: str) -> str:
    """The sentences of a reply that ask nothing."""
    return " ".join(one for one in sentences(reply) if not _asks(one))


def _quotes_on(text: str) -> bool:
    """Whether a quotation that begins in it does not end there."""
    return text.count('"') % 2 == 1 or text.count("“") > text.count("”")


def _asks(sentence: str) -> bool:
    return sentence.rstrip().rstrip(_BEHIND_MARK).endswith(_ASKS)


def _sounds(pattern: str, reply: str) -> bool:
    return re.search(rf"(?<!\w)(?:{pattern})(?!\w)", fold(reply)) is not None


def _exclaims(reply: str) -> bool:
    """Whether its first sentence is an exclamation."""
    return next(iter(sentences(reply)), "").rstrip().rstrip(_BEHIND_MARK.replace("!", "")).endswith("!")


def _does_without(consoles: Consoles, reply: str) -> bool:
    """Whether a reply without a word of comfort will do."""
    folded = fold(reply)
    match consoles:
        case Consoles.IF_CURT:
            curt = _DENIES.match(folded) is not None or len(words(reply)) < FEWEST_IN_SORROW
            return not curt or _is_kind(fold(_stated(reply)))
        case Consoles.SADLY:
            soft = any_has("soft", folded, every()) or _CARES.search(folded) is not None
            return _KIND.search(folded) is not None or (soft and not _exclaims(reply))
        case Consoles.KINDLY:
            return any_has("soft", folded, every()) or _is_kind(folded)


def _is_kind(folded: str) -> bool:
    """Whether a reply cares without a word of comfort: "I don't think so. It's a way of saying you miss her."."""
    return any(one.search(folded) for one in (_CARES, _KIND))


def _stands(sentence: str) -> bool:
    """Whether a sentence says something beside calling somebody."""
    call = _CALL.match(sentence)
    return len(words(sentence[call.end() :])) >= STANDS - 1 if call else len(words(sentence)) >= STANDS


def _has(word: str, reply: str) -> bool:
    """Whether it stands in the reply as a whole: "10:30" and "Jean-Luc" are more than one of `words`."""
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", fold(reply)) is not None


def _says(value: str, reply: str) -> bool:
    """Whether a reply has a value, also as a number word or without what an apostrophe binds to it."""
    return _has(fold(value), reply) or not _forms([fold(value)]).isdisjoint(_forms(words(reply)))


def _forms(spoken: Sequence[str]) -> frozenset[str]:
    """Folded words without what an apostrophe binds to them, and number words in digits, too."""
    return frozenset(map(bare, spoken)) | digits_of(spoken, every())


def expectation_of(known: Known, phrases: Phrases, *, never: bool, taught: bool = False) -> Expectation:
    """What a reply is held to in this situation. `never`: they ask for what they surely never told.

    `taught`: the model was tuned on conversations, and finds words of comfort that are in no list.
    """
    if never:
        return Expectation(denying=True)
    expected = replace(_expectation_of(known, phrases, taught=taught), mended=_mended(known), tells=_is_to_tell(known))
    if not taught or known.situation not in TAKEN_UP | {Situation.GREETING}:
        return expected
    grave = known.sad or known.situation is Situation.SAD
    if goes(known.latest) and not grave:
        return replace(expected, least=LEAST_GOING, stated=LEAST_GOING)
    ours = any(listens_only(text, phrases) for text in tuple(known.said)[-1:])
    least = LEAST_AGAIN if ours else LEAST
    if known.sad and known.situation is not Situation.SAD:  # "Then you've got it." of the cardigan for a lost baby
        expected = replace(expected, consoling=phrases.consoles)
    return replace(expected, least=least, stated=least if grave else LEAST_STATED)


def knowing(expected: Expectation, known: Known) -> Expectation:
    """The same for a question that something told answers: the reply says a word of what they told."""
    told = " ".join(one.words for one in known.told)
    others = " ".join(one.who for one in known.told if one.speaker_id != known.asker)
    any_of = (keys_of(told) | digits_of(words(told), every()) | keys_of(others)) - keys_of(known.latest)
    return replace(expected, any_of=expected.any_of or any_of, may_deny=False, of_them=True)


def _is_to_tell(known: Known) -> bool:
    """Whether they ask if something is remembered and mean: say it."""
    return known.situation in QUESTIONS and _RECALLS_WHAT.search(fold(known.latest)) is not None


def _mended(known: Known) -> tuple[Mended, ...]:
    """What was put right, for who asks; not where the line that did so may be asked for itself ("Tuesday is choir")."""
    if known.situation not in QUESTIONS:
        return ()
    asked = frozenset(stems(known.latest))
    of_it = (one for one in known.told if one.mends and not asked.isdisjoint(stems(one.words)))
    mends = (each for one in of_it for each in one.mends)
    return tuple(one for one in mends if asked.isdisjoint(stems(one.by)) and not _says(one.was, known.latest))


def _expectation_of(known: Known, phrases: Phrases, *, taught: bool) -> Expectation:
    match known.situation:
        case Situation.SAD:
            calm = Expectation(consoling=phrases.consoles, consoles=Consoles.SADLY)
            return calm if taught else Expectation(sounds=phrases.consoles)
        case Situation.BYE | Situation.TALK:
            leaving = known.situation is Situation.BYE or takes_leave(known.latest, known.language)
            return Expectation(sounds=phrases.parts) if leaving else ANYTHING
        case Situation.QUESTION:
            consoling, most = phrases.consoles if known.sorrow else "", MOST_OF_ADVICE if taught else 0
            most = 0 if _OF_ANOTHER_KIND.search(fold(known.latest)) else most
            return Expectation(consoling=consoling, consoles=Consoles.IF_CURT, most=most)
        case Situation.PERSON:
            return Expectation(admitting=True)
        case Situation.KNOW:
            own = (keys_of(one.words) for one in known.told if one.speaker_id == known.asker)
            return Expectation(frozenset().union(*own) - keys_of(known.latest), may_deny=False, of_them=True)
    return _of_memory(known)


def _of_memory(known: Known) -> Expectation:
    """Words of what answers their question, or of what was open when they greet."""
    if known.situation is Situation.ASK and known.found is not None:
        found = known.found
        if mended := next((one for one in reversed(found.told.mends) if one.now in found.words), None):
            return Expectation(word=mended.now, may_deny=False)
        if asks_who(known.latest) and found.told.who and found.told.speaker_id != known.asker:
            return Expectation(whom=keys_of(found.told.who))
        if measure := _measure(known.latest, found.later or found.words) - keys_of(known.latest):
            return Expectation(measure, may_deny=not found.whole)
        asked = frozenset(stems(known.latest))
        answering = {key_of(word) for word in content(found.later or found.words) if asked.isdisjoint(stems(word))}
        answering |= digits_of(words(found.later or found.words), every())
        return Expectation(frozenset(answering - keys_of(known.latest)), may_deny=not found.whole)
    return _of_greeting(known) if known.situation is Situation.GREETING else ANYTHING


def _of_greeting(known: Known) -> Expectation:
    summary = known.open_event.summary if known.open_event is not None else ""
    learns = any(_LEARNS.search(fold(text)) for text in (summary, known.latest, *(one.words for one in known.told)))
    return Expectation(
        keys_of(summary.partition(": ")[2]),
        may_deny=known.open_event is None,
        asking=known.open_event is not None,
        most=MOST_OF_GREETING,
        avoids="|".join(filter(None, ("" if learns else _EXAM, _other_part_of_day(known.latest)))),
    )


def _other_part_of_day(greeting: str) -> str:
    """A pattern for a greeting that is of another part of the day than theirs; empty: theirs is of none. English."""
    found = _PART_OF_DAY.search(fold(greeting))
    return rf"good (?!{found[1]})(?:morning|afternoon|evening)" if found is not None else ""
