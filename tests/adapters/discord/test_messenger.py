"""Replies on a simulated Discord: how they grow, how they arrive, and what a fault means."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.messenger import MAX_CHARACTERS, MAX_NONCE, beginning, failure, nonce_of
from adapters.discord.reading import dm_with
from bot.domain import Outgoing, Place, PlaceKind
from bot.errors import DeliveryFailed
from bot.ports import Growing
from tests.adapters.discord.world import World, channel, dm, eventually, messages_of, open_world, outgoing


async def sent(world: World, reply: Outgoing) -> list[str]:
    return [part async for part in world.messenger.send(reply)]


async def refused(world: World, reply: Outgoing) -> DeliveryFailed:
    with pytest.raises(DeliveryFailed) as raised:
        await sent(world, reply)
    return raised.value


def posted(world: World, to: Any) -> list[Any]:
    """The payloads of new messages in a channel."""
    path = f"/channels/{to.id}/messages"
    return [request.json for request in world.env.http_requests if (request.method, request.path) == ("POST", path)]


async def test_a_reply_reaches_a_dm_and_pings_nobody() -> None:
    async with open_world() as world:
        ann = world.env.create_user("ann")
        ids = await sent(world, outgoing(dm(ann), "hello @everyone", in_reply_to="77"))
        [shown] = messages_of(world.env, ann.dm_channel)
        [payload] = posted(world, ann.dm_channel)
    assert ids == [str(shown.id)]
    assert shown.content == "hello @everyone"
    assert shown.reference is None
    assert payload["allowed_mentions"] == {"parse": [], "replied_user": False}
    assert (payload["nonce"], payload["enforce_nonce"]) == ("re77", True)


async def test_in_a_channel_a_reply_references_what_it_answers() -> None:
    async with open_world() as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        said = await home.add_member(world.env.create_user("ann")).send(kitchen, "hi")
        await sent(world, outgoing(channel(kitchen, home), "hi there", in_reply_to=str(said.id)))
        [shown] = messages_of(world.env, kitchen)
    assert shown.reference is not None
    assert shown.reference.message_id == said.id


async def test_a_long_reply_takes_several_messages_and_goes_on_where_it_stopped() -> None:
    text = "\n\n".join(f"Paragraph {number} " + "word " * 150 for number in range(6))
    async with open_world() as world:
        ann = world.env.create_user("ann")
        ids = await sent(world, outgoing(dm(ann), text))
        whole = [message.content for message in messages_of(world.env, ann.dm_channel)]
        again = await sent(world, outgoing(dm(ann), text, parts=tuple(ids[:1])))
        nonces = [payload["nonce"] for payload in posted(world, ann.dm_channel)]
    assert len(ids) == 3
    assert all(len(part) <= MAX_CHARACTERS for part in whole)
    assert " ".join(whole).split() == text.split()
    assert len(again) == 2
    assert nonces[3:] == nonces[1:3]
    assert len(set(nonces)) == 3


async def test_a_draft_becomes_the_first_part_and_a_deleted_one_is_sent_anew() -> None:
    async with open_world() as world:
        ann = world.env.create_user("ann")
        [draft] = await sent(world, outgoing(dm(ann), "I am think"))
        same = await sent(world, outgoing(dm(ann), "I am thinking of you.", draft=draft))
        first = [message.content for message in messages_of(world.env, ann.dm_channel)]
        await world.messenger.retract(dm(ann), draft)
        await world.messenger.retract(dm(ann), draft)
        [anew] = await sent(world, outgoing(dm(ann), "I am thinking of you.", draft=draft))
        second = [message.content for message in messages_of(world.env, ann.dm_channel)]
    assert same == [draft]
    assert anew != draft
    assert first == second == ["I am thinking of you."]


async def test_what_arrived_although_nothing_said_so_is_not_sent_twice() -> None:
    async with open_world() as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        said = await ann.send(kitchen, "hi")
        reply = outgoing(channel(kitchen, home), "hello", in_reply_to=str(said.id))
        first = await sent(world, reply)
        again = await sent(world, outgoing(reply.place, "hello", in_reply_to=str(said.id), uncertain=True))
        other = await ann.send(kitchen, "hi once more")
        second = await sent(world, outgoing(reply.place, "hello", in_reply_to=str(other.id), uncertain=True))
    assert again == first
    assert second != first


async def test_in_a_dm_what_arrived_long_ago_is_found_by_its_text() -> None:
    async with open_world() as world:
        ann = world.env.create_user("ann")
        first = await sent(world, outgoing(dm(ann), "hello"))
        await world.env.advance_time(300)
        again = await sent(world, outgoing(dm(ann), "hello", uncertain=True))
        other = await sent(world, outgoing(dm(ann), "good night", uncertain=True))
    assert again == first
    assert other != first


async def test_a_reply_grows_in_one_message() -> None:
    created = list[str]()
    async with open_world() as world:
        ann = world.env.create_user("ann")

        async def note(message_id: str) -> None:
            created.append(message_id)

        async with world.messenger.live(Growing(dm(ann), None, None, note)) as live:
            await eventually(lambda: any(request.path.endswith("/typing") for request in world.env.http_requests))
            seen_while_typing = live.seen
            live.show("I")
            await eventually(lambda: bool(messages_of(world.env, ann.dm_channel)))
            live.show("I am here")
            await eventually(lambda: messages_of(world.env, ann.dm_channel)[0].content == "I am here")
            assert live.seen
            live.show("long " * 1000)
            await eventually(lambda: len(messages_of(world.env, ann.dm_channel)[0].content) > 1000)
        [shown] = messages_of(world.env, ann.dm_channel)
    assert not seen_while_typing
    assert created == [str(shown.id)]
    assert shown.content.endswith("…")


async def test_a_draft_of_an_earlier_try_is_used_again() -> None:
    created = list[str]()

    async def note(message_id: str) -> None:
        created.append(message_id)

    async with open_world() as world:
        ann = world.env.create_user("ann")
        [draft] = await sent(world, outgoing(dm(ann), "I was say"))
        async with world.messenger.live(Growing(dm(ann), None, draft, note)) as live:
            live.show("What I was saying")
            await eventually(lambda: messages_of(world.env, ann.dm_channel)[0].content == "What I was saying")
        assert len(messages_of(world.env, ann.dm_channel)) == 1
    assert created == []


async def test_without_streaming_there_is_only_typing() -> None:
    async with open_world(overrides={"discord__stream": False}) as world:
        ann = world.env.create_user("ann")

        async def note(message_id: str) -> None:
            raise AssertionError(message_id)

        async with world.messenger.live(Growing(dm(ann), None, None, note)) as live:
            live.show("I am here")
            await eventually(lambda: any(request.path.endswith("/typing") for request in world.env.http_requests))
            assert not live.seen
        assert messages_of(world.env, ann.dm_channel) == []


async def test_a_growing_reply_survives_every_fault() -> None:
    created = list[str]()

    async def note(message_id: str) -> None:
        created.append(message_id)

    async with open_world() as world:
        ann = world.env.create_user("ann")
        world.env.inject_error("POST", "/channels/*/typing", status=403, times=None)
        world.env.inject_error("POST", "/channels/*/messages", status=403, code=50007, times=None)
        async with world.messenger.live(Growing(dm(ann), None, None, note)) as live:
            live.show("hello")
            await asyncio.sleep(0)
    assert created == []


@pytest.mark.parametrize(
    ("status", "code", "outcome"),
    [
        (403, 50007, (False, False, "dm_closed")),
        (403, 50001, (False, False, "refused")),
        (404, 10003, (False, False, "gone")),
        (400, 50035, (False, False, "refused")),
        (401, 0, (False, False, "refused")),
        (503, 0, (True, True, "refused")),
        (429, 0, (True, False, "refused")),
    ],
)
async def test_a_refusal_says_whether_to_try_again(status: int, code: int, outcome: tuple[bool, bool, str]) -> None:
    async with open_world() as world:
        ann = world.env.create_user("ann")
        world.env.inject_error("POST", "/channels/*/messages", status=status, code=code, message="private words")
        error = await refused(world, outgoing(dm(ann), "hello"))
    assert (error.retry, error.uncertain, error.code) == outcome
    assert "private words" not in str(error)
    assert "hello" not in str(error)


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (discord.RateLimited(42.0), (True, False, 42.0)),
        (TimeoutError(), (True, True, 0.0)),
        (aiohttp.ServerDisconnectedError(), (True, True, 0.0)),
        (ConnectionResetError(104, "reset"), (True, True, 0.0)),
    ],
)
def test_a_lost_connection_leaves_open_whether_it_arrived(fault: Exception, outcome: tuple[bool, bool, float]) -> None:
    error = failure(fault)
    assert (error.retry, error.uncertain, error.after_s) == outcome


async def test_it_reaches_discord_only_while_connected() -> None:
    async with open_world() as world:
        messenger = world.messenger
        assert messenger.reaches(dm_with(1))
        assert not messenger.reaches(Place("telegram", PlaceKind.DM, "1"))
        await world.companion.close()
        assert not messenger.reaches(dm_with(1))
        error = await refused(world, outgoing(dm_with(1), "hello"))
    assert error.retry
    assert not error.uncertain


@given(st.integers(0, 5000), st.integers(0, 5000))
def test_every_part_has_its_own_nonce(one: int, other: int) -> None:
    nonce = "0123456789abcdef01234567"
    assert len(nonce_of(nonce, one)) <= MAX_NONCE
    assert (nonce_of(nonce, one) == nonce_of(nonce, other)) is (one == other)


@given(st.text(min_size=1, max_size=6000))
def test_the_beginning_of_a_reply_fits_one_message(text: str) -> None:
    assert len(beginning(text)) <= MAX_CHARACTERS
