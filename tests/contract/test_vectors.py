"""The contract of `bot.ports.VectorIndex`."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bot.domain import Scope, VectorKind
from bot.errors import IndexUnusable
from bot.ports import VectorIndex, Vectors
from bot.storage.vectors.chroma import ChromaVectorIndex
from bot.storage.vectors.memory import NumpyVectorIndex
from bot.storage.vectors.pgvector import open_pgvector
from tests.looking import vectors_in
from tests.postgres import Server

ANNS = Scope(VectorKind.EVENT, "chat:dm:ann")
BENS = Scope(VectorKind.EVENT, "chat:dm:ben")


@pytest.fixture(params=["chroma", "numpy", "pgvector"])
def made_by(request: pytest.FixtureRequest) -> str | Server:
    chosen: str | Server = request.getfixturevalue("postgres") if request.param == "pgvector" else request.param
    return chosen


@pytest.fixture
async def index(made_by: str | Server, tmp_path: Path) -> AsyncIterator[VectorIndex]:
    if isinstance(made_by, Server):
        database = await made_by.emptied()
        yield await open_pgvector(database, "a test's")
        await database.aclose()
        return
    if made_by == "numpy":
        yield NumpyVectorIndex()
        return
    chroma = ChromaVectorIndex(tmp_path / "index")
    await chroma.open()
    yield chroma
    await chroma.aclose()


def unit(count: int, seed: int = 0) -> Vectors:
    rows = np.random.default_rng(seed).normal(size=(count, 8)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


async def found(index: VectorIndex, scope: Scope, query: NDArray[np.float32]) -> dict[int, float]:
    ids, cosines = await index.similarities(scope, query)
    assert ids.dtype == np.int64
    assert cosines.dtype == np.float32
    return dict(zip(ids.tolist(), cosines.tolist(), strict=True))


async def test_similarities_are_the_exact_cosines_of_all(index: VectorIndex) -> None:
    vectors, query = unit(50), unit(1, seed=1)[0]
    await index.upsert(ANNS, range(100, 150), vectors)
    similarity = await found(index, ANNS, query)
    assert similarity == pytest.approx(dict(zip(range(100, 150), (vectors @ query).tolist(), strict=True)), abs=1e-5)


async def test_an_unknown_scope_is_empty_and_scopes_are_apart(index: VectorIndex) -> None:
    await index.upsert(ANNS, [1], unit(1))
    assert await found(index, BENS, unit(1)[0]) == {}
    assert await found(index, Scope(VectorKind.TRAIT, ANNS.place_key), unit(1)[0]) == {}
    assert (await vectors_in(index, ANNS), await vectors_in(index, BENS)) == (1, 0)


async def test_upsert_adds_and_replaces_before_and_after_the_first_search(index: VectorIndex) -> None:
    vectors = unit(4)
    for _ in range(2):
        await index.upsert(ANNS, [1, 2], vectors[:2])
        await index.upsert(ANNS, [2, 3], vectors[2:])
        similarity = await found(index, ANNS, vectors[2])
        assert sorted(similarity) == [1, 2, 3]
        assert similarity[2] == pytest.approx(1, abs=1e-5)
        assert await vectors_in(index, ANNS) == 3


async def test_removed_vectors_are_gone_and_unknown_ids_are_no_error(index: VectorIndex) -> None:
    await index.upsert(ANNS, [1, 2, 3], unit(3))
    await index.remove(ANNS, [2, 77])
    await index.remove(BENS, [1])
    assert sorted(await found(index, ANNS, unit(1)[0])) == [1, 3]
    await index.remove(ANNS, [1, 3])
    assert await found(index, ANNS, unit(1)[0]) == {}
    assert await vectors_in(index, ANNS) == 0


async def test_no_ids_are_no_error(index: VectorIndex) -> None:
    await index.upsert(ANNS, [], np.empty((0, 8), np.float32))
    await index.remove(ANNS, [])
    assert await vectors_in(index, ANNS) == 0


async def test_vectors_of_another_dimension_are_refused(index: VectorIndex) -> None:
    await index.upsert(ANNS, [1], unit(1))
    with pytest.raises(IndexUnusable):
        await index.upsert(ANNS, [2], np.ones((1, 5), np.float32))
    await found(index, ANNS, unit(1)[0])
    with pytest.raises(IndexUnusable):
        await index.similarities(ANNS, np.ones(5, np.float32))


async def test_get_gives_the_vectors_that_are_there_before_and_after_the_first_search(index: VectorIndex) -> None:
    vectors = unit(5)
    await index.upsert(ANNS, range(5), vectors)
    for _ in range(2):
        there = await index.get(ANNS, [1, 3, 77])
        assert there.dtype == np.float32
        assert sorted(there.tolist()) == pytest.approx(np.asarray(sorted(vectors[[1, 3]].tolist())), abs=1e-6)
        assert len(await index.get(BENS, [1])) == len(await index.get(ANNS, [])) == 0
        await found(index, ANNS, vectors[0])


@pytest.mark.parametrize("searched", [False, True])
async def test_a_scope_is_loaded_whole_in_order_and_nothing_is_kept(index: VectorIndex, searched: bool) -> None:
    vectors, order = unit(2100), np.random.default_rng(1).permutation(2100)
    await index.upsert(ANNS, [int(key) for key in order], vectors[order] * 3)
    await index.upsert(BENS, [7], unit(1))
    await index.remove(ANNS, [0, 2000])
    if searched:
        await found(index, ANNS, vectors[0])
    ids, rows = await index.load(ANNS, range(2100))
    assert ids.dtype == np.int64
    assert rows.dtype == np.float32
    expected = [key for key in range(2100) if key not in {0, 2000}]
    assert ids.tolist() == expected
    assert np.allclose(rows, vectors[expected], atol=1e-5)
    rows[:] = 0.0
    ids[:] = 0
    again, as_before = await index.load(ANNS, range(2100))
    assert again.tolist() == expected
    assert np.allclose(as_before, vectors[expected], atol=1e-5)


async def test_an_unknown_scope_loads_as_two_empty_arrays(index: VectorIndex) -> None:
    ids, rows = await index.load(ANNS, range(2100))
    assert (ids.shape, len(rows)) == ((0,), 0)
    assert ids.dtype == np.int64
    assert rows.dtype == np.float32
    await index.upsert(ANNS, [1], unit(1))
    await index.remove(ANNS, [1])
    assert (await index.load(ANNS, range(2100)))[0].tolist() == []


async def test_expunged_vectors_are_gone_and_the_others_stay(index: VectorIndex) -> None:
    vectors = unit(6)
    for scope in (ANNS, BENS):
        await index.upsert(scope, range(6), vectors)
    await found(index, ANNS, vectors[0])
    await index.remove(ANNS, [1])
    await index.expunge([(ANNS, [1, 2]), (BENS, [3]), (ANNS, (4,)), (Scope(VectorKind.TRAIT, "nowhere"), [1])])
    assert sorted(await found(index, ANNS, vectors[0])) == [0, 3, 5]
    similarity = await found(index, BENS, vectors[5])
    assert sorted(similarity) == [0, 1, 2, 4, 5]
    assert similarity[5] == pytest.approx(1, abs=1e-5)
    assert len(await index.get(ANNS, [2, 4])) == 0
    await index.expunge([(BENS, range(6))])
    assert await vectors_in(index, BENS) == 0
    await index.upsert(BENS, [9], vectors[:1])
    assert (await vectors_in(index, BENS), await vectors_in(index, ANNS)) == (1, 3)


async def test_nothing_to_expunge_is_no_error(index: VectorIndex) -> None:
    await index.expunge([])
    await index.expunge([(ANNS, [])])
    assert await vectors_in(index, ANNS) == 0
