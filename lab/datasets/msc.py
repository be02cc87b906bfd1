"""Multi-Session Chat (Xu et al. 2022): two crowd workers who meet again hours or days later, up to five times.

`dialogue_session_N` holds one dialogue a line: session N with all sessions before it, and how long it was between them.
In `dialog` most turns name "Speaker 1" or "Speaker 2", an opening turn at times a worker's number, and the turns of
earlier sessions nobody. Wherever turns are named, Speaker 1 opens the session and the two take turns; so a turn that
names neither has the speaker its position gives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from bot.errors import BadInput
from lab.datasets.records import read_records

SPEAKERS = ("Speaker 1", "Speaker 2")
UNITS = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(weeks=1),
}


@dataclass(frozen=True, slots=True)
class Turn:
    """What one of SPEAKERS said."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """One sitting. `personas` holds the persona sentences of Speaker 1 and of Speaker 2 after it."""

    turns: tuple[Turn, ...]
    personas: tuple[tuple[str, ...], ...]
    gap: timedelta | None
    """The time until the next session; None for the last one."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """All sessions of two speakers, oldest first. `id` is the release's name of the dialogue ("valid_0") or ""."""

    line: int
    """Where in the file it stands, from 1."""
    id: str
    sessions: tuple[Session, ...]


@dataclass(frozen=True, slots=True)
class _RawTurn:
    text: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class _RawSession:
    dialog: tuple[_RawTurn, ...]
    time_num: float
    time_unit: Literal["minute", "minutes", "hour", "hours", "day", "days", "week", "weeks"]
    personas: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _Metadata:
    initial_data_id: str = ""


@dataclass(frozen=True, slots=True)
class _RawDialogue:
    dialog: tuple[_RawTurn, ...]
    personas: tuple[tuple[str, ...], ...] = ()
    previous_dialogs: tuple[_RawSession, ...] = ()
    metadata: _Metadata = _Metadata()


RAW_DIALOGUE = TypeAdapter(_RawDialogue)


def read_dialogues(path: Path) -> Iterator[Dialogue]:
    """The dialogues of a `dialogue_session_N` file, in its order. Raises BadInput."""
    for line, raw in read_records(path, RAW_DIALOGUE):
        earlier = tuple(
            Session(_turns(session.dialog), session.personas, _gap(session, path, line))
            for session in raw.previous_dialogs
        )
        last = Session(_turns(raw.dialog), raw.personas, None)
        yield Dialogue(line, raw.metadata.initial_data_id, (*earlier, last))


def _turns(turns: tuple[_RawTurn, ...]) -> tuple[Turn, ...]:
    return tuple(
        Turn(turn.id if turn.id in SPEAKERS else SPEAKERS[position % 2], turn.text)
        for position, turn in enumerate(turns)
    )


def _gap(session: _RawSession, path: Path, line: int) -> timedelta:
    try:
        gap = session.time_num * UNITS[session.time_unit.removesuffix("s")]
    except (OverflowError, ValueError):  # too large, or not a number
        gap = timedelta(-1)
    if gap < timedelta(0):
        raise BadInput(f"{path}, line {line}: {session.time_num} {session.time_unit} is no time between two sessions.")
    return gap
