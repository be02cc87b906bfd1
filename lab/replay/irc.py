"""An IRC log of people in a channel as lines to be played again.

    [12:18] <ann> hello           a message
    [12:18]  * ann waves          something done; older logs write "=== ann waves", without a time
    === ann is now known as anna  a new name of the same person
    === bob [~b@host]  has joined #kitchen        and whatever else begins with "===": not said by anybody

The log has minutes: the messages of one minute are spread over it in their order. The day is in the file's name
("2004-11-15_03.ascii.txt"), else it is DAY. A nickname is a person until they change it; whoever uses it after that is
somebody else. All is talk among people, so no line asks for a reply (`to_bot` is false).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.domain import Place, PlaceKind, Speaker
from bot.errors import BadInput
from lab.replay.input import MAX_TEXT, PLATFORM, Malformed, ReplayLine

DAY = datetime(2004, 1, 1, tzinfo=UTC)
"""The day of a log whose name tells none (ours)."""
HALF_A_DAY = 12 * 60
"""Minutes. Some logs write hours from 1 to 12, and none is silent for that long."""
CLOCK_SET_BACK = 30
"""Minutes by which the time may go backwards without a new half of the day having begun."""

_MESSAGE = re.compile(r"\[(\d\d):(\d\d)\] (?:<([^>\s]*)>|\s\* ?(\S+)) ?(.*)")
_RENAMED = re.compile(r"=== (\S+) is now known as (\S+)\s*$")
_JOINED = re.compile(r"=== (\S+) \[.*\]\s+has joined ")
_DONE = re.compile(r"=== (\S+) (?!\[|is now known as|has (?:joined|left|quit))(.+)")
_DATED = re.compile(r"(\d{4})-(\d\d)-(\d\d)")


@dataclass(frozen=True, slots=True)
class _Said:
    """One message: where it stands (from 0), its minute since the log's first midnight, and who said what."""

    index: int
    minute: int
    speaker: Speaker
    text: str


@dataclass
class _Cast:
    """Who has which nickname. Nicknames are the same in any case."""

    log: str
    _people: dict[str, str] = field(default_factory=dict)
    _seen: Counter[str] = field(default_factory=Counter)

    def speaker(self, nick: str) -> Speaker:
        """The person who has this nickname now."""
        key = nick.casefold()
        if key not in self._people:
            self._seen[key] += 1
            again = f"~{self._seen[key]}" if self._seen[key] > 1 else ""
            self._people[key] = f"{PLATFORM}:{self.log}/{nick}{again}"
        return Speaker(self._people[key], nick)

    def renamed(self, old: str, new: str) -> None:
        """Says that a person has another nickname now."""
        person = self.speaker(old).id
        del self._people[old.casefold()]
        self._seen[new.casefold()] += new.casefold() not in self._people
        self._people[new.casefold()] = person

    def knows(self, nick: str) -> bool:
        """Whether somebody has this nickname."""
        return nick.casefold() in self._people


def read_irc(path: Path, limit: int | None = None) -> Iterator[ReplayLine | Malformed]:
    """The first `limit` messages (None: all) of a log.

    The place is "channel:irc/LOG", where LOG is the file's name up to its first dot; a message id is "LOG/12", with the
    line counted from 0, as annotations count. Raises BadInput.
    """
    log = path.name.partition(".")[0]
    day = _day(path.name)
    place = Place(PLATFORM, PlaceKind.CHANNEL, f"irc/{log}")
    said = list(_read(path, log))[:limit]
    if not said:
        raise BadInput(f'{path} is no IRC log: no line of it looks like "[12:18] <ann> hello".')
    of_minute = Counter(one.minute for one in said)
    nth: Counter[int] = Counter()
    for one in said:
        second = 60 * nth[one.minute] / of_minute[one.minute]
        nth[one.minute] += 1
        if not one.text.strip() or len(one.text) > MAX_TEXT:
            yield Malformed(one.index + 1, "The message is empty, or longer than any message is.")
            continue
        time = day + timedelta(minutes=one.minute, seconds=second)
        message_id = f"{log}/{one.index}"
        yield ReplayLine(one.index + 1, time, place, one.speaker, one.text, to_bot=False, message_id=message_id)


def _read(path: Path, log: str) -> Iterator[_Said]:
    cast = _Cast(log)
    minute: int | None = None
    for index, line in enumerate(_lines(path)):
        if message := _MESSAGE.match(line):
            minute = _later(minute, 60 * int(message[1]) + int(message[2]))
            nick, done = message[3], message[4]
            yield _Said(index, minute, cast.speaker(nick or done), message[5] if nick else f"*{done} {message[5]}*")
        elif renamed := _RENAMED.match(line):
            cast.renamed(renamed[1], renamed[2])
        elif joined := _JOINED.match(line):
            cast.speaker(joined[1])
        elif (did := _DONE.match(line)) and cast.knows(did[1]) and minute is not None:
            yield _Said(index, minute, cast.speaker(did[1]), f"*{did[1]} {did[2]}*")


def _later(before: int | None, clock: int) -> int:
    """The minute that a clock time means after the minute `before`."""
    if before is None:
        return clock
    ahead = (clock - before) % HALF_A_DAY
    return before if ahead > HALF_A_DAY - CLOCK_SET_BACK else before + ahead


def _day(name: str) -> datetime:
    dated = _DATED.search(name)
    try:
        return datetime(int(dated[1]), int(dated[2]), int(dated[3]), tzinfo=UTC) if dated else DAY
    except ValueError:
        return DAY


def _lines(path: Path) -> Sequence[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").replace("\0", "").split("\n")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
