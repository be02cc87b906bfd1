"""`evaluate summaries` on invented dialogues, through the real summariser on real stores with a scripted model."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app.assembly import Engines
from bot.domain import GenerationRequest, Skill
from bot.errors import BadInput, ModelFailed
from bot.llm.scripted import Answer, ScriptedChatModel, ScriptedEncoder
from lab.datasets.dialogsum import Dialogue, Turn
from lab.evaluation import summaries
from lab.evaluation.rouge import mean_rouge
from lab.evaluation.structured import OWN_WORDS, PEOPLE, TUNED, ZERO_SHOT, Outcome
from lab.evaluation.summaries import FIRST_NAMES, Options, draw, named, transcript
from lab.evaluation.summary_report import Summarised, report_of
from tests.lab.evaluation.test_msc import settings_in
from tests.living import FirstPersonGate, WordTopics

DIALOGUE = "#Person1#: I sold my red bicycle yesterday.\n#Person2#: Good for you! I got a boat.\n#Person1#: How nice."
GOLD = (
    "#Person1# sold a bicycle and #Person2# bought a boat.",
    "#person1# tells #Person2# about the bicycle.",
    "A boat was bought.",
)


def write(folder: Path, dialogues: int = 3) -> None:
    (folder / "dialogsum").mkdir(parents=True)
    lines = [
        json.dumps(
            {"fname": f"test_{at}", "dialogue": DIALOGUE}
            | {f"summary{number}": text for number, text in enumerate(GOLD, start=1)}
        )
        for at in range(dialogues)
    ]
    (folder / "dialogsum" / "dialogsum.test.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def engines(model: ScriptedChatModel) -> Engines:
    return Engines(model, ScriptedEncoder(), WordTopics(), FirstPersonGate())


def options_of(folder: Path, **changes: object) -> Options:
    return replace(Options(folder, 2, 1, json=folder / "out.json", report=folder / "report", together=1), **changes)  # type: ignore[arg-type]  # a test's own values


def answers(request: GenerationRequest) -> Answer:
    """With the adapter a summary; without, something invented at first and an endless one after."""
    if request.skill is Skill.SUMMARIZER:
        return "A red bicycle was sold."
    return "word " * 60 if request.temperature else "A red zebra was sold in Paris."


def test_people_get_names_that_nobody_says(tmp_path: Path) -> None:
    given = Dialogue(
        "one",
        (Turn("#Person1#", "Hello, I am Alexander."), Turn("#Person2#", "Hi #Person1#, it's #person2#.")),
        ("#PErson2# greets #Person1#'s friend #Person3#.",),
        (),
    )
    for seed in range(30):
        found = named(given, random.Random(seed))
        first, second = (turn.speaker for turn in found.turns)
        assert {first, second} < set(FIRST_NAMES)
        assert first != second
        assert "Alex" not in {first, second}
        assert found.turns[1].text == f"Hi {first}, it's {second}."
        assert found.summaries[0].startswith(f"{second} greets {first}'s friend ")
        assert "#" not in transcript(found) + found.summaries[0]
    assert named(given, random.Random(1)) == named(given, random.Random(1))


def test_a_dialogue_that_uses_all_names_is_refused() -> None:
    crowd = Dialogue("one", (Turn("#Person1#", " ".join(FIRST_NAMES)),), ("#Person1# counts.",), ())
    with pytest.raises(BadInput, match="not enough names"):
        named(crowd, random.Random(1))


def test_the_sample_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    write(tmp_path, dialogues=9)
    drawn = draw(options_of(tmp_path))
    assert drawn == draw(options_of(tmp_path))
    assert len(drawn) == 2
    assert len({tuple(one.id for one in draw(options_of(tmp_path, seed=seed))) for seed in range(9)}) > 1
    assert len(draw(options_of(tmp_path, sample=99))) == 9


@pytest.mark.parametrize("together", [1, 3])
async def test_every_arm_goes_through_the_summariser(tmp_path: Path, together: int) -> None:
    write(tmp_path)
    model = ScriptedChatModel(answers, skills=[Skill.SUMMARIZER])
    options = options_of(tmp_path, sample=3, together=together)
    assert await summaries.run(settings_in(tmp_path), options, engines(model)) == 0
    figures = json.loads((tmp_path / "out.json").read_text())
    task = {one["arm"]: one for one in figures["task"]}
    stored = [{one["arm"]: one["stored"] for one in each["outcomes"]} for each in figures["summaries"]]
    for dialogue, by_arm in zip(draw(options), stored, strict=True):
        first, second = (dialogue.turns[at].speaker for at in (0, 1))
        assert by_arm[TUNED] == "A red bicycle was sold."
        assert by_arm[OWN_WORDS] == by_arm[ZERO_SHOT], "what is refused twice falls back"
        assert by_arm[OWN_WORDS].startswith(f"{first}: I sold my red bicycle yesterday.")
        assert f"{second}:" in by_arm[OWN_WORDS]
    expected = [mean_rouge("A red bicycle was sold.", one.summaries).unigrams for one in draw(options)]
    assert figures["rouge"][TUNED]["ROUGE-1"]["mean"] == pytest.approx(sum(expected) / 3)
    assert figures["rouge"][TUNED]["ROUGE-1"]["count"] == 3
    gain = figures["gains"][f"{TUNED} – {ZERO_SHOT}"]["ROUGE-L"]["mean"]
    assert gain == pytest.approx(
        figures["rouge"][TUNED]["ROUGE-L"]["mean"] - figures["rouge"][ZERO_SHOT]["ROUGE-L"]["mean"]
    )
    zero = task[ZERO_SHOT]
    assert (zero["asked"], zero["refused_first"]["mean"], zero["refused_twice"]["mean"]) == (3, 1.0, 1.0)
    assert zero["first_answers_inventing"]["mean"] == 1.0
    assert zero["first_answers_with"] == {"names": 1.0, "numbers": 0.0, "nouns": 1.0}
    assert zero["stored_inventing"]["mean"] == 0.0
    assert (task[TUNED]["refused_first"]["mean"], task[TUNED]["stored_inventing"]["mean"]) == (0.0, 0.0)
    assert task[PEOPLE]["items"] == 9
    assert "ROUGE-2" in (tmp_path / "report" / "summaries.md").read_text()
    assert not list((tmp_path / "cache").rglob("*.jsonl")), "nothing is left to resume"


async def test_an_error_of_the_model_stops_one_dialogue_alone(tmp_path: Path) -> None:
    write(tmp_path)
    model = ScriptedChatModel([ModelFailed("no"), "A red bicycle was sold."])
    await summaries.run(settings_in(tmp_path), options_of(tmp_path, arms="zero-shot"), engines(model))
    figures = json.loads((tmp_path / "out.json").read_text())
    [task] = [one for one in figures["task"] if one["arm"] == ZERO_SHOT]
    assert (task["items"], task["failed"]) == (2, 1)
    assert [one["outcomes"][0]["stored"] for one in figures["summaries"]] == ["", "A red bicycle was sold."]


async def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no file"):
        await summaries.run(settings_in(tmp_path), options_of(tmp_path))


def test_people_are_judged_against_each_other() -> None:
    done = [Summarised("one", ("a b", "a b", "c d"), (Outcome(OWN_WORDS, "a b"),))]
    report = report_of(done, [OWN_WORDS], "test", 0, None)
    rouge = report.figures["rouge"]
    assert isinstance(rouge, dict)
    assert rouge[OWN_WORDS]["ROUGE-1"]["mean"] == pytest.approx(2 / 3)
    assert rouge[PEOPLE]["ROUGE-1"]["mean"] == pytest.approx((0.5 + 0.5 + 0) / 3)
    best = report.figures["rouge_best"]
    assert isinstance(best, dict)
    assert best[PEOPLE]["ROUGE-1"]["mean"] == pytest.approx(2 / 3)
