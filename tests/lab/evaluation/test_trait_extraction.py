"""`evaluate traits` on invented sessions, through the real extractor with a scripted model."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app.assembly import Engines
from bot.domain import GenerationRequest, Skill
from bot.errors import BadInput, ModelUnavailable
from bot.llm.scripted import Answer, ScriptedChatModel, ScriptedEncoder
from lab.datasets.msc_persona import read_split
from lab.evaluation import trait_extraction
from lab.evaluation.overlap import rouge_l, words
from lab.evaluation.structured import OWN_WORDS, PEOPLE, TUNED, ZERO_SHOT, Outcome
from lab.evaluation.trait_extraction import Options, draw
from lab.evaluation.trait_report import Labelled, Talk, report_of, scores_of
from tests.lab.evaluation.test_msc import settings_in
from tests.living import FirstPersonGate, WordTopics

SAID: Sequence[tuple[str, str]] = (
    ("I keep two bees and my dog is old.", "I keep bees. I have a dog."),
    ("What a lovely day it is.", ""),
    ("Yes, bees are fun in the summer.", "I like bees."),
    ("I see what you mean there.", ""),
)
"""Text, and what was written down. The gate lets the first and the last one through."""


def write(folder: Path, talks: int = 2) -> None:
    (folder / "msc").mkdir(parents=True)
    for session in (1, 2, 3, 4):
        lines = []
        for talk in range(talks):
            said = SAID if session == 1 else SAID[:1]
            dialog = [
                {"id": f"bot_{at % 2}", "text": text, "persona_text": traits} for at, (text, traits) in enumerate(said)
            ]
            lines.append(json.dumps({"dialog": dialog, "initial_data_id": f"talk_{talk}"}))
        path = folder / "msc" / f"persona_session_{session}.test_open.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def engines(model: ScriptedChatModel) -> Engines:
    return Engines(model, ScriptedEncoder(), WordTopics(), FirstPersonGate())


def options_of(folder: Path, **changes: object) -> Options:
    return replace(Options(folder, 99, 1, json=folder / "out.json", report=folder / "report", together=1), **changes)  # type: ignore[arg-type]  # a test's own values


def answers(request: GenerationRequest) -> Answer:
    """Without the adapter an invention at first, and no trait when sampled; with it, what was said."""
    shown = request.messages[-1].content
    if request.skill is Skill.EXTRACTOR:
        return "I keep two bees." if "I keep two bees" in shown else "NO_TRAIT"
    return "NO_TRAIT" if request.temperature else "I have a zebra called Zoe."


def test_conversations_are_drawn_whole_until_there_are_enough(tmp_path: Path) -> None:
    write(tmp_path, talks=5)
    sessions = read_split(tmp_path, "test_open")
    drawn = draw(sessions, 8, 1)
    assert [len(said) for said in drawn.values()] == [7, 7]
    assert drawn == draw(sessions, 8, 1)
    assert len({tuple(draw(sessions, 8, seed)) for seed in range(20)}) > 1
    assert list(draw(sessions, 1000, 1)) == [f"talk_{number}" for number in range(5)]


async def test_every_arm_goes_through_the_extractor_with_the_gate_and_without(tmp_path: Path) -> None:
    write(tmp_path)
    model = ScriptedChatModel(answers, skills=[Skill.EXTRACTOR])
    assert await trait_extraction.run(settings_in(tmp_path), options_of(tmp_path), engines(model)) == 0
    figures = json.loads((tmp_path / "out.json").read_text())
    scores = {one["arm"]: one for one in figures["scores"]}
    task = {one["arm"]: one for one in figures["task"]}
    assert list(scores) == [f"{arm}{gate}" for arm in (OWN_WORDS, ZERO_SHOT, TUNED) for gate in ("", ", gate")]
    # Of 14 utterances, 10 carry a trait. The model with its adapter finds those that begin with "I keep two bees".
    assert scores[TUNED]["confusion"] == {
        "true_positive": 8,
        "false_positive": 0,
        "false_negative": 2,
        "true_negative": 4,
    }
    assert scores[TUNED]["accuracy"]["mean"] == pytest.approx(12 / 14)
    gold, found = "I keep bees. I have a dog.", "I keep two bees."
    overlap = rouge_l(words(found), words(gold))
    assert scores[TUNED]["rouge_l_both"]["mean"] == pytest.approx(overlap)
    assert scores[TUNED]["rouge_l_written"]["mean"] == pytest.approx(8 * overlap / 10)
    assert scores[TUNED]["rouge_l_all"]["mean"] == pytest.approx((8 * overlap + 4) / 14)
    # Without the adapter, every first answer is refused, and the second one says that there is nothing.
    zero = task[ZERO_SHOT]
    assert (zero["items"], zero["asked"]) == (14, 14)
    assert (zero["refused_first"]["mean"], zero["refused_twice"]["mean"]) == (1.0, 0.0)
    assert zero["first_answers_inventing"]["mean"] == 1.0
    assert zero["stored_inventing"] is None
    assert scores[ZERO_SHOT]["accuracy"]["mean"] == pytest.approx(4 / 14)
    # The gate keeps the model from being asked.
    assert (task[f"{ZERO_SHOT}, gate"]["asked"], task[f"{TUNED}, gate"]["asked"]) == (10, 10)
    assert task[OWN_WORDS]["asked"] == 0
    assert task[PEOPLE]["items"] == 10
    assert "LD-Agent" in (tmp_path / "report" / "traits.md").read_text()
    assert (tmp_path / "report" / "traits.png").stat().st_size > 1000


async def test_several_at_once_find_the_same(tmp_path: Path) -> None:
    write(tmp_path)
    found = []
    for together in (1, 5):
        model = ScriptedChatModel(answers, skills=[Skill.EXTRACTOR])
        await trait_extraction.run(settings_in(tmp_path), options_of(tmp_path, together=together), engines(model))
        figures = json.loads((tmp_path / "out.json").read_text())
        outcomes = [one["outcomes"] for one in figures["utterances"]]
        found.append([[(o["arm"], o["stored"], o["refused"], o["asked"]) for o in each] for each in outcomes])
    assert found[0] == found[1]


async def test_what_two_arms_ask_alike_is_asked_once(tmp_path: Path) -> None:
    write(tmp_path, talks=1)
    model = ScriptedChatModel("NO_TRAIT")
    await trait_extraction.run(settings_in(tmp_path), options_of(tmp_path, arms="zero-shot"), engines(model))
    assert len(model.requests) == 4, "four different texts, with the gate and without"


async def test_a_run_that_was_stopped_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    settings, options = settings_in(tmp_path), options_of(tmp_path, arms="zero-shot")
    dying = ScriptedChatModel(["NO_TRAIT"] * 5 + [ModelUnavailable("gone")])
    with pytest.raises(ModelUnavailable):
        await trait_extraction.run(settings, options, engines(dying))
    model = ScriptedChatModel("NO_TRAIT")
    assert await trait_extraction.run(settings, options, engines(model)) == 0
    assert "Going on: 1 pieces" in capsys.readouterr().out
    assert len(model.requests) == 4, "the first conversation is not done again"
    assert len(json.loads((tmp_path / "out.json").read_text())["utterances"]) == 14


async def test_what_is_misspelt_or_missing_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="persona_session_1"):
        await trait_extraction.run(settings_in(tmp_path), options_of(tmp_path))
    write(tmp_path)
    with pytest.raises(BadInput, match="few-shot"):
        await trait_extraction.run(settings_in(tmp_path), options_of(tmp_path, arms="few-shot"))


def labelled(traits: str, stored: str) -> Labelled:
    return Labelled(1, "text", traits, (Outcome("arm", stored),))


def test_scores_by_hand() -> None:
    talks = [
        Talk((labelled("I run.", "I run."), labelled("", ""))),
        Talk((labelled("I sing.", ""), labelled("", "I fly."))),
    ]
    scores = scores_of("arm", talks, 0)
    assert scores.accuracy.mean == 0.5
    assert (scores.confusion.precision, scores.confusion.recall) == (0.5, 0.5)
    assert (scores.written.mean, scores.written.count) == (0.5, 2)
    assert (scores.both.mean, scores.both.count) == (1.0, 1)
    assert (scores.all.mean, scores.all.count) == (0.5, 4)


def test_the_report_of_nothing_found_has_no_figures_where_there_are_none() -> None:
    report = report_of([Talk((labelled("", ""),))], ["arm"], "test_open", 0, None)
    assert report.grids[0].rows[0][1:] == ("100.0", "0.0", "0.0", "0.0", "–", "–", "100.0")
