"""Consent, forgetting and exports with the whole core, as people see them on our Discord and our Telegram."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.discord.reading import PLATFORM as DISCORD
from adapters.telegram.adapter import TelegramAdapter
from adapters.telegram.reading import PLATFORM as TELEGRAM
from bot.app.app import App, open_app
from bot.clock import SystemClock
from bot.config import load_settings
from bot.domain import ChannelMode, Place, PlaceKind
from bot.llm.scripted import ScriptedChatModel, ScriptedEncoder
from bot.ports import Adapter
from bot.texts import meeting
from bot.texts import platforms as texts
from tests.living import FirstPersonGate, WordTopics
from tests.platform.discord_client import Home
from tests.platform.discord_server import Message
from tests.platform.telegram_server import Chat, TelegramServer, User
from tests.platform.test_discord_faults import QuickAdapter

pytestmark = [
    pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning"),
]
SECRET = "I work as a beekeeper."
WISH = "Please forget what I told you about bees."
REPLY = "Oh, how nice."


@asynccontextmanager
async def serving(folder: Path, tokens: Mapping[str, str], **settings: object) -> AsyncIterator[App]:
    """The whole program on one platform, asking for consent."""
    chosen = load_settings(
        None,
        tokens,
        storage__data_dir=str(folder),
        memory__summariser="extractive",
        persona__extractor="extractive",
        privacy__erase_after_s=0,
        **settings,
    )
    clock, stop = SystemClock(), asyncio.Event()
    kind = QuickAdapter if "DISCORD_TOKEN" in tokens else TelegramAdapter
    adapter: Adapter = kind(chosen, clock)
    async with open_app(
        chosen,
        clock=clock,
        messengers={adapter.platform: adapter.messenger},
        model=ScriptedChatModel(REPLY),
        encoder=ScriptedEncoder(),
        topics=WordTopics(),
        gate=FirstPersonGate(),
    ) as app:
        await app.prepare()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(app.serve([adapter], stop=stop), name="the program")
            try:
                yield app
            finally:
                stop.set()


@pytest.fixture
async def on_discord(home: Home, tmp_path: Path) -> AsyncIterator[tuple[Home, App]]:
    """The program on Discord, listening."""
    server = home.server
    urls = {"discord__api_url": server.api_url, "discord__gateway_url": server.gateway_url, "discord__stream": False}
    async with serving(tmp_path, {"DISCORD_TOKEN": server.token}, **urls) as app:
        await server.until_connected()
        await server.until(lambda: server.world.commands)
        yield home, app


@pytest.fixture
async def on_telegram(
    telegram_server: TelegramServer, tmp_path: Path
) -> AsyncIterator[tuple[TelegramServer, App, User, User, Chat]]:
    """The program on Telegram, polling; Ann, Bob and their group."""
    world = telegram_server.world
    ann, bob = world.add_user("Ann"), world.add_user("Bob")
    group = world.add_group("Home", [ann, bob], admins=[ann])
    options = {"telegram__api_url": telegram_server.base_url, "telegram__stream": False}
    async with serving(tmp_path, {"TELEGRAM_TOKEN": telegram_server.token}, **options) as app:
        await world.until(lambda: telegram_server.count("getUpdates") > 0)
        yield telegram_server, app, ann, bob, group


async def kept(app: App, platform: str, person: int) -> list[str]:
    """What is stored of somebody's DM."""
    return [said.text for said in await app.recent(Place(platform, PlaceKind.DM, str(person)), 100)]


async def test_discord_asks_at_first_contact_exports_and_forgets(on_discord: tuple[Home, App]) -> None:
    home, app = on_discord
    server = home.server
    await server.say(home.ann, home.dm, SECRET)
    await server.until(lambda: len(server.replies(home.dm)) == 2 or None)
    asked, reply = server.replies(home.dm)
    assert ("I am a machine" in asked.content, reply.content) == (True, REPLY)
    await server.answer(await server.press(home.ann, asked, meeting.YES))
    await server.until(lambda: asked.edits)
    assert meeting.YES not in asked.buttons

    exported = await server.slash(home.ann, home.kitchen, "memory export")
    await server.until(lambda: exported.followups)
    [followup] = exported.followups
    assert followup.shown_to is home.ann
    data = next(file.content for file in followup.attachments if file.name.endswith(".json"))
    assert SECRET in json.dumps(json.loads(data))
    assert len(followup.attachments) == 2

    forgetting = await server.slash(home.ann, home.kitchen, "memory forget", {"what": "everything"})
    preview = await server.answer(forgetting)
    assert preview.shown_to is home.ann
    assert server.messages(home.kitchen) == []
    assert SECRET in await kept(app, DISCORD, home.ann.id)
    confirm = next(label for label, call in preview.buttons.items() if "yes" in call.split("|"))
    with pytest.raises(LookupError):
        await server.press(home.bob, preview, confirm)
    await server.answer(await server.press(home.ann, preview, confirm))
    await server.until(lambda: preview.edits[1:] or None)
    await app.idle()
    assert SECRET not in await kept(app, DISCORD, home.ann.id)
    assert server.messages(home.kitchen) == []


async def test_on_discord_a_wish_in_a_channel_shows_its_preview_to_whoever_presses_alone(
    on_discord: tuple[Home, App],
) -> None:
    home, _ = on_discord
    server = home.server
    hello = await server.wait_for_reply(await server.say(home.bob, home.kitchen, f"{server.bot.mention} hello"))
    wish = await server.say(home.ann, home.kitchen, WISH, reply_to=hello)
    offered: Message = await server.wait_for_reply(wish)
    assert offered.content == meeting.WISH_IN_CHANNEL
    for person in (home.bob, home.ann):
        answer = await server.answer(await server.press(person, offered, meeting.SHOW_ME))
        assert answer.shown_to is person
    assert (offered.content, list(offered.buttons), offered.edits) == (meeting.WISH_IN_CHANNEL, [meeting.SHOW_ME], [])
    assert server.replies(home.kitchen) == [hello, offered]


async def test_what_was_said_in_a_deleted_channel_is_forgotten(on_discord: tuple[Home, App]) -> None:
    home, app = on_discord
    server = home.server
    there = Place(DISCORD, PlaceKind.CHANNEL, f"{home.guild.id}/{home.kitchen.id}")
    said = await server.say(home.ann, home.kitchen, f"{server.bot.mention} {SECRET}")
    await server.wait_for_reply(said)
    await app.idle()
    assert any(SECRET in one.text for one in await app.recent(there, 10))
    await server.delete_channel(home.kitchen)
    async with asyncio.timeout(60):
        while any(SECRET in one.text for one in await app.recent(there, 10)):  # noqa: ASYNC110  # nobody tells of it
            await asyncio.sleep(0.02)


async def test_telegram_asks_at_first_contact_exports_and_forgets(
    on_telegram: tuple[TelegramServer, App, User, User, Chat],
) -> None:
    server, app, ann, _, group = on_telegram
    world = server.world
    world.say(ann, ann, SECRET)
    asked, reply = await world.reply(ann), await world.reply(ann)
    assert ("I am a machine" in asked.text, reply.text) == (True, REPLY)
    world.press(ann, asked, meeting.YES)
    await world.until(lambda: bool(asked.earlier))
    assert meeting.YES not in asked.buttons

    world.say(ann, group, "/memory export")
    await world.until(lambda: len(world.uploads(ann)) == 2)
    data = next(file.content for file in world.uploads(ann) if file.name.endswith(".json"))
    assert SECRET in json.dumps(json.loads(data))
    await world.reply(ann)

    world.say(ann, group, "/memory forget everything")
    await world.until(lambda: bool(world.messages(ann)[-1].buttons))
    preview = world.messages(ann)[-1]
    assert SECRET in await kept(app, TELEGRAM, ann.id)
    world.press(ann, preview, preview.buttons[0])
    await world.until(lambda: bool(preview.earlier))
    await app.idle()
    assert SECRET not in await kept(app, TELEGRAM, ann.id)
    assert set(world.said(group)) == {texts.ANSWERED_IN_PRIVATE}


async def test_on_telegram_a_wish_in_a_group_shows_its_preview_to_whoever_presses_alone(
    on_telegram: tuple[TelegramServer, App, User, User, Chat],
) -> None:
    server, _, ann, bob, group = on_telegram
    world = server.world
    world.say(bob, group, "@monica_bot hello")
    hello = await world.reply(group)
    world.say(ann, group, WISH, reply_to=hello)
    offered = await world.reply(group)
    assert offered.text == meeting.WISH_IN_CHANNEL
    for person in (bob, ann):
        world.press(person, offered, meeting.SHOW_ME)
        assert (await world.reply(person)).text != ""
    assert (offered.text, offered.buttons, offered.earlier) == (meeting.WISH_IN_CHANNEL, [meeting.SHOW_ME], [])
    await world.until(lambda: len(world.said(group)) == 4)
    assert world.said(group)[2:] == [texts.ANSWERED_IN_PRIVATE] * 2


async def test_a_group_that_gets_another_id_keeps_what_was_chosen_and_said(
    telegram_server: TelegramServer, tmp_path: Path
) -> None:
    world = telegram_server.world
    ann, bob = world.add_user("Ann"), world.add_user("Bob")
    group = world.add_group("Home", [ann, bob], admins=[ann], kind="group")
    options = {"telegram__api_url": telegram_server.base_url, "telegram__stream": False}
    async with serving(tmp_path, {"TELEGRAM_TOKEN": telegram_server.token}, **options) as app:
        await world.until(lambda: telegram_server.count("getUpdates") > 0)
        world.say(ann, group, "/channel mode open")
        await world.reply(group)
        world.say(bob, group, "/privacy channel out")
        await world.reply(bob)
        world.say(ann, group, f"@monica_bot {SECRET}")
        await world.until(lambda: REPLY in world.said(group))
        await app.idle()
        old = Place(TELEGRAM, PlaceKind.CHANNEL, f"{group.id}/0")
        assert await app.end_session(old)
        await app.background.drain()
        upgraded = world.upgrade(group)
        new = Place(TELEGRAM, PlaceKind.CHANNEL, f"{upgraded.id}/0")
        world.say(bob, upgraded, "@monica_bot I keep bees, too.")
        world.say(ann, upgraded, "@monica_bot where do I work as a beekeeper?")
        await world.until(lambda: REPLY in world.said(upgraded))
        await app.idle()
        assert await app.stores.channels.mode(new) is ChannelMode.OPEN
        assert {said.speaker.name for said in await app.recent(new, 20)} == {"Ann", "Monica"}
        assert [event.place for event in await app.stores.events.readable_in(new)] == [new]
        assert await app.stores.events.readable_in(old) == await app.stores.events.unindexed(9) == []
        assert isinstance(app.engines.model, ScriptedChatModel)
        assert SECRET in str(app.engines.model.requests[-1].messages)
