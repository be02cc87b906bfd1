"""Signs that somebody is in danger, and of being under age, in what a person writes: rules and a small net. Pure.

Sixteen languages, each with patterns of its own (`bot/conversation/crisis/patterns/`). Recall comes first: what is
doubtful counts. A text is spelt in one way and looked at sentence by sentence. What takes a sign back is weighed
where it stands:

- an idiom ("dying of laughter") is taken out before anything is looked for;
- what is denied right before ("I don't want to …") does not count, nor what a quotation in a sentence on a song says;
- what is over ("years ago") does not count, unless it is back;
- laughter, a game or a story takes back a hint, laughter and games not when it is "no joke"; what is said plainly of
  oneself is taken back only by a story in the same clause;
- what is said of a third person is taken back by a story anywhere in the message;
- where every sentence is, as a whole, an ordinary one that the net is known to mistake, the net is not asked.

Whose danger it is decides which kind text is the answer. Only what is plainly somebody else's counts as theirs
(`Worry` in `crisis/wording.py`): when in doubt it is the writer's.

Three answers: a plain rule is *sure*; a hint, or a small trained net (`bot/conversation/danger_net.py`) that listens
for what is said without any of the rules' words, is *unsure*; else there is none. The net alone is never sure, since
ordinary talk is a thousand times more frequent than danger. Where the rules found something and took it back, it must
be surer. Without its weights (a damaged installation, logged once) the rules decide alone.

A second look (`may_be_danger`) is more sensitive: what it finds is answered as always, but nothing is derived from it.
What was stored before this look existed is reviewed by it, once (`crisis/look.py`, `bot/memory/safety_review.py`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import structlog

from bot.conversation.crisis.folding import LONGEST, folded, plain
from bot.conversation.crisis.wording import LANGUAGES, Danger, Rule, Weight, Wording, wordings
from bot.conversation.danger_net import DangerNet, read_weights
from bot.conversation.lately import once_lately
from bot.errors import ModelUnavailable
from bot.language.attachments import without_marks
from bot.language.languages import is_english, latin_language
from bot.language.languages import words as words_of

_log = structlog.get_logger(__name__)

WORDINGS = tuple(wordings().values())
ENGLISH, HINDI = wordings()["en"], wordings()["hi"]

_NOTHING = re.compile(r"(?!)")
_SCRIPTS = (
    ("ja", re.compile("[ぁ-ヺ]"), _NOTHING),
    ("ko", re.compile("[가-힣ㄱ-ㅎ]"), _NOTHING),
    ("zh", re.compile("[一-鿿]"), re.compile("[ぁ-ヺ]")),
    ("hi", re.compile("[ऀ-ॿ]"), _NOTHING),
    ("ar", re.compile("[؀-ۿ]"), _NOTHING),
    ("ru", re.compile("[а-яА-Я]"), re.compile("[іїєґІЇЄҐ]")),
    ("uk", re.compile("[а-яіїєґА-ЯІЇЄҐ]"), re.compile("[ыэъЫЭЪ]")),
)
"""Languages of other scripts: what they have and what they never have."""

_LATIN = tuple(wording for wording in WORDINGS if wording.gate or wording is ENGLISH)

SCORES = {Weight.ACUTE: 0.9, Weight.TOLD: 0.8, Weight.HINT: 0.6}
NEAR = 60
"""Characters around a hint within which a game or a story takes it back."""

END = 2_000
"""Characters at the beginning and at the end of a message that are looked at; platforms allow hardly more."""

NET = "net"
"""The reason of what the net alone has heard."""
HEARD = 0.5
"""The score of what the net alone has heard: less than any rule's."""

MORE = 0.05
"""What each further reason adds."""
MOST = 0.99

_SENTENCE = re.compile(r"[.!?…。！？؟;；।\n]+")
_QUOTED = re.compile(r"[\"“„«「『]([^\"“”„«»「」『』]{2,300})[\"”“»」』]|(?<!\w)'([^']{4,300})'(?!\w)")
_CITED = re.compile(r"^[^\S\n]*>.*$", re.MULTILINE)
_NOT_WORDS = re.compile(r"[^\w\u0900-\u0963\u0966-\u097f,😂🤣💀😆😹😅]+")
_COMMAS = re.compile(r" ?[,،、，]+ ?")
_LAUGHTER = re.compile(
    r"[😂🤣😆😹😅]|ㅋ|\b(?:lol|lmao|lmfao|rofl|xd|jk|mdr|ptdr|(?:haha|hehe|jaja|ahah|ахах|хаха)\w*)\b"
)
_AGE = re.compile(r"\d{1,2}")
ADULT = 18


@dataclass(frozen=True, slots=True)
class Sign:
    """Danger that a text speaks of."""

    danger: Danger
    score: float
    """In (0, 1]: how plainly it is said. A weight, not a probability."""
    reasons: tuple[str, ...]
    """Names of rules, such as "de.intent"; no words of people."""
    of_another: bool = False
    """Whether it is plainly somebody else who may harm themselves, and the writer worries about them."""
    sure: bool = False
    """Whether a rule says so plainly. A hint or the net alone may be ordinary talk."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Words in which the second look finds something and no rule a sign: what the voice may be asked about."""

    words: str
    """Those in which most is heard."""
    margin: float
    """The net's logit above the one from which danger counts."""
    others: bool
    """Whether the net hears danger to others."""


@dataclass(frozen=True, slots=True)
class _Hit:
    wording: Wording
    rule: Rule
    taken_back: bool

    @property
    def reason(self) -> str:
        return f"{self.wording.code}.{self.rule.name}"


def danger_in(text: str) -> Sign | None:
    """What danger to oneself or to others the text speaks of; None when it speaks of none. Never raises."""
    sign, doubted = sign_by_rules(text)
    return sign if sign is not None else _sign_by_net(text, doubted)


def may_be_danger(text: str) -> bool:
    """Whether the text may speak of danger: nothing is derived from it, though it may well be ordinary talk.

    Also where a rule found something and took it back, and from a lower threshold of the net's. Never raises.
    """
    sign, doubted = sign_by_rules(text)
    if sign is not None or doubted:
        return True
    net, said = _net(), _said(text)
    if net is None or net.hear(said).danger < net.least(english=is_english(said)) - net.wider:
        return False
    return not _is_ordinary(text)


def doubt_in(text: str) -> Doubt | None:
    """What a second opinion may be asked about; None where the rules have a sign, or nothing is found. Never raises."""
    sign, doubted = sign_by_rules(text)
    net, said = _net(), _said(text)
    if sign is not None or net is None:
        return None
    heard, english = net.hear(said), is_english(said)
    if (heard.danger < net.least(english=english) - net.wider and not doubted) or _is_ordinary(text):
        return None
    least = net.least(english=english, doubted=doubted or _has_idiom(text))
    return Doubt(net.loudest(said), heard.danger - least, heard.others > 0)


@once_lately
def sign_by_rules(text: str) -> tuple[Sign | None, bool]:
    """What the rules alone find, and whether they found anything that they took back. Never raises."""
    hits = list(_hits(text))
    meant = [hit for hit in hits if not hit.taken_back]
    if not meant:
        return None, bool(hits)
    worst = max(meant, key=_gravity)
    reasons = tuple(dict.fromkeys(hit.reason for hit in meant if hit.rule.danger is worst.rule.danger))
    score = min(SCORES[worst.rule.weight] + MORE * (len(reasons) - 1), MOST)
    of_another = worst.rule.danger is Danger.SELF and _is_anothers(text)
    sure = worst.rule.weight is not Weight.HINT
    return Sign(worst.rule.danger, round(score, 2), reasons, of_another, sure), len(meant) < len(hits)


def _sign_by_net(text: str, doubted: bool) -> Sign | None:
    net = _net()
    if net is None:
        return None
    said = _said(text)
    heard = net.hear(said)
    if heard.danger < min(net.threshold, net.elsewhere):
        return None
    if heard.danger < net.least(english=is_english(said), doubted=doubted or _has_idiom(text)) or _is_ordinary(text):
        return None
    return Sign(Danger.OTHERS if heard.others > 0 else Danger.SELF, HEARD, (NET,))


def _is_anothers(text: str) -> bool:
    """Whether all danger in a text is plainly said of others, and nothing draws the writer in."""
    whole = folded(_said(text))
    candidates = _candidates(whole)
    message, rest, found = _words(whole), [], False
    for sentence in map(_words, _SENTENCE.split(whole)):
        left = sentence
        for wording in candidates:
            left, times = wording.worry.another.subn(" ~ ", left)
            found = found or times > 0
        rest.append(left)
    if not found or any(one.worry.too.search(message) for one in candidates if _may_be(f" {message} ", one)):
        return False
    return not any(_is_of_writer(hit.rule) for hit in _hits("\n".join(rest)))


def _is_of_writer(rule: Rule) -> bool:
    """Whether a rule speaks of danger to whoever writes, even where something takes it back."""
    return rule.danger is Danger.SELF and rule.name != "friend"


def _has_idiom(text: str) -> bool:
    words = _words(folded(_said(text)))
    return any(wording.idioms.search(words) for wording in _candidates(words) if _may_be(f" {words} ", wording))


def _is_ordinary(text: str) -> bool:
    """Whether every sentence is one that the net is known to mistake."""
    whole = folded(_said(text))
    candidates, sentences = _candidates(whole), sentences_of(whole)
    return bool(sentences) and all(
        any(wording.ordinary.fullmatch(sentence) for wording in candidates) for sentence in sentences
    )


@cache
def _net() -> DangerNet | None:
    """The shipped net, loaded once. None, and an error in the log, when its file is missing or damaged."""
    try:
        return read_weights()
    except ModelUnavailable as error:
        _log.error("danger is recognised by rules alone", error=str(error))
        return None


def _gravity(hit: _Hit) -> tuple[float, bool]:
    """The plainest sign is the worst; then danger to oneself, except for a mere knife, which tells little of whom."""
    return SCORES[hit.rule.weight], hit.rule.danger is Danger.OTHERS or hit.rule.name not in {"means", "plan"}


def says_minor(text: str) -> bool:
    """Whether the writer says of themselves, of now, that they are under 18. Rather misses it than guesses.

    What they cite, quote or forward is somebody else's.
    """
    whole = plain(_QUOTED.sub(" ", _CITED.sub(" ", without_marks(text[:LONGEST]))))
    candidates = _candidates(whole)
    return any(
        wording.minor.search(sentence) or any(_under_age(found) for found in wording.ages.finditer(sentence))
        for sentence in map(_words, _SENTENCE.split(whole))
        for wording in candidates
    )


def language_of(text: str) -> str:
    """The code of the language of a text: of its danger, by its script, or by its small words; "en" when unsure."""
    codes = [hit.wording.code for hit in _hits(text) if not hit.taken_back]
    if codes:
        return max(dict.fromkeys(codes), key=codes.count)
    by_script = next((wording.code for wording in _by_script(text)), None)
    return by_script or _latin(text)


def _latin(text: str) -> str:
    """The language of a text in Latin letters by its small words; "en" when unsure, or when it is none of ours."""
    code = latin_language(words_of(_said(text)))
    return code if code in LANGUAGES else ENGLISH.code


def _hits(text: str) -> Iterator[_Hit]:
    """What the rules find, a rule once a sentence, with whether something takes it back."""
    whole = folded(_said(text))
    sentences = [(sentence, f" {_words(sentence)} ") for sentence in _SENTENCE.split(whole) if sentence.strip()]
    message = _words(whole)
    for wording in _candidates(whole):
        for sentence, words in sentences:
            if _may_be(words, wording):
                yield from _hits_in(sentence, message, wording)


def _said(text: str) -> str:
    """What is looked at of a message: both its ends, without lines that cite somebody."""
    ends = text if len(text) <= 2 * END else f"{text[:END]}\n{text[-END:]}"
    return _CITED.sub(" ", ends)


def _candidates(whole: str) -> list[Wording]:
    """The languages that a text can be in by its script; those in Latin letters always."""
    return [*_LATIN, *(() if whole.isascii() else (one for one in _by_script(whole) if one is not HINDI))]


def _by_script(whole: str) -> Iterator[Wording]:
    for code, has, never in _SCRIPTS:
        if has.search(whole) and not never.search(whole):
            yield wordings()[code]


def _may_be(words: str, wording: Wording) -> bool:
    return not wording.gate or any(word in words for word in wording.gate)


def _hits_in(sentence: str, message: str, wording: Wording) -> Iterator[_Hit]:
    words = _words(_without_citations(sentence, wording))
    rules = [rule for rule in wording.rules if rule.pattern.search(words)]
    if not rules:
        return
    said = wording.idioms.sub(" ~ ", words)
    for rule in rules:
        meant = any(
            not _taken_back(rule, said, words, message, found, wording) for found in rule.pattern.finditer(said)
        )
        yield _Hit(wording, rule, taken_back=not meant)


def _taken_back(rule: Rule, said: str, words: str, message: str, found: re.Match[str], wording: Wording) -> bool:
    """Whether something near what was found says that it is not meant, or not of now."""
    if wording.negation.search(said, max(0, found.start() - 60), found.start()):
        return True
    if wording.past.search(words) and not wording.present.search(words):
        return True
    if rule.weight is Weight.ACUTE:
        return wording.story.search(_clause(said, found, wording)) is not None
    if rule.weight is Weight.TOLD:
        return wording.story.search(message) is not None
    near = said[max(0, found.start() - NEAR) : found.end() + NEAR]
    if wording.story.search(near):
        return True
    plays = wording.play.search(near) or _LAUGHTER.search(message)
    return plays is not None and not wording.earnest.search(message)


def _clause(said: str, found: re.Match[str], wording: Wording) -> str:
    """The part of a sentence around what was found, between commas and conjunctions."""
    ends = [(0, 0), *((cut.start(), cut.end()) for cut in re.finditer(",", said))]
    ends += [(cut.start(), cut.end()) for cut in wording.parts.finditer(said)]
    begin = max((end for _, end in ends if end <= found.start()), default=0)
    finish = min((start for start, _ in ends if start >= found.end()), default=len(said))
    return said[begin:finish]


def _without_citations(sentence: str, wording: Wording) -> str:
    """A sentence on a song or a film without what it quotes."""
    if not _QUOTED.search(sentence):
        return sentence
    bare = _QUOTED.sub(" ", sentence)
    return bare if wording.story.search(_words(bare)) else sentence


def sentences_of(whole: str) -> list[str]:
    """The sentences of a folded text, each as patterns are compared with it."""
    return [_words(sentence) for sentence in _SENTENCE.split(whole) if sentence.strip()]


def _words(text: str) -> str:
    """Words parted by one space, commas kept as words of their own, apostrophes left out."""
    return _COMMAS.sub(" , ", _NOT_WORDS.sub(" ", text.replace("'", ""))).strip()


def _under_age(found: re.Match[str]) -> bool:
    ages = [value for name, value in found.groupdict().items() if name.startswith("age") and value]
    return bool(ages) and all(not _AGE.fullmatch(age) or int(age) < ADULT for age in ages)
