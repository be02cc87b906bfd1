"""`lab bench recall`: how long recall takes with very many utterances, of one person and of many.

A process of its own fills a temporary folder (`made_up_talk.py`); then the core is opened on it as ever, and what is
timed is `Recall.query` and `Recall.recollect`, by which a reply is prepared: tables, index, word search, topics. The
encoder is one that takes no time. The files have just been written, so the system has them in its memory.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack, aclosing
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from bot.app.app import App, open_app
from bot.clock import ManualClock
from bot.config import Settings
from bot.errors import BadInput
from bot.ports import TopicExtractor
from bot.storage.engine.database import Database, open_database
from bot.storage.stores import INDEX_FOLDER
from lab.evaluation.made_up_talk import (
    END,
    PLATFORM,
    MadeUpEncoder,
    MadeUpWords,
    Person,
    Size,
    change_of_others,
    fill,
    people,
    said_by,
)
from lab.silent import SilentMessenger

OTHERS = 50
"""People, besides the first, of whom recall is timed."""
MEBI = 2**20


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of recall in the DMs of some people: at the first touch since the start, and afterwards.

    `disturbed`: afterwards, each time after somebody else's memories changed, so that nothing that was looked up before
    is surely still so.
    """

    who: str
    utterances: int
    """Of each of them, on average."""
    first: tuple[float, ...]
    warm: tuple[float, ...]
    disturbed: tuple[float, ...]
    found: float
    """Share of the questions that brought back the utterance they were made of: what is timed should work."""


@dataclass(frozen=True, slots=True)
class RecallFigures:
    """What was measured. Seconds of the clock on the wall, bytes."""

    size: Size
    times: tuple[Times, ...]
    fill_s: float
    open_s: float
    """Until the core is there, without the encoder and the language model."""
    prepare_s: float
    """Until the memory is up to date, and adapters may run."""
    database_bytes: int
    index_bytes: int
    before_bytes: int
    """Resident memory before the core was opened."""
    started_bytes: int
    after_bytes: int
    """Resident memory after all questions."""


async def run(settings: Settings, size: Size, out: Path | None, *, topics: TopicExtractor | None = None) -> int:
    """Fills, measures, prints, and writes JSON to `out`. `topics`: another extractor, for tests. Raises BadInput."""
    if size.people > size.utterances // 2 and size.people > 1:
        raise BadInput("--people is too large: everybody should say something, and the first person half of it.")
    figures = await measure(settings, size, topics=topics)
    console = Console(highlight=False, width=120)
    console.print(*as_tables(figures))
    if out is not None:
        _write(out, figures)
    return 0


async def measure(settings: Settings, size: Size, *, topics: TopicExtractor | None = None) -> RecallFigures:
    """Fills a temporary folder and asks. `topics`: another extractor, for tests."""
    with TemporaryDirectory(prefix="hello-again-recall-") as name:
        inside = settings.at_home().in_folder(Path(name))
        start = perf_counter()
        await _fill_apart(inside, size)
        return await _timed(inside, size, topics, perf_counter() - start)


async def _fill_apart(settings: Settings, size: Size) -> None:
    """Fills in another process: what filling leaves in memory should not be counted."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        await asyncio.get_running_loop().run_in_executor(pool, fill, settings, size)


async def _timed(settings: Settings, size: Size, topics: TopicExtractor | None, fill_s: float) -> RecallFigures:
    words = MadeUpWords(size.seed)
    before = _resident()
    start = perf_counter()
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(
            open_app(
                settings,
                clock=ManualClock(END),
                messengers={PLATFORM: SilentMessenger()},
                with_model=False,
                encoder=MadeUpEncoder(words),
                topics=topics,
            )
        )
        open_s = perf_counter() - start
        await app.prepare()
        prepare_s = perf_counter() - start - open_s
        started = _resident()
        others = await stack.enter_async_context(aclosing(await open_database(settings.database_url)))
        times = [await _Asking(app, words, size, others).times(who, some) for who, some in _groups(size)]
        after = _resident()
    folder = settings.storage.data_dir
    index = _bytes(folder / INDEX_FOLDER)
    return RecallFigures(
        size=size,
        times=tuple(times),
        fill_s=fill_s,
        open_s=open_s,
        prepare_s=prepare_s,
        database_bytes=_bytes(folder) - index,
        index_bytes=index,
        before_bytes=before,
        started_bytes=started,
        after_bytes=after,
    )


def _groups(size: Size) -> Iterator[tuple[str, list[Person]]]:
    """Who is asked about: the first person, and some of the others."""
    first, *others = people(size)
    yield "the first person", [first]
    if others:
        step = max(1, len(others) // OTHERS)
        yield "others", others[::step][:OTHERS]


@dataclass(frozen=True, slots=True)
class _Asking:
    """Asks people about what they said. `others`: the tables, as somebody else's connection to them."""

    app: App
    words: MadeUpWords
    size: Size
    others: Database

    async def times(self, who: str, some: Sequence[Person]) -> Times:
        """Each person once, then all of them by turns, and the same once more while others' memories change."""
        dice = np.random.default_rng([self.size.seed, len(some)])
        texts = {person: said_by(person, self.words, self.size.seed).sentences.texts for person in some}
        await self.app.recall.query("The word lists are there.", some[0].speaker.id)
        by_turns = [some[number % len(some)] for number in range(len(some) + self.size.queries)]
        asked = [(person, str(dice.choice(texts[person]))) for person in by_turns]
        once = [await self._once(person, text, self.words.question(dice, text)) for person, text in asked]
        disturbed: list[tuple[float, bool]] = []
        for person, text in asked[len(some) :]:
            await change_of_others(self.others)
            disturbed.append(await self._once(person, text, self.words.question(dice, text)))
        ms = [ms for ms, _ in once]
        found = [found for _, found in (*once, *disturbed)]
        return Times(
            who,
            sum(person.utterances for person in some) // len(some),
            first=tuple(ms[: len(some)]),
            warm=tuple(ms[len(some) :]),
            disturbed=tuple(ms for ms, _ in disturbed),
            found=sum(found) / len(found),
        )

    async def _once(self, person: Person, text: str, question: str) -> tuple[float, bool]:
        """Milliseconds of one recall, and whether it brought back the text that the question was made of."""
        start = perf_counter()
        query = await self.app.recall.query(question, person.speaker.id)
        recalled = await self.app.recall.recollect(query, person.place, [person.speaker.id])
        ms = (perf_counter() - start) * 1000
        return ms, any(line.text == text for fragment in recalled.fragments for line in fragment.lines)


def as_tables(figures: RecallFigures) -> list[Table]:
    """The figures for people."""
    size = figures.size
    title = f"Recall, milliseconds: {size.utterances:,} utterances of {size.people:,} people"
    table = Table(title=title, title_justify="left")
    for column in (
        "in the DM of",
        "utterances each",
        "warm p50",
        "warm p95",
        "first touch p50",
        "first touch p95",
        "found",
    ):
        table.add_column(column, justify="left" if column.startswith("in") else "right")
    for times in figures.times:
        table.add_row(
            times.who, f"{times.utterances:,}", *_quantiles(times.warm), *_quantiles(times.first), f"{times.found:.0%}"
        )
        table.add_row("  when somebody else's memories changed meanwhile", "", *_quantiles(times.disturbed))
    rest = Table(title="The program", title_justify="left")
    rest.add_column("what")
    rest.add_column("", justify="right")
    for what, value in (
        ("start: everything opened, without encoder and model", f"{figures.open_s:.1f} s"),
        ("start: memory brought up to date", f"{figures.prepare_s:.1f} s"),
        ("disk: tables", _mebibytes(figures.database_bytes)),
        ("disk: vector index", _mebibytes(figures.index_bytes)),
        ("resident memory before the core is opened", _mebibytes(figures.before_bytes)),
        ("resident memory after the start", _mebibytes(figures.started_bytes)),
        ("resident memory after all questions", _mebibytes(figures.after_bytes)),
        ("filling the store", f"{figures.fill_s:.1f} s"),
    ):
        rest.add_row(what, value)
    return [table, rest]


def _quantiles(ms: Sequence[float]) -> list[str]:
    return [f"{np.quantile(ms, q):.1f}" for q in (0.5, 0.95)]


def _write(path: Path, figures: RecallFigures) -> None:
    try:
        path.write_text(json.dumps(asdict(figures), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None


def _mebibytes(number: int) -> str:
    return f"{number / MEBI:,.0f} MiB"


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _resident() -> int:
    return int(psutil.Process().memory_info().rss)
