"""Servers, channels that everybody can read, and what is gone: what the core is told of them, over real sockets."""

from __future__ import annotations

import pytest

from adapters.discord.client import Companion, intents
from adapters.discord.reading import dm_with
from bot.domain import Place, PlaceKind, Utterance
from bot.errors import DeliveryFailed
from tests.adapters.discord.wire import connected
from tests.adapters.discord.world import Ear, dm, eventually, outgoing
from tests.platform.discord_client import Home
from tests.platform.discord_server import Channel, Guild, Intent
from tests.platform.discord_server.world import JSON

CONNECT = 1 << 20
VOICE: JSON = {"type": 2, "bitrate": 64000, "user_limit": 0, "rtc_region": None}
NO_HISTORY = (1 << 10) | (1 << 11)
"""Everyone may see and write, and not read what was said before they came."""


def place(channel: Channel) -> Place:
    """The place of a channel or a thread."""
    assert channel.guild is not None
    above = f"/{channel.parent.id}" if channel.parent else ""
    return Place("discord", PlaceKind.CHANNEL, f"{channel.guild.id}{above}/{channel.id}")


async def heard_all(home: Home, ear: Ear) -> None:
    """Waits until all that happened before has been told."""
    before = len(ear.heard)
    await home.server.say(home.ann, home.dm, f"number {before}")
    await eventually(lambda: len(ear.heard) > before)


def told(ear: Ear, what: str) -> list[str]:
    """What was told of this kind, in order."""
    return [whom for kind, whom in ear.told if kind == what]


async def test_what_is_there_at_the_start_is_told(home: Home) -> None:
    cellar = home.server.add_channel(home.guild, "cellar", public=False)
    soup = await home.server.add_thread(home.kitchen, "soup")
    secret = await home.server.add_thread(home.kitchen, "secret", public=False)
    below = await home.server.add_thread(cellar, "below")
    ear = Ear(servers=["4711", str(home.guild.id)])
    async with connected(home, ear):
        await heard_all(home, ear)
    assert ear.public == {place(home.kitchen): True, place(soup): True} | dict.fromkeys(
        [place(cellar), place(secret), place(below)], False
    )
    assert told(ear, "joined") == [str(home.guild.id)]
    assert told(ear, "left") == ["4711"]


async def test_not_every_channel_that_all_can_see_is_for_everybody(home: Home) -> None:
    server, ear = home.server, Ear()
    home.guild.everyone |= CONNECT
    closed: Guild = server.add_guild("Closed", home.bob)
    shapes: dict[str, tuple[Guild, JSON, bool]] = {
        "news": (home.guild, {"type": 5}, True),
        "adults": (home.guild, {"nsfw": True}, False),
        "voice": (home.guild, VOICE, True),
        "late voice": (home.guild, {**VOICE, "nsfw": True}, False),
        "locked voice": (closed, VOICE, False),
        "stage": (home.guild, {**VOICE, "type": 13}, True),
        "forum": (home.guild, {"type": 15, "available_tags": []}, True),
    }
    channels = {name: server.add_channel(guild, name) for name, (guild, _, _) in shapes.items()}
    for name, channel in channels.items():
        channel.more = shapes[name][1]
    post = await server.add_thread(channels["forum"], "post")
    async with connected(home, ear):
        await heard_all(home, ear)
    seen = {name: ear.public[place(channel)] for name, channel in channels.items()}
    assert seen == {name: public for name, (_, _, public) in shapes.items()}
    assert ear.public[place(post)] is True


async def test_what_changes_for_everybody_is_told(home: Home) -> None:
    ear, server = Ear(), home.server
    async with connected(home, ear):
        soup = await server.add_thread(home.kitchen, "soup")
        await heard_all(home, ear)
        assert (ear.public[place(home.kitchen)], ear.public[place(soup)]) == (True, True)
        await server.set_public(home.kitchen, public=False)
        await heard_all(home, ear)
        assert (ear.public[place(home.kitchen)], ear.public[place(soup)]) == (False, False)
        await server.set_public(home.kitchen, public=True)
        garden = await server.open_channel(home.guild, "garden")
        shed = await server.open_channel(home.guild, "shed", public=False)
        secret = await server.add_thread(garden, "secret", public=False)
        await heard_all(home, ear)
        seen = {one.name: ear.public[place(one)] for one in (home.kitchen, soup, garden, shed, secret)}
        assert seen == {"kitchen": True, "soup": True, "garden": True, "shed": False, "secret": False}
        await server.let_everyone(home.guild, NO_HISTORY)
        await heard_all(home, ear)
        assert not any(ear.public.values())


async def test_what_is_said_says_whether_everybody_can_read_it(home: Home) -> None:
    ear, server = Ear(), home.server
    cellar = server.add_channel(home.guild, "cellar", public=False)
    async with connected(home, ear):
        await server.say(home.ann, home.kitchen, "for all")
        await server.say(home.ann, cellar, "for some")
        await server.say(home.ann, home.dm, "for you")
        await eventually(lambda: len(ear.heard) == 3)
    assert {said.text: said.place_public for said in ear.heard} == {
        "for all": True, "for some": False, "for you": None,
    }  # fmt: skip


async def test_servers_come_and_go_and_one_in_trouble_has_not_gone(home: Home) -> None:
    ear, server = Ear(), home.server
    async with connected(home, ear):
        away: Guild = server.add_guild("Away", home.bob)
        lounge = server.add_channel(away, "lounge")
        await server.invite(away)
        await server.outage(home.guild)
        await heard_all(home, ear)
        assert ear.public[place(lounge)] is True
        assert told(ear, "left") == []
        await server.remove_bot(away)
        await heard_all(home, ear)
    assert told(ear, "joined") == [str(home.guild.id), str(away.id)]
    assert told(ear, "left") == [str(away.id)]


async def test_a_server_that_removed_it_while_it_was_away_is_noticed(home: Home) -> None:
    ear, server = Ear(), home.server
    away = server.add_guild("Away", home.bob)
    async with connected(home, ear):
        await heard_all(home, ear)
    assert told(ear, "left") == []
    ear.servers = told(ear, "joined")
    await server.remove_bot(away)
    async with connected(home, ear):
        await heard_all(home, ear)
    assert told(ear, "left") == [str(away.id)]


async def test_a_deleted_channel_is_told_after_what_was_said_in_it(home: Home) -> None:
    ear, server = Ear(), home.server
    async with connected(home, ear):
        soup = await server.add_thread(home.kitchen, "soup")
        stew = await server.add_thread(home.kitchen, "stew")
        await server.say(home.ann, home.kitchen, "the last words here")
        await server.delete_channel(stew)
        await server.delete_channel(home.kitchen)
        await heard_all(home, ear)
    assert "the last words here" in {said.text for said in ear.heard}
    assert told(ear, "deleted") == [place(stew).ref, place(home.kitchen).ref, place(soup).ref]


async def test_what_was_said_in_a_channel_that_is_being_read_comes_before_its_end(home: Home) -> None:
    order = list[str]()

    class Orderly(Ear):
        """Keeps the order of what it hears and of deletions."""

        async def place_deleted(self, place: Place) -> None:
            order.append("deleted")

        async def receive(self, utterance: Utterance) -> bool:
            order.append("said")
            return True

    async with connected(home, Orderly()) as adapter:
        client = adapter.messenger._client  # type: ignore[attr-defined]
        assert isinstance(client, Companion)
        client._intake.hold_only(frozenset({str(home.kitchen.id)}))
        await home.server.say(home.ann, home.kitchen, "one")
        await home.server.delete_channel(home.kitchen)
        await home.server.say(home.ann, home.dm, "the end")
        await eventually(lambda: bool(order))
        client._intake.release(str(home.kitchen.id))
        await eventually(lambda: "deleted" in order)
    assert order == ["said", "said", "deleted"]


async def test_a_person_whom_discord_no_longer_knows_is_gone_and_one_who_takes_no_dms_is_not(home: Home) -> None:
    ear, server = Ear(), home.server
    cem, dot = server.add_user("cem", "Cem"), server.add_user("dot", "Dot")
    home.bob.takes_dms = False
    server.delete_account(cem, known=False)
    server.delete_account(dot)
    async with connected(home, ear) as adapter:
        codes = {}
        for person in (home.bob, cem, dot):
            with pytest.raises(DeliveryFailed) as raised:
                await anext(adapter.messenger.send(outgoing(dm(person), "hello")))
            codes[person.id] = (raised.value.code, raised.value.retry)
        await heard_all(home, ear)
    assert codes == {
        home.bob.id: ("dm_closed", False),
        cem.id: ("person_gone", False),
        dot.id: ("dm_closed", False),
    }
    assert told(ear, "gone") == [f"discord:{cem.id}", f"discord:{dot.id}"]


async def test_deleted_people_are_noticed_in_what_was_missed(home: Home) -> None:
    ear, server = Ear(), home.server
    cem = server.add_user("cem", "Cem")
    async with connected(home, ear):
        await heard_all(home, ear)
    ear.dms = [dm_with(cem.id), dm(home.ann)]
    await server.say(home.bob, home.kitchen, "bye")
    await server.say(home.ann, home.kitchen, "bye Bob")
    server.delete_account(home.bob)
    server.delete_account(cem, known=False)
    async with connected(home, ear):
        await heard_all(home, ear)
        await eventually(lambda: len(told(ear, "gone")) == 2)
    assert set(told(ear, "gone")) == {f"discord:{home.bob.id}", f"discord:{cem.id}"}
    assert "bye" not in {said.text for said in ear.heard}
    assert "bye Bob" in {said.text for said in ear.heard}


async def test_whoever_says_something_is_there_whatever_their_name(home: Home) -> None:
    ear, server = Ear(), home.server
    eve = server.add_user("deleted_user_0123456789ab")
    async with connected(home, ear) as adapter:
        await server.say(eve, server.open_dm(eve), "I am called so")
        await eventually(lambda: bool(ear.heard))
        assert [part async for part in adapter.messenger.send(outgoing(dm(eve), "hello"))]
        await heard_all(home, ear)
    assert told(ear, "gone") == []


def test_no_more_is_asked_of_discord_than_messages_and_reactions() -> None:
    wanted = Intent.GUILDS | Intent.GUILD_MESSAGES | Intent.DIRECT_MESSAGES | Intent.MESSAGE_CONTENT
    wanted |= Intent.GUILD_REACTIONS | Intent.DIRECT_REACTIONS
    assert intents().value == wanted
