"""While a reply is thought of, something that it was made of is erased: it is thought of anew, or not sent."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain import ErasureReason, GenerationRequest, Selection
from bot.errors import DeliveryFailed
from bot.llm.scripted import ScriptedChatModel
from tests.living import ANN, BOB, CHANNEL, DM, OpenCore, Screen, holding, open_core
from tests.memory.cleaning import clean_now

SECRET = "I have a cat called Bartholomew."
NOTHING = "You have not told me that."


def parrot(request: GenerationRequest) -> str:
    """Says whether it was shown the secret."""
    text = "\n".join(message.content for message in request.messages)
    return "Bartholomew!" if "Bartholomew" in text else NOTHING


async def thinking(core: OpenCore, number: int) -> None:
    """Waits until the model works on its request `number`."""
    assert core.model is not None
    async with asyncio.timeout(60):
        while len(core.model.requests) < number or not core.model.running:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.002)


async def erased(core: OpenCore) -> None:
    """The secret is erased, wherever it was said."""
    said = [one for place in (DM, CHANNEL) for one in await core.app.recent(place, 99) if one.text == SECRET]
    assert said
    await core.app.eraser.erase(Selection(utterances=tuple(one.id for one in said)), ErasureReason.ASKED)


@pytest.mark.parametrize("in_session", [True, False], ids=["a line of the session", "a memory of an earlier one"])
async def test_words_that_go_while_a_reply_holds_them_do_not_come_back(tmp_path: Path, in_session: bool) -> None:
    hold = asyncio.Event()
    hold.set()
    model = ScriptedChatModel(parrot, hold=hold)
    overrides = {"memory__summariser": "extractive", "persona__extractor": "extractive", "memory__gamma": 0.0}
    async with open_core(tmp_path, model=model, overrides=overrides) as core:
        await core.say(SECRET, message_id="m1")
        if not in_session:
            await core.passes(timedelta(hours=3))
        hold.clear()
        asked = asyncio.create_task(core.say("What do I have a cat called?"))  # Owned by this test, which awaits it.
        await thinking(core, 2)
        await erased(core)
        hold.set()
        await asked
        assert core.screen.sent[-1].text == NOTHING
        assert all("Bartholomew" not in one.text for one in await core.app.recent(DM, 99))
        await clean_now(core.app.eraser, 20)
        assert holding(tmp_path, "Bartholomew") == []


async def test_somebody_elses_reply_that_was_shown_it_is_thought_of_anew(tmp_path: Path) -> None:
    hold = asyncio.Event()
    model = ScriptedChatModel(parrot, hold=hold)
    async with open_core(tmp_path, model=model) as core:
        await core.say(SECRET, ANN, CHANNEL, to_bot=False)
        asked = asyncio.create_task(core.say("What did Ann say?", BOB, CHANNEL))  # Owned by this test, which awaits it.
        await thinking(core, 1)
        await erased(core)
        hold.set()
        await asked
        assert [sent.text for sent in core.screen.sent] == [NOTHING]


@pytest.mark.parametrize("quoted", [False, True], ids=["a line of the session", "a piece of an earlier dialogue"])
async def test_a_reply_that_was_shown_words_edited_since_is_thought_of_anew(tmp_path: Path, quoted: bool) -> None:
    hold = asyncio.Event()
    model = ScriptedChatModel(parrot, hold=hold)
    overrides = {"memory__recall": "keynext", "memory__summariser": "extractive", "persona__extractor": "extractive"}
    async with open_core(tmp_path, model=model, overrides=overrides) as core:
        await core.say(SECRET, ANN, CHANNEL, to_bot=False, message_id="m1")
        if quoted:
            await core.passes(timedelta(hours=3))
        question = "Who of you said: I have a cat called what?"
        asked = asyncio.create_task(core.say(question, BOB, CHANNEL))  # Owned by this test, which awaits it.
        await thinking(core, 1)
        assert await core.app.edited("test", "m1", "I have a cat called Tom.")
        hold.set()
        await asked
        assert "Bartholomew" in model.requests[0].messages[-1].content
        assert [sent.text for sent in core.screen.sent] == [NOTHING]


async def test_a_reply_that_is_erased_between_two_tries_is_not_sent(tmp_path: Path) -> None:
    screen = Screen(refuse=[DeliveryFailed("busy", retry=True, after_s=1.0)])
    async with open_core(tmp_path, model=ScriptedChatModel(parrot), screen=screen) as core:
        asked = asyncio.create_task(core.say(SECRET))  # Owned by this test, which awaits it.
        async with asyncio.timeout(60):
            while not screen.attempts:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.002)
        await erased(core)
        await asked
        assert screen.sent == []
