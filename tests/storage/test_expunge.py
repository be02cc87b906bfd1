"""What is expunged from the vector index is in none of its files any more; what stays is found as before."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from bot.domain import Scope, VectorKind
from bot.errors import IndexUnusable
from bot.ports import Vectors
from bot.storage.vectors import chroma, files
from bot.storage.vectors.chroma import ChromaVectorIndex
from bot.storage.vectors.collections import is_searched
from tests.looking import vectors_in

ANNS = Scope(VectorKind.EVENT, "chat:dm:ann")
HALL = Scope(VectorKind.TRAIT, "chat:channel:server/hall")
DIMENSION = 48


def unit(count: int, seed: int = 0) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def holds(file: Path, vector: Vectors) -> bool:
    """Whether the file holds any eight numbers of the vector in a row, wherever they begin, to four digits.

    By another way than the program's own search.
    """
    content = file.read_bytes()
    slices = vector[: len(vector) // 8 * 8].reshape(-1, 8)
    for offset in range(4):
        with np.errstate(invalid="ignore", over="ignore"):
            numbers = np.frombuffer(content[offset : offset + (len(content) - offset) // 4 * 4], "<f4")
            for wanted in slices:
                for at in np.flatnonzero(np.abs(numbers - wanted[0]) < 1e-5):
                    there = numbers[at : at + 8]
                    if len(there) == 8 and bool(np.allclose(there, wanted, rtol=1e-3, atol=1e-6)):
                        return True
    return False


def holders(folder: Path, vector: Vectors) -> set[str]:
    """The names of the files that hold it."""
    return {file.name for file in folder.rglob("*") if file.is_file() and holds(file, vector)}


@pytest.fixture
async def index(tmp_path: Path) -> AsyncIterator[ChromaVectorIndex]:
    index = ChromaVectorIndex(tmp_path / "index")
    await index.open()
    yield index
    await index.aclose()


@pytest.mark.parametrize(("count", "where"), [(40, "chroma.sqlite3"), (1200, "data_level0.bin")])
async def test_an_expunged_vector_is_in_no_file(
    index: ChromaVectorIndex, tmp_path: Path, count: int, where: str
) -> None:
    """A small scope's vectors are in Chroma's queue; those of a large one in its graph."""
    vectors = unit(count)
    await index.upsert(ANNS, range(count), vectors)
    await index.upsert(HALL, range(5), unit(5, seed=1))
    await index.remove(ANNS, [3, 4])
    assert where in holders(tmp_path, vectors[3]), "only marked: the reason for all this"
    await index.expunge([(ANNS, [3, 5])])
    for gone in (3, 5):
        assert holders(tmp_path, vectors[gone]) == set()
    assert holders(tmp_path, vectors[4]) == set(), "what was removed before"
    assert holders(tmp_path, vectors[6])
    ids, cosines = await index.similarities(ANNS, vectors[7])
    assert sorted(ids.tolist()) == sorted(set(range(count)) - {3, 4, 5})
    assert ids[np.argmax(cosines)] == 7
    assert await vectors_in(index, HALL) == 5


async def test_nothing_is_left_of_a_scope_that_becomes_empty(index: ChromaVectorIndex, tmp_path: Path) -> None:
    vectors = unit(1100)
    await index.upsert(ANNS, range(1100), vectors)
    await index.upsert(HALL, [1], unit(1, seed=1))
    await index.expunge([(ANNS, range(1100)), (ANNS, [77])])
    assert all(not holders(tmp_path, vectors[at]) for at in (0, 500, 1099))
    assert (await vectors_in(index, ANNS), await vectors_in(index, HALL)) == (0, 1)
    folders = [entry for entry in (tmp_path / "index").iterdir() if entry.is_dir()]
    assert len(folders) == 1, "the other scope's alone"
    await index.upsert(ANNS, [1], vectors[:1])
    assert await vectors_in(index, ANNS) == 1


async def test_what_is_left_of_a_dropped_collection_goes_too(index: ChromaVectorIndex, tmp_path: Path) -> None:
    vectors = unit(20)
    await index.upsert(ANNS, range(20), vectors)
    await index.upsert(HALL, [1], unit(1, seed=1))
    await index.keep_only(frozenset({HALL}))
    assert any(holders(tmp_path, vector) for vector in vectors), "in free pages"
    await index.expunge([(ANNS, [1])])
    assert not any(holders(tmp_path, vector) for vector in vectors)
    assert await vectors_in(index, HALL) == 1


async def test_it_is_the_same_after_the_index_was_opened_again(tmp_path: Path) -> None:
    vectors = unit(60)
    for number in range(2):
        index = ChromaVectorIndex(tmp_path / "index")
        await index.open()
        if number == 0:
            await index.upsert(ANNS, range(60), vectors)
            await index.expunge([(ANNS, [5])])
        assert await index.ids(ANNS) == frozenset(range(60)) - {5}
        ids, cosines = await index.similarities(ANNS, vectors[7])
        assert dict(zip(ids.tolist(), cosines.tolist(), strict=True))[7] == pytest.approx(1, abs=1e-5)
        await index.aclose()


async def test_searches_are_answered_while_it_goes_on(
    index: ChromaVectorIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chroma, "WRITTEN", 50)
    vectors = unit(600)
    await index.upsert(ANNS, range(600), vectors)
    await index.upsert(HALL, range(5), unit(5, seed=1))
    expunging = asyncio.create_task(index.expunge([(ANNS, [3])]))
    answers = elsewhere = 0
    while not expunging.done():
        ids, _ = await index.similarities(ANNS, vectors[7])
        if not answers:
            assert len(ids) in {599, 600}
        else:
            assert len(ids) == 599
        answers += 1
        index._matrices.drop(HALL)
        elsewhere += int(len((await index.similarities(HALL, vectors[7]))[0]) == 5)
        await asyncio.sleep(0)
    await expunging
    assert answers > 3
    assert elsewhere == answers


async def test_a_search_that_waited_does_not_bring_back_what_goes(index: ChromaVectorIndex) -> None:
    """It was asked for when nothing was in memory, and its turn comes when the scope is being written anew."""
    vectors = unit(300)
    await index.upsert(ANNS, range(300), vectors)
    busy = threading.Event()
    working = asyncio.create_task(index._run(lambda: busy.wait(20)))
    await asyncio.sleep(0.01)
    expunging = asyncio.create_task(index.expunge([(ANNS, [3])]))
    await asyncio.sleep(0.01)
    searching = asyncio.create_task(index.similarities(ANNS, vectors[7]))
    await asyncio.sleep(0.01)
    busy.set()
    assert 3 not in (await searching)[0]
    assert 3 not in (await index.similarities(ANNS, vectors[7]))[0]
    await asyncio.gather(working, expunging)
    assert await index.ids(ANNS) == frozenset(range(300)) - {3}


async def test_a_scope_is_loaded_whole_while_it_is_written_anew(
    index: ChromaVectorIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chroma, "WRITTEN", 50)
    monkeypatch.setattr(chroma, "LOADED", 100)
    vectors = unit(600)
    await index.upsert(ANNS, range(600), vectors)
    expunging = asyncio.create_task(index.expunge([(ANNS, [3])]))
    loaded = 0
    while not expunging.done():
        ids, rows = await index.load(ANNS, range(600))
        assert set(range(600)) - {3} <= set(ids.tolist())
        assert np.allclose(rows, vectors[ids], atol=1e-5)
        loaded += 1
        await asyncio.sleep(0)  # what is answered from memory gives nobody else a turn
    await expunging
    assert loaded > 1
    assert (await index.load(ANNS, range(600)))[0].tolist() == [key for key in range(600) if key != 3]


async def test_an_expunging_that_broke_off_goes_on_where_it_stopped(
    index: ChromaVectorIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the scope is not on disk then. The next start would make it anew, and this process has it in memory."""
    vectors = unit(300)
    await index.upsert(ANNS, range(300), vectors)
    fill = index._fill
    calls = 0

    def full_disk(scope: Scope, ids: list[int], rows: Vectors) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise OSError("No space left on device")
        fill(scope, ids, rows)

    monkeypatch.setattr(chroma, "WRITTEN", 100)
    monkeypatch.setattr(index, "_fill", full_disk)
    with pytest.raises(IndexUnusable, match="has room"):
        await index.expunge([(ANNS, [3])])
    assert len((await index.similarities(ANNS, vectors[7]))[0]) == 299
    await index.upsert(ANNS, [400], unit(1, seed=9))
    await index.expunge([(ANNS, [3])])
    assert await index.ids(ANNS) == frozenset(range(300)) - {3} | {400}
    assert holders(tmp_path, vectors[3]) == set()


async def test_a_folder_that_cannot_be_gone_over_leaves_the_index_open(
    index: ChromaVectorIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await index.upsert(ANNS, range(20), unit(20))

    def refuse(folder: Path) -> None:
        raise OSError("read-only file system")

    monkeypatch.setattr(files, "compact", refuse)
    with pytest.raises(IndexUnusable, match="read-only"):
        await index.expunge([(ANNS, [3])])
    assert await vectors_in(index, ANNS) == 19
    monkeypatch.undo()
    await index.expunge([(ANNS, [3])])
    assert holders(tmp_path, unit(20)[3]) == set()


async def test_an_unfinished_file_of_an_earlier_process_goes(index: ChromaVectorIndex, tmp_path: Path) -> None:
    await index.upsert(ANNS, [1], unit(1))
    (tmp_path / "index" / files.NEW).write_bytes(b"half written")
    await index.expunge([])
    assert {file.name for file in (tmp_path / "index").iterdir() if file.is_file()} == {files.DATABASE}
    assert await vectors_in(index, ANNS) == 1


CHILD = """
import asyncio, os, signal, sys
from pathlib import Path
from bot.storage.vectors import files
from bot.storage.vectors.chroma import ChromaVectorIndex
from tests.looking import vectors_in
from tests.storage.test_expunge import ANNS, HALL, unit

async def main(folder, point):
    index = ChromaVectorIndex(Path(folder))
    await index.open()
    await index.upsert(ANNS, range(1200), unit(1200))
    await index.upsert(HALL, range(5), unit(5, seed=1))
    def killed(*args):
        os.kill(os.getpid(), signal.SIGKILL)
    if point == "before the drop":
        index._drop = killed
    if point == "before the fill":
        index._fill = killed
    if point == "before the compaction":
        index._compact = killed
    if point == "before the swap":
        files.sync = killed
    if point == "before the folders":
        files.shutil.rmtree = killed
    await index.expunge([(ANNS, [3])])

asyncio.run(main(sys.argv[1], sys.argv[2]))
"""


@pytest.mark.kill
@pytest.mark.parametrize(
    "point", ["before the drop", "before the fill", "before the compaction", "before the swap", "before the folders"]
)
async def test_after_sigkill_the_next_expunging_leaves_nothing(tmp_path: Path, point: str) -> None:
    child = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", CHILD, str(tmp_path / "index"), point],
        check=False,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert child.returncode == -signal.SIGKILL, child.stderr
    index = ChromaVectorIndex(tmp_path / "index")
    await index.open()
    there = await index.ids(ANNS)
    assert there <= frozenset(range(1200))
    await index.expunge([(ANNS, [3])])
    assert await index.ids(ANNS) == there - {3}
    assert await vectors_in(index, HALL) == 5
    assert holders(tmp_path, unit(1200)[3]) == set()
    await index.aclose()


async def test_a_scope_has_a_graph_to_search_in_only_when_it_is_too_large_to_compare(tmp_path: Path) -> None:
    index = ChromaVectorIndex(tmp_path / "index", exact_limit=100)
    await index.open()

    def searched() -> bool:
        collection = index._collection(ANNS)
        assert collection is not None
        return is_searched(collection)

    vectors = unit(150)
    await index.upsert(ANNS, range(100), vectors[:100])
    assert not searched()
    await index.upsert(ANNS, range(90, 150), vectors[90:])
    assert searched(), "it has outgrown the other one"
    assert await index.ids(ANNS) == frozenset(range(150))
    assert (await index.similarities(ANNS, vectors[120]))[1].max() == pytest.approx(1, abs=1e-5)
    await index.expunge([(ANNS, [3])])
    assert searched()
    await index.expunge([(ANNS, range(60))])
    assert not searched()
    assert await index.ids(ANNS) == frozenset(range(60, 150))
    await index.aclose()


async def test_the_folder_of_the_graph_that_was_outgrown_goes(tmp_path: Path) -> None:
    index = ChromaVectorIndex(tmp_path / "index", exact_limit=2000)
    await index.open()
    vectors = unit(2600)

    def folders() -> set[str]:
        return {entry.name for entry in (tmp_path / "index").iterdir() if entry.is_dir()}

    await index.upsert(ANNS, range(2000), vectors[:2000])
    before = folders()
    assert len(before) == 1
    await index.upsert(ANNS, range(2000, 2600), vectors[2000:])
    assert len(folders()) == 1
    assert folders() != before
    assert await index.ids(ANNS) == frozenset(range(2600))
    await index.aclose()


async def test_chromas_queue_is_looked_through_by_collection(index: ChromaVectorIndex, tmp_path: Path) -> None:
    await index.upsert(ANNS, range(5), unit(5))
    file = tmp_path / "index" / files.DATABASE
    with closing(sqlite3.connect(file)) as connection:
        asked = "EXPLAIN QUERY PLAN SELECT * FROM embeddings_queue WHERE topic = ? AND seq_id > ?"
        assert "hello_again_queue_topic" in str(connection.execute(asked, ("some topic", 3)).fetchall())
    await index.expunge([(ANNS, [3])])
    with closing(sqlite3.connect(file)) as connection:
        assert "hello_again_queue_topic" in str(connection.execute(asked, ("some topic", 3)).fetchall())


async def test_chroma_is_opened_anew_after_many_scopes_and_nothing_is_lost(
    index: ChromaVectorIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chroma, "TOUCHED", 3)
    clients = {id(index._client): index._client}
    scopes = [Scope(VectorKind.EVENT, f"chat:dm:{number}") for number in range(8)]
    vectors = unit(1100)
    for number, scope in enumerate(scopes):
        await index.upsert(scope, range(1100 if number == 4 else 5), vectors if number == 4 else vectors[:5])
        clients[id(index._client)] = index._client
        assert len(index._collections) <= 3
    for _ in range(2):
        for number, scope in enumerate(scopes):
            ids, rows = await index.load(scope, range(1100))
            assert np.allclose(rows, vectors[ids], atol=1e-5)
            assert len(ids) == (1100 if number == 4 else 5)
            await index.upsert(scope, [0], vectors[:1])
            clients[id(index._client)] = index._client
    assert len(clients) > 3
    assert sum([len(page) async for page in index.every_vector()]) == 1100 + 7 * 5
    assert await index.keep_only(frozenset(scopes[:2])) == 6
    assert [await vectors_in(index, scope) for scope in scopes[:3]] == [5, 5, 0]
