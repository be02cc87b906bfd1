"""The real bundled model with random adapters, many requests in flight: each is answered as PEFT would answer it.

In float32, in which no two tokens are nearly equal; in bfloat16 the rounding depends on the company. Of its 30 layers,
which are all alike, the first ones: with all of them these tests take five times as long and show the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from bot.config import Model
from bot.domain import ChatMessage, Chunk, GenerationRequest, Priority, Role, Skill
from bot.llm import local
from bot.llm.bundled import prepare_bundled
from bot.llm.engine import PAGE, Engine, Job, Sink
from bot.llm.loading import Loaded, load
from bot.llm.local import LocalChatModel, load_local_model
from bot.llm.lora import Routes, attach
from bot.llm.routing import adapter_of
from tests.llm.adapter_folders import first_layers, float_model, lora, with_lora
from tests.llm.talking import heard

pytestmark = pytest.mark.model
TOKENS = 6
LAYERS = 6
SHORT = "Tell me about bread."
LONG = "The old lighthouse keeper counted the ships that went by in the night. " * 17 + "What did he count?"
CONFIGS: dict[Skill, dict[str, Any]] = {
    Skill.SUMMARIZER: {"r": 8, "lora_alpha": 32},
    Skill.EXTRACTOR: {"r": 4, "lora_alpha": 24, "target_modules": ["q_proj", "v_proj"], "use_rslora": True},
    Skill.GENERATOR: {"r": 16, "rank_pattern": {"down_proj": 2}, "target_modules": ["v_proj", "o_proj", "down_proj"]},
}
WHO: tuple[Skill | None, ...] = (None, *Skill)


def asked(text: str, skill: Skill | None, **fields: Any) -> GenerationRequest:
    return GenerationRequest((ChatMessage(Role.USER, text),), max_tokens=TOKENS, skill=skill, **fields)


@dataclass(frozen=True)
class Reference:
    """What PEFT says with the same weights, alone, and where it saved them."""

    folders: dict[Skill, Path]
    prompts: dict[str, list[int]]
    tokens: dict[tuple[str, Skill | None], list[int]]


def quiet(step: str, share: float | None = None) -> None:
    """Tells nobody."""


@pytest.fixture(scope="module")
def reference(model_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Reference:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # on busy cores two threads wait for each other
    base: Any = first_layers(float_model(prepare_bundled(model_cache, "none", quiet)), LAYERS)
    template = load(Model(id="bundled", quantization="none", device="cpu", cache_dir=model_cache), quiet).template
    prompts = {text: template.encode([ChatMessage(Role.USER, text)]) for text in (SHORT, LONG)}
    tokens: dict[tuple[str, Skill | None], list[int]]
    tokens = {(text, None): said(base, prompt) for text, prompt in prompts.items()}
    folders: dict[Skill, Path] = {}
    for seed, (skill, changes) in enumerate(CONFIGS.items()):
        tuned = with_lora(base, lora(**changes), seed)
        folders[skill] = tmp_path_factory.mktemp("adapters") / skill
        tuned.save_pretrained(str(folders[skill]))
        tokens |= {(text, skill): said(tuned, prompt) for text, prompt in prompts.items()}
        base = tuned.unload()
    torch.set_num_threads(threads)
    return Reference(folders, prompts, tokens)


def said(model: Any, prompt: list[int]) -> list[int]:
    given = torch.tensor([prompt])
    with torch.no_grad():
        answer = model.generate(
            input_ids=given, attention_mask=torch.ones_like(given), max_new_tokens=TOKENS, do_sample=False
        )
    return [int(token) for token in answer[0, len(prompt) :]]


def settings(reference: Reference, cache: Path, **fields: Any) -> Model:
    chosen = {skill.value: str(folder) for skill, folder in reference.folders.items()}
    given = {"quantization": "none", "kv_cache_tokens": 6144, "max_concurrent": 8, **fields}
    return Model.model_validate({"id": "bundled", "device": "cpu", "cache_dir": cache, "adapters": chosen, **given})


@pytest.fixture(scope="module")
def model(reference: Reference, model_cache: Path) -> Iterator[LocalChatModel]:
    """As `load_local_model` makes it, but in float32, and with the first layers alone."""
    chosen = settings(reference, model_cache)
    loaded = load(chosen, quiet)
    exact = first_layers(loaded.take_model(), LAYERS).float()  # type: ignore[no-untyped-call]  # not annotated in transformers
    engine = Engine(exact, max_concurrent=8, kv_cache_tokens=6144, eos=loaded.eos, adapters=loaded.adapters)
    engine.start()
    model = LocalChatModel(loaded, engine, chosen)
    yield model
    asyncio.run(model.aclose())


@pytest.fixture
def expected(reference: Reference, model: LocalChatModel) -> dict[tuple[str, Skill | None], str]:
    loaded = model._loaded
    assert loaded is not None
    return {key: loaded.decode(tokens) for key, tokens in reference.tokens.items()}


def test_the_adapters_matter(reference: Reference) -> None:
    """Else the tests below would show nothing."""
    for text in (SHORT, LONG):
        assert len({tuple(reference.tokens[text, skill]) for skill in WHO}) == len(WHO)


@pytest.mark.parametrize("skill", WHO)
async def test_alone_each_answers_as_peft_does(
    model: LocalChatModel, expected: dict[tuple[str, Skill | None], str], skill: Skill | None
) -> None:
    text, _ = await heard(model.stream(asked(SHORT, skill)))
    assert text == expected[SHORT, skill]


async def test_all_of_them_at_once_answer_as_they_do_alone(
    model: LocalChatModel, expected: dict[tuple[str, Skill | None], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    batches = watched(model, monkeypatch)
    wanted = [(text, skill) for text in (SHORT, LONG) for skill in WHO]
    answers = await asyncio.gather(*(heard(model.stream(asked(text, skill))) for text, skill in wanted))
    assert [text for text, _ in answers] == [expected[key] for key in wanted]
    assert any(len({adapter for adapter, _ in batch}) == len(WHO) for batch in batches)


def watched(model: LocalChatModel, monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[int, int]]]:
    """Every batch from now on: (adapter, rows) of its requests."""
    batches: list[list[tuple[int, int]]] = []
    look_at = Routes.look_at

    def listening(routes: Routes, requests: Any) -> None:
        batches.append(list(requests))
        look_at(routes, batches[-1])

    monkeypatch.setattr(Routes, "look_at", listening)
    return batches


async def test_a_common_prefix_is_shared_within_an_adapter_and_never_across(
    model: LocalChatModel,
    expected: dict[tuple[str, Skill | None], str],
    reference: Reference,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert model.engine.processor is not None
    cache = model.engine.processor.cache
    cache.evict_cached_blocks()
    matched: list[tuple[int, int]] = []
    search = cache.search_prefix_match

    def listening(request: str, tokens: list[int]) -> int:
        length = search(request, tokens)
        matched.append((adapter_of(request), length))
        return int(length)

    monkeypatch.setattr(cache, "search_prefix_match", listening)
    for skill in (*WHO, *reversed(WHO)):
        text, _ = await heard(model.stream(asked(LONG, skill)))
        assert text == expected[LONG, skill]
    whole = (len(reference.prompts[LONG]) - 1) // PAGE["cpu"] * PAGE["cpu"]
    assert whole >= PAGE["cpu"]
    assert matched == [*((number, 0) for number in range(4)), *((number, whole) for number in reversed(range(4)))]


async def test_background_work_that_gave_way_goes_on_with_its_adapter(
    model: LocalChatModel, expected: dict[tuple[str, Skill | None], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    skill = Skill.SUMMARIZER
    started = asyncio.Event()
    jobs: list[Job] = []
    submit = model.engine.submit

    def listening(job: Job, sink: Sink) -> str:
        jobs.append(job)
        return submit(job, sink)

    monkeypatch.setattr(model.engine, "submit", listening)

    async def background() -> tuple[str, Chunk]:
        pieces, chunk = "", Chunk("")
        async for chunk in model.stream(asked(SHORT, skill, priority=Priority.BACKGROUND)):
            pieces += chunk.text
            started.set()
        return pieces, chunk

    async def reply() -> None:
        await started.wait()
        await heard(model.stream(replace(asked("Hello!", Skill.GENERATOR), max_tokens=3)))

    (text, _), _ = await asyncio.gather(background(), reply())
    assert text == expected[SHORT, skill]
    assert [job.skill for job in jobs] == [skill, Skill.GENERATOR, skill]


def test_idle_adapters_change_no_bit_of_the_base_model(reference: Reference, model_cache: Path) -> None:
    loaded = load(settings(reference, model_cache), quiet)
    base: Any = first_layers(loaded.take_model(), LAYERS)
    prompt = torch.tensor([reference.prompts[SHORT]])
    with torch.no_grad():
        before = base(prompt).logits
        routes = attach(base, loaded.adapters)
        idle = base(prompt).logits
        routes.look_at([(1, prompt.shape[1])])
        used = base(prompt).logits
    assert torch.equal(before, idle)
    assert not torch.equal(before, used)


async def test_beside_four_bits_from_the_settings_to_the_answer(
    reference: Reference, model_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shallow(*arguments: Any) -> Loaded:
        loaded = load(*arguments)
        return replace(loaded, model=first_layers(loaded.take_model(), LAYERS))

    monkeypatch.setattr(local, "load", shallow)
    model = await load_local_model(settings(reference, model_cache, quantization="nf4", kv_cache_tokens=1024))
    assert model.description.skills == set(Skill)
    assert model.description.detail == "4-bit NF4 on the CPU, tuned for summaries, traits and replies"
    answers = await asyncio.gather(*(heard(model.stream(asked(SHORT, skill))) for skill in WHO))
    assert len({text for text, _ in answers}) == len(WHO)
    await model.aclose()
