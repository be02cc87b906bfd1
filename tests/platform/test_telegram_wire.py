"""Our Telegram is one that python-telegram-bot takes for the real one, faults included."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from telegram import (
    Bot,
    BotCommand,
    BotCommandScopeChat,
    ChatMemberAdministrator,
    ChatMemberOwner,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    MessageEntity,
    Update,
)
from telegram.error import BadRequest, Conflict, Forbidden, InvalidToken, NetworkError, RetryAfter, TelegramError
from telegram.ext import Application, ContextTypes, TypeHandler

from tests.platform.telegram_server import TOKEN, Fault, TelegramServer, World, open_telegram

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")

NOW = 1_795_000_000.0
KEYBOARD = InlineKeyboardMarkup(
    [[InlineKeyboardButton("Yes", callback_data="y"), InlineKeyboardButton("No", url="t.me")]]
)


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramServer]:
    async with open_telegram(now=lambda: NOW) as server:
        yield server


@pytest.fixture
async def bot(telegram: TelegramServer) -> AsyncIterator[Bot]:
    async with Bot(TOKEN, base_url=telegram.base_url) as bot:
        yield bot


@dataclass
class Heard:
    """What a polling application was given, and the errors of its polling."""

    updates: list[Update] = field(default_factory=list)
    errors: list[TelegramError] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not true():
                self.changed.clear()
                await self.changed.wait()

    async def update(self, update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
        self.updates.append(update)
        self.changed.set()

    def error(self, error: TelegramError) -> None:
        self.errors.append(error)
        self.changed.set()


@asynccontextmanager
async def polling(telegram: TelegramServer) -> AsyncIterator[Heard]:
    """A bot of nothing but python-telegram-bot that keeps what it hears."""
    heard = Heard()
    app = Application.builder().token(TOKEN).base_url(telegram.base_url).job_queue(None).build()
    app.add_handler(TypeHandler(Update, heard.update))
    async with app:
        await app.start()
        assert app.updater is not None
        await app.updater.start_polling(error_callback=heard.error, allowed_updates=Update.ALL_TYPES)
        try:
            yield heard
        finally:
            if app.updater.running:
                await app.updater.stop()
            await app.stop()


async def test_the_library_starts_hears_and_answers(telegram: TelegramServer) -> None:
    ann = telegram.world.add_user("Ann", username="ann_b")
    async with polling(telegram) as heard:
        telegram.world.say(ann, ann, "/start now 😀 @monica_bot")
        await heard.until(lambda: bool(heard.updates))
        message = heard.updates[0].message
        assert message is not None
        assert (message.text, message.chat.type, message.chat_id) == ("/start now 😀 @monica_bot", "private", ann.id)
        assert message.date.timestamp() == NOW
        assert message.from_user is not None
        assert (message.from_user.full_name, message.from_user.username) == ("Ann", "ann_b")
        assert message.parse_entities() == {
            message.entities[0]: "/start",
            message.entities[1]: "@monica_bot",
        }
        sent = await message.reply_text("Hello Ann", do_quote=True)
        assert sent.from_user is not None
        assert sent.from_user.is_bot
        assert sent.reply_to_message is not None
        assert sent.reply_to_message.message_id == message.message_id
    assert (await telegram.world.reply(ann)).text == "Hello Ann"
    assert telegram.world.updates == type(telegram.world.updates)()


async def test_a_wrong_token_is_refused(telegram: TelegramServer) -> None:
    with pytest.raises(InvalidToken):
        async with Bot("8000000001:wrong", base_url=telegram.base_url):
            pass


async def test_an_unknown_method_is_not_found(bot: Bot) -> None:
    with pytest.raises(TelegramError, match="Not Found"):
        await bot.log_out()


async def test_a_second_poller_ends_the_first(telegram: TelegramServer, bot: Bot) -> None:
    first = asyncio.get_running_loop().create_task(bot.get_updates(timeout=20))  # Owned by this test.
    await telegram.world.until(lambda: telegram.count("getUpdates") == 1)
    async with Bot(TOKEN, base_url=telegram.base_url) as second:
        assert await second.get_updates(timeout=0) == ()
    with pytest.raises(Conflict, match="terminated by other getUpdates request"):
        await first


async def test_updates_are_given_until_they_are_confirmed(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    for text in ("one", "two", "three"):
        telegram.world.say(ann, ann, text)
    first = await bot.get_updates(limit=2)
    assert [update.message.text for update in first if update.message] == ["one", "two"]
    assert [update.update_id for update in await bot.get_updates(limit=2)] == [update.update_id for update in first]
    rest = await bot.get_updates(offset=first[-1].update_id + 1)
    assert [update.message.text for update in rest if update.message] == ["three"]
    assert await bot.get_updates(offset=rest[-1].update_id + 1, timeout=0) == ()


async def test_polling_waits_for_what_comes(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    poll = asyncio.get_running_loop().create_task(bot.get_updates(timeout=20))  # Owned by this test.
    await telegram.world.until(lambda: telegram.count("getUpdates") == 1)
    telegram.world.say(ann, ann, "hello")
    assert len(await poll) == 1


async def test_only_what_is_wanted_is_delivered(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    await bot.get_updates(allowed_updates=["edited_message"])
    said = telegram.world.say(ann, ann, "helo")
    telegram.world.edit(said, "hello")
    updates = await bot.get_updates()
    assert [(update.message, update.edited_message and update.edited_message.text) for update in updates] == [
        (None, "hello")
    ]


async def test_a_restart_may_drop_what_waits(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    telegram.world.say(ann, ann, "hello")
    await bot.delete_webhook(drop_pending_updates=True)
    assert await bot.get_updates() == ()


async def test_what_is_no_text_is_understood(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    telegram.world.photo(ann, ann, "the beach")
    telegram.world.voice(ann, ann)
    telegram.world.sticker(ann, ann, "🎉")
    photo, voice, sticker = [update.message for update in await bot.get_updates()]
    assert photo is not None
    assert (photo.caption, photo.text, photo.photo[0].width) == ("the beach", None, 90)
    assert voice is not None
    assert voice.voice is not None
    assert sticker is not None
    assert sticker.sticker is not None
    assert sticker.sticker.emoji == "🎉"


def _long(world: World) -> dict[str, Any]:
    return {"chat_id": world.add_user("Ann").id, "text": "😀" * 2049}


def _blocked(world: World) -> dict[str, Any]:
    ann = world.add_user("Ann")
    world.block(ann)
    return {"chat_id": ann.id, "text": "Hello"}


def _kicked(world: World) -> dict[str, Any]:
    ann = world.add_user("Ann")
    group = world.add_group("Home", [ann], admins=[ann])
    world.kick(group, ann)
    return {"chat_id": group.id, "text": "Hello"}


def _link(url: str) -> Callable[[World], dict[str, Any]]:
    return _entity(0, 1, "text_link", url=url)


def _entity(offset: int, length: int, kind: str = "bold", **more: Any) -> Callable[[World], dict[str, Any]]:
    def asked(world: World) -> dict[str, Any]:
        return {
            "chat_id": world.add_user("Ann").id,
            "text": "a😀b",
            "entities": [MessageEntity(kind, offset, length, **more)],
        }

    return asked


def _to_ann(**more: Any) -> Callable[[World], dict[str, Any]]:
    return lambda world: {"chat_id": world.add_user("Ann").id, "text": "Hello"} | more


TOO_LONG_DATA = InlineKeyboardMarkup([[InlineKeyboardButton("Yes", callback_data="ü" * 33)]])


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        (_long, BadRequest, "Message is too long"),
        (_to_ann(text=" \n"), BadRequest, "Text must be non-empty"),
        (_to_ann(text=""), BadRequest, "Message text is empty"),
        (_to_ann(chat_id=5), BadRequest, "Chat not found"),
        (_to_ann(reply_to_message_id=77), BadRequest, "Message to be replied not found"),
        (_to_ann(message_thread_id=77), BadRequest, "Message thread not found"),
        (_to_ann(reply_markup=TOO_LONG_DATA), BadRequest, "Button_data_invalid"),
        (_to_ann(parse_mode="HTML"), BadRequest, "Can't parse entities"),
        (_entity(2, 1), BadRequest, "Entity begins in a middle of a UTF-16 symbol at byte offset 1"),
        (_entity(0, 2), BadRequest, "Entity beginning at UTF-16 offset 0 ends in a middle of a UTF-16 symbol"),
        (_entity(1, 4), BadRequest, "Entity beginning at UTF-16 offset 1 ends after the end of the text"),
        (_entity(0, 1, "large"), BadRequest, "Can't parse MessageEntity: Unsupported type"),
        (_link("nodot"), BadRequest, "Entity URL 'nodot' is invalid: Wrong HTTP URL"),
        (_link("ftp://example.org"), BadRequest, "Entity URL 'ftp://example.org' is invalid: Unsupported URL protocol"),
        (_blocked, Forbidden, "bot was blocked by the user"),
        (
            lambda world: {"chat_id": world.add_user("Ann", started=False).id, "text": "Hi"},
            Forbidden,
            "bot can't initiate conversation with a user",
        ),
        (_kicked, Forbidden, "bot was kicked from the supergroup chat"),
    ],
)
async def test_refusals_are_in_telegrams_words(
    telegram: TelegramServer,
    bot: Bot,
    asked: Callable[[World], dict[str, Any]],
    error: type[TelegramError],
    says: str,
) -> None:
    with pytest.raises(error, match=f"(?i){says}"):
        await bot.send_message(**asked(telegram.world))
    assert not any(telegram.world.said(chat) for chat in telegram.world.chats.values())


@pytest.mark.parametrize("url", ["https://example.org/a?b#c", "example.org", "tg://user?id=5", "http://127.0.0.1:80/"])
async def test_a_link_that_telegram_opens_is_sent(telegram: TelegramServer, bot: Bot, url: str) -> None:
    assert (await bot.send_message(**_link(url)(telegram.world))).entities[0].url == url


async def test_what_just_fits_is_sent(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    await bot.send_message(ann.id, "😀" * 2048)
    bold = [MessageEntity("bold", 2, 3), MessageEntity("italic", 3, 2), MessageEntity("code", 5, 1)]
    sent = await bot.send_message(ann.id, " \na😀bc \n", entities=bold, reply_to_message_id=1)
    assert sent.text == "a😀bc"
    assert [(entity.type, entity.offset, entity.length) for entity in sent.entities] == [
        ("bold", 0, 3),
        ("italic", 1, 2),
        ("code", 3, 1),
    ]
    assert (await bot.send_message(ann.id, "Hi", reply_to_message_id=99, allow_sending_without_reply=True)).message_id
    assert [message.id for message in telegram.world.messages(ann)] == [1, 2, 3]


async def test_an_edit_is_seen_and_the_same_text_again_is_refused(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    sent = await bot.send_message(ann.id, "one", reply_markup=KEYBOARD)
    with pytest.raises(BadRequest, match="Message is not modified"):
        await sent.edit_text("one", reply_markup=KEYBOARD)
    await sent.edit_text("one two")
    with pytest.raises(BadRequest, match="Message is not modified"):
        await sent.edit_text("one two")
    with pytest.raises(BadRequest, match="Message to edit not found"):
        await bot.edit_message_text("one", ann.id, 99)
    theirs = telegram.world.say(ann, ann, "mine")
    with pytest.raises(BadRequest, match="Message can't be edited"):
        await bot.edit_message_text("yours", ann.id, theirs.id)
    shown = telegram.world.messages(ann)[0]
    assert (shown.text, shown.earlier, shown.buttons) == ("one two", ["one"], [])
    await sent.delete()
    assert telegram.world.said(ann) == []
    with pytest.raises(BadRequest, match="Message to delete not found"):
        await sent.delete()


async def test_a_draft_is_shown_until_the_message_comes(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    group = telegram.world.add_group("Home", [ann])
    await bot.send_message_draft(ann.id, 7, "Hel")
    await bot.send_message_draft(ann.id, 7, "Hello")
    assert telegram.world.drafts(ann) == [(7, "Hel"), (7, "Hello")]
    await bot.send_message(ann.id, "Hello you")
    assert telegram.world.drafts(ann) == []
    with pytest.raises(BadRequest):
        await bot.send_message_draft(group.id, 7, "Hel")
    await bot.send_chat_action(group.id, "typing")
    assert telegram.world.actions == [(group.id, "typing")]


async def test_a_pressed_button_is_answered_once(telegram: TelegramServer) -> None:
    ann = telegram.world.add_user("Ann")
    async with polling(telegram) as heard:
        async with Bot(TOKEN, base_url=telegram.base_url) as bot:
            await bot.send_message(ann.id, "Sure?", reply_markup=KEYBOARD)
        press = telegram.world.press(ann, telegram.world.messages(ann)[0], "Yes")
        await heard.until(lambda: bool(heard.updates))
        query = heard.updates[0].callback_query
        assert query is not None
        assert (query.data, query.from_user.id, bool(query.chat_instance)) == ("y", ann.id, True)
        await query.answer("Done", show_alert=True)
        assert (press.answered, press.text, press.alert) == (True, "Done", True)
        with pytest.raises(BadRequest, match="Query is too old"):
            await query.answer()
        with pytest.raises(LookupError):
            telegram.world.press(ann, telegram.world.messages(ann)[0], "Perhaps")
        assert heard.errors == []


async def test_groups_have_members_and_topics(telegram: TelegramServer, bot: Bot) -> None:
    ann, bob = telegram.world.add_user("Ann"), telegram.world.add_user("Bob")
    home = telegram.world.add_group("Home", [ann, bob], admins=[ann, bob], topics=["Food"])
    assert isinstance(await bot.get_chat_member(home.id, ann.id), ChatMemberOwner)
    assert isinstance(await bot.get_chat_member(home.id, bob.id), ChatMemberAdministrator)
    assert (await bot.get_chat_member(home.id, telegram.world.add_user("Eve").id)).status == "left"
    assert {member.user.id for member in await bot.get_chat_administrators(home.id)} == {ann.id, bob.id}
    assert (await bot.get_chat(home.id)).is_forum
    food = home.topic("Food")
    said = telegram.world.say(ann, home, "hello", topic=food)
    telegram.world.say(bob, home, "hi", reply_to=said, topic=food)
    sent = await bot.send_message(home.id, "Hello", message_thread_id=food)
    assert (sent.message_thread_id, sent.is_topic_message) == (food, True)
    first, reply = [update.message for update in await bot.get_updates()]
    assert first is not None
    assert first.reply_to_message is not None
    assert first.reply_to_message.forum_topic_created is not None
    assert first.reply_to_message.forum_topic_created.name == "Food"
    assert reply is not None
    assert reply.reply_to_message is not None
    assert (reply.reply_to_message.text, reply.message_thread_id, reply.chat.title) == ("hello", food, "Home")


async def test_with_privacy_it_sees_only_what_is_meant_for_it(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    home = telegram.world.add_group("Home", [ann])
    telegram.world.privacy = True
    telegram.world.say(ann, home, "just us")
    telegram.world.say(ann, home, "@monica_bot you")
    assert len(await bot.get_updates()) == 1


async def test_the_menu_is_kept_by_scope(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    await bot.set_my_commands([BotCommand("help", "What it can do")])
    await bot.set_my_commands([BotCommand("status", "How it is")], scope=BotCommandScopeChat(ann.id))
    assert [command.command for command in await bot.get_my_commands()] == ["help"]
    assert [command.command for command in await bot.get_my_commands(BotCommandScopeChat(ann.id))] == ["status"]
    with pytest.raises(BadRequest, match=r"(?i)BOT_COMMAND_INVALID"):
        await bot.set_my_commands([BotCommand("Help", "What it can do")])
    await bot.delete_my_commands()
    assert await bot.get_my_commands() == ()


async def test_a_group_that_became_a_supergroup_says_where_it_went(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    small = telegram.world.add_group("Home", [ann], kind="group")
    large = telegram.world.upgrade(small)
    with pytest.raises(TelegramError, match="migrated to supergroup") as raised:
        await bot.send_message(small.id, "Hello")
    assert getattr(raised.value, "new_chat_id", None) == large.id


@pytest.mark.parametrize(
    ("fault", "error", "arrived"),
    [
        (Fault.TOO_MANY, RetryAfter, 0),
        (Fault.BAD_GATEWAY, NetworkError, 0),
        (Fault.DROP_BEFORE, NetworkError, 0),
        (Fault.DROP_AFTER, NetworkError, 1),
    ],
)
async def test_a_send_goes_wrong_once(
    telegram: TelegramServer, bot: Bot, fault: Fault, error: type[TelegramError], arrived: int
) -> None:
    ann = telegram.world.add_user("Ann")
    telegram.faults.next("sendMessage", fault, retry_after=3)
    with pytest.raises(error) as raised:
        await bot.send_message(ann.id, "Hello")
    if isinstance(raised.value, RetryAfter):
        assert str(raised.value) == "Flood control exceeded. Retry in 3 seconds"
    assert len(telegram.world.said(ann)) == arrived
    await bot.send_message(ann.id, "Hello")
    assert len(telegram.world.said(ann)) == arrived + 1
    assert telegram.faults.struck == [("sendMessage", fault)]


async def test_a_slow_answer_comes_when_it_is_let_go(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    telegram.faults.next("sendMessage", Fault.SLOW)
    sending = asyncio.get_running_loop().create_task(bot.send_message(ann.id, "Hello"))  # Owned by this test.
    await telegram.world.reply(ann)
    assert not sending.done()
    telegram.faults.release()
    assert (await sending).text == "Hello"


@pytest.mark.parametrize(
    "fault", [Fault.TOO_MANY, Fault.BAD_GATEWAY, Fault.DROP_BEFORE, Fault.DROP_AFTER, Fault.CONFLICT]
)
async def test_polling_gets_over_a_fault(telegram: TelegramServer, fault: Fault) -> None:
    ann = telegram.world.add_user("Ann")
    telegram.faults.next("getUpdates", fault)
    telegram.world.say(ann, ann, "hello")
    async with polling(telegram) as heard:
        await heard.until(lambda: bool(heard.updates))
        telegram.world.say(ann, ann, "again")
        await heard.until(lambda: len(heard.updates) == 2)
        assert telegram.faults.struck == [("getUpdates", fault)]
        assert len(heard.errors) == (0 if fault is Fault.TOO_MANY else 1)
    assert [update.message.text for update in heard.updates if update.message] == ["hello", "again"]


async def test_a_duplicate_update_is_handled_twice_by_the_library(telegram: TelegramServer) -> None:
    ann = telegram.world.add_user("Ann")
    telegram.faults.next("getUpdates", Fault.DUPLICATE_UPDATE)
    telegram.world.say(ann, ann, "hello")
    async with polling(telegram) as heard:
        await heard.until(lambda: len(heard.updates) == 2)
        assert heard.updates[0].update_id == heard.updates[1].update_id


async def test_an_api_that_is_down_comes_back(telegram: TelegramServer, bot: Bot) -> None:
    ann = telegram.world.add_user("Ann")
    await telegram.go_down()
    for _ in range(2):
        with pytest.raises(NetworkError):
            await bot.send_message(ann.id, "Hello")
    await telegram.come_back()
    await bot.send_message(ann.id, "Hello")
    assert telegram.world.said(ann) == ["Hello"]
