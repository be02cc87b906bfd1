"""`evaluate msc` on invented dialogues, through the whole core with a scripted model."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bot import texts
from bot.app.assembly import Engines
from bot.config import Settings, load_settings
from bot.domain import GenerationRequest, Priority, Skill
from bot.errors import BadInput
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from lab.evaluation import msc
from lab.evaluation.msc import (
    MEMORY,
    PERSONAS,
    TUNED,
    TUNED_WITHOUT,
    Options,
    draw,
    numbers,
    read_told,
    ways_of,
)
from lab.evaluation.msc_report import WHERE_SHOWN, DialogueReplies, Reply, report_of
from lab.evaluation.rehearsal import WITH, WITHOUT, Rehearsal, Replied
from tests.living import FirstPersonGate, WordTopics

FILE = "dialogue_session_2.test_open.jsonl"
SPREAD = 0
"""A seed by which two turns are of two dialogues."""
REMEMBERED, FORGOTTEN = "Yes, your lovely bees.", "What a day it was."
UNTUNED = (WITHOUT, MEMORY, PERSONAS, WITH)


def dialogue(number: int) -> dict[str, object]:
    """Two sessions: a secret in the first one, and talk of it in the second."""
    told = [f"I keep {number + 2} bees in my garden.", "I like bees. I paint boats.", "Bees are fun.", "They are."]
    later = [f"Do you remember my bees, number {number}?", "Of course I do.", "I sold my bees.", "I am sorry."]
    speakers = ("Speaker 1", "Speaker 2")
    return {
        "dialog": [{"text": text, "id": speakers[at % 2]} for at, text in enumerate(later)],
        "previous_dialogs": [{"dialog": [{"text": text} for text in told], "time_num": 3, "time_unit": "days"}],
        "metadata": {"initial_data_id": f"test_{number}"},
    }


def write(folder: Path, dialogues: int = 3) -> Path:
    (folder / "msc").mkdir(parents=True)
    path = folder / "msc" / FILE
    path.write_text("".join(json.dumps(dialogue(number)) + "\n" for number in range(dialogues)), encoding="utf-8")
    return path


def settings_in(folder: Path) -> Settings:
    # The threshold is calibrated for the real encoder; what the scripted one finds is always shown.
    chosen: dict[str, object] = {"memory__gamma": 0.0, "memory__fused__threshold": 0.0, "prompt__form": "blocks"}
    return load_settings(None, {}, model__cache_dir=str(folder / "cache"), **chosen)


def engines(model: ScriptedChatModel) -> Engines:
    return Engines(model, ScriptedEncoder(), WordTopics(), FirstPersonGate())


def knowing(request: GenerationRequest) -> str:
    """Says what is remembered of bees, if its prompt has it."""
    prompt = " ".join(message.content for message in request.messages)
    return REMEMBERED if "in my garden" in prompt else FORGOTTEN


def options_of(folder: Path, **changes: object) -> Options:
    return replace(Options(folder, 2, (2,), 1, json=folder / "out.json", report=folder / "report"), **changes)  # type: ignore[arg-type]


def test_the_sample_is_the_companions_turns_and_the_same_for_the_same_seed(tmp_path: Path) -> None:
    write(tmp_path)
    drawn = draw(options_of(tmp_path, sample=4), 2)
    assert drawn == draw(options_of(tmp_path, sample=4), 2)
    assert sum(len(one.asked) for one in drawn) == 4
    for one in drawn:
        assert all(one.last[at].speaker.is_agent and not one.last[at - 1].speaker.is_agent for at in one.asked)
        assert one.last[0].time - one.before[-1].time >= timedelta(days=3)
    assert sum(len(one.asked) for one in draw(options_of(tmp_path, sample=99), 2)) == 6


def test_dialogues_are_cut_before_their_last_session(tmp_path: Path) -> None:
    first, *_ = read_told(write(tmp_path), 2)
    assert first.before[0].text == "I keep 2 bees in my garden."
    assert [len(first.before), len(first.last)] == [4, 4]
    assert not any(line.to_bot for line in (*first.before, *first.last))


def test_sessions_are_numbers() -> None:
    assert numbers("2,3,2") == (2, 3)
    with pytest.raises(BadInput):
        numbers("two")


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="dialogue_session_9"):
        draw(options_of(tmp_path), 9)


async def test_replies_come_from_the_core_with_and_without_memory_after_the_gold_context(tmp_path: Path) -> None:
    write(tmp_path, dialogues=1)
    model = ScriptedChatModel(knowing)
    assert await msc.run(settings_in(tmp_path), options_of(tmp_path), engines(model)) == 0
    found = json.loads((tmp_path / "out.json").read_text())
    replies = found["replies"]
    told = {(one["arm"], one["text"]) for one in replies if one["arm"] in {WITH, WITHOUT}}
    assert told == {(WITH, REMEMBERED), (WITHOUT, FORGOTTEN)}
    assert all(one["shown"] == 0 for one in replies if one["arm"] == WITHOUT)
    assert all(one["shown"] > 0 for one in replies if one["arm"] in {WITH, PERSONAS})
    assert {one["gold"] for one in replies} == {"Of course I do.", "I am sorry."}
    assert (tmp_path / "report" / "msc.md").read_text().count("![") == 1
    assert (tmp_path / "report" / "msc.png").stat().st_size > 1000
    assert not list((tmp_path / "cache").rglob("*.jsonl")), "nothing is left to resume"
    replying = [request for request in model.requests if request.priority is Priority.REPLY]
    assert {request.temperature for request in replying} == {0.0}
    prompts = [" ".join(message.content for message in request.messages) for request in replying]
    second = [prompt for prompt in prompts if "I sold my bees." in prompt]
    assert len(second) == len(UNTUNED)
    assert all("Of course I do." in prompt for prompt in second), "what was really said before"
    assert not any(reply in prompt for prompt in prompts for reply in (REMEMBERED, FORGOTTEN, "I am sorry."))


async def test_several_dialogues_at_once_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, dialogues=4)
    found = {}
    for together in (1, 3):
        asked = options_of(tmp_path, sample=8, together=together)
        await msc.run(settings_in(tmp_path), asked, engines(ScriptedChatModel(own_bees)))
        replies = json.loads((tmp_path / "out.json").read_text())["replies"]
        found[together] = [(one["position"], one["arm"], one["text"]) for one in replies]
        assert f"Dialogues worked at at once: {together}." in (tmp_path / "report" / "msc.md").read_text()
    assert found[1] == found[3]
    remembered = [text for _, arm, text in found[3] if arm == WITH and "bees" in text]
    assert [text.split()[0] for text in remembered] == ["2", "2", "3", "3", "4", "4", "5", "5"]


def own_bees(request: GenerationRequest) -> str:
    """How many bees the prompt says that there are."""
    said = re.search(r"keep (\d+) bees", " ".join(message.content for message in request.messages))
    return f"{said[1]} lovely bees." if said else FORGOTTEN


async def test_a_run_that_was_stopped_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, dialogues=2)
    options, said = options_of(tmp_path, seed=SPREAD), ["One."] * len(UNTUNED)
    assert [len(one.asked) for one in draw(options, 2)] == [1, 1]

    @asynccontextmanager
    async def told(self: Rehearsal, *_: object) -> AsyncIterator[None]:
        yield

    async def ask(self: Rehearsal, *_: object) -> Replied:
        if not said:
            raise BadInput("stopped")
        return Replied(said.pop(), 0, 10, 0.5)

    monkeypatch.setattr(Rehearsal, "told", told)
    monkeypatch.setattr(Rehearsal, "ask", ask)
    with pytest.raises(BadInput, match="stopped"):
        await msc.run(settings_in(tmp_path), options, engines(ScriptedChatModel("")))
    said += ["Two."] * len(UNTUNED)
    assert await msc.run(settings_in(tmp_path), options, engines(ScriptedChatModel(""))) == 0
    texts = [one["text"] for one in json.loads((tmp_path / "out.json").read_text())["replies"]]
    assert texts == ["One."] * len(UNTUNED) + ["Two."] * len(UNTUNED)
    assert "Going on" in capsys.readouterr().out


async def test_events_alone_and_traits_alone_are_shown_between_the_two(tmp_path: Path) -> None:
    write(tmp_path, dialogues=1)
    model = ScriptedChatModel("Fine.")
    drawn = draw(options_of(tmp_path, sample=1), 2)
    ways = ways_of(settings_in(tmp_path), engines(model))
    shown: dict[str, str] = {}
    [told] = drawn
    async with ways[WITH].told(tmp_path / "told", told.before):
        pass
    for arm, way in ways.items():
        before = tmp_path / "told" if arm != WITHOUT else None
        model.requests.clear()
        await way.ask(before, tmp_path / "asked", told.last[: told.asked[0] - 1], told.last[told.asked[0] - 1])
        [asked] = [request for request in model.requests if request.priority is Priority.REPLY]
        shown[arm] = " ".join(message.content for message in asked.messages)
    has = {arm: (texts.NO_MEMORY not in text, "None yet." not in text) for arm, text in shown.items()}
    assert has == {WITHOUT: (False, False), MEMORY: (True, False), PERSONAS: (False, True), WITH: (True, True)}


async def test_the_tuned_generator_is_asked_in_its_own_arms_alone(tmp_path: Path) -> None:
    write(tmp_path, dialogues=1)
    model = ScriptedChatModel("Fine.", skills=[Skill.GENERATOR])
    assert await msc.run(settings_in(tmp_path), options_of(tmp_path, sample=1), engines(model)) == 0
    arms = [one["arm"] for one in json.loads((tmp_path / "out.json").read_text())["replies"]]
    assert arms == [*UNTUNED, TUNED_WITHOUT, TUNED]
    ways = ways_of(settings_in(tmp_path), engines(model))
    models = [ways[arm]._engines.model for arm in arms]
    skills = [model.description.skills for model in models if model is not None]
    assert skills == [frozenset()] * 4 + [frozenset({Skill.GENERATOR})] * 2


def reply(arm: str, text: str) -> Reply:
    return Reply(1, arm, "I sold the old boat.", text, int(arm == WITH), 10, 0.5)


def test_the_report_tells_the_arms_apart() -> None:
    done = [
        DialogueReplies(2, (reply(WITHOUT, "Hello there."), reply(WITH, "I sold the old boat."))),
        DialogueReplies(2, (reply(WITHOUT, "I see."), reply(WITH, "I sold the boat."))),
    ]
    report = report_of(done, "test_open", 2, 0, "scripted")
    rows = report.figures["rows"]
    assert isinstance(rows, list)
    by_arm = {row["arm"]: row for row in rows}
    assert by_arm[WITH]["rouge_l"] > 0.8
    assert by_arm[WITHOUT]["rouge_l"] < 0.5
    assert by_arm[WITH]["shown"] == 1.0
    gain = report.figures["gains"]
    assert isinstance(gain, dict)
    assert gain["2"]["ROUGE-L"]["low"] > 0
    assert gain["2"][WHERE_SHOWN] == gain["2"]["ROUGE-L"]
    assert any("LD-Agent" in grid.title for grid in report.grids)
