"""Ubuntu IRC logs in which people marked which message answers which (Kummerfeld et al. 2019).

`NAME.ascii.txt` holds one message a line, `NAME.annotation.txt` lines "12 15 -": message 15 answers message 12.
Messages are counted from 0. A message linked to itself opens a thread. Only the last part of a log is annotated; what
it answers may lie before that part. Clock times are as printed: without a date, and in some logs of twelve hours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from enum import StrEnum
from pathlib import Path

from bot.errors import BadInput
from lab.datasets.records import read_text

SUFFIX = ".ascii.txt"
MESSAGE = re.compile(r"\[([01]\d|2[0-3]):([0-5]\d)\] (?:<([^>]+)> ?(.*)| \* ?(\S*) ?(.*))", re.DOTALL)
LINK = re.compile(r"(\d{1,9}) (\d{1,9}) -")


class Kind(StrEnum):
    """What a line of a log is."""

    SAID = "said"
    ACTION = "action"
    """"* ann waves": `text` is "waves"."""
    NOTICE = "notice"
    """The server's own: joins, leaves, new names. It has no speaker and no time."""


@dataclass(frozen=True, slots=True)
class Message:
    """One line of a log; `line` counts from 0, as the annotation does."""

    line: int
    kind: Kind
    speaker: str
    text: str
    clock: time | None


@dataclass(frozen=True, slots=True)
class Log:
    """A log with its links (answered message, answering message), sorted; the first is never the later one."""

    name: str
    messages: tuple[Message, ...]
    links: tuple[tuple[int, int], ...]


def read_log(path: Path) -> Log:
    """The log at `path` (`….ascii.txt`) with the annotation beside it, which may be missing. Raises BadInput."""
    if not path.name.endswith(SUFFIX):
        raise BadInput(f"{path} is not a log: its name should end in {SUFFIX}.")
    messages = tuple(_message(number, line, path) for number, line in enumerate(_lines(path)))
    name = path.name.removesuffix(SUFFIX)
    annotation = path.with_name(f"{name}.annotation.txt")
    links = _links(annotation, len(messages)) if annotation.exists() else ()
    return Log(name, messages, links)


def _lines(path: Path) -> list[str]:
    """The lines of a file; only LF and CRLF end one, as the annotation counts."""
    lines = [line.removesuffix("\r") for line in read_text(path).split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def _message(number: int, line: str, path: Path) -> Message:
    if line.startswith("==="):
        return Message(number, Kind.NOTICE, "", line.removeprefix("===").strip(), None)
    match = MESSAGE.fullmatch(line)
    if match is None:
        raise BadInput(f'{path}, line {number + 1}: neither "[10:15] <ann> hello" nor a notice that begins with "===".')
    clock = time(int(match[1]), int(match[2]))
    if match[3] is not None:
        return Message(number, Kind.SAID, match[3], match[4], clock)
    return Message(number, Kind.ACTION, match[5], match[6], clock)


def _links(path: Path, messages: int) -> tuple[tuple[int, int], ...]:
    links: set[tuple[int, int]] = set()
    for number, line in enumerate(_lines(path), start=1):
        if not line.strip():
            continue
        match = LINK.fullmatch(line.strip())
        if match is None:
            raise BadInput(f'{path}, line {number}: not a link such as "12 15 -".')
        earlier, later = sorted((int(match[1]), int(match[2])))
        if later >= messages:
            raise BadInput(f"{path}, line {number}: the log has no message {later}; its last one is {messages - 1}.")
        links.add((earlier, later))
    return tuple(sorted(links))
