"""The generator's examples: the prompts that the live core makes for replayed conversations, with what was said."""

from __future__ import annotations

import json
from pathlib import Path

from bot.domain import Skill
from bot.llm.scripted import ScriptedChatModel
from lab.tuning.lora_data import Draw
from lab.tuning.lora_replay import Overhearing, read_replies
from tests.lab.evaluation.test_msc import dialogue, engines, settings_in


def write(folder: Path) -> None:
    """The same four pairs of people in both sessions, and one pair to measure on."""
    (folder / "msc").mkdir()
    for session in (2, 3):
        for split, numbers in (("valid", range(4)), ("test_open", range(9, 10))):
            path = folder / "msc" / f"dialogue_session_{session}.{split}.jsonl"
            path.write_text("".join(json.dumps(dialogue(number)) + "\n" for number in numbers), encoding="utf-8")


async def test_the_generator_is_shown_what_the_live_core_would_show_it(tmp_path: Path) -> None:
    write(tmp_path)
    model = ScriptedChatModel("Nobody reads this.")
    told: list[str] = []
    found = await read_replies(
        settings_in(tmp_path),
        tmp_path,
        engines(model),
        Draw(limit=16, chosen_by=8, measured=2),
        lambda step, share=None: told.append(step),
    )
    assert found.skill is Skill.GENERATOR
    every = [*found.train, *found.dev, *found.test]
    assert {one.answer for one in every} == {"Of course I do.", "I am sorry."}
    assert {one.conversation for one in found.train}.isdisjoint(one.conversation for one in found.dev)
    assert {one.conversation for one in [*found.train, *found.dev]} == {f"test_{number}" for number in range(4)}
    assert {one.conversation for one in found.test} == {"test_9"}
    asked = next(one for one in every if one.answer == "Of course I do." and one.conversation == "test_1")
    prompt = " ".join(message.content for message in asked.messages)
    assert "I keep 3 bees in my garden." in prompt  # recalled from the session before
    assert "Do you remember my bees, number 1?" in prompt
    assert not any("Nobody reads this." in message.content for one in every for message in one.messages)
    assert told[0] == "Replaying valid, dialogue 1 of 8"


async def test_replies_are_not_generated_and_all_else_is_asked_of_the_model(tmp_path: Path) -> None:
    write(tmp_path)
    model = ScriptedChatModel("NO_TRAIT", skills=[Skill.EXTRACTOR])
    heard = Overhearing(model)
    assert heard.description.skills == {Skill.EXTRACTOR, Skill.GENERATOR}, "it is shown what it is to learn from"
    await read_replies(settings_in(tmp_path), tmp_path, engines(model), Draw(limit=1, chosen_by=1, measured=1), _silent)
    assert {request.skill for request in model.requests} >= {Skill.EXTRACTOR}
    assert Skill.GENERATOR not in {request.skill for request in model.requests}


def _silent(step: str, share: float | None = None) -> None:
    """Says nothing."""
