"""Is this for the companion? Pure."""

import re
import unicodedata
from functools import lru_cache

from bot.language.patterns import Patterns

_SENTENCE_END = re.compile(r"[.!?\n…]+")
_WORD_BEFORE = re.compile(r"(?<![\w'’])([^\W_][\w'’]{0,40}) {1,8}$")
_WORD_BEHIND = re.compile(r" {1,8}([^\W_][\w'’]{0,40})")
_OWNS = re.compile(r"['’]s\b", re.IGNORECASE)
_READ = Patterns.beside(__file__)
_THIRD_PERSON = _READ.exact("third_person")
_PAST = _READ.exact("past")
_NO_VERBS = _READ.words("no_verbs")
_GREETINGS = _READ.words("greetings")
_DOES = _READ.words("does")
_LEADING_TO = _READ.words("leading_to")
_YOU = _READ["you"]


def names_agent(text: str, agent_name: str) -> bool:
    """Whether the text has the companion's name in it as words of their own, in any case: "monica?", "@Monica".

    A name of several words may be broken by any white space. Part of a longer word ("Monicas"), of an address or of a
    link is not the name.
    """
    return _name(_plain(agent_name)).search(_plain(text)) is not None


def calls_agent(text: str, agent_name: str) -> bool:
    """Whether the text has the companion's name in it as one calls somebody, and not as one speaks about somebody.

    Called: "Monica?", "hey Monica look", "I like soup, Monica.", "what do you think Monica". Spoken about: "My aunt
    Monica likes hiking", "Monica said no", "I met Monica". In doubt it is called where the name begins or ends a
    question, or is set apart by marks.
    """
    plain = _plain(text)
    return any(_is_call(plain, found.start(), found.end()) for found in _name(_plain(agent_name)).finditer(plain))


def _is_call(text: str, start: int, end: int) -> bool:
    """Whether the name that stands at these characters is a call."""
    before, after = _SENTENCE_END.split(text[:start])[-1], _SENTENCE_END.split(text[end:], maxsplit=1)[0]
    asks = text[end + len(after) :].lstrip().startswith("?")
    if _OWNS.match(after):
        return False
    ahead, behind = _WORD_BEFORE.search(before), _WORD_BEHIND.match(after)
    word_ahead, word_behind = (found[1].casefold() if found else "" for found in (ahead, behind))
    if word_ahead in _GREETINGS:
        word_ahead = ""
    if word_ahead and word_behind:
        return False
    if word_behind:
        return asks or not _told_of(word_behind)
    if word_ahead:
        return word_ahead not in _LEADING_TO and (asks or _YOU.search(before) is not None)
    return True


def _told_of(word: str) -> bool:
    """Whether a word that follows a name says what somebody does."""
    verb = _THIRD_PERSON.fullmatch(word) or _PAST.fullmatch(word)
    return word.replace("’", "'") in _DOES or (word not in _NO_VERBS and verb is not None)


def without_name(text: str, agent_name: str) -> str:
    """The text without the companion's name, or all of it when it says nothing else.

    Memories are looked for without it: calling the companion by name is near to everything that was ever said to it.
    """
    rest = _name(_plain(agent_name)).sub(" ", _plain(text))
    return rest if any(character.isalnum() for character in rest) else text


def spoken_words(text: str, agent_name: str) -> str:
    """What is said to the companion, without its name and without the marks around."""
    return without_name(text, agent_name).strip(" ,.:;!-")


def without_call(text: str, agent_name: str) -> str:
    """The text without the companion's name at its very beginning, or all of it when it says nothing else."""
    found = _name(_plain(agent_name)).match(text.lstrip())
    rest = text.lstrip()[found.end() :].lstrip(" ,.:;!-") if found is not None else text
    return rest if any(character.isalnum() for character in rest) else text


@lru_cache(maxsize=16)
def _name(agent_name: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in agent_name.split())
    return re.compile(rf"(?<![\w/])(?<!\w[.\-])@?{words}(?![\w@]|[.\-]\w)", re.IGNORECASE)


def _plain(text: str) -> str:
    """The text with letters that look alike made alike."""
    return unicodedata.normalize("NFKC", text)
