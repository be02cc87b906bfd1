"""`bot data`: what is stored, the vectors made anew, and everything moved to another database."""

from contextlib import AsyncExitStack, aclosing

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from bot.app.app import open_app
from bot.clock import SystemClock
from bot.commands.backup import MEGABYTE, say
from bot.config import Settings
from bot.domain import StoredCounts
from bot.storage.backups.transfer import move
from bot.storage.engine.database import open_database
from bot.storage.engine.lock import DataFolderLock
from bot.storage.stores import count_stored, forget_vectors

WORK, WORKS = "piece of background work", "pieces of background work"
WAITING = ("inbox pending", "jobs due", "jobs leased")


async def stats(settings: Settings, tables: bool) -> int:
    """Prints what is stored, how much, and since when; with `tables`, the rows of each table, too."""
    console = Console(highlight=False)
    if not settings.storage.database_url and not (settings.storage.data_dir / "hello.db").exists():
        console.print(Text(f"Nothing is stored in {settings.storage.data_dir} yet."), soft_wrap=True)
        return 0
    counts = await count_stored(settings)
    for line in in_words(counts, str(settings.storage.data_dir)):
        console.print(Text(line), soft_wrap=not console.is_terminal)
    if tables:
        table = Table("table", Column("rows", justify="right"))
        for name, number in counts.rows.items():
            table.add_row(name, f"{number:,}")
        console.print(table)
    return 0


def in_words(counts: StoredCounts, folder: str) -> list[str]:
    """What is remembered, since when, how large, and what waits."""
    rows = counts.rows

    def number_of(table: str, one: str, many: str = "") -> str:
        return _counted(rows.get(table, 0), one, many)

    said = number_of("utterances", "message or reply", "messages and replies")
    where = f"{number_of('speakers', 'speaker')} and {number_of('places', 'place')} are known"
    lines = [f"Remembered in {folder}:", f"  {said}; {where}"]
    if counts.first is not None and counts.last is not None:
        lines.append(f"  from {counts.first:%Y-%m-%d %H:%M} UTC to {counts.last:%Y-%m-%d %H:%M} UTC")
    made = f"{number_of('events', 'summary', 'summaries')} and {number_of('traits', 'trait', 'traits')} of people"
    lines.append(f"  learnt from them: {made}")
    lines.append(f"  {counts.bytes_on_disk / MEGABYTE:,.1f} MB on disk")
    unanswered, *work = (rows.get(name, 0) for name in WAITING)
    waits = [_counted(unanswered, "message to answer", "messages to answer")] if unanswered else []
    waits += [_counted(sum(work), WORK, WORKS)] if sum(work) else []
    lines.append(f"Waiting: {' and '.join(waits) or 'nothing'}.")
    if failed := rows.get("jobs failed", 0):
        lines.append(f"Given up after several tries: {_counted(failed, WORK, WORKS)}.")
    return lines


def _counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


async def reindex(settings: Settings) -> int:
    """Makes every vector anew from the tables."""
    console = Console(highlight=False)
    await forget_vectors(settings)
    with console.status("Making all vectors anew …"):
        async with open_app(settings, clock=SystemClock(), messengers={}, with_model=False) as app:
            made = await app.indexer.catch_up()
    console.print(f"{made:,} vectors were made from the tables.")
    return 0


async def move_to(settings: Settings, url: str) -> int:
    """Copies everything to the database at `url`, which is empty or holds what an interrupted move has copied."""
    console = Console(highlight=False, soft_wrap=True)
    async with AsyncExitStack() as stack:
        stack.enter_context(DataFolderLock(settings.storage.data_dir))
        source = await stack.enter_async_context(aclosing(await open_database(settings.database_url)))
        target = await stack.enter_async_context(aclosing(await open_database(url)))
        for one in (source, target):
            await stack.enter_async_context(one.alone())
        rows = await move(source, target, lambda table, number: console.print(f"{table}: {number:,}"))
        where = target.engine.url.render_as_string(hide_password=True)
        old = source.engine.url.render_as_string(hide_password=True)
    say(
        f"{rows:,} rows are in {where}, the same as in {old}. They are used from the next start on, once you set:",
        "",
        "storage:",
        f"  database_url: {where}",
        "",
        f"{old} is as it was. It and backups of it go on holding what is erased from now on: delete them when you need "
        "them no more.",
    )
    return 0
