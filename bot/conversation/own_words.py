"""What the companion says in words of ours: where the model is too small to be asked, or its words did not pass. Pure.

Everything about the person is quoted with the day on which they said it, so nothing of it can be wrong; what is known
of them in their words, too, of which remarks are left out.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.conversation.checking.mood import Mood, is_troubled, mood_of
from bot.conversation.checking.wordings import fold, wording, words
from bot.conversation.phrases import ENGLISH, Phrases
from bot.conversation.requests import telling
from bot.conversation.situations import (
    Situation,
    apologises,
    ends_with_thanks,
    goodbye_in,
    hears,
    laughs,
    nods,
    takes_leave,
)
from bot.conversation.told import Found, Told
from bot.domain import Event, Recollection
from bot.language.extractive import traits
from bot.language.facts import facts_in

SHORT_TEASER = 4
"""Words of a line up to which it only announces news; a longer one tells them: "guess who got the job today"."""

SHORT_JOY = 8
"""Words of a line up to which good news are all that it tells; a longer one may tell of more, or of somebody else."""

MOST_KNOWN = 5
"""Things that an answer to "what do you know about me?" names."""

FEWEST_KNOWN, LONGEST_KNOWN = 3, 30
"""Words that such a thing has at least, and at most."""

WHO_THEY_ARE = {"home": "", "job": "", "age": "me"}
"""The facts that go before what was told later → whose they are by the rules of facts."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a reply in our words can rest on."""

    situation: Situation
    latest: str
    asker: str
    """The id of who is answered."""
    names: Mapping[str, str]
    """Speaker id → name."""
    found: Found | None
    """What answers their question; None: nothing does, or they asked none."""
    told: Sequence[Told]
    """What people said, oldest first."""
    open_event: Event | None
    """What a greeting can take up; None: nothing, or this is no greeting."""
    said: Collection[str]
    """The companion's earlier replies of this session."""
    language: str | None = None
    """The code of the language in which it is answered; None: not sure."""
    sad: bool = False
    """Whether sad news of a moment ago is still what they talk about."""
    sorrow: bool = False
    """Whether they told sad news before what they ask now, and nothing good since."""


def resting_on(known: Known, lines: Collection[int], used: Recollection) -> Known:
    """The same without what the prompt does not hold: a reply goes with what its prompt held, and rests on no more.

    `lines`: ids of the utterances in the prompt; `used`: what of the recollection is in it.
    """
    traits = {item.trait.id for item in used.traits}
    told = [one for one in known.told if one.utterance in lines or one.trait in traits]
    found = known.found if known.found is not None and known.found.told in told else None
    events = {event.id for event in used.all_events}
    opened = known.open_event if known.open_event is not None and known.open_event.id in events else None
    return replace(known, told=told, found=found, open_event=opened)


def own_reply(known: Known, phrases: Phrases, agent: str, now: datetime) -> str:
    """A reply in our words; never empty."""
    replies = phrases.replies
    fixed: Mapping[Situation, Callable[[], str]] = {
        Situation.KNOW: lambda: _all_known(known, phrases),
        Situation.ASK: lambda: _answer(known, phrases, now),
        Situation.CORRECTION: lambda: replies.corrected.format(words=known.latest.strip()),
        Situation.WHO: lambda: replies.who.format(name=agent),
        Situation.PRIVATE: lambda: replies.private_again if replies.private in known.said else replies.private,
        Situation.GREETING: lambda: _greeting(known, phrases, now),
    }
    if known.situation in fixed:
        return fixed[known.situation]()
    lists = {
        Situation.WORRY: replies.gentle,
        Situation.SAD: replies.sad,
        Situation.GLAD: replies.glad if _is_joy(known.latest) else replies.excited,
        Situation.HARD: _in_sorrow(known, phrases) if known.sad else replies.hard,
        Situation.NICE: replies.nice,
        Situation.BYE: _farewell(known, phrases),
        Situation.THANKS: replies.thanks,
        Situation.HOW_ARE_YOU: replies.how_are_you,
        Situation.PERSON: _not_a_person(known, phrases),
        Situation.TEASER: replies.teaser if len(words(known.latest)) <= SHORT_TEASER else replies.excited,
        Situation.QUESTION: replies.grieving if known.sorrow else replies.question,
    }
    if known.situation is Situation.TALK and takes_leave(known.latest, known.language):
        return _next(_farewell(known, phrases), known.said).format(name=agent)
    if known.situation in {Situation.TALK, Situation.HARD} and apologises(known.latest, known.language):
        return _next(replies.no_need, known.said)
    listed = lists.get(known.situation)
    return _next(listed or _rotated(_listening(known, phrases), known.said), known.said).format(name=agent)


def _farewell(known: Known, phrases: Phrases) -> Sequence[str]:
    """Replies to a goodbye: of the night where somebody goes to bed."""
    night = hears("night", goodbye_in(known.latest, known.language), known.language)
    return phrases.replies.night if night else phrases.replies.bye


def _not_a_person(known: Known, phrases: Phrases) -> Sequence[str]:
    """Replies to who asks whether it is a person; the first says no, which is none to "are you a bot"."""
    asks_bot = wording(known.language or ENGLISH).has("asks_bot", fold(known.latest))
    return phrases.replies.not_a_person[1 if asks_bot else 0 :]


def _is_joy(text: str) -> bool:
    """Whether good news want congratulations: "i found out from instagram that my sister got engaged" may not."""
    return "!" in text or len(words(text)) <= SHORT_JOY


def _in_sorrow(known: Known, phrases: Phrases) -> Sequence[str]:
    """Replies while sad news are what they talk about: "I'm so sorry" to nothing that is not sad itself."""
    if ends_with_thanks(known.latest, known.language):
        return phrases.replies.thanks
    sad = mood_of(known.latest) is not None or is_troubled(known.latest) or "!" in known.latest
    sad = sad or wording(known.language or ENGLISH).has("trouble", fold(known.latest))
    return phrases.replies.grieving if sad else phrases.replies.attending


def _listening(known: Known, phrases: Phrases) -> Sequence[str]:
    """Replies to what only wants to be taken up, by how it is said."""
    replies = phrases.replies
    if nods(known.latest, known.language):
        return replies.nodding
    laughing, calling = laughs(known.latest, known.language), "!" in known.latest
    if not (known.said or laughing or calling):
        return replies.opening
    if wording(known.language or ENGLISH).has("trouble", fold(known.latest)):
        return replies.beside
    if laughing:
        return replies.laughing
    return replies.excited if calling else replies.listening


def listens_only(text: str, phrases: Phrases) -> bool:
    """Whether a reply is one of ours that only take up what was said."""
    replies = phrases.replies
    in_sorrow = (*replies.grieving, *replies.attending)
    lists = (replies.opening, replies.listening, replies.laughing, replies.excited, replies.beside, in_sorrow)
    return any(text in listed for listed in lists)


def _next(listed: Sequence[str], said: Collection[str]) -> str:
    """The first that was not said yet; when all were, one after the other."""
    return next((text for text in listed if text not in said), listed[len(said) % len(listed)])


def _rotated(listed: Sequence[str], said: Collection[str]) -> Sequence[str]:
    """The same from a later one on the longer they talk, so that talks do not all go alike."""
    first = len(said) % len(listed)
    return (*listed[first:], *listed[:first])


def _answer(known: Known, phrases: Phrases, now: datetime) -> str:
    if known.found is None:
        return _next(phrases.replies.not_told, known.said)
    return _quoted(known.found, known, phrases, now)


def hint_quoted(hint: Found, known: Known, phrases: Phrases, now: datetime) -> str:
    """What may answer them, and that there is no more; what was put right is sure."""
    quoted = _quoted(hint, known, phrases, now)
    return quoted if hint.told.mends else f"{quoted} {phrases.replies.no_more}"


def _quoted(found: Found, known: Known, phrases: Phrases, now: datetime) -> str:
    when = _capital(phrases.day(found.told.time, now))
    if found.told.speaker_id == known.asker:
        return phrases.replies.told.format(when=when, words=found.words)
    return phrases.replies.told_by.format(when=when, who=known.names[found.told.speaker_id], words=found.words)


def _all_known(known: Known, phrases: Phrases) -> str:
    """What somebody told of themselves: who they are goes first, then the latest; as it was told, the oldest first."""
    own = [telling(one.words).strip() for one in known.told if one.speaker_id == known.asker]
    told = list(dict.fromkeys(text for text in own if len(text.split()) >= FEWEST_KNOWN or facts_in(text)))
    if not told:
        return phrases.replies.know_nothing
    parts = {text: _statement(text) for text in told}
    facts = {
        fact.slot: part
        for part in parts.values()
        for fact in facts_in(part)
        if fact.slot in WHO_THEY_ARE and fact.of == WHO_THEY_ARE[fact.slot]
    }
    stated = [part for part in reversed(parts.values()) if part]
    chosen = list(dict.fromkeys([*facts.values(), *stated, *reversed(parts)]))[:MOST_KNOWN]
    listed = dict.fromkeys(part if part in chosen else text for text, part in parts.items() if {part, text} & {*chosen})
    return phrases.replies.know.format(words=" ".join(f"“{text}”" for text in listed))


def _statement(text: str) -> str:
    """What somebody states of themselves in a line; empty where that is nothing, or a few words."""
    part = traits(text, LONGEST_KNOWN) or ""
    return part if len(part.split()) >= FEWEST_KNOWN or facts_in(part) else ""


def _greeting(known: Known, phrases: Phrases, now: datetime) -> str:
    event = known.open_event
    if event is None:
        return _next(phrases.replies.greeting, known.said)
    said = event.summary.partition(": ")[2] or event.summary
    sad = mood_of(said) is Mood.SAD
    form = phrases.replies.greeting_sad if sad else phrases.replies.greeting_open
    return form.format(when=_capital(phrases.day(event.time, now)), words=said)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
