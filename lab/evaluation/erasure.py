"""`lab evaluate erasure`: one person is erased, and all files are searched for them, before and after.

The store is filled with LoCoMo conversations through the core itself, as people would: of each conversation every other
session is said in a channel of a server, and the rest in a DM of its first speaker with the companion, whose words are
the other speaker's. Encoder, SQLite and Chroma are real; there is no language model, so summaries and traits are the
people's own words. With `memories` a second store is filled with that many made-up ones, written straight into the
tables with random vectors, and the time of a whole erasure is taken there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
from rich.console import Console
from rich.table import Table
from sqlalchemy import select

from bot.app.app import App, open_app
from bot.clock import ManualClock, SystemClock
from bot.config import Settings
from bot.domain import (
    AGENT_ID,
    ErasureReason,
    Finding,
    Place,
    PlaceKind,
    Receipt,
    Scope,
    Selection,
    Speaker,
    Utterance,
    VectorKind,
)
from bot.errors import BadInput
from bot.ports import Encoder, TopicExtractor, Vectors
from bot.storage.engine.database import Database, open_database
from bot.storage.erasing.disk import DataFolder
from bot.storage.shared import recall_tables, tables
from bot.storage.stores import INDEX_FOLDER
from bot.storage.vectors.chroma import ChromaVectorIndex
from lab.datasets import locomo
from lab.evaluation.made_up import MadeUp
from lab.evaluation.row_scan import find_in_tables
from lab.evaluation.telling import tell
from lab.silent import SilentMessenger

PLATFORM = "locomo"
TURN_GAP = timedelta(seconds=30)
LONG_S = 600.0
"""Seconds that the work on the files may take."""


@dataclass(frozen=True, slots=True)
class Traces:
    """All words that a person said or that were derived from them, and the vectors of these."""

    texts: tuple[str, ...]
    vectors: Vectors


@dataclass(frozen=True, slots=True)
class ErasureReport:
    """What was found of one person before and after they were erased. Seconds of the clock on the wall."""

    person: str
    utterances: int
    memories: int
    """All events and traits that were stored, of everybody."""
    texts: int
    vectors: int
    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    receipt: Receipt | None
    rows_s: float
    """Until nothing of them could be recalled."""
    files_s: float
    """From then until the files were rewritten and looked through."""


async def run(
    settings: Settings,
    data: Path,
    memories: int | None = None,
    sessions: int | None = None,
    *,
    encoder: Encoder | None = None,
    topics: TopicExtractor | None = None,
) -> int:
    """Measures and prints; exit code 1 when anything is found afterwards. Raises BadInput.

    `sessions`: how many of each conversation are told, None: all. `encoder`, `topics`: others, for tests.
    """
    console = Console(highlight=False, width=120)
    report = await measure(settings, data, sessions, encoder=encoder, topics=topics)
    reports = [report]
    console.print(*as_tables(report))
    if memories:
        reports.append(await measure_many(settings, memories, encoder=encoder, topics=topics))
        console.print(*as_tables(reports[-1]))
    return int(any(one.after or one.receipt is None or one.receipt.found != 0 for one in reports))


async def measure(
    settings: Settings,
    data: Path,
    sessions: int | None = None,
    *,
    encoder: Encoder | None = None,
    topics: TopicExtractor | None = None,
) -> ErasureReport:
    """Tells the conversations under `data`/locomo and erases the first speaker of the first one. Raises BadInput."""
    told = [line for path in _files(data) for line in _lines(locomo.read_conversation(path), sessions)]
    told.sort(key=lambda said: said.time)
    person = next(said.speaker for said in told if said.place.kind is PlaceKind.DM and not said.speaker.is_agent)
    with TemporaryDirectory(prefix="hello-again-erasure-") as folder:
        clock = ManualClock(told[0].time)
        inside = _inside(settings, Path(folder))
        async with open_app(
            inside,
            clock=clock,
            messengers={PLATFORM: SilentMessenger()},
            with_model=False,
            encoder=encoder,
            topics=topics,
        ) as app:
            await app.prepare()
            await tell(app, clock, told)
            return await _erase(app, person)


async def measure_many(
    settings: Settings, memories: int, *, encoder: Encoder | None = None, topics: TopicExtractor | None = None
) -> ErasureReport:
    """The same in a store with this many made-up memories."""
    with TemporaryDirectory(prefix="hello-again-erasure-") as folder:
        async with open_app(
            _inside(settings, Path(folder)),
            clock=SystemClock(),
            messengers={PLATFORM: SilentMessenger()},
            with_model=False,
            encoder=encoder,
            topics=topics,
        ) as app:
            database = await open_database(app.settings.database_url)
            try:
                made = MadeUp(memories)
                await made.write(database)
            finally:
                await database.aclose()
            dice = np.random.default_rng(memories)
            for scope, ids in made.scopes().items():
                vectors = dice.normal(size=(len(ids), app.engines.encoder.dimension)).astype(np.float32)
                await app.stores.index.upsert(scope, ids, vectors)
            return await _erase(app, made.person)


async def _erase(app: App, person: Speaker) -> ErasureReport:
    """Erases a person, and looks for them before and after by means of its own."""
    database = await open_database(app.settings.database_url)
    try:
        index = app.stores.index
        remaining = index.every_vector if isinstance(index, ChromaVectorIndex) else None
        disk = DataFolder(app.settings.storage.data_dir, database, remaining)
        traces = await _traces(app, database, person)
        before = await disk.stands(traces.texts, traces.vectors)
        stored = await app.stores.utterances.counts()
        start = perf_counter()
        erased = await app.eraser.erase(Selection(people=(person.id,)), ErasureReason.ASKED)
        rows_s = perf_counter() - start
        receipt = await app.eraser.complete(erased.erasure_id, LONG_S)
        files_s = perf_counter() - start - rows_s
        gone = set(traces.texts) - await find_in_tables(database, traces.texts)
        after = await disk.look_for(sorted(gone), traces.vectors)
    finally:
        await database.aclose()
    return ErasureReport(
        person=person.name,
        utterances=len(erased.utterances),
        memories=stored.rows["events"] + stored.rows["traits"],
        texts=len(traces.texts),
        vectors=len(traces.vectors),
        before=tuple(before),
        after=tuple(after),
        receipt=receipt,
        rows_s=rows_s,
        files_s=files_s,
    )


async def _traces(app: App, database: Database, person: Speaker) -> Traces:
    """What there is of a person before the erasure: by the tables, and by what the preview says will go."""
    preview = await app.stores.erasures.preview(Selection(people=(person.id,)))
    scopes: dict[Scope, list[int]] = {}
    async with database.reading() as connection:
        said = select(tables.utterances.c.text).where(tables.utterances.c.speaker_id == person.id)
        texts = set((await connection.execute(said)).scalars())
        for kind, table, column, ids in (
            (VectorKind.EVENT, tables.events, tables.events.c.summary, set(preview.events)),
            (VectorKind.TRAIT, tables.traits, tables.traits.c.text, set(preview.traits)),
        ):
            for row_id, place_key, text in await connection.execute(select(table.c.id, table.c.place_key, column)):
                if row_id in ids:
                    texts.add(text)
                    scopes.setdefault(Scope(kind, place_key), []).append(row_id)
        of_words = select(recall_tables.passages.c.id, recall_tables.passages.c.place_key)
        of_words = of_words.join(tables.utterances, tables.utterances.c.id == recall_tables.passages.c.utterance_id)
        for row_id, place_key in await connection.execute(of_words.where(tables.utterances.c.speaker_id == person.id)):
            scopes.setdefault(Scope(VectorKind.PASSAGE, place_key), []).append(row_id)
    vectors = [await app.stores.index.get(scope, ids) for scope, ids in scopes.items()]
    there = [some for some in vectors if len(some)]
    return Traces(tuple(sorted(texts)), np.concatenate(there) if there else np.empty((0, 0), np.float32))


def as_tables(report: ErasureReport) -> list[Table]:
    """The figures for people."""
    title = (
        f"{report.person}: {report.utterances:,} utterances with the replies, {report.texts:,} texts and "
        f"{report.vectors:,} vectors looked for; {report.memories:,} memories in all"
    )
    files = Table("file", "what", "places before", "places after", title=title, title_justify="left")
    before, after = _counted(report.before), _counted(report.after)
    for file, what in sorted(before | after):
        files.add_row(file, what, f"{before[file, what]:,}", f"{after[file, what]:,}")
    receipt = Table("receipt", "", title_justify="left")
    for kind, count in report.receipt.counts if report.receipt is not None else ():
        receipt.add_row(kind, f"{count:,}")
    found = "no receipt" if report.receipt is None else f"{report.receipt.found}"
    receipt.add_row("found afterwards, by the eraser", found)
    receipt.add_row("found afterwards, by this command", f"{len(report.after)}")
    receipt.add_row("seconds until nothing was recalled", f"{report.rows_s:.1f}")
    receipt.add_row("seconds until the files were clean", f"{report.rows_s + report.files_s:.1f}")
    return [files, receipt]


def _counted(findings: Sequence[Finding]) -> Counter[tuple[str, str]]:
    """How many places, by file and what; a file of the index without the folders' random names."""
    return Counter((_shown(one.file), one.what) for one in findings)


def _shown(file: str) -> str:
    path = Path(file)
    return f"{INDEX_FOLDER}/…/{path.name}" if path.parts[0] == INDEX_FOLDER else file


def _inside(settings: Settings, folder: Path) -> Settings:
    """The same settings in a folder of its own, where all that is said is remembered."""
    return settings.at_home().in_folder(folder)


def _files(data: Path) -> list[Path]:
    files = sorted((data / "locomo").glob("*.json"))
    if not files:
        raise BadInput(f"There are no LoCoMo conversations in {data / 'locomo'}. Give the folder above it with --data.")
    return files


def _lines(conversation: locomo.Conversation, sessions: int | None) -> list[Utterance]:
    """The turns of a conversation, by turns in a channel and in a DM."""
    first = conversation.speakers[0]
    channel = Place(PLATFORM, PlaceKind.CHANNEL, f"server/{conversation.id}")
    dm = Place(PLATFORM, PlaceKind.DM, f"{conversation.id}-{first}")
    lines: list[Utterance] = []
    for number, session in enumerate(conversation.sessions[:sessions]):
        place = dm if number % 2 else channel
        for position, turn in enumerate(session.turns):
            if not turn.text.strip():
                continue
            speaker = Speaker(f"{PLATFORM}:{conversation.id}-{turn.speaker}", turn.speaker)
            if place is dm and turn.speaker != first:
                speaker = replace(speaker, id=AGENT_ID)
            time = session.date_time + position * TURN_GAP
            message_id = f"{conversation.id}/{turn.id}"
            lines.append(Utterance(place, message_id, speaker, turn.text, time, to_bot=False))
    return lines
