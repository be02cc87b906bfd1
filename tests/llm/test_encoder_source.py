"""Where the text encoder's files are, by the hub's real client against a hub on this machine."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from bot.errors import ModelUnavailable
from bot.llm import encoder_source as module
from bot.llm.bundled_encoder import BUNDLED, bundled_encoder
from bot.llm.encoder_source import EncoderSource, encoder_source
from tests.llm.hub_server import COMMIT, Hub, running_hub

NAME = "owner/name"


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing was downloaded before."""
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setenv(module.CACHE, str(tmp_path))
    return tmp_path


@pytest.fixture
async def hub(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hub]:
    async with running_hub() as running:
        monkeypatch.setattr(constants, "ENDPOINT", running.url)
        yield running


@pytest.fixture
def silence(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A hub that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{server.getsockname()[1]}")
        yield


def download(cache: Path, *files: str) -> Path:
    """Puts files where the hub's client keeps those of NAME."""
    kept = cache / f"models--{NAME.replace('/', '--')}"
    (kept / "refs").mkdir(parents=True)
    (kept / "refs" / "main").write_text(COMMIT)
    folder = kept / "snapshots" / COMMIT
    folder.mkdir(parents=True)
    for file in files:
        (folder / file).write_bytes(b"x")
    return folder


def test_the_one_that_comes_along() -> None:
    assert encoder_source(BUNDLED) == EncoderSource(str(bundled_encoder()), True)


def test_what_was_downloaded_is_used_without_asking(empty_cache: Path, silence: None) -> None:
    folder = download(empty_cache, "config.json", "model.safetensors")
    assert encoder_source(NAME) == EncoderSource(str(folder), True, NAME)


async def test_one_on_the_hub_is_to_be_downloaded(hub: Hub, empty_cache: Path) -> None:
    assert await asyncio.to_thread(encoder_source, NAME) == EncoderSource(NAME, False)
    download(empty_cache, "config.json")  # and there it broke off
    assert await asyncio.to_thread(encoder_source, NAME) == EncoderSource(NAME, False)


@pytest.mark.parametrize("name", ["owner/other", "all-mpnet-base-v2", "not a name"])
async def test_one_that_the_hub_does_not_have(hub: Hub, name: str) -> None:
    with pytest.raises(ModelUnavailable, match=rf"'{name}' cannot be loaded: .*the hub has no model.*encoder\.id"):
        await asyncio.to_thread(encoder_source, name)


def test_a_hub_that_does_not_answer_is_waited_for_a_moment(silence: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HUB_TIMEOUT_S", 0.2)
    began = time.monotonic()
    with pytest.raises(ModelUnavailable, match=r"no hub that has it is in reach.*encoder\.id"):
        encoder_source(NAME)
    assert time.monotonic() - began < 10  # the libraries ask for 80 seconds
