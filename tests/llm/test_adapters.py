"""Adapters on disk: which are used, and what is said of those that cannot be."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from bot.commands import doctor
from bot.config import Model, Settings
from bot.domain import ModelDescription, Skill
from bot.errors import ModelUnavailable
from bot.llm import adapter_files
from bot.llm.adapter_files import CONFIG_FILE, WEIGHTS_FILE, adapter_places
from bot.llm.adapters import check_fit, read_adapter
from bot.llm.catalogue import DEFAULT_FROM_PACKAGES, catalogue_model
from bot.llm.loading import load
from bot.llm.remote import RemoteChatModel
from bot.llm.replicas import Replicas
from bot.llm.scripted import ScriptedChatModel
from tests.llm.adapter_folders import float_model, placed, save_adapter
from tests.llm.talking import asking, heard
from tests.llm.tiny import save_tiny_model

pytestmark = pytest.mark.model
Q = "model.layers.0.self_attn.q_proj"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def adapter(tiny: Path, tmp_path: Path) -> Path:
    return save_adapter(tiny, tmp_path / "adapter")


def settings(tiny: Path, **chosen: str) -> Model:
    return Model(
        id=str(tiny), device="cpu", quantization="none", kv_cache_tokens=1024, cache_dir=tiny, adapters=dict(chosen)
    )


def configure(**entries: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        file = folder / CONFIG_FILE
        file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), **entries}), "utf-8")

    return change


def weigh(change: Callable[[dict[str, torch.Tensor]], object]) -> Callable[[Path], None]:
    def rewrite(folder: Path) -> None:
        weights = load_file(folder / WEIGHTS_FILE)
        change(weights)
        save_file({name: weight.contiguous() for name, weight in weights.items()}, folder / WEIGHTS_FILE)

    return rewrite


def cut_short(folder: Path) -> None:
    file = folder / WEIGHTS_FILE
    file.write_bytes(file.read_bytes()[:-100])


def pickled(folder: Path) -> None:
    torch.save(load_file(folder / WEIGHTS_FILE), folder / "adapter_model.bin")
    (folder / WEIGHTS_FILE).unlink()


def name_of(side: str) -> str:
    return f"base_model.model.{Q}.lora_{side}.weight"


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no configuration": (lambda folder: (folder / CONFIG_FILE).unlink(), "adapter_config.json is missing"),
    "broken JSON": (lambda folder: (folder / CONFIG_FILE).write_text("{", "utf-8"), "adapter_config.json is damaged"),
    "another kind": (configure(peft_type="IA3"), "kind IA3"),
    "DoRA": (configure(use_dora=True), "needs use_dora"),
    "something of a newer PEFT": (configure(use_tomorrow={"a": 1}), "needs use_tomorrow"),
    "biases": (configure(bias="all"), "needs bias all"),
    "whole modules": (configure(modules_to_save=["lm_head"]), "needs modules_to_save"),
    "another base": (configure(init_lora_weights="pissa"), "pissa has changed"),
    "another rank than it says": (configure(r=4), "not rank 4"),
    "no weights": (lambda folder: (folder / WEIGHTS_FILE).unlink(), "adapter_model.safetensors is missing"),
    "pickled weights": (pickled, "adapter_model.bin could run code"),
    "cut short": (cut_short, "adapter_model.safetensors is damaged"),
    "empty": (weigh(lambda weights: weights.clear()), "is empty"),
    "half a layer": (weigh(lambda weights: weights.pop(name_of("B"))), "one of the two matrices"),
    "a vector": (weigh(lambda weights: weights.update({name_of("A"): torch.ones(8)})), "not rank 8"),
    "no numbers": (weigh(lambda weights: weights[name_of("A")].fill_(float("nan"))), "finite numbers"),
    "unknown weights": (weigh(lambda weights: weights.update(x=torch.ones(2))), "x is not the weight of a LoRA"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_one_that_cannot_be_used_is_named_with_its_setting(adapter: Path, kind: str) -> None:
    damage, reason = DAMAGE[kind]
    damage(adapter)
    with pytest.raises(ModelUnavailable) as caught:
        read_adapter(placed(adapter))
    sentence = str(caught.value)
    assert sentence.startswith(f"model.adapters.summarizer names {adapter}, which cannot be used: ")
    assert reason in sentence
    assert "lab tune" not in sentence, "an owner has no laboratory"
    assert "in PEFT's format" in sentence
    assert "\n" not in sentence


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"model\.adapters\.extractor names .*there is no such folder"):
        read_adapter(placed(tmp_path / "nowhere", Skill.EXTRACTOR))


def test_a_damaged_shipped_one_does_not_blame_the_settings(adapter: Path) -> None:
    cut_short(adapter)
    with pytest.raises(ModelUnavailable, match=r"for traits that comes with the program.*model\.adapters\.extractor"):
        read_adapter(placed(adapter, Skill.EXTRACTOR, shipped=True))


def renamed(old: str, new: str) -> Callable[[Path], None]:
    def change(weights: dict[str, torch.Tensor]) -> None:
        for name in [name for name in weights if old in name]:
            weights[name.replace(old, new)] = weights.pop(name)

    return weigh(change)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (renamed(Q, "model.layers.7.self_attn.q_proj"), "layers.7.self_attn.q_proj, which this model does not have"),
        (renamed(Q, "lm_head"), "changes lm_head; only the linear layers"),
        (renamed(Q, "model.embed_tokens"), "changes model.embed_tokens; only the linear layers"),
        (
            weigh(lambda weights: weights.update({name_of("A"): torch.ones(8, 96)})),
            "takes 96 numbers and gives 64, and this model's layer takes 64 and gives 64",
        ),
    ],
)
def test_one_for_another_model_is_refused(
    tiny: Path, adapter: Path, change: Callable[[Path], None], reason: str
) -> None:
    change(adapter)
    with pytest.raises(ModelUnavailable, match=r"^model\.adapters\.summarizer names") as caught:
        load(settings(tiny, summarizer=str(adapter)), lambda *_: None)
    assert reason in str(caught.value)


def test_a_rank_beyond_the_layer_is_refused(tiny: Path, tmp_path: Path) -> None:
    wide = save_adapter(tiny, tmp_path / "wide", r=65, target_modules=["q_proj"])
    with pytest.raises(ModelUnavailable, match=r"its rank for .* is 65"):
        check_fit(read_adapter(placed(wide)), float_model(tiny))


def test_patterns_and_scales_are_those_of_peft(tiny: Path, tmp_path: Path) -> None:
    folder = save_adapter(
        tiny, tmp_path / "a", rank_pattern={"k_proj": 2, "layers.1.mlp.up_proj": 4}, alpha_pattern={"v_proj": 4}
    )
    layers = read_adapter(placed(folder)).layers
    weights = load_file(folder / WEIGHTS_FILE)
    assert len(layers) == 14
    for layer, rank, scale in (
        (Q, 8, 2.0),
        ("model.layers.0.self_attn.k_proj", 2, 8.0),
        ("model.layers.1.self_attn.v_proj", 8, 0.5),
        ("model.layers.1.mlp.up_proj", 4, 4.0),
        ("model.layers.0.mlp.up_proj", 8, 2.0),
    ):
        assert layers[layer].down.shape[0] == rank
        assert torch.equal(layers[layer].up, weights[f"base_model.model.{layer}.lora_B.weight"].T * scale)


def test_the_loaded_model_says_what_it_was_tuned_for(tiny: Path, adapter: Path) -> None:
    described = load(settings(tiny, summarizer=str(adapter), generator=str(adapter)), lambda *_: None).description
    assert described.skills == {Skill.SUMMARIZER, Skill.GENERATOR}
    assert described.detail.endswith("on the CPU, tuned for summaries and replies")


def test_the_default_model_has_an_adapter_that_listens() -> None:
    [place] = adapter_places(Model(), DEFAULT_FROM_PACKAGES)
    assert (place.skill, place.shipped) == (Skill.GENERATOR, True)
    layers = adapter_files.read_layers(place.folder)
    assert {name.split(".")[2] for name in layers} == {str(number) for number in range(28)}
    assert all(one.up.any() for one in layers.values())


def test_auto_is_the_shipped_one_for_the_model_that_it_was_made_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny: Path
) -> None:
    extractor, generator = tmp_path / "bundled" / "extractor", tmp_path / DEFAULT_FROM_PACKAGES / "generator"
    extractor.mkdir(parents=True)
    generator.mkdir(parents=True)
    monkeypatch.setattr(adapter_files, "SHIPPED", tmp_path)
    assert adapter_places(Model(), "bundled") == (placed(extractor, Skill.EXTRACTOR, shipped=True),)
    assert adapter_places(Model(), DEFAULT_FROM_PACKAGES) == (placed(generator, Skill.GENERATOR, shipped=True),)
    assert adapter_places(Model(), str(tiny)) == ()
    model = catalogue_model(DEFAULT_FROM_PACKAGES)
    assert model is not None
    file = tmp_path / model.file
    file.write_bytes(b"GGUF")
    assert adapter_places(Model(), str(file)) == (), "another file of that name"
    os.truncate(file, model.size)
    assert adapter_places(Model(), str(file)) == (placed(generator, Skill.GENERATOR, shipped=True),)
    chosen = Model.model_validate({"adapters": {"extractor": "off", "generator": "mine"}})
    assert adapter_places(chosen, "bundled") == (placed(Path("mine"), Skill.GENERATOR),)


async def test_a_server_has_no_skills() -> None:
    description = ModelDescription("m", "on a server", "", 4096, 2000)
    model = RemoteChatModel(Replicas([]), Model(), "m", description)
    with pytest.raises(ValueError, match="m has no adapter for the skill extractor"):
        await heard(model.stream(replace(asking(), skill=Skill.EXTRACTOR)))
    await model.aclose()


async def test_the_scripted_model_has_the_skills_it_is_given() -> None:
    model = ScriptedChatModel("NO_TRAIT", skills={Skill.EXTRACTOR})
    assert model.description.skills == {Skill.EXTRACTOR}
    text, _ = await heard(model.stream(replace(asking(), skill=Skill.EXTRACTOR)))
    assert text == "NO_TRAIT"
    with pytest.raises(ValueError, match="no adapter for the skill generator"):
        await heard(model.stream(replace(asking(), skill=Skill.GENERATOR)))


async def test_the_doctor_names_the_adapters(tiny: Path, adapter: Path) -> None:
    chosen = Settings(model=settings(tiny, summarizer=str(adapter)))
    check = await doctor.model(chosen)
    assert check.verdict is doctor.Verdict.GOOD
    assert f"with adapters: summarizer ({adapter})" in check.found
    cut_short(adapter)
    check = await doctor.model(chosen)
    assert check.verdict is doctor.Verdict.BAD
    assert "model.adapters.summarizer" in check.found


def test_those_that_are_shipped_can_be_used() -> None:
    for place in adapter_places(Model(), "bundled"):
        assert read_adapter(place).layers
