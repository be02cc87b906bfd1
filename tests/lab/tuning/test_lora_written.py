"""Conversations written for training: read, and shown as they are live."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config import load_settings
from bot.domain import Role
from bot.errors import BadInput
from lab.datasets.written import read_written
from lab.tuning.lora_data import Draw
from lab.tuning.lora_written import written_material

TALK = """
- turns:
    - ["hi", "Hey! How was your day?"]
    - ["long", "Oh no. What happened?"]
- channel: true
  language: de
  turns:
    - ["Jonas: [Du erinnerst dich: x] na", "Na, Jonas!"]
"""


def test_a_conversation_is_one_example_with_the_live_system_text(tmp_path: Path) -> None:
    (tmp_path / "talk.yaml").write_text(TALK * 2, encoding="utf-8")
    material = written_material(tmp_path, load_settings(None).agent, Draw(0))
    every = {one.conversation: one for one in (*material.train, *material.dev)}
    assert set(every) == {f"talk {number}" for number in range(1, 5)}
    english, german = every["talk 1"].messages, every["talk 2"].messages
    assert [message.role for message in english] == [Role.SYSTEM, Role.USER, Role.ASSISTANT, Role.USER]
    assert "two short sentences" in english[0].content
    assert "never claim" not in english[0].content, "no rules"
    assert english[1].content.startswith("[Today is ")
    assert (every["talk 1"].answer, every["talk 1"].every_reply) == ("Oh no. What happened?", True)
    assert german[1].content.startswith("[Heute ist ")


@pytest.mark.parametrize("text", ["- turns: []", "turns: 1", "- [", "- turns: [[a, b]]\n  mood: sad"])
def test_a_file_of_another_form_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "talk.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"talk\.yaml holds no written conversations"):
        read_written(tmp_path)


def test_the_companion_has_another_name_in_half_of_them(tmp_path: Path) -> None:
    (tmp_path / "talk.yaml").write_text('- turns: [["hi Monica", "Hi, Monica here."]]\n' * 40, encoding="utf-8")
    material = written_material(tmp_path, load_settings(None).agent, Draw(0))
    named = [one.answer.removeprefix("Hi, ").removesuffix(" here.") for one in (*material.train, *material.dev)]
    assert 10 < named.count("Monica") < 30
    for one, name in zip((*material.train, *material.dev), named, strict=True):
        assert one.messages[0].content.startswith(f"You are {name}, ")
        assert one.messages[1].content.endswith(f"hi {name}")
