"""The files of the data folder: after a rewrite they hold nothing of what was erased, and what is left is found."""

import asyncio
import json
import random
import sqlite3
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from bot.domain import Finding, Scope, VectorKind
from bot.errors import StorageError
from bot.ports import Vectors
from bot.storage.engine import database as database_module
from bot.storage.engine.database import Database, open_database
from bot.storage.erasing.disk import MOST_PLACES, DataFolder
from bot.storage.shared import tables
from bot.storage.vectors.chroma import ChromaVectorIndex
from tests.stored import ANN, ANNS_DM, BEN, HALL, START, Rows

SECRET = "My grandmother hid the emeralds under the third step of the cellar stairs in Leeds."
NO_VECTORS: Vectors = np.empty((0, 0), np.float32)
SCOPE = Scope(VectorKind.EVENT, ANNS_DM.key)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'hello.db'}")
    yield database
    await database.aclose()


@pytest.fixture
def disk(tmp_path: Path, database: Database) -> DataFolder:
    return DataFolder(tmp_path, database)


def unit(count: int, seed: int = 0) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, 64)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


async def places(disk: DataFolder, *texts: str, vectors: Vectors = NO_VECTORS) -> dict[tuple[str, str], int]:
    """(File, what) → in how many places it is."""
    found = await disk.look_for(texts, vectors)
    return {(one.file, one.what): found.count(one) for one in found}


def long_texts(count: int) -> list[str]:
    """Sentences that are nowhere alike, from 30 to 9,000 characters: the long ones go over several pages."""
    dice = random.Random(5)
    return [
        " ".join(f"{number}-{dice.getrandbits(40):x}" for _ in range(dice.choice((3, 10, 60, 300, 700))))
        for number in range(count)
    ]


async def fill(database: Database, texts: Sequence[str]) -> None:
    """Utterances with these texts, ids from 1."""
    await Rows(database).accept("the first")
    async with database.writing() as connection:
        for number, text in enumerate(texts, start=2):
            await connection.execute(
                tables.utterances.insert().values(
                    id=number,
                    place_key=ANNS_DM.key,
                    platform="chat",
                    message_id=f"x{number}",
                    speaker_id=ANN.id,
                    speaker_name="Ann",
                    text=text,
                    time=START,
                    to_bot=True,
                )
            )


async def delete(database: Database, ids: Sequence[int]) -> None:
    async with database.writing() as connection:
        await connection.execute(tables.utterances.delete().where(tables.utterances.c.id.in_(ids)))


def every_byte(folder: Path, texts: Sequence[str]) -> set[str]:
    """The files with any 24 bytes in a row of any of the texts. By another way than the program's own search."""
    pieces = {text[start : start + 24].encode() for text in texts for start in range(0, len(text) - 23, 12)}
    found = set()
    for file in folder.rglob("*"):
        content = file.read_bytes() if file.is_file() else b""
        if any(content[at : at + 24] in pieces for at in range(len(content) - 23)):
            found.add(file.name)
    return found


def files_in(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


async def test_secure_delete_alone_leaves_words_behind_and_a_rewrite_does_not(
    database: Database, disk: DataFolder, tmp_path: Path
) -> None:
    texts = long_texts(250)
    await fill(database, texts)
    gone = list(range(2, len(texts) + 2, 3))
    erased = [texts[number - 2] for number in gone]
    await delete(database, gone)
    left = await places(disk, *erased)
    assert left, "the write-ahead log keeps old pages"
    await disk.rewrite()
    assert await places(disk, *erased) == {}
    assert every_byte(tmp_path, erased) == set()
    assert sum((await places(disk, *texts[1::3])).values()) == 0, "these are rows, and nothing is wrong with them"
    assert every_byte(tmp_path, texts[1:2]) == {"hello.db"}
    assert (tmp_path / "hello.db-wal").stat().st_size == 0


async def test_free_pages_that_were_not_overwritten_go_with_a_rewrite(
    database: Database, disk: DataFolder, tmp_path: Path
) -> None:
    """As another SQLite leaves them, or an older program. (`secure_delete` left 1 place of 1,500 erased rows.)"""
    texts = long_texts(100)
    await fill(database, texts)
    with closing(sqlite3.connect(tmp_path / "hello.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("DELETE FROM inbox")
        connection.execute("DELETE FROM utterances")
        assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    assert ("hello.db", "text") in await places(disk, *texts)
    await disk.rewrite()
    assert await places(disk, *texts) == {}
    assert every_byte(tmp_path, texts) == set()


async def test_reads_and_writes_go_on_around_a_rewrite(database: Database, disk: DataFolder) -> None:
    rows = Rows(database)

    async def talk(number: int) -> None:
        await rows.accept(f"number {number}")
        assert await rows.utterances.recent(ANNS_DM, 1)

    async with asyncio.timeout(30):
        await asyncio.gather(disk.rewrite(), *(talk(number) for number in range(30)), disk.rewrite())
    assert len(await rows.inbox.pending()) == 30


async def test_a_reader_that_never_ends_is_a_sentence_and_rows_are_safe(
    database: Database, disk: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "CHECKPOINT_S", 0.1)
    rows = Rows(database)
    await rows.accept("safe")
    async with database.reading() as connection:
        await connection.execute(tables.utterances.select())
        with pytest.raises(StorageError, match="tried again later"):
            await disk.rewrite()
    await disk.rewrite()
    assert [said.text for said in await rows.inbox.pending()] == ["safe"]


async def test_a_rewrite_that_is_cancelled_is_finished_before_anybody_writes(
    database: Database, disk: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    steps: list[str] = []

    def slow(file: Path) -> None:
        assert go_on.wait(20)
        steps.append("rewritten")

    async def write() -> None:
        await Rows(database).accept("afterwards")
        steps.append("written")

    monkeypatch.setattr(database_module, "rewrite_file", slow)
    rewriting = asyncio.create_task(disk.rewrite())
    await asyncio.sleep(0.01)
    rewriting.cancel()
    writing = asyncio.create_task(write())
    await asyncio.sleep(0.05)
    assert steps == []
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await rewriting
    await writing
    assert steps == ["rewritten", "written"]


async def test_a_rewrite_removes_exports_and_unfinished_files_and_nothing_else(
    disk: DataFolder, tmp_path: Path
) -> None:
    (tmp_path / "exports").mkdir()
    for name in ("exports/ann.json", "backup.tmp", "etilqs_abc", "keep.json", "index/chroma.tmp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    await disk.rewrite()
    assert files_in(tmp_path) - {"hello.db", "hello.db-wal", "hello.db-shm"} == {"keep.json", "index/chroma.tmp"}


async def test_a_database_in_memory_and_an_empty_folder_are_no_error(tmp_path: Path) -> None:
    database = await open_database("sqlite+aiosqlite:///:memory:")
    disk = DataFolder(tmp_path, database)
    await disk.rewrite()
    assert await disk.look_for([SECRET], unit(1)) == []
    await database.aclose()


@pytest.mark.parametrize("encoded", ["utf-8", "utf-16-le", "json", "json as it is"])
@pytest.mark.parametrize(
    "text", [SECRET, "Ich heiße Müller 🎈", 'She said: "never\nagain"', "Я живу в Туле", "I am gay"]
)
async def test_a_text_is_found_in_every_form(disk: DataFolder, tmp_path: Path, text: str, encoded: str) -> None:
    content = {
        "utf-8": text.encode(),
        "utf-16-le": text.encode("utf-16-le"),
        "json": json.dumps({"said": text}).encode(),
        "json as it is": json.dumps({"said": text}, ensure_ascii=False).encode(),
    }[encoded]
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "log.txt").write_bytes(b"\x01" * 12345 + content + b"\x02" * 77)
    assert await disk.look_for([text], NO_VECTORS) == [Finding("some/log.txt", "text")]
    assert await disk.look_for([f"Not {text[::-1]}"], NO_VECTORS) == []


@pytest.mark.parametrize("at", [(1 << 20) - 40, (1 << 20) - 31, (1 << 20) - 5, (1 << 20), 0])
@pytest.mark.parametrize("text", [SECRET, "I am gay"])
async def test_a_text_is_found_across_the_blocks_that_are_read(
    disk: DataFolder, tmp_path: Path, text: str, at: int
) -> None:
    (tmp_path / "log").write_bytes(b"\0" * at + text.encode() + b"\0")
    assert await places(disk, text) == {("log", "text"): 1}


async def test_what_is_left_of_a_broken_text_is_found(disk: DataFolder, tmp_path: Path) -> None:
    for begin in range(0, len(SECRET) - 48, 5):
        (tmp_path / "page").write_bytes(b"\xff" * 9 + SECRET[begin : begin + 48].encode() + b"\xff" * 9)
        assert await places(disk, SECRET) == {("page", "text"): 1}


async def test_texts_that_are_too_short_are_not_looked_for(disk: DataFolder, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("yes, yes. No way!")
    assert await places(disk, "yes", "", "No way!") == {}
    assert await places(disk, "No way!!") == {}


async def test_what_somebody_else_said_too_is_no_finding(disk: DataFolder, database: Database, tmp_path: Path) -> None:
    """Their text is a row, in which a piece of the erased one stands as well; what nobody says any more is found."""
    rows = Rows(database)
    same = "good morning everybody, did you sleep well?"
    await rows.accept(f"{same} I did.", speaker=BEN, place=HALL)
    (tmp_path / "old page").write_text(f"{same} {SECRET}")
    assert await places(disk, f"{same} And now?", "good morning") == {}
    assert await places(disk, f"{same} {SECRET}") == {("old page", "text"): 1}
    async with database.writing() as connection:
        await connection.execute(tables.utterances.update().values(text="-"))
    assert ("old page", "text") in await places(disk, f"{same} And now?")


@pytest.mark.parametrize("offset", [0, 1, 2, 3])
async def test_a_vector_is_found_as_given_and_normalised_again(disk: DataFolder, tmp_path: Path, offset: int) -> None:
    vectors = unit(3) * 2
    file = tmp_path / "graph.bin"
    file.write_bytes(b"\x5a" * (100 + offset) + vectors[1].tobytes())
    assert await places(disk, vectors=vectors) == {("graph.bin", "vector"): 1}
    again = (vectors[1] / np.float32(2)) * np.float32(1 + 1e-7)
    file.write_bytes(b"\x5a" * (100 + offset) + again.astype(np.float32).tobytes())
    assert await places(disk, vectors=vectors) == {("graph.bin", "vector"): 1}
    assert await places(disk, vectors=unit(50, seed=3)) == {}


async def test_a_slice_of_a_vector_is_found_and_zeros_are_not(disk: DataFolder, tmp_path: Path) -> None:
    vectors = unit(2)
    (tmp_path / "page").write_bytes(b"\0" * 5000 + vectors[0].tobytes()[64:128] + b"\0" * 5000)
    assert await places(disk, vectors=vectors) == {("page", "vector"): 1}
    assert await places(disk, vectors=np.zeros((1, 64), np.float32)) == {}


@pytest.mark.parametrize("count", [50, 1100])
async def test_vectors_are_found_in_the_index_and_equal_ones_of_others_are_not(
    database: Database, tmp_path: Path, count: int
) -> None:
    vectors = unit(count)
    index = ChromaVectorIndex(tmp_path / "index")
    await index.open()
    await index.upsert(SCOPE, range(count), vectors)
    erased = await index.get(SCOPE, [2, 3])
    disk = DataFolder(tmp_path, database)
    assert ("vector" in {one.what for one in await disk.look_for([], erased)}) is True
    await index.expunge([(SCOPE, [2, 3])])
    assert await disk.look_for([], erased) == []
    await index.upsert(SCOPE, [count + 1], vectors[2:3])
    assert await disk.look_for([], erased)
    knowing = DataFolder(tmp_path, database, index.every_vector)
    assert await knowing.look_for([], erased) == []
    await index.aclose()


async def test_places_are_counted_up_to_a_bound(disk: DataFolder, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes((SECRET.encode() + b"\0" * 500) * (MOST_PLACES + 5))
    (tmp_path / "other").write_bytes((SECRET.encode() + b"\0" * 500) * 3)
    assert await places(disk, SECRET) == {("log", "text"): MOST_PLACES, ("other", "text"): 3}


async def test_looking_does_not_let_go_of_the_locks_of_the_database(
    disk: DataFolder, database: Database, tmp_path: Path
) -> None:
    """Else another process, closing the database, would delete the write-ahead log under this one."""
    rows = Rows(database)
    await rows.accept(SECRET)
    await disk.look_for([SECRET], NO_VECTORS)
    other = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT 1 FROM meta'); c.close()"
    process = await asyncio.create_subprocess_exec("python3", "-c", other, str(tmp_path / "hello.db"))
    assert await process.wait() == 0
    assert (tmp_path / "hello.db-wal").exists()
    await rows.accept("and on", speaker=BEN)
    with closing(sqlite3.connect(tmp_path / "hello.db")) as connection:
        assert connection.execute("SELECT count(*) FROM utterances").fetchone() == (2,)


async def test_words_that_the_index_has_by_itself_are_no_finding(database: Database, tmp_path: Path) -> None:
    index = ChromaVectorIndex(tmp_path / "index")
    await index.open()
    await index.upsert(SCOPE, [1], unit(1))
    disk = DataFolder(tmp_path, database)
    stands = {one.file for one in await disk.stands(["collection", "default_tenant"], NO_VECTORS)}
    assert stands == {"index/chroma.sqlite3"}
    assert await places(disk, "collection", "default_tenant") == {}
    (tmp_path / "index" / "data_level0.bin").write_bytes(SECRET.encode())
    assert await places(disk, "collection", SECRET) == {("index/data_level0.bin", "text"): 1}
    await index.aclose()


async def test_a_text_of_one_letter_is_found_in_a_file_of_that_letter(disk: DataFolder, tmp_path: Path) -> None:
    (tmp_path / "page").write_bytes(b"\xa5" * 40_000)
    (tmp_path / "log").write_bytes(b"a" * 40_000)
    assert {file for file, _ in await places(disk, "a" * 50)} == {"log"}
    assert {file for file, _ in await places(disk, "a" * 10)} == {"log"}
