"""A backup comes back whole or not at all."""

import json
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest

from bot.domain import ErasureReason, Recollection, Selection
from bot.errors import BadInput, DatabaseTooNew, StorageError
from bot.storage.backups.backup import Manifest
from bot.storage.backups.restoring import Permits, remove_leftovers
from bot.storage.backups.sealing import make_key, read_recipient, sealed
from bot.storage.engine.lock import DataFolderLock
from tests.nursery import Nursery
from tests.storage.backups import DAY, NOW, REPLACE, Home, fill, holders, refused
from tests.stored import ANN, ANNS_DM, reply_to

NOTHING = Recollection()
CANARY = "the violet pelican of Utrecht"
MANIFEST = Manifest("0" * 32, "0003", NOW, NOW + 30 * DAY, "0.1.0", 4096)
LEFT = {
    "backup: in the rows": set[str](),
    "restore: rows are loaded": {"restoring.db.tmp"},
    "restore: before it is replaced": {"restoring.db.tmp", "restored.db.tmp"},
    "restore: the old log is away": {"restoring.db.tmp", "restored.db.tmp"},
}
"""What lies in the data folder after a kill, until the next start: a backup leaves nothing there."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def cut(share: float) -> Callable[[bytes], bytes]:
    return lambda whole: whole[: int(len(whole) * share)]


def flip(share: float) -> Callable[[bytes], bytes]:
    def flipped(whole: bytes) -> bytes:
        place = int(len(whole) * share)
        return whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]

    return flipped


def forge(home: Home, *lines: object) -> Path:
    """A file that is encrypted as it should be, with other lines in it."""
    file = home.backups / "hello-again-20260601-000000.age"
    home.backups.mkdir(exist_ok=True)
    with sealed(file, read_recipient(home.recipient)) as stream:
        stream.writelines((json.dumps(line) + "\n").encode() for line in lines)
    return file


@pytest.fixture
def killed(nursery: Nursery) -> Callable[[Path, str], int]:
    """Makes a backup or restores one in a process that is killed at a point; says how it ended."""

    def one(folder: Path, point: str) -> int:
        return int(nursery.ask("tests.storage.backups", f"{folder}\t{point}"))

    return one


async def test_what_is_backed_up_comes_back_as_it_was(home: Home) -> None:
    for in_memory in (True, False):
        shutil.rmtree(home.data, ignore_errors=True)
        async with home.living() as (rows, _):
            await fill(rows)
            gone = await rows.accept("the last one", after=timedelta(days=1))
            await rows.erasures.erase(Selection(utterances=(gone.id,)), ErasureReason.ASKED, NOW)
        before = home.rows()
        made = await home.back_up(NOW + timedelta(minutes=in_memory))
        home.database.unlink()
        done = await home.restore(made.file, Permits(), in_memory=in_memory)
        after = home.rows()
        for table, marks in (("meta", "vector_index"), ("events", "indexed"), ("traits", "indexed")):
            assert before.pop(table), marks
            after.pop(table)
        assert after == before
        assert done.rows == made.rows > 30
        assert home.database.stat().st_mode & 0o077 == 0
        assert home.query("PRAGMA integrity_check") == [("ok",)]
        assert home.query("PRAGMA foreign_key_check") == []
        assert not list(home.data.glob("*.tmp*"))


async def test_no_id_is_given_twice_after_a_restore(home: Home) -> None:
    """What was erased before the backup leaves its id unused; SQLite's sequences come along."""
    async with home.living() as (rows, erasures):
        gone = await rows.accept("first")
        await erasures.erase(Selection(utterances=(gone.id,)), ErasureReason.ASKED, NOW)
    made = await home.back_up()
    await home.restore(made.file)
    async with home.living() as (rows, _):
        rows._said = 10
        assert (await rows.accept("second")).id > gone.id


async def test_another_key_opens_nothing(home: Home) -> None:
    async with home.living() as (rows, _):
        await rows.accept(CANARY)
    made = await home.back_up()
    home.key.unlink()
    make_key(home.key, NOW)
    await refused(home, made.file, StorageError, r"not its key.*Nothing was changed", REPLACE)
    home.key.write_text("no key at all")
    await refused(home, made.file, BadInput, "holds no key", REPLACE)
    home.key.write_bytes(b"\xff\xfe")
    await refused(home, made.file, BadInput, "cannot be read", REPLACE)
    home.key.unlink()
    await refused(home, made.file, BadInput, "cannot be read", REPLACE)
    await refused(home, made.file.with_name("none.age"), BadInput, "There is no backup", REPLACE)


@pytest.mark.parametrize(
    "damage",
    [
        cut(0),
        cut(0.01),
        cut(0.5),
        cut(0.999),
        flip(0.5),
        flip(0.9999),
        lambda whole: whole + b"x",
        lambda _: b"hello" * 50,
    ],
)
async def test_a_damaged_backup_changes_nothing(home: Home, damage: Callable[[bytes], bytes]) -> None:
    async with home.living() as (rows, _):
        await rows.accept(" ".join(sha256(str(number).encode()).hexdigest() for number in range(5000)))
    made = await home.back_up()
    whole = made.file.read_bytes()
    assert len(whole) > 3 * 65536 // 2  # more than one block of the encryption
    made.file.write_bytes(damage(whole))
    await refused(home, made.file, StorageError, r"damaged or not whole.*Nothing was changed", REPLACE)


async def test_what_a_newer_program_made_is_refused(home: Home) -> None:
    async with home.living() as (rows, _):
        await rows.accept("mine")
    everything = Permits(replace=True, without_journal=True)
    file = forge(home, {**MANIFEST.line(), "format": 2}, {"end": 0})
    await refused(home, file, StorageError, "newer version.*Update the program", everything)
    file = forge(home, replace(MANIFEST, schema="9999").line(), {"end": 0})
    await refused(home, file, DatabaseTooNew, "newer version.*Update the program", everything)


async def test_a_backup_of_an_older_program_is_brought_up_to_date(home: Home) -> None:
    """Its tables are made as they were, filled, and migrated."""
    old = {"table": "erased_messages", "columns": ["platform", "message_id", "at"]}
    speakers = {"table": "speakers", "columns": ["id", "name", "number"]}
    row = ["chat", "m1", "2026-05-01 12:00:00.000000"]
    lines = [old, row, speakers, [ANN.id, ANN.name, 1], {"end": 2}]
    file = forge(home, replace(MANIFEST, schema="0002").line(), *lines)
    await home.restore(file, Permits(without_journal=True))
    assert home.query("SELECT id, name FROM speakers") == [(ANN.id, ANN.name)]
    async with home.living() as (rows, _):
        assert await rows.inbox.accept(rows.utterance()) is None
        assert await rows.inbox.accept(rows.utterance()) is not None


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [{"end": 1}],
        [{"end": 0}, {"end": 0}],
        [{"table": "letters", "columns": ["text"]}, {"end": 0}],
        [{"table": "meta", "columns": ["key", "value"]}, ["a"], {"end": 1}],
        ["hello"],
        [["a row of nothing"], {"end": 1}],
    ],
)
async def test_lines_that_are_no_backup_are_refused(home: Home, lines: list[object]) -> None:
    async with home.living() as (rows, _):
        await rows.accept("mine")
    file = forge(home, MANIFEST.line(), *lines)
    await refused(home, file, StorageError, "damaged or not whole", Permits(replace=True, without_journal=True))


async def test_an_expired_backup_is_refused_unless_it_is_said(home: Home) -> None:
    async with home.living() as (rows, _):
        await rows.accept("long ago")
    made = await home.back_up()
    late = made.expires + timedelta(seconds=1)
    with pytest.raises(BadInput, match=r"expired on 2026-07-01.*--even-expired"):
        await home.restore(made.file, REPLACE, late)
    await home.restore(made.file, Permits(replace=True, even_expired=True), late)
    assert home.texts() == ["long ago"]


async def test_present_data_are_replaced_only_when_it_is_said(home: Home) -> None:
    async with home.living() as (rows, _):
        await rows.accept("old")
    made = await home.back_up()
    async with home.living() as (rows, _):
        rows._said = 10
        await rows.accept(CANARY)
    home.index.mkdir()
    (home.index / "vectors").write_text("of the present rows")
    await refused(
        home, made.file, BadInput, r"holds 2 messages, the last of 2026-03-01 12:00 UTC.*--replace", Permits()
    )
    await home.restore(made.file)
    assert home.texts() == ["old"]
    assert holders(home.data, CANARY) == set()
    assert not home.index.exists()
    home.database.write_bytes(b"\xff" * 8192)
    await refused(home, made.file, BadInput, r"cannot be read.*--replace", Permits())
    await home.restore(made.file)
    assert home.texts() == ["old"]


async def test_no_restore_while_the_companion_runs(home: Home) -> None:
    async with home.living():
        pass
    made = await home.back_up()
    with DataFolderLock(home.data), pytest.raises(StorageError, match="Another Hello Again is running"):
        await home.restore(made.file)


async def test_what_was_on_its_way_is_not_sent_again(home: Home) -> None:
    async with home.living() as (rows, _):
        said = await rows.accept("answer me")
        await rows.accept("and me")
        assert await rows.outbox.commit(reply_to(said), [said.id], NOTHING, []) is not None
        await rows.outbox.draft(ANNS_DM, "m2", "shown")
    made = await home.back_up()
    await home.restore(made.file)
    async with home.living() as (rows, _):
        assert await rows.inbox.pending() == []
        assert await rows.outbox.undelivered() == []
        assert await rows.outbox.unfinished() == []
    assert len(home.texts()) == 3


@pytest.mark.parametrize(
    "point",
    [
        "backup: in the rows",
        "restore: rows are loaded",
        "restore: before it is replaced",
        "restore: the old log is away",
    ],
)
async def test_a_kill_changes_nothing_and_leaves_nothing(
    home: Home, tmp_path: Path, killed: Callable[[Path, str], int], point: str
) -> None:
    async with home.living() as (rows, _):
        said = await rows.accept(CANARY)
    made = await home.back_up()
    async with home.living() as (rows, erasures):
        await erasures.erase_messages("chat", [said.message_id], NOW + timedelta(hours=1))
        rows._said = 10
        await rows.accept("the present")
        if point == "backup: in the rows":
            assert killed(tmp_path, point) == -signal.SIGKILL
    if point != "backup: in the rows":
        assert killed(tmp_path, point) == -signal.SIGKILL
    assert home.texts() == ["the present"]
    assert {file.name for file in home.data.glob("*.tmp")} == LEFT[point]
    remove_leftovers(home.data)
    assert not [file.name for file in home.data.iterdir() if ".tmp" in file.name]
    again = await home.back_up(NOW + timedelta(hours=2))
    assert {file.suffix for file in home.backups.iterdir()} == {".age", ".journal"}
    await home.restore(made.file)
    assert home.texts() == []
    await home.restore(again.file)
    assert home.texts() == ["the present"]
    assert holders(tmp_path, CANARY) == set()
