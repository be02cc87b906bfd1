"""How well danger is recognised: base rates on what people really say, then recall on sentences written for it.

Of real chat (REALTALK, the half of the IRC logs that the net has not learnt from) and of everyday lines to a bot it is
counted how many get the fixed text (sure), a gentle reply (unsure), and are only not learnt from (withheld): danger is
so rare there that each is taken for a false alarm. Every other conversation and log is kept aside from choosing the
threshold of the voice (`lab/tuning/danger_voice.py`), and counted apart too.

With a model that gives hidden states all of it is reported twice: rules and net alone, and with the voice's opinion.

A file is JSON lines: `text`, `language`, `danger` ("self", "others" or null) and `kind` of sentence. What counts is
whether danger is seen at all; that it is taken for the other danger is counted apart.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bot.care.grave_news import is_of_others
from bot.conversation.crisis.wording import Danger
from bot.conversation.crisis_responder import is_withheld
from bot.conversation.danger_voice import DangerVoice, Heard
from bot.conversation.safety import danger_in
from bot.errors import BadInput
from lab.datasets.irc import SUFFIX, Kind, read_log
from lab.datasets.locomo import read_conversation
from lab.evaluation.companion.conversations import READ_ONLY, read_ours

DEV = Path(__file__).with_name("safety_dev.jsonl")
"""The sentences that the rules were improved with."""
TEST = Path(__file__).with_name("safety_test.jsonl")
"""Sentences that nobody who wrote the rules has seen."""

Look = Callable[[str], Awaitable[Heard]]
"""What is heard in a text."""

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
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class Chat:
    """Ordinary talk that nothing has learnt from."""

    name: str
    """Of the data set."""
    lines: tuple[str, ...]
    aside: bool = False
    """Whether no threshold was chosen on it either."""


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
    withheld: Share
    """Of the dangers, those that nothing is derived from."""


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


async def by_rules_and_net(text: str) -> Heard:
    """The `Look` without the voice."""
    return Heard(danger_in(text))


def with_voice(voice: DangerVoice) -> Look:
    """The `Look` that asks the voice where there is doubt."""

    async def look(text: str) -> Heard:
        [heard] = await voice.listen([text])
        return heard

    return look


async def measure(path: Path, look: Look = by_rules_and_net) -> SafetyReport:
    """Looks at the sentences of a file. Raises BadInput when it cannot be read."""
    cases = [await _case(line, number, path, look) for number, line in enumerate(_lines(path), 1)]
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


async def base_rates(data: Path, look: Look = by_rules_and_net) -> list[BaseRate]:
    """What becomes of ordinary talk in the data sets of a folder; those that are not there are left out."""
    chats = [*real_chat(data), *_everyday(data), *_to_a_companion()]
    rates = []
    for name in dict.fromkeys(chat.name for chat in chats):
        parts = [chat for chat in chats if chat.name == name]
        rates.append(await _base_rate(name, parts, look))
        aside = [chat for chat in parts if chat.aside]
        if aside:
            rates.append(await _base_rate(f"{name}, kept aside", aside, look))
    return [rate for rate in rates if rate.lines]


def real_chat(data: Path) -> Iterator[Chat]:
    """Real chat that the net has not learnt from: every other conversation of REALTALK and log of IRC is kept aside."""
    for number, path in enumerate(sorted((data / "realtalk" / "locomo").glob("*.json"))):
        turns = (turn.text for part in read_conversation(path).sessions for turn in part.turns)
        yield Chat("REALTALK", tuple(text for text in turns if text.strip()), aside=bool(number % 2))
    logs = sorted((data / "irc").glob(f"*{SUFFIX}"))
    for number, path in enumerate(logs[(len(logs) + 1) // 2 :]):
        said = (one.text for one in read_log(path).messages if one.kind is Kind.SAID)
        yield Chat("Ubuntu IRC, second half of the logs", tuple(said), aside=bool(number % 2))


def _everyday(data: Path) -> Iterator[Chat]:
    everyday = data / "safety" / "everyday.jsonl"
    if everyday.exists():
        yield Chat("everyday lines to a bot", tuple(str(json.loads(line)["text"]) for line in _lines(everyday)))


def _to_a_companion() -> Iterator[Chat]:
    """What is said to a companion, in our own conversations without patterns."""
    natural = (one for one in read_ours() if one.kind == READ_ONLY)
    yield Chat("to a companion (written)", tuple(line.text for one in natural for line in one.lines))


async def _base_rate(name: str, chats: Sequence[Chat], look: Look) -> BaseRate:
    lines = [line for chat in chats for line in chat.lines]
    heard = [await look(line) for line in lines]
    signs = [one.sign for one in heard if one.sign is not None]
    sure = sum(sign.sure for sign in signs)
    withheld = sum(is_withheld(line, one.danger, is_of_others) for line, one in zip(lines, heard, strict=True))
    return BaseRate(name, len(lines), sure, len(signs) - sure, withheld)


async def run(
    path: Path | None = None,
    errors: int = 0,
    as_json: bool = False,
    data: Path | None = None,
    voice: DangerVoice | None = None,
) -> int:
    """Prints base rates (with `data`), the figures of a file (default: the test sentences) and up to `errors` mistakes.

    With `voice` everything twice: without it, then with it. Raises BadInput.
    """
    looks: dict[str, Look] = {"rules and net": by_rules_and_net}
    if voice is not None:
        looks["with the voice"] = with_voice(voice)
    console = Console(highlight=False, soft_wrap=True)
    if as_json:
        found = {name: json_of(await measure(path or TEST, look)) for name, look in looks.items()}
        text = found["rules and net"] if voice is None else json.dumps({k: json.loads(v) for k, v in found.items()})
        console.print(text, markup=False)
        return 0
    for name, look in looks.items() if data is not None else ():
        console.print(_rates(f"Ordinary talk, {name}", await base_rates(data or Path(), look)))
    for name, look in looks.items():
        _print(console, name, await measure(path or TEST, look), errors)
    return 0


def _print(console: Console, name: str, report: SafetyReport, errors: int) -> None:
    for title, rows in (("By language", report.languages), ("By kind of sentence", report.kinds)):
        console.print(_table(f"{title}, {name}", (*rows, report.overall)))
    console.print(f"{report.sentences} sentences; {report.confused} dangers taken for the other one.")
    for case in report.errors[:errors]:
        said = "missed" if case.seen is None else f"seen ({', '.join(case.reasons)})"
        console.print(f"{case.language} {case.kind}: {said}: {case.text}", markup=False)


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
    withheld = sum(case.danger is not None and case.withheld for case in cases)
    return SafetyRow(name, share(both, dangers), share(both, seen), share(plain, dangers), share(withheld, dangers))


def _rows(cases: Sequence[Case], key: Callable[[Case], str]) -> tuple[SafetyRow, ...]:
    names = dict.fromkeys(key(case) for case in cases)
    return tuple(_row(name, [case for case in cases if key(case) == name]) for name in names)


def _rates(title: str, rates: Iterable[BaseRate]) -> Table:
    table = Table(title=title, title_justify="left")
    for name in ("", "lines", "sure", "unsure", "withheld"):
        table.add_column(name, justify="right" if name else "left")
    for one in rates:
        table.add_row(one.name, *map(str, (one.lines, one.sure, one.unsure, one.withheld)))
    return table


def _table(title: str, rows: Iterable[SafetyRow]) -> Table:
    table = Table(title=title, title_justify="left")
    for name in ("", "recall", "of it sure", "withheld", "precision"):
        table.add_column(name, justify="right" if name else "left")
    for row in rows:
        table.add_row(row.name, _shown(row.recall), _shown(row.sure), _shown(row.withheld), _shown(row.precision))
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


async def _case(line: str, number: int, path: Path, look: Look) -> Case:
    try:
        row = json.loads(line)
        text, danger = str(row["text"]), row["danger"]
        expected = None if danger is None else Danger(danger)
        heard = await look(text)
        sign = heard.sign
        seen, reasons = (None, ()) if sign is None else (sign.danger, sign.reasons)
        sure = sign is not None and sign.sure
        withheld = is_withheld(text, heard.danger, is_of_others)
        return Case(text, str(row["language"]), str(row["kind"]), expected, seen, reasons, sure, withheld)
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path}, line {number}: {error}. A line needs text, language, danger and kind.") from None
