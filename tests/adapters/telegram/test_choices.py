"""Buttons under replies, and what a press of them shows to whom."""

import asyncio

import pytest

from adapters.telegram.reading import dm_with
from bot.domain import Answer, Asker, Call, Choice, Outgoing, Place, PlaceKind
from bot.ports import Messenger
from bot.texts import platforms as texts
from tests.adapters.telegram.world import Ear, Running, choice, growing, outgoing, running
from tests.platform.telegram_server import Chat, Message, User

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")

CHOICES = (
    (choice("Look", "memory list"), choice("Forget it", "memory forget", what="t1")),
    (Choice("Too long", Call("no command")),),
)
LABELS = ["Look", "Forget it"]


def private(call: Call, asker: Asker) -> Answer:
    return Answer(f"What I know of {asker.speaker.name}", choices=((choice("More", "memory list"),),))


def public(call: Call, asker: Asker) -> Answer:
    return Answer(f"{asker.speaker.name} has changed it", private=False)


def place(chat: Chat) -> Place:
    return Place("telegram", PlaceKind.CHANNEL, f"{chat.id}/0")


async def sent(messenger: Messenger, reply: Outgoing) -> list[str]:
    return [part async for part in messenger.send(reply)]


async def offered(here: Running, group: Chat, in_reply_to: str | None = None) -> Message:
    """A message of the companion's in a group, with buttons."""
    await sent(here.messenger, outgoing(place(group), "What shall I do?", choices=CHOICES, in_reply_to=in_reply_to))
    return here.world.messages(group)[-1]


def home(here: Running) -> tuple[User, User, Chat]:
    """Ann, Bob and their group."""
    ann, bob = here.world.add_user("Ann"), here.world.add_user("Bob")
    return ann, bob, here.world.add_group("Home", [ann, bob], admins=[ann])


async def test_a_reply_has_its_buttons_under_its_last_part() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        await sent(here.messenger, outgoing(dm_with(ann.id), "Shall I?", choices=CHOICES))
        text = "\n\n".join(f"Paragraph {number}. " + "word " * 200 for number in range(12))
        await sent(here.messenger, outgoing(dm_with(ann.id), text, choices=CHOICES))
        short, *parts = here.world.messages(ann)
        assert short.buttons == LABELS
        assert len(parts) > 2
        assert [part.buttons for part in parts] == [*([] for _ in parts[1:]), LABELS]


async def test_buttons_come_with_the_final_edit_of_a_growing_reply() -> None:
    async with running() as here:
        ann, _, group = home(here)
        asked = here.world.say(ann, group, "@monica_bot forget my job")
        created: list[str] = []
        in_reply_to = f"{group.id}/{asked.id}"
        async with here.messenger.live(growing(place(group), created, in_reply_to)) as live:
            live.show("Shall I")
            await here.world.until(lambda: here.world.said(group) == ["Shall I"])
            message = here.world.messages(group)[-1]
            assert message.buttons == []
        reply = outgoing(place(group), "Shall I forget it?", in_reply_to=in_reply_to, draft=created[0], choices=CHOICES)
        assert await sent(here.messenger, reply) == created
        assert (message.text, message.buttons) == ("Shall I forget it?", LABELS)
        assert await sent(here.messenger, reply) == created
        assert message.buttons == LABELS


async def test_in_private_the_answer_takes_the_place_of_the_message() -> None:
    async with running(Ear(answer=private)) as here:
        ann = here.world.add_user("Ann")
        await sent(here.messenger, outgoing(dm_with(ann.id), "Shall I?", choices=CHOICES))
        message = await here.world.reply(ann)
        here.world.press(ann, message, "Forget it")
        await here.world.until(lambda: message.text == "What I know of Ann")
        assert message.buttons == ["More"]
        ((call, asker),) = here.ear.calls
        assert call == Call("memory forget", (("what", "t1"),))
        assert (asker.speaker.id, asker.place) == (f"telegram:{ann.id}", dm_with(ann.id))


@pytest.mark.parametrize("answered_to", ["Ann", "Bob", ""])
async def test_in_a_group_whoever_presses_is_answered_in_private(answered_to: str) -> None:
    async with running(Ear(answer=private)) as here:
        ann, bob, group = home(here)
        asked = here.world.say(ann if answered_to == "Ann" else bob, group, "@monica_bot hello")
        message = await offered(here, group, f"{group.id}/{asked.id}" if answered_to else None)
        press = here.world.press(bob, message, "Look")
        assert (await here.world.reply(bob)).text == "What I know of Bob"
        await here.world.until(lambda: here.world.said(group)[-1:] == [texts.ANSWERED_IN_PRIVATE])
        assert (press.answered, press.text) == (True, "")
        assert (message.text, message.buttons, message.earlier) == ("What shall I do?", LABELS, [])
        assert here.world.said(group) == ["What shall I do?", texts.ANSWERED_IN_PRIVATE]
        assert here.world.said(ann) == []
        ((_, asker),) = here.ear.calls
        assert (asker.speaker.name, asker.place, asker.may_manage) == ("Bob", place(group), False)


async def test_a_press_in_a_group_by_somebody_who_cannot_be_written_to_shows_nothing_of_the_answer() -> None:
    async with running(Ear(answer=private)) as here:
        ann = here.world.add_user("Ann")
        eve = here.world.add_user("Eve", started=False)
        group = here.world.add_group("Home", [ann, eve], admins=[ann])
        message = await offered(here, group)
        here.world.press(eve, message, "Look")
        await here.world.until(lambda: here.world.said(group)[-1:] == [texts.START_ME_FIRST])
        assert (message.text, message.buttons) == ("What shall I do?", LABELS)
        assert here.world.said(group) == ["What shall I do?", texts.START_ME_FIRST]


async def test_an_answer_for_everybody_changes_only_what_was_made_for_the_one_who_presses() -> None:
    async with running(Ear(answer=public)) as here:
        ann, bob, group = home(here)
        asked = here.world.say(bob, group, "@monica_bot hello")
        message = await offered(here, group, f"{group.id}/{asked.id}")
        here.world.press(ann, message, "Look")
        await here.world.until(lambda: here.world.said(group)[-1:] == ["Ann has changed it"])
        assert (message.text, message.buttons, message.earlier) == ("What shall I do?", LABELS, [])
        here.world.press(bob, message, "Look")
        await here.world.until(lambda: message.text == "Bob has changed it")
        assert message.buttons == []


async def test_a_preview_of_what_will_go_never_shows_in_a_group() -> None:
    """Asked for in a group, shown in private, confirmed there: the group sees a line and nothing else."""

    def two_steps(call: Call, asker: Asker) -> Answer:
        if call.get("step") == "yes":
            return Answer("It is gone: I work at the museum")
        confirm = choice("Erase it", "memory forget", what="t1", step="yes", token="k3")
        return Answer("This would go: I work at the museum", choices=((confirm,),))

    async with running(Ear(answer=two_steps)) as here:
        ann, bob, group = home(here)
        here.world.say(ann, group, "/memory forget museum")
        preview = await here.world.reply(ann)
        here.world.press(ann, preview, "Erase it")
        await here.world.until(lambda: preview.text == "It is gone: I work at the museum")
        here.world.say(ann, group, "/help")
        await here.world.until(lambda: len(here.world.said(ann)) == 2)
        assert "museum" not in "".join([*here.world.said(group), *here.world.said(bob)])
        assert [(call.command, call.get("step")) for call, _ in here.ear.calls] == [
            ("memory forget", ""), ("memory forget", "yes"), ("help", ""),
        ]  # fmt: skip


async def test_an_answer_may_take_its_time_and_holds_up_nobody() -> None:
    ear = Ear(answer=private, hold_commands=asyncio.Event())
    async with running(ear) as here:
        ann, bob, _ = home(here)
        await sent(here.messenger, outgoing(dm_with(ann.id), "Shall I?", choices=CHOICES))
        message = await here.world.reply(ann)
        press = here.world.press(ann, message, "Look")
        await ear.until(lambda: bool(ear.calls))
        assert press.answered
        here.world.say(bob, bob, "Hello")
        assert [said.text for said in await here.heard(1)] == ["Hello"]
        assert ear.hold_commands is not None
        ear.hold_commands.set()
        await here.world.until(lambda: message.text == "What I know of Ann")
