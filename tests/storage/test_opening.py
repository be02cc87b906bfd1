"""The vector index on disk: it can be lost, damaged or made by another encoder, and is made again."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from bot.domain import Scope, VectorKind
from bot.errors import IndexUnusable
from bot.indexing.indexing import Indexer
from bot.llm.scripted import ScriptedEncoder
from bot.storage.engine.database import Database, open_database
from bot.storage.shared import index_marks
from bot.storage.vectors import opening
from bot.storage.vectors.chroma import ChromaVectorIndex
from bot.storage.vectors.collections import NEAREST, collection_name
from bot.storage.vectors.opening import open_index
from tests.looking import vectors_in
from tests.stored import ANN, ANNS_DM, HALL, START, Rows

EVENTS = Scope(VectorKind.EVENT, ANNS_DM.key)
TRAITS = Scope(VectorKind.TRAIT, HALL.key)
PASSAGES = Scope(VectorKind.PASSAGE, HALL.key)


class Filled:
    """A database with an event and two traits, and an index that holds their vectors."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.folder = folder / "index"
        self.database = database
        self.rows = Rows(database)
        self.encoder = ScriptedEncoder()

    async def open(self, fingerprint: str | None = None) -> ChromaVectorIndex:
        return await open_index(self.folder, self.database, fingerprint or self.encoder.fingerprint)

    async def fill(self) -> None:
        await self.rows.event(await self.rows.converse(ANNS_DM, [ANN]))
        session = await self.rows.converse(HALL, [ANN])
        for text in ("I sing.", "I dance."):
            await self.rows.trait(session, ANN, text)
        index = await self.open()
        assert await self.catch_up(index) == 3
        await index.aclose()

    async def catch_up(self, index: ChromaVectorIndex) -> int:
        indexer = Indexer(
            events=self.rows.events,
            traits=self.rows.traits,
            passages=self.rows.passages,
            index=index,
            encoder=self.encoder,
        )
        return await indexer.catch_up()

    async def made_again(self, fingerprint: str | None = None) -> int:
        """How many vectors have to be made after opening; afterwards all are there."""
        index = await self.open(fingerprint)
        made = await self.catch_up(index)
        assert (await vectors_in(index, EVENTS), await vectors_in(index, TRAITS)) == (1, 2)
        await index.aclose()
        return made


@pytest.fixture
async def filled(tmp_path: Path) -> AsyncIterator[Filled]:
    database = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'hello.db'}")
    filled = Filled(tmp_path, database)
    await filled.fill()
    yield filled
    await database.aclose()


def only(folder: Path) -> Path:
    [entry] = folder.iterdir()
    return entry


async def forget_how_it_was_closed(filled: Filled) -> None:
    """As after a crash."""
    assert await index_marks.take_closed_state(filled.database) is not None


async def test_an_index_that_was_closed_is_not_compared_again(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[ChromaVectorIndex] = []

    async def compare(index: ChromaVectorIndex, database: Database) -> None:
        compared.append(index)

    monkeypatch.setattr(opening, "_put_in_step", compare)
    await (await filled.open()).aclose()
    assert compared == []
    left_open = await filled.open()
    assert await index_marks.take_closed_state(filled.database) is None
    await left_open.aclose()
    only(filled.folder).joinpath("stray").touch()
    await (await filled.open()).aclose()
    assert len(compared) == 1


async def test_an_index_that_broke_while_it_was_open_is_compared_at_the_next_start(filled: Filled) -> None:
    index = await filled.open()
    with pytest.raises(IndexUnusable, match="start the program again"):
        await index.upsert(TRAITS, [1], np.ones((1, 3), np.float32))
    await index.aclose()
    assert await index_marks.take_closed_state(filled.database) is None


async def test_a_sound_index_is_taken_as_it_is(filled: Filled) -> None:
    before = only(filled.folder)
    assert await filled.made_again() == 0
    assert only(filled.folder) == before


async def test_a_lost_index_is_made_again(filled: Filled) -> None:
    shutil.rmtree(filled.folder)
    assert await filled.made_again() == 3


async def test_an_index_of_another_encoder_is_made_again_and_the_old_one_deleted(filled: Filled) -> None:
    before = only(filled.folder)
    assert await filled.made_again("another encoder") == 3
    assert only(filled.folder) != before


async def test_an_index_of_another_database_is_made_again(filled: Filled) -> None:
    before = only(filled.folder)
    before.rename(filled.folder / "0123456789abcdef")
    assert await filled.made_again() == 3


@pytest.mark.parametrize("damage", ["garbage", "truncated", "gone"])
async def test_a_damaged_index_is_made_again(filled: Filled, damage: str) -> None:
    file = only(filled.folder) / "chroma.sqlite3"
    if damage == "garbage":
        file.write_bytes(b"garbage" * 1000)
    elif damage == "truncated":
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    else:
        file.unlink()
    assert await filled.made_again() == 3


async def test_missing_vectors_alone_are_made_again(filled: Filled) -> None:
    [first, _] = await filled.rows.traits.current(ANN.id, HALL)
    index = await filled.open()
    await index.remove(TRAITS, [first.id])
    await index.aclose()
    await forget_how_it_was_closed(filled)
    assert await filled.made_again() == 1


async def test_vectors_of_rows_that_are_not_there_are_removed(filled: Filled) -> None:
    nowhere = Scope(VectorKind.EVENT, "chat:dm:nobody")
    index = await filled.open()
    await index.upsert(TRAITS, [77], np.ones((1, filled.encoder.dimension), np.float32))
    await index.upsert(nowhere, [78], np.ones((1, filled.encoder.dimension), np.float32))
    await index.aclose()
    await forget_how_it_was_closed(filled)
    assert await filled.made_again() == 0
    index = await filled.open()
    assert await vectors_in(index, nowhere) == 0
    await index.aclose()


async def test_passages_are_made_again_and_compared_like_the_others(filled: Filled) -> None:
    assert await filled.rows.passages.archive(2, [], 0) == 1

    async def made_again() -> frozenset[int]:
        assert await filled.made_again("another encoder")
        index = await filled.open("another encoder")
        there = await index.ids(PASSAGES)
        await index.aclose()
        return there

    assert await made_again() == {1}
    index = await filled.open("another encoder")
    await index.remove(PASSAGES, [1])
    await index.upsert(PASSAGES, [77], np.ones((1, filled.encoder.dimension), np.float32))
    await index.aclose()
    await forget_how_it_was_closed(filled)
    assert await made_again() == {1}


async def test_a_vector_that_was_made_while_its_row_went_is_removed_at_the_next_start(filled: Filled) -> None:
    index = await filled.open()
    [event] = await filled.rows.events.readable_in(ANNS_DM)
    said = await filled.rows.utterances.get(event.sources)
    await filled.rows.erasures.erase_messages("chat", [one.message_id for one in said], START)
    await index.aclose()
    index = await filled.open()
    assert (await vectors_in(index, EVENTS), await vectors_in(index, TRAITS)) == (0, 2)
    await index.aclose()


async def test_after_a_removal_the_index_is_compared_once(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    index = await filled.open()
    [event] = await filled.rows.events.readable_in(ANNS_DM)
    said = await filled.rows.utterances.get(event.sources)
    await filled.rows.erasures.erase_messages("chat", [one.message_id for one in said], START)
    await index.aclose()
    await (await filled.open()).aclose()

    async def compare(index: ChromaVectorIndex, database: Database) -> None:
        raise AssertionError("compared again")

    monkeypatch.setattr(opening, "_put_in_step", compare)
    await (await filled.open()).aclose()


async def test_a_folder_that_cannot_be_written_is_a_sentence(filled: Filled) -> None:
    shutil.rmtree(filled.folder)
    filled.folder.write_text("in the way")
    with pytest.raises(IndexUnusable, match=r"storage\.data_dir"):
        await filled.open()


async def test_no_words_and_no_ids_of_people_are_in_the_index(filled: Filled) -> None:
    files = [file for file in filled.folder.rglob("*") if file.is_file()]
    content = b"".join(file.read_bytes() for file in files) + " ".join(map(str, files)).encode()
    for words in ("They met", "I sing", "museum", ANN.id, ANNS_DM.key, HALL.ref):
        assert words.encode() not in content
    assert "ann" not in collection_name(EVENTS)


async def test_beyond_the_exact_limit_the_nearest_are_found(tmp_path: Path) -> None:
    index = ChromaVectorIndex(tmp_path / "index", exact_limit=1100)
    await index.open()
    rows = np.random.default_rng(3).normal(size=(1200, 8)).astype(np.float32)
    await index.upsert(EVENTS, range(1000), rows[:1000])
    assert len((await index.similarities(EVENTS, rows[0]))[0]) == 1000
    await index.upsert(EVENTS, range(1000, 1200), rows[1000:])
    ids, cosines = await index.similarities(EVENTS, rows[5])
    assert len(ids) == NEAREST
    assert ids[np.argmax(cosines)] == 5
    exact = rows[ids] @ rows[5] / np.linalg.norm(rows[ids], axis=1) / np.linalg.norm(rows[5])
    assert np.abs(cosines - exact).max() < 1e-4
    await index.aclose()


async def test_a_closed_index_says_so_and_closes_twice(tmp_path: Path) -> None:
    index = ChromaVectorIndex(tmp_path / "index")
    await index.open()
    await index.aclose()
    await index.aclose()
    with pytest.raises(IndexUnusable, match="closed"):
        await vectors_in(index, EVENTS)


async def test_what_could_not_be_opened_is_opened_in_the_same_process_later(tmp_path: Path) -> None:
    """So it is on a full disk: Chroma's file cannot be opened, and a moment later it can."""
    in_the_way = tmp_path / "index" / "chroma.sqlite3"
    in_the_way.mkdir(parents=True)
    index = ChromaVectorIndex(tmp_path / "index")
    with pytest.raises(IndexUnusable):
        await index.open()
    in_the_way.rmdir()
    await index.upsert(EVENTS, [7], await ScriptedEncoder().encode(["I sing."]))
    assert await index.ids(EVENTS) == {7}
    await index.aclose()
