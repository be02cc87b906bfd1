"""`lab evaluate corrections`: how often ordinary chat is taken to put right what was told a moment before.

Nobody has marked the lines: the cases are printed, to be read. Nearly all of them should be corrections, because each
that is none spoils something that was told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from bot.conversation.checking.language import language_of
from bot.conversation.phrases import ENGLISH
from bot.conversation.put_right import LINES_BACK, LONGEST, righted
from bot.errors import BadInput
from lab.datasets.locomo import read_conversation
from lab.datasets.written import read_written


@dataclass(frozen=True, slots=True)
class Case:
    """A line that was taken for a correction."""

    told: str
    line: str
    righted: str
    """What was told, with the value of the line."""


def run(data: Path) -> int:
    """Prints the cases of REALTALK and of the conversations written for the project. Raises BadInput."""
    files = sorted((data / "realtalk" / "locomo").glob("*.json"))
    if not files:
        raise BadInput(f"There are no chats of REALTALK in {data / 'realtalk' / 'locomo'}.")
    console = Console(width=200)
    chats = [
        [turn.text for turn in session.turns if turn.speaker == speaker]
        for file in files
        for session in read_conversation(file).sessions
        for speaker in sorted({turn.speaker for turn in session.turns})
    ]
    written = [[said for said, _ in one.turns] for one in read_written() if not one.channel]
    for name, talks in (("REALTALK", chats), ("written", written)):
        found = [case for talk in talks for case in cases_in(talk)]
        console.print(f"{name}: {sum(map(len, talks))} lines, {len(found)} taken for corrections")
        for case in found:
            console.print(escape(f"  {case.told} | {case.line} => {case.righted}"))
    return 0


def cases_in(lines: Iterable[str]) -> Iterator[Case]:
    """The lines of one speaker that put right one of the last ones, as the program takes them."""
    before: list[str] = []
    for line in lines:
        language = language_of(line) or ENGLISH
        for told in reversed(before[-LINES_BACK:]):
            short = len(line.split()) <= LONGEST and not told.rstrip().endswith("?")
            if short and (found := righted(told, line, language)) is not None:
                yield Case(told, line, found.words)
                break
        before.append(line)
