"""Which models llama.cpp runs, and what becomes of adapters for them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file

from bot.config import Model
from bot.domain import Skill
from bot.errors import ModelUnavailable
from bot.llm import machine
from bot.llm.adapter_files import CONFIG_FILE, WEIGHTS_FILE, AdapterPlace
from bot.llm.gguf_choice import choose_gguf
from bot.llm.gguf_files import GgufFile, Shape, bundled_gguf
from bot.llm.gguf_lora import converted
from bot.llm.models import describe_choice
from tests.llm.test_gguf_files import write_gguf

Q, HEADS, WIDTH = "model.layers.0.self_attn.q_proj", 2, 8


def base(architecture: str = "llama") -> GgufFile:
    """A model of one block; its file is not looked at."""
    values: dict[str, str | int | float | bool] = {
        "general.architecture": architecture,
        f"{architecture}.block_count": 1,
        f"{architecture}.attention.head_count": HEADS,
    }
    shapes = (Shape("blk.0.attn_q.weight", (WIDTH, WIDTH)), Shape("output.weight", (WIDTH, 32)))
    return GgufFile(Path("base.gguf"), "base", 1, 1, 512, "F32", values, shapes)


def adapter(folder: Path, layer: str = Q, inputs: int = WIDTH, outputs: int = WIDTH) -> tuple[AdapterPlace, ...]:
    """One of rank 2 whose B has the number of its row in each row; alpha 4 doubles it."""
    folder.mkdir()
    (folder / CONFIG_FILE).write_text(json.dumps({"peft_type": "LORA", "r": 2, "lora_alpha": 4}))
    up = np.repeat(np.arange(outputs, dtype=np.float32)[:, None], 2, axis=1)
    weights = {"A": np.ones((2, inputs), dtype=np.float32), "B": up}
    save_file(
        {f"base_model.model.{layer}.lora_{side}.weight": weight for side, weight in weights.items()},
        folder / WEIGHTS_FILE,
    )
    return (AdapterPlace(Skill.SUMMARIZER, folder, shipped=False),)


def rows_of_b(file: Path) -> NDArray[np.float32]:
    """The first column of B as it is stored: it is the last tensor of the file."""
    return np.frombuffer(file.read_bytes()[-WIDTH * 2 * 4 :], np.float32)[::2]


def test_a_gguf_file_is_for_llama_cpp(tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "some-7b.gguf")
    for model in (file, tmp_path):
        choice = choose_gguf(Model(id=str(model)))
        assert choice is not None
        assert (choice.file, choice.name) == (file, "some-7b" if model == file else tmp_path.name)
    contradicting = Model(id=str(file), engine="transformers")
    assert choose_gguf(contradicting) is None
    assert "is a GGUF file, which llama.cpp reads. Set model.engine to auto." in describe_choice(contradicting).problem


def test_the_bundled_model_is_for_llama_cpp_where_there_is_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "GPU_FILES", ())
    for model in (Model(id="bundled"), Model(id="bundled", device="cpu"), Model(id="bundled", engine="llama.cpp")):
        choice = choose_gguf(model)
        assert choice is not None
        assert (choice.id, choice.file) == ("bundled", bundled_gguf())
    assert choose_gguf(Model(id="bundled", device="cpu", quantization="nf4")) is None


def test_other_models_are_for_transformers(tmp_path: Path) -> None:
    for model in (
        Model(id="Qwen/Qwen3-8B", device="cpu"),
        Model(id="bundled", device="cpu", quantization="nf4"),
        Model(id="bundled", device="cpu", engine="transformers"),
    ):
        assert choose_gguf(model) is None


def test_a_file_that_cannot_be_had_is_a_sentence(tmp_path: Path) -> None:
    missing = tmp_path / "none.gguf"
    with pytest.raises(ModelUnavailable, match=f"{re.escape(str(missing))} cannot be used: there is no file"):
        choose_gguf(Model(id=str(missing), engine="llama.cpp"))


@pytest.mark.parametrize(("architecture", "rows"), [("llama", [0, 4, 2, 6, 8, 12, 10, 14]), ("qwen2", range(0, 16, 2))])
def test_an_adapter_is_converted_once_and_scaled(tmp_path: Path, architecture: str, rows: list[int]) -> None:
    places = adapter(tmp_path / "peft")
    file = converted(places, base(architecture), tmp_path / "cache")[Skill.SUMMARIZER]
    assert rows_of_b(file).tolist() == list(rows)
    before = file.stat().st_mtime_ns
    assert converted(places, base(architecture), tmp_path / "cache") == {Skill.SUMMARIZER: file}
    assert file.stat().st_mtime_ns == before
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_an_adapter_for_another_model_is_refused(tmp_path: Path) -> None:
    wrong = {
        "which this model does not have": adapter(tmp_path / "a", "model.layers.7.self_attn.q_proj"),
        "takes 16 numbers and gives 8, and this model's layer takes 8 and gives 8": adapter(tmp_path / "b", inputs=16),
        "only the linear layers": adapter(tmp_path / "c", "lm_head", outputs=32),
    }
    for reason, places in wrong.items():
        with pytest.raises(ModelUnavailable, match=rf"model\.adapters\.summarizer names .*{reason}"):
            converted(places, base(), tmp_path / "cache")
    with pytest.raises(ModelUnavailable, match="of the kind gemma3 are not supported"):
        converted(adapter(tmp_path / "d"), base("gemma3"), tmp_path / "cache")
