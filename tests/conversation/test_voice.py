from dataclasses import replace

from bot import texts
from bot.config import Model as ModelSettings
from bot.conversation.delivery import Delivery
from bot.conversation.prompt import Prompt
from bot.conversation.voice import CALM_TEMPERATURE, LIVELY_TEMPERATURE, Spoken, Voice
from bot.domain import ChatMessage, Recollection, Role
from bot.errors import ModelFailed
from bot.llm.scripted import Answers, ScriptedChatModel
from bot.storage.database import open_database
from bot.storage.outbox import SqlOutbox
from tests.living import DM, Screen

PROMPT = Prompt((ChatMessage(Role.USER, "Hi"),), 1, Recollection(), ("Monica", "Ann"))
LARGE = ScriptedChatModel("").description
SMALL = replace(LARGE, follows_instructions=False)


async def speak(
    answers: Answers, *, small: bool = False, before: set[str] | None = None, **settings: object
) -> tuple[Spoken, ScriptedChatModel, Screen]:
    model = ScriptedChatModel(answers, description=SMALL if small else LARGE)
    screen = Screen()
    database = await open_database("sqlite+aiosqlite:///:memory:")
    try:
        delivery = Delivery(outbox=SqlOutbox(database), messengers={"test": screen})
        voice = Voice(model=model, delivery=delivery, settings=ModelSettings.model_validate(settings))
        return await voice.speak(PROMPT, DM, before or set()), model, screen
    finally:
        await database.aclose()


async def test_the_reply_grows_on_the_screen_and_is_cleaned() -> None:
    spoken, _, screen = await speak("Monica: I am glad.\nAnn: Me too.")
    assert spoken == Spoken("I am glad.")
    assert screen.shown[-1] == "I am glad."


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


async def test_a_second_try_that_fails_keeps_the_first_answer() -> None:
    for second in (ModelFailed("broken"), ""):
        spoken, model, _ = await speak(["I see.", second], small=True, before={"I see."})
        assert spoken == Spoken("I see.")
        assert len(model.requests) == 2


async def test_a_large_model_may_repeat_itself_and_has_the_configured_temperature() -> None:
    spoken, model, _ = await speak("I see.", before={"I see."}, temperature=0.6)
    assert spoken.text == "I see."
    assert [request.temperature for request in model.requests] == [0.6]


async def test_a_failing_model_is_an_apology_and_an_empty_answer_a_question() -> None:
    assert (await speak([ModelFailed("broken")]))[0] == Spoken(texts.MODEL_FAILED, failed=True)
    assert (await speak("Monica:"))[0] == Spoken(texts.EMPTY_REPLY)
