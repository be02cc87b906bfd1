"""By which names people call themselves, in English, and those who are dear to them. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence

from bot.conversation.checking.wordings import bare, content, wording, words

_NAMED = re.compile(
    r"(?:(?:^|[.!,] )(?i:my name(?:['’]s| is)|(?:just |you can )?call me)|^(?i:i['’]?m called|myself)"
    r"|^(?i:(?:(?:hi|hey|hello|good \w+)[.,!]* )?name(?:['’]s| is)))"
    r" (?P<name>[A-ZÀ-Þ][^\W\d_]{1,19})(?=[.,!]|$| and | from | here\b)"
)
_SMALL = re.compile(r"^(?i:hi,? |hey,? |hello,? )?my name(?:['’]s| is) (?P<name>[^\W\d_]{2,12})\W*$")
"""Without a capital letter it has to be all that is said."""
_WHOLE = r"[A-ZÀ-Þ][a-zà-ÿ]{1,19}(?: [A-ZÀ-Þ][a-zà-ÿ]{1,19})?"
_IS = re.compile(
    r"^(?:[Hh](?:i|iya|ello|ey)(?: [A-Z]\w+)?[,!.]? (?:I['’]?m|I am) (?P<name>[A-ZÀ-Þ][a-zà-ÿ]{1,19})(?=[.,!]|$)"
    rf"|(?:[Oo]k(?:ay)?,? )?(?:I['’]?m|I am) (?P<from>{_WHOLE})(?= from | here\b|, \d\d\b| by the way\b|\. I\b))"
    rf"|^(?:[Hh](?:i|iya|ello|ey)|[Gg]ood \w+)\b.*[.!?,] (?:I['’]?m|I am) (?P<last>[A-ZÀ-Þ][a-zà-ÿ]{{1,19}})[.!]?$"
    rf"|(?:^|[.!,] )(?P<first>{_WHOLE})(?: is my name\b(?! for\b)| here(?=[.,!]|$))"
)
"""Weaker: behind a greeting, or before where they are from, or the like; "I'm Irish" is no name."""
_OF_A_PEOPLE = re.compile(
    r"irish|english|scottish|british|welsh|spanish|polish|turkish|finnish|swedish|danish|jewish|kurdish|flemish|cornish"
    r"|\w{2,12}ese|french|dutch|czech|greek|swiss|catholic|islamic|arabic|muslim|hindu|buddhist|atheist|protestant|mormon"
    r"|(?!florian|gillian|lillian|sebastian)\w{4,12}ian|(?:ind|syr|as)ian"
    r"|(?:americ|mexic|afric|tex|germ|cub|kore|chile|morocc|luther|veg|tibet|hum|rom|puerto ric|afgh)an|roman catholic"
    r"|south african|thai|iraqi|israeli|pakistani|somali|nepali|punjabi|saudi|filipin[oa]|latin[oa]|maori|brit|aussie"
    r"|kiwi|serb|slovak|black|white|brown|virgo|leo|libra|aries|gemini|dr|mr|mrs|ms"
)
"""What "I'm" says of a people, a faith or a sign, or a title: no name."""
_CAPITALISED_TOO = frozenset(
    "quiet raining snowing snow rain same nothing sunny hot cold still just evening morning alone all mum mom dad"
    " retired single divorced married widowed male female home back tired pregnant bored sick ill fine happy sad new"
    " capricorn taurus scorpio cancer pisces aquarius sagittarius jewish hindu sikh gay lesbian straight autistic"
    " unemployed disabled deaf blind queer trans bisexual depressed exhausted starving hungry useless done team"
    " christmas easter thunder coffee lunch dinner monday tuesday wednesday thursday friday saturday sunday".split()
)
"""What people say of themselves, or of where they are, with a capital letter: "Quiet here.", "I'm Retired, 67"."""
_LENIENT = re.compile(
    r"\b(?:i['’]?m|i am|calls? me|called|(?:name|mine)(?:['’]?s| is)) (?P<name>[^\W\d_]{2,20})", re.IGNORECASE
)
"""For names of their own: the more are taken for one, the less is refused."""
_HERE = re.compile(
    r"\b(?i:this is|here is|it['’]?s|it is) (?P<name>[A-ZÀ-Þ][a-zà-ÿ]{1,19})\b"
    r"|\b(?P<here>[A-ZÀ-Þ][a-zà-ÿ]{1,19}) here\b"
)
_ALONE = re.compile(r"^([^\W\d_]{2,20})(?=[.,!]|$)")
_UNKNOWN = re.compile(
    r"\b(?:don['’]?t|do not) know (?:your name|yours|who you are)(?=[.,!?]|$| (?:yet|but|and)\b)", re.IGNORECASE
)
_LOOSELY = re.compile(
    r"\b(?:every(?:one|body)|people|they|friends|folks|all) calls? me \w+"
    r"|^(?:hi\w*|hey|hello|yo)\b[,!. ]*i['’]?m (?!so\b)(?P<word>[^\W\d_]{2,12})(?= but |[.!]?$)"
    r"|^i['’]?m [^\W\d_]{2,12} but (?:every(?:one|body)|people|they|friends|all) calls?\b",
    re.IGNORECASE,
)
"""In these words somebody may have told their name: enough for not calling them by the account's."""
_CALLING = (
    r"(?:^|[,.!?] |\b(?:[Hh]i|[Hh]ello|[Hh]ey|[Bb]ye|[Nn]ight|[Mm]orning|[Ee]vening|this is|[Yy]ou['’]re|[Tt]hanks) )"
)
_CALLS = (
    r"(?i:hi|hello|hey|hiya|oh|bye|thanks|thank you|welcome(?: back)?|(?:good )?(?:morning|afternoon|evening|night)"
    r"|hallo|moin|guten (?:morgen|tag|abend)|gute nacht|tschüss|hola|adiós|buen[ao]s? \w{2,9}|salut|bonjour|bonsoir"
    r"|coucou|bonne nuit|ciao|buongiorno|buonasera|buonanotte|olá|oi|bom dia|boa (?:tarde|noite)|tchau|dag|hoi|doei"
    r"|goede\w{0,2} ?(?:morgen|middag|avond|nacht))"
)
"""How people are called in the seven languages, before a name."""
_OF_NAMES = frozenset(
    "name names namen nombre nom prenom nome naam heisse llamo appelle chiamo chamo heet who wer quien qui chi"
    " quem".split()
)
"""Words of who asks what they are called, folded: then the account's name is an answer."""
_OF_THEM = re.compile(
    r"(?:^|[.!?,] |\band )(?P<name>[A-ZÀ-Þ][\w'-]{1,19}) "
    r"(?:said|says|told|likes?|loves?|lives?|works?|wants?|is an?\b(?! (?:\w{1,20} ){0,2}name\b))\b"
)
_BEGINS = r"(?i:i|i'm|you|you're|that|that's|it|it's|this|what|how|we|so|is|are|do|did|no|yes|good|great|thanks|who)"
"""How a sentence goes on behind the name of who is called."""
_MINE = frozenset({"my", "our"})
_BEING = frozenset({"is", "was", "has", "had"})
_NO_NAMES = frozenset(
    "already always never also just still now only often sometimes usually today food bed house lead leash collar"
    " walker sitter groomer trainer breeder toy toys hair fur poo park shelter school class teacher birthday party"
    " wedding room side name".split()
)
"""What stands behind "my dog" or "my daughter", too."""
_CALLED = re.compile(
    r"\b(?:good (?:night|morning|evening|afternoon)|hello|hi|hey|bye|sleep well|take care|sorry),?"
    r" (?P<name>[A-ZÀ-Þ][a-zà-ÿ]{1,19})\b",
    re.IGNORECASE,
)


def name_said(line: str) -> str:
    """The name by which somebody introduces themselves in a line, with a capital letter; empty where there is none."""
    if match := _NAMED.search(line) or _SMALL.search(line):
        name = match["name"]
    elif match := _IS.search(line):
        name = next(name for name in match.groups() if name)
        first, common = name.lower().split()[0], wording("en").common
        of_a_people = not match["first"] and _OF_A_PEOPLE.fullmatch(name.lower())
        if "?" in line[match.start() :] or first in _CAPITALISED_TOO or first in common or of_a_people:
            return ""
    else:
        return ""
    return name[:1].upper() + name[1:]


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
