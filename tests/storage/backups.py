"""A data folder with a key, for the tests of backups; and the life that is killed in the middle of one."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.config import Backup, Settings, Storage
from bot.errors import HelloAgainError
from bot.ports import Erasures
from bot.storage.backups import backup, restoring, sealing
from bot.storage.backups.backup import Made, back_up
from bot.storage.backups.journal import journalled
from bot.storage.backups.loading import load
from bot.storage.backups.restoring import Permits, Restored, restore
from bot.storage.engine.database import Database, open_database
from bot.storage.erasing.erasures import SqlErasures
from bot.storage.memory.events import SqlEvents
from bot.storage.memory.traits import SqlTraits
from bot.storage.shared.digests import KEY
from tests.stored import ANN, ANNS_DM, BEN, HALL, Rows, trait_of

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
REPLACE = Permits(replace=True)
EMPTY: list[bytes] = []
"""The file of an empty database, once one was made."""


class Home:
    """A companion's folders under one, and the owner's key."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.backups = folder / "backups"
        self.index = self.data / "index"
        self.database = self.data / "hello.db"
        self.key = folder / "owner.key"
        self.recipient = recipient_in(self.key) if self.key.exists() else sealing.make_key(self.key, NOW)
        self.settings = Settings(
            storage=Storage(data_dir=self.data),
            backup=Backup(folder=self.backups, recipient=self.recipient, keep_days=30),
        )

    @asynccontextmanager
    async def living(self) -> AsyncIterator[tuple[Rows, Erasures]]:
        """The stores, and the erasures that are noted."""
        if not self.database.exists():
            await make_empty(self.database)
        database = await open_database(self.settings.database_url)
        try:
            rows = Rows(database)
            yield rows, await journalled(rows.erasures, database, self.settings)
        finally:
            await database.aclose()

    async def back_up(self, now: datetime = NOW, to: Path | None = None) -> Made:
        """A backup, and where it is."""
        return await back_up(self.settings, now, to)

    async def restore(
        self, file: Path, permits: Permits = REPLACE, now: datetime = NOW + DAY, *, in_memory: bool | None = None
    ) -> Restored:
        """The backup in the place of the data."""
        return await restore(self.settings, file, self.key, now, erasures_of, permits, self.index, in_memory=in_memory)

    def texts(self) -> list[str]:
        """All that was said, as it is stored."""
        return [str(row[0]) for row in self.query("SELECT text FROM utterances ORDER BY id")]

    def query(self, sql: str) -> list[tuple[object, ...]]:
        """Rows of the database on the disk."""
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(sql).fetchall()

    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """Every table with its rows."""
        names = self.query("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {str(name): sorted(self.query(f"SELECT * FROM {name}"), key=repr) for (name,) in names}  # noqa: S608


async def fill(rows: Rows) -> None:
    """Ann in her DM and, with Ben, in the hall: sessions, an event and traits of each."""
    dm = await rows.converse(ANNS_DM, [ANN])
    await rows.event(dm, "Ann told of a museum.")
    await rows.trait(dm, ANN, "I paint.")
    hall = await rows.converse(HALL, [ANN, BEN])
    await rows.event(hall, "Ann and Ben met.")
    await rows.traits.apply(await rows.leased(), [trait_of(hall, BEN, "I sing, and çok güzel 🙂.")])


async def refused(home: Home, file: Path, kind: type[HelloAgainError], sentence: str, permits: Permits) -> None:
    """Nothing was changed by what was refused."""
    before = snapshot(home.data)
    with pytest.raises(kind, match=sentence):
        await home.restore(file, permits)
    assert snapshot(home.data) == before


async def make_empty(file: Path) -> None:
    """A new database with a key of its own; all migrations run once only, which takes a while."""
    if not EMPTY:
        await (await open_database(f"sqlite+aiosqlite:///{file}")).aclose()
    _make_empty(file)


def _make_empty(file: Path) -> None:
    if not EMPTY:
        EMPTY.append(file.read_bytes())
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.write_bytes(EMPTY[0])
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE meta SET value = ? WHERE key = ?", (secrets.token_hex(32), KEY))
        connection.commit()


def erasures_of(database: Database) -> Erasures:
    """What erases from this database."""
    return SqlErasures(database, SqlEvents(database), SqlTraits(database))


def recipient_in(key: Path) -> str:
    """The public key of a key file."""
    return str(sealing.read_key(key).to_public())


def holders(folder: Path, words: str) -> set[str]:
    """The names of all files in a folder that hold these words."""
    return {file.name for file in folder.rglob("*") if file.is_file() and words.encode() in file.read_bytes()}


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file of a folder; without locks, and what SQLite keeps beside an open database."""
    passing = (".lock", "-shm", "-wal")
    files = (file for file in folder.rglob("*") if file.is_file() and not file.name.endswith(passing))
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def die() -> None:
    """As in a power cut, but for the disk's cache."""
    os.kill(os.getpid(), signal.SIGKILL)


def dying_after(work: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    """The same, and then SIGKILL."""

    async def deadly(*arguments: object) -> None:
        await work(*arguments)
        die()

    return deadly


def set_trap(point: str) -> None:
    """Replaces one step of the code by one that kills this process."""
    if point == "backup: in the rows":
        backup._encoded = lambda line: die() if isinstance(line, list) else b"{}\n"  # type: ignore[assignment,return-value]
    elif point == "restore: rows are loaded":
        restoring.load = dying_after(load)  # type: ignore[assignment,attr-defined]
    elif point == "restore: before it is replaced":
        restoring._write_out = dying_after(restoring._write_out)  # type: ignore[assignment]
    elif point == "restore: the old log is away":
        Path.replace = lambda *_: die()  # type: ignore[method-assign,assignment]


async def live(folder: Path, point: str) -> None:
    """A backup or a restore, killed at a point."""
    home = Home(folder)
    set_trap(point)
    if point.startswith("backup"):
        await home.back_up(NOW + DAY)
    else:
        [file] = home.backups.glob("*.age")
        await home.restore(file, in_memory=False)


def answers(order: str) -> Iterator[str]:
    """Lives a folder and a point in a process of its own, for the nursery; says how that ended."""
    folder, _, point = order.partition("\t")
    child = os.fork()
    if not child:
        asyncio.run(live(Path(folder), point))
        os._exit(0)
    yield str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
