"""What is said on Telegram reaches the core once, and is confirmed only when it has been stored."""

import asyncio
import json
import logging

import pytest
from structlog.testing import capture_logs

from adapters.telegram import adapter, hearing, polling
from adapters.telegram.adapter import TelegramAdapter
from adapters.telegram.menu import menu
from bot.clock import SystemClock
from bot.config import load_settings
from bot.errors import AdapterStopped
from bot.texts.menu import HELPS
from tests.adapters.telegram.world import Ear, running
from tests.platform.telegram_server import Fault, TelegramServer, open_telegram

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")


def unconfirmed(telegram: TelegramServer) -> int:
    """Updates that Telegram would tell a new process."""
    return len(telegram.world.updates)


async def test_what_is_said_is_heard_in_order_and_confirmed() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        for number in range(5):
            here.world.say(ann, ann, f"number {number}")
        heard = await here.heard(5)
        await here.world.until(lambda: unconfirmed(here.telegram) == 0)
        assert [said.text for said in heard] == [f"number {number}" for number in range(5)]
        assert here.ear.connections == 1


async def test_what_cannot_be_stored_is_not_confirmed_and_comes_again() -> None:
    async with running(Ear(failing=2)) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "first")
        here.world.say(ann, ann, "second")
        assert [said.text for said in await here.heard(2)] == ["first", "second"]
        assert here.ear.failing == 0


async def test_what_is_not_stored_when_it_stops_waits_for_the_next_start() -> None:
    ear = Ear(hold=asyncio.Event())
    async with open_telegram() as telegram:
        ann = telegram.world.add_user("Ann")
        async with running(ear, telegram=telegram) as here:
            here.world.say(ann, ann, "Hello")
            await ear.happened.wait()
        assert unconfirmed(telegram) == 1
        async with running(telegram=telegram) as here:
            assert [said.text for said in await here.heard(1)] == ["Hello"]


async def test_what_is_stored_when_it_stops_is_confirmed() -> None:
    ear = Ear(hold=asyncio.Event())
    async with open_telegram() as telegram:
        ann = telegram.world.add_user("Ann")
        async with running(ear, telegram=telegram) as here:
            here.world.say(ann, ann, "Hello")
            await ear.happened.wait()
            telegram.faults.next("getUpdates", Fault.DROP_BEFORE, times=2)
            assert ear.hold is not None
            ear.hold.set()
            await telegram.world.until(lambda: bool(telegram.faults.struck))
            telegram.faults.waiting.clear()
        assert unconfirmed(telegram) == 0
        assert len(ear.heard) == 1


async def test_an_edit_corrects_the_message_of_its_chat() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        said = here.world.say(ann, ann, "I live in Rome")
        here.world.edit(said, "I live in Paris")
        await here.ear.until(lambda: bool(here.ear.edits))
        assert here.ear.edits == [(f"{ann.id}/{said.id}", "I live in Paris")]
        assert [heard.message_id for heard in here.ear.heard] == [f"{ann.id}/{said.id}"]


async def test_messages_of_the_same_number_in_two_chats_are_two() -> None:
    async with running() as here:
        ann, bob = here.world.add_user("Ann"), here.world.add_user("Bob")
        assert here.world.say(ann, ann, "Hello").id == here.world.say(bob, bob, "Hello").id
        assert len({said.message_id for said in await here.heard(2)}) == 2


async def test_an_update_that_cannot_be_read_holds_nothing_up(caplog: pytest.LogCaptureFixture) -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        here.world.deliver("message", {"text": "my secret"})
        here.world.say(ann, ann, "Hello")
        assert [said.text for said in await here.heard(1)] == ["Hello"]
        await here.world.until(lambda: unconfirmed(here.telegram) == 0)
    assert not any("my secret" in record.getMessage() for record in caplog.records if record.levelno > logging.DEBUG)


async def test_a_group_that_becomes_a_supergroup_is_told_of_by_both_chats_and_not_heard() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann], kind="group")
        new = here.world.upgrade(group)
        here.world.say(ann, new, "Hello")
        assert [said.place.ref for said in await here.heard(1)] == [f"{new.id}/0"]
    moved = (f"moved telegram:channel:{group.id}/0", f"telegram:channel:{new.id}/0")
    assert here.ear.told == [moved, moved]


async def test_of_a_group_in_whose_topics_something_is_said_it_is_told_once_that_all_read_it() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann], topics=["Cats", "Dogs"])
        for topic in [*group.topics, *group.topics]:
            here.world.say(ann, group, "Hello", topic=topic)
        here.world.say(ann, group, "Hello")
        assert len(await here.heard(5)) == 5
    assert here.ear.told == [("public", f"telegram:channel:{group.id}/0")]


async def test_no_token_and_a_wrong_one_say_what_to_do() -> None:
    with pytest.raises(AdapterStopped, match="TELEGRAM_TOKEN"):
        TelegramAdapter(load_settings(None, {}), SystemClock())
    async with open_telegram() as telegram:
        settings = load_settings(None, {"TELEGRAM_TOKEN": "1:wrong"}, telegram__api_url=telegram.base_url)
        with pytest.raises(AdapterStopped, match="BotFather"):
            await TelegramAdapter(settings, SystemClock()).run(Ear())


async def test_another_process_that_ends_soon_is_borne(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "CONFLICT_S", 0.01)
    async with open_telegram() as telegram:
        ann = telegram.world.add_user("Ann")
        telegram.faults.next("getUpdates", Fault.CONFLICT, times=3)
        telegram.world.say(ann, ann, "Hello")
        async with running(telegram=telegram) as here:
            assert [said.text for said in await here.heard(1)] == ["Hello"]


@pytest.mark.parametrize("patience_s", [0.05, 0.2])
async def test_another_process_that_stays_is_told_of_once_and_outlived(
    monkeypatch: pytest.MonkeyPatch, patience_s: float
) -> None:
    monkeypatch.setattr(polling, "CONFLICT_S", 0.1)
    monkeypatch.setattr(polling, "LASTING_CONFLICT_S", 0.01)
    async with open_telegram() as telegram:
        ann = telegram.world.add_user("Ann")
        telegram.faults.next("getUpdates", Fault.CONFLICT, times=10)
        telegram.world.say(ann, ann, "Hello")
        with capture_logs() as logged:
            async with running(telegram=telegram, patience_s=patience_s) as here:
                assert [said.text for said in await here.heard(1)] == ["Hello"]
    assert len(telegram.faults.struck) == 10
    (told,) = [line["event"] for line in logged if line["log_level"] == "error"]
    assert "another process is polling with this token; stop it" in told


async def test_an_update_that_nobody_thought_of_is_left_out_and_not_quoted() -> None:
    with capture_logs() as logged:
        async with running(Ear(poison="my secret")) as here:
            ann = here.world.add_user("Ann")
            here.world.say(ann, ann, "my secret")
            here.world.say(ann, ann, "Hello")
            assert [said.text for said in await here.heard(1)] == ["Hello"]
            await here.world.until(lambda: unconfirmed(here.telegram) == 0)
    (error,) = [line for line in logged if line["log_level"] == "error"]
    assert error["fault"] == "ValueError"
    assert "in receive" in error["where"]
    assert "my secret" not in str([line for line in logged if line["log_level"] != "debug"])


async def test_what_is_said_never_waits_for_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "LONGEST_LINE", 3)
    ear = Ear(hold_commands=asyncio.Event())
    async with running(ear) as here:
        people = [here.world.add_user(f"Ann {number}") for number in range(hearing.WORKERS + 3 + 3)]
        for person in people:
            here.world.say(person, person, "/help")
        here.world.say(people[0], people[0], "Hello")
        assert [said.text for said in await here.heard(1)] == ["Hello"]
        assert ear.hold_commands is not None
        ear.hold_commands.set()
        await here.world.reply(people[0])
    assert 3 <= len(ear.calls) < len(people)


async def test_a_command_that_is_confirmed_when_it_stops_is_done() -> None:
    ear = Ear(hold_commands=asyncio.Event())
    assert ear.hold_commands is not None
    async with open_telegram() as telegram:
        ann = telegram.world.add_user("Ann")
        async with running(ear, telegram=telegram) as here:
            here.world.say(ann, ann, "/help")
            await ear.until(lambda: bool(ear.calls))
            asyncio.get_running_loop().call_later(0.1, ear.hold_commands.set)
        assert telegram.world.said(ann) == ["Ann asked help"]
        assert unconfirmed(telegram) == 0


async def test_a_command_that_does_not_end_does_not_hold_up_the_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "FAREWELL_S", 0.05)
    ear = Ear(hold_commands=asyncio.Event())
    async with asyncio.timeout(20), running(ear) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/help")
        await ear.until(lambda: bool(ear.calls))
    assert here.world.said(ann) == []


async def test_an_api_that_is_down_at_the_start_is_waited_for() -> None:
    async with open_telegram() as telegram:
        ann = telegram.world.add_user("Ann")
        telegram.world.say(ann, ann, "Hello")
        telegram.faults.next("getMe", Fault.BAD_GATEWAY, times=2)
        async with running(telegram=telegram) as here:
            assert [said.text for said in await here.heard(1)] == ["Hello"]
            assert here.telegram.count("getMe") == 3


async def test_menus_are_told_only_when_they_changed() -> None:
    menus = 2 * (1 + len(HELPS))
    async with open_telegram() as telegram:
        async with running(telegram=telegram):
            await telegram.world.until(lambda: telegram.count("setMyCommands") == menus)
        async with running(telegram=telegram):
            await telegram.world.until(lambda: telegram.count("getMyCommands") == 2 * menus)
        assert telegram.count("setMyCommands") == menus


def words(telegram: TelegramServer, scope: dict[str, object], language: str = "") -> list[str]:
    shown = telegram.world.commands[json.dumps(scope, sort_keys=True), language]
    return [command["command"] for command in shown]


async def test_everybody_is_shown_what_they_can_use_in_their_language() -> None:
    async with open_telegram() as telegram:
        ann = telegram.world.add_user("Ann")
        menus = 3 * (1 + len(HELPS))
        async with running(telegram=telegram, owners=(f"telegram:{ann.id}", "discord:7")):
            await telegram.world.until(lambda: telegram.count("setMyCommands") == menus)
        everyone = words(telegram, {"type": "default"})
        assert not {"status", "channel"} & {*everyone}
        admins = words(telegram, {"type": "all_chat_administrators"})
        assert {*admins} - {*everyone} == {"channel"}
        assert {*words(telegram, {"type": "chat", "chat_id": ann.id})} - {*everyone} == {"status"}
        assert words(telegram, {"type": "default"}, "de") == everyone
        german = telegram.world.commands[json.dumps({"type": "default"}), "de"]
        assert {command["command"]: command["description"] for command in german}["memory"] == "Was ich von dir weiß"


async def test_a_menu_that_telegram_does_not_take_holds_up_nothing() -> None:
    async with open_telegram() as telegram:
        telegram.faults.next("getMyCommands", Fault.SLOW)
        async with running(telegram=telegram) as here:
            ann = telegram.world.add_user("Ann")
            telegram.world.say(ann, ann, "Hello")
            assert [said.text for said in await here.heard(1)] == ["Hello"]


def test_menus_have_the_help_of_every_command_in_each_language() -> None:
    for helps in HELPS.values():
        assert [*helps] == [word for word, _ in menu()]
        assert all(len(shown) <= 256 for shown in helps.values())
