"""Uploads, accounts that are deleted, and servers that come and go: our servers against the plain libraries."""

from __future__ import annotations

import io

import discord
import pytest
from telegram import Bot
from telegram.error import Forbidden, NetworkError

from tests.platform.discord_client import Home, Listener, running
from tests.platform.telegram_server import TOKEN, TelegramServer

pytestmark = [
    pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning"),
]


class Watcher(Listener):
    """Notes what becomes of servers, channels and threads."""

    async def on_guild_join(self, guild: discord.Guild) -> None:
        self.tell(f"joined {guild.name}")

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        self.tell(f"removed from {guild.name}")

    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        self.tell(f"{guild.name} is unavailable")

    async def on_guild_available(self, guild: discord.Guild) -> None:
        self.tell(f"{guild.name} is available")

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        self.tell(f"deleted {channel.name}")

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        self.tell(f"deleted thread {payload.thread_id}")


async def test_discord_takes_files_up_to_its_limit(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.platform.discord_server.rest.LARGEST_FILE", 10)
    async with running(home.server, Listener()) as client:
        channel = client.get_channel(home.kitchen.id)
        assert isinstance(channel, discord.TextChannel)
        sent = await channel.send(files=[discord.File(io.BytesIO(b"0123456789"), "ten.bin")])
        assert [(file.filename, file.size) for file in sent.attachments] == [("ten.bin", 10)]
        with pytest.raises(discord.HTTPException) as raised:
            await channel.send("text", files=[discord.File(io.BytesIO(b"0123456789+"), "eleven.bin")])
        assert (raised.value.status, raised.value.code) == (413, 40005)
    [message] = home.server.replies(home.kitchen)
    assert [(file.name, file.content) for file in message.attachments] == [("ten.bin", b"0123456789")]


async def test_discord_tells_of_servers_and_channels_that_come_and_go(home: Home) -> None:
    server = home.server
    thread = await server.add_thread(home.kitchen, "soup")
    async with running(server, Watcher()) as client:
        away = server.add_guild("Away", home.bob)
        await server.invite(away)
        await server.outage(home.guild)
        await server.remove_bot(away)
        await server.delete_channel(home.kitchen)
        await client.until(f"deleted thread {thread.id}")
        assert [one for one in client.happened if one not in {"ready", "Home is available"}] == [
            "joined Away",
            "Home is unavailable",
            "removed from Away",
            "deleted kitchen",
            f"deleted thread {thread.id}",
        ]


async def test_discord_knows_a_person_no_more(home: Home) -> None:
    home.server.delete_account(home.bob, known=False)
    async with running(home.server, Listener()) as client:
        with pytest.raises(discord.NotFound) as raised:
            await client.create_dm(discord.Object(home.bob.id))
        assert raised.value.code == 10013


async def test_telegram_takes_files_up_to_its_limit(
    telegram_server: TelegramServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.platform.telegram_server.methods.LARGEST_FILE", 10)
    ann = telegram_server.world.add_user("Ann")
    async with Bot(TOKEN, base_url=telegram_server.base_url) as bot:
        sent = await bot.send_document(ann.id, b"0123456789", filename="ten.bin")
        assert sent.document is not None
        assert (sent.document.file_name, sent.document.file_size) == ("ten.bin", 10)
        with pytest.raises(NetworkError, match="Request Entity Too Large"):
            await bot.send_document(ann.id, b"0123456789+", filename="eleven.bin")
        ann.deactivated = True
        with pytest.raises(Forbidden, match="user is deactivated"):
            await bot.send_message(ann.id, "Hello")
    assert [(file.name, file.content) for file in telegram_server.world.uploads(ann)] == [("ten.bin", b"0123456789")]
