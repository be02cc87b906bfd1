"""What kind of reply is due, in seven languages, and which memories help with it where there is little room. Pure."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import cache, lru_cache

from bot.conversation.checking.asking import told_question
from bot.conversation.checking.language import language_of
from bot.conversation.checking.mood import Mood, is_troubled, mild_mood_of, mood_of
from bot.conversation.checking.wordings import every, fold, wording, words
from bot.conversation.phrases import ENGLISH, LANGUAGES, phrases_of
from bot.conversation.privacy_net import asks_of_privacy, may_ask_of_privacy
from bot.conversation.told import Told
from bot.domain import RecalledEvent, Recollection
from bot.language.languages import is_english
from bot.language.patterns import Patterns

LONGEST_CORRECTION = 12
"""Words of a line that only puts something right."""

LONGEST_APOLOGY = 6
"""Words of a line that says sorry and no more: "sorry, dass ich so jammere"."""

SPARE_WORDS = 2
"""Words that a greeting, thanks or the like may have besides: "thanks, that helped"."""

_READ = Patterns.beside(__file__)
_REQUEST = _READ["request"]


_QUOTED = _READ.exact("quoted")
_ANY_QUOTE = re.compile(r"(?<!\w)['\"“„«»]")
_CLAUSE = _READ["clause"]
_SAYING = re.compile(
    r"\b(?:sa(?:id|ys?)|ask(?:ed|s|ing)?|texted|wrote|shouted|goes|like|thought|told)(?: me| myself)?$", re.IGNORECASE
)
_TRIES_TO_SLEEP, _BEHIND_THANKS = _READ.exact("tries_to_sleep"), _READ.exact("behind_thanks")
QUOTED_WORDS = 2
"""Words from which a question in quotation marks is somebody else's: in 'what does "wyd?" mean' it is asked about."""
_PARTS = re.compile(r"[.!?…,;\n]+")
_ENDS = re.compile(r"[.!…\n]+")
_INTRODUCED = _READ.exact("introduced")
_OPENING = _READ.exact("opening")
_SAD_SIGN = re.compile(r"[^\w\s.,!?'’:)D;\-👋🙂😊😀😃😄😁❤️☀🌞🌻💛💚💙🤗☺✌🙋]|[:;=]['’]?-?[(\[/|]|\)['’]?:|;_;")
"""Any sign but a few cheerful ones: "hi 🆘"."""
_HESITATES = re.compile(r" (?:i guess|i suppose|though|anyway)$")
_GREETS_AS, _FROM_WHEN = _READ.written("greets_as"), _READ.written("from_when")
_FOR_LISTENING = _READ.exact("for_listening")
_BEHIND_GOODBYE = _READ.exact("behind_goodbye")
_RUNS = _READ.exact("runs")
_GOODBYE_AND_WHY = _READ.exact("goodbye_and_why")
NAME_WORDS = 2
"""Words of the name that somebody signs a goodbye with, at most."""


class Situation(StrEnum):
    """What kind of reply is due to what was just said."""

    KNOW = "know"
    """They ask what is known of them."""
    ASK = "ask"
    """They ask for something they told, or for a fact of their life."""
    CORRECTION = "correction"
    WORRY = "worry"
    """What they say may be a sign of danger (`safety.py`), and is not plainly one."""
    SAD = "sad"
    GLAD = "glad"
    HARD = "hard"
    """They tell of a trouble of any day."""
    NICE = "nice"
    """They tell of a joy of any day."""
    BYE = "bye"
    THANKS = "thanks"
    HOW_ARE_YOU = "how_are_you"
    WHO = "who"
    """They ask who or what the companion is."""
    PERSON = "person"
    """They ask whether it is a person, or has what persons have."""
    GREETING = "greeting"
    TEASER = "teaser"
    """They announce news ("guess what") and have not told them."""
    PRIVATE = "private"
    """They ask what is kept of what they say, or who sees it."""
    QUESTION = "question"
    """Any other question."""
    TALK = "talk"


Weighing = Callable[[str], Situation | None]
"""What something grave in a line makes of it that the checks' own lists do not have: SAD, HARD, or None."""


def unweighed(_: str) -> Situation | None:
    """A Weighing that hears nothing."""
    return None


QUESTIONS = frozenset({Situation.ASK, Situation.QUESTION})
"""In which something is asked, of what was told or of anything else."""

TAKEN_UP = frozenset({Situation.TALK, Situation.SAD, Situation.GLAD, Situation.HARD, Situation.NICE})
"""What only has to be taken up. A small model that is not tuned has one try at it: a livelier second one was worse than
our own words when read."""

LAST_WORDS = 16
"""Words at the end of a line in which somebody says that they go."""

_GOES = _READ.exact("goes")

_ALONE = (Situation.BYE, Situation.THANKS, Situation.HOW_ARE_YOU, Situation.GREETING, Situation.TEASER)
"""What a line has to be as a whole, but for a few words."""


def situation_of(text: str, names: Collection[str] = (), language: str | None = None) -> Situation:
    """What kind of reply is due to `text`. `names`: of people, who can be asked about. `language`: of who says it."""
    return _situation_of(text, tuple(sorted(names)), language or language_of(text))


@lru_cache(maxsize=256)
def _situation_of(text: str, names: tuple[str, ...], language: str | None) -> Situation:
    folded = " ".join(words(text))
    asked = (kind for kind in (Situation.PRIVATE, Situation.KNOW) if _is_asked(kind, text, folded, language))
    if (kind := next(asked, None)) or told_question(_own_words(text), names):
        return kind or Situation.ASK
    if _corrects(text, folded, language):
        return Situation.CORRECTION
    if alone := _alone(folded, language, spare=0):  # "tot morgen" is a goodbye in Dutch, and has the German for "dead"
        return alone
    mood = mood_of(text)
    if mood is Mood.SAD:
        return Situation.SAD
    if mood is Mood.GLAD and not is_troubled(text):  # else it is mixed, and congratulations would hurt
        return Situation.GLAD
    alone = _greeting_with_name(text, language) or _alone(folded, language, spare=SPARE_WORDS)
    return alone or (
        Situation.THANKS if _thanks_for_listening(text, language) else _of_question(text, folded, language)
    )


def _is_asked(kind: Situation, text: str, folded: str, language: str | None) -> bool:
    """Whether the patterns of `kind` are in a line; of privacy the net must not find them unlikely there.

    "Does anyone see that I'm dying inside" has its words.
    """
    if not hears(kind, folded, language):
        return False
    if kind is not Situation.PRIVATE or not is_english(text):
        return True
    return may_ask_of_privacy(text) and mood_of(text) is not Mood.SAD


def _thanks_for_listening(text: str, language: str | None) -> bool:
    """Whether they thank for what the companion does, at the end: "ok thank you for listening, I have duty at 7"."""
    *before, addressed, last = ["", "", *(" ".join(words(part)) for part in _PARTS.split(text) if words(part))]
    parts = [addressed, last]
    if len(addressed.split()) <= NAME_WORDS and _BEHIND_THANKS.match(last):
        parts.append(before[-1])  # "Thank you for the company, dear. I will try again."
    thanks = (part for part in parts if hears(Situation.THANKS, _HESITATES.sub("", part), language, whole=True))
    return any(_FOR_LISTENING.search(part) for part in thanks) and not asks(text)


def ends_with_thanks(text: str, language: str | None) -> bool:
    """Whether its last sentence is thanks and no more: "That is enough for today I think. Thank you."."""
    last = [part for part in _ENDS.split(text) if words(part)][-1:]
    return any(hears(Situation.THANKS, " ".join(words(part)), language, whole=True) for part in last)


def _greeting_with_name(text: str, language: str | None) -> Situation | None:
    """GREETING for one in which somebody says who they are; None for all else."""
    without = _INTRODUCED.sub("", text)
    alone = without != text and _alone(" ".join(words(without)), language, spare=SPARE_WORDS)
    return Situation.GREETING if alone is Situation.GREETING else None


def _of_question(text: str, folded: str, language: str | None) -> Situation:
    if hears(Situation.WHO, folded, language):
        return Situation.WHO
    if _asks_of_itself(_own_words(text), language):
        return Situation.PERSON
    asking = asks(text)
    if language in {ENGLISH, None} and is_english(text) and asks_of_privacy(text, asks=asking):
        return Situation.PRIVATE
    if asking:
        return Situation.QUESTION
    mood = mild_mood_of(text)
    return Situation.TALK if mood is None else Situation.HARD if mood is Mood.SAD else Situation.NICE


def _corrects(text: str, folded: str, language: str | None) -> bool:
    """A longer line, or a question, tells or asks for something new, whatever it puts right by the way."""
    short = len(folded.split()) <= LONGEST_CORRECTION and not text.rstrip().endswith("?")
    return short and hears(Situation.CORRECTION, folded, language)


def hears(key: str, folded: str, language: str | None, *, whole: bool = False) -> bool:
    """Whether folded words sound like `key`, one of `Phrases.hears`. `whole`: whether they are nothing but that."""
    patterns = _patterns(key, language)
    return any(one.fullmatch(folded) if whole else one.search(folded) for one in patterns)


def _alone(folded: str, language: str | None, *, spare: int) -> Situation | None:
    """What a line is as a whole, but for `spare` words: "hey, how are you" is, "hey, my cat is called Pixel" is not."""
    said = len(folded.split())
    for situation in _ALONE:
        found = (pattern.search(folded) for pattern in _patterns(situation, language))
        if any(match and said - len(match.group().split()) <= spare for match in found):
            return situation
    return None


@cache
def _patterns(key: str, language: str | None) -> tuple[re.Pattern[str], ...]:
    """What this sounds like in a language; in all where that is not sure."""
    sources = (getattr(phrases_of(code).hears, key) for code in ([language] if language else LANGUAGES))
    return tuple(re.compile(rf"(?<!\w)(?:{source})(?!\w)") for source in sources)


def _asks_of_itself(text: str, language: str | None) -> bool:
    folded, wordings = fold(text), (wording(language),) if language in LANGUAGES else every()
    return any(one.has(key, folded) for one in wordings for key in ("asks_human", "asks_bot", "asks_own"))


def asks(text: str) -> bool:
    """Whether it asks for something, with a question mark or without."""
    own = _own_words(text)
    ends = [part for part in _ENDS.split(own) if part.strip()][-1:]
    told, _, clause = own.rpartition(",")
    behind = bool(told) and not _ANY_QUOTE.search(own) and not _SAYING.search(told) and _CLAUSE.search(clause.strip())
    return "?" in own or any(_REQUEST.search(part) for part in (own, *ends)) or bool(behind)


def _own_words(text: str) -> str:
    """The text without questions that it tells of somebody else; all of it where nothing else is said."""

    def told(match: re.Match[str]) -> str:
        words_in_it = match.group().split()
        return " " if "?" in match.group() and len(words_in_it) >= QUOTED_WORDS else match.group()

    own = " ".join(_QUOTED.sub(told, text).split())
    return own if words(own) else text


def greets_only(text: str, language: str | None, names: Collection[str]) -> bool:
    """Whether it is a greeting and nothing else, with one of these names or without: "Hello, it's Walter again."."""
    if _SAD_SIGN.search(text):
        return False
    folded = " ".join(words(text))
    called = "|".join(sorted(map(re.escape, filter(None, map(fold, names)))))
    rest = re.sub(rf"{_GREETS_AS}(?:{called})\b{_FROM_WHEN}", " ", folded) if called else folded
    return hears(Situation.GREETING, " ".join(rest.split()), language, whole=True)


def nods(text: str, language: str | None) -> bool:
    """Whether it says no more than yes, no or "right"."""
    return hears("nods", " ".join(words(text)), language, whole=True)


def laughs(text: str, language: str | None) -> bool:
    """Whether somebody laughs in words: "haha", "lol"."""
    return hears("laughs", " ".join(words(text)), language)


def apologises(text: str, language: str | None) -> bool:
    """Whether somebody is sorry to tell so much, and says no more: "sorry, bit heavy that"."""
    said = words(text)
    return len(said) <= LONGEST_APOLOGY and hears("apology", " ".join(said), language)


def takes_leave(text: str, language: str | None) -> bool:
    """Whether it ends with a goodbye: "order is here, talk later", "9% gotta go bye". Not "the sofa has to go"."""
    return bool(goodbye_in(text, language))


def goodbye_in(text: str, language: str | None) -> str:
    """The part of a line that is a goodbye: the last, or the one before a name or what they will tell; empty: none."""
    parts = [words(part) for part in _PARTS.split(text) if words(part)]
    if not parts or asks(text):
        return ""
    for some in (parts[-1:], parts[-2:]):  # "gtg, my mom is calling"
        if _GOODBYE_AND_WHY.match(spoken := " ".join(word for part in some for word in part)):
            return spoken
    if _TRIES_TO_SLEEP.match(whole := " ".join(word for part in parts for word in part)):
        return whole
    if runs := _RUNS.search(" ".join(parts[-1])):
        return runs.group().strip()
    ends = len(parts) > 1 and (len(parts[-1]) <= NAME_WORDS or _BEHIND_GOODBYE.match(" ".join(parts[-1])))
    return next((" ".join(part) for part in parts[-2 if ends else -1 :] if _is_goodbye(part, language)), "")


def _is_goodbye(spoken: Sequence[str], language: str | None) -> bool:
    while len(spoken) > 1 and not spoken[-1].strip("x"):  # kisses
        spoken = spoken[:-1]
    return hears(Situation.BYE, _OPENING.sub("", " ".join(spoken)), language, whole=True)


def goes(text: str) -> bool:
    """Whether somebody may be about to go, in English: "gonna go eat a sad burrito", "will tell you later"."""
    return _GOES.search(" ".join(words(text)[-LAST_WORDS:])) is not None


def listens(text: str) -> bool:
    """Whether a reply only has to take up what was said: nothing was asked for (what a tuned generator can do)."""
    return "?" not in text and not _REQUEST.search(text)


def only_best(recollection: Recollection, notes: int, found: Told | None, *, events: bool) -> Recollection:
    """The best few memories: what a model that follows short prompts alone is shown.

    What answers a question (`found`) comes first. `events`: these come before what was said word for word.
    """
    told = found.utterance if found is not None else 0
    trait = found.trait if found is not None else 0
    fragments = sorted(recollection.fragments, key=lambda one: not any(line.id == told for line in one.lines))
    traits = sorted(recollection.traits, key=lambda one: not (trait and one.trait.id == trait))
    kept = with_events(recollection).events[:notes] if events else ()
    quoted = tuple(fragments[: notes - len(kept)])
    room = notes - len(kept) - len(quoted)
    kept = kept or with_events(recollection).events[:room]
    return Recollection(events=kept, traits=tuple(traits[: max(room, 1)]), fragments=quoted)


def with_events(recollection: Recollection) -> Recollection:
    """The same, with the events that timelines go through where nothing but timelines was recalled (THEANINE)."""
    if recollection.events or not recollection.timelines:
        return recollection
    through = {
        event.id: RecalledEvent(event, timeline.score, 0.0, 0.0, 1.0)
        for timeline in recollection.timelines
        for event in timeline.events
        if event.id == timeline.through
    }
    return replace(recollection, events=tuple(through.values()))
