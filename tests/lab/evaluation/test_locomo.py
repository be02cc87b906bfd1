"""LoCoMo told to the whole core: what is asked, what counts, what is reported, and that a stopped run goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from bot.config import Settings, load_settings
from bot.domain import Place, PlaceKind, Speaker, Utterance
from bot.errors import BadInput, StorageError
from bot.llm.scripted import ScriptedEncoder
from bot.memory.recall import Recall
from lab.datasets.locomo import Category, Question, read_conversation
from lab.evaluation import locomo, locomo_asking
from lab.evaluation.baselines import Bm25Ranker, DenseRanker, Ranking, RememberingEncoder
from lab.evaluation.locomo import LocomoOptions, Trained, measure, run, settings_to_ask
from lab.evaluation.locomo_asking import Score, asked_questions, memory_for, parts_of_fused, score
from lab.evaluation.locomo_report import Run, build, difference
from lab.evaluation.report import EvaluationReport, Json
from tests.living import START, FirstPersonGate, WordTopics

SAID = (
    ("Caroline", "I sold the emerald necklace in Leeds."),
    ("Melanie", "My sister keeps bees near the harbour."),
    ("Caroline", "The locksmith repaired the kitchen window."),
    ("Melanie", "We painted boats until the evening."),
)
QUESTIONS = (
    {"question": "Where was the emerald necklace sold?", "category": 4, "evidence": ["D1:1"], "answer": "Leeds"},
    {"question": "Who keeps bees, and what was painted?", "category": 1, "evidence": ["D1:2", "D2:2"], "answer": "-"},
    {"question": "When was the kitchen window repaired?", "category": 2, "evidence": ["D2:1"], "answer": "-"},
    {"question": "What does nobody know?", "category": 3, "evidence": [], "answer": "-"},
    {"question": "When did Melanie ride the unicorn?", "category": 5, "evidence": ["D1:1"], "adversarial_answer": "-"},
)
HERE = Place("replay", PlaceKind.CHANNEL, "locomo/conv-1")


def write(folder: Path, *names: str) -> Path:
    """One conversation of two sessions under each name."""
    turns = [
        {"id": f"D{1 + at // 2}:{1 + at % 2}", "speaker": who, "text": text} for at, (who, text) in enumerate(SAID)
    ]
    sessions = [
        {"index": 1, "date_time": "1:56 pm on 8 May, 2023", "turns": turns[:2]},
        {"index": 2, "date_time": "1:56 pm on 9 May, 2023", "turns": turns[2:]},
    ]
    (folder / "locomo").mkdir(exist_ok=True)
    for name in names:
        whole = {"id": name, "speakers": ["Caroline", "Melanie"], "sessions": sessions, "questions": QUESTIONS}
        (folder / "locomo" / f"{name}.json").write_text(json.dumps(whole), encoding="utf-8")
    return folder


def settings(folder: Path) -> Settings:
    return load_settings(None, {}, model__cache_dir=str(folder / "cache"))


def trained() -> Trained:
    return Trained(ScriptedEncoder(), WordTopics(), FirstPersonGate())


def utterances(*texts: str) -> list[Utterance]:
    ann = Speaker("replay:Ann", "Ann")
    return [
        Utterance(HERE, f"conv-1/D{1 + at // 2}:{1 + at % 2}", ann, text, START, to_bot=False)
        for at, text in enumerate(texts)
    ]


async def found(folder: Path, options: LocomoOptions) -> EvaluationReport:
    return await measure(settings(folder), folder, options, Console(file=StringIO()), trained=trained())


def at(figures: Json, *keys: str) -> Json:
    """A figure of a report, however deep."""
    for key in keys:
        assert isinstance(figures, dict)
        figures = figures[key]
    return figures


async def test_every_setting_is_asked_through_the_core_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "conv-1", "conv-2")
    out, folder = tmp_path / "figures.json", tmp_path / "report"
    options = LocomoOptions(out=out, folder=folder)
    assert await run(settings(tmp_path), tmp_path, options, trained=trained()) == 0
    shown = capsys.readouterr().out
    assert "Evidence recall at the level of turns" in shown
    figures = json.loads(out.read_text(encoding="utf-8"))["settings"]
    assert set(figures) == {"fused", "keynext", "ld-agent", "theanine", "bm25", "dense"}
    for name in ("fused", "bm25", "dense"):
        assert at(figures, name, "turns", "recall@20", "mean") == 1.0, "there are four utterances"
    assert at(figures, "bm25", "turns", "recall@1", "mean") == pytest.approx((1 + 0.5 + 1) / 3)
    assert at(figures, "ld-agent", "turns") == {}
    assert at(figures, "ld-agent", "sessions", "s@5", "count") == 6
    assert at(figures, "theanine", "sessions", "s@5", "mean") == 1.0
    assert at(figures, "fused", "says_relevant", "adversarial", "count") == 2
    assert at(figures, "fused", "says_relevant", "answerable", "count") == 6
    assert at(figures, "bm25", "says_relevant", "answerable", "count") == 0
    p95 = at(figures, "fused", "ms", "p95")
    assert isinstance(p95, float)
    assert p95 > 0
    assert {path.name for path in folder.iterdir()} == {"locomo.md", "locomo.png"}


async def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "conv-1", "conv-2")
    options = LocomoOptions(recall=("bm25", "dense"))
    undisturbed = await found(tmp_path, options)
    asked: list[tuple[str, str]] = []
    real = locomo_asking.ask

    async def counted(told: locomo_asking.Told, setting: str, step: locomo_asking.Step) -> tuple[Score, ...]:
        if len(asked) == 3:
            raise KeyboardInterrupt
        asked.append((told.conversation.id, setting))
        return await real(told, setting, step)

    monkeypatch.setattr(locomo, "ask", counted)
    with pytest.raises(KeyboardInterrupt):
        await found(tmp_path, options)
    first, asked = asked, []
    report = await found(tmp_path, options)
    assert first == [("conv-1", "bm25"), ("conv-1", "dense"), ("conv-2", "bm25")]
    assert asked == [("conv-2", "dense")], "what was finished is not asked again"
    assert report.figures == undisturbed.figures
    assert not list((tmp_path / "cache" / "evaluations").iterdir())


async def test_work_that_failed_is_no_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locomo_asking, "FEWEST", 1.5)
    with pytest.raises(StorageError, match="can be recalled"):
        await found(write(tmp_path, "conv-1"), LocomoOptions(recall=("bm25",)))


async def test_leaving_a_part_out_changes_that_weight_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "conv-1")
    monkeypatch.setattr(locomo, "parts_of_fused", lambda _memory: ["near"])
    report = await found(tmp_path, LocomoOptions(recall=("fused",), ablate=True))
    assert "What each part of fused brings" in [grid.title for grid in report.grids]
    asked = at(report.figures, "settings")
    assert isinstance(asked, dict)
    assert set(asked) == {"fused", "fused without near"}
    memory = load_settings(None, {}).memory
    without = memory_for(memory.model_copy(update={"recall": "keynext"}), "fused without near")
    assert without.recall == "fused"
    assert without.fused.weights == memory.fused.weights.model_copy(update={"near": 0.0})
    assert without.fused.threshold == memory.fused.threshold


def test_parts_are_the_weights_that_count() -> None:
    memory = load_settings(None, {}, memory__fused__weights__near=0.0).memory
    parts = parts_of_fused(memory)
    assert "near" not in parts
    assert "bias" not in parts
    assert "speaker" in parts


def test_settings_are_asked_in_one_order_and_unknown_ones_refused() -> None:
    plain = load_settings(None, {})
    assert settings_to_ask(plain, LocomoOptions(recall=("dense", "fused"))) == ["fused", "dense"]
    assert settings_to_ask(plain, LocomoOptions(recall=("dense",), ablate=True))[:2] == ["dense", "fused"]
    with pytest.raises(BadInput, match="magic"):
        settings_to_ask(plain, LocomoOptions(recall=("magic",)))


async def test_a_folder_without_conversations_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--data"):
        await found(tmp_path, LocomoOptions())


def test_questions_without_evidence_do_not_count(tmp_path: Path) -> None:
    conversation = read_conversation(write(tmp_path, "conv-1") / "locomo" / "conv-1.json")
    assert [int(one.category) for one in asked_questions(conversation)] == [4, 1, 2, 5]


def test_a_score_is_of_turns_and_of_their_sessions() -> None:
    question = Question("?", Category.MULTI_HOP, ("D1:2", "D2:1"))
    ranking = Ranking(tuple(utterances("one two", "three", "four five six")), relevant=True, ms=2.0)
    scored = score(question, ranking, at_turns=True)
    assert (scored.turns["recall@1"], scored.turns["recall@3"], scored.turns["all@10"]) == (0.0, 1.0, 1.0)
    assert scored.turns["words@50"] == 1.0
    assert (scored.sessions["s@1"], scored.sessions["s@5"]) == (0.5, 1.0)
    assert (scored.relevant, scored.ms) == (True, 2.0)
    assert score(question, ranking, at_turns=False).turns == {}


def test_of_an_adversarial_question_only_counts_whether_anything_was_relevant() -> None:
    question = Question("?", Category.ADVERSARIAL, ("D1:1",))
    scored = score(question, Ranking(tuple(utterances("one")), relevant=True, ms=1.0), at_turns=True)
    assert scored == Score(5, {}, {}, relevant=True, ms=1.0)


async def test_the_baselines_find_words_and_directions() -> None:
    said = utterances("The dogs are barking.", "I like soup", "nothing")
    found_by_stem = await Bm25Ranker(said).rank('a "dog" barked!')
    assert [one.text for one in found_by_stem.utterances] == ["The dogs are barking."]
    assert (await Bm25Ranker(said).rank("?!")).utterances == ()
    dense = await DenseRanker.of(said, ScriptedEncoder())
    assert (await dense.rank("I like soup")).utterances[0].text == "I like soup"


async def test_an_encoder_that_remembers_encodes_once() -> None:
    inner = ScriptedEncoder()
    encoder = RememberingEncoder(inner)
    once = await encoder.encode(["a b", "c"])
    again = await encoder.encode(["c", "a b", "c"])
    assert (again == once[[1, 0, 1]]).all()
    assert inner.texts == ["a b", "c"]
    assert (await encoder.encode([])).shape == (0, inner.dimension)
    tokens = await encoder.encode_tokens(["a b", "a b"])
    assert [one.words for one in tokens] == [("a", "b")] * 2


def made(values: dict[str, list[float]]) -> dict[str, list[Score]]:
    """Conversation → scores with these values at recall@10."""
    return {name: [Score(4, {"recall@10": value}) for value in some] for name, some in values.items()}


def test_a_difference_is_taken_question_by_question() -> None:
    whole, part = made({"a": [1.0, 0.5], "b": [1.0]}), made({"a": [0.5, 0.5], "b": [0.0]})
    assert difference(whole, part, "recall@10", 0).mean == pytest.approx(0.5)


def test_the_report_tells_settings_that_rank_turns_from_those_that_do_not() -> None:
    depths, budgets = (1, 3, 5, 10, 20), (50, 100, 200, 400)
    turns = {f"{name}@{k}": 0.5 for name, ks in (("recall", depths), ("words", budgets)) for k in ks}
    turns |= {"all@10": 0.0, "ndcg@10": 0.25}
    held = {"s@1": 0.75, "s@5": 1.0, "ndcg@10": 0.5}
    plain = Score(4, turns, held)
    results = {"bm25": {"c": (plain,)}, "ld-agent": {"c": (replace(plain, turns={}),)}}
    report = build(Run(results, seed=0))
    by_title = {grid.title: grid for grid in report.grids}
    assert [row[0] for row in by_title["Evidence recall at the level of turns"].rows] == ["bm25"]
    sessions = by_title["Evidence recall at the level of sessions"]
    assert [row[:4] for row in sessions.rows] == [(name, "75.0", "100.0", "50.0") for name in ("bm25", "ld-agent")]
    assert "no order" in sessions.note
    assert [curve.name for curve in report.plots[0].curves] == ["bm25"]
    json.dumps(report.figures, allow_nan=False)


async def test_the_asker_is_somebody_else_in_the_same_channel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = Recall.query

    async def seen(self: Recall, text: str, speaker_id: str = "") -> object:
        asked.append(speaker_id)
        return await real(self, text, speaker_id)

    monkeypatch.setattr(Recall, "query", seen)
    await found(write(tmp_path, "conv-1"), LocomoOptions(recall=("keynext",)))
    assert set(asked[-4:]) == {"locomo:asker"}
