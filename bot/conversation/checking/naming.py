"""By which names people call themselves, in English. Pure."""

import re
from collections.abc import Iterable, Iterator

_NAMED = re.compile(
    r"(?:(?:^|[.!,] )(?:my name(?:['’]s| is)|(?:just |you can )?call me)|^(?:i['’]?m called|myself))"
    r" (?P<name>[^\W\d_]{2,20})(?=[.,!]|$| and | from | here\b)",
    re.IGNORECASE,
)
_IS = re.compile(
    r"^(?:[Hh](?:i|iya|ello|ey)[,!.]? )?(?:I['’]?m|I am) (?P<name>[A-ZÀ-Þ][a-zà-ÿ]{1,19})(?=[.,!]|$| from | here\b)"
)
"""Weaker: "I'm Josh, I stay home" is a name, "I'm Irish" is not."""
_OF_A_PEOPLE = re.compile(
    r"(?:ish|ese|ch|eek|iss|an|ic|im|du|ist|thai|iraqi|israeli|virgo|leo|libra|aries|gemini|taurus)$"
)
_HERE = re.compile(
    r"\b(?:this is|here is|it['’]?s) (?P<name>[A-ZÀ-Þ][a-zà-ÿ]{1,19})\b|\b(?P<here>[A-ZÀ-Þ][a-zà-ÿ]{1,19}) here\b"
)
_ALONE = re.compile(r"^([^\W\d_]{2,20})(?=[.,!]|$)")
_CALLED = re.compile(
    r"\b(?:good (?:night|morning|evening|afternoon)|hello|hi|hey|bye|sleep well|take care),?"
    r" (?P<name>[A-ZÀ-Þ][a-zà-ÿ]{1,19})\b",
    re.IGNORECASE,
)


def name_said(line: str) -> str:
    """The name by which somebody introduces themselves in a line, with a capital letter; empty where there is none."""
    match = _NAMED.search(line) or _IS.search(line)
    if match is None or (match.re is _IS and _OF_A_PEOPLE.search(match["name"].lower())):
        return ""
    return match["name"][:1].upper() + match["name"][1:]


def called_otherwise(reply: str, speaker: str, lines: Iterable[str]) -> bool:
    """Whether a reply greets somebody by a name that is said in `lines` of another: "Good night, Ruby" to her mother.

    `speaker`: the name of who is answered.
    """
    match = _CALLED.search(reply)
    if match is None or not match["name"][0].isupper():
        return False
    said = tuple(lines)
    own = {speaker.split(maxsplit=1)[0].lower() if speaker.split() else "", *(name.lower() for name in _own(said))}
    name = match["name"].lower()
    return name not in own and any(re.search(rf"\b{name}\b", line.lower()) for line in said)


def _own(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        here, alone = _HERE.search(line), _ALONE.search(line)
        yield from filter(None, (name_said(line), here and (here["name"] or here["here"]), alone and alone[1]))
