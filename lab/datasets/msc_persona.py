"""The persona summaries of Multi-Session Chat (Xu et al. 2022): which utterance carries which traits of its speaker.

`persona_session_N` holds session N of one conversation a line; `persona_text` is what a crowd worker wrote down of the
speaker after that utterance. An utterance carries a trait iff its `persona_text` is present and not blank.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, TypeAdapter

from bot.errors import BadInput
from lab.datasets.records import read_records

SESSIONS = (1, 2, 3, 4)
LAYOUTS = (
    "persona_session_{session}.{split}.jsonl",
    "msc/persona_session_{session}.{split}.jsonl",
    "msc_personasummary/session_{session}/{split}.txt",
    "msc/msc_personasummary/session_{session}/{split}.txt",
)
"""Where a split of a session may lie below the data folder; the last two are the public release's own layout."""


@dataclass(frozen=True, slots=True)
class LabelledUtterance:
    """One utterance of one of the two speakers, with the traits that were written down for it, or ""."""

    speaker: str
    text: str
    traits: str

    @property
    def carries_trait(self) -> bool:
        """Whether a trait was written down."""
        return bool(self.traits)


@dataclass(frozen=True, slots=True)
class LabelledSession:
    """One session. `conversation` is the same for the sessions of the same two speakers."""

    conversation: str
    session: int
    line: int
    """Where in the file it stands, from 1."""
    utterances: tuple[LabelledUtterance, ...]


class _Utterance(BaseModel):
    text: str
    id: str = ""
    persona_text: str | None = None


class _Line(BaseModel):
    dialog: list[_Utterance]
    initial_data_id: str = ""


_ADAPTER = TypeAdapter(_Line)


def read_sessions(path: Path, session: int) -> Iterator[LabelledSession]:
    """The sessions of one `persona_session_N` file, in its order. Raises BadInput."""
    for number, line in read_records(path, _ADAPTER):
        utterances = tuple(LabelledUtterance(u.id, u.text, (u.persona_text or "").strip()) for u in line.dialog)
        yield LabelledSession(line.initial_data_id or f"line-{number}", session, number, utterances)


def read_split(data: Path, split: str) -> list[LabelledSession]:
    """All sessions of a split ("valid", "test_open", "train" ...) below the folder `data`. Raises BadInput."""
    found: list[LabelledSession] = []
    for session in SESSIONS:
        names = [layout.format(session=session, split=split) for layout in LAYOUTS]
        path = next((data / name for name in names if (data / name).is_file()), None)
        if path is None:
            raise BadInput(f"{data} holds no MSC persona data: expected {names[0]}. Give its folder with --data.")
        found.extend(read_sessions(path, session))
    if not any(each.utterances for each in found):
        raise BadInput(f"The MSC persona files of split {split!r} below {data} hold no utterances.")
    return found
