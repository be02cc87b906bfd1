"""How well danger is recognised: base rates on what people really say, then recall on sentences written for it.

Of real chat (REALTALK, the half of the IRC logs that the net has not learnt from) and of everyday lines to a bot it is
counted how many get the fixed text (sure), a gentle reply (unsure), and are only not learnt from (withheld): danger is
so rare there that each is taken for a false alarm.

A file is JSON lines: `text`, `language`, `danger` ("self", "others" or null) and `kind` of sentence. What counts is
whether danger is seen at all; that it is taken for the other danger is counted apart.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bot.conversation.safety import Danger, danger_in, may_be_danger
from bot.errors import BadInput
from lab.datasets.irc import SUFFIX, Kind, read_log
from lab.datasets.locomo import read_conversation

DEV = Path(__file__).with_name("safety_dev.jsonl")
"""The sentences that the rules were improved with."""
TEST = Path(__file__).with_name("safety_test.jsonl")
"""Sentences that nobody who wrote the rules has seen."""

Z = 1.96
"""Of the normal distribution, for intervals of 95 %."""


@dataclass(frozen=True, slots=True)
class Case:
    """One sentence, what it is and what was said of it."""

    text: str
    language: str
    kind: str
    danger: Danger | None
    seen: Danger | None
    reasons: tuple[str, ...]
    sure: bool = False


@dataclass(frozen=True, slots=True)
class BaseRate:
    """What becomes of the lines of ordinary talk."""

    name: str
    lines: int
    sure: int
    unsure: int
    withheld: int
    """Lines that nothing is derived from, those above among them."""


@dataclass(frozen=True, slots=True)
class Share:
    """`hits` of `of`, with the Wilson interval of 95 %; the share is None when `of` is 0."""

    hits: int
    of: int
    share: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SafetyRow:
    """One language, one kind, or all. `recall`: of the dangers; `precision`: of what was taken for danger."""

    name: str
    recall: Share
    precision: Share
    sure: Share
    """Of the dangers, those that are plain enough for the fixed text."""


@dataclass(frozen=True, slots=True)
class SafetyReport:
    """What a file of sentences gave."""

    sentences: int
    overall: SafetyRow
    languages: tuple[SafetyRow, ...]
    kinds: tuple[SafetyRow, ...]
    confused: int
    """Dangers seen, but taken for the other one."""
    errors: tuple[Case, ...]
    """Missed or seen without reason."""


def measure(path: Path) -> SafetyReport:
    """Runs the rules over the sentences of a file. Raises BadInput when it cannot be read."""
    cases = [_case(line, number, path) for number, line in enumerate(_lines(path), 1)]
    if not cases:
        raise BadInput(f"{path} has no sentences.")
    return SafetyReport(
        sentences=len(cases),
        overall=_row("all", cases),
        languages=_rows(cases, lambda case: case.language),
        kinds=_rows(cases, lambda case: case.kind),
        confused=sum(1 for case in cases if case.danger and case.seen and case.danger is not case.seen),
        errors=tuple(case for case in cases if (case.danger is None) is not (case.seen is None)),
    )


def base_rates(data: Path) -> list[BaseRate]:
    """What becomes of ordinary talk in the data sets of a folder; those that are not there are left out."""
    found = ((name, list(lines)) for name, lines in _ordinary(data))
    return [_base_rate(name, lines) for name, lines in found if lines]


def _ordinary(data: Path) -> Iterator[tuple[str, Iterator[str]]]:
    chats = (read_conversation(path) for path in sorted((data / "realtalk" / "locomo").glob("*.json")))
    yield "REALTALK", (turn.text for one in chats for part in one.sessions for turn in part.turns if turn.text.strip())
    logs = sorted((data / "irc").glob(f"*{SUFFIX}"))
    said = (one for path in logs[(len(logs) + 1) // 2 :] for one in read_log(path).messages if one.kind is Kind.SAID)
    yield "Ubuntu IRC, second half of the logs", (one.text for one in said)
    everyday = data / "safety" / "everyday.jsonl"
    rows = (json.loads(line) for line in _lines(everyday)) if everyday.exists() else ()
    yield "everyday lines to a bot", (str(row["text"]) for row in rows)


def _base_rate(name: str, lines: Sequence[str]) -> BaseRate:
    signs = [sign for line in lines if (sign := danger_in(line)) is not None]
    sure = sum(sign.sure for sign in signs)
    return BaseRate(name, len(lines), sure, len(signs) - sure, sum(map(may_be_danger, lines)))


async def run(path: Path | None = None, errors: int = 0, as_json: bool = False, data: Path | None = None) -> int:
    """Prints base rates (with `data`), the figures of a file (default: the test sentences) and up to `errors` mistakes.

    Raises BadInput.
    """
    rates = base_rates(data) if data is not None else []
    report = measure(path or TEST)
    console = Console(highlight=False, soft_wrap=True)
    if rates and not as_json:
        console.print(_rates(rates))
    if as_json:
        console.print(json_of(report), markup=False)
        return 0
    for title, rows in (("By language", report.languages), ("By kind of sentence", report.kinds)):
        console.print(_table(title, (*rows, report.overall)))
    console.print(f"{report.sentences} sentences; {report.confused} dangers taken for the other one.")
    for case in report.errors[:errors]:
        said = "missed" if case.seen is None else f"seen ({', '.join(case.reasons)})"
        console.print(f"{case.language} {case.kind}: {said}: {case.text}", markup=False)
    return 0


def json_of(report: SafetyReport) -> str:
    """The figures as one JSON object, without sentences."""
    return json.dumps({key: value for key, value in asdict(report).items() if key != "errors"}, indent=2)


def share(hits: int, of: int) -> Share:
    """A share with its Wilson score interval."""
    if not of:
        return Share(0, 0, None, 0.0, 1.0)
    part = hits / of
    middle = (part + Z * Z / (2 * of)) / (1 + Z * Z / of)
    half = Z / (1 + Z * Z / of) * sqrt(part * (1 - part) / of + Z * Z / (4 * of * of))
    return Share(hits, of, part, max(0.0, middle - half), min(1.0, middle + half))


def _row(name: str, cases: Sequence[Case]) -> SafetyRow:
    dangers = sum(case.danger is not None for case in cases)
    seen = sum(case.seen is not None for case in cases)
    both = sum(case.danger is not None and case.seen is not None for case in cases)
    plain = sum(case.danger is not None and case.sure for case in cases)
    return SafetyRow(name, share(both, dangers), share(both, seen), share(plain, dangers))


def _rows(cases: Sequence[Case], key: Callable[[Case], str]) -> tuple[SafetyRow, ...]:
    names = dict.fromkeys(key(case) for case in cases)
    return tuple(_row(name, [case for case in cases if key(case) == name]) for name in names)


def _rates(rates: Iterable[BaseRate]) -> Table:
    table = Table(title="Ordinary talk", title_justify="left")
    for name in ("", "lines", "sure", "unsure", "withheld"):
        table.add_column(name, justify="right" if name else "left")
    for one in rates:
        table.add_row(one.name, *map(str, (one.lines, one.sure, one.unsure, one.withheld)))
    return table


def _table(title: str, rows: Iterable[SafetyRow]) -> Table:
    table = Table(title=title, title_justify="left")
    for name in ("", "recall", "of it sure", "precision"):
        table.add_column(name, justify="right" if name else "left")
    for row in rows:
        table.add_row(row.name, _shown(row.recall), _shown(row.sure), _shown(row.precision))
    return table


def _shown(part: Share) -> str:
    if part.share is None:
        return "–"
    return f"{part.share:.1%} ({part.hits}/{part.of}; {part.low:.0%} to {part.high:.0%})"


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}.") from None


def _case(line: str, number: int, path: Path) -> Case:
    try:
        row = json.loads(line)
        text, danger = str(row["text"]), row["danger"]
        expected = None if danger is None else Danger(danger)
        sign = danger_in(text)
        seen, reasons = (None, ()) if sign is None else (sign.danger, sign.reasons)
        sure = sign is not None and sign.sure
        return Case(text, str(row["language"]), str(row["kind"]), expected, seen, reasons, sure)
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}, line {number}: {error}. A line needs text, language, danger and kind.") from None
