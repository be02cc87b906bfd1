"""The journal of erasures: what a backup that is restored has to lose again.

It lies in the data folder, and beside the backups so that it outlives the data folder. A line is a kind, a keyed digest
(`digests.py`) and microseconds since 1970: it names nobody, and reads like nothing that somebody wrote. A line of the
kind "backup" says that the backup of that id was begun there; what stands behind it was erased since. A journal without
that line is not one of this backup.

People and places are noted before they are erased, and messages after, from `erased_messages`: a kill at any point
leaves nothing that is erased and never noted (`Journal.catch_up` runs at start-up too). A message that was edited is
noted each time, under another digest (`erased.py`): its old words were erased then.
"""

import asyncio
import fcntl
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path

import structlog
from sqlalchemy import select

from bot.config import Settings
from bot.domain import Erased, ErasurePreview, ErasureReason, Receipt, Selection
from bot.errors import StorageError
from bot.ports import Erasures
from bot.storage.backups.reserve import Reserve
from bot.storage.engine.database import Database
from bot.storage.engine.syncing import sync, told
from bot.storage.shared.digests import digest, digest_key
from bot.storage.shared.tables import erased_messages

_log = structlog.get_logger(__name__)

NAME = "erasures.journal"
LOCK_NAME = "erasures.lock"
AGAIN = timedelta(days=1)
"""How far back `catch_up` looks behind the latest message it noted: clocks are set back now and then."""
MARGIN = timedelta(hours=1)
"""What was noted so shortly before a backup may have been erased after it."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
PARTIAL = ".new"
"""Not .tmp: files of that name are deleted when something is erased (`disk.py`)."""

_LINE = re.compile(r"(message|person|place|backup) ([0-9a-f]{32}) (\d{16})")


class Noted(StrEnum):
    """What a line is about."""

    MESSAGE = "message"
    PERSON = "person"
    PLACE = "place"
    BACKUP = "backup"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line: a digest of 32 hexadecimal digits, or the id of a backup, which looks the same."""

    kind: Noted
    digest: str
    at: datetime

    @property
    def line(self) -> str:
        """As it stands in the file."""
        return f"{self.kind.value} {self.digest} {(self.at - EPOCH) // MICROSECOND:016}\n"


class JournalFile:
    """The journal in one folder. Its callers hold `writing` where they change it."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / NAME

    def read(self) -> tuple[Entry, ...]:
        """All entries in order; empty when there is no journal. A line that a kill cut off is passed over.

        Raises StorageError.
        """
        text = ""
        with told(f"The journal of erasures {self.file} cannot be read"), suppress(FileNotFoundError):
            text = self.file.read_text(encoding="ascii", errors="replace")
        return tuple(entry for line in text.splitlines() if (entry := _parse(line)) is not None)

    def append(self, entries: Sequence[Entry]) -> None:
        """Adds entries, which are on the disk when this returns. Raises StorageError."""
        if not entries:
            return
        text = "".join(entry.line for entry in entries)
        with told(f"The journal of erasures {self.file} cannot be written"):
            descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "r+b", buffering=0) as stream:
                os.write(stream.fileno(), (_mending(stream.fileno()) + text).encode("ascii"))
                os.fsync(stream.fileno())
            sync(self.file.parent)

    def replace(self, entries: Sequence[Entry]) -> None:
        """Puts these entries in the place of all. Raises StorageError."""
        partial = self.file.with_name(self.file.name + PARTIAL)
        with told(f"The journal of erasures {self.file} cannot be written"):
            with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
                stream.write("".join(entry.line for entry in entries).encode("ascii"))
            sync(partial)
            partial.replace(self.file)
            sync(self.file.parent)

    def prune(self, before: datetime) -> None:
        """Drops the beginning, up to the first entry that is not older. What stands behind a backup's line stays."""
        entries = self.read()
        first = next((index for index, entry in enumerate(entries) if entry.at >= before), len(entries))
        if first:
            self.replace(entries[first:])


@contextmanager
def writing(data_dir: Path) -> Iterator[None]:
    """One process at a time changes the journals of this data folder. Others wait: it takes milliseconds."""
    with told(f"The data folder {data_dir} cannot be used"):
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(data_dir / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def level(folders: Sequence[Path], others: Sequence[Path] = ()) -> None:
    """Brings into each journal what another one has, those in `others` too; a folder without one gets the longest.

    What was missing goes to the end, where it counts for every backup: rather too much is erased again than too little.
    """
    files = [JournalFile(folder) for folder in folders if folder.is_dir()]
    held = [file.read() for file in files]
    every = [*held, *(JournalFile(folder).read() for folder in others)]
    longest = max(every, key=len, default=())
    for file, entries in zip(files, held, strict=True):
        if not entries:
            file.append(longest)
            continue
        known = set(entries)
        missing = dict.fromkeys(entry for other in every for entry in other if entry not in known)
        file.append([entry for entry in missing if entry.kind is not Noted.BACKUP])


def since(entries: Sequence[Entry], backup_id: str, made: datetime) -> tuple[set[Entry], bool]:
    """What was erased after a backup was begun, and whether this journal knows that backup at all."""
    marks = [index for index, entry in enumerate(entries) if (entry.kind, entry.digest) == (Noted.BACKUP, backup_id)]
    behind = entries[marks[0] + 1 :] if marks else ()
    late = [entry for entry in entries if entry.at >= made - MARGIN or entry.kind is Noted.MESSAGE]
    return {entry for entry in (*behind, *late) if entry.kind is not Noted.BACKUP}, bool(marks)


class Journal:
    """Notes the erasures of one database in the data folder, and in the folder of the backups once that exists."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._data_dir = settings.storage.data_dir
        self._backups = settings.backup.folder
        self._kept = timedelta(days=settings.backup.keep_days + 1)
        self._until: datetime | None = None
        self._noted: set[tuple[str, datetime]] = set()

    async def announce(self, selection: Selection, now: datetime) -> None:
        """Notes the people and places of whom nothing is to stay, before they are erased. Raises StorageError."""
        if not selection.people and not selection.places:
            return
        async with self._database.writing() as connection:
            key = await digest_key(connection)
        people = [Entry(Noted.PERSON, digest(key, "person", speaker_id), now) for speaker_id in selection.people]
        places = [Entry(Noted.PLACE, digest(key, "place", place_key), now) for place_key in selection.places]
        await asyncio.to_thread(self._append, [*people, *places])

    async def catch_up(self) -> None:
        """Notes every message that was erased or edited and is not noted yet. Raises StorageError."""
        if self._until is None:
            self._noted = await asyncio.to_thread(self._level)
        query = select(erased_messages.c.digest, erased_messages.c.at).order_by(erased_messages.c.at)
        if self._until is not None:
            query = query.where(erased_messages.c.at >= self._until - AGAIN)
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        if not rows:
            return
        too_old = rows[-1].at - self._kept
        new = [row for row in rows if (row.digest, row.at) not in self._noted and row.at >= too_old]
        await asyncio.to_thread(self._append, [Entry(Noted.MESSAGE, row.digest, row.at) for row in new])
        self._noted.update((row.digest, row.at) for row in new)
        self._until = rows[-1].at

    def _level(self) -> set[tuple[str, datetime]]:
        with writing(self._data_dir):
            try:
                level([self._data_dir, self._backups])
            except StorageError as error:
                _log.warning("a journal of erasures is behind the other", reason=str(error))
            entries = JournalFile(self._data_dir).read()
        return {(entry.digest, entry.at) for entry in entries if entry.kind is Noted.MESSAGE}

    def _append(self, entries: Sequence[Entry]) -> None:
        """To both; nobody's erasure waits for a disk of backups that is away or full."""
        if not entries:
            return
        with writing(self._data_dir):
            JournalFile(self._data_dir).append(entries)
            if self._backups.is_dir() and self._backups != self._data_dir:
                try:
                    JournalFile(self._backups).append(entries)
                except StorageError as error:
                    _log.warning("a journal of erasures is behind the other", reason=str(error))


class JournalledErasures:
    """Implements `bot.ports.Erasures`: another implementation, each of whose erasures is noted, and has room."""

    def __init__(self, erasures: Erasures, journal: Journal, reserve: Reserve) -> None:
        self._erasures = erasures
        self._journal = journal
        self._reserve = reserve
        self.confirmed = erasures.confirmed
        self.unfinished = erasures.unfinished
        self.receipt = erasures.receipt
        self.receipts = erasures.receipts

    async def preview(self, selection: Selection, subject: str | None = None) -> ErasurePreview:
        """What `erase` would do, and room for the question whether it shall."""
        await asyncio.to_thread(self._reserve.release)
        return await self._erasures.preview(selection, subject)

    async def erase(
        self,
        selection: Selection,
        reason: ErasureReason,
        now: datetime,
        subject: str | None = None,
        confirmation: str = "",
    ) -> Erased:
        """Erases, and notes it on both sides of the transaction. Raises StorageError, when nothing was erased.

        People and places are noted whether it is confirmed or not: the caller has looked whose they are.
        """
        await asyncio.to_thread(self._reserve.release)
        await self._journal.announce(selection, now)
        erased = await self._erasures.erase(selection, reason, now, subject, confirmation)
        await self._note()
        return erased

    async def erase_messages(self, platform: str, message_ids: Sequence[str], now: datetime) -> Erased:
        """Erases what was deleted on its platform, and notes it."""
        await asyncio.to_thread(self._reserve.release)
        erased = await self._erasures.erase_messages(platform, message_ids, now)
        await self._note()
        return erased

    async def finish(self, erasure_id: int, found: int | None, now: datetime) -> Receipt:
        """Records that the files were rewritten and looked through, and notes what an edit erased."""
        receipt = await self._erasures.finish(erasure_id, found, now)
        await self._note()
        await asyncio.to_thread(self._reserve.renew)
        return receipt

    async def _note(self) -> None:
        """What is erased is erased: a full disk makes no failure of it. The next erasure or start notes it."""
        try:
            await self._journal.catch_up()
        except StorageError as error:
            _log.warning("erasures are not in the journal yet", reason=str(error))


async def journalled(erasures: Erasures, database: Database, settings: Settings) -> Erasures:
    """The same erasures, noted from now on, with what an earlier process could not note any more.

    A database in memory, which has no backups, has no journal. Raises StorageError.
    """
    if database.file is None and not database.on_server:
        return erasures
    journal = Journal(database, settings)
    await journal.catch_up()
    # Of a server's erasures the journal is all that is written here.
    reserve = Reserve(settings.storage.data_dir, database.file or JournalFile(settings.storage.data_dir).file)
    await asyncio.to_thread(reserve.renew)
    return JournalledErasures(erasures, journal, reserve)


def _parse(line: str) -> Entry | None:
    match = _LINE.fullmatch(line)
    return Entry(Noted(match[1]), match[2], EPOCH + int(match[3]) * MICROSECOND) if match is not None else None


def _mending(descriptor: int) -> str:
    """A line's end where a kill cut the last line off."""
    size = os.fstat(descriptor).st_size
    return "\n" if size and os.pread(descriptor, 1, size - 1) != b"\n" else ""
