"""`lab bench checkins`: how long it takes to find out whose check-in is due, among very many people.

A temporary folder gets a real database in which everybody has check-ins on, their next moments spread over a day. What
is timed is what one look at the clock does: the query for what is due, a claim, and a plan, each a transaction of its
own with what it costs to have it on disk. The file has just been written, so the system has it in its memory.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sqlalchemy import Connection, event

from bot.config import Settings
from bot.domain import CareWishes
from bot.errors import BadInput
from bot.storage.care.checkins import SqlCheckIns
from bot.storage.engine.database import Database, open_database
from bot.storage.shared.care_tables import checkin_wishes

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = timedelta(days=1)
LEASE = timedelta(minutes=5)
AT_ONCE = 50
"""People whose check-ins one query asks for."""
ROUNDS = 200
"""Times that each query is timed."""
INSERTED = 20_000
"""Rows that go into the database at once."""
MEBI = 2**20


@dataclass(frozen=True, slots=True)
class Timed:
    """Milliseconds of one thing."""

    what: str
    times: int
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class CheckInFigures:
    """What was measured. `plan`: how SQLite looks for what is due."""

    people: int
    due: int
    """Of them at the moment of the first query."""
    timed: tuple[Timed, ...]
    plan: str
    fill_s: float
    database_bytes: int


async def run(settings: Settings, people: int, due: int, out: Path | None) -> int:
    """Fills, measures, prints, and writes JSON to `out`. Raises BadInput."""
    if due > people:
        raise BadInput("--due is too large: no more can be due than there are people.")
    figures = await measure(settings, people, due)
    Console(highlight=False, width=120).print(as_table(figures))
    if out is not None:
        _write(out, figures)
    return 0


async def measure(settings: Settings, people: int, due: int) -> CheckInFigures:
    """Fills a temporary folder and times what a tick does."""
    with TemporaryDirectory(prefix="hello-again-checkins-") as name:
        inside = settings.in_folder(Path(name))
        async with aclosing(await open_database(inside.database_url)) as database:
            start = perf_counter()
            await fill(database, people, due)
            fill_s = perf_counter() - start
            plan = await plan_of_due(database)
            timed = await _timed(SqlCheckIns(database), due)
            size = _bytes(Path(name))
    return CheckInFigures(people, due, tuple(timed), plan, fill_s, size)


async def fill(database: Database, people: int, due: int) -> None:
    """Gives everybody check-ins: the first `due` people had one due in the last hour, the others have one in a day."""
    rows = _rows(people, due)
    while some := list(islice(rows, INSERTED)):
        async with database.writing() as connection:
            await connection.execute(checkin_wishes.insert(), some)


def _rows(people: int, due: int) -> Iterator[dict[str, Any]]:
    """The rows, in no order of time."""
    for number in range(people):
        speaker_id = f"bench:{number:09}"
        share = (number * 7919 % people) / people
        next_at = NOW - share * timedelta(hours=1) if number < due else NOW + timedelta(seconds=1) + share * DAY
        yield {
            "person_id": speaker_id,
            "speaker_id": speaker_id,
            "wanted": True,
            "zone": "Europe/Berlin",
            "times": "12:00:00 18:00:00",
            "next_at": next_at,
        }


async def plan_of_due(database: Database) -> str:
    """How SQLite looks for what is due."""
    async with _heard(database) as statements:
        await SqlCheckIns(database).due(NOW, AT_ONCE)
    async with database.reading() as connection:
        statement, parameters = statements[-1]
        steps = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        return "; ".join(row.detail for row in steps)


@asynccontextmanager
async def _heard(database: Database) -> AsyncIterator[list[tuple[str, Any]]]:
    """What is sent to the database meanwhile: statements and their parameters."""
    statements: list[tuple[str, Any]] = []

    def listen(connection: Connection, cursor: object, statement: str, parameters: object, *others: object) -> None:  # noqa: ARG001  SQLAlchemy's signature
        statements.append((statement, parameters))

    engine = database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", listen)
    try:
        yield statements
    finally:
        event.remove(engine, "before_cursor_execute", listen)


async def _timed(checkins: SqlCheckIns, due: int) -> list[Timed]:
    """All that is timed, in the order in which a tick does it."""
    found: list[CareWishes] = []

    async def look() -> None:
        found[:] = await checkins.due(NOW, AT_ONCE)

    timed = [await _often(f"due: {min(due, AT_ONCE)} of {due:,}", look, ROUNDS)]
    nobody = await _often("due: none", lambda: checkins.due(NOW - DAY, AT_ONCE), ROUNDS)
    astray = await _often("astray: none", lambda: checkins.astray(NOW + 2 * DAY, AT_ONCE), ROUNDS)
    planned = await _often("planned next: 50", lambda: checkins.planned(AT_ONCE), ROUNDS)
    lease = await _often("leases that ran out: none", lambda: checkins.take_over(NOW, LEASE), ROUNDS)
    timed += [nobody, astray, planned, lease]
    some = iter(await checkins.due(NOW, due))
    half = due // 2

    async def move() -> None:
        wishes = next(some)
        moved = await checkins.plan(wishes, NOW + DAY)
        if not moved:
            raise RuntimeError("a plan did not move")

    async def claim() -> None:
        claimed = await checkins.claim(next(some), NOW + DAY, NOW + LEASE)
        if claimed is None:
            raise RuntimeError("nothing was claimed")

    timed.append(await _often("plan", move, min(ROUNDS, half)))
    timed.append(await _often("claim", claim, min(ROUNDS, half)))
    return timed


async def _often(what: str, step: Callable[[], Awaitable[object]], times: int) -> Timed:
    """Milliseconds of a step, done so many times."""
    ms: list[float] = []
    for _ in range(times):
        start = perf_counter()
        await step()
        ms.append((perf_counter() - start) * 1000)
    return Timed(what, times, float(np.quantile(ms, 0.5)), float(np.quantile(ms, 0.95)))


def as_table(figures: CheckInFigures) -> Table:
    """The figures for people."""
    title = f"Check-ins of {figures.people:,} people, {figures.due:,} of them due, milliseconds"
    caption = f"{figures.plan}\ntables: {figures.database_bytes / MEBI:,.0f} MiB, filled in {figures.fill_s:.0f} s"
    table = Table(title=title, title_justify="left", caption=caption, caption_justify="left")
    for column in ("what", "times", "p50", "p95"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for one in figures.timed:
        table.add_row(one.what, str(one.times), f"{one.p50:.2f}", f"{one.p95:.2f}")
    return table


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _write(path: Path, figures: CheckInFigures) -> None:
    try:
        path.write_text(json.dumps(asdict(figures), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}.") from None
