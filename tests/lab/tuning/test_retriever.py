"""Training the encoder as a retriever, with an encoder of a few numbers a word."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers

from bot.config import EncoderSettings, load_settings
from bot.domain import Utterance
from bot.errors import BadInput
from bot.llm.embedding import load_encoder
from bot.storage.engine.database import open_database
from lab.commands import tuning
from lab.tuning import retriever
from lab.tuning.checkpoints import Checkpoints
from lab.tuning.retriever import train
from lab.tuning.retriever_figures import measure
from lab.tuning.retriever_report import Course
from lab.tuning.triplets import (
    OWN,
    Context,
    Dialogue,
    Line,
    Material,
    Question,
    Triplet,
    contexts,
    digest,
    divide,
    read_locomo,
    read_msc,
    read_own,
    triplets,
)
from tests.living import ANN, DM, open_core

THEMES = (("boats", "oars", "sails"), ("bread", "oven", "flour"), ("chess", "pawn", "rook"), ("owls", "nest", "wing"))
SECRET = "zanzibar"


def dialogue(seed: int, sessions: int = 4) -> Dialogue:
    """Each session is about one theme, in words that it shares with no other."""
    drawn = random.Random(seed)
    said = []
    for number in range(sessions):
        words = THEMES[number % len(THEMES)]
        said.append(tuple(Line("ab"[place % 2], " ".join(drawn.choices(words, k=2))) for place in range(8)))
    return Dialogue(tuple(said))


def material(conversations: int = 8) -> Material:
    return divide("made up", [dialogue(seed) for seed in range(conversations)], 0)


def small_model() -> SentenceTransformer:
    """Word vectors at random: it knows nothing of what belongs together, and can learn it."""
    words = ["[UNK]", *(word for theme in THEMES for word in theme)]
    tokenizer = Tokenizer(models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    drawn = np.random.default_rng(0).normal(size=(len(words), 16)).astype(np.float32)
    return SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_weights=drawn), Normalize()], device="cpu")


COURSE = Course(epochs=4, batch=8, rate=0.1, margin=0.5, blend=1.0)


def test_a_triplet_is_of_one_length_and_last_speaker_and_its_negative_of_another_session() -> None:
    tagged = Dialogue(
        tuple(tuple(Line("ab"[n % 2], f"s{number} {'ab'[n % 2]} {n}") for n in range(7)) for number in range(3))
    )
    made = triplets([tagged], 0)
    assert {len(one.anchor.split("\n")) for one in made} == {1, 2, 3}
    for one in made:
        parts = [[tuple(line.split()) for line in text.split("\n")] for text in one]
        assert len({len(lines) for lines in parts}) == 1
        assert len({lines[-1][1] for lines in parts}) == 1
        sessions = [{line[0] for line in lines} for lines in parts]
        assert sessions[0] == sessions[1] != sessions[2]
        assert {line[2] for line in parts[0]}.isdisjoint(line[2] for line in parts[1])
    assert len({one.negative for one in made}) > 3
    assert triplets([tagged], 0) == made != triplets([tagged], 1)
    assert triplets([tagged], 0, 5) == made[:5]
    assert digest(made) != digest(made[:-1])


def test_nobody_in_the_figures_was_learnt_from() -> None:
    parts = material(20)
    every = [*parts.train, *parts.dev, *parts.test]
    assert parts.divided_by == "conversation"
    assert (len(parts.dev), len(parts.test), len(every)) == (3, 3, 20)
    assert len({id(one) for one in every}) == 20
    alone = divide(OWN, [dialogue(0, 10)], 0)
    assert alone.divided_by == "session"
    assert [sum(len(one.sessions) for one in part) for part in (alone.train, alone.dev, alone.test)] == [6, 2, 2]
    assert alone.train[0].sessions + alone.dev[0].sessions + alone.test[0].sessions == dialogue(0, 10).sessions
    with pytest.raises(BadInput, match="6 sessions"):
        divide(OWN, [dialogue(0, 5)], 0)


def test_training_learns_what_belongs_together_and_writes_an_encoder(tmp_path: Path) -> None:
    report = train(small_model(), material(), tmp_path / "out", COURSE, "the command", lambda *_: None)
    assert report.after.triplet_accuracy > max(report.before.triplet_accuracy, 0.95)
    assert report.accuracies[0] < max(report.accuracies)
    assert report.blends[1.0].quality > report.blends[0.0].quality
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "the command" in card
    assert f"{report.after.triplet_accuracy:.1%}" in card
    assert f"{report.after.triplet_accuracy:.1%}" in str(report)
    assert "better than the encoder it began as" in str(report)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["out"]
    with pytest.raises(BadInput, match="--out"):
        train(small_model(), material(), tmp_path / "out", COURSE, "", lambda *_: None)


async def test_what_was_written_loads_as_an_encoder_of_another_fingerprint(tmp_path: Path) -> None:
    small_model().save_pretrained(str(tmp_path / "before"), create_model_card=False)
    train(small_model(), material(), tmp_path / "out", COURSE, "", lambda *_: None)
    both = [await load_encoder(EncoderSettings(id=str(tmp_path / name), device="cpu")) for name in ("before", "out")]
    assert both[0].fingerprint != both[1].fingerprint
    rows = await both[1].encode(["boats oars", "sails", "flour oven"])
    assert rows[0] @ rows[1] > rows[0] @ rows[2]
    for encoder in both:
        await encoder.aclose()


def weights_of(folder: Path) -> bytes:
    [file] = folder.rglob("*.safetensors")
    return file.read_bytes()


def test_stopped_it_goes_on_to_the_same_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retriever, "CHECKPOINT_EVERY", 3)
    seen: list[str] = []

    def stops(step: str, share: float | None = None) -> None:
        seen.append(step)
        if sum(one.startswith("Training") for one in seen) == 20:
            raise KeyboardInterrupt

    train(small_model(), material(), tmp_path / "whole", COURSE, "", lambda *_: None)
    with pytest.raises(KeyboardInterrupt):
        train(small_model(), material(), tmp_path / "stopped", COURSE, "", stops)
    steps: list[str] = []
    with pytest.raises(BadInput, match="another training"):
        train(small_model(), material(), tmp_path / "stopped", replace(COURSE, seed=1), "", lambda *_: None)
    train(small_model(), material(), tmp_path / "stopped", COURSE, "", lambda step, share=None: steps.append(step))
    assert any(step.startswith("Going on after step 1") for step in steps)
    assert weights_of(tmp_path / "stopped") == weights_of(tmp_path / "whole")
    other = train(small_model(), material(), tmp_path / "other", replace(COURSE, seed=1), "", lambda *_: None)
    assert weights_of(other.out) != weights_of(tmp_path / "whole")


def test_a_checkpoint_that_is_damaged_is_begun_anew(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path / "out", "a")
    checkpoints.save({"step": 3})
    assert checkpoints.load() == {"step": 3, "fingerprint": "a"}
    (tmp_path / "out.checkpoint").write_bytes(b"half")
    assert checkpoints.load() is None


def test_the_blend_lies_between_both_and_the_best_is_kept(tmp_path: Path) -> None:
    course = replace(COURSE, blend=None)
    report = train(small_model(), material(), tmp_path / "out", course, "", lambda *_: None)
    assert set(report.blends) == {0.0, *retriever.BLENDS}
    assert report.blends[report.blend].quality == max(report.blends[share].quality for share in retriever.BLENDS)
    none = train(small_model(), material(), tmp_path / "none", replace(COURSE, blend=0.0), "", lambda *_: None)
    assert none.after == none.before
    assert "keep that one" in str(none)


def test_the_figures_are_what_they_say() -> None:
    place = {"a1": 0, "a2": 1, "b1": 2, "b2": 3, "q": 0}
    rows = np.array([[1, 0], [0.9, np.sqrt(0.19)], [0, 1], [0.1, np.sqrt(0.99)]], dtype=np.float32)
    lines = (tuple(Line("x", text) for text in pair) for pair in (("a1", "a2"), ("b1", "b2")))
    asked = Question("q", frozenset({(0, 1), (1, 1)}))
    found = measure(
        [Dialogue(tuple(lines), (asked,))],
        [Triplet("a1", "a2", "b1"), Triplet("a1", "b2", "a2")],
        lambda texts: rows[[place[text] for text in texts]],
    )
    assert (found.triplet_accuracy, found.same_session, found.found_again) == (0.5, 1.0, None)
    assert (found.evidence, found.keynext, found.quality) == (1.0, 1.0, 1.0)
    assert contexts(Dialogue(((Line("x", "one"), Line("y", "two")),)), 2) == {"y": [Context(0, 0, 2, "one\ntwo")]}


def test_evidence_and_what_comes_right_after_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.tuning.retriever_figures.NEAREST", 1)
    lines = tuple(Line("x", text) for text in ("k0", "k1", "k2"))
    rows = {"k0": [1, 0], "k1": [0, 1], "k2": [0, -1], "q": [1, 0]}
    asked = Question("q", frozenset({(0, 1), (0, 0), (0, 2)}))
    found = measure(
        [Dialogue((lines,), (asked,))], [], lambda texts: np.array([rows[text] for text in texts], dtype=np.float32)
    )
    assert found.evidence == pytest.approx(1 / 3)
    assert found.keynext == pytest.approx(2 / 3)


def test_locomo_questions_say_i_where_their_speakers_are_named(tmp_path: Path) -> None:
    turns = [{"id": f"D1:{n}", "speaker": "Ann", "text": f"line {n}"} for n in (1, 2)]
    asked = [
        {"question": "When did Ann sail?", "category": 2, "evidence": ["D1:2"], "answer": "now"},
        {"question": "Why did Ann lie?", "category": 5, "evidence": ["D1:1"], "adversarial_answer": "no"},
    ]
    session = {"index": 1, "date_time": "1:56 pm on 8 May, 2023", "turns": turns}
    raw = {"id": "c", "speakers": ["Ann", "Bo"], "sessions": [session], "questions": asked}
    (tmp_path / "c.json").write_text(json.dumps(raw), encoding="utf-8")
    [found] = read_locomo(tmp_path)
    assert found.questions == (Question("When did I sail?", frozenset({(0, 1)})),)
    assert found.sessions == ((Line("Ann", "line 1"), Line("Ann", "line 2")),)
    with pytest.raises(BadInput, match="--data"):
        read_locomo(tmp_path / "none")


def test_an_msc_dialogue_is_read_once_with_all_its_sessions(tmp_path: Path) -> None:
    def said(*texts: str) -> list[dict[str, str]]:
        return [{"text": text} for text in texts]

    first = {"dialog": said("one", "two"), "time_num": 3, "time_unit": "days"}
    for number, earlier, last in ((2, [first], said("three")), (3, [first, first], said("four"))):
        raw = {"dialog": last, "previous_dialogs": earlier, "metadata": {"initial_data_id": "v_1"}}
        path = tmp_path / f"dialogue_session_{number}.valid.jsonl"
        path.write_text(json.dumps(raw), encoding="utf-8")
    [found] = read_msc(tmp_path)
    assert [len(session) for session in found.sessions] == [2, 2, 1]
    assert found.sessions[-1] == (Line("Speaker 1", "four"),)


async def test_own_words_train_it_and_stay_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    settings = load_settings(None, {}, storage__data_dir=str(data))
    async with open_core(data) as core:
        drawn = random.Random(0)
        for session in range(6):
            for _ in range(2):
                words = " ".join(drawn.choices(THEMES[session % 4], k=3))
                core.number += 1
                said = Utterance(DM, f"m{core.number}", ANN, f"{words} {SECRET}", core.clock.now())
                await core.app.receive(said)
                await core.app.idle()
            await core.passes(timedelta(days=1))
    database = await open_database(settings.database_url)
    [own] = await read_own(database)
    await database.aclose()
    assert [len(session) for session in own.sessions] == [2] * 6
    assert own.sessions[0][0].text.endswith(SECRET)
    monkeypatch.setattr(tuning, "load_trainable", lambda _settings: small_model())
    wanted = tuning.Wanted(tmp_path / "out", None, "locomo", True, COURSE)
    assert await tuning.tune_retriever(settings, wanted) == 0
    files = [file for file in (tmp_path / "out").rglob("*") if file.is_file()]
    assert [file.name for file in files if SECRET.encode() in file.read_bytes()] == []
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "erased" in card
    assert "tune retriever --own --out FOLDER" in card
    assert str(tmp_path) not in card


async def test_what_cannot_be_is_said_before_anything_is_loaded(tmp_path: Path) -> None:
    settings = load_settings(None, {}, storage__data_dir=str(tmp_path / "data"))
    wrong = {
        "--own": tuning.Wanted(tmp_path / "out", tmp_path, "locomo", True, COURSE),
        "--data": tuning.Wanted(tmp_path / "out", None, "locomo", False, COURSE),
        "--layout": tuning.Wanted(tmp_path / "out", tmp_path, "irc", False, COURSE),
        "data folder": tuning.Wanted(tmp_path / "data" / "out", None, "locomo", True, COURSE),
    }
    for sentence, wanted in wrong.items():
        with pytest.raises(BadInput, match=sentence):
            await tuning.tune_retriever(settings, wanted)
