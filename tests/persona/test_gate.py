from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bot.config import EncoderSettings
from bot.errors import ModelUnavailable
from bot.llm.embedding import load_encoder
from bot.persona.gate import TrainedTraitGate, read_weights
from bot.persona.gate_features import COUNTS, FLAGS, LONGEST, features, words
from bot.ports import TraitGate, Vectors
from lab.tuning.weights_files import write_gate

WITH_TRAIT = [
    "I have two cats and I work as a nurse in Leeds.",
    "My favourite food is lasagna, I cook it every Sunday.",
    "I've been playing the cello since I was nine years old.",
    "I live with my husband and our three kids on a small farm.",
    "I'm allergic to peanuts and I hate flying.",
]
WITHOUT_TRAIT = [
    "How are you today?",
    "What do you do for a living?",
    "Wow, that is great!",
    "Haha, that sounds fun. Where did you go?",
    "Thank you, take care!",
]
EVERY = [*WITH_TRAIT, *WITHOUT_TRAIT]


def some_vectors(count: int, dimension: int = 384) -> Vectors:
    drawn = np.random.default_rng(0).normal(size=(count, dimension)).astype(np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


async def test_the_shipped_gate_tells_obvious_utterances_apart_with_the_bundled_encoder() -> None:
    encoder = await load_encoder(EncoderSettings(device="cpu"))
    try:
        gate = TrainedTraitGate.load(fingerprint=encoder.fingerprint)
        probability = gate.probability(EVERY, await encoder.encode(EVERY))
        assert gate.about["fingerprint"] == encoder.fingerprint
    finally:
        await encoder.aclose()
    assert (probability[: len(WITH_TRAIT)] > 0.5).all(), probability
    assert (probability[len(WITH_TRAIT) :] < 0.5).all(), probability


@pytest.mark.parametrize("dimension", [384, 8])
def test_with_another_encoder_the_words_alone_decide(dimension: int) -> None:
    gate: TraitGate = TrainedTraitGate.load(fingerprint="8-another")
    probability = gate.probability(EVERY, some_vectors(len(EVERY), dimension))
    assert (probability[: len(WITH_TRAIT)] > 0.5).all(), probability
    assert (probability[len(WITH_TRAIT) :] < 0.5).all(), probability
    again = gate.probability(EVERY, -some_vectors(len(EVERY), dimension))
    np.testing.assert_array_equal(probability, again)


def test_vectors_count_when_the_encoder_is_the_one_it_was_trained_with() -> None:
    gate = TrainedTraitGate.load()
    vectors = some_vectors(len(EVERY))
    assert not np.allclose(gate.probability(EVERY, vectors), gate.probability(EVERY, -vectors))


@pytest.mark.parametrize("text", ["", " \n", "?", "🙂🙂", "日本語です", "\ud800", "a" * 10_000, "I am here. " * 20_000])
def test_any_text_gets_a_probability(text: str) -> None:
    probability = TrainedTraitGate.load().probability([text], some_vectors(1))
    assert probability.shape == (1,)
    assert probability.dtype == np.float64
    assert 0.0 <= probability[0] <= 1.0


def test_no_texts_give_no_probabilities() -> None:
    assert TrainedTraitGate.load().probability([], some_vectors(0)).shape == (0,)


def test_one_at_a_time_and_all_at_once_are_the_same() -> None:
    gate, vectors = TrainedTraitGate.load(), some_vectors(len(EVERY))
    together = gate.probability(EVERY, vectors)
    alone = [gate.probability([text], vectors[row : row + 1])[0] for row, text in enumerate(EVERY)]
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_array_equal(together, gate.probability(EVERY, vectors))


def test_vectors_that_do_not_fit_are_refused() -> None:
    gate = TrainedTraitGate.load()
    with pytest.raises(ValueError, match="1 texts, but 2 vectors"):
        gate.probability(["hi"], some_vectors(2))
    with pytest.raises(ValueError, match="vectors of 8 numbers"):
        gate.probability(["hi"], some_vectors(1, 8))


def test_the_shipped_file_says_what_it_was_made_from_and_is_small() -> None:
    gate = TrainedTraitGate.load()
    assert "Multi-Session Chat" in gate.about["data"]
    assert gate.about["licence"]
    assert "tune trait-gate" in gate.about["command"]
    assert isinstance(gate.about["seed"], int)


def test_writing_gives_the_same_bytes_and_reading_the_same_gate(tmp_path: Path) -> None:
    weights = read_weights()
    write_gate(weights, tmp_path / "a.npz")
    write_gate(read_weights(tmp_path / "a.npz"), tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert (tmp_path / "a.npz").stat().st_size < 2_000_000
    vectors = some_vectors(len(EVERY))
    np.testing.assert_array_equal(
        TrainedTraitGate.load().probability(EVERY, vectors),
        TrainedTraitGate.load(tmp_path / "a.npz").probability(EVERY, vectors),
    )


def test_a_missing_file_is_a_sentence_with_the_command(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"are missing at .*none\.npz.*tune trait-gate"):
        TrainedTraitGate.load(tmp_path / "none.npz")


@pytest.mark.parametrize("kept", [0, 10, 2000, -50])
def test_a_cut_file_is_a_sentence_with_the_command(tmp_path: Path, kept: int) -> None:
    whole, cut = tmp_path / "whole.npz", tmp_path / "cut.npz"
    write_gate(read_weights(), whole)
    cut.write_bytes(whole.read_bytes()[:kept])
    with pytest.raises(ModelUnavailable, match=r"damaged or too old.*tune trait-gate"):
        TrainedTraitGate.load(cut)


def test_changed_bytes_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "changed.npz"
    write_gate(read_weights(), path)
    content = bytearray(path.read_bytes())
    for place in range(5000, 5040):
        content[place] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(ModelUnavailable, match="damaged or too old"):
        TrainedTraitGate.load(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("table", np.zeros((7, 7), dtype=np.float16)),
        ("count_mean", np.full(COUNTS, np.nan, dtype=np.float32)),
        ("about", np.frombuffer(b'{"format": 0}', dtype=np.uint8)),
        ("about", np.frombuffer(b"not json", dtype=np.uint8)),
        ("full_output", None),
    ],
)
def test_arrays_that_do_not_belong_are_refused(tmp_path: Path, name: str, value: np.ndarray | None) -> None:
    path = tmp_path / "other.npz"
    write_gate(read_weights(), path)
    with np.load(path) as stored:
        arrays = {each: stored[each] for each in stored.files if each != name}
    if value is not None:
        arrays[name] = value
    np.savez(path, allow_pickle=False, **arrays)
    with pytest.raises(ModelUnavailable, match=r"damaged or too old.*tune trait-gate"):
        TrainedTraitGate.load(path)


def test_features_mark_questions_first_person_and_names() -> None:
    seen = features("I saw Paris. Did you?")
    assert words("I saw Paris. Did you?") == ["i", "saw", "paris", ".", "did", "you", "?"]
    assert seen.ids.shape == (7,)
    assert seen.flags.shape == (7, FLAGS)
    assert seen.flags[:, 1].tolist() == [0, 0, 0, 0, 1, 1, 1]
    assert seen.flags[:, 2].tolist() == [1, 1, 1, 1, 0, 0, 0]
    assert seen.flags[:, 3].tolist() == [0, 0, 1, 0, 0, 0, 0]
    assert seen.flags[:, 4].tolist() == [1, 0, 0, 0, 1, 0, 0]


def test_features_of_a_curly_apostrophe_are_those_of_a_straight_one() -> None:
    assert features("I’m Ann").ids.tolist() == features("I'm Ann").ids.tolist()


def test_long_texts_are_cut() -> None:
    assert len(features("word " * 5000).ids) == LONGEST
