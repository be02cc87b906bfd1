"""What somebody told, looked up for a question of theirs: their own sentence that answers it best. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache

from bot.conversation.addressing import without_name
from bot.conversation.checking.asking import ToldQuestion, told_question
from bot.conversation.checking.naming import names_dear
from bot.conversation.checking.wordings import bare, every, fold, key_of, sentences, wording, words
from bot.conversation.phrases import ENGLISH, LANGUAGES, phrases_of, sounding
from bot.domain import AGENT_ID, RecalledTrait, Recollection, Session, Utterance
from bot.language.lexicon import says_nothing, stems
from bot.language.patterns import Patterns

LONGEST_WHOLE = 14
"""Words of a sentence up to which it is quoted whole; of a longer one, the clause that answers."""

LONGEST_TOGETHER = 20
"""Words of several sentences up to which they can answer together: "got a cat today!! she's called Momo"."""

GOES_ON = timedelta(minutes=15)
"""Between two lines of which one goes on from the other at most."""

TAKEN_UP, COUNTED, NAMED, WITH, OTHER_DEAR = 0.5, 0.6, 0.6, 0.5, 0.4
"""What a word counts that only the line before has, "old" in the answer to "how old", "called" in that for a name,
"with" in that to "who with", and "daughter" for "son"."""

BEFORE_NAMING = 3
"""Words before "called" among which stands who or what is called so."""

LONGEST_UNMARKED = 8
"""Words of a question without its mark, and without a comma; a longer line may tell something as well."""

NOT_STORED = -1
"""The id of an utterance that has none yet."""

_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]*")
_CALLED = re.compile(r"\b(?:called|named|name is|name's|heißt|heisst|heet|llama|appelle|chiama|chama) (?=[A-ZÀ-Þ])")
_CAPITAL = re.compile(r"(?<=[^.!?…\n] )[A-ZÀ-Þ]\w+")
_READ = Patterns.beside(__file__)
_OF_TIME = _READ.words("of_time")
_HOW_OLD, _OF_AGE = _READ.exact("how_old"), _READ.exact("of_age")
_HOW_MANY, _WHICH_PLACE = _READ.exact("how_many"), _READ.exact("which_place")
_CLAUSE = re.compile(r"[^,;:–—]+")
_GAP = re.compile(r"\s+(?:(?=\s)|(?=[,.!?;:]))")
_WHO = _READ.exact("who")
_WORK = _READ.words("work")
_DENIED = _READ.exact("denied")
_DID_I = _READ.exact("did_i")
_HOW_MANY_TIMES = _READ.exact("how_many_times")
_OF_US = _READ["of_us"]
_OF_YEAR, _YEAR = _READ["of_year"], _READ["year"]


@dataclass(frozen=True, slots=True)
class Mended:
    """A value of something told that was put right."""

    was: str
    now: str
    by: str
    """The line that put it right."""


@dataclass(frozen=True, slots=True)
class Told:
    """One thing that somebody said."""

    speaker_id: str
    words: str
    time: datetime
    fresh: bool
    """Whether it was said in the session that is open."""
    utterance: int = 0
    """Its id; 0 for a trait."""
    trait: int = 0
    """The trait's id; 0 for an utterance."""
    who: str = ""
    """Who said it."""
    mends: tuple[Mended, ...] = ()
    """What of it was put right a moment later, and stands so in `words`."""


@dataclass(frozen=True, slots=True)
class Found:
    """What answers a question best. `words`: their sentence or clause."""

    told: Told
    words: str
    score: float
    whole: bool
    """Whether it has all that was asked for."""
    later: str = ""
    """The line after it that takes it back, and stands at the end of `words`; empty: none does."""


def all_told(session: Session, latest: Utterance, recollection: Recollection, agent_name: str) -> list[Told]:
    """What people said in this session before `latest` and what of theirs was recalled, oldest first; no questions."""
    fresh = [line for line in session.utterances if line.message_id != latest.message_id]
    quoted = [line for fragment in recollection.fragments for line in fragment.lines]
    lines = {line.id: _said(line, fresh=False) for line in quoted}
    lines |= {line.id: _said(line, fresh=True) for line in fresh}
    traits = [_of_trait(item) for item in recollection.traits]
    told = [one for one in (*traits, *lines.values()) if one.speaker_id != AGENT_ID]
    plain = (replace(one, words=_stated(_unaddressed(one.words, agent_name))) for one in told)
    return sorted((one for one in plain if one.words.strip() and not _asks(one.words)), key=lambda one: one.time)


def _stated(words: str) -> str:
    """The words without the sentences that ask: "My flatmate Priya sings at night. How do I tell her?" tells, too."""
    if "?" not in words:
        return words
    return "".join(one for one in sentences(words) if not one.rstrip().endswith("?")).strip()


def _unaddressed(words: str, agent_name: str) -> str:
    """The words without the companion's name, and without the gap that it leaves: "Hi, I am Ann." of "Hi Monica, …"."""
    return _GAP.sub("", without_name(words, agent_name)).lstrip(" ,.:;!-")


def told_now(latest: Utterance) -> Told:
    """What is said just now, as something told."""
    return _said(latest, fresh=True)


def _said(line: Utterance, *, fresh: bool) -> Told:
    number = line.id or NOT_STORED
    return Told(line.speaker.id, line.text, line.time, fresh=fresh, utterance=number, who=line.speaker.name)


def _of_trait(item: RecalledTrait) -> Told:
    trait = item.trait
    return Told(trait.speaker_id, trait.text, trait.since, fresh=False, trait=trait.id)


def _asks(text: str) -> bool:
    """Whether it asks, with a mark, or for what was told without one: "what is my dog called" tells nothing."""
    if text.rstrip().endswith("?"):
        return True
    if "," in text or len(text.split()) > LONGEST_UNMARKED:
        return False
    folded = fold(text)
    return any(one.pattern("asks_what").match(folded) for one in every()) and told_question(text) is not None


def best_told(question: ToldQuestion, told: Sequence[Told], asker: str, language: str) -> Found | None:
    """What answers `question` best, the later one of two as good; None: nothing does by its words.

    Questions about "my" things are answered from the asker's own words alone, others from everybody's.
    """
    everybody = _OF_US.search(question.text) is not None or not asks_of_own(question, language)
    named = _named(question, told)
    best: Found | None = None
    for place, one in enumerate(told):
        if (one.speaker_id != asker and not everybody) or (named and not _concerns(one, named)):
            continue
        about = _taken_up(told, place, question, language)
        for part in _parts(one.words):
            score = _score(question, part, language, one.who, about)
            if score > 0 and (best is None or score >= best.score):
                whole = score >= len(_wanted(question, language))
                named_alone = one.who and not _score(question, part, language, "", about)
                best = Found(one, one.words if named_alone else _answering(question, part, language), score, whole)
    return best


def told_in(one: Told, question: ToldQuestion, language: str) -> Found:
    """What of a line that answers does: the sentence with most words of `question`, the whole where none has any."""
    scored = [(_score(question, part, language), part) for part in _parts(one.words)]
    score, part = max(scored, key=lambda each: each[0], default=(0.0, one.words))
    return Found(one, _answering(question, part, language) if score else one.words, score, whole=True)


def lacks_kind(question: ToldQuestion, sentence: str, language: str) -> bool:
    """Whether a sentence has no number or name where one is asked for: "what did i pay for it", "which town was it"."""
    asked = fold(question.text)
    counting = _HOW_MANY.search(asked) is not None and not _has_number(sentence, language)
    return counting or (_WHICH_PLACE.search(asked) is not None and not _has_name(sentence, language))


def _named(question: ToldQuestion, told: Sequence[Told]) -> frozenset[str]:
    """The folded names of those who told something whom the question names: "Where does Colm live?", "Colms dog?"."""
    asked = {bare(word) for word in words(question.text)}
    return frozenset(name for one in told for name in words(one.who) if not asked.isdisjoint({name, f"{name}s"}))


def _concerns(one: Told, named: frozenset[str]) -> bool:
    """Whether it was said by one of those, or names them: what others told of themselves is no answer."""
    return not named.isdisjoint({bare(word) for word in words(f"{one.who} {one.words}")})


def _taken_up(told: Sequence[Told], place: int, question: ToldQuestion, language: str) -> str:
    """The line before, where this one goes on from it; empty: it does not.

    "She's 5 weeks old" goes on from "The baby is awake", and "mine is white" from what another one told. Of kin and
    animals only "mine" does: "I love him" tells nothing of one's own.
    """
    one = told[place]
    before = next((other for other in reversed(told[:place]) if other.utterance), None)
    if before is None or not one.utterance or one.time - before.time > GOES_ON:
        return ""
    folded = fold(one.words)
    if before.speaker_id == one.speaker_id:
        return before.words if sounding("third", language).match(re.sub(r"^\W+", "", folded)) else ""
    if sounding("mine", language).search(folded):
        return before.words
    known = wording(language)
    dear = any(key_of(word) in known.dear_keys for word in question.subjects)
    return before.words if not dear and known.has("first_person_of_people", folded) else ""


def asks_of_unheard(question: ToldQuestion, told: Sequence[Told], asker: str, language: str) -> bool:
    """Whether it asks of something of which nobody has told a word: what a model would make up.

    That is somebody close or an animal; for who has told nothing yet, also what they did or have. Of "my brother"
    only the asker's own words tell.
    """
    own = asks_of_own(question, language)
    one = wording(language if language in LANGUAGES else ENGLISH)
    dear = [key for key in map(key_of, question.subjects) if key in one.dear_keys]
    heard = {key_of(word) for line in told if not own or line.speaker_id == asker for word in words(line.words)}
    if dear:
        return not any(({key} | one.synonyms[key]) & heard for key in dear)
    nothing = all(says_nothing(line.words) for line in told)
    return own and nothing and _DID_I.search(fold(question.text)) is not None


def asks_of_own(question: ToldQuestion, language: str) -> bool:
    """Whether it asks about something of the asker's."""
    return _has_word_of("own", question.text, language)


def _parts(text: str) -> Iterable[str]:
    """The whole where it is short, and its sentences: of two that answer as well, the later is taken."""
    found = [match.group().strip() for match in _SENTENCE.finditer(text) if match.group().strip()]
    if len(found) > 1 and len(text.split()) <= LONGEST_TOGETHER:
        yield text.strip()
    yield from found


def _score(question: ToldQuestion, sentence: str, language: str, who: str = "", about: str = "") -> float:
    """How many of the question's words the sentence has: whole ones count 1, those of one field a half.

    The name of `who` said it is a word of it, too: "How old is Kim's cat?" is answered by Kim. Words of `about`, which
    it goes on from, count less; so do words like "old" in a question for an age, which a number alone does not answer.
    """
    if _has_word_of("naming", question.text, language) and not _has_name(sentence, language):
        return 0.0
    if _has_word_of("counting", question.text, language) and not _has_number(sentence, language):
        return 0.0
    if _HOW_OLD.search(fold(question.text)) and _OF_AGE.search(fold(sentence)) is None:
        return 0.0
    if _asks_with(question, language) and not _has_word_of("together", sentence, language):
        return 0.0
    having = {bare(word) for word in words(f"{sentence} {who}")} | {*stems(sentence)}
    from_before = {bare(word) for word in words(about)} | {*stems(about)}
    trade = _trade(sentence, language)
    score = WITH * _asks_with(question, language)
    for word in _wanted(question, language):
        if word in having or having.intersection(stems(word)):
            score += 1.0
        elif having.intersection(_kin(word, language)):
            score += 0.5 if not _dear(word, language) or having.isdisjoint(_others_dear(word, language)) else OTHER_DEAR
        elif word in trade or word in from_before or from_before.intersection(stems(word)):
            score += TAKEN_UP
    if score:
        counted = words_of("counting", language).intersection(words(question.text))
        dated = _OF_YEAR.search(fold(question.text)) is not None and _YEAR.search(sentence) is not None
        score += COUNTED * (dated or bool(counted.intersection(words(sentence))))
        score += NAMED * (_has_word_of("naming", question.text, language) and _names(sentence, question, language))
    return score


def _names(sentence: str, question: ToldQuestion, language: str) -> bool:
    """Whether it says what something asked for is called: "my dog is called Rex", and not "my son called me"."""
    found = _CALLED.search(sentence)
    before = [] if found is None else words(sentence[: found.start()])[-BEFORE_NAMING:]
    return not frozenset(_wanted(question, language)).isdisjoint(
        {stem for word in before for stem in (word, *stems(word))}
    )


def _wanted(question: ToldQuestion, language: str) -> tuple[str, ...]:
    """The words that an answer has to be about."""
    asking = asking_words(language)
    if _HOW_MANY_TIMES.search(fold(question.text)):
        asking |= {"times"}
    return tuple(word for word in question.subjects if word not in asking) or question.subjects


def _trade(sentence: str, language: str) -> frozenset[str]:
    """The words for work, where the sentence says what somebody is by trade ("soy panadera"); else none."""
    if sounding("works", language).search(fold(sentence)) is None:
        return frozenset()
    return next((field for field in _fields(language) if not field.isdisjoint(_WORK)), frozenset())


def _asks_with(question: ToldQuestion, language: str) -> bool:
    """Whether it asks with whom: "who am I going with?"."""
    folded = fold(question.text)
    return _WHO.match(folded) is not None and _has_word_of("together", folded, language)


def _has_number(sentence: str, language: str) -> bool:
    spoken = words(sentence)
    return any(char.isdigit() for char in sentence) or any(wording(language).is_one("numbers", word) for word in spoken)


def _has_name(sentence: str, language: str) -> bool:
    """Whether it can tell a name: it says "called", or has a capital inside (German nouns have one, too).

    Also without a capital, in a place where names stand: "my dog biscuit is a beagle".
    """
    if any(_is_name(match, language) for match in _CAPITAL.finditer(sentence)):
        return True
    if not words_of("naming", language).isdisjoint(map(bare, words(sentence))):
        return True
    return language == ENGLISH and names_dear(sentence)


def _is_name(match: re.Match[str], language: str) -> bool:
    """Whether a capitalised word may be a name: a month is none behind "in"."""
    before = words(match.string[: match.start()])[-1:]
    month = wording(language).is_one("months", fold(match.group()))
    return not (month and before and before[0] in _OF_TIME)


def _answering(question: ToldQuestion, sentence: str, language: str) -> str:
    """The sentence, or of a long one the clause that answers: "my cat is called Nixel" of "Sorry, I meant Nixel, …".

    Of "i don't love hiking, i love biking" it is the one that does not deny.
    """
    clauses = [match.group().strip() for match in _CLAUSE.finditer(sentence)]
    if len(clauses) < 2:  # noqa: PLR2004
        return sentence
    counting = _has_word_of("counting", question.text, language)
    if counting and sum(_has_number(clause, language) for clause in clauses) > 1:
        return sentence  # which of the numbers it is, the whole says
    scores = {clause: _score(question, clause, language) for clause in clauses}
    denied = {clause for clause in clauses if _DENIED.search(fold(clause))}
    takes_back = any(scores[one] for one in denied) and any(scores[one] for one in clauses if one not in denied)
    if len(sentence.split()) <= LONGEST_WHOLE and not (takes_back or _has_word_of("denying", sentence, language)):
        return sentence
    return max(clauses, key=lambda clause: (scores[clause], clause not in denied, len(clause)))


@cache
def _fields(language: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(words(line)) for line in phrases_of(language).kindred)


def _kin(word: str, language: str) -> frozenset[str]:
    """The words of the fields that `word` is of. A dog is no cat: of animals, those alone that may be the same one."""
    kin = frozenset().union(*(field for field in _fields(language) if word in field)) - {word}
    if not _is_animal(word, language):
        return kin
    same = wording(language).synonyms[key_of(word)]
    return frozenset(one for one in kin if key_of(one) in same or not _is_animal(one, language))


def _dear(word: str, language: str) -> bool:
    """Whether it is a word for an animal or for kin."""
    return key_of(word) in wording(language).dear_keys


def _others_dear(word: str, language: str) -> frozenset[str]:
    """Words of its fields for other animals or kin: "daughter" for "son"."""
    same = wording(language).synonyms[key_of(word)]
    return frozenset(one for one in _kin(word, language) if _dear(one, language) and key_of(one) not in same)


def _is_animal(word: str, language: str) -> bool:
    """Whether it is a word for a kind of animal; "pet" is one for any."""
    return _dear(word, language) and _animals(language).fullmatch(word) is not None


@cache
def _animals(language: str) -> re.Pattern[str]:
    return wording(language).compiled("<pet>", {})


def asking_words(language: str) -> frozenset[str]:
    """Words that only say what is asked for, a name or a number: they find nothing by themselves."""
    return words_of("naming", language) | words_of("counting", language)


def _has_word_of(key: str, text: str, language: str) -> bool:
    """Whether a text has one of the words of `words_of`."""
    return not words_of(key, language).isdisjoint(words(text))


@cache
def words_of(key: str, language: str) -> frozenset[str]:
    """The folded words of a list of the phrases, such as "denying"."""
    return frozenset(words(getattr(phrases_of(language), key)))
