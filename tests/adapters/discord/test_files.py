"""Files that go with an answer, and answers that take their time, over real sockets."""

from __future__ import annotations

import asyncio

import pytest

from bot.domain import Answer, Call, Choice, File
from bot.texts import platforms as texts
from tests.adapters.discord.wire import connected
from tests.adapters.discord.world import Ear, eventually, outgoing
from tests.adapters.discord.world import dm as dm_of
from tests.platform.discord_client import Home
from tests.platform.discord_server import Channel, Interaction

COMMANDS = ("tests.adapters.discord.commands_for_tests",)
FILES = (File("all.json", b'{"a": 1}'), File("all.md", "# Ünï".encode()))


def with_files(*files: File, private: bool = True) -> Ear:
    """A core that answers with files."""
    return Ear(answer=lambda _call, _asker: Answer("Here is all I know.", private=private, files=files))


@pytest.fixture(params=["kitchen", "dm"])
def channel(request: pytest.FixtureRequest, home: Home) -> Channel:
    """A channel, and a DM."""
    chosen: Channel = getattr(home, request.param)
    return chosen


async def asked(home: Home, channel: Channel) -> Interaction:
    """Ann asks for a private answer, and has it."""
    used = await home.server.slash(home.ann, channel, "about")
    await home.server.answer(used)
    return used


async def test_files_come_to_the_asker_alone(home: Home, channel: Channel) -> None:
    async with connected(home, with_files(*FILES), extensions=COMMANDS):
        used = await asked(home, channel)
        await home.server.until(lambda: used.followups)
    [followup] = used.followups
    assert [(file.name, file.content) for file in followup.attachments] == [(one.name, one.content) for one in FILES]
    assert followup.shown_to is home.ann
    assert used.response is not None
    assert (used.response.content, used.response.shown_to) == ("Here is all I know.", home.ann)
    assert home.server.messages(channel) == []


async def test_a_file_that_is_too_large_is_told_of_and_the_others_come(home: Home) -> None:
    large = File("all.json", bytes(10 * 1024 * 1024 + 1))
    async with connected(home, with_files(large, FILES[1]), extensions=COMMANDS):
        used = await asked(home, home.kitchen)
        await home.server.until(lambda: len(used.followups) == 2 or None)
    files, told = used.followups
    assert [file.name for file in files.attachments] == ["all.md"]
    assert told.content == texts.FILE_TOO_LARGE.format(name="all.json", size=10, platform="Discord", limit=10)
    assert told.shown_to is home.ann


async def test_an_upload_that_is_refused_is_told_of(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.platform.discord_server.rest.LARGEST_FILE", 4)
    async with connected(home, with_files(*FILES), extensions=COMMANDS):
        used = await asked(home, home.kitchen)
        await home.server.until(lambda: used.followups)
    [told] = used.followups
    assert (told.content, told.attachments, told.shown_to) == (texts.FILES_NOT_TAKEN, (), home.ann)


async def test_files_never_come_with_an_answer_for_everybody(home: Home) -> None:
    async with connected(home, with_files(*FILES, private=False), extensions=COMMANDS):
        used = await home.server.slash(home.ann, home.kitchen, "about")
        await home.server.until(lambda: used.deleted)
    [shown] = home.server.replies(home.kitchen)
    assert (shown.content, shown.attachments) == ("Here is all I know.", ())
    assert not any(one.attachments for one in used.followups)


async def test_a_button_gives_files_too(home: Home) -> None:
    choices = ((Choice("Export", Call("memory export")),),)
    async with connected(home, with_files(*FILES)) as adapter:
        reply = outgoing(dm_of(home.ann), "Shall I?", choices=choices)
        assert [part async for part in adapter.messenger.send(reply)]
        [message] = home.server.replies(home.dm)
        pressed = await home.server.press(home.ann, message, "Export")
        await home.server.until(lambda: pressed.followups)
    assert message.content == "Here is all I know."
    assert [file.name for file in pressed.followups[0].attachments] == ["all.json", "all.md"]


async def test_an_answer_may_take_its_time(home: Home, channel: Channel) -> None:
    """Discord wants to hear within three seconds that a command was taken: before the core has done anything."""
    ear = Ear(hold_commands=asyncio.Event())
    async with connected(home, ear, extensions=COMMANDS):
        used = await home.server.slash(home.ann, channel, "about")
        await eventually(lambda: bool(ear.calls))
        assert (used.acknowledged, used.answered) == (True, False)
        assert used.response is not None
        assert used.response.shown_to is home.ann
        assert home.server.messages(channel) == []
        assert ear.hold_commands is not None
        ear.hold_commands.set()
        assert (await home.server.answer(used)).content == "Ann asked about"
