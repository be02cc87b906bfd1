"""What somebody has just told, as they put it right: "oops no, the 9th", "Actually Nixel, not Pixel". Pure.

Only what is plain: a value that is denied by name, or the one number, day or name in place of the one that was told.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice, takewhile

from bot.conversation.checking.language import language_of, likely_language
from bot.conversation.checking.wordings import LANGUAGES, content, fold, key_of, keys_of, sentences, wording
from bot.conversation.phrases import sounding
from bot.conversation.told import GOES_ON, Found, Mended, Told, words_of
from bot.language.patterns import Patterns

LINES_BACK = 3
"""How many of somebody's lines before a correction it may be about."""
_SHORT = 3
"""Letters of a month that may be another word."""

LINES_AFTER = 2
"""How many of somebody's next lines may take one back."""

LONGEST = 12
"""Words of a correction; a longer line tells something new."""

ALIKE = 0.4
"""How much of its letters a name shares with the one that it is mistaken for."""

_READ = Patterns.beside(__file__)
_ARTICLES = _READ.words("articles")
_QUOTING = frozenset("<>\"“„«»'‘")
"""How somebody else's words begin."""

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_INNER = re.compile(r"(?:(?<=[\w,:;*] )|(?<=\*))[A-ZÀ-Þ][\w'’-]+")
_STARRED = re.compile(r"\s{0,9}\*(?=\w)[^*\n]{1,120}$")
"""What may mend a word: "*moss green i mean"; not "*hugs*"."""
_ALONE = re.compile(r"[^\w*]{0,9}([A-ZÀ-Þ][\w'’-]{1,40})[^\w*]{0,9}")
_GERMAN = _READ.exact("german")
_LAST_PLACE = _READ.exact("last_place")

_CLAUSE = re.compile(r"[^,;:.!?…–—\n]+[,;:.!?…–—\n]*")
_FILLERS = _READ.exact("fillers")
_MORE = _READ.exact("more")
_WHY, _BECAUSE = _READ.exact("why"), _READ.exact("because")
_REPORTED = _READ.exact("reported")
_RECOUNTED, _MEANT, _IS_A = _READ.exact("recounted"), _READ.exact("meant"), _READ.exact("is_a")
_STOPS = frozenset(",.!;:")
"""Behind "no" or "sorry": then it denies nothing by name."""
_NUMBER = _READ.exact("number")


@dataclass(frozen=True, slots=True)
class Righted:
    """What was told, put right."""

    words: str
    value: str
    """The new one, as it stands in `words`."""
    was: str
    """The one that it replaces."""


def put_right(told: Sequence[Told], language: str) -> list[Told]:
    """What was told (oldest first), with the words of what was put right later replaced; corrections stay as well."""
    result, corrections = list(told), set[int]()
    for at, one in enumerate(result):
        if not one.utterance or len(one.words.split()) > LONGEST or not _may_put_right(one.words, language):
            continue
        before = [
            place for place in range(at) if result[place].speaker_id == one.speaker_id and result[place].utterance
        ]
        lately = sorted(before[-LINES_BACK:], key=lambda place: (place not in corrections, place))
        for place in reversed(lately):
            if (found := righted(result[place].words, one.words, language)) is not None:
                put = result[place]
                result[place] = replace(put, words=found.words, mends=_mends(put.mends, found, one.words))
                corrections.add(at)
                for other, trait in enumerate(result):
                    of_it = trait.trait and (trait.speaker_id, trait.time) == (put.speaker_id, put.time)
                    if of_it and (restated := righted(trait.words, one.words, language)) is not None:
                        mends = _mends(trait.mends, restated, one.words)
                        result[other] = replace(trait, words=restated.words, mends=mends)
                break
    return result


def _mends(before: Sequence[Mended], found: Righted, by: str) -> tuple[Mended, ...]:
    """What has been put right of a line by now: a value that was put right twice is the last one."""
    was = next((one.was for one in before if one.now == found.was), found.was)
    rest = tuple(one for one in before if one.now != found.was)
    return rest if was == found.value else (*rest, Mended(was, found.value, by))


@lru_cache(maxsize=4096)
def _may_put_right(line: str, language: str) -> bool:
    """Whether a line denies anything or has a clause that puts right: most have neither, whatever was told before."""
    denying = words_of("denying", language)
    words = (word for text in (line, *sentences(line)) for word in _WORD.findall(text))
    return any(fold(word) in denying for word in words) or bool(_righting(line, language, timed=True))


def as_put_right(told: str, correction: str) -> str:
    """What was told as a line right behind it puts it right; empty unless the line says nothing else.

    For what is stored: "*a Ford, not a Fiat" and "oh no, Ropewalk 41" say a value and nothing more. "Oh no, it's 6",
    "my mum is in York, not Leeds" and "hers is blue, not red" may be about anything. They tell their language.
    """
    said = correction.strip()
    emote = said.startswith(("**", "_")) or (said.startswith("*") and "*" in said[1:])
    if emote or "?" in said or said[:1] in _QUOTING or len(said.split()) > LONGEST:
        return ""
    both = f"{told} {correction}"
    language = language_of(both) or likely_language(both) or LANGUAGES[0]
    found = righted(told, correction, language if language in LANGUAGES else LANGUAGES[0])
    if found is None:
        return ""
    once = sum(fold(word) == fold(found.was) for word in _WORD.findall(told)) == 1
    plain = once and "'" not in fold(found.value)
    return found.words if plain and _says_nothing_else(told, correction, found.value, language) else ""


def _says_nothing_else(told: str, correction: str, value: str, language: str) -> bool:
    """Whether each word of a correction is the value, a word of what was told, or one that only puts right."""
    said = sounding("rights", language).sub(" ", _FILLERS.sub("", fold(correction)))
    known = {fold(word) for word in (*_WORD.findall(told), *_WORD.findall(value))} | words_of("denying", language)
    return all(word in known or word in _ARTICLES for word in map(fold, _WORD.findall(said)))


def with_later(found: Found, told: Sequence[Told], language: str) -> Found:
    """What was found, with what they told next where that takes it back and it is not plain for what.

    "I work as a baker" and "well, not anymore. I'm a tram driver" answer together, "got a red jacket" and "no wait,
    it's more of a maroon" too.
    """
    one = found.told
    if not one.utterance or one.mends:
        return found
    for line in islice(_said_next(one, told), LINES_AFTER):
        if _takes_back(line.words, found.words, language):
            return replace(found, words=f"{found.words} … {line.words}", whole=False, later=line.words)
    return found


def with_reason(found: Found, question: str, told: Sequence[Told]) -> Found:
    """What was found, for who asks why with what they told next: "I had to sell it", "the people downstairs …"."""
    one = found.told
    if found.later or not one.utterance or _WHY.search(fold(question)) is None or _BECAUSE.search(fold(one.words)):
        return found
    reason = next(_said_next(one, told), None)
    return found if reason is None else replace(found, words=f"{found.words} … {reason.words}")


def _said_next(one: Told, told: Sequence[Told]) -> Iterator[Told]:
    """The lines by which whoever told something may go on from it. `told`: oldest first."""
    after = (line for line in told[told.index(one) + 1 :] if line.speaker_id == one.speaker_id and line.utterance)
    return takewhile(lambda line: line.time - one.time <= GOES_ON, after)


def _takes_back(line: str, told: str, language: str) -> bool:
    """Whether a line right behind another takes it back: "i mean she is a midwife", "it was 17", "*red i mean"."""
    begins = _FILLERS.sub("", fold(line))
    if _STARRED.match(line) and len(line.split()) <= LONGEST and sounding("rights", language).search(begins):
        return True
    if len(line.split()) > LONGEST or line.rstrip().endswith("?"):
        return False
    if sounding("lapsed", language).match(begins) or (_MEANT.match(begins) and _IS_A.search(fold(told))):
        return True
    counted, before = _RECOUNTED.search(fold(line)), set(_NUMBER.findall(told))
    return counted is not None and len(before) == 1 and counted[1] not in before


def righted(told: str, correction: str, language: str) -> Righted | None:
    """`told` with the value that `correction` gives; None when it is not plain what it replaces."""
    denied = _denied(told, correction, language)
    kinds: Mapping[str, Callable[[str], list[str]]] = {
        "numbers": _NUMBER.findall,
        "number words": lambda text: _listed("numbers", text, language),
        "days": lambda text: _days(text, language),
        "counted": lambda text: _counted(text, language),
        "names": lambda text: _names(text, language, denied=bool(denied)),
    }
    for kind, find in kinds.items():
        old = [word for word in find(told) if not denied or word in denied]
        if kind == "names" and len(set(old)) > 1 and (last := _LAST_PLACE.search(told)) is not None:
            old = [last[1]]
        clauses = _clauses(correction) if denied else _righting(correction, language, timed=kind == "days")
        new = [
            word
            for clause in clauses
            for word in find(clause)
            if word not in denied and (denied or _says_only(clause, word, told, language))
        ]
        if kind == "names" and not denied:
            new = [word for word in new if not _stands_alone(correction, word) or _is_like(old, word)]
        if len(old) > 1 and kind != "names" and not denied:  # "I'm 14 and I ordered 14 chairs"
            continue
        if len(set(old)) == 1 and len(set(new)) == 1 and old[0] != new[0]:
            return Righted(with_value(told, old[0], new[0]), new[0], old[0])
    return _word_for_word(told, correction, language)


def _clauses(text: str) -> list[str]:
    return [match.group().strip() for match in _CLAUSE.finditer(text)]


def _righting(correction: str, language: str, *, timed: bool) -> list[str]:
    """The clauses that put something right, or follow upon one that begins so: "wait i counted wrong. its 4".

    `timed`: those too that tell of a new time: "they called, it's Friday now".
    """
    rights, rearranged = sounding("rights", language), sounding("rearranged", language)
    starred = (correction.lstrip()[:1] == "*") != (correction.rstrip()[-1:] == "*")  # "*Hugs*" mends nothing
    found: list[str] = []
    begun = starred
    for clause in _clauses(correction):
        folded = fold(clause)
        marked = rights.search(folded) or (timed and rearranged.search(folded))
        tells_more = "?" in clause or _MORE.search(folded) or wording(language).has("asks_what", folded)
        if (begun or marked) and not tells_more:
            found.append(clause)
        begun = rights.match(_FILLERS.sub("", folded)) is not None
    return found


def _stands_alone(correction: str, name: str) -> bool:
    """Whether a name is a clause of its own: "oops no. Thandiwe."."""
    return any((found := _ALONE.fullmatch(clause)) is not None and found[1] == name for clause in _clauses(correction))


def _is_like(old: Sequence[str], name: str) -> bool:
    """Whether a name may be one of these, mistaken: Thandiwe for Thandeka, and not "Dinner" for Rex."""
    return any(SequenceMatcher(None, fold(one), fold(name)).ratio() >= ALIKE for one in old)


def _says_only(clause: str, value: str, told: str, language: str) -> bool:
    """Whether a clause says nothing but a value of what was told: "I actually study at UCLA" tells something else."""
    folded = _REPORTED.sub(" ", sounding("rights", language).sub(" ", fold(clause)))
    folded = sounding("rearranged", language).sub(" ", folded)
    own = [word for word in content(folded, (language,)) if word != fold(value)]
    known = keys_of(told)
    one = wording(language)
    return all(
        key_of(word) in known or (one.is_one("neutral", word) and key_of(word) not in one.dear_keys) for word in own
    )


def _names(text: str, language: str, *, denied: bool) -> list[str]:
    """Capitalised words inside a text, or the one that a clause is: "oops no. Thandiwe."."""
    alone = _ALONE.fullmatch(text)
    if alone is not None and content(text, (language,)) and not sounding("rights", language).match(fold(alone[1])):
        return [alone[1]]
    found = (_GERMAN if language == "de" and not denied else _INNER).findall(text)
    return [word for word in found if content(word, (language,))]  # "I'm" is none


def _listed(key: str, text: str, language: str) -> list[str]:
    """The words of `text` that are on one of the language's lists."""
    return [word for word in _WORD.findall(text) if wording(language).is_one(key, fold(word))]


def _days(text: str, language: str) -> list[str]:
    """Days of the week, and months; "may" is a month with a capital alone."""
    return [word for word in _listed("months", text, language) if word[0].isupper() or len(word) > _SHORT]


def _counted(text: str, language: str) -> list[str]:
    """Numbers in digits and in words: "I have 3 nephews", "actually four"."""
    return [*_NUMBER.findall(text), *_listed("numbers", text, language)]


def _word_for_word(told: str, correction: str, language: str) -> Righted | None:
    """The one word that is denied, with the one new word in its place: "the walls are red", "oh no, blue, not red"."""
    rights = sounding("rights", language)
    for sentence in sentences(correction):
        denied = _denied(told, sentence, language, apologies=False)
        if len(denied) != 1 or not ("," in sentence or rights.search(fold(sentence))):
            continue
        known = {fold(word) for word in _WORD.findall(told)} | words_of("denying", language)
        spare = {fold(word) for match in rights.finditer(fold(sentence)) for word in _WORD.findall(match[0])}
        new = [word for word in _WORD.findall(sentence) if content(word) and fold(word) not in known | spare]
        (old,) = denied
        if len(new) == 1:
            return Righted(with_value(told, old, new[0]), new[0], old)
    return None


def _denied(told: str, correction: str, language: str, *, apologies: bool = True) -> frozenset[str]:
    """The words of `told` that the correction names after a "not"; with `apologies` also after a "sorry"."""
    found = [*_WORD.finditer(correction)]
    spoken = [match.group() for match in found]
    alone = {place for place, match in enumerate(found) if correction[match.end() : match.end() + 1] in _STOPS}
    denying = words_of("denying", language)
    if not apologies:
        denying = frozenset(word for word in denying if not sounding("rights", language).fullmatch(word))
    at = [place for place, word in enumerate(map(fold, spoken)) if place not in alone and word in denying]
    after = {fold(word) for place in at for word in spoken[place + 1 : place + 3]}
    again = Counter(map(fold, spoken))
    return frozenset(
        word for word in _WORD.findall(told) if fold(word) in after and again[fold(word)] == 1 and content(word)
    )


def with_value(told: str, old: str, new: str) -> str:
    """The words with one value in the place of another."""
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, told)
