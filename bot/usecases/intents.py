"""Requests in ordinary words, to forget and not to write first: English, German, French and Spanish. Pure.

Precision comes first: a sentence is a request only when all of it is understood as one. "I always forget my keys",
"do not forget my birthday", "forget it" and "forget about him" are none. What is missed can be asked with
`/memory forget`; what is found leads to its preview and to nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from bot.language.timewords import span_of

LAST, EVERYTHING = "last", "everything"
LAST_WISHES = frozenset(
    {LAST, "that", "the last thing i said", "last thing i said", "the last thing", "my last message", "last message"}
    | {"the last message", "das letzte", "meine letzte nachricht", "mon dernier message", "mi último mensaje"}
)
"""What `/memory forget` takes for the last thing that was said, in lower case."""
ALL_WISHES = frozenset(
    {EVERYTHING, "all", "all of it", "it all", "everything about me", "everything you know about me"}
    | {"all you know about me", "everything i said", "alles", "tout", "todo"}
)
"""What `/memory forget` takes for all that is known of somebody, in lower case."""
LONGEST_MESSAGE = 600
LONGEST_WISH = 120

_ANY_DAY = datetime(2026, 6, 17, 12, tzinfo=UTC)
_SENTENCE = re.compile(r"[^.!?\n]+")
_OPENING = (
    r"(?:(?:hey|hi|hello|ok|okay|so|and|also|but|well|oh|actually|sorry|wait|then|just|now|hallo|also|und|aber|ach|"
    r"dann|salut|bonjour|alors|et|mais|hola|vale|y|pero|oye)[ ,]+)*"
)
_CLOSING = (
    r"(?:[ ,]+(?:please|thanks|thank you|pls|now|again|completely|forever|for good|for me|ok|okay|would you|could you|"
    r"can you|will you|from your memory|bitte|danke|wieder|s'il te plaît|s'il vous plaît|stp|svp|merci|por favor|"
    r"gracias))*"
)
_REASON = re.compile(
    r"[,;:–—]\s*(?:it|its|it's|that|that's|because|as|since|i|i'm|we|and|but|so|cause|weil|denn|das|es|ich|und|aber|"
    r"parce|car|c'est|je|et|mais|porque|es|no|y|pero)\b.*",
    re.DOTALL,
)
_TAIL = re.compile(_CLOSING + r"$")

_PLEASE = r"(?:please|pls|kindly|try to)[ ,]+"
_ASKS_EN = (
    rf"(?:(?:{_PLEASE})?(?:(?:can|could|would) you|i(?:'d| would) like you to|i (?:want|need) you to)[ ,]+"
    rf"(?:{_PLEASE})*|(?:{_PLEASE})+)"
)
_ERASE_EN = r"(?:erase|delete|remove|wipe|get rid of)"
_FORGET_EN = rf"(?:forget(?: about)?|unlearn|stop remembering|{_ERASE_EN})"
_TOLD_EN = (
    r"(?:i(?:'ve| have|'d| had)? (?:(?:just|ever|once|already) )?"
    r"(?:told you|said(?: to you)?|mentioned(?: to you)?|shared(?: with you)?|wrote(?: to you)?|written(?: to you)?|"
    r"typed|talked to you|confided))"
)
_THINGS_EN = r"(?:what|everything|anything|all|the (?:things?|stuff|bits?|part|story))(?: that)?"
_OWN_EN = (
    r"my (?:(?:old|new|real|full|first|last|home|work|email|phone|bank|date of) ){0,2}(?:name|surname|nickname|age|"
    r"birthday|birthdate|birth|address|email|e-mail|phone|number|job|employer|workplace|salary|diagnosis|illness|"
    r"medication|password|location|city|town|school|secret|religion|sexuality)"
)
_ABOUT_ME = r"(?:about|on|of) (?:me|my(?:self)?)"
_KNOWN_EN = (
    r"(?:you(?:'ve| have)? (?:know|remember|stored|saved|kept|learnt|learned|got|have)(?: stored| saved| kept)?)"
)

_Rule = tuple[str, str | None]
"""A pattern of a whole sentence, and what it asks for; None: what its group `what` holds."""

_ENGLISH: tuple[_Rule, ...] = (
    (rf"(?:{_ASKS_EN})?{_FORGET_EN} {_THINGS_EN} {_TOLD_EN} (?:about|regarding|concerning) (?P<what>.+)", None),
    (rf"(?:{_ASKS_EN})?{_FORGET_EN} {_THINGS_EN} {_TOLD_EN} (?P<when>.+)", None),
    (rf"(?:{_ASKS_EN})?{_FORGET_EN} (?:everything|all)(?: of)?(?: that)? {_TOLD_EN}", EVERYTHING),
    (rf"(?:{_ASKS_EN})?{_FORGET_EN} what {_TOLD_EN}", LAST),
    (rf"(?:{_ASKS_EN})?(?:forget|erase|delete) (?:that|this)", LAST),
    (
        rf"(?:{_ASKS_EN})?{_FORGET_EN} (?:the|my|that) (?:last|previous) (?:thing|message|bit|one|sentence)"
        rf"(?: (?:that )?(?:{_TOLD_EN}|i sent(?: you)?))?",
        LAST,
    ),
    (rf"(?:{_ASKS_EN})?{_FORGET_EN} (?:that )?{_TOLD_EN} (?:that|this)", LAST),
    (rf"(?:{_ASKS_EN})?(?:forget|unlearn|{_ERASE_EN}) everything", EVERYTHING),
    (rf"(?:{_ASKS_EN}|i want to |i(?:'d| would) like to )?{_FORGET_EN} {_THINGS_EN} {_KNOWN_EN} about me", EVERYTHING),
    (rf"(?:{_ASKS_EN})?{_FORGET_EN} {_THINGS_EN} (?:{_KNOWN_EN} )?{_ABOUT_ME}", EVERYTHING),
    (rf"(?:{_ASKS_EN})?{_ERASE_EN} (?:all )?(?:of )?my (?:data|history|messages|memories|personal data)", EVERYTHING),
    (rf"(?:{_ASKS_EN})?{_ERASE_EN} (?:all )?(?:of )?(?:your|the) memor(?:y|ies) of me", EVERYTHING),
    (
        rf"(?:{_ASKS_EN})?{_FORGET_EN} {_THINGS_EN} (?:{_KNOWN_EN} )?about "
        r"(?P<what>(?:my|our|where i|when i|how i|what i|who i) .+)",
        None,
    ),
    (rf"(?:{_ASKS_EN})?forget (?:that )?{_TOLD_EN} (?:that )?(?P<what>(?:i|my|we|our|i'm|i've|we're) .+)", None),
    (rf"(?:{_ASKS_EN})?(?:forget|{_PLEASE}(?:don't|do not) remember) that (?P<what>(?:i|i'm|i've|my|we|our) .+)", None),
    (rf"{_ASKS_EN}forget (?P<what>{_OWN_EN})", None),
    (rf"(?:{_ASKS_EN})?{_ERASE_EN} (?P<what>{_OWN_EN})", None),
)

_VERB_DE = r"(?:vergiss|vergiß|vergessen sie|lösche?|löschen sie|streiche?)"
_MODAL_DE = r"(?:kannst du|könntest du|können sie|könnten sie|würdest du|würden sie)(?: bitte)?(?: mal)?"
_INFINITIVE_DE = r"(?:vergessen|löschen|streichen)"
_TO_YOU_DE = r"(?:dir |ihnen )?(?:(?:gerade|eben|vorhin|gestern|zuletzt|mal) )?"
_SAID_DE = r"(?:gesagt|erzählt|geschrieben|berichtet) hab(?:e)?"
_WHAT_DE = r"(?:(?:alles|das),? )?was ich"
_OBJECTS_DE: tuple[_Rule, ...] = (
    (rf"{_WHAT_DE} {_TO_YOU_DE}(?:über|von|zu|wegen) (?P<what>.+?) {_SAID_DE}", None),
    (rf"alles,? was ich {_TO_YOU_DE}(?:je(?:mals)? )?{_SAID_DE}", EVERYTHING),
    (rf"(?:das,? )?was ich {_TO_YOU_DE}{_SAID_DE}", LAST),
    (rf"(?:meine letzte nachricht|das letzte,? was ich {_TO_YOU_DE}{_SAID_DE})", LAST),
    (
        r"alles(?:,? was du (?:über|von) mir? (?:weißt|weisst)|,? was du über mich (?:weißt|weisst)| über mich)?",
        EVERYTHING,
    ),
    (r"(?:alle )?meine daten", EVERYTHING),
    (r"alles(?:,? was du)? über (?P<what>(?:mein|meine|meinen|unser|unsere|unseren) .+?)(?: (?:weißt|weisst))?", None),
    (r",? ?dass (?P<what>(?:ich|mein|meine|wir|unser|unsere) .+)", None),
)

_VERB_FR = r"(?:oublie|oubliez|efface|effacez|supprime|supprimez)"
_MODAL_FR = (
    r"(?:(?:est-ce que )?tu (?:peux|pourrais)|peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|vous pouvez)"
    r"(?: (?:s'il te plaît|s'il vous plaît|stp|svp))?"
)
_INFINITIVE_FR = r"(?:oublier|effacer|supprimer)"
_SUBJUNCTIVE_FR = r"(?:je (?:veux|voudrais)|j'aimerais) que tu (?:oublies|effaces|supprimes)"
_SAID_FR = (
    r"que (?:je (?:t'|vous |te )?(?:ai|viens de)|j'ai) ?(?:te |vous )?"
    r"(?:dit|dire|raconté|raconter|écrit|écrire)"
)
_OBJECTS_FR: tuple[_Rule, ...] = (
    (rf"(?:tout )?ce {_SAID_FR} (?:sur|à propos de|au sujet de|concernant|de) (?P<what>.+)", None),
    (rf"tout ce {_SAID_FR}", EVERYTHING),
    (rf"ce {_SAID_FR}", LAST),
    (r"(?:mon dernier message|la dernière chose que j'ai dite)", LAST),
    (r"tout(?: ce que (?:tu sais|vous savez) (?:sur|de) moi| sur moi)?", EVERYTHING),
    (r"(?:toutes )?mes données", EVERYTHING),
    (r"(?:tout )?ce que (?:tu sais|vous savez) (?:sur|de) (?P<what>(?:mon|ma|mes|notre|nos) .+)", None),
    (r"que (?P<what>(?:je |j'|mon |ma |mes |nous ).+)", None),
)

_VERB_ES = r"(?:olvida|olvide|olvídate de|borra|borre|elimina|elimine)"
_MODAL_ES = r"(?:¿? ?(?:puedes|podrías|puede|podría))(?: por favor)?"
_INFINITIVE_ES = r"(?:olvidar|borrar|eliminar)"
_SUBJUNCTIVE_ES = r"(?:quiero|quisiera|me gustaría) que (?:olvides|borres|elimines)"
_SAID_ES = r"lo que (?:te |le )?(?:dije|conté|escribí|he dicho|he contado|acabo de decir(?:te)?|acabo de contar(?:te)?)"
_OBJECTS_ES: tuple[_Rule, ...] = (
    (rf"(?:todo )?{_SAID_ES} (?:sobre|acerca de|de) (?P<what>.+)", None),
    (rf"todo {_SAID_ES}", EVERYTHING),
    (_SAID_ES, LAST),
    (r"(?:mi último mensaje|lo último que (?:te )?(?:dije|he dicho|escribí))", LAST),
    (r"todo(?: lo que (?:sabes|sabe) (?:de|sobre) mí| sobre mí)?", EVERYTHING),
    (r"(?:todos )?mis datos", EVERYTHING),
    (r"(?:todo )?lo que (?:sabes|sabe) (?:de|sobre) (?P<what>(?:mi|mis|nuestro|nuestra) .+)", None),
    (r"que (?P<what>(?:yo |mi |mis |me |soy |tengo |vivo |trabajo |estoy |estuve |he |tuve |fui |nací ).+)", None),
)


def _rules() -> Iterator[tuple[re.Pattern[str], str | None]]:
    """All rules, each of which must match a whole sentence."""
    german = (
        rf"(?:bitte )?{_VERB_DE},?(?: bitte)?,? ?(?:{{0}})",
        rf"(?:bitte )?{_MODAL_DE},? (?:{{0}}),? {_INFINITIVE_DE}",
        rf"(?:bitte )?{_MODAL_DE} {_INFINITIVE_DE},? ?(?:{{0}})",
    )
    french = (
        rf"(?:s'il te plaît,? |s'il vous plaît,? |stp,? |svp,? )?"
        rf"(?:{_VERB_FR}|{_MODAL_FR} {_INFINITIVE_FR}|{_SUBJUNCTIVE_FR})"
        r"(?:,? (?:s'il te plaît|s'il vous plaît|stp|svp),?)? (?:{0})",
    )
    spanish = (
        rf"(?:por favor,? )?(?:{_VERB_ES}|{_MODAL_ES} {_INFINITIVE_ES}|{_SUBJUNCTIVE_ES})(?:,? por favor,?)? (?:{{0}})",
    )
    for pattern, what in _ENGLISH:
        yield _compiled(pattern), what
    for frames, objects in ((german, _OBJECTS_DE), (french, _OBJECTS_FR), (spanish, _OBJECTS_ES)):
        for pattern, what in objects:
            for frame in frames:
                yield _compiled(frame.replace("{0}", pattern)), what


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"{_OPENING}(?:{pattern}){_CLOSING}", re.IGNORECASE)


_RULES = tuple(_rules())


def forget_wish(text: str) -> str | None:
    """What somebody asks to have forgotten, as `/memory forget` takes it: words, a time, "last" or "everything".

    None when no sentence of `text` is such a request, or when that is not sure.
    """
    if len(text) > LONGEST_MESSAGE:
        return None
    for sentence in _SENTENCE.findall(text.replace("’", "'")):
        if (wish := _of_sentence(" ".join(sentence.split()).strip(" ,¿¡"))) is not None:
            return wish
    return None


_HOW_EN = r"(?: (?:first|by yourself|on your own|unasked|out of the blue))?"
_FIRST_EN = rf"(?:write(?: to)?|message|text|contact|dm|ping|bother|pester|nag|spam) me{_HOW_EN}"
_FIRST_ING_EN = (
    r"(?:writing(?: to)?|messaging|texting|contacting|dming|pinging|bothering|pestering|nagging|spamming)"
    rf" me{_HOW_EN}"
)
_CHECKS_EN = r"(?:(?:these|those|the|your|any|any more|more) )?check-?ins"
_SUCH_EN = rf"(?:check (?:in|up) on me|{_FIRST_EN}|send me {_CHECKS_EN})"
_MORE_EN = r"(?:,? (?:any ?more|any longer|again|ever|ever again|all the time|so often|like this|like that))?"
_SELF_DE = r"(?:von dir aus|von selbst|als erste[rs]?|zuerst|ungefragt)"
_SELF_FR = r"(?:en premier|le premier|la première|de toi-même|de ta propre initiative|spontanément)"
_SELF_ES = r"(?:primero|tú primero|por tu cuenta|por iniciativa propia|sin que te escriba)"
_REFUSALS = tuple(
    _compiled(pattern)
    for pattern in (
        rf"(?:{_ASKS_EN})?(?:stop|quit) (?:checking (?:in|up) on me|{_FIRST_ING_EN}|(?:sending me |with )?{_CHECKS_EN})"
        rf"{_MORE_EN}",
        rf"(?:{_PLEASE})?(?:don't|do not|dont|never) {_SUCH_EN}{_MORE_EN}",
        rf"i (?:don't|do not|dont) want (?:you to {_SUCH_EN}|{_CHECKS_EN}|your messages|messages from you){_MORE_EN}",
        r"(?:please )?no (?:more )?(?:check-?ins|messages from you)",
        rf"(?:bitte )?schreibe? mir (?:bitte )?(?:nicht|nie)(?: mehr| (?:mehr )?{_SELF_DE}(?: an)?)",
        rf"(?:bitte )?melde dich (?:bitte )?(?:nicht|nie)(?: mehr)? {_SELF_DE}(?: bei mir)?",
        r"(?:bitte )?melde dich (?:bitte )?(?:nicht|nie) mehr(?: bei mir)?",
        rf"(?:bitte )?höre? (?:bitte )?auf,? (?:mir (?:{_SELF_DE} )?zu schreiben|dich (?:{_SELF_DE} )?(?:bei mir )?zu"
        r" melden)",
        r"(?:bitte )?keine check-?ins(?: mehr)?",
        rf"(?:s'il te plaît,? )?(?:ne )?m'écris (?:plus|(?:plus|pas) {_SELF_FR})",
        rf"(?:s'il te plaît,? )?arrête de (?:m'écrire(?: {_SELF_FR})?|prendre de mes nouvelles)",
        r"(?:s'il te plaît,? )?(?:ne )?prends plus de mes nouvelles",
        r"plus de check-?ins",
        rf"(?:por favor,? )?(?:ya )?no me (?:escribas|contactes)(?: más|(?: más)? {_SELF_ES})",
        rf"(?:por favor,? )?deja de (?:escribirme|contactarme)(?: {_SELF_ES})?",
        r"(?:no más|no quiero(?: más)?) check-?ins",
    )
)
_STOPS = _compiled(
    r"(?:(?:please|pls|no|just|hey)[ ,]+)*"
    r"(?:stop|stop (?:it|this|that|now|asking(?: me)?)|unsubscribe|cancel|enough|no more|leave me alone|go away"
    r"|stopp|hör auf|hör auf damit|lass das|lass mich in ruhe|arrête|arrête ça|laisse-moi tranquille|basta|para|para ya"
    r"|déjame en paz)"
)
"""What, said right below a check-in, is about it; elsewhere it may be about anything."""


def is_checkin_refusal(text: str) -> bool:
    """Whether a sentence of `text` asks the companion not to write to its speaker first; all of it has to say so."""
    return _says(text, _REFUSALS)


def says_stop(text: str) -> bool:
    """Whether a sentence of `text` says "stop", which right below a check-in is such a request, too."""
    return _says(text, (_STOPS,))


def _says(text: str, rules: Sequence[re.Pattern[str]]) -> bool:
    if len(text) > LONGEST_MESSAGE:
        return False
    for sentence in _SENTENCE.findall(text.replace("’", "'")):
        words = " ".join(sentence.split()).strip(" ,¿¡")
        if any(rule.fullmatch(whole) for whole in (words, _REASON.sub("", words)) for rule in rules):
            return True
    return False


def _of_sentence(sentence: str) -> str | None:
    for whole in dict.fromkeys((sentence, _REASON.sub("", sentence))):
        for pattern, fixed in _RULES:
            if (found := pattern.fullmatch(whole)) is None:
                continue
            if fixed is not None:
                return fixed
            if (wish := _named(found)) is not None:
                return wish
    return None


def _named(found: re.Match[str]) -> str | None:
    """The words or the time that a sentence names; None when they are no such thing."""
    groups = found.groupdict()
    if (when := groups.get("when")) is not None:
        when = _tidy(when)
        return when if span_of(when, _ANY_DAY) is not None else None
    what = _tidy(groups.get("what") or "")
    return what if what and len(what) <= LONGEST_WISH and not _is_vague(what) else None


def _tidy(words: str) -> str:
    """Without a reason or a courtesy behind it."""
    words = _REASON.sub("", words)
    end = min((found.start() for found in _TAIL.finditer(words)), default=len(words))
    return words[:end].strip(" ,;:\"'“”")


def _is_vague(what: str) -> bool:
    """Whether it names nothing that could be looked for: "it", "him", "I said anything"."""
    return (
        re.fullmatch(
            r"(?:it|him|her|them|this|that|you|i (?:said|told you|mentioned|wrote) (?:it|that|anything|something))",
            what,
            re.IGNORECASE,
        )
        is not None
    )
