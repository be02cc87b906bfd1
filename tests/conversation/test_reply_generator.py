import asyncio
from dataclasses import replace

import pytest

from bot import texts
from bot.config import Model as ModelSettings
from bot.conversation.delivery import Unseen
from bot.conversation.echoing import Echoing
from bot.conversation.expecting import Expectation
from bot.conversation.prompt import Prompt
from bot.conversation.reply_generator import CALM_TEMPERATURE, LIVELY_TEMPERATURE, METERED, ReplyGenerator, Spoken
from bot.domain import ChatMessage, Recollection, Role, Skill, TaggedWord
from bot.errors import ModelFailed
from bot.llm.scripted import Answers, ScriptedChatModel
from tests.conversation.checking.sayings import ground_of
from tests.living import Shown

PROMPT = Prompt((ChatMessage(Role.USER, "Hi"),), 1, Recollection(), ("Monica", "Ann"))
LARGE = ScriptedChatModel("").description
SMALL = replace(LARGE, follows_instructions=False)


async def speak(
    answers: Answers, *, small: bool = False, before: set[str] | None = None, **settings: object
) -> tuple[Spoken, ScriptedChatModel, list[str]]:
    """What is said, by which model, and what was shown while it grew."""
    model = ScriptedChatModel(answers, description=SMALL if small else LARGE)
    voice = ReplyGenerator(model=model, settings=ModelSettings.model_validate(settings))
    live = Shown([], hidden=False)
    return await voice.speak(PROMPT, live, before or set()), model, live.shown


async def test_the_reply_grows_on_the_screen_and_is_cleaned() -> None:
    spoken, _, shown = await speak("Monica: I am glad.\nAnn: Me too.")
    assert spoken.text == "I am glad."
    assert not spoken.fixed
    assert shown[-1] == "I am glad."


async def test_a_reply_that_is_cut_ends_with_a_whole_sentence() -> None:
    spoken, _, _ = await speak("One two three. Four five six seven eight nine ten eleven.", max_new_tokens=8)
    assert spoken.text == "One two three."


async def test_a_small_model_that_repeats_itself_gets_one_second_try() -> None:
    spoken, model, _ = await speak(["I see.", "Tell me more."], small=True, before={"I see."})
    assert spoken.text == "Tell me more."
    assert [request.temperature for request in model.requests] == [CALM_TEMPERATURE, LIVELY_TEMPERATURE]
    stubborn, model, _ = await speak("I see.", small=True, before={"I see."})
    assert stubborn.text == "I see."
    assert len(model.requests) == 2


class Tags:
    """Takes every word for a noun."""

    def tagged(self, text: str) -> list[TaggedWord]:
        return [TaggedWord(word, "NOUN", " ") for word in text.split()]


@pytest.mark.parametrize(
    ("answers", "chooses", "said", "fixed"),
    [
        (["Sweet of him.", "A goat?"], True, "A goat?", False),
        (["Sweet of him.", "Something else"], True, "Oh my.", True),
        (["Sweet of him.", ModelFailed("gone")], True, "Oh my.", True),
        (["Sweet of him."], False, "Oh my.", True),
        (["A goat! Sweet of him."], False, "A goat!", False),
    ],
)
async def test_an_echo_that_the_model_chooses_takes_the_place_of_an_unlikely_reply(
    answers: list[str | Exception], chooses: bool, said: str, fixed: bool
) -> None:
    model = ScriptedChatModel(answers, description=replace(LARGE, chooses=chooses), likelihood=-14.0)
    ground = ground_of("goat")
    prompt = replace(PROMPT, ground=ground, spare="Oh my.", expects=Expectation(least=-8.0), echoing=Echoing("a goat"))
    voice = ReplyGenerator(model=model, settings=ModelSettings(), tagger=Tags())
    spoken = await voice.speak(prompt, Shown([], hidden=False), ())
    assert (spoken.text, spoken.fixed) == (said, fixed)
    words = sum(len(answer.split()) for answer in answers if isinstance(answer, str))
    assert spoken.tokens == words + 3 * len([answer for answer in answers if isinstance(answer, str)])
    assert [bool(request.choices) for request in model.requests] == [False, True][: 1 + chooses]


@pytest.mark.parametrize(
    ("line", "likelihood", "said"),
    [
        ("number 41 in line", -6.0, "Number 41! What did they say?"),
        ("number 41 in line", -7.5, "Number 41!"),
        ("i am next", -7.5, "Number 41! What did they say?"),
        ("number 41 in line", None, "Number 41! What did they say?"),
    ],
)
async def test_a_question_it_is_not_sure_of_is_left_out_where_the_rest_holds(
    line: str, likelihood: float | None, said: str
) -> None:
    model = ScriptedChatModel("Number 41! What did they say?", likelihood=likelihood)
    prompt = replace(PROMPT, ground=ground_of(line), expects=Expectation(least=-8.0), echoing=Echoing(line))
    spoken = await ReplyGenerator(model=model, settings=ModelSettings()).speak(prompt, Shown([], hidden=False), ())
    assert spoken.text == said


@pytest.mark.parametrize(
    ("likelihood", "said"), [(-14.0, "Oh my."), (-10.0, "A goat, how sweet."), (None, "A goat, how sweet.")]
)
async def test_an_unlikely_reply_gives_way_to_words_of_ours_at_once_and_is_never_shown(
    likelihood: float | None, said: str
) -> None:
    model = ScriptedChatModel("A goat, how sweet.", likelihood=likelihood)
    prompt = replace(
        PROMPT, ground=ground_of("my baby sounds like a goat"), spare="Oh my.", expects=Expectation(least=-11.0)
    )
    live = Shown([], hidden=False)
    spoken = await ReplyGenerator(model=model, settings=ModelSettings()).speak(prompt, live, ())
    assert (spoken.text, spoken.fixed) == (said, said == "Oh my.")
    assert [request.likelihood for request in model.requests] == [True]
    assert live.shown == []


async def test_a_second_try_that_fails_keeps_the_first_answer() -> None:
    for second in (ModelFailed("broken"), ""):
        spoken, model, _ = await speak(["I see.", second], small=True, before={"I see."})
        assert spoken.text == "I see."
        assert not spoken.fixed
        assert len(model.requests) == 2


async def test_a_large_model_may_repeat_itself_and_has_the_configured_temperature() -> None:
    spoken, model, _ = await speak("I see.", before={"I see."}, temperature=0.6)
    assert spoken.text == "I see."
    assert [request.temperature for request in model.requests] == [0.6]


async def test_a_failing_model_is_an_apology_and_an_empty_answer_a_question() -> None:
    failed, empty = (await speak([ModelFailed("broken")]))[0], (await speak("Monica:"))[0]
    assert (failed.text, failed.fixed) == (texts.MODEL_FAILED, True)
    assert (empty.text, empty.fixed) == (texts.EMPTY_REPLY, True)


async def test_a_reply_costs_all_tokens_of_all_tries() -> None:
    once, model, _ = await speak("One two three.")
    prompt = model.count_tokens(PROMPT.messages)
    assert once.tokens == prompt + 3
    twice, _, _ = await speak(["I see.", "Tell me more."], small=True, before={"I see."})
    assert twice.tokens == 2 * prompt + 2 + 3


async def test_the_meter_tells_tokens_a_second_of_the_latest_generations() -> None:
    model = ScriptedChatModel("One two three.")
    voice = ReplyGenerator(model=model, settings=ModelSettings())
    assert voice.tokens_per_s == 0.0
    await voice.speak(PROMPT, Unseen(), set())
    assert voice.tokens_per_s > 0
    voice._speeds.extend([(10, 2.0)] * METERED)
    assert voice.tokens_per_s == 5.0


async def test_cancelling_it_ends_the_generation() -> None:
    model = ScriptedChatModel("One two three.", hold=asyncio.Event())
    voice = ReplyGenerator(model=model, settings=ModelSettings())
    async with asyncio.TaskGroup() as group:
        task = group.create_task(voice.speak(PROMPT, Unseen(), set()))
        await asyncio.sleep(0.01)
        task.cancel()
    assert (model.running, model.cancelled) == (0, 1)


async def test_a_prompt_is_answered_with_the_adapter_that_it_was_made_for() -> None:
    for skill in (Skill.GENERATOR, None):
        model = ScriptedChatModel("I see.", skills=[Skill.GENERATOR])
        prompt = replace(PROMPT, skill=skill)
        await ReplyGenerator(model=model, settings=ModelSettings()).speak(prompt, Shown([], hidden=False), set())
        assert [request.skill for request in model.requests] == [skill]
