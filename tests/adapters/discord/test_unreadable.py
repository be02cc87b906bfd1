"""What discord.py cannot read, over real sockets: it is left out, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest
from structlog.testing import capture_logs

from tests.adapters.discord.wire import connected
from tests.adapters.discord.world import Ear, dm, eventually
from tests.platform.discord_client import Home
from tests.platform.discord_server import Fault

SECRET = "nobody reads this in a log"
BROKEN: list[dict[str, Any]] = [{"attachments": [{}]}, {"embeds": None}, {"edited_timestamp": SECRET}, {"author": None}]


@pytest.mark.parametrize("broken", BROKEN, ids=[next(iter(one)) for one in BROKEN])
async def test_a_message_that_cannot_be_read_is_left_out_and_logged_once(home: Home, broken: dict[str, Any]) -> None:
    ear = Ear()
    with capture_logs() as logged:
        async with connected(home, ear) as adapter:
            await home.server.say(home.ann, home.kitchen, "one")
            await eventually(lambda: len(ear.heard) == 1)
            await home.server.say(home.ann, home.kitchen, SECRET, extra=broken)
            await home.server.say(home.ann, home.kitchen, "two")
            await eventually(lambda: len(ear.heard) == 2)
            async with home.server.gateway.held():
                await home.server.gateway.invalid_session()
                await home.server.say(home.ann, home.kitchen, "three")
            await eventually(lambda: len(ear.heard) == 3)
            assert adapter.messenger.reaches(dm(home.ann))
    assert [said.text for said in ear.heard] == ["one", "two", "three"]
    assert [one["what"] for one in logged if "cannot be read" in one["event"]] == ["MESSAGE_CREATE"]
    assert SECRET not in str(logged)


async def test_what_was_missed_is_read_around_a_message_that_cannot_be(home: Home) -> None:
    ear = Ear()
    async with connected(home, ear):
        await home.server.say(home.ann, home.kitchen, "one")
        await eventually(lambda: len(ear.heard) == 1)
    await home.server.say(home.ann, home.kitchen, "two")
    await home.server.say(home.ann, home.kitchen, "lost", extra={"attachments": [{}]})
    await home.server.say(home.ann, home.kitchen, "three")
    for _ in range(2):
        async with connected(home, ear):
            await eventually(lambda: len(ear.heard) == 3)
    assert [said.text for said in ear.heard] == ["one", "two", "three"]


@pytest.mark.parametrize(
    "event", ["MESSAGE_UPDATE", "MESSAGE_DELETE", "CHANNEL_UPDATE", "GUILD_CREATE", "THREAD_CREATE"]
)
@pytest.mark.parametrize("content", [{}, {"id": SECRET, "guild_id": [], "channel_id": None}])
async def test_an_event_that_cannot_be_read_is_left_out(home: Home, event: str, content: dict[str, Any]) -> None:
    ear = Ear()
    with capture_logs() as logged:
        async with connected(home, ear):
            await home.server.gateway.dispatch(event, content)
            await home.server.say(home.ann, home.kitchen, "one")
            await eventually(lambda: len(ear.heard) == 1)
    assert home.server.gateway.identified == 1
    assert SECRET not in str(logged)


async def test_a_time_that_is_none_ends_nothing_and_is_logged_once(home: Home) -> None:
    ear = Ear()
    with capture_logs() as logged:
        async with connected(home, ear):
            for person in (home.ann, home.bob, home.ann):
                typing = {"channel_id": "1", "user_id": str(person.id), "timestamp": 1e30}
                await home.server.gateway.dispatch("TYPING_START", typing)
            await home.server.say(home.ann, home.kitchen, "one")
            await eventually(lambda: len(ear.heard) == 1)
    assert home.server.gateway.identified == 1
    assert [one["what"] for one in logged if "cannot be read" in one["event"]] == ["TYPING_START"]


async def test_a_person_who_cannot_be_read_keeps_their_name_elsewhere(home: Home) -> None:
    """The history leaves nicknames out, so they are asked for."""
    ear = Ear()
    async with connected(home, ear):
        await home.server.say(home.ann, home.kitchen, "one")
        await eventually(lambda: len(ear.heard) == 1)
    await home.server.say(home.ann, home.kitchen, "two")
    home.server.faults.next("GET", r"/guilds/\d+/members/\d+", Fault.ODD)
    async with connected(home, ear):
        await eventually(lambda: len(ear.heard) == 2)
    assert ear.heard[1].speaker.name == "Ann"
