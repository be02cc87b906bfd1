"""The vector index is brought up to the tables: all of them, once, in batches."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import numpy as np
import pytest

from bot.domain import Place, Scope, VectorKind
from bot.errors import IndexUnusable
from bot.indexing.indexing import BATCH, LONGEST_KEY, Indexer, event_key, passage_key
from bot.llm.scripted import ScriptedEncoder
from bot.ports import VectorIndex, Vectors
from bot.storage.shared import index_marks
from bot.storage.vectors.memory import NumpyVectorIndex
from tests.looking import vectors_in
from tests.open_rows import open_rows
from tests.stored import ANN, ANNS_DM, BEN, HALL, Rows


class BatchingEncoder(ScriptedEncoder):
    """The scripted encoder, noting how many texts it is given at once."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []

    async def encode(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(len(texts))
        await asyncio.sleep(0)
        return await super().encode(texts)


class FullDisk(NumpyVectorIndex):
    """An index that cannot be written."""

    async def upsert(self, scope: Scope, ids: Sequence[int], vectors: Vectors) -> None:
        raise IndexUnusable("The disk is full.")


@pytest.fixture
async def rows() -> AsyncIterator[Rows]:
    async with open_rows() as opened:
        yield opened


def indexer(rows: Rows, index: VectorIndex, encoder: ScriptedEncoder) -> Indexer:
    return Indexer(events=rows.events, traits=rows.traits, passages=rows.passages, index=index, encoder=encoder)


def events_of(place: Place) -> Scope:
    return Scope(VectorKind.EVENT, place.key)


@pytest.mark.parametrize(
    ("summary", "key"),
    [
        ("Ann: I sold my boat. Ben: Why?", "I sold my boat. Why?"),
        ("Ann sold her boat.", "Ann sold her boat."),
        ("Ann: ", "Ann: "),
        ("Anaïs-Zoë: Salut.", "Salut."),
        ("Ann: the train leaves at 10:30 tomorrow.", "the train leaves at 10:30 tomorrow."),
        ("Ann: see https://example.org/a for more.", "see https://example.org/a for more."),
    ],
)
def test_an_event_is_found_by_what_was_said_not_by_who_said_it(summary: str, key: str) -> None:
    assert event_key(summary) == key


async def test_everything_is_indexed_where_it_belongs(rows: Rows) -> None:
    private, channel = await rows.converse(ANNS_DM, [ANN]), await rows.converse(HALL, [ANN, BEN])
    event = await rows.event(private, "Ann: I sold my boat.")
    elsewhere = await rows.event(channel, "Ben: hello.")
    trait = await rows.trait(channel, BEN, "I bake bread.")
    index, encoder = NumpyVectorIndex(), ScriptedEncoder()
    assert await indexer(rows, index, encoder).catch_up() == 3
    for scope, row_id, text in [
        (events_of(ANNS_DM), event.id, "I sold my boat."),
        (events_of(HALL), elsewhere.id, "hello."),
        (Scope(VectorKind.TRAIT, HALL.key), trait.id, "I bake bread."),
    ]:
        ids, cosines = await index.similarities(scope, (await encoder.encode([text]))[0])
        assert ids.tolist() == [row_id]
        assert np.allclose(cosines, 1.0, atol=1e-5)
    assert await vectors_in(index, Scope(VectorKind.TRAIT, ANNS_DM.key)) == 0


async def test_passages_are_indexed_by_their_words_after_all_else(rows: Rows) -> None:
    session = await rows.converse(HALL, [ANN, BEN])
    await rows.passages.archive(session.id, [], 0)
    await rows.event(session, "They met.")
    index, encoder = NumpyVectorIndex(), ScriptedEncoder()
    assert await indexer(rows, index, encoder).catch_up(passages=False) == 1
    assert encoder.texts == ["They met."]
    assert await indexer(rows, index, encoder).catch_up() >= 2
    ids, vectors = await index.load(Scope(VectorKind.PASSAGE, HALL.key), range(99))
    assert ids.tolist() == [1, 2]
    assert np.allclose(vectors, await encoder.encode(["something"] * 2), atol=1e-5)
    assert await rows.passages.unindexed(9) == []


async def test_something_is_removed_between_two_batches(rows: Rows) -> None:
    many = BATCH * 2 + 1
    session = await rows.converse(HALL, [ANN] * many)
    await rows.passages.archive(session.id, [], 0)
    index, encoder = NumpyVectorIndex(), BatchingEncoder()
    one = indexer(rows, index, encoder)
    catching_up = asyncio.create_task(one.catch_up())
    while not encoder.batches:  # noqa: ASYNC110 - what is waited for tells nobody
        await asyncio.sleep(0)
    await one.remove(Scope(VectorKind.PASSAGE, HALL.key), [1])
    assert len(encoder.batches) < 3
    await catching_up
    assert encoder.batches[:3] == [BATCH, BATCH, 1]
    assert await vectors_in(index, Scope(VectorKind.PASSAGE, HALL.key)) == many


def test_of_a_very_long_passage_the_beginning_is_embedded() -> None:
    assert passage_key("I sold my boat.") == "I sold my boat."
    assert passage_key("a" * 99_999) == "a" * LONGEST_KEY


async def test_many_are_indexed_once_each_and_in_batches(rows: Rows) -> None:
    for number in range(BATCH + 3):
        await rows.event(await rows.converse(HALL if number % 2 else ANNS_DM, [ANN]), f"summary {number}")
    index, encoder = NumpyVectorIndex(), BatchingEncoder()
    once = indexer(rows, index, encoder)
    assert sorted(await asyncio.gather(once.catch_up(), once.catch_up())) == [0, BATCH + 3]
    assert encoder.batches == [BATCH, 3]
    assert sorted(encoder.texts) == sorted(f"summary {number}" for number in range(BATCH + 3))
    assert await vectors_in(index, events_of(HALL)) + await vectors_in(index, events_of(ANNS_DM)) == BATCH + 3
    assert await once.catch_up() == 0


async def test_after_the_index_was_lost_everything_is_indexed_anew(rows: Rows) -> None:
    session = await rows.converse(ANNS_DM, [ANN])
    await rows.event(session)
    await rows.trait(session, ANN)
    encoder = ScriptedEncoder()
    await indexer(rows, NumpyVectorIndex(), encoder).catch_up()
    await index_marks.start_afresh(rows.database, "another")
    empty = NumpyVectorIndex()
    assert await indexer(rows, empty, encoder).catch_up() == 2
    assert await vectors_in(empty, events_of(ANNS_DM)) == 1
    assert await vectors_in(empty, Scope(VectorKind.TRAIT, ANNS_DM.key)) == 1


async def test_what_could_not_be_written_is_not_marked(rows: Rows) -> None:
    event = await rows.event(await rows.converse(ANNS_DM, [ANN]))
    with pytest.raises(IndexUnusable):
        await indexer(rows, FullDisk(), ScriptedEncoder()).catch_up()
    assert await rows.events.unindexed(9) == [event]
    assert await indexer(rows, NumpyVectorIndex(), ScriptedEncoder()).catch_up() == 1
