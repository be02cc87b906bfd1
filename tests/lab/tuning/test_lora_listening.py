"""What a very small model's generator learns from: answers to statements, without the lives of those who gave them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path

import pytest

from bot.config import Agent
from bot.config import Prompt as PromptSettings
from bot.conversation.prompt import PromptBuilder
from bot.domain import ModelDescription, Role, Skill
from bot.errors import BadInput
from bot.llm.scripted import ScriptedChatModel
from lab.tuning.lora_data import Draw, Material
from lab.tuning.lora_listening import heard_only, read_listening

TALK = (
    "I bake bread with my sister.",
    "I love bread. What kind do you bake?",
    "Rye, and we sell it at the market.",
    "I have a shop too. That sounds lovely, is the market far from here?",
    "Do you like rye?",
    "Yes, rye is the best of all breads.",
    "We sold all of it today.",
    "i'm so glad to hear that , well done",
)


def write(folder: Path, talks: int = 4, turns: Sequence[str] = TALK) -> None:
    (folder / "msc").mkdir()
    for number in (2, 3):
        for split in ("valid", "test_open"):
            lines = [
                json.dumps(
                    {
                        "dialog": [
                            {"id": f"Speaker {1 + place % 2}", "text": text} for place, text in enumerate(turns)
                        ],
                        "metadata": {"initial_data_id": f"{split}_{talk}"},
                    }
                )
                for talk in range(talks)
            ]
            path = folder / "msc" / f"dialogue_session_{number}.{split}.jsonl"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def prompts(skills: Collection[Skill]) -> PromptBuilder:
    description = ModelDescription("test", "", "", 8192, 3500, follows_instructions=False)
    return PromptBuilder(
        model=ScriptedChatModel("", description=description, skills=skills),
        card=Agent(),
        settings=PromptSettings(),
        reply_tokens=60,
    )


def read(folder: Path) -> Material:
    return read_listening(folder, prompts([Skill.GENERATOR]), prompts([]), Draw())


def test_answers_to_statements_are_learnt_without_what_people_tell_of_themselves(tmp_path: Path) -> None:
    write(tmp_path)
    found = read(tmp_path)
    every = [*found.train, *found.dev]
    assert {(one.source, one.answer) for one in every} == {
        ("I bake bread with my sister.", "What kind do you bake?"),
        ("Rye, and we sell it at the market.", "That sounds lovely, is the market far from here?"),
        ("We sold all of it today.", "I'm so glad to hear that, well done."),
    }
    assert {one.conversation for one in found.train}.isdisjoint(one.conversation for one in found.dev)
    assert all(message.content.count("I have a shop") == 0 for one in every for message in one.messages)


def test_the_prompt_is_the_live_one_and_of_the_companion_it_shows_what_it_could_have_said(tmp_path: Path) -> None:
    write(tmp_path)
    prompt = next(one.messages for one in read(tmp_path).train if one.source.startswith("Rye"))
    assert "You are Monica" in prompt[0].content
    assert [(message.role, message.content) for message in prompt[1:]] == [
        (Role.USER, "I bake bread with my sister."),
        (Role.ASSISTANT, "What kind do you bake?"),
        (Role.USER, "Rye, and we sell it at the market."),
    ]


def test_what_is_measured_on_is_as_people_said_it_beside_the_prompt_of_an_untuned_model(tmp_path: Path) -> None:
    write(tmp_path)
    found = read(tmp_path)
    assert {one.answer for one in found.test} == {" ".join(TALK[at].split()) for at in (1, 3, 6, 7)}
    for one in found.test:
        assert len(one.untuned) > len(one.messages), "with examples"
        assert one.untuned[-1] == one.messages[-1]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I have two dogs too! What are they called?", "What are they called?"),
        ("My mother says so.", ""),
        ("I'm sorry to hear that. We lost ours too.", "I'm sorry to hear that."),
        ("I bet that was hard. Tell me more!", "I bet that was hard. Tell me more!"),
        ("How are your horses?", ""),
        ("How is your bread? How was your day?", "How is your bread? How was your day?"),
        ("Do you think I should go?", ""),
        ("You could come with me.", ""),
        ("I'm a nurse too, where do you work?", ""),
        ("I love that!", ""),
        ("", ""),
    ],
)
def test_what_a_machine_cannot_say_is_left_out(text: str, kept: str) -> None:
    assert heard_only(text, "I bake bread.") == kept


def test_a_folder_without_the_data_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no dialogue_session_2\.valid\.jsonl"):
        read(tmp_path)
