"""`evaluate traits` and `evaluate summaries` on a few invented lines, with the real bundled model, tagger and gate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.app.assembly import Engines
from bot.llm.llama_cpp import LlamaCppChatModel
from bot.llm.scripted import ScriptedEncoder
from bot.persona.gate import TrainedTraitGate
from lab.evaluation import summaries, trait_extraction
from lab.evaluation.overlap import words
from lab.evaluation.structured import OWN_WORDS, ZERO_SHOT
from tests.lab.evaluation import test_summaries, test_trait_extraction
from tests.lab.evaluation.test_msc import settings_in
from tests.tagged import tagger

pytestmark = pytest.mark.model


@pytest.fixture
def real(gguf_model: LlamaCppChatModel) -> Engines:
    """All real but the encoder, which neither task looks at closely."""
    encoder = ScriptedEncoder()
    return Engines(gguf_model, encoder, tagger(), TrainedTraitGate.load(fingerprint=encoder.fingerprint))


def check(items: list[dict[str, dict[str, object]]]) -> None:
    """What holds whatever a model says."""
    for by_arm in items:
        own, model = by_arm[OWN_WORDS], by_arm[ZERO_SHOT]
        assert own["invented"] == {"names": [], "numbers": [], "nouns": []}
        assert not own["asked"]
        assert own["refused"] == 0
        assert model["asked"]
        assert model["refused"] in {0, 1, 2}
        assert isinstance(model["seconds"], float)
        assert model["seconds"] > 0
        if model["refused"] == 2:
            assert model["stored"] == own["stored"]
        if model["refused"] == 0:
            assert words(str(model["stored"])) == words(str(model["first"]))


def by_arm(outcomes: list[dict[str, object]]) -> dict[str, dict[str, object]]:
    return {str(one["arm"]): one for one in outcomes}


async def test_traits_with_the_real_model(tmp_path: Path, real: Engines) -> None:
    test_trait_extraction.write(tmp_path, talks=1)
    options = test_trait_extraction.options_of(tmp_path)
    assert await trait_extraction.run(settings_in(tmp_path), options, real) == 0
    figures = json.loads((tmp_path / "out.json").read_text())
    check([by_arm(one["outcomes"]) for one in figures["utterances"]])
    task = {one["arm"]: one for one in figures["task"]}
    assert task[ZERO_SHOT]["asked"] == 7
    assert 0 < task[f"{ZERO_SHOT}, gate"]["asked"] < 7


async def test_summaries_with_the_real_model(tmp_path: Path, real: Engines) -> None:
    test_summaries.write(tmp_path, dialogues=1)
    options = test_summaries.options_of(tmp_path)
    assert await summaries.run(settings_in(tmp_path), options, real) == 0
    figures = json.loads((tmp_path / "out.json").read_text())
    check([by_arm(one["outcomes"]) for one in figures["summaries"]])
