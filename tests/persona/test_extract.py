"""One utterance becomes first-person statements, or none."""

from dataclasses import replace

import pytest

from bot.config import Background, Persona
from bot.domain import ModelDescription, Priority, Skill, Utterance
from bot.errors import MalformedOutput, ModelFailed
from bot.llm.scripted import Answers, ScriptedChatModel, ScriptedEncoder
from bot.persona.extract import SURE, Extraction, Extractor, Stated, parse_traits
from bot.prompting import asking
from bot.prompting.skills import extractor_messages
from tests.living import FirstPersonGate, WordTopics
from tests.stored import ANN, ANNS_DM, START

DEADLINE = Background().deadline

LARGE = ScriptedChatModel("").description
SMALL = replace(LARGE, follows_instructions=False)
TEXT = "My name is Ann and I have two dogs."
OWN_WORDS = ("My name is Ann.", "I have two dogs.")
INVENTED = "I have three dogs."


def said(text: str) -> Utterance:
    return Utterance(ANNS_DM, "m1", ANN, text, START, id=1)


def extractor(model: ScriptedChatModel | None, **persona: object) -> Extractor:
    return Extractor(
        model=model,
        gate=FirstPersonGate(),
        encoder=ScriptedEncoder(),
        topics=WordTopics(),
        persona=Persona.model_validate(persona),
        deadline=DEADLINE,
    )


async def extract(answers: Answers, text: str = TEXT, **persona: object) -> tuple[Extraction, ScriptedChatModel]:
    model = ScriptedChatModel(answers)
    return await extractor(model, **persona).extract(said(text)), model


def parsed(answer: str, source: str = TEXT) -> tuple[str, ...]:
    return extractor(None).parse(answer, source)


async def test_the_gate_stops_before_the_model_is_asked() -> None:
    extraction, model = await extract("I have two dogs.", "What a lovely day, dogs everywhere.")
    assert extraction == Extraction(())
    assert model.requests == []


async def test_the_gates_threshold_is_a_setting() -> None:
    extraction, model = await extract("NO_TRAIT", "What a lovely day.", gate_threshold=0.0)
    assert extraction.statements == ()
    assert len(model.requests) == 1


async def test_the_models_answer_is_taken_in_sentences() -> None:
    extraction, model = await extract("Extracted traits: My name is Ann. I have 2 dogs.")
    assert extraction.statements == ("My name is Ann.", "I have 2 dogs.")
    [request] = model.requests
    assert request.priority is Priority.BACKGROUND
    assert TEXT in request.messages[-1].content
    assert extraction.tokens == model.count_tokens(request.messages) + 10


@pytest.mark.parametrize("answer", ["NO_TRAIT", "no_trait.", "No Trait", "Traits: NO_TRAIT"])
async def test_no_trait_is_an_answer_and_not_asked_again(answer: str) -> None:
    extraction, model = await extract([answer])
    assert extraction.statements == ()
    assert extraction.tokens > 0
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("answer", "model", "kept"),
    [
        ("I have dogs.", SMALL, ("I have dogs.", "My name is Ann.")),
        ("My name is Ann. I have dogs.", SMALL, ("My name is Ann.", "I have dogs.")),
        ("My name.", SMALL, ("My name is Ann.", "I have two dogs.")),
        ("I have dogs.", LARGE, ("I have dogs.",)),
    ],
)
async def test_what_a_very_small_model_leaves_out_is_kept_in_their_own_words(
    answer: str, model: ModelDescription, kept: tuple[str, ...]
) -> None:
    tuned = Extractor(
        model=ScriptedChatModel(answer, description=model, skills=[Skill.EXTRACTOR]),
        gate=FirstPersonGate(SURE),
        encoder=ScriptedEncoder(),
        topics=WordTopics(),
        persona=Persona(),
        deadline=DEADLINE,
    )
    assert (await tuned.extract(said(TEXT))).statements == kept


async def test_a_malformed_answer_is_asked_for_once_more() -> None:
    before = asking.failures["traits"]
    extraction, model = await extract([INVENTED, "I have two dogs."])
    assert extraction.statements == ("I have two dogs.",)
    assert [request.temperature for request in model.requests] == [0.0, asking.RETRY_TEMPERATURE]
    assert asking.failures["traits"] == before + 1


@pytest.mark.parametrize(
    ("answer", "statements"),
    [
        ('{"traits": ["My name is Ann", "I have two dogs."]}', OWN_WORDS),
        ('{"traits": []}', ()),
        ('{"traits": [" "]}', ()),
    ],
)
async def test_a_model_that_decodes_schemas_answers_in_json(answer: str, statements: tuple[str, ...]) -> None:
    model = ScriptedChatModel([answer], decodes_schemas=True)
    assert (await extractor(model).extract(said(TEXT))).statements == statements
    [request] = model.requests
    assert request.schema == Stated.model_json_schema()
    assert request.deadline == DEADLINE
    assert "NO_TRAIT" not in request.messages[-1].content
    assert '{"traits": []}' in request.messages[-1].content


async def test_json_is_parsed_as_strictly() -> None:
    before = asking.failures["traits"]
    answers = [f'{{"traits": ["{INVENTED}"]}}', '{"traits": ["I have two dogs."]}']
    model = ScriptedChatModel(answers, decodes_schemas=True)
    assert (await extractor(model).extract(said(TEXT))).statements == ("I have two dogs.",)
    assert asking.failures["traits"] == before + 1


async def test_a_model_that_was_tuned_for_text_answers_in_text() -> None:
    model = ScriptedChatModel(["I have two dogs."], skills=[Skill.EXTRACTOR], decodes_schemas=True)
    assert (await extractor(model).extract(said(TEXT))).statements == ("I have two dogs.",)
    assert model.requests[0].schema is None


async def test_after_two_malformed_answers_it_is_their_own_words() -> None:
    extraction, model = await extract([INVENTED, "Ann has two dogs.", "NO_TRAIT"])
    assert extraction.statements == OWN_WORDS
    prompts = sum(model.count_tokens(request.messages) for request in model.requests)
    assert extraction.tokens == prompts + len(INVENTED.split()) + len("Ann has two dogs.".split())


async def test_own_words_may_be_none() -> None:
    assert await extractor(None).extract(said("Do I know you?")) == Extraction(())


async def test_a_model_that_fails_is_said() -> None:
    with pytest.raises(ModelFailed):
        await extract([ModelFailed("broken")])


@pytest.mark.parametrize(
    ("answer", "statements"),
    [
        ("I have two dogs", ("I have two dogs",)),
        (" My name\tis Ann!\nI have two dogs. ", ("My name is Ann!", "I have two dogs.")),
        ("trait: I have two dogs.", ("I have two dogs.",)),
        ("EXTRACTED TRAITS : I'm Ann.", ("I'm Ann.",)),
    ],
)
def test_what_is_taken(answer: str, statements: tuple[str, ...]) -> None:
    assert parsed(answer) == statements


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty"),
        ("Traits:  ", "empty"),
        ("I have two dogs. " * 11, "too long"),
        ("I have two dogs. Ann has dogs.", "not in the first person"),
        ("You have two dogs.", "not in the first person"),
        ("I have three dogs.", "names or numbers"),
        ("I have a castle and a yacht.", "names or numbers"),
    ],
)
def test_what_is_not(answer: str, reason: str) -> None:
    with pytest.raises(MalformedOutput, match=reason):
        parsed(answer)


@pytest.mark.parametrize(
    ("setting", "description", "asked"),
    [("auto", LARGE, 1), ("auto", SMALL, 0), ("model", SMALL, 1), ("extractive", LARGE, 0)],
)
async def test_who_extracts(setting: str, description: ModelDescription, asked: int) -> None:
    model = ScriptedChatModel(["I have two dogs."], description=description)
    extraction = await extractor(model, extractor=setting).extract(said(TEXT))
    assert len(model.requests) == asked
    assert extraction.statements == (("I have two dogs.",) if asked else OWN_WORDS)
    assert (extraction.tokens > 0) == bool(asked)


async def test_a_very_small_model_that_was_tuned_is_asked_in_the_way_that_it_was_tuned_for() -> None:
    model = ScriptedChatModel(["I have two dogs."], description=SMALL, skills=[Skill.EXTRACTOR])
    assert (await extractor(model).extract(said(TEXT))).statements == ("I have two dogs.",)
    [request] = model.requests
    assert (request.skill, request.messages) == (Skill.EXTRACTOR, extractor_messages(TEXT))
    assert request.messages[-1].content == TEXT


async def test_a_tuned_model_is_parsed_as_strictly_and_falls_back_to_the_persons_words() -> None:
    model = ScriptedChatModel([INVENTED, INVENTED], description=SMALL, skills=[Skill.EXTRACTOR])
    assert (await extractor(model).extract(said(TEXT))).statements == OWN_WORDS
    assert [request.skill for request in model.requests] == [Skill.EXTRACTOR] * 2


async def test_the_gate_comes_before_a_tuned_model_too() -> None:
    model = ScriptedChatModel(["I have two dogs."], description=SMALL, skills=[Skill.EXTRACTOR])
    assert (await extractor(model).extract(said("Dogs everywhere."))).statements == ()
    assert model.requests == []


async def test_a_model_that_was_tuned_for_something_else_is_asked_as_any() -> None:
    model = ScriptedChatModel(["I have two dogs."], description=LARGE, skills=[Skill.SUMMARIZER])
    await extractor(model).extract(said(TEXT))
    [request] = model.requests
    assert request.skill is None
    assert "NO_TRAIT" in request.messages[-1].content


async def test_a_few_words_of_english_are_english() -> None:
    model = ScriptedChatModel("I like owls.", description=SMALL, skills=[Skill.EXTRACTOR])
    await extractor(model, gate_threshold=0.0).extract(said("I like owls."))
    assert len(model.requests) == 1


@pytest.mark.parametrize(("skills", "asked"), [([Skill.EXTRACTOR], 0), ([], 1)])
async def test_a_tuned_model_is_shown_nothing_but_english(skills: list[Skill], asked: int) -> None:
    model = ScriptedChatModel("Ich habe zwei Hunde.", description=LARGE, skills=skills)
    await extractor(model, gate_threshold=0.0).extract(said("Ich habe zwei Hunde und ich wohne mit ihnen in Bremen."))
    assert len(model.requests) == asked


@pytest.mark.parametrize(
    ("said", "answer", "kept"),
    [
        (
            "she's a staffie, called Pepper",
            "I am a staffie. I have a dog called Pepper.",
            ("I have a dog called Pepper.",),
        ),
        ("my mum is a teacher", "I am a teacher.", ()),
        ("my mum is a teacher and so am i", "I am a teacher.", ("I am a teacher.",)),
        ("my wife is vegan, same here", "I am a vegan.", ("I am a vegan.",)),
        ("My husband is a teacher. We both are.", "I am a teacher.", ("I am a teacher.",)),
        ("Truck driver, 20 years. My dad was a driver.", "I am a driver.", ("I am a driver.",)),
        ("second year nursing student here", "I am a nursing student.", ("I am a nursing student.",)),
    ],
)
def test_what_others_are_is_no_trait_of_who_says_it(said: str, answer: str, kept: tuple[str, ...]) -> None:
    assert parse_traits(answer, said, lambda _: frozenset(), 30) == kept
