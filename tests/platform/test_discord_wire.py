"""The Discord server of our own against plain discord.py: what it says on the wire is what Discord says."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import aiohttp
import discord
import pytest

from tests.platform.discord_client import Home, Listener, running
from tests.platform.discord_server import Attachment, Fault, Intent


async def test_a_client_logs_in_and_knows_its_servers(home: Home) -> None:
    hidden = home.server.add_channel(home.guild, "attic", readable=False)
    async with running(home.server, Listener()) as client:
        assert client.user is not None
        assert client.user.id == home.server.bot.id
        assert client.application is not None
        assert client.application.owner.id == home.server.world.owner.id
        guild = client.get_guild(home.guild.id)
        assert guild is not None
        assert [channel.name for channel in guild.text_channels] == ["kitchen", "attic"]
        attic = guild.get_channel(hidden.id)
        assert attic is not None
        assert not attic.permissions_for(guild.me).view_channel
        assert guild.text_channels[0].permissions_for(guild.me).send_messages
        assert guild.self_role is not None


async def test_a_wrong_token_is_refused_before_the_gateway(home: Home) -> None:
    client = Listener()
    with pytest.raises(discord.LoginFailure):
        await client.start("another token")
    await client.close()


async def test_the_gateway_closes_with_4004_for_a_wrong_token(home: Home) -> None:
    client = Listener()
    await client.login(home.server.token)
    client.http.token = "another token"
    with pytest.raises(discord.ConnectionClosed) as closed:
        await client.connect()
    assert closed.value.code == 4004
    await client.close()


async def test_the_gateway_closes_with_4014_for_an_intent_that_is_switched_off(home: Home) -> None:
    home.server.gateway.allowed &= ~Intent.MESSAGE_CONTENT
    client = Listener()
    with pytest.raises(discord.PrivilegedIntentsRequired):
        await client.start(home.server.token)
    await client.close()


async def test_messages_come_with_their_speakers_replies_and_files(home: Home) -> None:
    home.guild.nicks[home.bob.id] = "Bobby"
    async with running(home.server, Listener()) as client:
        first = await home.server.say(home.ann, home.kitchen, f"Hello {home.server.bot.mention}")
        await home.server.say(
            home.bob, home.kitchen, "and?", reply_to=first, attachments=[Attachment("a.ogg", "audio/ogg", voice=True)]
        )
        await home.server.say(home.ann, home.dm, "psst")
        await client.until("message", 3)
    hello, reply, secret = client.heard
    assert client.user in hello.mentions
    assert hello.author.display_name == "Ann"
    assert reply.author.display_name == "Bobby"
    assert reply.type is discord.MessageType.reply
    assert reply.reference is not None
    assert reply.reference.message_id == hello.id
    assert isinstance(reply.reference.resolved, discord.Message)
    assert reply.reference.resolved.author.id == home.ann.id
    assert reply.flags.voice
    assert reply.attachments[0].is_voice_message()
    assert isinstance(secret.channel, discord.DMChannel)
    assert secret.guild is None


async def test_without_the_intent_a_channel_s_words_are_hidden_unless_they_name_the_bot(home: Home) -> None:
    intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=True)
    async with running(home.server, Listener(intents)) as client:
        await home.server.say(home.ann, home.kitchen, "not for you")
        await home.server.say(home.ann, home.kitchen, f"{home.server.bot.mention} for you")
        await home.server.say(home.ann, home.dm, "in private")
        await client.until("message", 3)
    assert client.texts == ["", f"{home.server.bot.mention} for you", "in private"]


async def test_threads_are_known_and_their_messages_come(home: Home) -> None:
    old = await home.server.add_thread(home.kitchen, "recipes")
    async with running(home.server, Listener()) as client:
        new = await home.server.add_thread(home.kitchen, "cleaning")
        await home.server.say(home.ann, old, "soup?")
        await home.server.say(home.ann, new, "mop?")
        await client.until("message", 2)
    for message in client.heard:
        assert isinstance(message.channel, discord.Thread)
        assert message.channel.parent_id == home.kitchen.id


async def test_edits_and_deletions_come(home: Home) -> None:
    server = home.server
    async with running(server, Listener()) as client:
        said = [await server.say(home.ann, home.kitchen, text) for text in ("one", "two", "three")]
        await server.edit(said[0], "uno")
        await server.unfurl(said[0])
        await server.delete(said[0])
        await server.delete(said[1], said[2])
        await client.until("delete", 2)
    assert [event.message.content for event in client.edited] == ["uno", "uno"]
    assert client.deleted == [message.id for message in said]
    assert server.messages(home.kitchen) == []


async def test_what_a_client_sends_edits_and_deletes_is_seen(home: Home) -> None:
    server = home.server
    async with running(server, Listener()) as client:
        said = await server.say(home.ann, home.kitchen, "Hello?")
        await client.until("message")
        heard = client.heard[0]
        async with heard.channel.typing():
            sent = await heard.reply("Hel", mention_author=False)
        await sent.edit(content="Hello!")
        shown = await server.wait_for_reply(said, "Hello!")
        assert shown.edits == ["Hel"]
        assert shown.pinged == ()
        assert server.world.typed == [home.kitchen.id]
        await sent.delete()
        assert server.replies(home.kitchen) == []
        with pytest.raises(discord.NotFound) as gone:
            await sent.edit(content="Hello?")
        assert gone.value.code == 10008


async def test_a_ping_reaches_only_whom_allowed_mentions_lets_through(home: Home) -> None:
    async with running(home.server, Listener()) as client:
        channel = client.get_partial_messageable(home.kitchen.id)
        text = f"@everyone {home.bob.mention}"
        await channel.send(text, allowed_mentions=discord.AllowedMentions.none())
        await channel.send(text)
    quiet, loud = home.server.replies(home.kitchen)
    assert (quiet.pinged, quiet.everyone) == ((), False)
    assert (loud.pinged, loud.everyone) == ((home.bob,), True)


async def test_the_same_nonce_is_one_message(home: Home) -> None:
    async with running(home.server, Listener()) as client:
        channel = client.get_partial_messageable(home.kitchen.id)
        first = await channel.send("once", nonce="n1")
        again = await channel.send("once", nonce="n1")
        other = await channel.send("once", nonce="n2")
        with pytest.raises(discord.HTTPException, match="nonce"):
            await channel.send("once", nonce="n" * 26)
    assert first.id == again.id != other.id
    assert len(home.server.replies(home.kitchen)) == 2


async def test_a_nonce_holds_for_some_minutes(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(home.server, Listener()) as client:
        channel = client.get_partial_messageable(home.kitchen.id)
        first = await channel.send("once", nonce="n1")
        moment = home.server.world.now()
        monkeypatch.setattr(home.server.world, "now", lambda: moment + timedelta(minutes=3))
        assert (await channel.send("once", nonce="n1")).id != first.id


async def test_a_session_that_nobody_goes_on_with_is_forgotten(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    gateway = home.server.gateway
    async with running(home.server, Listener()):
        [left] = gateway.sessions
    async with running(home.server, Listener()):
        assert left in gateway.sessions
    monkeypatch.setattr("tests.platform.discord_server.gateway.RESUMABLE_S", 0.0)
    async with running(home.server, Listener()):
        assert left not in gateway.sessions


@pytest.mark.parametrize(
    ("text", "code"), [("x" * 2001, 50035), ("  ", 50006)], ids=["2001 characters", "nothing but spaces"]
)
async def test_what_discord_does_not_take_is_refused(home: Home, text: str, code: int) -> None:
    async with running(home.server, Listener()) as client:
        with pytest.raises(discord.HTTPException) as refused:
            await client.get_partial_messageable(home.kitchen.id).send(text)
        assert refused.value.code == code


async def test_closed_dms_hidden_channels_and_lost_ones_are_told_apart(home: Home) -> None:
    attic = home.server.add_channel(home.guild, "attic", readable=False)
    home.ann.takes_dms = False
    async with running(home.server, Listener()) as client:
        ann = await client.fetch_user(home.ann.id)
        with pytest.raises(discord.Forbidden) as closed:
            await ann.send("Hello")
        with pytest.raises(discord.Forbidden) as hidden:
            await client.get_partial_messageable(attic.id).send("Hello")
        with pytest.raises(discord.NotFound) as lost:
            await client.get_partial_messageable(12345).send("Hello")
    assert (closed.value.code, hidden.value.code, lost.value.code) == (50007, 50001, 10003)


async def test_the_history_is_read_from_any_point(home: Home) -> None:
    start = datetime.now(UTC) - timedelta(hours=1)
    for number in range(120):
        await home.server.say(home.ann, home.kitchen, str(number), at=start + timedelta(seconds=number))
    async with running(home.server, Listener()) as client:
        channel = client.get_channel(home.kitchen.id)
        assert isinstance(channel, discord.TextChannel)
        since = start + timedelta(seconds=9.5)
        later = [one.content async for one in channel.history(after=since, oldest_first=True, limit=None)]
        assert later == [str(number) for number in range(10, 120)]
        assert [one.content async for one in channel.history(limit=2)] == ["119", "118"]
        assert channel.last_message_id == home.server.messages(home.kitchen)[-1].id


async def test_a_broken_connection_is_resumed_and_nothing_is_missed(home: Home) -> None:
    server = home.server
    async with running(server, Listener()) as client:
        await server.say(home.ann, home.kitchen, "before")
        server.gateway.abort()
        await server.say(home.ann, home.kitchen, "meanwhile")
        await client.until("resumed")
        await server.say(home.ann, home.kitchen, "after")
        await client.until("message", 3)
    assert client.texts == ["before", "meanwhile", "after"]
    assert (server.gateway.identified, server.gateway.resumed) == (1, 1)


@pytest.mark.parametrize("code", [4000, 4007, 4009, 7], ids=str)
async def test_after_a_close_the_session_is_resumed(home: Home, code: int) -> None:
    server = home.server
    async with running(server, Listener()) as client:
        async with server.gateway.held():
            await (server.gateway.reconnect() if code == 7 else server.gateway.close(code))
            await server.say(home.ann, home.kitchen, "meanwhile")
        await client.until("resumed")
        await client.until("message")
    assert client.texts == ["meanwhile"]
    assert server.gateway.identified == 1


@pytest.mark.parametrize("how", ["op 9", "a forgotten session"])
async def test_a_new_session_does_not_bring_what_was_missed(home: Home, how: str) -> None:
    server = home.server
    async with running(server, Listener()) as client:
        async with server.gateway.held():
            await (server.gateway.invalid_session() if how == "op 9" else server.gateway.close(4009, forget=True))
            missed = await server.say(home.ann, home.kitchen, "meanwhile")
        await client.until("ready", 2)
        await server.say(home.ann, home.kitchen, "after")
        await client.until("message")
        assert client.texts == ["after"]
        channel = client.get_channel(home.kitchen.id)
        assert isinstance(channel, discord.TextChannel)
        assert missed.id in [one.id async for one in channel.history()]
    assert (server.gateway.identified, server.gateway.resumed) == (2, 0)


async def test_an_event_can_come_twice(home: Home) -> None:
    async with running(home.server, Listener()) as client:
        home.server.faults.duplicate_dispatch("MESSAGE_CREATE")
        await home.server.say(home.ann, home.kitchen, "twice")
        await home.server.say(home.ann, home.kitchen, "once")
        await client.until("message", 3)
    assert client.texts == ["twice", "twice", "once"]


@pytest.mark.parametrize(
    ("fault", "arrives", "raises"),
    [
        (Fault.RATE_LIMITED, 1, None),
        (Fault.BAD_GATEWAY, 1, None),
        (Fault.SLOW, 1, None),
        (Fault.DROP_BEFORE, 0, aiohttp.ClientError),
        (Fault.DROP_AFTER, 1, aiohttp.ClientError),
    ],
)
async def test_faults_do_to_a_send_what_was_measured(
    home: Home, fault: Fault, arrives: int, raises: type[Exception] | None
) -> None:
    async with running(home.server, Listener()) as client:
        home.server.faults.next("POST", r"/channels/\d+/messages", fault)
        channel = client.get_partial_messageable(home.kitchen.id)
        if raises is None:
            await channel.send("Hello")
        else:
            with pytest.raises(raises):
                await channel.send("Hello")
    assert [one.content for one in home.server.replies(home.kitchen)] == ["Hello"] * arrives


async def test_what_is_held_goes_on_when_it_is_released(home: Home) -> None:
    async with running(home.server, Listener()) as client, asyncio.TaskGroup() as tasks:
        before = home.server.faults.next("POST", r"/channels/\d+/messages", Fault.HOLD_BEFORE)
        sending = tasks.create_task(client.get_partial_messageable(home.kitchen.id).send("Hello"))
        await before.reached.wait()
        assert home.server.replies(home.kitchen) == []
        before.release.set()
        await sending
    assert len(home.server.replies(home.kitchen)) == 1


async def test_a_server_that_was_down_is_found_again_and_the_session_goes_on(home: Home) -> None:
    server = home.server
    async with running(server, Listener()) as client:
        async with server.api_down():
            async with aiohttp.ClientSession() as session:
                with pytest.raises(aiohttp.ClientConnectorError):
                    await session.get(server.api_url + "/users/@me")
            await server.say(home.ann, home.kitchen, "meanwhile")
        await client.until("message")
    assert client.texts == ["meanwhile"]
