"""Who greets again after a while is asked about what they left open, in the whole core."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from bot.care.reading import Reader
from bot.conversation.meeting import HOW_HAVE_YOU_BEEN, NICE_TO_HEAR
from bot.conversation.phrases import phrases_of
from bot.domain import ModelDescription, Outgoing
from bot.errors import IndexUnusable
from bot.llm.scripted import ScriptedChatModel
from bot.storage.conversation.outbox import SqlOutbox
from tests.living import BOB, CHANNEL, DM, OpenCore, open_core

BY_MODEL = "The model greets."
SMALL = ModelDescription("m", "d", "", 8192, 3000)
LARGE = ModelDescription("m", "d", "", 32768, 16000)
WIFE = "My wife Jean passed away in April."
WIFE_ASKED = f"{NICE_TO_HEAR} How are you these days?"
PLAIN = f"{NICE_TO_HEAR} {HOW_HAVE_YOU_BEEN}"


@asynccontextmanager
async def told(folder: Path, *lines: str, description: ModelDescription = SMALL) -> AsyncIterator[OpenCore]:
    """Ann told this six days ago."""
    async with open_core(folder, model=ScriptedChatModel(BY_MODEL, description=description)) as core:
        for line in lines:
            await core.say(line)
        await core.passes(timedelta(hours=3))
        await core.passes(timedelta(days=6))
        yield core


@pytest.mark.parametrize(
    ("line", "greeting", "answer"),
    [
        (WIFE, "Good evening, it is Walter again.", f"Good evening, Walter! {WIFE_ASKED}"),
        (WIFE, "hello", f"Hello! {WIFE_ASKED}"),
        ("I have a job interview on Thursday.", "hey", "Hey! On Monday you told me that you had a job interview"),
        ("I like tea.", "hi", f"Hi! {PLAIN}"),
        ("I like tea.", "me again", f"Hi! {PLAIN}"),
        ("Meine Oma ist gestern gestorben.", "hallo", "Hallo! Wie geht es dir seitdem?"),
        ("Ich trinke gern Tee.", "hallo", phrases_of("de").replies.greeting[0]),
        (WIFE, "hallo du", phrases_of("de").replies.greeting[0]),
    ],
)
async def test_a_greeting_asks_about_what_is_open(tmp_path: Path, line: str, greeting: str, answer: str) -> None:
    async with told(tmp_path, line) as core:
        reply = (await core.say(greeting)).reply
        assert reply is not None
        assert reply.startswith(answer)


async def test_nothing_is_asked_a_second_time(tmp_path: Path) -> None:
    async with told(tmp_path, WIFE) as core:
        assert WIFE_ASKED in ((await core.say("hello")).reply or "")
        await core.passes(timedelta(days=2))
        assert (await core.say("hello")).reply == f"Hello! {PLAIN}"


async def test_only_a_greeting_that_begins_a_session_after_a_while_is_answered_so(tmp_path: Path) -> None:
    async with told(tmp_path, WIFE) as core:
        assert (await core.say("I bought a lamp.")).reply == BY_MODEL
        assert WIFE not in ((await core.say("hello")).reply or "")
        await core.passes(timedelta(hours=3))
        assert WIFE not in ((await core.say("hello again")).reply or "")
        await core.passes(timedelta(days=1))
        assert WIFE not in ((await core.say("hello", BOB, CHANNEL)).reply or "")


async def test_a_large_model_greets_itself(tmp_path: Path) -> None:
    async with told(tmp_path, WIFE, description=LARGE) as core:
        assert (await core.say("hello")).reply == BY_MODEL


async def test_what_shows_danger_is_not_brought_up(tmp_path: Path) -> None:
    async with told(tmp_path, "I want to kill myself since my wife died.") as core:
        assert "wife" not in ((await core.say("hello")).reply or "")


async def test_what_is_erased_meanwhile_is_not_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with told(tmp_path, WIFE) as core:
        (source,) = [line for line in await core.app.recent(DM, 10) if line.text == WIFE]
        real, erased = SqlOutbox.commit, False

        async def commit(self: SqlOutbox, *arguments: object, **named: object) -> Outgoing | None:
            nonlocal erased
            if not erased:
                erased = True
                await core.app.stores.erasures.erase_messages("test", [source.message_id], core.clock.now())
            return await real(self, *arguments, **named)  # type: ignore[arg-type]  # passed on

        monkeypatch.setattr(SqlOutbox, "commit", commit)
        assert (await core.say("hello")).reply == f"Hello! {PLAIN}"
        assert not any(WIFE_ASKED in sent.text for sent in core.screen.sent)


async def test_an_index_that_cannot_be_used_costs_no_reply(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def unusable(*_: object) -> None:
        raise IndexUnusable("gone")

    async with told(tmp_path, WIFE) as core:
        monkeypatch.setattr(Reader, "read", unusable)
        assert (await core.say("hello")).reply is not None
