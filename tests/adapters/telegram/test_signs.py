"""Reactions, commands in reply to a message, greetings and languages on our own Telegram: what the core is told."""

from __future__ import annotations

from functools import partial

import pytest

from adapters.telegram.reading import dm_with, general
from bot.domain import Answer, Call, Choice, Sign
from tests.adapters.telegram.world import Ear, outgoing, running

pytestmark = pytest.mark.filterwarnings("ignore:Deprecated since version v22.2:DeprecationWarning")


def _so_many(ear: Ear, calls: int) -> bool:
    return len(ear.calls) == calls


async def test_signs_reach_the_core_with_the_buttons_they_may_press() -> None:
    agree = Call("privacy consent", (("answer", "yes"),))
    async with running() as here:
        ann = here.world.add_user("Ann")
        here.ear.reaction_answer = Answer("Thank you.")
        reply = outgoing(dm_with(ann.id), "May I?", choices=((Choice("Yes", agree),),))
        async for _ in here.messenger.send(reply):
            pass
        message = here.world.messages(ann)[-1]
        for emoji in ("🎉", "👍", "👎", "🤔", "🙊"):
            here.world.react(ann, message, emoji)
        await here.ear.until(lambda: len(here.ear.reactions) == 4)
        await here.world.until(lambda: here.world.said(ann)[-4:] == ["Thank you."] * 4)
    reactions = here.ear.reactions
    assert {one.sign for one in reactions} == {Sign.YES, Sign.NO, Sign.AGAIN, Sign.STOP}
    assert {one.offered for one in reactions} == {(agree,)}
    assert {one.message_id for one in reactions} == {f"{ann.id}/{message.id}"}
    assert len({one.as_message for one in reactions}) == 4
    assert {one.asker.place for one in reactions} == {dm_with(ann.id)}
    assert not any(one.topic_untold for one in reactions)


async def test_in_a_group_nothing_private_is_shown_for_a_sign() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        group = here.world.add_group("Home", [ann], admins=[ann])
        group.status[here.world.bot.id] = "administrator"
        here.ear.reaction_answer = Answer("Secret.")
        async for _ in here.messenger.send(outgoing(general(group.id), "How are you?")):
            pass
        here.world.react(ann, here.world.messages(group)[-1], "👍")
        await here.ear.until(lambda: len(here.ear.reactions) == 1)
        here.world.say(ann, group, "/about")
        await here.ear.until(lambda: len(here.ear.calls) == 1)
    assert here.ear.reactions[0].asker.place == general(group.id)
    assert here.ear.reactions[0].topic_untold
    assert "Secret." not in here.world.said(group)


async def test_a_command_in_reply_to_a_message_is_about_that_message() -> None:
    async with running() as here:
        ann, bob = here.world.add_user("Ann"), here.world.add_user("Bob")
        group = here.world.add_group("Home", [ann, bob], admins=[ann])
        said = here.world.say(ann, group, "I live in York.")
        for person, line in (
            (ann, "/memory_remember"),
            (bob, "/memory_remember"),
            (ann, "/memory why"),
            (ann, "/memory forget job"),
        ):
            wanted = len(here.ear.calls) + 1
            here.world.say(person, group, line, reply_to=said)
            await here.ear.until(partial(_so_many, here.ear, wanted))
    message = ("message", f"{group.id}/{said.id}")
    assert [call for call, _ in here.ear.calls] == [
        Call("memory remember", (("words", "I live in York."), message)),
        Call("memory remember", (message,)),
        Call("memory why", (message,)),
        Call("memory forget", (("what", "job"),)),
    ]


async def test_it_says_hello_once_in_a_group_that_it_was_not_in_before() -> None:
    async with running() as here:
        ann = here.world.add_user("Ann")
        known = here.world.add_group("Home", [ann], admins=[ann])
        here.ear.servers.append(str(known.id))
        new = here.world.add_group("Garden", [ann], admins=[ann])
        here.world.bring_back(known, ann)
        here.world.bring_back(new, ann)
        await here.world.until(lambda: bool(here.world.said(new)))
    assert "a machine, not a person" in here.world.said(new)[0]
    assert here.world.messages(new)[-1].buttons == ["Set me up", "What you keep"]
    assert here.world.said(known) == []
