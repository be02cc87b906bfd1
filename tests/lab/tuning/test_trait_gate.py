from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from bot.errors import BadInput
from bot.persona.gate import TrainedTraitGate, read_weights
from bot.persona.gate_features import BUCKETS, COUNTS, features
from bot.ports import TokenVectors, Vectors
from lab.datasets.msc_persona import read_split
from lab.evaluation.traits import bootstrap_interval, evaluate, measure
from lab.tuning.gate_nets import GateNets, Shape, as_inputs, as_weights, logits
from lab.tuning.trait_gate import train

THINGS = ["boats", "tea", "chess", "owls", "maths", "plums", "opera", "skis"]
SMALL = Shape(nets=2, filters=4, units=8, table_width=4, epochs=12, batch=16, rate=5e-3, dropout=0.2)


class LetterEncoder:
    """An Encoder of 8 numbers that depend on the characters alone."""

    fingerprint = "8-letters"
    dimension = 8

    async def encode(self, texts: Sequence[str]) -> Vectors:
        rows = [np.random.default_rng(crc32(text.encode())).normal(size=8) for text in texts]
        drawn = np.array(rows, dtype=np.float32).reshape(len(texts), 8)
        return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))

    async def encode_tokens(self, texts: Sequence[str]) -> list[TokenVectors]:
        return [TokenVectors(tuple(text.lower().split()), await self.encode(text.split())) for text in texts]


def turn(drawn: random.Random, speaker: str) -> dict[str, object]:
    thing = drawn.choice(THINGS)
    if drawn.random() < 0.5:
        said = drawn.choice([f"I love {thing}.", f"My sister sells {thing}.", f"I have many {thing} at home."])
        return {"id": speaker, "text": said, "persona_text": said}
    said = drawn.choice([f"Do you like {thing}?", "That is nice!", f"Who told you of {thing}?"])
    return {"id": speaker, "text": said} | drawn.choice([{}, {"persona_text": ""}, {"persona_text": None}])


def write_split(folder: Path, split: str, conversations: int, seed: int) -> None:
    drawn = random.Random(seed)
    for session in (1, 2, 3, 4):
        lines = [
            {"dialog": [turn(drawn, f"bot_{place % 2}") for place in range(6)], "initial_data_id": f"{split}_{number}"}
            for number in range(conversations)
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (folder / f"persona_session_{session}.{split}.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "sets" / "msc"
    folder.mkdir(parents=True)
    write_split(folder, "valid", 12, seed=1)
    write_split(folder, "test_open", 6, seed=2)
    return folder.parent


async def test_training_learns_and_the_same_seed_gives_the_same_file(data: Path, tmp_path: Path) -> None:
    short = replace(SMALL, epochs=2)
    for name, seed in (("b", 3), ("c", 3), ("d", 4)):
        await train(data, LetterEncoder(), tmp_path / f"{name}.npz", seed=seed, shape=short)
    assert (tmp_path / "b.npz").read_bytes() == (tmp_path / "c.npz").read_bytes()
    assert not np.array_equal(
        read_weights(tmp_path / "b.npz").full.output, read_weights(tmp_path / "d.npz").full.output
    )
    report = await train(data, LetterEncoder(), tmp_path / "a.npz", seed=3, shape=SMALL)
    assert (report.utterances, report.conversations) == (12 * 4 * 6, 12)
    assert report.held_out.confusion.accuracy > 0.9
    assert report.held_out_text_only.confusion.accuracy > 0.9
    assert report.held_out.conversations == 1
    assert "288 utterances of 12 conversations" in str(report)

    gate = TrainedTraitGate.load(tmp_path / "a.npz", "8-letters")
    found = await evaluate(data, gate, LetterEncoder())
    assert found.confusion.total == 6 * 4 * 6
    assert found.confusion.accuracy > 0.9
    assert f"{found.confusion.accuracy:.2%}" in str(found)
    assert gate.about["seed"] == 3


async def test_numpy_computes_what_torch_computes() -> None:
    texts = ["I love boats.", "", "Do you like tea? I do, and my sister Ann does too.", "Hm"]
    table = np.random.default_rng(0).normal(size=(BUCKETS, 4)).astype(np.float32)
    table[0] = 0.0
    nets = GateNets(table, 8, SMALL).eval()
    seen, vectors = [features(text) for text in texts], await LetterEncoder().encode(texts)
    counts = np.stack([each.counts for each in seen])
    both = logits(nets, as_inputs(seen, (counts - 1.0) / 2.0, vectors))

    one, two = np.ones(COUNTS, np.float32), np.full(COUNTS, 2.0, np.float32)
    calibrations = [np.array([1.5, 0.0], np.float32), np.array([0.5, 0.25], np.float32)]
    weights = as_weights(nets, one, two, {"fingerprint": "8-letters", "dimension": 8}, calibrations)
    full = TrainedTraitGate(weights, "8-letters").probability(texts, vectors)
    words_alone = TrainedTraitGate(weights, "other").probability(texts, vectors)
    np.testing.assert_allclose(full, 1 / (1 + np.exp(-1.5 * both[0])), atol=1e-5)
    np.testing.assert_allclose(words_alone, 1 / (1 + np.exp(-0.5 * both[1] - 0.25)), atol=1e-5)
    assert np.ptp(full) > 0.0


async def test_too_little_data_is_a_sentence(data: Path, tmp_path: Path) -> None:
    write_split(data / "msc", "tiny", 1, seed=1)
    with pytest.raises(BadInput, match="two conversations"):
        await train(data, LetterEncoder(), tmp_path / "a.npz", split="tiny", shape=SMALL)
    with pytest.raises(BadInput, match=r"no MSC persona data.*--data"):
        await train(tmp_path, LetterEncoder(), tmp_path / "a.npz", shape=SMALL)
    with pytest.raises(BadInput, match="--out"):
        await train(data, LetterEncoder(), tmp_path / "none" / "a.npz", shape=SMALL)


def test_a_label_is_a_persona_text_that_is_not_blank(tmp_path: Path) -> None:
    turns: list[dict[str, object]] = [
        {"id": "bot_0", "text": "I sail.", "persona_text": " I sail. "},
        {"id": "bot_1", "text": "Oh?", "persona_text": "  "},
        {"id": "bot_0", "text": "Yes.", "persona_text": None},
        {"id": "bot_1", "text": "Nice."},
    ]
    for session in (1, 2, 3, 4):
        path = tmp_path / "msc_personasummary" / f"session_{session}" / "train.txt"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"dialog": turns, "initial_data_id": "x"}) + "\n", encoding="utf-8")
    sessions = read_split(tmp_path, "train")
    assert [each.session for each in sessions] == [1, 2, 3, 4]
    assert [each.carries_trait for each in sessions[0].utterances] == [True, False, False, False]
    path.write_text('{"dialog": [{"id": "bot_0"}]}\n', encoding="utf-8")
    with pytest.raises(BadInput, match="line 1"):
        read_split(tmp_path, "train")


def test_the_measures(tmp_path: Path) -> None:
    turns = [{"id": "a", "text": str(n), "persona_text": "x" if n < 6 else ""} for n in range(10)]
    for session in (1, 2, 3, 4):
        (tmp_path / f"persona_session_{session}.t.jsonl").write_text(json.dumps({"dialog": turns}), encoding="utf-8")
    one = np.array([0.9, 0.8, 0.7, 0.6, 0.35, 0.05, 0.6, 0.1, 0.1, 0.5])
    found = measure("made up", read_split(tmp_path, "t"), np.tile(one, 4))
    confusion = found.confusion
    assert (confusion.true_positive, confusion.false_negative) == (16, 8)
    assert (confusion.false_positive, confusion.true_negative) == (8, 8)
    assert confusion.accuracy == pytest.approx(0.6)
    assert confusion.f1 == pytest.approx(2 / 3)
    assert found.majority == pytest.approx(0.6)
    assert dict(found.thresholds)[0.3].recall == pytest.approx(5 / 6)
    assert dict(found.by_session) == {n: pytest.approx(0.6) for n in (1, 2, 3, 4)}


def test_the_interval_resamples_whole_conversations() -> None:
    right = np.array([True] * 50 + [False] * 50)
    wide = bootstrap_interval(right, np.repeat(np.arange(2), 50), seed=0)
    narrow = bootstrap_interval(right, np.arange(100), seed=0)
    assert wide == (0.0, 1.0)
    assert 0.38 < narrow[0] < 0.5 < narrow[1] < 0.62
