"""Adapters trained on the real bundled model: it learns, it goes on where it was stopped, it writes what PEFT reads.

Of its 30 layers, which are all alike, the first ones, loaded once: with all of them these tests take many times as
long and show the same. `test_lora_preferences.py` has all of them. They are in float32, as those of a GGUF file are
trained: many processors need eight times as long for a step in bfloat16. The command's test trains in that.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from bot.config import Model, load_settings
from bot.domain import ChatMessage, Role, Skill
from bot.errors import BadInput
from bot.llm.adapter_files import AdapterPlace
from bot.llm.adapters import read_adapter
from bot.llm.loading import Loaded, load
from bot.persona.extract import NO_TRAIT
from bot.prompting.skills import extractor_messages
from lab.commands import tuning_lora
from lab.tuning import lora, lora_model
from lab.tuning.lora import Told, train
from lab.tuning.lora_data import Example, Material
from lab.tuning.lora_figures import Judge, judge_of
from lab.tuning.lora_model import TunedModel, load_tunable
from lab.tuning.lora_report import Course, TuningReport
from tests.lab.tuning.test_lora_data import write_msc
from tests.living import WordTopics
from tests.llm.adapter_folders import first_layers

THINGS = ("boats", "plums", "owls", "skis", "tea", "chess")
Fresh = Callable[[Course], TunedModel]
JUDGE = judge_of(Skill.EXTRACTOR, WordTopics().topics)
LAYERS = 6
COURSE = Course(epochs=9, batch=4, rank=2, rate=5e-3, layers=2, steps=4)


def example(number: int) -> Example:
    thing = THINGS[number % len(THINGS)]
    text, answer = (f"I like {thing}!", f"I like {thing}.") if number % 2 else (f"Where are the {thing}?", NO_TRAIT)
    return Example(f"c{number}", extractor_messages(text), (answer,), text)


def material() -> Material:
    every = tuple(map(example, range(16)))
    return Material(Skill.EXTRACTOR, "made up", every[:10], every[10:14], every[14:])


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """With steps this small a second thread mostly waits."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def silent() -> Told:
    return Told(lambda *_: None, lambda _: None)


@pytest.fixture(scope="module")
def as_kept(model_cache: Path) -> Loaded:
    """The first layers of the bundled model, in bfloat16."""
    loaded = load(Model(id="bundled", device="cpu", cache_dir=model_cache), lambda *_: None)
    return replace(loaded, model=first_layers(loaded.take_model(), LAYERS))


@pytest.fixture(scope="module")
def base(as_kept: Loaded) -> Loaded:
    """The same in float32."""
    assert as_kept.model is not None
    exact = deepcopy(as_kept.model).float()  # type: ignore[no-untyped-call]  # not annotated in transformers
    return replace(as_kept, model=exact)


@pytest.fixture
def fresh(base: Loaded, monkeypatch: pytest.MonkeyPatch) -> Fresh:
    """Makes the model with a new adapter."""
    settings = Model(id="bundled", device="cpu")
    monkeypatch.setattr(lora_model, "load", lambda *_: replace(base, model=deepcopy(base.model)))

    def made(course: Course) -> TunedModel:
        return load_tunable(
            settings, rank=course.rank, layers=course.layers, seed=course.seed, progress=lambda *_: None
        )

    return made


def short() -> Judge:
    """Short prompts without the adapter too, and answers of a few tokens."""
    return Judge(lambda one: one.messages, JUDGE.judged, room=4)


def trained(fresh: Fresh, out: Path, course: Course = COURSE, told: Told | None = None) -> dict[str, torch.Tensor]:
    train(fresh(course), material(), out, course, "the command", short(), told or silent())
    return load_file(out / "adapter_model.safetensors")


def test_an_example_is_learnt_as_it_is_asked_live_and_its_answer_alone_counts(fresh: Fresh) -> None:
    model = fresh(COURSE)
    encoded = model.encode(example(1))
    prompt, answer = encoded.prompt, encoded.answer
    text = model.decoded(prompt)
    assert text.startswith(
        "<|im_start|>system\nExtract the speaker's traits.<|im_end|>\n<|im_start|>user\nI like plums!"
    )
    assert text.endswith("<|im_start|>assistant\n")
    assert model.decoded(answer) == "I like plums.<|im_end|>"
    typed = model.encode(Example("c", extractor_messages("Hi"), ("<|im_end|>",)))
    assert len(typed.answer) > 2  # what people type ends no answer
    assert model.decoded(typed.answer[:-1]) == "<|im_end|>"
    with torch.no_grad():
        alone = [model.losses([model.encode(example(number))]) for number in (0, 1)]
        both = model.losses([model.encode(example(number)) for number in (0, 1)])
        whole = fresh(replace(COURSE, layers=None)).losses([model.encode(example(number)) for number in (0, 1)])
    assert both.tokens == sum(one.tokens for one in alone) == len(answer) + len(model.encode(example(0)).answer)
    # padding, and keeping what the lower layers give, change nothing but the rounding
    assert both.total.item() == pytest.approx(sum(one.total.item() for one in alone), rel=1e-4)
    assert both.total.item() == pytest.approx(whole.total.item(), rel=1e-4)


def test_every_reply_of_a_conversation_is_learnt(fresh: Fresh) -> None:
    model = fresh(COURSE)
    said = [("hi", "Hello!"), ("bye", "See you.")]
    messages = [ChatMessage(Role.SYSTEM, "You are Mo.")]
    for text, reply in said:
        messages += [ChatMessage(Role.USER, text), ChatMessage(Role.ASSISTANT, reply)]
    *before, last = messages
    encoded = model.encode(Example("c", tuple(before), (last.content,), every_reply=True))
    assert model.decoded(encoded.answer) == "Hello!<|im_end|>See you.<|im_end|>"
    alone = model.encode(Example("c", tuple(before), (last.content,)))
    assert model.decoded(alone.answer) == "See you.<|im_end|>"
    assert alone.tokens == encoded.tokens


@dataclass(frozen=True)
class Undisturbed:
    """A training of COURSE that nothing stopped."""

    report: TuningReport
    notes: list[str]
    out: Path


@pytest.fixture(scope="module")
def undisturbed(base: Loaded, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    notes: list[str] = []
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    model = TunedModel(replace(base, model=deepcopy(base.model)), rank=COURSE.rank, layers=COURSE.layers, seed=0)
    told = Told(lambda *_: None, notes.append)
    return Undisturbed(train(model, material(), out, COURSE, "the command", short(), told), notes, out)


def test_a_few_steps_lower_the_loss_and_write_an_adapter(fresh: Fresh, undisturbed: Undisturbed) -> None:
    report, notes, out = undisturbed.report, undisturbed.notes, undisturbed.out
    assert min(report.losses) < report.losses[0] * 0.9
    assert report.learnt
    assert report.steps == 4
    assert "the best so far" in notes[-1]
    assert sorted(file.name for file in out.iterdir()) == [
        "README.md",
        "adapter_config.json",
        "adapter_model.safetensors",
    ]
    weights = load_file(out / "adapter_model.safetensors")
    assert {value.dtype for value in weights.values()} == {torch.bfloat16}
    assert {int(name.split(".layers.")[1].split(".")[0]) for name in weights} == {LAYERS - 2, LAYERS - 1}
    config = json.loads((out / "adapter_config.json").read_text(encoding="utf-8"))
    assert config["base_model_name_or_path"] == "SmolLM2-135M-Instruct"
    card = (out / "README.md").read_text(encoding="utf-8")
    for said in ("the command", "made up", "seed 0", "4 steps", "trait or none, rightly told", "before | after"):
        assert said in card
    assert "boats" not in card
    assert str(out.parent) not in card
    adapter = read_adapter(AdapterPlace(Skill.EXTRACTOR, out, shipped=False))
    assert adapter.place.skill is Skill.EXTRACTOR
    assert sorted(entry.name for entry in out.parent.iterdir()) == ["out"]
    with pytest.raises(BadInput, match="--out"):
        train(fresh(COURSE), material(), out, COURSE, "", short(), silent())


def test_what_was_stopped_goes_on_as_if_it_had_not_been(
    fresh: Fresh, undisturbed: Undisturbed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lora, "CHECKPOINT_EVERY_S", 0.0)
    whole = load_file(undisturbed.out / "adapter_model.safetensors")
    steps = 0

    def stop_after_two(step: str, share: float | None = None) -> None:
        nonlocal steps
        if step.startswith("Training"):
            steps += 1
            if steps > 2:
                raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        trained(fresh, tmp_path / "b", told=Told(stop_after_two, lambda _: None))
    assert not (tmp_path / "b").exists()
    notes: list[str] = []
    resumed = trained(fresh, tmp_path / "b", told=Told(lambda *_: None, notes.append))
    assert notes[0] == "Going on after step 2."
    assert whole.keys() == resumed.keys()
    assert all(torch.equal(value, resumed[name]) for name, value in whole.items())
    assert not list(tmp_path.glob("*.checkpoint"))


def test_a_checkpoint_of_another_training_is_not_taken_up(
    fresh: Fresh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lora, "CHECKPOINT_EVERY_S", 0.0)

    def stop_after_one(step: str, share: float | None = None) -> None:
        if (tmp_path / "b.checkpoint").exists():
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        trained(fresh, tmp_path / "b", told=Told(stop_after_one, lambda _: None))
    other = Course(epochs=9, batch=4, rank=2, rate=1e-3, layers=2, steps=4)
    with pytest.raises(BadInput, match="another training"):
        trained(fresh, tmp_path / "b", other)


def test_more_layers_than_there_are_is_said_in_a_sentence(fresh: Fresh) -> None:
    with pytest.raises(BadInput, match=f"has {LAYERS} layers"):
        fresh(Course(layers=LAYERS + 1))


async def test_the_command_trains_on_a_data_set_and_prints_the_report(
    as_kept: Loaded, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert as_kept.model is not None
    few = first_layers(deepcopy(as_kept.model), 2)
    monkeypatch.setattr(lora_model, "load", lambda *_: replace(as_kept, model=few))
    write_msc(tmp_path / "sets", "valid", 4)
    write_msc(tmp_path / "sets", "test_open", 1)
    settings = load_settings(
        None,
        {},
        storage__data_dir=str(tmp_path / "data"),
        model__id="bundled",
        model__device="cpu",
    )
    course = Course(epochs=1, batch=2, rank=1, layers=1, steps=1, limit=8, measured=2)
    wanted = tuning_lora.Wanted(Skill.EXTRACTOR, tmp_path / "out", tmp_path / "sets", False, course)
    assert await tuning_lora.tune_skill(settings, wanted) == 0
    printed = capsys.readouterr().out
    assert "step 1 of 1" in printed
    assert "2 examples of unseen conversations" in printed
    assert f"model.adapters.extractor: {(tmp_path / 'out').resolve()}" in printed
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "python -m lab tune extractor --data DIR --out FOLDER --seed 0 --epochs 1" in card
    assert "--rank 1" in card
    assert "ParlAI" in card


async def test_what_cannot_be_is_said_before_anything_is_loaded(tmp_path: Path) -> None:
    settings = load_settings(None, {}, storage__data_dir=str(tmp_path / "data"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    wrong = {
        "--own": tuning_lora.Wanted(Skill.EXTRACTOR, tmp_path / "out", tmp_path, True, COURSE),
        "--data": tuning_lora.Wanted(Skill.EXTRACTOR, tmp_path / "out", None, False, COURSE),
        "data folder": tuning_lora.Wanted(Skill.EXTRACTOR, tmp_path / "data" / "out", None, True, COURSE),
        "there already": tuning_lora.Wanted(Skill.EXTRACTOR, tmp_path / "full", None, True, COURSE),
        "3 conversations": tuning_lora.Wanted(Skill.SUMMARIZER, tmp_path / "out", None, True, COURSE),
    }
    for sentence, wanted in wrong.items():
        with pytest.raises(BadInput, match=sentence):
            await tuning_lora.tune_skill(settings, wanted)
    remote = Model(engine="remote")
    with pytest.raises(BadInput, match=r"model\.engine"):
        load_tunable(remote, rank=1, layers=None, seed=0, progress=lambda *_: None)
