"""What the owner's page begins: a download from a hub on this machine, a model tried, a backup; one at a time."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
from huggingface_hub import constants

from adapters.web.backstage import Begun
from bot.clock import SystemClock
from bot.commands import backstage as module
from bot.commands import model_choices
from bot.commands.backstage import OwnersBackstage, open_backstage
from bot.config import load_settings
from bot.llm.fetching import fetch_named
from bot.llm.gguf_files import bundled_gguf
from bot.llm.scripted import ScriptedChatModel
from bot.storage.backups.sealing import make_key
from bot.storage.engine.database import open_database
from bot.texts.translating import speaking
from tests.adapters.discord.world import eventually
from tests.llm.hub_server import Hub, running_hub

FILE = "tiny-q4_k_m.gguf"
NAME = f"owner/name/{FILE}"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody at the usual ports, and a hub's client that comes in small pieces."""

    async def nobody() -> list[object]:
        return []

    monkeypatch.setattr(module, "running_servers", nobody)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 10_000)
    monkeypatch.delenv("HF_TOKEN", raising=False)


@asynccontextmanager
async def backstage_in(folder: Path, **more: object) -> AsyncIterator[OwnersBackstage]:
    given = {"storage__data_dir": str(folder / "data"), "model__cache_dir": str(folder / "cache"), **more}
    settings = load_settings(None, {}, model__device="cpu", backup__folder=str(folder / "backups"), **given)
    async with open_backstage(settings, folder / "config.yaml", SystemClock(), "") as opened:
        yield opened


@asynccontextmanager
async def hub_with(content: bytes, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hub]:
    async with running_hub() as hub:
        hub.files = {FILE: content}
        monkeypatch.setattr(model_choices, "fetch_named", partial(fetch_named, endpoint=hub.url))
        yield hub


async def over(backstage: OwnersBackstage) -> Begun:
    """What was begun, once it is over."""
    assert backstage._work is not None
    await backstage._work
    assert backstage.begun is not None
    return backstage.begun


async def test_a_model_is_fetched_with_progress_listed_and_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares: list[float | None] = []
    content = bundled_gguf().read_bytes()[:300_000]
    async with hub_with(content, monkeypatch), backstage_in(tmp_path) as backstage:
        told = backstage._report

        def noted(step: str, share: float | None = None) -> None:
            shares.append(share)
            told(step, share)

        monkeypatch.setattr(backstage, "_report", noted)
        assert backstage.begin("get", NAME)
        assert not backstage.begin("backup"), "one at a time"
        done = await over(backstage)
        assert (done.ended, list(done.told)) == ("well", [f"{NAME} is here: {tmp_path / 'cache' / 'models' / NAME}"])
        assert len([share for share in shares if share is not None]) > 10
        shown = await backstage.models()
        assert [one.here for one in shown.offered if one.name == NAME] == [True]
        assert shown.in_use == "smollm2-135m"
        shutil.copyfile(bundled_gguf(), tmp_path / "cache" / "models" / NAME)
        with speaking("de"):
            assert "Vom nächsten Start an antwortet es." in backstage.choose(NAME)[0]
        assert NAME in (tmp_path / "config.yaml").read_text("utf-8")
        assert (await backstage.models()).chosen == NAME


async def test_a_download_that_is_stopped_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = bytes(range(256)) * 4096
    async with hub_with(content, monkeypatch) as hub, backstage_in(tmp_path) as backstage:
        told = backstage._report

        def stops(step: str, share: float | None = None) -> None:
            if share is not None and share > 0.4:
                backstage.stop()
            told(step, share)

        monkeypatch.setattr(backstage, "_report", stops)
        backstage.begin("get", NAME)
        assert (await over(backstage)).ended == "stopped"
        monkeypatch.setattr(backstage, "_report", told)
        assert backstage.begin("get", NAME)
        assert (await over(backstage)).ended == "well"
        first, second = hub.ranges
        assert not first
        assert int(second.removeprefix("bytes=").partition("-")[0]) > 100_000


async def test_leaving_ends_what_was_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = asyncio.Event()

    async def model_of(*_given: object) -> ScriptedChatModel:
        return ScriptedChatModel("Hello there.", hold=held, hold_after=1)

    monkeypatch.setattr(model_choices, "model_of", model_of)
    async with backstage_in(tmp_path) as backstage:
        backstage.begin("try", "bundled")
        await eventually(lambda: backstage.begun is not None and backstage.begun.step == "It answers …")


async def test_a_model_that_is_tried_tells_its_pace_in_the_language_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedChatModel("Guten Tag! Wie war dein Tag heute?", word_s=0.001)

    async def model_of(*_given: object) -> ScriptedChatModel:
        return model

    monkeypatch.setattr(model_choices, "model_of", model_of)
    async with backstage_in(tmp_path) as backstage:
        with speaking("de"):
            backstage.begin("try", "bundled")
        done = await over(backstage)
    assert done.ended == "well"
    assert done.told[1] == "Du: Sag Hallo, und frag mich etwas über meinen Tag."
    assert "Wie war dein Tag" in done.told[2]
    assert "Token pro Sekunde" in done.told[3]
    assert model._closed


async def test_what_cannot_be_done_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with hub_with(b"", monkeypatch), backstage_in(tmp_path) as backstage:
        backstage.begin("backup")
        assert "There is no key to encrypt a backup to." in (await over(backstage)).told[0]
        backstage.begin("get", "owner/other:Q4_K_M")
        done = await over(backstage)
    assert done.ended == "badly"
    assert "The hub has no model owner/other" in done.told[0]


async def test_a_backup_is_made_and_listed(tmp_path: Path) -> None:
    recipient = make_key(tmp_path / "key", SystemClock().now())
    async with backstage_in(tmp_path, backup__recipient=recipient) as backstage:
        database = await open_database(backstage.settings.database_url)
        await database.aclose()
        backstage.begin("backup")
        done = await over(backstage)
        [made] = backstage.backups()
    assert done.ended == "well", done.told
    assert done.told[0].startswith(f"{made.name} is made: ")
