"""Conversations of public data sets as lines to be played again.

Without a stand-in both speakers are people who talk to each other in a channel, and the bot only listens. With a
stand-in, that speaker's lines become the companion's own words, in a DM with the other one: a past that the bot can
then be asked about. Either way every line is a recorded one, so none asks for a reply (`to_bot` is false).

The sets give no time for a turn: turns follow each other by TURN_GAP. Speakers and places carry the conversation's
name, since the same first name in two conversations is two people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from bot.domain import AGENT_ID, Place, PlaceKind, Speaker
from bot.errors import BadInput
from lab.datasets import locomo, msc
from lab.replay.input import PLATFORM, Malformed, ReplayLine

TURN_GAP = timedelta(seconds=30)
"""From one turn of a session to the next (ours: the data sets do not say)."""
MSC_END = datetime(2024, 1, 1, 12, tzinfo=UTC)
"""When the last turn of every Multi-Session Chat dialogue was said (ours: the data set has only gaps)."""


def read_locomo(path: Path, stand_in: str | None = None, limit: int | None = None) -> Iterator[ReplayLine | Malformed]:
    """The turns of the first `limit` sessions (None: all) of a LoCoMo conversation.

    The place is "channel:locomo/conv-26", or "dm:conv-26/Caroline" with a stand-in. A message id is "conv-26/D1:3",
    with the turn's id as the questions' evidence has it. A shared photo is told as "[shares a photo: …]" after the
    text. Raises BadInput.
    """
    conversation = locomo.read_conversation(path)
    cast = _Cast("locomo", conversation.id, conversation.speakers, stand_in, path)
    number = 0
    for session in conversation.sessions[:limit]:
        for position, turn in enumerate(session.turns):
            number += 1
            time = session.date_time + position * TURN_GAP
            yield cast.line(number, time, turn.speaker, _with_photo(turn), f"{conversation.id}/{turn.id}")


def read_msc(path: Path, stand_in: str | None = None, limit: int | None = None) -> Iterator[ReplayLine | Malformed]:
    """The turns of the first `limit` dialogues (None: all) of a `dialogue_session_N` file, one dialogue after another.

    The place is "channel:msc/FILE-LINE", or "dm:FILE-LINE/Speaker 1" with a stand-in, where FILE is the file's name
    without ".jsonl" and LINE counts from 1. The last turn was said at MSC_END. Raises BadInput.
    """
    number = 0
    for dialogue in islice(msc.read_dialogues(path), limit):
        name = f"{path.name.removesuffix('.jsonl')}-{dialogue.line}"
        cast = _Cast("msc", name, msc.SPEAKERS, stand_in, path)
        for position, (time, turn) in enumerate(_msc_times(dialogue.sessions), start=1):
            number += 1
            yield cast.line(number, time, turn.speaker, turn.text, f"{name}/{position}")


@dataclass(frozen=True, slots=True)
class _Cast:
    """Who speaks in one conversation, as whom, and where."""

    dataset: str
    conversation: str
    speakers: Sequence[str]
    stand_in: str | None
    path: Path

    def __post_init__(self) -> None:
        if self.stand_in is not None and self.stand_in not in self.speakers:
            known = " and ".join(f'"{name}"' for name in self.speakers)
            raise BadInput(f'{self.path}: nobody called "{self.stand_in}" speaks here. The speakers are {known}.')

    @property
    def place(self) -> Place:
        if self.stand_in is None:
            return Place(PLATFORM, PlaceKind.CHANNEL, f"{self.dataset}/{self.conversation}")
        other = next(name for name in self.speakers if name != self.stand_in)
        return Place(PLATFORM, PlaceKind.DM, f"{self.conversation}/{other}")

    def line(self, number: int, time: datetime, name: str, text: str, message_id: str) -> ReplayLine | Malformed:
        """The turn as a line; Malformed when nothing was said or by nobody of the cast."""
        if not text.strip():
            return Malformed(number, f"The turn {message_id} is empty.")
        if name not in self.speakers:
            return Malformed(number, f"The turn {message_id} is of neither speaker.")
        speaker_id = AGENT_ID if name == self.stand_in else f"{PLATFORM}:{self.conversation}/{name}"
        return ReplayLine(
            number, time, self.place, Speaker(speaker_id, name), text, to_bot=False, message_id=message_id
        )


def _with_photo(turn: locomo.Turn) -> str:
    photo = f"[shares a photo: {turn.image_caption}]" if turn.image_caption else ""
    return f"{turn.text} {photo}".strip()


def _msc_times(sessions: Sequence[msc.Session]) -> list[tuple[datetime, msc.Turn]]:
    """Every turn with its time, oldest first, counted back from MSC_END."""
    timed: list[tuple[datetime, msc.Turn]] = []
    time = MSC_END
    for session in reversed(sessions):
        if timed:
            time -= session.gap or TURN_GAP
        for position, turn in enumerate(reversed(session.turns)):
            time -= TURN_GAP if position else timedelta(0)
            timed.append((time, turn))
    return timed[::-1]
