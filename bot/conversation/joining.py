"""Should the companion join in, unasked? A sum that can be explained, without any model. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise, takewhile

from bot.config import ChannelSettings
from bot.domain import Utterance
from bot.language.attachments import only_marks
from bot.language.patterns import Patterns

QUESTION = 0.65
"""Somebody asked something, and nobody has answered."""

GREETING = 0.65
"""Somebody greets all who are there."""

TO_ALL = 0.2
"""It is said to everybody: "does anyone know"."""

STATEMENT = 0.2
"""Somebody tells something, in a sentence rather than in a word or two."""

MOST = 0.95
"""The score is never higher, so that a threshold of 1 means never."""

SENTENCE_WORDS = 4
"""Words from which a line counts as a sentence."""

EXCHANGE_LINES = 4
"""Turns that two people take alternately from which they are in the middle of an exchange."""

EXCHANGE = timedelta(minutes=5)
"""Within which they take these turns."""

EXCHANGE_LINKS = 2
"""Replies between the same two people, among the last lines, that make an exchange as well."""

_READ = Patterns.beside(__file__)
_LINK = _READ.exact("link")
_WORD = re.compile(r"[^\W\d_]{2,}")
_QUESTION = re.compile(r"[?？؟]")
_TO_ALL = _READ["to_all"]
_GREETING = _READ["greeting"]


@dataclass(frozen=True, slots=True)
class Decision:
    """How much there is to say, in [0, 1], and why."""

    score: float
    reason: str
    barred: bool = False
    """Whether joining in is out of the question, whatever the threshold."""

    def joins(self, threshold: float) -> bool:
        """Whether that is enough."""
        return not self.barred and self.score >= threshold


def score(lines: Sequence[Utterance], settings: ChannelSettings, now: datetime, *, to_other: bool = False) -> Decision:
    """Whether to say something after the last of `lines`, the latest of a channel, oldest first.

    `to_other`: the last line is plainly for somebody else.
    """
    reason = _barrier(lines, settings, now, to_other=to_other)
    if reason is not None:
        return Decision(0.0, reason, barred=True)
    newest = list(_last_words(lines))
    signs: tuple[tuple[str, float, Callable[[str], object]], ...] = (
        ("an unanswered question", QUESTION, _asks),
        ("a greeting to all", GREETING, _GREETING.match),
        ("said to everybody", TO_ALL, _TO_ALL.search),
        ("something told", STATEMENT, lambda text: len(text.split()) >= SENTENCE_WORDS),
    )
    found = {reason: worth for reason, worth, shows in signs if any(shows(line.text) for line in newest)}
    return Decision(min(sum(found.values()), MOST), " + ".join(found) or "nothing to answer")


def _barrier(lines: Sequence[Utterance], settings: ChannelSettings, now: datetime, *, to_other: bool) -> str | None:
    """Why joining in is out of the question; None when it is not."""
    if not lines or lines[-1].speaker.is_agent or lines[-1].to_bot:
        return "nothing has been said but what is answered anyway"
    if to_other or lines[-1].to_other or _answers_somebody(lines) or _calls_somebody(lines):
        return "it is for somebody else"
    spoke = [line.time for line in lines if line.speaker.is_agent]
    if spoke and now - max(spoke) < timedelta(seconds=settings.open_gap_s):
        return "it has spoken a short while ago"
    if _in_an_exchange(lines):
        return "two people are talking with each other"
    if not any(_says_something(line.text) for line in _last_words(lines)):
        return "nobody said anything that can be answered"
    return None


def _last_words(lines: Sequence[Utterance]) -> Iterator[Utterance]:
    """What the last speaker said since somebody else did, the latest first."""
    return takewhile(lambda line: line.speaker.id == lines[-1].speaker.id, reversed(lines))


def _says_something(text: str) -> bool:
    return not only_marks(text) and _WORD.search(_LINK.sub(" ", text)) is not None


def _asks(text: str) -> bool:
    return _says_something(text) and _QUESTION.search(_LINK.sub(" ", text)) is not None


def _answers_somebody(lines: Sequence[Utterance]) -> bool:
    """Whether the last line replies to a message, of another person as far as that is known."""
    last = lines[-1]
    if last.reply_to is None:
        return False
    answered = next((line.speaker.id for line in lines if line.message_id == last.reply_to), None)
    return answered != last.speaker.id


def _calls_somebody(lines: Sequence[Utterance]) -> bool:
    """Whether the last line begins with the name of somebody who spoke here: "Bob, …", "bob: …", "@Bob …"."""
    last = lines[-1]
    text = last.text.strip().casefold()
    names = {line.speaker.name.strip().casefold() for line in lines if line.speaker.id != last.speaker.id} - {""}
    return any(text.startswith((f"{name},", f"{name}:", f"@{name}")) for name in names)


def _in_an_exchange(lines: Sequence[Utterance]) -> bool:
    """Whether the last lines go to and fro between exactly two people, or reply links run between them."""
    people = [line for line in lines if not line.speaker.is_agent]
    turns = people[:1] + [line for before, line in pairwise(people) if before.speaker.id != line.speaker.id]
    last = turns[-EXCHANGE_LINES:]
    if len(last) == EXCHANGE_LINES and len({line.speaker.id for line in last}) == len(("one", "the other")):
        return abs(people[-1].time - last[0].time) <= EXCHANGE
    speakers = {line.message_id: line.speaker.id for line in people}
    recent = [line for line in people[-EXCHANGE_LINES:] if abs(people[-1].time - line.time) <= EXCHANGE]
    links = [
        frozenset((line.speaker.id, speakers[line.reply_to]))
        for line in recent
        if line.reply_to in speakers and speakers[line.reply_to] != line.speaker.id
    ]
    return any(links.count(pair) >= EXCHANGE_LINKS and people[-1].speaker.id in pair for pair in links)
