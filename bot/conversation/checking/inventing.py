"""Facts of the person's life that nobody told: what a reply gives when it is asked for one. Pure."""

from bot.conversation.checking.asking import asks_who
from bot.conversation.checking.ground import Fault, Ground
from bot.conversation.checking.wordings import (
    any_has,
    bare,
    content,
    digits_of,
    fold,
    key_of,
    keys_of,
    sentences,
    words,
)
from bot.language.patterns import Patterns

FEW_NEW = 3
"""New words that a sentence may have besides a told answer: "What a sweet name for a kitten!"."""

_READ = Patterns.beside(__file__)
_YOU_ARE = _READ.exact("you_are")
_TAG = _READ.exact("tag")
_VOCATIVE = _READ.exact("vocative")
_DATED = _READ.exact("dated")
_NAME = _READ.exact("name")


def inventions(reply: str, ground: Ground) -> set[Fault]:
    """INVENTED, where `latest` asks for what was told and `reply` (without quotes) answers with what was not.

    Also where it takes for granted a pet that nobody told of ("What's your cat's name?").
    """
    question = ground.question
    for sentence in sentences(reply):
        folded = fold(sentence)
        denies = any_has("not_told", folded, ground.wordings)
        if _supposes(folded, ground):
            return {Fault.INVENTED}
        if question is None or denies or (folded.endswith("?") and _TAG.search(folded) is None):
            continue
        asked = frozenset(map(key_of, question.subjects))
        if (
            _invents(sentence, asked, ground)
            or _mixes_up(sentence, asked, ground)
            or _wrong_one(sentence, asked, ground)
            or _of_another(sentence, asked, ground)
        ):
            return {Fault.INVENTED}
    return set()


def _supposes(folded: str, ground: Ground) -> bool:
    """Whether it speaks of a pet of the person's that nobody told of."""
    known = ground.told_keys | {kin for key in ground.told_keys for kin in _same_thing(key, ground)}
    found = (match[1] for one in ground.wordings for match in one.pattern("your_pet").finditer(folded))
    return any(key_of(word) not in known for word in found)


def _mixes_up(sentence: str, asked: frozenset[str], ground: Ground) -> bool:
    """Whether it answers about a pet or kin that nobody told of with what was told of another one."""
    dear = {key for key in asked if _is_dear(key, ground)}
    if not dear or any(_same_thing(key, ground) & ground.earlier_keys for key in dear):
        return False
    spoken = content(sentence, ground.codes)
    value = {key_of(word) for word in spoken if not _is_one("neutral", word, ground)} - asked
    if any(_is_dear(key, ground) for key in set(map(key_of, spoken)) - asked):
        return False  # it says of whom it speaks
    lines = (keys for keys in (keys_of(text, ground.codes) for text in ground.lines[:-1]) if keys & value)
    return bool(value) and all(any(_is_dear(key, ground) for key in keys) for keys in lines)


def _wrong_one(sentence: str, asked: frozenset[str], ground: Ground) -> bool:
    """Whether it names one of those present for what another one told: "Who of us has a parrot?"."""
    among = any_has("asks_among", ground.folded, ground.wordings)
    if not among and not (ground.channel and asks_who(ground.latest)):
        return False
    spoken = words(_VOCATIVE.sub("", sentence))
    named = [person for person in ground.people if any(word in spoken for word in words(person))]
    about = [(who, text) for who, text in ground.told if text != ground.latest and asked & keys_of(text, ground.codes)]
    right = any(
        who in named or any(not set(words(name)).isdisjoint(words(text)) for name in named) for who, text in about
    )
    return bool(named) and not right and (among or bool(about))


def _of_another(sentence: str, asked: frozenset[str], ground: Ground) -> bool:
    """Whether it tells somebody of themselves what only another one told: "You can't eat walnuts" to Sven.

    Also where they asked who it is: "You're allergic, like Hana."
    """
    if not (ground.channel and _speaks_to(sentence, ground)):
        return False
    by_asker = [text for who, text in ground.told if who in {ground.speaker, ""} and text != ground.latest]
    if asks_who(ground.latest) and _YOU_ARE.search(fold(sentence)) and asked & keys_of(sentence, ground.codes):
        return not any(asked & keys_of(text, ground.codes) for text in by_asker)
    if not any_has("first_person_of_people", ground.folded, ground.wordings):
        return False
    own = frozenset().union(*(keys_of(text, ground.codes) for text in (*by_asker, ground.latest)))
    others = frozenset().union(*(keys_of(text, ground.codes) for who, text in ground.told)) - own
    spoken = content(sentence, ground.codes)
    value = {key_of(word) for word in spoken if not _is_one("neutral", word, ground)} - asked
    return bool(value & others) and value.isdisjoint(own)


def _speaks_to(sentence: str, ground: Ground) -> bool:
    return any(_is_one("second", word, ground) for word in words(sentence))


def _is_dear(key: str, ground: Ground) -> bool:
    return any(key in one.dear_keys for one in ground.wordings)


def _same_thing(key: str, ground: Ground) -> frozenset[str]:
    """The keys of the words for the same animal or kin: of "dog" also "puppy"."""
    return frozenset({key}).union(*(one.synonyms.get(key, frozenset()) for one in ground.wordings))


def _invents(sentence: str, asked: frozenset[str], ground: Ground) -> bool:
    names, new, answered, about = 0, 0, False, False
    dated = any_has("tells_back", fold(sentence), ground.wordings)
    nouns_are_capitalised = ground.language in {"de", None}
    for position, match in enumerate(_NAME.finditer(sentence)):
        word = bare(fold(match.group()))
        about |= key_of(word) in asked or _is_one("second", fold(match.group()), ground)
        if _is_known(word, ground) or (dated and _is_one("months", word, ground)):
            answered |= key_of(word) in ground.told_keys - asked
        elif match.group()[0].isupper() and position and not nouns_are_capitalised:
            names += 1
        else:
            new += 1
    if names or _new_numbers(sentence, ground, dated=dated):
        return True
    return about and ((new > 0 and not answered) or new > FEW_NEW)


def _new_numbers(sentence: str, ground: Ground, *, dated: bool) -> bool:
    """Whether it has a number that nobody said. Those of a date may stand where it tells when something was said."""
    told = ground.told_words | digits_of(ground.told_words, ground.wordings)
    for word in words(sentence):
        number = next((one.numbers[word] for one in ground.wordings if word in one.numbers), "")
        known = word in told or number in told or (dated and _DATED.fullmatch(word))
        if (word[0].isdigit() or number) and not known:
            return True
    return False


def _is_one(key: str, word: str, ground: Ground) -> bool:
    return any(one.is_one(key, word) for one in ground.wordings)


def _is_known(word: str, ground: Ground) -> bool:
    if word in ground.told_words or key_of(word) in ground.told_keys or key_of(word) in ground.card_keys:
        return True
    return any(word in one.common or one.is_one("neutral", word) for one in ground.wordings)
