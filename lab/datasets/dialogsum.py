"""DialogSum (Chen et al. 2021): short spoken dialogues with their summaries, one JSON object a line.

Speakers are written "#Person1#", in the dialogue and in the summaries. The test split has three summaries a dialogue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from bot.errors import BadInput
from lab.datasets.records import read_records

TURN = re.compile(r"(#[^#:]+#|[^#:]{1,40}):\s*(.*)", re.DOTALL)
NUMBERED = re.compile(r"(summary|topic)\d*")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker ("#Person1#") said."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A dialogue with at least one summary; `topics` has the same order as `summaries`."""

    id: str
    turns: tuple[Turn, ...]
    summaries: tuple[str, ...]
    topics: tuple[str, ...]


RAW_DIALOGUE = TypeAdapter(dict[str, str])


def read_dialogues(path: Path) -> Iterator[Dialogue]:
    """The dialogues of one split, in the file's order. Raises BadInput."""
    for line, raw in read_records(path, RAW_DIALOGUE):
        where = f"{path}, line {line}"
        missing = [key for key in ("fname", "dialogue") if key not in raw]
        if missing:
            raise BadInput(f"{where}: '{missing[0]}' is missing.")
        summaries = _numbered(raw, "summary")
        if not summaries:
            raise BadInput(f"{where}: there is no 'summary' and no 'summary1'.")
        yield Dialogue(raw["fname"], _turns(raw["dialogue"], where), summaries, _numbered(raw, "topic"))


def _numbered(raw: dict[str, str], name: str) -> tuple[str, ...]:
    """The values of `summary`, `summary1`, `summary2` …, in order."""
    keys = [key for key in raw if (match := NUMBERED.fullmatch(key)) and match[1] == name]
    return tuple(raw[key] for key in sorted(keys, key=lambda key: int(key.removeprefix(name) or "0")))


def _turns(dialogue: str, where: str) -> tuple[Turn, ...]:
    """One turn a line; a line that names no speaker goes on with the turn before."""
    turns: list[Turn] = []
    for text in filter(None, (line.strip() for line in dialogue.split("\n"))):
        match = TURN.fullmatch(text)
        if match is not None and (match[1].startswith("#") or not turns):
            turns.append(Turn(match[1], match[2]))
        elif turns:
            turns[-1] = Turn(turns[-1].speaker, f"{turns[-1].text}\n{text}")
        else:
            raise BadInput(f"{where}: the dialogue does not begin with a speaker such as '#Person1#:'.")
    return tuple(turns)
