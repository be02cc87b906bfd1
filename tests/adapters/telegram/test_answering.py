"""Commands and buttons: who may, who asks, and where the answer is shown."""

from dataclasses import replace

import pytest

from adapters.telegram import answering, hearing
from adapters.telegram.menu import menu
from bot.domain import Answer, Asker, Call, File, Place, PlaceKind
from bot.errors import StorageError
from bot.texts import platforms as texts
from bot.usecases.catalogue import CATALOGUE
from tests.adapters.telegram.world import Ear, Running, choice, running
from tests.platform.telegram_server import Chat, Fault, User, open_telegram

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")


def home(here: Running) -> tuple[User, User, Chat]:
    """Ann, who runs the group; Bob, who does not; and the group."""
    ann, bob = here.world.add_user("Ann"), here.world.add_user("Bob")
    return ann, bob, here.world.add_group("Home", [ann, bob], admins=[ann])


def pages(call: Call, asker: Asker) -> Answer:
    page = call.get("page", "1")
    return Answer(f"Page **{page}**", choices=((choice("More", "memory list", page=f"{int(page) + 1}"),),))


def public(call: Call, asker: Asker) -> Answer:
    return Answer(f"Mode {call.get('mode')}", private=False, choices=((choice("Off", "channel mode", mode="off"),),))


async def test_a_command_in_private_is_answered_there_and_is_nothing_said() -> None:
    async with running(Ear(answer=pages)) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/memory list")
        reply = await here.world.reply(ann)
        assert (reply.text, reply.buttons, reply.reply_to) == ("Page 1", ["More"], None)
        ((call, asker),) = here.ear.calls
        assert call == Call("memory list")
        assert asker.place == Place("telegram", PlaceKind.DM, str(ann.id))
        assert (asker.speaker.id, asker.may_manage, asker.is_owner) == (f"telegram:{ann.id}", True, False)
        assert here.ear.heard == []


async def test_a_button_changes_its_message_and_is_answered() -> None:
    async with running(Ear(answer=pages)) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/memory list")
        reply = await here.world.reply(ann)
        press = here.world.press(ann, reply, "More")
        await here.world.until(lambda: reply.text == "Page 2")
        assert (press.answered, press.text) == (True, "")
        assert here.ear.calls[-1][0] == Call("memory list", (("page", "2"),))
        assert here.world.said(ann) == ["Page 2"]


async def test_a_private_answer_to_a_group_goes_to_the_person_and_its_buttons_belong_to_the_group() -> None:
    async with running(Ear(answer=pages)) as here:
        _, bob, group = home(here)
        asked = here.world.say(bob, group, "/memory@monica_bot list")
        reply = await here.world.reply(bob)
        await here.world.until(lambda: here.world.said(group)[-1:] == [texts.ANSWERED_IN_PRIVATE])
        assert here.world.messages(group)[-1].reply_to is asked
        assert "Page" not in "".join(here.world.said(group))
        here.world.press(bob, reply, "More")
        await here.world.until(lambda: reply.text == "Page 2")
        assert {asker.place.ref for _, asker in here.ear.calls} == {f"{group.id}/0"}
        assert {asker.place_name for _, asker in here.ear.calls} == {"Home"}


@pytest.mark.parametrize("status", ["kicked", "left", "unknown"])
async def test_buttons_of_somebody_who_is_not_in_the_group_any_more_belong_to_their_private_chat(status: str) -> None:
    async with running(Ear(answer=pages)) as here:
        _, bob, group = home(here)
        here.world.say(bob, group, "/memory@monica_bot list")
        reply = await here.world.reply(bob)
        if status == "unknown":
            here.telegram.faults.next("getChatMember", Fault.BAD_GATEWAY, times=9)
        else:
            group.status[bob.id] = status
        here.world.press(bob, reply, "More")
        await here.world.until(lambda: reply.text == "Page 2")
        places = [(asker.place.key, asker.place_name) for _, asker in here.ear.calls]
        assert places == [(f"telegram:channel:{group.id}/0", "Home"), (f"telegram:dm:{bob.id}", "")]


async def test_whoever_cannot_be_written_to_is_given_a_link() -> None:
    async with running(Ear(answer=pages)) as here:
        stranger = here.world.add_user("Eve", started=False)
        group = here.world.add_group("Home", [stranger], admins=[stranger])
        here.world.say(stranger, group, "/memory list")
        await here.world.until(lambda: here.world.said(group)[-1:] == [texts.START_ME_FIRST])
        message = here.world.messages(group)[-1]
        assert message.keyboard is not None
        assert message.keyboard["inline_keyboard"][0][0]["url"] == "https://t.me/monica_bot?start=hello"


SECRET = "Ann is leaving her job"


def secrets(call: Call, asker: Asker) -> Answer:
    """An answer in two messages, with a button and a file: all of it private."""
    told = Answer("\n".join([f"{SECRET}. " * 30] * 6), choices=pages(call, asker).choices)
    return replace(told, files=(File("all.txt", SECRET.encode()),))


@pytest.mark.parametrize("why", ["never started", "blocked", "failing", "failing later"])
async def test_no_private_word_is_said_in_a_group_when_the_private_chat_cannot_be_written_to(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "PAUSES_S", (0.0, None))
    async with running(Ear(answer=secrets)) as here:
        ann = here.world.add_user("Ann", started=why != "never started")
        bob = here.world.add_user("Bob")
        group = here.world.add_group("Home", [ann, bob], admins=[ann])
        if why == "blocked":
            here.world.block(ann)
        elif why == "failing":
            here.telegram.faults.next("sendMessage", Fault.BAD_GATEWAY, times=2)
        elif why == "failing later":
            here.telegram.faults.next("sendDocument", Fault.BAD_GATEWAY, times=2)
        here.world.say(ann, group, "/memory@monica_bot list")
        here.world.say(bob, group, "/help@other_bot")
        here.world.say(bob, group, "/memory@monica_bot list")
        await here.world.until(lambda: any(SECRET in said for said in here.world.said(bob)))
        await here.world.until(lambda: texts.ANSWERED_IN_PRIVATE in here.world.said(group))
        shown = here.world.messages(group)
        public = [text for message in shown for text in (message.text, *message.earlier)]
        assert not [text for text in public if SECRET in text]
        assert {text for text in public if not text.startswith("/")} <= {
            texts.ANSWERED_IN_PRIVATE,
            texts.START_ME_FIRST,
        }
        assert not [message for message in shown if message.extra]
        assert (texts.START_ME_FIRST in public) is (why in {"never started", "blocked"})


async def test_in_a_group_only_the_one_who_asked_changes_the_message_by_a_press() -> None:
    async with running(Ear(answer=public)) as here:
        ann, bob, group = home(here)
        here.world.say(ann, group, "/channel mode open")
        await here.world.until(lambda: here.world.said(group)[-1:] == ["Mode open"])
        message = here.world.messages(group)[-1]
        here.world.press(bob, message, "Off")
        await here.world.until(lambda: here.world.said(group)[-1:] == ["Mode off"])
        beside = here.world.messages(group)[-1]
        assert (message.text, message.buttons, message.earlier) == ("Mode open", ["Off"], [])
        assert beside.reply_to is message
        here.world.press(ann, message, "Off")
        await here.world.until(lambda: message.text == "Mode off")
        assert [asker.speaker.name for _, asker in here.ear.calls] == ["Ann", "Bob", "Ann"]


async def test_what_changes_a_group_from_private_is_told_in_the_group() -> None:
    def mode(call: Call, asker: Asker) -> Answer:
        return public(call, asker) if call.get("mode") else Answer("Modes", choices=public(call, asker).choices)

    async with running(Ear(answer=mode)) as here:
        ann, _, group = home(here)
        here.world.say(ann, group, "/channel mode")
        reply = await here.world.reply(ann)
        here.world.press(ann, reply, "Off")
        await here.world.until(lambda: reply.text == "Mode off")
        assert here.world.said(group)[-1] == "Mode off"


async def test_those_who_manage_a_group_are_asked_of_telegram_and_remembered() -> None:
    async with running(Ear(answer=public), owners=["telegram:1001"]) as here:
        ann, bob, group = home(here)
        for person in (ann, bob, ann, bob):
            here.world.say(person, group, "/channel mode off")
        await here.world.until(lambda: len([said for said in here.world.said(group) if said == "Mode off"]) == 4)
        may = {asker.speaker.name: (asker.may_manage, asker.is_owner) for _, asker in here.ear.calls}
        assert may == {"Ann": (True, True), "Bob": (False, False)}
        assert here.telegram.count("getChatMember") <= 4


async def test_commands_for_others_are_left_alone() -> None:
    async with running() as here:
        ann, _, group = home(here)
        here.world.say(ann, group, "/help@other_bot")
        here.world.say(ann, group, "/weather")
        here.world.say(ann, group, "/start")
        here.world.say(ann, ann, "/weather")
        assert (await here.world.reply(ann)).text == "Ann asked weather"
        assert [call.command for call, _ in here.ear.calls] == ["weather"]
        assert not any("I am Monica" in said for said in here.world.said(group))
        assert here.ear.heard == []


async def test_start_in_a_group_is_answered_where_telegram_shows_it_to_us_alone() -> None:
    async with open_telegram() as telegram:
        telegram.world.privacy = True
        async with running(telegram=telegram) as here:
            ann, _, group = home(here)
            here.world.say(ann, group, "/start@other_bot")
            here.world.say(ann, group, "/start")
            assert "I am Monica" in (await here.world.reply(group)).text
            assert len(here.world.said(group)) == 1


async def test_start_is_greeted() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/start hello")
        assert "I am Monica" in (await here.world.reply(ann)).text
        assert here.ear.calls == []


async def test_a_button_that_nobody_knows_any_more_says_so() -> None:
    async with running(Ear(answer=pages)) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/memory list")
        reply = await here.world.reply(ann)
        assert reply.keyboard is not None
        reply.keyboard["inline_keyboard"][0][0]["callback_data"] = "from an older time"
        press = here.world.press(ann, reply, "More")
        await here.world.until(lambda: press.answered)
        assert (press.text, press.alert) == (texts.BUTTON_TOO_OLD, True)


async def test_a_press_that_is_answered_too_late_is_done_all_the_same() -> None:
    async with running(Ear(answer=pages)) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/memory list")
        reply = await here.world.reply(ann)
        here.world.press(ann, reply, "More").answered = True
        await here.world.until(lambda: reply.text == "Page 2")


async def test_a_command_that_fails_is_answered_in_words() -> None:
    def broken(call: Call, asker: Asker) -> Answer:
        raise StorageError("the disk is full")

    async with running(Ear(answer=broken)) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/help")
        assert (await here.world.reply(ann)).text == texts.COMMAND_FAILED


async def test_an_answer_that_could_not_be_sent_is_sent_again() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        here.telegram.faults.next("sendMessage", Fault.TOO_MANY, retry_after=1)
        here.world.say(ann, ann, "/help")
        assert (await here.world.reply(ann)).text == "Ann asked help"


async def test_a_long_answer_has_its_buttons_on_the_last_message() -> None:
    def long(call: Call, asker: Asker) -> Answer:
        return Answer("\n\n".join(["word " * 100] * 20), choices=pages(call, asker).choices)

    async with running(Ear(answer=long)) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/memory list")
        await here.world.until(lambda: bool(here.world.said(ann)) and bool(here.world.messages(ann)[-1].buttons))
        shown = [message.buttons for message in here.world.messages(ann) if message.sender.is_bot]
        assert shown[-1] == ["More"]
        assert not any(shown[:-1])


async def test_a_command_with_an_unforeseen_fault_stops_no_other() -> None:
    def broken(call: Call, asker: Asker) -> Answer:
        if call.command == "help":
            raise ValueError("nobody thought of that")
        return Answer("here")

    async with running(Ear(answer=broken)) as here:
        ann = here.world.add_user("Ann")
        for _ in range(hearing.WORKERS):
            here.world.say(ann, ann, "/help")
        here.world.say(ann, ann, "/memory list")
        assert (await here.world.reply(ann)).text == "here"


async def test_somebody_with_too_many_commands_is_asked_once_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "COMMANDS_PER_MINUTE", 2)
    async with running() as here:
        ann, bob, group = home(here)
        for _ in range(5):
            here.world.say(ann, group, "/weather")  # not ours: does not count
        for _ in range(5):
            here.world.say(ann, ann, "/help")
        here.world.say(bob, bob, "/help")
        await here.world.reply(bob)
        await here.world.until(lambda: len(here.world.said(ann)) == 3)
    assert sorted(asker.speaker.name for _, asker in here.ear.calls) == ["Ann", "Ann", "Bob"]
    assert sorted(here.world.said(ann)) == ["Ann asked help", "Ann asked help", texts.COMMANDS_TOO_FAST]


async def test_somebody_who_presses_too_often_is_asked_once_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hearing, "COMMANDS_PER_MINUTE", 2)
    async with running(Ear(answer=pages)) as here:
        ann = here.world.add_user("Ann")
        here.world.say(ann, ann, "/memory list")
        reply = await here.world.reply(ann)
        presses = [here.world.press(ann, reply, "More") for _ in range(4)]
        await here.world.until(lambda: reply.text == "Page 2" and presses[1].answered)
    assert [press.text for press in presses] == ["", texts.COMMANDS_TOO_FAST, "", ""]
    assert [press.answered for press in presses] == [True, True, False, False]


async def test_a_group_is_not_filled_with_lines_about_private_answers() -> None:
    async with running(Ear(answer=pages)) as here:
        ann, bob, group = home(here)
        for person in (ann, bob, ann, bob):
            here.world.say(person, group, "/memory list")
        await here.world.until(lambda: len(here.world.said(ann)) == len(here.world.said(bob)) == 2)
    assert here.world.said(group).count(texts.ANSWERED_IN_PRIVATE) == 2


def test_the_menu_has_every_first_word_once() -> None:
    words = [word for word, _ in menu()]
    assert len(words) == len(set(words))
    assert set(words) == {command.name.split()[0] for command in CATALOGUE}
    assert all(help_text for _, help_text in menu())
