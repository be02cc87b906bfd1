"""Requests, commands, greetings and thanks over the whole core: no trait and no event is made of them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain import GenerationRequest, Priority
from bot.llm.scripted import ScriptedChatModel
from tests.conversation.test_requests import IDLE
from tests.living import ANN, DM, OpenCore, open_core

LATER = timedelta(hours=3)


async def known(core: OpenCore) -> list[str]:
    traits = await core.app.stores.traits.readable_in(DM, [ANN.id])
    events = await core.app.stores.events.readable_in(DM)
    return [one.text for one in traits] + [one.summary for one in events]


@pytest.mark.parametrize("language", IDLE)
async def test_nothing_is_made_of_requests_without_a_model(tmp_path: Path, language: str) -> None:
    async with open_core(tmp_path) as core:
        for line in IDLE[language]:
            await core.say(line)
        await core.passes(LATER)
        assert await known(core) == []


async def test_what_was_told_beside_them_is_remembered_alone(tmp_path: Path) -> None:
    async with open_core(tmp_path) as core:
        await core.say("Hi! I got the job at the museum! Please forget what I told you about Karl.")
        await core.say("Thanks!")
        await core.passes(LATER)
        assert await known(core) == ["I got the job at the museum!", "Ann: I got the job at the museum!"]


async def test_a_model_is_shown_no_request_when_memories_are_made(tmp_path: Path) -> None:
    def answer(request: GenerationRequest) -> str:
        shown = " ".join(message.content for message in request.messages)
        if request.priority is not Priority.BACKGROUND:
            return "Leaves fall and I recall." if "poem" in shown else "Good luck!"
        return "Ann starts at the museum." if "museum" in shown else "I like Karl."

    model = ScriptedChatModel(answer)
    async with open_core(tmp_path, model=model) as core:
        await core.say("Can you write me a poem about Karl?")
        await core.say("remind me to write to Karl")
        await core.passes(LATER)
        assert await known(core) == []
        await core.say("I start at the museum.")
        await core.say("Can you write me a poem about Karl?")
        await core.passes(LATER)
        assert [one for one in await known(core) if "museum" in one]
        assert not [one for one in await known(core) if "Karl" in one or "Leaves" in one]
    made = [one for one in model.requests if one.priority is Priority.BACKGROUND]
    assert made
    assert not [one for one in made for message in one.messages if "Karl" in message.content]
