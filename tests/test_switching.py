"""Another encoder: its vectors are made anew, and nobody is without memories meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from bot.app.app import App, open_app
from bot.clock import ManualClock
from bot.config import load_settings
from bot.domain import Utterance
from bot.indexing.indexing import in_eight_bits
from bot.llm.scripted import ScriptedEncoder
from bot.ports import Encoder, TokenVectors, Vectors
from bot.storage.vectors import opening
from tests.living import ANN, DM, START, UNASKED, FirstPersonGate, Screen, WordTopics

SAID = ["I planted three quince trees behind the barn.", "The ferry to Skye was late by two hours.", "I sold my cello."]
ASKED = "When did you plant the quince trees behind the barn?"


class OtherWords(ScriptedEncoder):
    """An encoder of as many numbers as the first one, which mean something else."""

    def __init__(self, dimension: int = 256) -> None:
        super().__init__(dimension)
        drawn = np.random.default_rng(1).normal(size=(dimension, dimension))
        self.turned = np.linalg.qr(drawn)[0].astype(np.float32)
        self.fingerprint = f"other-{self.fingerprint}"

    async def encode(self, texts: Sequence[str]) -> Vectors:
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
        self.found_at_once = True
        """Whether memories were found before any vector was made, at the latest start."""

    @asynccontextmanager
    async def open(self, encoder_id: str) -> AsyncIterator[App]:
        folder = str(self.folder / "data")
        settings = load_settings(None, {}, storage__data_dir=folder, encoder__id=encoder_id, **UNASKED)
        async with open_app(
            settings,
            clock=self.clock,
            messengers={"test": Screen()},
            with_model=False,
            encoder=self.encoders[encoder_id],
            topics=WordTopics(),
            gate=FirstPersonGate(),
        ) as app:
            self.found_at_once = await finds(app)
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
        await house.tell(app, *SAID)
    return house


async def finds(app: App) -> bool:
    """Whether what was said of the quinces comes to mind."""
    query = await app.recall.query(ASKED, ANN.id)
    found = await app.recall.recollect(query, DM, [ANN.id])
    lines = [line.text for fragment in found.fragments for line in fragment.lines]
    return any("quince" in text for text in [*lines, *(one.event.summary for one in found.events)])


async def test_words_find_memories_until_the_new_vectors_are_made(house: House) -> None:
    async with house.open("second") as app:
        assert house.found_at_once
        assert app.engines.encoder is house.second
        assert len([text for text in house.second.texts if "ferry" in text]) > 0
        assert await finds(app)
    assert len(house.indexes()) == 1


async def test_an_encoder_of_the_same_name_with_other_weights_is_not_taken_for_the_former(house: House) -> None:
    house.encoders["first"] = ScriptedEncoder(64)
    async with house.open("first") as app:
        assert app.engines.encoder is house.encoders["first"]
        assert await finds(app)


async def test_what_a_killed_process_left_of_an_index_is_deleted_at_the_next_start(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(opening, "delete_others", killed)
        with pytest.raises(RuntimeError, match="killed"):
            async with house.open("second"):
                pass
    assert len(house.indexes()) == 2
    async with house.open("second") as app:
        assert len(house.indexes()) == 1
        assert await finds(app)


async def test_token_vectors_of_an_encoder_that_is_gone_are_made_anew(house: House) -> None:
    async with house.open("second") as app:
        tokens = await app.stores.passages.tokens(range(100))
        assert len(tokens) == len(SAID)
        [fresh] = await house.second.encode_tokens([SAID[0]])
        made = in_eight_bits(min(tokens), fresh)
        assert np.array_equal(tokens[min(tokens)].vectors, made.vectors)
