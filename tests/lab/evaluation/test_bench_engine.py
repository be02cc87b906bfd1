"""`lab bench engine` measures what it says, and refuses what it cannot measure in a sentence."""

from __future__ import annotations

import asyncio
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from bitsandbytes.functional import has_avx512bf16
from rich.console import Console
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, Qwen3Config

from bot.config import Model, Settings
from bot.errors import BadInput
from bot.llm.choosing import KNOWN
from bot.llm.files import Quantization
from bot.llm.loading import Loaded, load
from bot.llm.sizes import cache_per_token
from bot.ports import Report
from lab.evaluation import bench_engine
from lab.evaluation.bench_engine import measure, run
from lab.evaluation.engine_asked import CPU_TOKENS, Asked, asked_of
from lab.evaluation.engine_floor import cache_read_bytes, copy_bandwidth, floor_step_s, weight_bytes
from lab.evaluation.engine_load import Cell, Speed, middle, speed
from lab.evaluation.engine_profile import EVENT_LOOP, RECORDED_STEPS, STAGES, WARM_STEPS
from lab.evaluation.engine_shape import made_up_model, qwen3_8b
from lab.evaluation.engine_tables import SpeedRow, speed_table
from lab.evaluation.report import progress_bar
from tests.llm.adapter_folders import first_layers
from tests.llm.tiny import save_tiny_model

CPU = torch.device("cpu")
SMALL = Qwen3Config(
    vocab_size=256,
    hidden_size=128,
    intermediate_size=256,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=32,
    tie_word_embeddings=False,
)
LINEAR = 2 * (2 * 128 * 128 + 2 * 128 * 64 + 3 * 128 * 256)
"""Weights in the linear layers of SMALL: q and o, k and v, and the three of the MLP, in two layers."""
NORMS = 128 + 2 * (2 * 128 + 2 * 32)


def _asked(
    concurrent: str | None = None, prompts: str | None = None, quantization: str = "none", shape: str | None = None
) -> Asked:
    return asked_of(concurrent, prompts, quantization, shape, tokens=8, repeats=1, seed=0, profile=False)


def test_the_floor_is_what_is_read_over_how_fast_it_is_read() -> None:
    assert floor_step_s(weights=6_000, cache=2_000, bandwidth=1_000.0) == 8.0
    assert cache_read_bytes(per_token=10, contexts=3, prompt=500, new=32) == 10 * 3 * 516


@pytest.mark.parametrize("tied", [False, True])
def test_an_input_embedding_counts_only_where_it_is_the_output_layer_too(tied: bool) -> None:
    config = LlamaConfig(
        vocab_size=100,
        hidden_size=8,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=1,
        tie_word_embeddings=tied,
    )
    layer = 4 * 8 * 8 + 3 * 8 * 16 + 2 * 8
    assert weight_bytes(LlamaForCausalLM(config).bfloat16()) == 2 * (100 * 8 + layer + 8)


@pytest.mark.parametrize(
    ("kept", "linear"),
    [
        ("none", 2 * LINEAR),
        ("nf4", LINEAR // 2 + 4 * LINEAR // 64),
        ("int8", LINEAR + 4 * 2 * (2 * 128 + 2 * 64 + 2 * 256 + 128)),
    ],
)
def test_a_made_up_model_is_as_large_as_its_shape(kept: Quantization, linear: int) -> None:
    """NF4: half a byte a weight and a 32-bit scale for each 64; int8: a byte, and a 32-bit scale for each output."""
    model = made_up_model(SMALL, kept, CPU, seed=1)
    assert weight_bytes(model) == linear + 2 * (256 * 128 + NORMS)
    with torch.no_grad():
        logits = model(torch.arange(10)[None]).logits
    assert logits.shape == (1, 10, 256)
    assert bool(logits.isfinite().all())
    assert float(logits.float().std()) > 0


def test_a_made_up_model_is_the_same_for_the_same_seed() -> None:
    one, same, other = (made_up_model(SMALL, "none", CPU, seed) for seed in (1, 1, 2))
    weights = [dict(model.named_parameters())["lm_head.weight"] for model in (one, same, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_the_large_shape_has_as_many_parameters_as_the_published_model() -> None:
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(qwen3_8b())  # type: ignore[no-untyped-call]  # not annotated
    assert model.num_parameters() == 8_190_735_360
    known = next(one.size for one in KNOWN if one.id == "Qwen/Qwen3-8B")
    assert (known.weights, known.cache_per_token) == (model.num_parameters(), cache_per_token(qwen3_8b()))


def test_memory_is_copied_at_some_speed() -> None:
    assert copy_bandwidth(CPU) > 1e8


def test_speeds_come_from_when_tokens_came() -> None:
    """Two requests of three tokens: both answer from 2 s on, and the first to end does so at 4 s."""
    figures = speed([[1.0, 2.0, 4.0], [2.0, 3.0, 5.0]], prompt_tokens=10)
    assert figures == Speed(
        tokens_per_s=6 / 5, decoding_tokens_per_s=2 / 2, first_token_s=1.5, prompt_tokens_per_s=10 / 2
    )


def test_no_decoding_speed_where_no_two_requests_answered_together() -> None:
    assert speed([[1.0, 2.0], [3.0, 4.0]], prompt_tokens=4).decoding_tokens_per_s == 0
    slow, fast = Speed(1, 2, 3, 4), Speed(3, 4, 5, 6)
    assert middle([slow, fast, fast]) == fast


def test_a_cpu_leaves_long_cells_out_unless_numbers_are_named() -> None:
    kept, left_out = _asked().cells("cpu")
    assert {(cell.concurrent, cell.prompt_tokens) for cell in kept} == {(1, 500), (8, 500), (32, 500), (1, 3500)}
    assert all(cell.tokens > CPU_TOKENS for cell in left_out)
    assert len(kept) + len(left_out) == 16
    assert len(_asked().cells("cuda")[0]) == 16
    assert _asked(concurrent="128").cells("cpu")[0] == [
        Cell(128, prompt, reused) for prompt in (500, 3500) for reused in (False, True)
    ]


def test_the_cache_holds_a_whole_cell() -> None:
    cell = Cell(8, 500, reused=True)
    assert cell.cache_tokens(32) >= 9 * 768
    assert cell.cache_tokens(32) % 256 == 0


@pytest.mark.parametrize("wrong", ["", "0", "1,x", "-3", "1,,2"])
def test_numbers_that_are_none_are_refused(wrong: str) -> None:
    with pytest.raises(BadInput, match=r"^--concurrent takes whole numbers from 1 up .*\.$"):
        _asked(concurrent=wrong)
    with pytest.raises(BadInput, match=r"^--prompts takes whole numbers from 4 up .*\.$"):
        _asked(prompts=wrong)


def test_what_is_not_known_is_refused() -> None:
    with pytest.raises(BadInput, match="none, int8 and nf4"):
        _asked(quantization="fp8")
    with pytest.raises(BadInput, match="--shape knows 8b"):
        _asked(shape="70b")


async def test_a_shape_needs_a_gpu() -> None:
    with pytest.raises(BadInput, match="needs a CUDA GPU"):
        await measure(Model(device="cpu"), _asked(shape="8b"), progress_bar(Console(file=io.StringIO())))


@pytest.mark.model
async def test_prompts_beyond_the_context_are_refused(tmp_path: Path) -> None:
    model = Model(id=str(save_tiny_model(tmp_path / "tiny")), device="cpu")
    with pytest.raises(BadInput, match="takes 1,024 tokens with its answer, and 2,008 are asked for"):
        await measure(model, _asked(prompts="2000"), progress_bar(Console(file=io.StringIO())))


@pytest.mark.model
async def test_a_small_grid_on_the_bundled_model(
    tmp_path: Path, model_cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On its first layers: all 30 take ten times as long, and the figures are of the same kind."""

    def shallow(settings: Model, progress: Report) -> Loaded:
        loaded = load(settings, progress)
        return replace(loaded, model=first_layers(loaded.take_model(), layers))

    layers = 3
    monkeypatch.setattr(bench_engine, "load", shallow)
    settings = Settings(model=Model(id="bundled", device="cpu", cache_dir=model_cache))
    tokens = WARM_STEPS + RECORDED_STEPS + 5
    asked = Asked((2,), (40,), ("nf4",), new_tokens=tokens, seed=3, profile=True)
    out = tmp_path / "figures.json"
    assert await run(settings, asked, out) == 0
    figures = json.loads(await asyncio.to_thread(out.read_text, "utf-8"))
    rows = [(row["quantization"], row["concurrent"], row["reused"]) for row in figures["rows"]]
    assert rows == [("nf4", 2, False), ("nf4", 2, True)]
    for row in figures["rows"]:
        speeds = row["speed"]
        assert speeds["tokens_per_s"] > 0
        assert speeds["first_token_s"] > 0
        assert row["cache_bytes"] == layers * 768 * row["concurrent"] * (40 + tokens // 2)
        read = row["weight_bytes"] + row["cache_bytes"]
        assert row["floor_tokens_per_s"] == pytest.approx(row["concurrent"] * figures["copy_bandwidth"] / read)
        linear, norms = layers * 3_538_944, (2 * layers + 1) * 576
        packs = has_avx512bf16()  # type: ignore[no-untyped-call]  # such processors have scales in bfloat16
        scale = 2 if packs else 4
        assert row["weight_bytes"] == linear // 2 + scale * linear // 64 + 2 * (49_152 * 576 + norms)
    for profile in figures["profiles"]:
        assert [cost["stage"] for cost in profile["stages"]][: len(STAGES)] == list(STAGES)
        assert {cost["stage"] for cost in profile["stages"]} <= {*STAGES, EVENT_LOOP}
        assert profile["recorded"] == RECORDED_STEPS
        assert profile["steps"] >= 1
        assert sum(operator["share"] for operator in profile["operators"]) <= 1.000001
        assert any("mm" in operator["name"] or "linear" in operator["name"] for operator in profile["operators"])
    shown = capsys.readouterr()
    assert "requests that come in together" in shown.out
    assert "A decoding step of nf4, 2 at once" in shown.out


def test_a_share_is_told_only_where_decoding_was_seen() -> None:
    seen, unseen = Speed(10.0, 20.0, 0.5, 300.0), Speed(10.0, 0.0, 0.5, 300.0)
    rows = [SpeedRow("none", 8, 500, False, one, (one,), 1, 1, floor_tokens_per_s=80.0) for one in (seen, unseen)]
    shown = io.StringIO()
    Console(file=shown, width=130).print(speed_table("x", rows))
    assert shown.getvalue().count("25%") == 1
