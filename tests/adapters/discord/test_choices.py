"""Buttons under replies, and what a press of them shows to whom, over real sockets."""

from __future__ import annotations

import pytest

from adapters.discord.messenger import MAX_CHARACTERS
from bot.domain import Answer, Asker, Call, Choice, Outgoing, Place, PlaceKind
from bot.ports import Growing, Messenger
from tests.adapters.discord.wire import connected
from tests.adapters.discord.world import Ear, dm, eventually, outgoing
from tests.platform.discord_client import Home
from tests.platform.discord_server import Channel, Fault, Message

LIST = Call("memory list")
FORGET = Call("memory forget", (("what", "t1"),))
CHOICES = ((Choice("Look", LIST), Choice("Forget it", FORGET)), (Choice("Too long", Call("no command")),))
LABELS = {"Look": "memory list", "Forget it": "memory forget|t1"}


def private(call: Call, asker: Asker) -> Answer:
    return Answer(f"What I know of {asker.speaker.name}", choices=((Choice("More", LIST),),))


def public(call: Call, asker: Asker) -> Answer:
    return Answer(f"{asker.speaker.name} has changed it", private=False)


def place(channel: Channel) -> Place:
    assert channel.guild is not None
    return Place("discord", PlaceKind.CHANNEL, f"{channel.guild.id}/{channel.id}")


async def sent(messenger: Messenger, reply: Outgoing) -> list[str]:
    return [part async for part in messenger.send(reply)]


async def offered(home: Home, messenger: Messenger, where: Place, channel: Channel, **more: object) -> Message:
    """A message of the companion's with buttons."""
    await sent(messenger, outgoing(where, "What shall I do?", choices=CHOICES, **more))
    return home.server.replies(channel)[-1]


async def test_a_reply_has_its_buttons_under_its_last_part(home: Home) -> None:
    text = "\n\n".join(f"Paragraph {number} " + "word " * 150 for number in range(6))
    async with connected(home, Ear()) as adapter:
        await offered(home, adapter.messenger, dm(home.ann), home.dm)
        ids = await sent(adapter.messenger, outgoing(dm(home.ann), text, nonce="f" * 24, choices=CHOICES))
    short, *parts = home.server.replies(home.dm)
    assert short.buttons == LABELS
    assert [str(part.id) for part in parts] == ids
    assert [part.buttons for part in parts] == [*({} for _ in parts[1:]), LABELS]
    assert all(len(part.content) <= MAX_CHARACTERS for part in parts)


async def test_buttons_come_with_the_final_edit_of_a_growing_reply(home: Home) -> None:
    created = list[str]()

    async def note(message_id: str) -> None:
        created.append(message_id)

    async with connected(home, Ear()) as adapter:
        said = await home.server.say(home.ann, home.dm, "please forget my job")
        async with adapter.messenger.live(Growing(dm(home.ann), str(said.id), None, note)) as live:
            live.show("Shall I")
            await eventually(lambda: bool(created))
            [growing] = home.server.replies(home.dm)
            assert growing.buttons == {}
        reply = outgoing(
            dm(home.ann), "Shall I forget it?", in_reply_to=str(said.id), draft=created[0], choices=CHOICES
        )
        assert await sent(adapter.messenger, reply) == created
        assert await sent(adapter.messenger, outgoing(dm(home.ann), "Plain", nonce="b" * 24)) != created
    first, second = home.server.replies(home.dm)
    assert (first.content, first.buttons) == ("Shall I forget it?", LABELS)
    assert (second.content, second.buttons) == ("Plain", {})


async def test_what_arrived_without_its_buttons_gets_them_and_comes_once(home: Home) -> None:
    async with connected(home, Ear()) as adapter:
        said = await home.server.say(home.ann, home.dm, "please forget my job")
        reply = outgoing(dm(home.ann), "Shall I?", in_reply_to=str(said.id))
        bare = await sent(adapter.messenger, reply)
        with_buttons = outgoing(dm(home.ann), "Shall I?", in_reply_to=str(said.id), choices=CHOICES)
        assert await sent(adapter.messenger, with_buttons) == bare
        again = outgoing(dm(home.ann), "Shall I?", in_reply_to=str(said.id), choices=CHOICES, uncertain=True)
        assert await sent(adapter.messenger, again) == bare
    [shown] = home.server.replies(home.dm)
    assert shown.buttons == LABELS


async def test_in_a_dm_the_answer_takes_the_place_of_the_message(home: Home) -> None:
    ear = Ear(answer=private)
    async with connected(home, ear) as adapter:
        message = await offered(home, adapter.messenger, dm(home.ann), home.dm)
        await home.server.answer(await home.server.press(home.ann, message, "Forget it"))
        await home.server.until(lambda: message.edits)
    [(call, asker)] = ear.calls
    assert (call, asker.speaker.id, asker.place) == (FORGET, f"discord:{home.ann.id}", dm(home.ann))
    assert (message.content, message.buttons) == ("What I know of Ann", {"More": "memory list"})


@pytest.mark.parametrize("answered_to", ["ann", "bob", None])
async def test_in_a_channel_whoever_presses_sees_their_own_answer_alone(home: Home, answered_to: str | None) -> None:
    ear = Ear(answer=private)
    async with connected(home, ear) as adapter:
        more = {}
        if answered_to is not None:
            said = await home.server.say(getattr(home, answered_to), home.kitchen, "hello")
            more = {"in_reply_to": str(said.id)}
        message = await offered(home, adapter.messenger, place(home.kitchen), home.kitchen, **more)
        pressed = await home.server.press(home.bob, message, "Look")
        answer = await home.server.answer(pressed)
        await eventually(lambda: answer.content == "What I know of Bob")
    assert answer.shown_to is home.bob
    assert (message.content, message.buttons, message.edits) == ("What shall I do?", LABELS, [])
    assert [one.content for one in home.server.replies(home.kitchen)] == ["What shall I do?"]
    assert [asker.speaker.name for _, asker in ear.calls] == ["Bob"]


async def test_an_answer_for_everybody_changes_only_what_was_made_for_the_one_who_presses(home: Home) -> None:
    async with connected(home, Ear(answer=public)) as adapter:
        said = await home.server.say(home.bob, home.kitchen, "hello")
        message = await offered(home, adapter.messenger, place(home.kitchen), home.kitchen, in_reply_to=str(said.id))
        stranger = await home.server.press(home.ann, message, "Look")
        await home.server.until(lambda: stranger.deleted)
        assert (message.content, message.buttons, message.edits) == ("What shall I do?", LABELS, [])
        assert [one.content for one in home.server.replies(home.kitchen)][1:] == ["Ann has changed it"]
        own = await home.server.press(home.bob, message, "Look")
        await home.server.until(lambda: own.deleted)
    assert (message.content, message.buttons) == ("Bob has changed it", {})


async def test_a_press_whose_answer_fails_leaves_the_message(home: Home) -> None:
    ear = Ear(answer=private)
    async with connected(home, ear) as adapter:
        message = await offered(home, adapter.messenger, place(home.kitchen), home.kitchen)
        home.server.faults.next("PATCH", r"/webhooks/\d+/[^/]+/messages/@original", Fault.UNAVAILABLE, times=5)
        await home.server.press(home.bob, message, "Look")
        await eventually(lambda: bool(ear.calls))
        home.server.faults.planned.clear()
        second = await home.server.answer(await home.server.press(home.bob, message, "Look"))
        await eventually(lambda: second.content == "What I know of Bob")
    assert (message.content, message.buttons) == ("What shall I do?", LABELS)
