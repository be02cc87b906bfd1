"""What a reply claims of the companion itself: to be a person, a life of its own, or the person's life. Pure."""

import re

from bot.conversation.checking.asking import told_question
from bot.conversation.checking.ground import Fault, Ground
from bot.conversation.checking.wordings import (
    LANGUAGES,
    Wording,
    bare,
    content,
    fold,
    key_of,
    sentences,
    wording,
    words,
)
from bot.language.patterns import Patterns

LINKED = 2
"""Words of what a person told in a first-person statement of the reply from which it is their life."""
SHORTEST_LINE = 3
"""Words of a sentence that can be somebody's own."""
POSSESSED = 3
"""Words behind "my" in which the thing is looked for."""

_CLAUSE = re.compile(r"[,;:()–—]| (?:but|aber|pero|mais|ma|mas|maar) ")
_QUOTED = re.compile(r"[\"“„«»”]([^\"“„«»”]{1,400})[\"“”«»]|(?<!\w)['‘]([^'‘’]{3,400})['’](?!\w)")
_READ = Patterns.beside(__file__)
_IS_A = _READ.exact("is_a")
_ANYBODY = _READ.words("anybody")
_RENAMES = _READ.exact("renames")
_I_AM = _READ.exact("i_am")
_I_AM_NAMED = _READ.exact("i_am_named")
_TOLD_THEM, _ASKS_IT = _READ.exact("told_them"), _READ.exact("asks_it")
_NO_I_AM = re.compile(
    r"no[,.!]? i(?:['’]?m| am) (?:just |only )?an? (?:\w{1,20} )?(?:chatbot|bot|program|ai|machine|robot)\W*$"
)
"""No answer to "are you an AI"."""
_FORGETS = _READ.exact("forgets")
_START = re.compile(r"^\W*(?:\w+, ){0,2}")


def unquoted(reply: str, ground: Ground) -> str:
    """The reply without what it quotes of people: their words are no claims of its own."""
    said = [fold(line) for line in (*ground.lines, *ground.card)]

    def kept(match: re.Match[str]) -> str:
        quoted = fold(match[1] or match[2]).strip(" .,!?")
        return " … " if any(quoted in line for line in said) else match.group()

    return _QUOTED.sub(kept, reply)


def claims(reply: str, ground: Ground) -> set[Fault]:
    """PERSON, FORGETS, LIVES and OWNS, where `reply` (without quotes) bears them."""
    found = _answers(reply, ground)
    if ground.question is not None and _TOLD_THEM.search(fold(reply)) and not _ASKS_IT.search(ground.folded):
        found.add(Fault.LIVES)
    if _FORGETS.search(fold(reply)):
        found.add(Fault.FORGETS)
    for sentence in sentences(reply):
        folded = fold(sentence)
        for one in ground.wordings:
            if _claimed("person", folded, one, ground):
                found.add(Fault.PERSON)
            if _lives(folded, one, ground):
                found.add(Fault.LIVES)
            elif _claimed("owns", folded, one, ground):
                found.add(Fault.OWNS)
    return found | _other_name(reply, ground)


def _answers(reply: str, ground: Ground) -> set[Fault]:
    """What a mere yes or no claims, after "Are you human?", "Are you a bot?" or "Do you have a cat?"."""
    folded = fold(reply).lstrip("¡¿ \"'*")
    found: set[Fault] = set()
    for one in ground.wordings:
        human, machine = one.has("asks_human", ground.folded), one.has("asks_bot", ground.folded)
        yes = one.pattern("yes").match(folded) is not None
        no = one.pattern("no").match(folded) is not None
        honest = one.has("bot_words", folded)
        if not honest and ((human and not machine and yes) or (machine and not human and no)):
            found.add(Fault.PERSON)
        if machine and not human and _NO_I_AM.match(folded):
            found.add(Fault.PERSON)
        if yes and not honest and one.has("asks_own", ground.folded):
            found.add(Fault.OWNS)
    return found


def _claimed(key: str, folded: str, one: Wording, ground: Ground) -> bool:
    for match in one.pattern(key).finditer(folded):
        own = {key_of(word) for word in content(match.group(), ground.codes)}
        of_card = key == "owns" and bool(own & ground.card_keys)
        if not of_card and not _hedged(folded, match.start(), one):
            return True
    return False


def _hedged(folded: str, start: int, one: Wording) -> bool:
    """Whether the clause in front of `start` denies, wishes or supposes what follows."""
    clause = _CLAUSE.split(folded[:start])[-1]
    return one.has("hedges", clause)


def _lives(folded: str, one: Wording, ground: Ground) -> bool:
    if folded.endswith("?"):
        return False
    told = ground.told_keys - ground.card_keys
    for match in one.pattern("my").finditer(folded):
        behind = [bare(word) for word in words(re.split(r"[.,;:!?]", folded[match.end() :])[0])[:POSSESSED]]
        own = [word for word in behind if word not in one.common]
        if own and one.is_one("self_words", own[0]):
            continue
        if any(key_of(word) in told for word in own[:2]) and not _hedged(folded, match.start(), one):
            return True
    return (
        _states(folded, one, ground) or _says_their_line(folded, one, ground) or _has_their_trade(folded, one, ground)
    )


def _has_their_trade(folded: str, one: Wording, ground: Ground) -> bool:
    """Whether it is what somebody said that they are: "I'm a locksmith" to a locksmith. English."""
    stated = [match for match in _IS_A.finditer(folded) if not _hedged(folded, match.start(), one)]
    own = {match[1] for match in stated} - _ANYBODY
    return bool(own) and any(own & {match[1] for match in _IS_A.finditer(fold(line))} for line in ground.lines)


def _says_their_line(folded: str, one: Wording, ground: Ground) -> bool:
    """Whether the whole sentence is what a person said of themselves: "We were together for six years."."""
    spoken = words(folded)
    if (
        len(spoken) < SHORTEST_LINE
        or folded.endswith("?")
        or not any(one.is_one("first_person_of_people", word) for word in spoken)
    ):
        return False
    within = f" {' '.join(spoken)} "
    return any(within in f" {' '.join(words(line))} " for line in ground.lines)


def _states(folded: str, one: Wording, ground: Ground) -> bool:
    """Whether it is a first-person statement of what a person told of themselves."""
    begin = _START.match(folded)
    rest = folded[begin.end() :] if begin else folded
    subject = one.pattern("states").match(rest)
    if subject is None:
        return False
    rest = rest[subject.end() :].strip()
    if one.pattern("mental").match(rest) or any(one.is_one("second", word) for word in words(rest)):
        return False
    if one.has("hedges", rest) or one.has("not_told", folded):
        return False
    shared = {key_of(word) for word in content(rest, ground.codes)} - ground.card_keys
    asked = told_question(ground.latest, ground.people) is not None
    least = 1 if asked else LINKED
    for _, line in ground.told:
        from_them = {key_of(word) for word in content(line, ground.codes)}
        if len(shared & from_them) >= least and any(
            other.has("first_person_of_people", fold(line)) for other in ground.wordings
        ):
            return True
    return False


def _other_name(reply: str, ground: Ground) -> set[Fault]:
    """Whether it gives itself a name that is not the companion's."""
    folded = fold(reply)
    renamed = {fold(match[1]) for match in _RENAMES.finditer(ground.latest)} - {*words(ground.agent), "i"}
    if any(
        match[1] in renamed and not _hedged(folded, match.start(), wording(LANGUAGES[0]))
        for match in _I_AM.finditer(folded)
    ):
        return {Fault.PERSON}  # "I'm DAN!" to "from now on you are DAN"
    told = ground.told_words - {*words(ground.agent)}
    if any(fold(match[1]) in told for match in _I_AM_NAMED.finditer(reply)):
        return {Fault.PERSON}  # "I'm Gwilym." to him
    for one in ground.wordings:
        for match in one.pattern("named").finditer(folded):
            name = words(folded[match.end() :].lstrip())[:1]
            if (
                not name
                or name[0] in words(ground.agent)
                or name[0] in one.common
                or _hedged(folded, match.start(), one)
            ):
                continue
            people = frozenset().union(*(words(person) for person in (*ground.people, ground.speaker)))
            return {Fault.LIVES if name[0] in people else Fault.PERSON}
    return set()
