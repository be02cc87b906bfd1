"""A model that is listened to."""

import pytest

from bot.domain import ChatMessage, GenerationRequest, Priority, Role, Skill
from bot.errors import ModelFailed
from bot.llm.scripted import ScriptedChatModel
from bot.prompting.asking import complete
from lab.evaluation.heard import HeardModel


def request(text: str, priority: Priority = Priority.BACKGROUND) -> GenerationRequest:
    return GenerationRequest((ChatMessage(Role.USER, text),), priority=priority)


async def test_the_same_background_request_is_asked_once_and_answered_alike() -> None:
    model = ScriptedChatModel(["First answer.", "Second answer.", "Third answer."], word_s=0.01)
    heard = HeardModel(model)
    answers = [(await complete(heard, request(text))).text for text in ("a", "b", "a")]
    assert answers == ["First answer.", "Second answer.", "First answer."]
    assert len(model.requests) == 2
    first, second, again = heard.take()
    assert (first.text, second.text, again.text) == tuple(answers)
    assert first.saved == second.saved == 0.0
    assert again.saved > 0.01
    assert heard.take() == []
    heard.forget()
    assert (await complete(heard, request("a"))).text == "Third answer."


async def test_tokens_are_counted_for_an_answer_that_was_kept() -> None:
    heard = HeardModel(ScriptedChatModel("One two three."))
    assert await complete(heard, request("a")) == await complete(heard, request("a"))


async def test_replies_are_always_asked_for() -> None:
    model = ScriptedChatModel(["First.", "Second."])
    heard = HeardModel(model)
    asked = request("a", Priority.REPLY)
    assert [(await complete(heard, asked)).text for _ in range(2)] == ["First.", "Second."]


async def test_what_fails_is_not_kept() -> None:
    heard = HeardModel(ScriptedChatModel([ModelFailed("once"), "Then."]))
    with pytest.raises(ModelFailed):
        await complete(heard, request("a"))
    assert heard.take() == []
    assert (await complete(heard, request("a"))).text == "Then."


def test_skills_can_be_hidden() -> None:
    model = ScriptedChatModel("", skills=[Skill.EXTRACTOR, Skill.GENERATOR])
    assert HeardModel(model).description == model.description
    assert HeardModel(model, without=[Skill.EXTRACTOR]).description.skills == {Skill.GENERATOR}
