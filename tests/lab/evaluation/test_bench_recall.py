"""Made-up people in a real store: what is written is whole, what is asked is found, and the figures are all there."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import func, select

from bot.config import Settings, load_settings
from bot.domain import Scope, VectorKind
from bot.errors import BadInput
from bot.storage.engine.database import open_database
from bot.storage.shared import recall_tables, tables
from bot.storage.stores import open_stores
from lab.evaluation import bench_recall
from lab.evaluation.bench_recall import _Asking, as_tables, measure, run
from lab.evaluation.made_up_talk import MadeUpEncoder, MadeUpWords, Person, Size, _fill, people, said_by
from tests.living import WordTopics
from tests.looking import vectors_in

SIZE = Size(utterances=230, people=4, queries=20)
WORDS = MadeUpWords(0)


def in_folder(folder: Path) -> Settings:
    return load_settings(None, {}, storage__data_dir=str(folder))


def test_people_share_all_utterances_without_gaps() -> None:
    some = people(SIZE)
    assert [person.number for person in some] == [0, 1, 2, 3]
    assert some[0].utterances == 115
    for before, after in pairwise(some):
        assert after.first == before.first + before.utterances
        assert after.first_session == before.first_session + before.sessions
    assert SIZE.utterances - 4 < sum(person.utterances for person in some) <= SIZE.utterances
    assert people(Size(1000, 1))[0].utterances == 1000


def test_the_first_person_says_the_same_whoever_else_is_there() -> None:
    alone, among = people(Size(10_000, 1))[0], people(Size(100_000, 5))[0]
    assert alone == among


def test_texts_that_share_rare_words_are_near_each_other() -> None:
    sentences = said_by(people(Size(60, 1))[0], WORDS, 0).sentences
    assert np.allclose(np.linalg.norm(sentences.vectors, axis=1), 1.0, atol=1e-4)
    questions = [WORDS.question(np.random.default_rng(at), text) for at, text in enumerate(sentences.texts)]
    cosines = np.array([WORDS.vector(one) for one in questions]) @ sentences.vectors.T
    assert (cosines.argmax(axis=1) == np.arange(60)).mean() > 0.9


async def test_what_is_written_is_whole_and_indexed(tmp_path: Path) -> None:
    settings = in_folder(tmp_path)
    await _fill(settings, SIZE)
    some = people(SIZE)
    total = sum(person.utterances for person in some)
    async with open_stores(settings, MadeUpEncoder(WORDS).fingerprint) as stores:
        assert await stores.passages.unindexed(10) == []
        assert await stores.passages.without_tokens(10) == []
        assert await stores.events.unindexed(10) == []
        for person in some:
            readable = await stores.passages.readable_in(person.place)
            assert readable.tolist() == list(range(person.first, person.first + person.utterances))
            assert await vectors_in(stores.index, Scope(VectorKind.PASSAGE, person.place.key)) == person.utterances
            assert len(await stores.events.readable_in(person.place)) == person.sessions
        tokens = await stores.passages.tokens([1])
        assert tokens[1].vectors.shape[1] == 128
    database = await open_database(settings.database_url)
    try:
        async with database.reading() as connection:
            assert await connection.scalar(select(func.count()).select_from(tables.utterances)) == total
            assert await connection.scalar(select(func.count()).select_from(recall_tables.edges))
    finally:
        await database.aclose()


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Filling takes a process of its own, which takes seconds to start."""

    async def fill_here(settings: Settings, size: Size) -> None:
        await _fill(settings, size)

    monkeypatch.setattr(bench_recall, "_fill_apart", fill_here)


@pytest.mark.usefixtures("in_this_process")
async def test_everything_is_measured() -> None:
    figures = await measure(load_settings(None, {}), SIZE, topics=WordTopics())
    first, others = figures.times
    assert (len(first.first), len(first.warm), first.utterances) == (1, 20, 115)
    assert (len(others.first), len(others.warm), len(others.disturbed)) == (3, 20, 20)
    assert min(first.found, others.found) > 0.5, "what was asked about is among what is recalled"
    assert figures.database_bytes > 100_000
    assert figures.index_bytes > 100_000
    rows = as_tables(figures)[0]
    assert [cell for cell in rows.columns[0].cells if "somebody else" in str(cell)] != []
    assert rows.row_count == 4


@pytest.mark.usefixtures("in_this_process")
async def test_somebody_elses_memories_change_before_each_disturbed_question(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    once = _Asking._once

    async def noting(self: _Asking, person: Person, text: str, question: str) -> tuple[float, bool]:
        seen.append((await self.app.stores.passages.version()).audience)
        return await once(self, person, text, question)

    monkeypatch.setattr(_Asking, "_once", noting)
    await measure(load_settings(None, {}), Size(60, 1, 5), topics=WordTopics())
    assert len(set(seen[:6])) == 1
    assert len(set(seen[5:])) == len(seen[5:]) == 6


@pytest.mark.usefixtures("in_this_process")
async def test_figures_are_written(tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    assert await run(load_settings(None, {}), Size(100, 1, 20), out, topics=WordTopics()) == 0
    written = json.loads(out.read_text(encoding="utf-8"))
    assert written["size"]["utterances"] == 100
    assert len(written["times"]) == 1


async def test_more_people_than_utterances_is_a_sentence() -> None:
    with pytest.raises(BadInput, match="--people"):
        await run(load_settings(None, {}), Size(100, 80), None)
