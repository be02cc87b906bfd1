"""The adapter over real sockets, against the project's own Discord: sessions that end, and what is missed then."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from bot.domain import Quotation
from tests.adapters.discord.wire import connected
from tests.adapters.discord.world import Ear, dm, eventually, outgoing
from tests.platform.discord_client import Home
from tests.platform.discord_server import Fault


def attachment(name: str, content_type: str | None, **more: Any) -> dict[str, Any]:
    """A file as Discord sends it."""
    kind = {"content_type": content_type} if content_type else {}
    return {"id": "1", "filename": name, "size": 1, "url": "http://a.b", "proxy_url": "http://a.b", **kind, **more}


def person(number: int, name: str, global_name: str) -> dict[str, Any]:
    """A user as Discord sends one."""
    return {"id": str(number), "username": name, "global_name": global_name, "discriminator": "0", "avatar": None}


POLL = {
    "question": {"text": "Soup or salad?"},
    "answers": [{"answer_id": 1, "poll_media": {"text": "Soup"}}],
    "expiry": "2027-01-01T00:00:00+00:00",
    "allow_multiselect": False,
    "layout_type": 1,
}


async def test_it_hears_and_is_heard_and_leaves_nothing_behind(home: Home) -> None:
    ear, before = Ear(), asyncio.all_tasks()
    async with connected(home, ear) as adapter:
        said = await home.server.say(home.ann, home.dm, "hello")
        await eventually(lambda: bool(ear.heard))
        reply = outgoing(dm(home.ann), "hello Ann", in_reply_to=str(said.id))
        first = [part async for part in adapter.messenger.send(reply)]
        again = [part async for part in adapter.messenger.send(reply)]
    assert ear.heard[0].speaker.name == "Ann"
    assert [message.content for message in home.server.replies(home.dm)] == ["hello Ann"]
    assert first == again
    assert not adapter.messenger.reaches(reply.place)
    left = {task for task in asyncio.all_tasks() - before if "discord" in task.get_name()}
    assert not left
    assert ear.seen is not None
    assert ear.seen >= ear.heard[0].time - timedelta(seconds=10)


async def test_what_was_said_between_two_sessions_comes_before_what_is_said_then(home: Home) -> None:
    ear = Ear()
    async with connected(home, ear):
        await home.server.say(home.ann, home.kitchen, "one")
        await home.server.say(home.ann, home.dm, "uno")
        await eventually(lambda: len(ear.heard) == 2)
        ear.dms = [dm(home.ann)]
        async with home.server.gateway.held():
            await home.server.gateway.invalid_session()
            await home.server.say(home.ann, home.kitchen, "two")
            await home.server.say(home.ann, home.dm, "due")
        await home.server.until_connected()
        await home.server.say(home.ann, home.kitchen, "three")
        await home.server.say(home.ann, home.dm, "tre")
        await eventually(lambda: len(ear.heard) == 6)
        await eventually(lambda: ear.connections == 2)
    kitchen = [said.text for said in ear.heard if said.place_name]
    private = [said.text for said in ear.heard if not said.place_name]
    assert kitchen == ["one", "two", "three"]
    assert private == ["uno", "due", "tre"]


GUILD_MEMBER = {"roles": [], "joined_at": "2026-01-01T00:00:00+00:00", "deaf": False, "mute": False, "flags": 0}
TABLE: list[tuple[str, dict[str, Any], str]] = [
    ("", {"attachments": [attachment("voice.ogg", "audio/ogg", waveform="AA==", duration_secs=2.0)]}, "[voice note]"),
    ("", {"attachments": [attachment("song.mp3", "audio/mpeg")]}, "[audio: song.mp3]"),
    ("", {"attachments": [attachment("dance.gif", "image/gif")]}, "[animation: dance.gif]"),
    ("", {"attachments": [attachment("x.png", "image/png", description="my cat")]}, "[photo: my cat]"),
    ("", {"attachments": [attachment("clip.mp4", None)]}, "[video: clip.mp4]"),
    ("", {"sticker_items": [{"id": "7", "name": "wave", "format_type": 1}]}, "[sticker: wave]"),
    ("", {"embeds": [{"type": "rich", "title": "News [today]"}]}, "[file: News (today)]"),
    ("https://a.b", {"embeds": [{"type": "link", "title": "News"}]}, "https://a.b"),
    ("", {"poll": POLL}, "[poll: Soup or salad?]"),
    ("hi", {"type": 7}, ""),
    ("", {}, ""),
    ("at <t:1700000000:R>, </memory list:12>", {}, "at 2023-11-14 22:13 UTC, /memory list"),
    ("<@5>, <@&6> and <#7>", {}, "@someone, @a role and #a channel"),
    ("<a:party:123>!", {}, ":party:!"),
    (
        "<@99> come",
        {"mentions": [{**person(99, "bob", "Bob"), "member": {**GUILD_MEMBER, "nick": "Bobby"}}]},
        "@Bobby come",
    ),
]


async def test_what_discord_sends_is_read_as_people_see_it(home: Home) -> None:
    ear = Ear()
    async with connected(home, ear):
        for text, extra, _ in TABLE:
            await home.server.say(home.ann, home.kitchen, text, extra=extra)
        await home.server.say(home.ann, home.kitchen, "the end")
        await eventually(lambda: bool(ear.heard) and ear.heard[-1].text == "the end")
    assert [said.text for said in ear.heard] == [*(read for _, _, read in TABLE if read), "the end"]


async def test_a_resumed_session_is_no_new_one(home: Home) -> None:
    ear = Ear()
    async with connected(home, ear):
        await home.server.say(home.ann, home.kitchen, "one")
        home.server.gateway.abort()
        await home.server.say(home.ann, home.kitchen, "two")
        await eventually(lambda: len(ear.heard) == 2)
    assert [said.text for said in ear.heard] == ["one", "two"]
    assert ear.connections == 1


async def test_a_restart_catches_up(home: Home) -> None:
    ear = Ear()
    async with connected(home, ear):
        await home.server.say(home.bob, home.kitchen, "one")
        await eventually(lambda: len(ear.heard) == 1)
    await home.server.say(home.bob, home.kitchen, "two")
    await home.server.say(home.ann, home.kitchen, "three", reply_to=home.server.messages(home.kitchen)[0])
    async with connected(home, ear):
        await eventually(lambda: len(ear.heard) == 3)
    assert [said.text for said in ear.heard] == ["one", "two", "three"]
    assert ear.heard[2].to_other


async def test_a_slow_channel_holds_up_neither_the_others_nor_the_replies(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.discord.client.MISSED_S", 0.1)
    ear = Ear()
    async with connected(home, ear):
        await home.server.say(home.ann, home.kitchen, "one")
        await eventually(lambda: len(ear.heard) == 1)
    ear.dms = [dm(home.ann)]
    await home.server.say(home.ann, home.kitchen, "two")
    await home.server.say(home.ann, home.dm, "due")
    slow = home.server.faults.next("GET", f"/channels/{home.kitchen.id}/messages", Fault.HOLD_BEFORE)
    async with connected(home, ear):
        await home.server.say(home.ann, home.kitchen, "three")
        await home.server.say(home.ann, home.dm, "tre")
        await eventually(lambda: len(ear.heard) == 3)
        assert ear.connections == 1
        slow.release.set()
        await eventually(lambda: len(ear.heard) == 5)
    assert [said.text for said in ear.heard] == ["one", "due", "tre", "two", "three"]


async def test_a_session_that_begins_while_a_channel_is_slow_catches_up_by_itself(home: Home) -> None:
    ear = Ear()
    async with connected(home, ear):
        await home.server.say(home.ann, home.kitchen, "one")
        await eventually(lambda: len(ear.heard) == 1)
        slow = home.server.faults.next("GET", f"/channels/{home.kitchen.id}/messages", Fault.HOLD_BEFORE)
        for text in ("two", "three"):
            async with home.server.gateway.held():
                await home.server.gateway.invalid_session()
                await home.server.say(home.ann, home.kitchen, text)
            await home.server.until_connected()
            await slow.reached.wait()
        await eventually(lambda: len(ear.heard) == 3)
    assert [said.text for said in ear.heard] == ["one", "two", "three"]


async def test_a_nickname_that_does_not_come_is_not_waited_for(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.discord.catching_up.NAME_S", 0.1)
    ear = Ear()
    async with connected(home, ear):
        await home.server.say(home.ann, home.kitchen, "one")
        await eventually(lambda: len(ear.heard) == 1)
    await home.server.say(home.ann, home.kitchen, "two")
    slow = home.server.faults.next("GET", r"/guilds/\d+/members/\d+", Fault.HOLD_BEFORE)
    async with connected(home, ear):
        await eventually(lambda: len(ear.heard) == 2)
    assert slow.reached.is_set()
    assert ear.heard[1].speaker.name == "Ann"


async def test_what_is_replied_to_comes_with_its_words(home: Home) -> None:
    ear = Ear()
    async with connected(home, ear):
        said = await home.server.say(home.bob, home.kitchen, "The party is at nine")
        await home.server.say(home.ann, home.kitchen, "what do you think of this?", reply_to=said)
        await eventually(lambda: len(ear.heard) == 2)
    assert [one.quoting for one in ear.heard] == [
        None,
        Quotation("Bob", "The party is at nine", f"discord:{home.bob.id}"),
    ]
