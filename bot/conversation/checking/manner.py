"""How a small model says it: stock sentences of assistants, lectures, a tone that nothing gives cause for. Pure.

Models of up to some 3B parameters fall into "That's great! How can I help you?" whatever they are shown, and tell
people what they should do. In people's own replies these are rare, and larger models have reasons for what they say:
only where `Ground.strict` is set are they looked for.
"""

import re
from itertools import pairwise

from bot.conversation.checking.already_said import asks_what_was_said
from bot.conversation.checking.counting import unsaid_number
from bot.conversation.checking.feeling import LINGERING, lingers, saddened
from bot.conversation.checking.ground import Fault, Ground
from bot.conversation.checking.mood import Mood, has_cause, mood_of
from bot.conversation.checking.naming import called_otherwise, greets_nobody, misnames, names_of_own, tells_of_them
from bot.conversation.checking.wordings import (
    LANGUAGES,
    any_has,
    bare,
    fold,
    key_of,
    sentences,
    wording,
    words,
)

SHORTEST_QUESTION, SHORTEST_SENTENCE = 2, 3
"""Words of a question, and of another sentence, from which its coming back in one conversation is a repetition."""

OPENING, OPENED_LATELY = 2, 3
"""Words with which a reply opens, and the replies before it, the last ones, none of which may have opened so."""

LINES_OF_MOURNING = 12
"""Lines, the latest among them, over which a loss that was told makes cheer unfit."""

LINES_OF_TROUBLE = 3
"""Lines, the latest among them, one of which gives a cause for pity."""

_THANKS = re.compile(r"\b(?:thanks?(?! for having)|thx|cheers)\b")
_DEATH = re.compile(r"\b(?:died|dead|death|passed|funeral|buried|lost (?:her|him))\b")
_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][^\W\d_]{2,}")
_CAPITALISED = re.compile(r"(?<!\w)[A-ZÀ-Þ][^\W\d_]{2,}")
_LAUGHS = re.compile(r"(?<!\w)(?:(?:ha|he|hi|ja|je|ah|eh|rs|kk){2,}\w?|lo+l+|lmf?ao+|rofl|xd+|mdr+|ptdr+)(?!\w)|[😂🤣]")
"""Laughter, in any of the languages, in folded words."""

_HURTS = re.compile(
    r"\b(?:(?:slap|smack|spank|whip|hit|punch)(?:ping|ting|ing)? (?:(?:him|her|them)(?! (?:up|with|on)\b)"
    r"|(?:the|your) (?:\w{1,20} )?(?:dog|cat|puppy|kids?|child|children|baby|son|daughter|boy|girl|brother|sister"
    r"|teacher|bully|dad|mum|mom|husband|wife)\b)|kick the (?:dog|cat)\b|beat (?:him|her|them) up\b|shake the baby\b"
    r"|a (?:firm|good|light|quick|hard) (?:slap|smack|spanking)\b)"
)
"""Advice to hit somebody or an animal, in English."""
_FEARED = (
    r"(?:can['’]?t|cannot) (?:ever |really |even )?(?P<what>fail|lose|win|cope|manage|pass|make it|do it|do this)\b"
)
_CANNOT = re.compile(rf"\bi (?:just |really )?{_FEARED}", re.IGNORECASE)
_YOU_CANNOT = re.compile(rf"(?:^|[.!?,] )(?:so |then |no, )?you {_FEARED}(?![^.!?]*\?)", re.IGNORECASE)
_SPEAKS_AGAINST = re.compile(
    r"\b(?:no|not|nobody|never|without|instead|like|wrong|right to|ok to|okay to|did|does|he|she|they|who|if|when)\b"
    r"|n['’]t\b"
)
"""In the same sentence before it: then it is no advice."""
_MORNING = re.compile(r"\bgood morning\b.{0,40}\bhow was your (?:day|evening)\b")


def manners(reply: str, ground: Ground) -> set[Fault]:
    """The faults of this module (STOCK, LECTURES, AGAIN …) that a small model's `reply` bears."""
    if not ground.strict:
        return set()
    folded, wordings = fold(reply), ground.wordings
    introduces = ground.said and re.search(rf"\b(?:i['’]?m|i am) {re.escape(fold(ground.agent))}\b", folded)
    bears = (
        (Fault.STOCK, any_has("stock", folded, wordings) or _MORNING.search(folded) is not None),
        (Fault.STOCK, introduces and (ground.leaving or _THANKS.search(ground.folded))),
        (Fault.REJECTS, any_has("rejects", folded, wordings)),
        (Fault.HARMS, any(map(_advises_to_hurt, sentences(folded))) or _confirms_a_fear(reply, ground.latest)),
        (Fault.LECTURES, not _asks(ground) and any_has("lectures", folded, wordings)),
        (Fault.CHEERFUL, any_has("delights", folded, wordings) and not _delightful(ground)),
        (Fault.MOURNS, any_has("pities", folded, wordings) and not _pitiful(ground)),
        (Fault.AGAIN, _says_again(reply, ground) or _opens_again(reply, ground) or asks_what_was_said(reply, ground)),
        (Fault.INVENTED, _unheard(reply, ground) or _miscounts(reply, ground) or _calls_otherwise(reply, ground)),
        (Fault.INVENTED, _brings_up_the_dead(reply, ground)),
        (Fault.KEEPS, ground.leaving and reply.rstrip().endswith("?")),
    )
    return {fault for fault, is_borne in bears if is_borne}


def _advises_to_hurt(sentence: str) -> bool:
    found = _HURTS.search(sentence)
    return found is not None and _SPEAKS_AGAINST.search(sentence[: found.start()]) is None


def _confirms_a_fear(reply: str, line: str) -> bool:
    """Whether it says of them what they fear they cannot: "You can't fail" to "so i cant fail". English."""
    cannot = {found["what"].lower() for found in _CANNOT.finditer(line)}
    return any(found["what"].lower() in cannot for found in _YOU_CANNOT.finditer(reply))


def _miscounts(reply: str, ground: Ground) -> bool:
    """Whether it has a number that nobody said, where nothing was asked for."""
    return ground.language in {LANGUAGES[0], None} and not _asks(ground) and unsaid_number(reply, ground.lines)


def _calls_otherwise(reply: str, ground: Ground) -> bool:
    """Whether it calls them by another name than theirs; in private, where one person speaks."""
    speaker, own = ground.speaker, ground.own
    return not ground.channel and (
        tells_of_them(reply, speaker, own)
        or called_otherwise(reply, speaker, own)
        or misnames(reply, speaker, ground.agent, own)
        or greets_nobody(reply, (*ground.people, *ground.said, *(text for _, text in ground.told)))
    )


def _unheard(reply: str, ground: Ground) -> bool:
    """Whether it speaks of somebody close to the person, or of an animal of theirs, of whom they said nothing."""
    spoken = words(reply)
    theirs = (
        one.synonyms[key_of(bare(word))] | {key_of(bare(word))}
        for one in ground.wordings
        for owner, word in pairwise(spoken)
        if key_of(bare(word)) in one.dear_keys and one.is_one("your", owner)
    )
    return any(kin.isdisjoint(ground.told_keys) for kin in theirs)


def _asks(ground: Ground) -> bool:
    """Whether they ask for something, with a question mark or without one."""
    return "?" in ground.latest or any(one.pattern("asks_what").match(ground.folded) for one in ground.wordings)


def _delightful(ground: Ground) -> bool:
    """Whether what was just said gives a cause for delight: something good in it, or its tone."""
    mood = mood_of(ground.latest)
    if mood is not None:
        return mood is Mood.GLAD
    if _mourns(ground) or ("!" not in ground.latest and saddened(ground.lines[-LINGERING:])):
        return False
    bright = "!" in ground.latest or any_has("pleasant", ground.folded, ground.wordings)
    bright = bright or has_cause(Mood.GLAD, [ground.latest], ground.wordings)
    return bright and not any_has("trouble", ground.folded, ground.wordings)


def _mourns(ground: Ground) -> bool:
    """Whether they spoke of a loss in this talk: what they tell after it is seldom as light as it sounds."""
    return any(
        mood_of(line) is Mood.SAD and any_has("losses", fold(line), ground.wordings)
        for line in ground.lines[-LINES_OF_MOURNING:]
    )


def _brings_up_the_dead(reply: str, ground: Ground) -> bool:
    """Whether, after a death, it comes to somebody by a name that was not just said: "Eggs are good for Carol".

    Whose name it is, is not looked at. English, where a capital inside a sentence tells a name; not where they ask of
    what was told.
    """
    if ground.language != LANGUAGES[0] or ground.question is not None:
        return False
    lately = ground.lines[-LINES_OF_MOURNING:]
    if not any(_DEATH.search(fold(line)) and mood_of(line) is Mood.SAD for line in lately):
        return False
    one = wording(LANGUAGES[0])
    own = words(f"{ground.speaker} {ground.agent} {' '.join(ground.people)} {' '.join(names_of_own(ground.lines))}")
    inside = {fold(match.group()) for line in lately for match in _INSIDE.finditer(line)}
    named = {name for name in inside - {*own, *words(ground.latest)} if not one.is_one("months", name)}
    return any(fold(match.group()) in named for match in _CAPITALISED.finditer(reply))


def _pitiful(ground: Ground) -> bool:
    """Whether what was said gives a cause for pity, and what was just said does not turn to something good."""
    latest = ground.latest
    if ground.grave:
        return True
    mood = mood_of(latest)
    if mood is Mood.GLAD or (mood is not Mood.SAD and _LAUGHS.search(ground.folded)):
        return False
    if has_cause(Mood.SAD, [latest], ground.wordings) or lingers(ground.lines, ground.wordings):
        return True
    turned = "!" in latest or any_has("pleasant", ground.folded, ground.wordings)
    return not turned and has_cause(Mood.SAD, ground.lines[-LINES_OF_TROUBLE:], ground.wordings)


def _says_again(reply: str, ground: Ground) -> bool:
    """Whether it has a sentence or a question of an earlier reply; short words thrown in may come back."""
    said = {words(part) for earlier in ground.said for part in sentences(earlier)}
    for part in sentences(reply):
        shortest = SHORTEST_QUESTION if part.rstrip().endswith("?") else SHORTEST_SENTENCE
        if len(words(part)) >= shortest and words(part) in said:
            return True
    return False


def _opens_again(reply: str, ground: Ground) -> bool:
    """Whether it begins like one of the last replies: "Oh no, …" to every line."""
    said = words(reply)
    return len(said) > OPENING and any(words(one)[:OPENING] == said[:OPENING] for one in ground.said[-OPENED_LATELY:])
