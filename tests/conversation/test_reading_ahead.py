"""What the next prompt begins with is read after a reply, while people type; in the whole core."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bot.conversation.prompt import Beginning
from bot.conversation.reading_ahead import MOST_UNREAD, ReadingAhead
from bot.domain import ChatMessage, GenerationRequest, ModelDescription, Place, Priority, Role, Skill
from bot.errors import ModelFailed
from bot.llm.scripted import ScriptedChatModel
from tests.living import ANN, BOB, CHANNEL, DM, open_core

SMALL = ModelDescription("m", "d", "", 8192, 3000, reads_ahead=True)
TUNED = replace(SMALL, skills=frozenset({Skill.GENERATOR}))
LARGE = replace(SMALL, context_tokens=32768, comfortable_tokens=16000)
ENGLISH = ("I bought a lamp today.", "It is green.")
ASKING = ("I bought a lamp today.", "It is green.", "What did I buy?")
GERMAN = ("Ich habe heute eine Lampe gekauft.", "Sie ist grün und steht am Fenster.")
BEGINNING = Beginning((ChatMessage(Role.SYSTEM, "You are Monica."),))


def ahead(model: ScriptedChatModel) -> list[GenerationRequest]:
    return [one for one in model.requests if one.priority is Priority.BACKGROUND and one.max_tokens == 1]


@pytest.mark.parametrize(
    ("description", "lines", "place", "forms"),
    [
        (TUNED, ENGLISH, DM, [Skill.GENERATOR, None]),
        (TUNED, ASKING, DM, [Skill.GENERATOR, None]),
        (TUNED, ENGLISH, CHANNEL, [Skill.GENERATOR, None]),
        (TUNED, GERMAN, DM, [None]),
        (SMALL, ENGLISH, DM, [None]),
        (LARGE, ENGLISH, CHANNEL, [None]),
    ],
)
async def test_the_next_prompt_begins_with_what_was_read(
    tmp_path: Path, description: ModelDescription, lines: tuple[str, ...], place: Place, forms: list[Skill | None]
) -> None:
    model = ScriptedChatModel("Oh, a lamp is a good thing to have.", description=description)
    async with open_core(tmp_path, model=model) as core:
        read: dict[Skill | None, GenerationRequest] = {}
        for speaker, line in zip((ANN, BOB if place is CHANNEL else ANN, ANN), lines, strict=False):
            model.requests.clear()
            await core.say(line, speaker, place)
            await core.app.conversations.rested()
            assert [one.skill for one in ahead(model)] == forms
            assert all(one.most_unread == MOST_UNREAD for one in ahead(model))
            for asked in (one for one in model.requests if one.priority is Priority.REPLY and read):
                *beginning, _ = read[asked.skill].messages
                assert list(asked.messages[: len(beginning)]) == beginning
                assert len(asked.messages) == len(beginning) + 1
            read = {one.skill: one for one in ahead(model)}


async def test_who_says_something_does_not_wait_for_it(tmp_path: Path) -> None:
    held = ScriptedChatModel("x", description=SMALL, hold=asyncio.Event())
    async with open_core(tmp_path, model=ScriptedChatModel("I see.", description=SMALL)) as core:
        core.app.conversations.turns.reading = ReadingAhead(held)
        assert (await core.say(ENGLISH[0])).reply
        await asyncio.sleep(0.01)
        assert held.running == 1
        assert (await core.say(ENGLISH[1])).reply
        assert held.cancelled == 1


async def test_it_ends_with_the_next_message_and_with_the_program() -> None:
    model = ScriptedChatModel("x", description=SMALL, hold=asyncio.Event())
    reading = ReadingAhead(model)
    for end in (reading.stop(DM), reading.aclose()):
        await reading.prepare(DM, [BEGINNING, BEGINNING])
        await asyncio.sleep(0.01)
        before = model.cancelled
        await end
        assert model.cancelled == before + 1
    await reading.idle()
    assert len(model.requests) == 2


async def test_a_failure_costs_no_reply(tmp_path: Path) -> None:
    def answer(request: GenerationRequest) -> str:
        if request.priority is Priority.BACKGROUND:
            raise ModelFailed("no")
        return "I see."

    async with open_core(tmp_path, model=ScriptedChatModel(answer, description=TUNED)) as core:
        for line in ENGLISH:
            assert (await core.say(line)).reply
            await core.app.conversations.rested()


async def test_a_model_that_keeps_nothing_is_asked_for_nothing(tmp_path: Path) -> None:
    model = ScriptedChatModel("I see.", description=replace(TUNED, reads_ahead=False))
    async with open_core(tmp_path, model=model) as core:
        await core.say(ENGLISH[0])
        await core.app.conversations.rested()
        assert not ahead(model)
