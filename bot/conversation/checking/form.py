"""How a reply is said: nothing, broken, its instructions, another language, or the same again. Pure."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from bot.conversation.checking.asking import told_question
from bot.conversation.checking.ground import Fault, Ground
from bot.conversation.checking.language import foreign_letters, language_of, speaks_against
from bot.conversation.checking.naming import names_dear
from bot.conversation.checking.wordings import Wording, any_has, content, every, fold, key_of, sentences, words

SHINGLE = 7
"""Words in a row that reply and instructions share: so many are recited."""
LOOP_WORDS = 5
"""Words of a sentence from which its coming back is a repetition; shorter ones may be said twice."""
ALIKE = 0.8
"""Share of word pairs in common from which two replies are the same."""
ECHO = 0.85
"""Share of a reply's words that are the person's, in their order, from which it is an echo."""
STUTTER = 5
"""Times that a word is said in a row."""
LOOPING, LOOPING_SHARE = 12, 0.6
"""Groups of three words, and the share of different ones below which a reply goes in circles."""
FOREIGN_LETTERS = 2
"""Letters of a script that the person does not write."""
FOREIGN_SENTENCE = 6
"""Words of a sentence from which its language counts for itself."""

WHOLE_SENTENCE = 4
"""Words of a sentence of the instructions that is recited as a whole."""

_TITLE = re.compile(r"(?<![\w'’])[A-ZÀ-Þ][a-zß-ÿ]{2,}(?!\w)")
_INNER = re.compile(r"(?<=[\w,:;] )[A-ZÀ-Þ][a-zß-ÿ]+")
_AGE = re.compile(r"(?<![\d.,:])\d{1,3}(?![\d.,:]*\d)")
_TAG = re.compile(
    r"<\|?[A-Za-z_/|][A-Za-z _/|-]{1,40}\|?>|\[/?(?:memory|about|note|notes|inst|user|response)\b[^\]]{0,60}\]|^#{2,}\s"
    r"|^\W{0,3}(?:user|human|assistant|system|response|reply|answer)\W{0,2}:",
    re.IGNORECASE | re.MULTILINE,
)
_BROKEN = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f\ufffd\ud800-\udfff]|```|\bdef \w+\(|\bprint\(|</?(?:p|div|br|html|body|span)\b"
    r"|\{\s?\"\w+\":|(?i:([^\Wha_\d])\1{9,})|\w{36,}"
)
_SIGN = re.compile(r"[^\s\W_]|[\u2190-\u2bff\u3000-\u303f\U0001f000-\U0001faff]")


def form_faults(reply: str, ground: Ground) -> set[Fault]:
    """EMPTY, GARBLED, RECITES, LANGUAGE and AGAIN, where `reply` bears them."""
    if not _SIGN.search(reply):
        return {Fault.EMPTY}
    found = {Fault.GARBLED} if _garbled(reply) else set()
    if _recites(reply, ground):
        found.add(Fault.RECITES)
    if _foreign(reply, ground):
        found.add(Fault.LANGUAGE)
    if _again(reply, ground) or _echo(reply, ground) or _asks_back(reply, ground):
        found.add(Fault.AGAIN)
    return found


def _garbled(reply: str) -> bool:
    if _BROKEN.search(reply):
        return True
    spoken = words(reply)
    rows = (spoken[at : at + STUTTER] for at in range(len(spoken) - STUTTER + 1))
    if any(row == (row[0],) * STUTTER and not _laughs(row[0]) for row in rows):
        return True
    triples = list(zip(spoken, spoken[1:], spoken[2:], strict=False))
    return len(triples) > LOOPING and len(set(triples)) < LOOPING_SHARE * len(triples)


def _laughs(word: str) -> bool:
    return len(set(word)) <= 2  # noqa: PLR2004  # "haha", "no"


def _recites(reply: str, ground: Ground) -> bool:
    if _TAG.search(reply) or any_has("recites", fold(reply), ground.wordings) or _shown_name(reply, ground):
        return True
    if any(_retells(one, fold(ground.speaker)).search(fold(reply)) for one in ground.wordings):
        return True
    spoken, shown = words(reply), _shown(ground.instructions)
    shingles = (spoken[at : at + SHINGLE] for at in range(len(spoken) - SHINGLE + 1))
    wholes = (words(one) for one in sentences(reply))
    recited = [one for one in shingles if one in shown.shingles] + [one for one in wholes if one in shown.sentences]
    own = ({key_of(word) for word in content(" ".join(one), ground.codes)} for one in recited)
    return any(len(keys - ground.told_keys - ground.card_keys) > 1 for keys in own)


@lru_cache(maxsize=64)
def _retells(one: Wording, speaker: str) -> re.Pattern[str]:
    """How a note begins that is read aloud to the one it is about: "Ann told you"."""
    return one.compiled("<retells>", {"who": re.escape(speaker)})


def _shown_name(reply: str, ground: Ground) -> bool:
    """Whether it has a name of the examples that nobody said: "your aunt Rosa"."""
    names = _shown(ground.instructions).names
    if not names or ground.language == "de":  # its nouns look like names
        return False
    known = ground.told_words | frozenset().union(*(words(text) for text in ground.card))
    return any(match.group() in names and fold(match.group()) not in known for match in _TITLE.finditer(reply))


@dataclass(frozen=True, slots=True)
class _Shown:
    """The instructions and examples of a prompt as they are looked for in replies."""

    shingles: frozenset[tuple[str, ...]]
    sentences: frozenset[tuple[str, ...]]
    names: frozenset[str]


@lru_cache(maxsize=64)
def _shown(instructions: tuple[str, ...]) -> _Shown:
    lines = [line for text in instructions for line in text.splitlines()]
    spoken = [words(line) for line in lines]
    parts = [part for line in lines for part in sentences(line)]
    inner = [match.group() for part in parts for match in _TITLE.finditer(part) if match.start() > 0]
    dates = [name for name in inner if any(one.is_one("months", fold(name)) for one in every())]
    return _Shown(
        frozenset(line[at : at + SHINGLE] for line in spoken for at in range(len(line) - SHINGLE + 1)),
        frozenset(words(part) for part in parts if len(words(part)) >= WHOLE_SENTENCE),
        frozenset(inner).difference(dates),
    )


def _foreign(reply: str, ground: Ground) -> bool:
    said = "\n".join(ground.lines)
    if foreign_letters(reply) >= FOREIGN_LETTERS and foreign_letters(reply) > foreign_letters(said):
        return True
    if ground.language is None or any_has("languages", fold(said), ground.wordings):
        return False
    if speaks_against(reply, ground.language):
        return True
    parts = [reply, *(part for part in sentences(reply) if len(part.split()) >= FOREIGN_SENTENCE)]
    return any((language_of(part) or ground.language) != ground.language for part in parts)


def _again(reply: str, ground: Ground) -> bool:
    spoken = words(reply)
    if _asked_before(ground):
        return False
    question = told_question(ground.latest, ground.names)
    subjects = {key_of(word) for word in question.subjects} if question else set()
    for earlier in ground.said:
        before = words(earlier)
        if len(spoken) > 2 and spoken == before and not _is_courtesy(reply, ground):  # noqa: PLR2004
            return not subjects & set(map(key_of, spoken))
        pairs, others = set(pairwise(spoken)), set(pairwise(before))
        alike = len(pairs & others) >= ALIKE * max(len(pairs), len(others))
        if len(pairs) >= LOOP_WORDS and alike and _numbers(spoken) == _numbers(before):
            return not subjects & set(map(key_of, spoken))
    known = {words(one) for earlier in ground.said for one in sentences(earlier)}
    return any(
        len(words(one)) >= LOOP_WORDS and words(one) in known and not subjects & set(map(key_of, words(one)))
        for one in sentences(reply)
    )


def _numbers(spoken: tuple[str, ...]) -> list[str]:
    """The words with digits: what differs in them says something else."""
    return [word for word in spoken if any(char.isdigit() for char in word)]


def _asked_before(ground: Ground) -> bool:
    """Whether the same thing was asked or said before: it may be answered in the same words."""
    return sum(fold(text) == ground.folded for _, text in ground.told) > 1


def _is_courtesy(reply: str, ground: Ground) -> bool:
    return any(one.pattern("thanks").match(fold(reply)) for one in ground.wordings)


def _echo(reply: str, ground: Ground) -> bool:
    """Whether the reply is what was just said, with "you" for "I", and no more."""
    mine, theirs = _neutral(reply, ground), _neutral(ground.latest, ground)
    if len(mine) < 3 or _is_courtesy(reply, ground) or len(theirs) > 4 * len(mine):  # noqa: PLR2004
        return False
    if ground.latest.rstrip().endswith("?") != reply.rstrip().endswith("?"):
        return mine == theirs
    same = sum(block.size for block in SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks())
    return same >= ECHO * len(mine)


def _asks_back(reply: str, ground: Ground) -> bool:
    """Whether it asks for what was just told: a name, an age, (a small model) a number; or for a speaker's name."""
    latest, folded = ground.latest, fold(reply)
    if any(one.has("back_own_name", folded) for one in ground.wordings) and not _asks_for_a_name(ground):
        return True
    if latest.rstrip().endswith("?"):
        return False
    for one in ground.wordings:
        dear = one.code != "de" and any(key in one.dear_keys for key in map(key_of, words(latest)))
        named = _INNER.search(latest) is not None and (dear or one.has("naming", ground.folded))
        named = named or (one.code == "en" and names_dear(latest))
        if (named and one.has("back_name", folded)) or (_AGE.search(latest) and one.has("back_age", folded)):
            return True
        if ground.strict and _counts_again(folded, ground, one):
            return True
    return False


def _counts_again(folded: str, ground: Ground, one: Wording) -> bool:
    """Whether it asks how many there are of what the person has just counted."""
    if not any(char.isdigit() for char in ground.folded) and not one.has("numbers", ground.folded):
        return False
    behind = (words(folded[match.end() :])[:1] for match in one.pattern("back_number").finditer(folded))
    told = {key_of(word) for word in words(ground.latest)}
    return any(key_of(word) in told for following in behind for word in following)


def _asks_for_a_name(ground: Ground) -> bool:
    """Whether the person asks for a name themselves: then the reply may ask for theirs."""
    return any(one.has("naming", ground.folded) or one.has("back_own_name", ground.folded) for one in ground.wordings)


def _neutral(text: str, ground: Ground) -> list[str]:
    """The words, with one sign for all that tell who ("I", "me", "your")."""
    who = [(one.pattern("first_person_of_people"), one.pattern("second")) for one in ground.wordings]
    return [
        "·" if any(first.fullmatch(word) or second.fullmatch(word) for first, second in who) else key_of(word)
        for word in words(text)[:60]
    ]
