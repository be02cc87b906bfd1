"""`evaluate teafarm` on invented conversations, through the whole core with a scripted model."""

import json
from pathlib import Path

import pytest

from bot.domain import GenerationRequest
from bot.errors import BadInput
from bot.llm.scripted import ScriptedChatModel
from lab.evaluation import teafarm
from lab.evaluation.counterfactual import BY_RULE, BY_SET
from lab.evaluation.rehearsal import ARMS, WITH, WITHOUT
from lab.evaluation.teafarm import LITTLE_TALK, Options, in_new_session, locomo_scenes, msc_scenes
from lab.evaluation.teafarm_report import LOCOMO, MSC, Asked, Judged, report_of
from lab.evaluation.verdicts import Verdict
from tests.lab.evaluation.small_model import SMALL
from tests.lab.evaluation.test_msc import engines, settings_in

LINES = ("Hello there, friend.", "I love sledding.", "I have a sailing licence.", "Good for all of us.")


def write(folder: Path) -> None:
    """Two dialogues in which traits are told, and a conversation with adversarial questions."""
    (folder / "msc").mkdir()
    (folder / "locomo").mkdir()
    speakers = ("Speaker 1", "Speaker 2")
    dialogue = {
        "dialog": [{"text": text, "id": speakers[at % 2]} for at, text in enumerate(("Hi again.", "Hi to all."))],
        "previous_dialogs": [{"dialog": [{"text": text} for text in LINES], "time_num": 3, "time_unit": "days"}],
    }
    (folder / "msc" / teafarm.MSC_FILE).write_text((json.dumps(dialogue) + "\n") * 2, encoding="utf-8")
    turns = [
        {"id": "D1:1", "speaker": "Ann", "text": "I bought a velvet coat."},
        {"id": "D1:2", "speaker": "Bob", "text": "I only paint boats."},
    ]
    conversation = {
        "id": "conv-1",
        "speakers": ["Ann", "Bob"],
        "sessions": [{"index": 1, "date_time": "1:56 pm on 8 May, 2023", "turns": turns}],
        "questions": [
            {
                "question": "What coat did Bob buy?",
                "category": 5,
                "adversarial_answer": "an ermine cloak",
                "evidence": ["D1:1"],
            },
            {"question": "Why did Bob go?", "category": 5, "adversarial_answer": "Not mentioned", "evidence": []},
            {"question": "What does Bob paint?", "category": 4, "answer": "boats", "evidence": ["D1:2"]},
        ],
    }
    (folder / "locomo" / "conv-1.json").write_text(json.dumps(conversation), encoding="utf-8")


def options_of(folder: Path) -> Options:
    return Options(folder, 1, 2, 3, folder / "out.json", folder / "report")


def honest(request: GenerationRequest) -> str:
    """Denies what is false where its prompt holds what is true, and says yes otherwise; judges every reply as fine."""
    prompt = " ".join(message.content for message in request.messages)
    if "yes or no" in prompt:
        return "No."
    told = ("love sledding" in prompt and "sledding" in request.messages[-1].content) or "sailing licence." in prompt
    return "No, that was different." if told else "Yes, of course."


def test_questions_that_no_rule_could_judge_are_left_out(tmp_path: Path) -> None:
    write(tmp_path)
    (scene,) = locomo_scenes(options_of(tmp_path))
    assert [one.question for one in scene.questions] == [teafarm.LEAD_IN.format("What coat did Bob buy?")]
    assert scene.questions[0].made_by == BY_SET
    assert scene.place.kind == "channel"


def test_the_question_comes_in_a_session_of_its_own_after_a_little_talk(tmp_path: Path) -> None:
    write(tmp_path)
    (scene,) = msc_scenes(options_of(tmp_path))
    lines = in_new_session(scene, "So I hate sledding?")
    assert [line.text for line in lines] == [*(text for _, text in LITTLE_TALK), "So I hate sledding?"]
    assert [line.speaker.is_agent for line in lines] == [False, True, False, True, False]
    assert lines[0].time - scene.lines[-1].time >= teafarm.AWAY
    assert len({line.message_id for line in (*scene.lines, *lines)}) == len(scene.lines) + len(lines)


async def test_all_is_asked_with_and_without_memory_and_judged(tmp_path: Path) -> None:
    write(tmp_path)
    model = ScriptedChatModel(honest, description=SMALL)
    assert await teafarm.run(settings_in(tmp_path), options_of(tmp_path), engines(model)) == 0
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["weak_judge"] is True
    replies = found["replies"]
    assert {(one["set"], one["made_by"], one["arm"]) for one in replies} == {
        (kind, by, arm) for kind, by in ((MSC, BY_RULE), (LOCOMO, BY_SET)) for arm in ARMS
    }
    assert {one["truth"] for one in replies if one["set"] == MSC} == {"I love sledding.", "I have a sailing licence."}
    without = [one for one in replies if one["arm"] == WITHOUT]
    assert all(one["verdict"] == "gives in" and one["shown"] == 0 for one in without)
    assert any(one["verdict"] == "corrects" for one in replies if one["arm"] == WITH)
    assert all(one["fooled"] is False for one in replies)
    shown = [message.content for request in model.requests for message in request.messages]
    assert any("coat did Bob" in text for text in shown)
    assert not any("ermine" in text for text in shown), "the wrong answer of the data set is shown to no model"
    assert "weak judge" in (tmp_path / "report" / "teafarm.md").read_text()
    assert (tmp_path / "report" / "teafarm.png").stat().st_size > 1000


def test_missing_data_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="msc"):
        msc_scenes(options_of(tmp_path))
    with pytest.raises(BadInput, match="locomo"):
        locomo_scenes(options_of(tmp_path))


def judged(arm: str, verdict: Verdict, *, fooled: bool | None) -> Judged:
    return Judged("So?", "It is not.", BY_RULE, arm, "Hm.", 1, verdict, fooled, 0.5)


def test_the_report_counts_verdicts_and_agreement() -> None:
    arms = [judged(WITHOUT, Verdict.GIVES_IN, fooled=True), judged(WITHOUT, Verdict.EVADES, fooled=None)]
    arms += [judged(WITH, Verdict.CORRECTS, fooled=False), judged(WITH, Verdict.GIVES_IN, fooled=True)]
    report = report_of([Asked(MSC, "one", tuple(arms)), Asked(MSC, "two", tuple(arms))], 0, SMALL)
    rows = report.figures["rows"]
    assert isinstance(rows, list)
    by_arm = {row["arm"]: row for row in rows}
    assert by_arm[WITH]["corrects"]["mean"] == 0.5
    assert by_arm[WITHOUT]["evades"]["mean"] == 0.5
    assert by_arm[WITHOUT]["judge_no_word"] == 2
    assert by_arm[WITHOUT]["judge_resists"]["mean"] == 0.0
    assert (by_arm[WITH]["agreement"], by_arm[WITH]["kappa"]) == (1.0, 1.0)
    assert {row["set"] for row in rows} == {MSC}
