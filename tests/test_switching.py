"""Another encoder: the former one serves until all vectors are made, and nobody is without memories meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from bot.app.app import App, open_app
from bot.clock import ManualClock
from bot.config import EncoderSettings, load_settings
from bot.domain import ErasureReason, Scope, Selection, Utterance, VectorKind
from bot.errors import ModelUnavailable
from bot.indexing import reindexing
from bot.indexing.indexing import in_eight_bits
from bot.indexing.reindexing import Reindexer
from bot.llm.scripted import ScriptedEncoder
from bot.ports import Encoder, TokenVectors, Vectors
from bot.storage.erasing.disk import DataFolder
from bot.storage.vectors import generations
from tests.living import ANN, DM, START, UNASKED, FirstPersonGate, Screen, WordTopics

SAID = ["I planted three quince trees behind the barn.", "The ferry to Skye was late by two hours.", "I sold my cello."]
ASKED = "When did you plant the quince trees behind the barn?"


class OtherWords(ScriptedEncoder):
    """An encoder of as many numbers as the first one, which mean something else."""

    def __init__(self, dimension: int = 256) -> None:
        super().__init__(dimension)
        drawn = np.random.default_rng(1).normal(size=(dimension, dimension))
        self.turned = np.linalg.qr(drawn)[0].astype(np.float32)
        self.watch: Callable[[], Awaitable[bool]] | None = None
        """Asked before each call: a moment at which re-indexing is half done."""
        self.moments: list[bool] = []

    @property
    def fingerprint(self) -> str:
        return f"other-{super().fingerprint}"

    async def encode(self, texts: Sequence[str]) -> Vectors:
        if self.watch is not None:
            self.moments.append(await self.watch())
        return np.asarray(await super().encode(texts) @ self.turned)

    async def encode_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        found = await super().encode_tokens(texts)
        return [TokenVectors(one.words, one.vectors @ self.turned) for one in found]


class House:
    """One data folder, in which encoders are found by id."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.first, self.second = ScriptedEncoder(), OtherWords()
        self.encoders: dict[str, Encoder] = {"first": self.first, "second": self.second}
        self.clock = ManualClock(START)
        self.number = 0

    async def load(self, settings: EncoderSettings) -> Encoder:
        if settings.id not in self.encoders:
            raise ModelUnavailable(f"there is no {settings.id}")
        return self.encoders[settings.id]

    @asynccontextmanager
    async def open(self, encoder_id: str) -> AsyncIterator[App]:
        folder = str(self.folder / "data")
        settings = load_settings(None, {}, storage__data_dir=folder, encoder__id=encoder_id, **UNASKED)
        async with open_app(
            settings,
            clock=self.clock,
            messengers={"test": Screen()},
            with_model=False,
            load_encoder=self.load,
            topics=WordTopics(),
            gate=FirstPersonGate(),
        ) as app:
            await app.prepare()
            await app.indexer.catch_up()  # what `serve` does beside the conversations
            yield app

    async def tell(self, app: App, *texts: str) -> None:
        """A session in which Ann says these things."""
        for text in texts:
            self.number += 1
            await app.receive(Utterance(DM, f"m{self.number}", ANN, text, self.clock.now()))
            await app.idle()
        self.clock.advance(timedelta(days=1))
        await app.settle()

    def indexes(self) -> list[str]:
        return [entry.name for entry in (self.folder / "data" / "index").iterdir()]


@pytest.fixture
async def house(tmp_path: Path) -> House:
    """Where something was said with the first encoder."""
    house = House(tmp_path)
    async with house.open("first") as app:
        assert app.reindexer is None
        await house.tell(app, *SAID)
    return house


async def finds(app: App) -> bool:
    """Whether what was said of the quinces comes to mind."""
    query = await app.recall.query(ASKED, ANN.id)
    found = await app.recall.recollect(query, DM, [ANN.id])
    lines = [line.text for fragment in found.fragments for line in fragment.lines]
    return any("quince" in text for text in [*lines, *(one.event.summary for one in found.events)])


async def following(app: App) -> Reindexer:
    assert app.reindexer is not None
    return app.reindexer


async def test_the_former_encoder_serves_until_the_new_one_has_all_vectors(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "BATCH", 1)
    moments: list[bool] = []
    async with house.open("second") as app:
        assert app.encoder is house.first
        house.second.watch = lambda: finds(app)
        house.second.moments = moments
        assert await (await following(app)).catch_up() > len(SAID)
        await house.tell(app, "I fed the neighbour's two goats.")
        assert await finds(app)
    assert len(moments) > len(SAID)
    assert all(moments)
    house.second.watch = None
    house.second.texts.clear()
    async with house.open("second") as app:
        assert app.encoder is house.second
        assert app.reindexer is None
        assert await finds(app)
        assert [text for text in house.second.texts if "ferry" in text] == []
        assert [text for text in house.second.texts if "goats" in text] != []
        assert len(await app.stores.passages.tokens(range(100))) == len(SAID) + 1
    assert len(house.indexes()) == 1


async def test_what_is_erased_meanwhile_goes_from_both(house: House) -> None:
    async with house.open("second") as app:
        await (await following(app)).catch_up()
        gone = [one for one in await app.recent(DM, 10) if "cello" in one.text]
        vectors = await house.second.encode([gone[0].text])
        disk = app.stores.disk
        assert isinstance(disk, DataFolder)
        assert await disk.stands([], vectors) != []
        erased = await app.eraser.erase(Selection(utterances=(gone[0].id,)), ErasureReason.ASKED, ANN.id)
        receipt = await app.eraser.complete(erased.erasure_id, 20)
        assert receipt is not None
        assert receipt.found == 0
        assert await disk.stands([gone[0].text], vectors) == []
    async with house.open("second") as app:
        assert app.encoder is house.second
        assert await finds(app)
        assert isinstance(app.stores.disk, DataFolder)
        assert await app.stores.disk.stands([gone[0].text], vectors) == []


async def test_half_full_it_is_filled_further_after_a_restart(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reindexing, "BATCH", 1)

    async def fails() -> bool:
        if len(house.second.moments) > 1:
            raise ModelUnavailable("killed")
        return True

    house.second.watch = fails
    async with house.open("second") as app:
        with pytest.raises(ModelUnavailable):
            await (await following(app)).catch_up()
        half = set(house.second.texts)
    house.second.watch = None
    house.second.texts.clear()
    async with house.open("second") as app:
        assert app.encoder is house.first
        await (await following(app)).catch_up()
    assert half
    assert half.isdisjoint(house.second.texts[: -len(SAID)])


async def test_words_find_memories_where_the_former_encoder_is_gone(house: House) -> None:
    del house.encoders["first"]
    async with house.open("second") as app:
        assert (app.encoder, app.reindexer) == (house.second, None)
        assert await finds(app)


async def test_an_encoder_of_the_same_name_with_other_weights_is_not_taken_for_the_former(house: House) -> None:
    house.encoders["first"] = ScriptedEncoder(64)
    async with house.open("first") as app:
        assert app.encoder is house.encoders["first"]
        assert app.reindexer is None
        assert await finds(app)


async def test_who_changes_back_loses_nothing_and_leaves_nothing(house: House) -> None:
    async with house.open("second") as app:
        await (await following(app)).catch_up()
    assert len(house.indexes()) == 2
    house.first.texts.clear()
    async with house.open("first") as app:
        assert (app.encoder, app.reindexer) == (house.first, None)
        assert house.first.texts == []
        assert await finds(app)
    assert len(house.indexes()) == 1
    async with house.open("second") as app:
        assert app.encoder is house.first
        assert app.stores.following is not None
        assert (Scope(VectorKind.PASSAGE, DM.key), 1) in await app.stores.following.missing()
        assert len(await app.stores.following.without_tokens(10)) == len(SAID)


@pytest.mark.parametrize("encoder_id", ["second", "first"], ids=["taking over", "changing back"])
async def test_what_a_killed_process_left_of_an_index_is_deleted_at_the_next_start(
    house: House, monkeypatch: pytest.MonkeyPatch, encoder_id: str
) -> None:
    async with house.open("second") as app:
        await (await following(app)).catch_up()

    def killed(*_: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(generations, "delete_others", killed)
        with pytest.raises(RuntimeError, match="killed"):
            async with house.open(encoder_id):
                pass
    assert len(house.indexes()) == 2
    async with house.open(encoder_id) as app:
        assert app.encoder is house.encoders[encoder_id]
        assert len(house.indexes()) == 1
        assert await finds(app)


async def test_with_nothing_stored_the_new_encoder_serves_at_once(tmp_path: Path) -> None:
    house = House(tmp_path)
    async with house.open("first"):
        pass
    async with house.open("second") as app:
        assert (app.encoder, app.reindexer) == (house.second, None)


async def test_token_vectors_of_an_encoder_that_is_gone_are_made_anew(house: House) -> None:
    del house.encoders["first"]
    async with house.open("second") as app:
        tokens = await app.stores.passages.tokens(range(100))
        assert len(tokens) == len(SAID)
        [fresh] = await house.second.encode_tokens([SAID[0]])
        made = in_eight_bits(min(tokens), fresh)
        assert np.array_equal(tokens[min(tokens)].vectors, made.vectors)
