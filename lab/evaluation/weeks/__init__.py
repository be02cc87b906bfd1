"""Weeks of people who told something grave, or seem to: does a friend's check-in come, or rightly none?

All weeks go through one core, each person in a DM of their own, with rules writing and nobody answering. A check-in is
hurtful that asks how something grave "went", that wishes luck for it, or that has what its week says it must not have.
What rests on the right line is right by these rules; read them all the same (`--out`).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from rich.console import Console

from bot.app.app import App
from bot.app.assembly import Engines
from bot.clock import ManualClock
from bot.config import Settings
from bot.conversation.checking.language import language_of
from bot.conversation.checking.wordings import fold, wording
from bot.domain import Place, PlaceKind, Speaker, Utterance
from lab.evaluation.rehearsal import open_over
from lab.replay.input import PLATFORM
from lab.replay.meantime import Come, ReadMeantime, switch_on

PARTS = ("open", "kept", "fresh", "last", "voices", "later", "unheard", "strangers", "others")
START = datetime(2026, 11, 2, 19, tzinfo=UTC)
"""A Monday evening: the first lines of all weeks."""
WAIT = timedelta(days=10)
"""For so long after the last line check-ins count."""
RIGHT, MISSED, WRONG, HURTFUL = "right", "missed", "wrong", "hurtful"
VERDICTS = (RIGHT, MISSED, WRONG, HURTFUL)


@dataclass(frozen=True, slots=True)
class Week:
    """What one person told, and which check-in is right."""

    id: str
    part: str
    topic: str
    told: tuple[tuple[float, str], ...]
    """(day, words): what is of one day is one session."""
    about: tuple[int, ...]
    """The lines, from 1, of which the first check-in has to be; empty: none may come."""
    words: str = ""
    """A pattern that the first check-in has."""
    never: str = ""
    """A pattern that no check-in has."""
    start: bool = False
    """Whether check-ins are on from the beginning, and not only once all is told."""

    @property
    def language(self) -> str:
        """The code of the language that the week is in."""
        return self.id.partition("-")[0]

    @property
    def place(self) -> Place:
        """The person's DM."""
        return Place(PLATFORM, PlaceKind.DM, self.id)


@dataclass(slots=True)
class Lived:
    """A week and the check-ins that came."""

    week: Week
    come: Sequence[Come] = field(default_factory=tuple)

    @property
    def verdict(self) -> str:
        """One of VERDICTS."""
        return judged(self.week, [(come.text, [line.text for line in come.lines]) for come in self.come])


def weeks_of(part: str) -> list[Week]:
    """The weeks of one of PARTS, or of "all"."""
    found: list[Week] = []
    for name in PARTS if part == "all" else (part,):
        tree = yaml.safe_load((files(__name__) / f"{name}.yaml").read_text("utf-8"))
        for one in tree["weeks"]:
            told = tuple((float(day), str(text)) for day, text in one.pop("told"))
            found.append(Week(part=name, told=told, about=tuple(one.pop("about")), **one))
    return found


@cache
def _pattern(key: str) -> re.Pattern[str]:
    tree: dict[str, str | list[str]] = yaml.safe_load((files(__name__) / "patterns.yaml").read_text("utf-8"))
    listed = tree[key]
    return re.compile(rf"\b(?:{listed if isinstance(listed, str) else '|'.join(listed)})\b")


def judged(week: Week, come: Sequence[tuple[str, Sequence[str]]]) -> str:
    """What the check-ins of a week are worth, one of VERDICTS: each its words and the lines that it rests on."""
    texts = [text for text, _ in come]
    about = {week.told[number - 1][1] for number in week.about}
    for text, lines in come:
        if (about & {*lines} and _pattern("hurtful").search(fold(text))) or (
            week.never and re.search(week.never, fold(text))
        ):
            return HURTFUL
    if not come or not week.about:
        return RIGHT if bool(come) == bool(week.about) else WRONG if come else MISSED
    right = bool(about & {*come[0][1]}) and re.search(week.words, fold(texts[0])) is not None
    right = right and all(_to_you(text, week.language) for text in texts) and len({*texts}) == len(texts)
    return RIGHT if right else WRONG


def _to_you(text: str, language: str) -> bool:
    """Whether a check-in is a question or a wish in the second person, in this language."""
    asks = text.rstrip().endswith(("?", ".", "!"))
    folded = fold(text)
    spoken = wording(language).has("second", folded) or _pattern("to_you").search(folded) is not None
    return asks and spoken and language_of(text) in {language, None}


async def live(
    settings: Settings, engines: Engines, weeks: Sequence[Week], on_come: Callable[[Come], None] = lambda _come: None
) -> list[Lived]:
    """Tells all weeks to one core, and lets the days pass. `on_come` is told of each check-in right after it came."""
    clock = ManualClock(START)
    async with open_over(settings, engines, clock) as app:
        lived = {f"{PLATFORM}:{week.id}": Lived(week) for week in weeks}
        meantime = ReadMeantime(app, clock, [*lived], on_come)
        last = max(day for week in weeks for day, _ in week.told)
        for day in sorted({day for week in weeks for day, _ in week.told}):
            await meantime.until(START + timedelta(days=day))
            await _tell(app, clock, weeks, day)
        await meantime.until(START + timedelta(days=last) + WAIT)
    for speaker_id, one in lived.items():
        end = START + timedelta(days=one.week.told[-1][0]) + WAIT
        one.come = [come for come in meantime.come[speaker_id] if come.checkin.due <= end]
    return [*lived.values()]


async def _tell(app: App, clock: ManualClock, weeks: Sequence[Week], day: float) -> None:
    """What all say on one day; the session's work is done at its end."""
    for week in weeks:
        if week.start and day == week.told[0][0]:
            await switch_on(app, week.place, "UTC")
        for number, (said_on, text) in enumerate(week.told):
            if said_on == day:
                speaker = Speaker(f"{PLATFORM}:{week.id}", "Ann")
                time = clock.now() + number * timedelta(seconds=1)
                await app.receive(Utterance(week.place, f"{week.id}-{number}", speaker, text, time, to_bot=False))
        await app.idle()
        if not week.start and day == week.told[-1][0]:
            await switch_on(app, week.place, "UTC")
    clock.advance(app.settings.beta + timedelta(minutes=1))
    await app.settle()


async def run(settings: Settings, engines: Engines, part: str, out: Path | None) -> int:
    """Lives, prints every check-in and how many weeks are right; writes JSON to `out`. Returns the exit code."""
    console = Console(highlight=False, soft_wrap=True)
    with TemporaryDirectory(prefix="hello-again-weeks-") as folder:
        home = settings.at_home().in_folder(Path(folder))

        def show(come: Come) -> None:
            console.print(f"{come.checkin.place.ref}, {come.time:%d %B %H:%M}  {come.text}", markup=False)

        lived = await live(home, engines, weeks_of(part), show)
    for one in lived:
        if one.verdict != RIGHT:
            console.print(f"{one.verdict}: {one.week.id}", style="bold", markup=False)
    for name in PARTS if part == "all" else (part,):
        console.print(f"{name}: {figures([one for one in lived if one.week.part == name])}", markup=False)
    if out is not None:
        _write(lived, out)
    return 0


def _write(lived: Sequence[Lived], out: Path) -> None:
    out.write_text(json.dumps([_as_json(one) for one in lived], ensure_ascii=False, indent=2) + "\n", "utf-8")


def figures(lived: Sequence[Lived]) -> str:
    """How many weeks there are of each verdict, in words."""
    counts = Counter(one.verdict for one in lived)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS) + f" of {len(lived)}"


def _as_json(lived: Lived) -> dict[str, Any]:
    texts = [come.text for come in lived.come]
    return {"id": lived.week.id, "part": lived.week.part, "verdict": lived.verdict, "check_ins": texts}
