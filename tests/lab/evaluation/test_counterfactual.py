"""Questions with a false premise: what the rule makes of statements, and what is taken of a model's answer."""

import random

import pytest

from bot.errors import MalformedOutput
from bot.language.grounding import stem
from bot.llm.scripted import ScriptedChatModel
from lab.evaluation.counterfactual import (
    BY_MODEL,
    BY_RULE,
    Counterfactual,
    Statement,
    by_rule,
    distinct,
    make,
    parse,
    to_you,
)
from tests.lab.evaluation.small_model import SMALL


def ruled(text: str, *, by_companion: bool = False, known: str = "", seed: int = 1) -> Counterfactual | None:
    made = by_rule([Statement(text, by_companion)], known, 1, random.Random(seed))
    return made[0] if made else None


def test_another_thing_of_the_same_kind_is_put_in() -> None:
    made = ruled("I have two dogs.", known="cats horses rabbits hamsters parrots turtles three four five six")
    assert made is not None
    assert "seven dogs" in made.question or "two snakes" in made.question
    assert made.truth == "I have two dogs."
    assert made.true in {(stem("two"),), (stem("dogs"),)}
    assert made.made_by == BY_RULE


def test_what_is_put_in_was_never_said() -> None:
    for seed in range(30):
        made = ruled("I work as a nurse.", known="a teacher lawyer engineer chef accountant programmer", seed=seed)
        assert made is not None
        assert set(made.false) <= {stem(word) for word in "mechanic firefighter librarian pilot farmer".split()}


def test_the_article_goes_with_the_word() -> None:
    made = ruled(
        "I am a chef.", known="teacher nurse lawyer accountant programmer mechanic firefighter librarian pilot farmer"
    )
    assert made is not None
    assert "I am an engineer" in made.question


@pytest.mark.parametrize(
    ("said", "premise"),
    [
        ("I love sledding.", "I can't stand sledding"),
        ("I really like to sing.", "I hate to sing"),
        ("I hate spiders.", "I love spiders"),
        ("I have a sailing licence.", "I have never had a sailing licence"),
        ("I'm a widower.", "I have never been a widower"),
        ("I live in Leeds.", "I have never lived in Leeds"),
    ],
)
def test_a_statement_is_turned_round(said: str, premise: str) -> None:
    made = ruled(said)
    assert made is not None
    assert premise in made.question
    assert made.question.endswith("?")


@pytest.mark.parametrize("said", ["It rains.", "I love you.", "Do I like cats?", "The dog is here today.", "I see."])
def test_other_sentences_are_left_alone(said: str) -> None:
    assert ruled(said) is None


def test_the_companions_statements_are_said_to_it() -> None:
    made = ruled("I love my work, and I am proud of it.", by_companion=True)
    assert made is not None
    assert "you can't stand your work, and you are proud of it" in made.question
    assert to_you("I'm glad I've met my wife myself") == "you are glad you have met your wife yourself"
    assert to_you("I sing and am a mother of mine") == "you sing and are a mother of yours"


def test_no_more_than_asked_for_and_the_same_for_the_same_seed() -> None:
    statements = [Statement(f"I love thing {number}.", by_companion=False) for number in range(9)]
    first, again = (by_rule(statements, "", 3, random.Random(5)) for _ in range(2))
    assert first == again
    assert len({one.truth for one in first}) == 3


def test_a_models_answer_has_two_lines() -> None:
    made = parse("Question: So how is your red car?\nTruth: The companion rides a bicycle.\n")
    assert made.question == "So how is your red car?"
    assert stem("car") in made.false
    assert stem("bicycle") in made.true
    assert made.made_by == BY_MODEL


@pytest.mark.parametrize(
    "answer",
    [
        "So how is your red car?",
        "Question: How is your car.\nTruth: There is none.",
        "Sure! Question: How is your car?\nTruth: There is none.",
        "Question: How is your car?\nTruth: There is none.\nI hope this helps.",
        "Question: Do you have a car?\nTruth: I do have a car.",
        f"Question: {'very ' * 50}red car?\nTruth: It is a bicycle.",
    ],
)
def test_anything_else_is_malformed(answer: str) -> None:
    with pytest.raises(MalformedOutput):
        parse(answer)


def test_what_was_asked_before_is_malformed() -> None:
    answer = "Question: So how is your red car?\nTruth: The companion rides a bicycle."
    with pytest.raises(MalformedOutput):
        parse(answer, [parse(answer)])


STATEMENTS = [Statement("I love pizza.", by_companion=False)]


async def test_a_model_that_follows_instructions_is_asked_and_the_rule_fills_up() -> None:
    model = ScriptedChatModel(["Question: How is your red car?\nTruth: The person rides a bicycle.", "?", "?"])
    made = await make(model, ["Ann: I ride a bicycle."], STATEMENTS, 2, random.Random(1))
    assert [one.made_by for one in made] == [BY_MODEL, BY_RULE]
    assert "Ann: I ride a bicycle." in model.requests[0].messages[-1].content
    assert "How is your red car?" in model.requests[1].messages[-1].content


async def test_a_model_that_decodes_schemas_answers_in_json() -> None:
    answer = '{"question": "How is your\\nred car?", "truth": "You ride a bicycle."}'
    model = ScriptedChatModel([answer], decodes_schemas=True)
    [made] = await make(model, ["Ann: I ride a bicycle."], [], 1, random.Random(1))
    assert (made.question, made.truth) == ("How is your red car?", "You ride a bicycle.")
    assert "two lines" not in model.requests[0].messages[-1].content


async def test_a_very_small_model_is_not_asked() -> None:
    model = ScriptedChatModel("anything", description=SMALL)
    made = await make(model, [], STATEMENTS, 2, random.Random(1))
    assert [one.made_by for one in made] == [BY_RULE]
    assert model.requests == []


def test_distinct_words_are_those_that_say_something() -> None:
    assert distinct("I have two cats", "I have two dogs") == ((stem("cats"),), (stem("dogs"),))
