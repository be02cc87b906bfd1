"""Replies reach Telegram: whole, in order, where they belong, and seen to grow."""

import asyncio

import pytest

from adapters.splitting import utf16_length
from adapters.telegram.reading import dm_with
from bot.domain import Outgoing, Place, PlaceKind
from bot.errors import DeliveryFailed
from bot.ports import Messenger
from tests.adapters.telegram.world import growing, outgoing, running
from tests.platform.telegram_server import Chat, Fault

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")


async def sent(messenger: Messenger, reply: Outgoing) -> list[str]:
    return [message_id async for message_id in messenger.send(reply)]


async def refusal(messenger: Messenger, reply: Outgoing) -> DeliveryFailed:
    with pytest.raises(DeliveryFailed) as raised:
        await sent(messenger, reply)
    return raised.value


def place(chat: Chat, topic: int = 0) -> Place:
    return Place("telegram", PlaceKind.CHANNEL, f"{chat.id}/0/{topic}" if topic else f"{chat.id}/0")


async def test_a_reply_arrives_with_its_formatting_and_gives_its_id() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        ids = await sent(here.messenger, outgoing(dm_with(ann.id), "I **really** like it"))
        reply = await here.world.reply(ann)
        assert ids == [f"{ann.id}/{reply.id}"]
        assert reply.text == "I really like it"
        assert [entity["type"] for entity in reply.entities] == ["bold"]


async def test_a_long_reply_comes_in_parts_and_those_that_arrived_are_not_sent_again() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        text = "\n\n".join(f"Paragraph {number}. " + "word 😀 " * 40 for number in range(40))
        ids = await sent(here.messenger, outgoing(dm_with(ann.id), text))
        assert len(ids) > 2
        assert all(utf16_length(part) <= 4096 for part in here.world.said(ann))
        assert " ".join(here.world.said(ann)).split() == text.split()
        again = await sent(here.messenger, outgoing(dm_with(ann.id), text, parts=tuple(ids[:-1]), uncertain=True))
        assert len(again) == 1
        assert here.world.said(ann)[-1] == here.world.said(ann)[-2]


async def test_a_reply_in_a_group_refers_to_the_message_in_its_topic() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann], topics=["Food"])
        topic = group.topic("Food")
        asked = here.world.say(ann, group, "@monica_bot hi", topic=topic)
        await sent(here.messenger, outgoing(place(group, topic), "Hello", in_reply_to=f"{group.id}/{asked.id}"))
        reply = here.world.messages(group)[-1]
        assert (reply.text, reply.reply_to, reply.topic) == ("Hello", asked, topic)


async def test_what_was_said_before_a_group_got_another_id_is_not_replied_to() -> None:
    """Messages are counted anew there: another one has its number."""
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann], kind="group")
        asked = here.world.say(ann, group, "@monica_bot hi")
        new = here.world.upgrade(group)
        assert here.world.messages(new)[0].id == asked.id
        await sent(here.messenger, outgoing(place(new), "Hello", in_reply_to=f"{group.id}/{asked.id}"))
        reply = here.world.messages(new)[-1]
        assert (reply.text, reply.reply_to) == ("Hello", None)


async def test_a_reply_takes_the_place_of_its_draft_and_a_lost_draft_is_replaced() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        (draft,) = await sent(here.messenger, outgoing(place(group), "He…"))
        assert await sent(here.messenger, outgoing(place(group), "Hello", draft=draft)) == [draft]
        assert await sent(here.messenger, outgoing(place(group), "Hello", draft=draft, uncertain=True)) == [draft]
        await here.messenger.retract(place(group), draft)
        await here.messenger.retract(place(group), draft)
        (new,) = await sent(here.messenger, outgoing(place(group), "Hello", draft=draft))
        assert new != draft
        assert here.world.said(group)[-1:] == ["Hello"]


async def test_what_telegram_refuses_for_good_is_not_tried_again() -> None:
    async with running() as here:
        stranger = here.world.add_user("Bob", started=False)
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        here.world.block(ann)
        here.world.kick(group, ann)
        nowhere = Place("telegram", PlaceKind.DM, "424242")
        for where, code in (
            (dm_with(stranger.id), "dm_closed"),
            (dm_with(ann.id), "dm_closed"),
            (place(group), "gone"),
            (nowhere, "gone"),
        ):
            failed = await refusal(here.messenger, outgoing(where, "Hello"))
            assert (failed.retry, failed.uncertain, failed.code) == (False, False, code)


async def test_what_may_work_later_says_so_and_whether_it_may_have_arrived() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        reply = outgoing(dm_with(ann.id), "Hello")
        here.telegram.faults.next("sendMessage", Fault.TOO_MANY, retry_after=7)
        busy = await refusal(here.messenger, reply)
        assert (busy.retry, busy.uncertain, busy.after_s) == (True, False, 7.0)
        here.telegram.faults.next("sendMessage", Fault.DROP_AFTER)
        lost = await refusal(here.messenger, reply)
        assert (lost.retry, lost.uncertain) == (True, True)
        await here.telegram.go_down()
        down = await refusal(here.messenger, reply)
        assert (down.retry, down.uncertain) == (True, False)
        await here.telegram.come_back()
        assert here.world.said(ann) == ["Hello"]


async def test_without_a_connection_nothing_is_reached() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        assert here.messenger.reaches(dm_with(ann.id))
        assert not here.messenger.reaches(Place("discord", PlaceKind.DM, str(ann.id)))
    assert not here.messenger.reaches(dm_with(ann.id))
    assert (await refusal(here.messenger, outgoing(dm_with(ann.id), "Hello"))).retry
    async with here.messenger.live(growing(dm_with(ann.id), [])) as live:
        live.show("Hel")
    await here.messenger.retract(dm_with(ann.id), "1/1")


async def test_a_growing_reply_in_private_is_a_draft_and_no_message() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        created: list[str] = []
        async with here.messenger.live(growing(dm_with(ann.id), created, in_reply_to=f"{ann.id}/41")) as live:
            await here.world.until(lambda: (ann.id, "typing") in here.world.actions)
            seen = [live.seen]
            live.show("I **am")
            await here.world.until(lambda: bool(here.world.drafts(ann)))
            live.show("I **am** here")
            await here.world.until(lambda: len(here.world.drafts(ann)) == 2)
            seen.append(live.seen)
        assert seen == [False, True]
        assert here.world.drafts(ann) == [(41, "I **am"), (41, "I am here")]
        assert (here.world.said(ann), created) == ([], [])


async def test_a_growing_reply_in_a_group_is_one_message_that_is_edited() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        asked = here.world.say(ann, group, "@monica_bot hi")
        created: list[str] = []
        async with here.messenger.live(growing(place(group), created, in_reply_to=f"{group.id}/{asked.id}")) as live:
            live.show("I am")
            await here.world.until(lambda: here.world.said(group)[-1:] == ["I am"])
            live.show("I am here")
            await here.world.until(lambda: here.world.said(group)[-1:] == ["I am here"])
        message = here.world.messages(group)[-1]
        assert created == [f"{group.id}/{message.id}"]
        assert (message.earlier, message.reply_to) == (["I am"], asked)


async def test_a_draft_of_an_earlier_try_is_used_again() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        (draft,) = await sent(here.messenger, outgoing(place(group), "He…"))
        created: list[str] = []
        async with here.messenger.live(growing(place(group), created, draft=draft)) as live:
            live.show("I am")
            await here.world.until(lambda: here.world.said(group)[-1:] == ["I am"])
        assert created == []
        assert here.world.messages(group)[-1].earlier == ["He…"]


async def test_without_streaming_there_is_only_typing() -> None:
    async with running(telegram__stream=False) as here:
        ann = here.world.add_user("Ann")
        async with here.messenger.live(growing(dm_with(ann.id), [])) as live:
            live.show("I am")
            await here.world.until(lambda: bool(here.world.actions))
            assert not live.seen
        assert here.telegram.count("sendMessageDraft") == 0


@pytest.mark.parametrize("fault", [Fault.TOO_MANY, Fault.BAD_GATEWAY, Fault.DROP_BEFORE, Fault.DROP_AFTER])
async def test_a_growing_reply_survives_every_fault(fault: Fault) -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        for method in ("sendMessage", "editMessageText", "sendMessageDraft", "sendChatAction"):
            here.telegram.faults.next(method, fault, times=2)
        for where in (place(group), dm_with(ann.id)):
            async with here.messenger.live(growing(where, [])) as live:
                for text in ("I", "I am", "I am here"):
                    live.show(text)
                    await asyncio.sleep(0.12)
        assert here.telegram.count("sendMessage") == 1  # a message that may be there is not begun twice


async def test_a_busy_group_s_growing_replies_leave_room_for_the_final_ones() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        for number in range(11):
            await sent(here.messenger, outgoing(place(group), f"Reply {number}"))
        typed = len(here.world.actions)
        async with here.messenger.live(growing(place(group), [])) as live:
            live.show("I am")
            await here.world.until(lambda: len(here.world.actions) > typed)
        assert here.telegram.count("sendMessage") == 11


async def test_formatting_that_is_refused_is_sent_as_it_was_written() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        here.telegram.faults.next("sendMessage", Fault.ENTITIES)
        await sent(here.messenger, outgoing(dm_with(ann.id), "I **am** [here](https://a.example)"))
        assert here.world.said(ann) == ["I **am** [here](https://a.example)"]
