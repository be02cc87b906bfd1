"""Structured tasks: one retry, tokens counted, failures noticed."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.domain import ChatMessage, FinishReason, GenerationRequest, Role, Skill
from bot.errors import MalformedOutput, ModelFailed
from bot.llm.scripted import ScriptedChatModel
from bot.prompting import asking
from bot.prompting.asking import (
    CUT_FACTOR,
    FORM_TOKENS,
    RETRY_TEMPERATURE,
    Answer,
    Completion,
    Form,
    ask,
    complete,
    trusted,
    tuned,
)
from lab.evaluation.structured import either

REQUEST = GenerationRequest((ChatMessage(Role.USER, "How many dogs?"),), max_tokens=7)
PROMPT_TOKENS = ScriptedChatModel("").count_tokens(REQUEST.messages)


def number(text: str) -> int:
    if not text.strip().isdigit():
        raise MalformedOutput("not a number")
    return int(text)


async def test_the_whole_answer_and_its_tokens() -> None:
    done = await complete(ScriptedChatModel("There are two dogs."), REQUEST)
    assert done == Completion("There are two dogs.", PROMPT_TOKENS + 4, FinishReason.STOP)


async def test_a_good_answer_is_asked_for_once() -> None:
    model = ScriptedChatModel(["2"])
    before = asking.failures["dogs"]
    assert await ask(model, REQUEST, number, "dogs") == Answer(2, PROMPT_TOKENS + 1)
    assert model.requests == [REQUEST]
    assert asking.failures["dogs"] == before


async def test_a_value_that_counts_as_false_is_a_value() -> None:
    assert (await ask(ScriptedChatModel(["0"]), REQUEST, number, "dogs")).value == 0


async def test_the_second_try_is_sampled_and_otherwise_the_same() -> None:
    model = ScriptedChatModel(["two dogs", "2"])
    before = asking.failures["dogs"]
    assert await ask(model, REQUEST, number, "dogs") == Answer(2, 2 * PROMPT_TOKENS + 3)
    first, second = model.requests
    assert first == REQUEST
    assert second.temperature == RETRY_TEMPERATURE > first.temperature
    assert (second.messages, second.max_tokens) == (first.messages, first.max_tokens)
    assert asking.failures["dogs"] == before + 1


async def test_after_two_malformed_answers_there_is_no_value() -> None:
    model = ScriptedChatModel(["two dogs", "two", "2"])
    dogs, cats = asking.failures["dogs"], asking.failures["cats"]
    assert await ask(model, REQUEST, number, "dogs") == Answer(None, 2 * PROMPT_TOKENS + 3)
    assert len(model.requests) == 2
    assert asking.failures["dogs"] == dogs + 2
    assert asking.failures["cats"] == cats


async def test_a_cut_answer_is_no_answer_and_gets_more_room() -> None:
    model = ScriptedChatModel(["2 or 3 or 4 or 5 or", "2"])
    before = asking.failures["dogs"]
    assert (await ask(model, REQUEST, lambda text: text, "dogs")).value == "2"
    first, second = model.requests
    assert (first.max_tokens, second.max_tokens) == (7, 7 * CUT_FACTOR)
    assert asking.failures["dogs"] == before + 1


async def test_a_beginning_that_says_all_may_be_cut() -> None:
    model = ScriptedChatModel(["2 or 3 or 4 or 5 or"])
    answer = await ask(model, REQUEST, lambda text: int(text.split()[0]), "dogs", takes_cut=True)
    assert (answer.value, len(model.requests)) == (2, 1)


async def test_after_a_deadline_there_is_no_second_try() -> None:
    model = ScriptedChatModel(["2", "2"])
    before = asking.failures["dogs"]
    assert (await ask(model, replace(REQUEST, deadline=timedelta(0)), number, "dogs")).value is None
    assert len(model.requests) == 1
    assert asking.failures["dogs"] == before + 1


class Dogs(Form):
    dogs: int

    def plain(self) -> str:
        return str(self.dogs)


async def test_an_answer_under_a_schema_is_parsed_as_the_text_would_be() -> None:
    model = ScriptedChatModel(['{"dogs": 2}'], decodes_schemas=True)
    request = replace(REQUEST, schema=Dogs.schema_for(model))
    assert (await ask(model, request, number, "dogs", Dogs)).value == 2
    assert model.requests == [replace(request, max_tokens=7 + FORM_TOKENS)]


@pytest.mark.parametrize("answer", ["2", '{"dogs": "two"}', '{"dogs": 2, "cats": 1}', "{}", '{"dogs": -2}', '{"dogs"'])
async def test_json_in_another_form_is_malformed(answer: str) -> None:
    model = ScriptedChatModel([answer, '{"dogs": 2}'], decodes_schemas=True)
    request = replace(REQUEST, schema=Dogs.schema_for(model))
    before = asking.failures["dogs"]
    assert (await ask(model, request, number, "dogs", Dogs)).value == 2
    assert asking.failures["dogs"] == before + 1


def test_a_schema_is_for_models_that_decode_it_and_are_not_tuned_for_text() -> None:
    decoding = ScriptedChatModel("", decodes_schemas=True)
    assert Dogs.schema_for(decoding) == Dogs.model_json_schema()
    assert Dogs.schema_for(decoding, Skill.EXTRACTOR) is None
    assert Dogs.schema_for(ScriptedChatModel("")) is None
    assert (either(Dogs, '{"dogs": 2}'), either(Dogs, "3")) == ("2", "3")


async def test_a_model_that_fails_is_no_malformed_answer() -> None:
    before = asking.failures["dogs"]
    with pytest.raises(ModelFailed):
        await ask(ScriptedChatModel([ModelFailed("broken"), "2"]), REQUEST, number, "dogs")
    assert asking.failures["dogs"] == before


async def test_tokens_of_a_failed_second_try_are_told() -> None:
    model = ScriptedChatModel(["not a number at all", ModelFailed("gone")])
    request = GenerationRequest((ChatMessage(Role.USER, "How many?"),))

    def parse(text: str) -> int:
        raise MalformedOutput(text)

    with pytest.raises(ModelFailed) as raised:
        await ask(model, request, parse, "number")
    assert raised.value.tokens > 5


@pytest.mark.parametrize(
    ("way", "follows", "skills", "asked"),
    [
        ("auto", True, (), True),
        ("auto", False, (), False),
        ("auto", False, (Skill.EXTRACTOR,), True),
        ("auto", False, (Skill.SUMMARIZER,), False),
        ("model", False, (), True),
        ("extractive", True, (Skill.EXTRACTOR,), False),
    ],
)
def test_who_is_trusted_with_a_skill(way: str, follows: bool, skills: tuple[Skill, ...], asked: bool) -> None:
    described = replace(ScriptedChatModel("").description, follows_instructions=follows)
    model = ScriptedChatModel("", description=described, skills=skills)
    assert trusted(model, way, Skill.EXTRACTOR) is (model if asked else None)
    assert tuned(model, Skill.EXTRACTOR) is (Skill.EXTRACTOR if Skill.EXTRACTOR in skills else None)


def test_a_task_that_nothing_is_tuned_for_asks_who_follows_instructions() -> None:
    small = replace(ScriptedChatModel("").description, follows_instructions=False)
    assert trusted(ScriptedChatModel("", description=small, skills=[Skill.EXTRACTOR]), "auto") is None
    assert trusted(None, "model", Skill.EXTRACTOR) is None
