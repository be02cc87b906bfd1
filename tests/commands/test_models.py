"""`bot model` as people use it, in this process."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from bot.__main__ import app
from bot.commands import models
from bot.commands.model_choices import offered
from bot.commands.models import advice, in_groups
from bot.config import Model
from bot.llm.gguf_files import bundled_gguf
from bot.llm.machine import Machine
from bot.llm.servers import RunningServer
from bot.texts import models as texts

GB = 1_000_000_000


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty folder, an empty cache, and nobody at the usual ports."""

    async def nobody(places: Sequence[object] = ()) -> list[RunningServer]:
        return []

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(models, "running_servers", nobody)
    monkeypatch.setenv("HELLO_AGAIN__MODEL__CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HELLO_AGAIN__MODEL__DEVICE", "cpu")
    monkeypatch.setenv("COLUMNS", "200")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["model", *arguments])


def test_list_names_every_model_with_its_licence_and_what_is_here(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "models" / "qwen2.5-1.5b-instruct-q4_k_m.gguf"
    file.parent.mkdir(parents=True)
    shutil.copyfile(bundled_gguf(), file)
    done = run("list")
    assert done.exit_code == 0, done.output
    here, _, rest = done.stdout.partition(texts.GROUP_HERE)[2].partition("\nTo fetch")
    assert [line.split()[0] for line in here.splitlines() if line] == ["smollm2-135m", "qwen2.5-1.5b"]
    rows = {line.split()[0]: line for line in rest.splitlines() if line.startswith("  ")}
    assert "qwen2.5-coder-1.5b" in rows
    assert "Llama 3.2 Community" in rows["llama-3.2-3b"]
    assert "en de es fr +4   unsloth" in rows["llama-3.2-3b"]
    assert rows["gemma-3-12b"].endswith(" *")
    assert texts.NOT_VERIFIED in rest


@pytest.mark.parametrize("free", [1.5 * GB, 9 * GB, 64 * GB])
def test_each_model_of_the_list_is_one_line_of_80_columns(tmp_path: Path, free: float) -> None:
    settings = Model(cache_dir=tmp_path, device="cpu")
    own = tmp_path / "models" / "owner" / "name" / "own.gguf"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"x")
    machine = Machine("cpu", int(free), int(free), 4, 50 * GB)
    found = [replace(one, here=one.here or not one.verified) for one in offered(settings, machine)]
    lines = list(in_groups(found, wide=False))
    assert all(len(line) <= 80 for line in lines)
    for model in found:
        assert sum(line.split()[0] == model.name for line in lines) == 1


def test_recommend_says_what_there_is_and_which_suits_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ollama(places: Sequence[object] = ()) -> list[RunningServer]:
        return [RunningServer("Ollama", "http://127.0.0.1:11434/v1", ("qwen3:8b",))]

    monkeypatch.setattr(models, "running_servers", ollama)
    done = run("recommend")
    assert done.exit_code == 0, done.output
    assert "This machine: no GPU" in done.stdout
    assert "Ollama runs at http://127.0.0.1:11434/v1 and offers: qwen3:8b." in done.stdout
    lines = done.stdout.partition("config.yaml:\n\n")[2]
    assert yaml.safe_load(lines)["model"]["remote"] == {"base_url": "http://127.0.0.1:11434/v1", "name": "qwen3:8b"}


@pytest.mark.parametrize(
    ("machine", "settings", "said"),
    [
        (Machine("cpu", 16 * GB, 16 * GB, 8, 50 * GB), {}, "mistral-nemo-12b suits it best (Apache-2.0, 7.5 GB"),
        (Machine("cpu", 16 * GB, 16 * GB, 8, 4 * GB), {}, "qwen3.5-4b suits it best"),
        (Machine("cpu", 16 * GB, 16 * GB, 1, 50 * GB), {}, "qwen2.5-1.5b suits it best"),
        (Machine("cpu", 3 * GB, 3 * GB, 8, 50 * GB), {}, "Nothing better than the bundled model fits"),
        (Machine("cuda", 24 * GB, 8 * GB, 8, 90 * GB), {}, "Qwen/Qwen3-14B suits it best"),
        (Machine("cuda", 24 * GB, 16 * GB, 8, 90 * GB), {"engine": "llama.cpp"}, "mistral-nemo-12b suits it best"),
    ],
)
def test_advice_follows_memory_processors_and_disk(
    tmp_path: Path, machine: Machine, settings: dict[str, str], said: str
) -> None:
    assert said in advice(machine, Model.model_validate({"cache_dir": tmp_path, **settings}))


def test_use_writes_the_setting_for_what_is_here_only(tmp_path: Path) -> None:
    missing = run("use", "qwen3-4b")
    assert missing.exit_code == 1
    assert "hello-again model get qwen3-4b" in missing.stderr
    assert not (tmp_path / "config.yaml").exists()
    shutil.copyfile(bundled_gguf(), tmp_path / "mine.gguf")
    (tmp_path / "config.yaml").write_text("model:\n  engine: remote  # a server\n")
    done = run("use", str(tmp_path / "mine.gguf"))
    assert done.exit_code == 0, done.output
    written = (tmp_path / "config.yaml").read_text()
    assert yaml.safe_load(written) == {"model": {"id": str(tmp_path / "mine.gguf"), "engine": "auto"}}
    assert "# a server" in written
    assert run("use", "no-such").exit_code == 1
    assert (tmp_path / "config.yaml").read_text() == written


def test_use_tells_that_the_environment_overrides_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELLO_AGAIN__MODEL__ID", "auto")
    assert "overrides it" in run("use", "bundled").stdout


def test_get_of_what_comes_along_or_is_unknown_is_one_sentence() -> None:
    assert "comes with the program" in run("get", "bundled").stdout
    unknown = run("get", "nonsense")
    assert unknown.exit_code == 1
    assert "There is no model nonsense" in unknown.stderr


@pytest.mark.model
def test_try_says_a_sentence_and_how_quick_it_was() -> None:
    done = run("try", "bundled")
    assert done.exit_code == 0, done.output
    assert "SmolLM2-135M-Instruct" in done.stdout
    assert "tokens a second" in done.stdout


def test_setup_with_a_small_voice_fetches_nothing(tmp_path: Path) -> None:
    done = run("setup", "--voice", "small")
    assert done.exit_code == 0
    assert "as you asked" in done.stdout
    assert not (tmp_path / "cache").exists()
