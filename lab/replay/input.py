"""What `replay` reads: recorded conversations as lines to be played again, with their own times.

A file of JSON lines holds one message a line:

    {"time": "2024-05-01T10:00:00Z", "place": "dm:alice", "speaker": "alice", "text": "Hi!"}

`time`      ISO 8601 (1970 to 2999); without an offset it is UTC. Times may go backwards: within a place the
            file's order is kept; lines of different places are played in the order of their times.
`place`     "dm:PERSON" or "channel:SERVER/CHANNEL".
`speaker`   a stable name. "agent" or "bot" is the companion: its line is stored as its own words, never answered.
`text`      1 to 100,000 characters.
`name`      what to call the speaker; without it, `speaker`.
`to_bot`    whether the bot should reply; without it, true in a DM and false in a channel.
`id`        the message's id, unique over all that is replayed into one database; without it, a digest of time, place,
            speaker and text with the number of its occurrence, so that a file replayed twice is stored once.
`reply_to`  the `id` of the message that this one replies to.

A line that breaks this is a Malformed with its number and the reason; the lines around it count all the same.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from bot.domain import AGENT_ID, Place, PlaceKind, Speaker, Utterance
from bot.errors import BadInput

PLATFORM = "replay"
AGENT_NAMES = frozenset({AGENT_ID, "bot"})
"""Speakers of a file that stand for the companion."""
MAX_TEXT = 100_000
"""Characters of one text."""
MAX_NAME = 200
"""Characters of a place, a speaker, a name or an id."""
MAX_LINE = 4 * 1024 * 1024
"""Bytes of one line: room for a text of MAX_TEXT characters, each escaped."""
REQUIRED = ("time", "place", "speaker", "text")
OPTIONAL = ("name", "to_bot", "id", "reply_to")
FIRST_YEAR, LAST_YEAR = 1970, 2999
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ReplayLine:
    """One message to be played again. `to_bot` says whether the live bot should reply to it.

    A line whose speaker is the companion (`speaker.is_agent`) is a recorded reply: stored as it stands.
    """

    number: int
    """Where it stands in its file: the line, or the turn of a data set, from 1."""
    time: datetime
    place: Place
    speaker: Speaker
    text: str
    to_bot: bool
    message_id: str
    reply_to: str | None = None

    @property
    def utterance(self) -> Utterance:
        """The line as the core takes it, not stored yet."""
        return Utterance(
            self.place, self.message_id, self.speaker, self.text, self.time, self.to_bot, reply_to=self.reply_to
        )


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that was refused."""

    line_number: int
    reason: str
    """A sentence for people; it never quotes what was said."""


class _Refused(ValueError):
    """Why a line is malformed."""


def read_jsonl(path: Path, *, agent_name: str = AGENT_ID) -> Iterator[ReplayLine | Malformed]:
    """The lines of the file at `path`, in its order. Raises BadInput when the file cannot be read.

    `agent_name` is what the companion is called where its lines give no `name`.
    """
    try:
        with path.open("rb") as stream:
            yield from parse_jsonl(stream, agent_name=agent_name)
    except FileNotFoundError:
        raise BadInput(f"There is no file at {path}. Give the path of a file of JSON lines.") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None


def parse_jsonl(stream: BinaryIO, *, agent_name: str = AGENT_ID) -> Iterator[ReplayLine | Malformed]:
    """The lines of an open file or of standard input; never raises for what they hold. Blank lines are skipped."""
    occurrences: Counter[str] = Counter()
    for number, raw in _raw_lines(stream):
        try:
            line = _line(number, raw, agent_name, occurrences)
        except _Refused as refusal:
            yield Malformed(number, str(refusal))
        else:
            if line is not None:
                yield line


def spell_place(place: Place) -> str:
    """The place as a replay file writes it ("dm:alice"); one of another platform by its whole key."""
    return place.key.removeprefix(f"{PLATFORM}:")


def spell_speaker(speaker_id: str) -> str:
    """The speaker as a replay file writes them ("alice", or "agent"); one of another platform by their whole id."""
    return speaker_id.removeprefix(f"{PLATFORM}:")


def parse_place(text: str) -> Place:
    """The place that "dm:alice" or "channel:server/general" names. Raises ValueError."""
    kind, _, ref = text.partition(":")
    server, _, channel = ref.partition("/")
    if kind == PlaceKind.DM and ref.strip():
        return Place(PLATFORM, PlaceKind.DM, ref)
    if kind == PlaceKind.CHANNEL and server.strip() and channel.strip():
        return Place(PLATFORM, PlaceKind.CHANNEL, ref)
    raise ValueError('\'place\' should be "dm:PERSON" or "channel:SERVER/CHANNEL".')


def _raw_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Each line with its number, cut after MAX_LINE bytes and one more; never the whole of an endless line."""
    number = 0
    while raw := stream.readline(MAX_LINE + 1):
        number += 1
        yield number, raw.removeprefix(BOM) if number == 1 else raw
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(MAX_LINE + 1)


def _line(number: int, raw: bytes, agent_name: str, occurrences: Counter[str]) -> ReplayLine | None:
    """The line, or None when it is blank. Raises _Refused."""
    if len(raw) > MAX_LINE:
        raise _Refused(f"The line is longer than {MAX_LINE:,} bytes.")
    if not raw.strip():
        return None
    fields = _fields(raw)
    try:
        place = parse_place(_name(fields, "place"))
    except ValueError as error:
        raise _Refused(str(error)) from None
    time = _time(_string(fields, "time"))
    speaker = _speaker(fields, agent_name)
    text = _text(fields)
    to_bot = fields.get("to_bot", place.kind is PlaceKind.DM)
    if not isinstance(to_bot, bool):
        raise _Refused("'to_bot' should be true or false.")
    message_id = _name(fields, "id") if "id" in fields else _digest(time, place, speaker, text, occurrences)
    reply_to = _name(fields, "reply_to") if "reply_to" in fields else None
    return ReplayLine(number, time, place, speaker, text, to_bot and not speaker.is_agent, message_id, reply_to)


def _fields(raw: bytes) -> dict[str, object]:
    try:
        fields = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError:
        raise _Refused("The line is not UTF-8 text.") from None
    except json.JSONDecodeError as error:
        raise _Refused(f"The line is not JSON: {error.msg}, at character {error.pos + 1}.") from None
    except (ValueError, RecursionError):
        raise _Refused("The line is nested too deeply, or holds a number with too many digits.") from None
    if not isinstance(fields, dict):
        raise _Refused('The line should be an object: {"time": …, "place": …, "speaker": …, "text": …}.')
    missing = [key for key in REQUIRED if key not in fields]
    if missing:
        raise _Refused(f"{_quoted(missing)} is missing." if len(missing) == 1 else f"{_quoted(missing)} are missing.")
    unknown = [key for key in fields if key not in REQUIRED + OPTIONAL]
    if unknown:
        raise _Refused(f"{_quoted(unknown[:3])} is not known here. Known: {', '.join(REQUIRED + OPTIONAL)}.")
    return fields


def _quoted(keys: list[str]) -> str:
    return ", ".join(ascii(key[:40]) for key in keys)


def _string(fields: dict[str, object], key: str) -> str:
    """A text that can be stored: a string, not blank, without NUL and half surrogate pairs."""
    value = fields[key]
    if not isinstance(value, str):
        raise _Refused(f"'{key}' should be a text in quotes.")
    if not value.strip():
        raise _Refused(f"'{key}' is empty.")
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise _Refused(f"'{key}' holds a NUL or half of a surrogate pair, which is no text.")
    return value


def _name(fields: dict[str, object], key: str) -> str:
    value = _string(fields, key)
    if len(value) > MAX_NAME:
        raise _Refused(f"'{key}' is longer than {MAX_NAME} characters.")
    return value


def _text(fields: dict[str, object]) -> str:
    text = _string(fields, "text")
    if len(text) > MAX_TEXT:
        raise _Refused(f"'text' has {len(text):,} characters; at most {MAX_TEXT:,} are read.")
    return text


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        raise _Refused("'time' should be an ISO 8601 time such as \"2024-05-01T10:00:00Z\".") from None
    if not FIRST_YEAR <= time.year <= LAST_YEAR:
        raise _Refused(f"'time' should lie in the years {FIRST_YEAR} to {LAST_YEAR}.")
    return time


def _speaker(fields: dict[str, object], agent_name: str) -> Speaker:
    who = _name(fields, "speaker")
    if who in AGENT_NAMES:
        return Speaker(AGENT_ID, _name(fields, "name") if "name" in fields else agent_name)
    return Speaker(f"{PLATFORM}:{who}", _name(fields, "name") if "name" in fields else who)


def _digest(time: datetime, place: Place, speaker: Speaker, text: str, occurrences: Counter[str]) -> str:
    """A message id that is the same whenever the same file is read."""
    content = json.dumps([time.isoformat(), place.key, speaker.id, text])
    digest = hashlib.sha256(content.encode("ascii")).hexdigest()[:32]
    occurrences[digest] += 1
    return f"{digest}-{occurrences[digest]}"
