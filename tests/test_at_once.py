"""What was told a moment ago is seen before any background work, over the whole core."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain import Asker, Call, GenerationRequest, Speaker
from bot.llm.scripted import ScriptedChatModel
from bot.texts import commands as texts
from bot.usecases import memory as memories
from bot.usecases.markup import bare
from tests.living import ANN, BOB, CHANNEL, DM, OpenCore, open_core

LATER = timedelta(hours=3)


async def memory(core: OpenCore, command: str, speaker: Speaker = ANN) -> str:
    return bare((await core.app.command(Call(f"memory {command}"), Asker(speaker, DM))).text)


async def test_the_list_shows_what_was_told_a_moment_ago_until_it_was_worked_through(tmp_path: Path) -> None:
    async with open_core(tmp_path) as core:
        assert await memory(core, "list") == texts.NOTHING_KNOWN
        await core.say("I have a parrot, Kiko. Can you write me a poem?")
        await core.say("The bakery opens on Monday.")
        await core.say("Thanks!")
        await core.say("What is the weather like?")
        await core.say("The fair is on Sunday.", BOB, CHANNEL)
        first = await memory(core, "list")
        await core.app.background.drain()
        learnt = await memory(core, "list")
        await core.passes(LATER)
        summed = await memory(core, "list")
    assert texts.JUST_TOLD in first
    assert [line.partition(" (")[0] for line in first.splitlines() if line.startswith("- ")] == [
        "- The bakery opens on Monday.",
        "- I have a parrot, Kiko.",
    ]
    assert "- t1 I have a parrot" in learnt
    assert "- I have a parrot" not in learnt
    kept = learnt.partition(texts.FROM_BEFORE)[2]
    assert "- t1 I have a parrot" in kept, "it stands apart from what was told a moment ago"
    assert "bakery" not in kept
    assert "- The bakery opens" in learnt
    assert texts.JUST_TOLD not in summed
    assert "- e1 Ann: " in summed


async def search(core: OpenCore, words: str, speaker: Speaker = ANN) -> str:
    call = Call("memory search", (("words", words),))
    return bare((await core.app.command(call, Asker(speaker, DM))).text)


def shown(answer: str) -> list[str]:
    return [line.partition(" (")[0] for line in answer.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize("few", [0, 500])
async def test_a_search_finds_what_was_told_a_moment_ago_as_the_list_shows_it(
    tmp_path: Path, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where so much is known that not all of it is loaded."""
    monkeypatch.setattr(memories, "MOST_ENCODED", few)
    async with open_core(tmp_path) as core:
        await core.say("My son is six.")
        await core.say("I paint boats.")
        await core.app.background.drain()
        await core.say("I have a parrot, Kiko.")
        await core.say("He turned seven.")
        await core.say("The fair is on Sunday.", BOB, CHANNEL)
        found = await search(core, "PARROT kiko")
        assert shown(found) == ["- I have a parrot, Kiko."]
        assert texts.JUST_TOLD in found
        assert "1 with these words" in found
        assert shown(await search(core, "my son")) == ["- My son is seven."], "what was told ends what was known"
        assert shown(await search(core, "fair")) == []
        assert "- The fair is on Sunday." in await search(core, "fair", BOB)
        await core.app.background.drain()
        learnt = await search(core, "parrot")
        await core.passes(LATER)
        summed = await search(core, "fair", BOB)
    assert shown(learnt) == ["- t3 I have a parrot, Kiko."], "it is there once"
    assert texts.JUST_TOLD not in learnt
    assert shown(summed) == ["- e2 Bob: The fair is on Sunday."]


async def test_a_search_finds_nothing_that_the_list_does_not_show(tmp_path: Path) -> None:
    async with open_core(tmp_path, overrides={"privacy__consent": "ask"}) as core:
        await core.say("I have a parrot.")
        assert shown(await search(core, "parrot")) == [], "nobody agreed"
    async with open_core(tmp_path / "other") as core:
        await core.say("I want to kill myself.")
        assert shown(await search(core, "kill")) == []
        await core.say("I have a parrot.")
        assert shown(await search(core, "parrot")) == ["- I have a parrot."]
        preview = await core.app.command(Call("memory forget", (("what", "parrot"),)), Asker(ANN, DM))
        await core.app.command(preview.choices[0][0].call, Asker(ANN, DM))
        assert shown(await search(core, "parrot")) == [], "it was forgotten"


async def test_what_is_off_the_record_or_a_cry_is_not_promised_to_be_remembered(tmp_path: Path) -> None:
    async with open_core(tmp_path, overrides={"privacy__consent": "ask"}) as core:
        await core.say("I have a parrot.")
        assert "parrot" not in await memory(core, "list")
    async with open_core(tmp_path / "other") as core:
        await core.say("I want to kill myself.")
        assert await memory(core, "list") == texts.NOTHING_KNOWN


async def test_why_names_what_was_told_in_this_conversation_where_the_reply_takes_it_up(tmp_path: Path) -> None:
    def answer(request: GenerationRequest) -> str:
        return "Your parrot is called Kiko." if "called" in request.messages[-1].content else "That sounds good!"

    async with open_core(tmp_path, model=ScriptedChatModel(answer)) as core:
        await core.say("I have a parrot, Kiko.")
        assert await memory(core, "why") == texts.USED_NOTHING
        await core.say("My bakery opens on Monday.")
        await core.say("And what is my parrot called?")
        why = await memory(core, "why")
    assert texts.USED_JUST_TOLD in why
    assert "“I have a parrot, Kiko.”" in why
    assert "bakery" not in why


async def test_leaving_finishes_the_work_or_says_how_much_is_left(tmp_path: Path) -> None:
    async with open_core(tmp_path) as core:
        await core.say("I have a parrot.")
        await core.say("I sail.")
        assert await core.app.finish_work(0) == 2
        assert await core.app.finish_work(60) == 0
        assert "t2 I sail." in await memory(core, "list")
    assert texts.left_waiting(1).startswith("1 piece of")
