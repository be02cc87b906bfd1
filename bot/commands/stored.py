"""`bot data`: what is stored, the vectors made anew, and everything moved to another database."""

from __future__ import annotations

from contextlib import AsyncExitStack, aclosing

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.app.app import open_app
from bot.clock import SystemClock
from bot.config import Settings
from bot.domain import StoredCounts
from bot.storage.backups.transfer import move
from bot.storage.engine.database import open_database
from bot.storage.engine.lock import DataFolderLock
from bot.storage.stores import count_stored, forget_vectors

MEGABYTE = 1_000_000
FIRST = {name: place for place, name in enumerate(("utterances", "sessions", "events", "traits", "speakers", "places"))}
"""What people ask for comes first; the rest follows in the order of the tables."""


async def stats(settings: Settings) -> int:
    """Prints what is stored, how much, and since when."""
    console = Console(highlight=False)
    if not settings.storage.database_url and not (settings.storage.data_dir / "hello.db").exists():
        console.print(Text(f"Nothing is stored in {settings.storage.data_dir} yet."), soft_wrap=True)
        return 0
    console.print(render(await count_stored(settings), str(settings.storage.data_dir)))
    return 0


def render(counts: StoredCounts, folder: str) -> Table:
    """The counts as a table."""
    table = Table(title=Text(f"Stored in {folder}"), title_justify="left")
    table.add_column("what")
    table.add_column("how many", justify="right")
    for name, number in sorted(counts.rows.items(), key=lambda row: FIRST.get(row[0], len(FIRST))):
        table.add_row(name.replace("_", " "), f"{number:,}")
    table.add_row("megabytes on disk", f"{counts.bytes_on_disk / MEGABYTE:,.1f}")
    if counts.first is not None and counts.last is not None:
        table.add_row("first utterance", f"{counts.first:%Y-%m-%d %H:%M} UTC")
        table.add_row("last utterance", f"{counts.last:%Y-%m-%d %H:%M} UTC")
    return table


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
    for line in (
        f"{rows:,} rows are in {where}, the same as in {old}. They are used from the next start on, once you set:",
        "",
        "storage:",
        f"  database_url: {where}",
        "",
        f"{old} is as it was. It and backups of it go on holding what is erased from now on: delete them when you need "
        "them no more.",
    ):
        console.print(Text(line))
    return 0
