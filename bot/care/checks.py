"""What a model's words for a check-in must be like to be used. Strict, pure; each raises MalformedOutput.

What they cannot see: words of the person put together into something that was not meant. That is why the message goes
with its sources, and "why this?" shows them.
"""

import re
from collections.abc import Callable
from typing import Literal

from bot.errors import MalformedOutput
from bot.language.extractive import sentences, word_count
from bot.language.grounding import invented
from bot.language.languages import is_english, latin_language, words
from bot.language.lexicon import question_stems
from bot.language.patterns import Patterns
from bot.language.speakers import one_line
from bot.language.untrusted import is_forged
from bot.prompting.asking import Form

MOST_WORDS, MOST_SENTENCES = 60, 3
INTENTION_WORDS = 35
SUMMARY_WORDS = 60
LONGEST = 600
"""Characters of any of them: a word may be long."""

_READ = Patterns.beside(__file__)
NOTHING = _READ["nothing"]
ALLOWED = _READ.written("allowed")
"""What an opening may speak of that nobody mentioned."""

_LABEL, _ADVICE, _OF_ITSELF, _TOMORROW = _READ["label"], _READ["advice"], _READ["of_itself"], _READ["tomorrow"]
_QUESTION = re.compile(r"[?？]")
_FIRST = _READ["first"]
"""A companion that speaks of itself, or a person's words whose "I" was left as it was."""
_SECOND, _WISH = _READ["second"], _READ["wish"]


class Rated(Form):
    """How important a memory is, from 0 to 10: as texts, because no grammar bounds a number."""

    rating: Literal["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]


class Intended(Form):
    """What the companion is going to do."""

    intention: str


class Opening(Form):
    """What opens a conversation; empty: nothing."""

    message: str

    def plain(self) -> str:
        """The message, or what NOTHING knows."""
        return self.message or "NOTHING"


def plain(text: str) -> str:
    """A model's answer on one line, without the label of its prompt and quotation marks around it."""
    line = one_line(_LABEL.sub("", text))
    return line[1:-1].strip() if len(line) > 1 and line[0] in "\"“'" and line[-1] in "\"”'" else line


def summary_of(text: str, source: str, names: tuple[str, ...], topics: Callable[[str], frozenset[str]]) -> str:
    """A clue's summary that says nothing new."""
    summary = plain(text)
    _sound(text, summary, names, SUMMARY_WORDS)
    if invented(summary, source, topics):
        raise MalformedOutput("names or things that nobody mentioned")
    return summary


def intention_of(text: str, names: tuple[str, ...]) -> str:
    """One sentence."""
    intention = plain(text)
    _sound(text, intention, names, INTENTION_WORDS)
    if len(sentences(intention)) > 1:
        raise MalformedOutput("more than one sentence")
    return intention


def opening_of_model(
    text: str, source: str, said: str, names: tuple[str, ...], topics: Callable[[str], frozenset[str]], *, before: bool
) -> str:
    """What opens the conversation; empty when the model would rather say nothing.

    It is a question or a wish, says "you", never "I" for the person, and names what `said` does and nothing else.
    `source`: all that the model was shown. `said`: the person's own words, whose language is the message's. `names`:
    the person's first, the companion's second. `before`: whether what it is about is still to come.
    """
    opening = plain(text)
    if NOTHING.match(opening):
        return ""
    _sound(text, opening, names, MOST_WORDS)
    if len(sentences(opening)) > MOST_SENTENCES:
        raise MalformedOutput("too many sentences")
    questions = len(_QUESTION.findall(opening))
    if questions > 1 or (questions and not _QUESTION.search(opening[-3:])):
        raise MalformedOutput("more than one question, or one that does not end it")
    if not questions and not _WISH.search(opening):
        raise MalformedOutput("neither a question nor a wish")
    if not _SECOND.search(opening) or _FIRST.search(opening):
        raise MalformedOutput("not said to them")
    if not question_stems(opening) & question_stems(said):
        raise MalformedOutput("about something else")
    if _language(opening) != _language(said):
        raise MalformedOutput("another language")
    if names and names[0] and len(re.findall(rf"(?<!\w){re.escape(names[0])}(?!\w)", opening, re.IGNORECASE)) > 1:
        raise MalformedOutput("says the name twice")
    if _ADVICE.search(opening) or _OF_ITSELF.search(opening):
        raise MalformedOutput("advice, or something of its own")
    if not before and _TOMORROW.search(opening):
        raise MalformedOutput("takes for to come what has come")
    if invented(opening, f"{source} {' '.join(names)} {ALLOWED}", topics):
        raise MalformedOutput("names, numbers or things that nobody mentioned")
    return opening


def _sound(raw: str, line: str, names: tuple[str, ...], most_words: int) -> None:
    if not line:
        raise MalformedOutput("empty")
    if word_count(line) > most_words or len(line) > LONGEST or line[-1] not in '.!?…。！？)”"':
        raise MalformedOutput("too long, or cut off")
    if is_forged(_LABEL.sub("", raw)) or any(f"{name}:" in line for name in names if name):
        raise MalformedOutput("a transcript")


def _language(text: str) -> str:
    spoken = words(text)
    return "en" if is_english(text) else latin_language(spoken) if any(word.isascii() for word in spoken) else "other"
