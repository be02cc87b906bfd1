"""By which names people call themselves, in English, and those who are dear to them. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from bot.conversation.checking.wordings import bare, content, wording, words
from bot.language.patterns import Patterns

_READ = Patterns.beside(__file__)
_NAMED = _READ.exact("named")
_SMALL = _READ.exact("small")
_IS = _READ.exact("is")
_OF_A_PEOPLE = _READ.exact("of_a_people")
_CAPITALISED_TOO = _READ.words("capitalised_too")
_NAMES_IN_ING = _READ.words("names_in_ing")
_LENIENT = _READ["lenient"]
_HERE = _READ.exact("here")
_ALONE = _READ.exact("alone")
_UNKNOWN = _READ["unknown"]
_LOOSELY = _READ["loosely"]
_CALLING = _READ.written("calling")
_CALLS = _READ.written("calls")
_OF_NAMES = _READ.words("of_names")
_GREETED = _READ.exact("greeted")
_OF_THEM = _READ.exact("of_them")
_BEGINS = _READ.written("begins")
_MINE = _READ.words("mine")
_BEING = _READ.words("being")
_NO_NAMES = _READ.words("no_names")
_CALLED = _READ["called"]


def name_said(line: str) -> str:
    """The name by which somebody introduces themselves in a line, with a capital letter; empty where there is none."""
    if match := _NAMED.search(line) or _SMALL.search(line):
        name = match["name"]
        plural = "names" in match.group()
        if plural and (_ails(name) or name.lower() in wording("en").common):
            return ""
    elif match := _IS.search(line):
        name = next(name for name in match.groups() if name)
        first, common = name.lower().split()[0], wording("en").common
        of_a_people = not match["first"] and _OF_A_PEOPLE.fullmatch(name.lower())
        if "?" in line[match.start() :] or first in _CAPITALISED_TOO or first in common or of_a_people or _ails(name):
            return ""
    else:
        return ""
    return name[:1].upper() + name[1:]


def _ails(word: str) -> bool:
    """Whether it may be how somebody is: "Hi, I'm Overdosing"."""
    return word.lower() in _CAPITALISED_TOO or (word.endswith("ing") and word.lower() not in _NAMES_IN_ING)


def names_dear(text: str) -> bool:
    """Whether a name without a capital stands where names do in English: "my dog biscuit is a beagle"."""
    spoken, one = words(text), wording("en")
    dear = one.compiled("<pet>|<kin>", {})
    return any(
        mine in _MINE
        and dear.fullmatch(whom) is not None
        and content(name, ("en",)) != ()
        and bare(name) not in _NO_NAMES
        and not name.endswith("ly")
        and (follows in _BEING or name.endswith("'s"))
        for mine, whom, name, follows in zip(spoken, spoken[1:], spoken[2:], (*spoken[3:], ""), strict=False)
    )


def called_otherwise(reply: str, speaker: str, lines: Iterable[str]) -> bool:
    """Whether a reply greets somebody by a name that is said in `lines` of another: "Good night, Ruby" to her mother.

    `speaker`: the name of who is answered.
    """
    said = tuple(lines)
    own = {name.lower() for name in (*speaker.split(), *names_of_own(said))}
    called = {match["name"].lower() for match in _CALLED.finditer(reply) if match["name"][0].isupper()}
    return any(re.search(rf"\b{name}\b", line.lower()) for name in called - own for line in said)


def without_account_name(reply: str, speaker: str, lines: Sequence[str]) -> str:
    """The reply without the name of the account where it calls somebody by it who never said it.

    `speaker`: that name; `lines`: theirs. "Hi Robin!" hurts who has just said "im aoife"; "Hi!" nobody.
    """
    own = {word for line in lines for word in words(line)}
    asks = lines and not _OF_NAMES.isdisjoint(words(lines[-1]))
    if not speaker or asks or any(word in own for word in words(speaker)):
        return reply
    parts = (word for word in speaker.split() if word[:1].isupper())
    called = rf"(?:{'|'.join(map(re.escape, dict.fromkeys((speaker, *parts))))})"
    text = re.sub(rf"(?:,|(?<!\w)(?P<call>{_CALLS})) {called}(?=[.!?…]|$)", lambda match: match["call"] or "", reply)
    text = re.sub(rf"(?<!\w)(?P<call>{_CALLS}),? {called}(?=,)", lambda match: match["call"], text)
    text = re.sub(rf"^{called}[,!] (?={_BEGINS}\b)", "", text)
    return text[:1].upper() + text[1:] if text != reply else reply


def tells_of_them(reply: str, speaker: str, lines: Sequence[str]) -> bool:
    """Whether a reply speaks of the person by name as of another one: "Joyce told you that …" to Joyce. English.

    Not of one who has the same name as somebody in `lines`, theirs, in which they do not say who they are.
    """
    own = (name for line in lines for name in name_said(line).split())
    named = {word.lower() for word in (*speaker.split(), *own) if content(word)}
    found = {match["name"].lower() for match in _OF_THEM.finditer(reply)} & named
    return any(not any(_is_of_another(name, line) for line in lines) for name in found)


def _is_of_another(name: str, line: str) -> bool:
    """Whether a line has a name, and not as that of who says it."""
    here = _HERE.search(line)
    own = {name_said(line).lower(), ((here and (here["name"] or here["here"])) or "").lower()}
    return name in words(line) and name not in {word for one in own for word in one.split()}


def misnames(reply: str, speaker: str, agent: str, lines: Sequence[str]) -> bool:
    """Whether somebody told their name in `lines`, and a reply does not know it, or calls them by their account's.

    `speaker`: the name of the account; `agent`: the companion's. English.
    """
    unknown = _UNKNOWN.search(reply) is not None
    parts = [word for word in speaker.split() if word[:1].isupper()]
    called = {word.lower() for word in parts if re.search(rf"{_CALLING}{re.escape(word)}(?=[.,!?]|$)", reply)}
    if not (unknown or called) or not any(name_said(line) or _may_introduce(line) for line in lines):
        return False
    return unknown or not called <= {word.lower() for line in (agent, *lines) for word in words(line)}


def greets_nobody(reply: str, lines: Iterable[str]) -> bool:
    """Whether a reply welcomes by a name that stands in none of `lines`: "Nice to meet you, Imarek!" to Darek."""
    greeted = _GREETED.search(reply)
    return greeted is not None and not set(words(greeted["name"])) <= {word for line in lines for word in words(line)}


def _may_introduce(line: str) -> bool:
    """Whether somebody may tell their name in it: "hiya, im ross", but not "hi, im bored"."""
    match = _LOOSELY.search(line)
    if match is None:
        return False
    word = (match["word"] or "").lower()
    known = wording("en")
    felt = any(known.has(key, f"i'm {word}") for key in ("trouble", "hard", "nice", "pleasant", "sad", "glad"))
    return not (word and (felt or word in _CAPITALISED_TOO or word in known.common or word.endswith(("ed", "ing"))))


def names_of_own(lines: Iterable[str]) -> Iterator[str]:
    """Names by which somebody may have called themselves in `lines`: rather too many than too few."""
    for line in lines:
        here, alone = _HERE.search(line), _ALONE.search(line)
        yield from filter(None, (name_said(line), here and (here["name"] or here["here"]), alone and alone[1]))
        yield from (match["name"] for match in _LENIENT.finditer(line))
