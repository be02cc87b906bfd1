"""What can be said of a GGUF file before it is loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import gguf
import numpy as np
import pytest

from bot.errors import ModelUnavailable
from bot.llm.gguf_files import NotAGguf, bundled_gguf, find_gguf, names_gguf, read_gguf


def write_gguf(path: Path, architecture: str = "llama", tensors: int = 2, **strings: str) -> Path:
    """A small file that has what a model's header has."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(512)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_token_list(["a", "b", "c"])
    writer.add_token_types([1, 1, 1])
    for key, value in strings.items():
        writer.add_string(key.replace("__", "."), value)
    for number in range(tensors):
        writer.add_tensor(f"blk.{number}.weight", np.ones((3, 32), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_the_bundled_file_says_what_it_is() -> None:
    found = read_gguf(bundled_gguf())
    assert found.architecture == "llama"
    assert found.parameters == 134_515_008
    assert found.context_tokens == 8192
    assert found.quantization == "Q4_1"
    assert found.cache_per_token == 23_040
    assert "<|im_start|>" in found.chat_template
    assert found.bytes == bundled_gguf().stat().st_size


def test_a_small_file_and_its_folder(tmp_path: Path) -> None:
    file = write_gguf(tmp_path / "tiny-1b.gguf", tokenizer__chat_template="{{ messages }}")
    for model in (file, tmp_path):
        assert names_gguf(str(model))
        found = find_gguf(str(model))
        assert (found.path, found.name, found.parameters) == (file, "tiny-1b", 192)
        assert (found.quantization, found.chat_template) == ("F32", "{{ messages }}")
    assert [shape.sizes for shape in found.shapes] == [(32, 3), (32, 3)]


def test_a_model_in_parts_is_one_model(tmp_path: Path) -> None:
    first = write_gguf(tmp_path / "big-00001-of-00002.gguf")
    second = write_gguf(tmp_path / "big-00002-of-00002.gguf", tensors=1)
    found = find_gguf(str(tmp_path))
    assert (found.path, found.name, found.parameters) == (first, "big", 288)
    assert found.bytes == first.stat().st_size + second.stat().st_size
    assert read_gguf(second) == found
    second.unlink()
    with pytest.raises(NotAGguf, match="no file big-00002-of-00002"):
        read_gguf(first)


@pytest.mark.parametrize("share", [0.0, 0.0001, 0.01, 0.5, 0.999999])
def test_a_file_that_is_cut_short_is_known_as_such(tmp_path: Path, share: float) -> None:
    whole = bundled_gguf().read_bytes()
    file = tmp_path / "cut.gguf"
    file.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(ModelUnavailable, match=r"cut\.gguf.*(cut short|empty)"):
        find_gguf(str(file))


@pytest.mark.parametrize("at", [4, 8, 16, 24, 32, 60, 200])
def test_a_damaged_header_is_told_in_a_sentence(tmp_path: Path, at: int) -> None:
    file = write_gguf(tmp_path / "tiny.gguf")
    damaged = bytearray(file.read_bytes())
    damaged[at : at + 8] = b"\xff" * 8
    file.write_bytes(damaged)
    with pytest.raises(ModelUnavailable, match=r"tiny\.gguf cannot be used.*model\.id"):
        find_gguf(str(file))


def test_other_files_are_no_models(tmp_path: Path) -> None:
    (tmp_path / "page.gguf").write_text("<!doctype html>" * 100)
    with pytest.raises(ModelUnavailable, match="not a GGUF file"):
        find_gguf(str(tmp_path / "page.gguf"))
    with pytest.raises(ModelUnavailable, match=r"no file gone\.gguf"):
        find_gguf(str(tmp_path / "gone.gguf"))
    write_gguf(tmp_path / "lora.gguf", general__type="adapter")
    with pytest.raises(ModelUnavailable, match="no language model"):
        find_gguf(str(tmp_path / "lora.gguf"))


def test_which_model_ids_name_a_gguf(tmp_path: Path) -> None:
    assert names_gguf("~/models/some.GGUF")
    assert not names_gguf("Qwen/Qwen3-8B-GGUF")
    assert not names_gguf(str(tmp_path))
    write_gguf(tmp_path / "one.gguf")
    write_gguf(tmp_path / "mmproj-one.gguf")
    assert find_gguf(str(tmp_path)).name == "one"
    write_gguf(tmp_path / "two.gguf")
    with pytest.raises(ModelUnavailable, match=r"several GGUF files \(one\.gguf, two\.gguf\)"):
        find_gguf(str(tmp_path))
    (tmp_path / "model.safetensors").touch()
    assert not names_gguf(str(tmp_path))


def test_looking_takes_no_large_library() -> None:
    heavy = "{'torch', 'transformers', 'sentence_transformers', 'xllamacpp', 'huggingface_hub'}"
    check = f"import sys; import bot.llm.gguf_files; raise SystemExit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
