"""What every Encoder promises."""

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from bot.config import EncoderSettings
from bot.llm.embedding import load_encoder
from bot.llm.scripted import ScriptedEncoder
from bot.ports import Encoder


@pytest.fixture(params=["sentence", "scripted"])
async def encoder(request: pytest.FixtureRequest) -> AsyncIterator[Encoder]:
    if request.param == "sentence":
        real = await load_encoder(EncoderSettings(device="cpu"))
        yield real
        await real.aclose()
    else:
        yield ScriptedEncoder()


async def test_a_text_gets_one_unit_length_float32_row(encoder: Encoder) -> None:
    rows = await encoder.encode(["The cat sleeps on the warm oven.", "", "猫は寝る", "🙂", "word " * 5000])
    assert rows.shape == (5, encoder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


async def test_no_texts_give_no_rows(encoder: Encoder) -> None:
    assert (await encoder.encode([])).shape == (0, encoder.dimension)


async def test_the_same_text_gets_the_same_vector_alone_or_in_company(encoder: Encoder) -> None:
    alone = await encoder.encode(["I bake bread on Sundays."])
    together = await encoder.encode(
        ["Nothing to do with it at all, and a good deal longer.", "I bake bread on Sundays."]
    )
    assert np.allclose(alone[0], together[1], atol=1e-5)
    assert not np.allclose(together[0], together[1], atol=1e-2)


async def test_repeated_texts_keep_their_rows(encoder: Encoder) -> None:
    rows = await encoder.encode(["a dog", "a boat", "a dog"])
    assert np.allclose(rows[0], rows[2], atol=1e-5)
    assert not np.allclose(rows[0], rows[1], atol=1e-2)


async def test_concurrent_calls_get_their_own_rows(encoder: Encoder) -> None:
    texts = [f"sentence number {i} about {'cats' if i % 2 else 'ships'}" for i in range(50)]
    one_by_one = [(await encoder.encode([text]))[0] for text in texts[:5]]
    at_once = await asyncio.gather(*(encoder.encode([text, text + "!"]) for text in texts))
    for expected, rows in zip(one_by_one, at_once, strict=False):
        assert np.allclose(expected, rows[0], atol=1e-5)


async def test_changing_a_result_changes_no_later_one(encoder: Encoder) -> None:
    first = await encoder.encode(["a quiet evening"])
    kept = first.copy()
    first[:] = 0.0
    assert np.allclose(await encoder.encode(["a quiet evening"]), kept, atol=1e-5)


async def test_the_fingerprint_is_stable(encoder: Encoder) -> None:
    assert encoder.fingerprint
    assert encoder.fingerprint == encoder.fingerprint
