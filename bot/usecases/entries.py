"""An entry of what is known of somebody, and how answers show it: as a line, with what was before it and quotes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from bot.domain import Event, Place, PlaceKind, Trait, Utterance
from bot.indexing.indexing import event_key
from bot.texts import commands as texts
from bot.usecases.just_told import JustTold
from bot.usecases.markup import cut, plain

LONGEST_ENTRY = 160
LONGEST_FORMER = 80
FORMER_SHOWN = 2
"""What was true before an entry; more is counted."""
LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of `/memory list`."""

    code: str
    """Its name in commands: "t12" is trait 12, "e3" is event 3."""
    text: str
    stored: str
    """The text as it is stored: an event may be told in other names than it was then."""
    time: datetime
    place: Place
    sources: tuple[int, ...]
    speaker_id: str = ""
    """Whose trait it is; empty for an event."""
    topics: frozenset[str] = frozenset()
    """What an event is about."""

    @property
    def key(self) -> str:
        """What it is compared by."""
        return self.stored if self.speaker_id else event_key(self.stored)


Told: TypeAlias = tuple[str, Trait | Event]
"""What is known, with its words as they are told now."""
Found: TypeAlias = Entry | JustTold
"""What a search finds."""


def code_of(one: Trait | Event) -> str:
    """Its name in commands."""
    return f"{'t' if isinstance(one, Trait) else 'e'}{one.id}"


def numbers_of(codes: Sequence[str], kind: str) -> list[int]:
    """The ids of those of one kind, "t" or "e"."""
    return [int(code[1:]) for code in codes if code[0] == kind]


def entry_of(told: Told) -> Entry:
    """What is known, as a line of the list."""
    words, one = told
    if isinstance(one, Event):
        return Entry(code_of(one), words, one.summary, one.time, one.place, one.sources, topics=one.topics)
    time = max(one.since, one.refreshed or one.since)
    return Entry(code_of(one), words, one.text, time, one.place, one.sources, one.speaker_id)


def newest_first(told: Iterable[Told]) -> list[Entry]:
    """What is known, in the order of the list."""
    return sorted(map(entry_of, told), key=lambda entry: (entry.time, len(entry.code), entry.code), reverse=True)


def apart(found: Sequence[Found]) -> tuple[list[JustTold], list[Entry]]:
    """What was told a moment ago, and what is known, each in its order."""
    return [one for one in found if isinstance(one, JustTold)], [one for one in found if isinstance(one, Entry)]


def has(text: str, wanted: Sequence[str]) -> bool:
    """Whether a text holds all of these folded words."""
    folded = text.casefold()
    return all(word in folded for word in wanted)


def page_of(found: Sequence[Entry], asked: int, size: int) -> tuple[int, int, Sequence[Entry]]:
    """The page that is there when `asked` is asked for, of how many (one at least), and what is on it."""
    page, pages = page_there(len(found), asked, size)
    return page, pages, found[(page - 1) * size : page * size]


def page_there(count: int, asked: int, size: int) -> tuple[int, int]:
    """The page that is there when `asked` is asked for, and of how many (one at least), where `count` are shown."""
    pages = max(-(-count // size), 1)
    return min(max(asked, 1), pages), pages


def line_of(entry: Entry, names: dict[Place, str], *, coded: bool = True, of: str = "", placed: bool = True) -> str:
    """An entry as one line of an answer: its code, if it is `coded`, whose it is, its words, its day and place.

    Not `placed`: what is private is the rule where it stands, and only a channel is named.
    """
    code = (f"`{entry.code}` " if coded else "") + (f"{of}: " if of else "")
    words = cut(entry.text, LONGEST_ENTRY)
    return _line(words, entry.time, entry.place, names, before=code, placed=placed or is_channel(entry.place))


def before_of(former: Mapping[str, Sequence[Trait]], entry: Entry) -> str:
    """What stands behind an entry of what was true before it; empty: nothing was."""
    before = former.get(entry.code, ())
    parts = [
        texts.FORMER.format(day=texts.day(one.until or one.since), text=plain(cut(one.text, LONGEST_FORMER)))
        for one in before[:FORMER_SHOWN]
    ]
    more = [texts.MORE_FORMER.format(count=len(before) - FORMER_SHOWN)] if len(before) > FORMER_SHOWN else []
    return f" *({'; '.join([*parts, *more])})*" if parts else ""


def told_line(one: JustTold, names: dict[Place, str]) -> str:
    """What was told a moment ago, with what was true before it."""
    day = texts.day(one.said.time)
    former = [texts.FORMER.format(day=day, text=plain(cut(words, LONGEST_FORMER))) for words in one.before]
    line = _line(cut(one.text, LONGEST_ENTRY), one.said.time, one.place, names)
    return f"{line} *({'; '.join(former)})*" if former else line


def _line(
    words: str, time: datetime, place: Place, names: dict[Place, str], *, before: str = "", placed: bool = True
) -> str:
    where = f", {texts.where(private=not is_channel(place), name=plain(names.get(place, '')))}" if placed else ""
    return f"- {before}{plain(words)} *({texts.day(time)}{where})*"


def quotes_of(said: Sequence[Utterance], ids: Collection[str], most: int) -> list[str]:
    """Messages as quotes; what is over `most` is counted."""
    lines = [f"{quote_of(one)} *({speaker_of(one, ids)}, {texts.day(one.time)})*" for one in said[:most]]
    if len(said) > most:
        lines.append(f"> {texts.MORE_SOURCES.format(count=len(said) - most)}")
    return lines


def quote_of(said: Utterance) -> str:
    """A message as a quote, cut where it is long."""
    return f"> {texts.QUOTE.format(text=plain(cut(' '.join(said.text.split()), LONGEST_QUOTE)))}"


def speaker_of(said: Utterance, ids: Collection[str]) -> str:
    """Who said it, as the one with these ids reads it."""
    if said.speaker.is_agent:
        return texts.ME
    return texts.YOU if said.speaker.id in ids else plain(said.speaker.name)


def is_channel(place: Place) -> bool:
    """Whether it is one that several can read."""
    return place.kind is PlaceKind.CHANNEL
