"""Model files from the hub, by the hub's real client against a hub on this machine."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from bot.config import Model
from bot.errors import ModelUnavailable
from bot.llm import fetching
from bot.llm.catalogue import CatalogueModel, HubFile
from bot.llm.fetching import fetch_model, fetch_named, fetch_repository
from bot.llm.repositories import GgufRepository
from tests.llm.hub_server import Hub, running_hub

CONTENT = bytes(range(256)) * 4096
FILE = "tiny-q4_k_m.gguf"
WANTED = GgufRepository("owner/name", FILE)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client waits a second between its tries; here it does not."""
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda _: None)
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 10_000)
    monkeypatch.delenv("HF_TOKEN", raising=False)


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    async with running_hub() as running:
        running.files = {FILE: CONTENT, "README.md": b"# tiny"}
        yield running


class Reports:
    """What was reported."""

    def __init__(self) -> None:
        self.said: list[tuple[str, float | None]] = []

    def __call__(self, step: str, share: float | None = None) -> None:
        self.said.append((step, share))


async def fetched(hub: Hub, folder: Path, wanted: GgufRepository = WANTED, reports: Reports | None = None) -> Path:
    return await asyncio.to_thread(fetch_repository, wanted, folder, reports or Reports(), endpoint=hub.url)


async def refused(hub: Hub, folder: Path, wanted: GgufRepository = WANTED) -> str:
    with pytest.raises(ModelUnavailable) as caught:
        await fetched(hub, folder, wanted)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


async def test_a_file_comes_whole_under_its_name_with_progress(hub: Hub, tmp_path: Path) -> None:
    reports = Reports()
    file = await fetched(hub, tmp_path, reports=reports)
    assert file == tmp_path / "owner" / "name" / FILE
    assert file.read_bytes() == CONTENT
    assert kept(tmp_path) == [FILE]
    shares = [share for _, share in reports.said if share is not None]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert hub.ranges == [""]
    assert await fetched(hub, tmp_path) == file
    assert hub.ranges == [""], "what is here is not downloaded again"


async def test_a_broken_download_goes_on_where_it_stopped(hub: Hub, tmp_path: Path) -> None:
    hub.breaks_at = 100_000
    assert "goes on where it stopped" in await refused(hub, tmp_path)
    (part,) = kept(tmp_path)
    assert part.endswith(".part")
    there = (tmp_path / "owner" / "name" / part).stat().st_size
    assert 0 < there < len(CONTENT)
    hub.breaks_at = None
    hub.ranges.clear()
    reports = Reports()
    assert (await fetched(hub, tmp_path, reports=reports)).read_bytes() == CONTENT
    assert hub.ranges == [f"bytes={there}-"], "only what is missing comes"
    assert "going on at" in reports.said[0][0]
    assert kept(tmp_path) == [FILE]


async def test_another_file_s_part_is_not_gone_on_with(hub: Hub, tmp_path: Path) -> None:
    hub.breaks_at = 100_000
    await refused(hub, tmp_path)
    hub.breaks_at = None
    hub.files[FILE] = CONTENT[::-1]
    assert (await fetched(hub, tmp_path)).read_bytes() == CONTENT[::-1]
    assert kept(tmp_path) == [FILE]


async def test_a_wrong_digest_leaves_nothing(hub: Hub, tmp_path: Path) -> None:
    hub.served[FILE] = CONTENT[:-1] + b"!"
    assert "digest differs" in await refused(hub, tmp_path)
    assert kept(tmp_path) == []


async def test_no_space_is_said_before_anything_comes(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "free_disk", lambda _: 1_000_000)
    said = await refused(hub, tmp_path)
    assert "0.2 GB of disk" in said
    assert "model.cache_dir" in said
    assert hub.ranges == []


async def test_a_gated_repository_says_what_to_do(hub: Hub, tmp_path: Path) -> None:
    hub.gated = True
    said = await refused(hub, tmp_path)
    assert "gated" in said
    assert "HF_TOKEN" in said


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        (GgufRepository("owner/other", FILE), "has no model owner/other"),
        (GgufRepository("owner/name", "gone.gguf"), f"has no gone.gguf .* It has: {FILE}"),
        (GgufRepository("owner/name", kind="Q8_0"), f"has no Q8_0 .* It has: {FILE}"),
    ],
)
async def test_what_is_gone_is_named(hub: Hub, tmp_path: Path, wanted: GgufRepository, said: str) -> None:
    with pytest.raises(ModelUnavailable, match=said):
        await fetched(hub, tmp_path, wanted)


async def test_a_file_that_goes_while_it_is_asked_for_is_named(hub: Hub, tmp_path: Path) -> None:
    offer = await asyncio.to_thread(fetching.look_up, WANTED, endpoint=hub.url)
    del hub.files[FILE]
    with pytest.raises(ModelUnavailable, match="no longer has the file"):
        await asyncio.to_thread(fetching.download, offer, tmp_path / FILE, Reports())


async def test_no_hub_in_reach_is_one_sentence(tmp_path: Path) -> None:
    hub = Hub(url="http://127.0.0.1:1")
    assert "no model hub is in reach" in await refused(hub, tmp_path)


async def test_two_at_once_do_not_write_into_one_file(hub: Hub, tmp_path: Path) -> None:
    offer = await asyncio.to_thread(fetching.look_up, WANTED, endpoint=hub.url)
    target = tmp_path / FILE
    part = target.with_name(f".{FILE}.{offer.sha256[:12]}.part")
    with part.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(ModelUnavailable, match="Another process"):
            await asyncio.to_thread(fetching.download, offer, target, Reports())


async def test_a_name_of_the_catalogue_is_fetched_and_a_newer_file_is_told(hub: Hub, tmp_path: Path) -> None:
    source = HubFile("owner/name", FILE, "0" * 64)
    model = CatalogueModel("tiny", "Tiny", len(CONTENT), 1, 512, "MIT", "en", source)
    reports = Reports()
    file = await asyncio.to_thread(fetch_model, model, tmp_path, reports, endpoint=hub.url)
    assert hashlib.sha256(file.read_bytes()).digest() == hashlib.sha256(CONTENT).digest()
    assert reports.said[0][0] == "owner has put a newer file there since this program was made."


async def test_a_repository_is_fetched_by_its_name_in_the_settings(hub: Hub, tmp_path: Path) -> None:
    settings = Model(cache_dir=tmp_path)
    file = await asyncio.to_thread(fetch_named, "owner/name:Q4_K_M", settings, Reports(), endpoint=hub.url)
    assert file == tmp_path / "models" / "owner" / "name" / FILE
    with pytest.raises(ModelUnavailable, match="There is no model nonsense"):
        fetch_named("nonsense", settings, Reports())
