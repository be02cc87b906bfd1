"""LoCoMo: very long two-person conversations with questions and the turns that answer them (Maharana et al. 2024).

One JSON file a conversation. A `summary` is the data set's own, machine-written: no input for a system that is
measured, unless its report says so. The release's slips are mended: an answer that is a number becomes
its text, and evidence that is joined by ";", misspelled ("D:11:26") or points at no turn is split, mended or left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, TypeAdapter

from lab.datasets.records import read_record

SESSION_TIME = re.compile(r"(0?[1-9]|1[0-2]):([0-5]\d) ([ap])m on (\d{1,2}) ([A-Z][a-z]+), (\d{4})")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""English, whatever the system's language is."""
TURN_ID = re.compile(r"D:?(\d+):(\d+)")


class Category(IntEnum):
    """What a question asks for."""

    MULTI_HOP = 1
    TEMPORAL = 2
    OPEN_DOMAIN = 3
    SINGLE_HOP = 4
    ADVERSARIAL = 5
    """Its premise is false: the right answer says so, and `adversarial_answer` is the wrong one."""


def session_time(text: object) -> datetime:
    """The time of "1:56 pm on 8 May, 2023", taken as UTC. Raises ValueError."""
    if isinstance(text, datetime):
        return text
    match = SESSION_TIME.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None or match[5] not in MONTHS:
        raise ValueError(f'{text!r} is no time such as "1:56 pm on 8 May, 2023"')
    hour = int(match[1]) % 12 + (12 if match[3] == "p" else 0)
    return datetime(int(match[6]), MONTHS.index(match[5]) + 1, int(match[4]), hour, int(match[2]), tzinfo=UTC)


def _text_of(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _turn_ids(value: object) -> object:
    parts = [value] if isinstance(value, str) else value
    if not isinstance(parts, list | tuple):
        return value
    return tuple(f"D{int(a)}:{int(b)}" for part in parts for a, b in TURN_ID.findall(str(part)))


Answer = Annotated[str | None, BeforeValidator(_text_of)]
TurnIds = Annotated[tuple[str, ...], BeforeValidator(_turn_ids)]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said; `id` is "D<session>:<turn>", and `image_caption` describes the photo shared with it."""

    id: str
    speaker: str
    text: str
    image_caption: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """The turns of one sitting, which began at `date_time` (UTC)."""

    index: int
    date_time: Annotated[datetime, BeforeValidator(session_time)]
    turns: tuple[Turn, ...]
    summary: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its answer (None: there is none) and the ids of the turns that hold it, each of them a turn's."""

    question: str
    category: Category
    evidence: TurnIds = ()
    answer: Answer = None
    adversarial_answer: Answer = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation of two speakers, its sessions in the order of the file."""

    id: str
    speakers: tuple[str, str]
    sessions: tuple[Session, ...]
    questions: Annotated[tuple[Question, ...], Field(default=())] = ()


CONVERSATION = TypeAdapter(Conversation)


def read_conversation(path: Path) -> Conversation:
    """The conversation in the file at `path`. Raises BadInput."""
    conversation = read_record(path, CONVERSATION)
    turns = {turn.id for session in conversation.sessions for turn in session.turns}
    questions = tuple(
        replace(question, evidence=tuple(id_ for id_ in question.evidence if id_ in turns))
        for question in conversation.questions
    )
    return replace(conversation, questions=questions)
