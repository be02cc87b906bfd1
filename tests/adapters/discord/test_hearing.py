"""What people do on Discord, and what the core is told of it."""

from __future__ import annotations

import discord
import pytest
from simcord.enums import MessageType

from bot.domain import PlaceKind
from tests.adapters.discord.world import Ear, eventually, open_world


async def test_a_dm_is_for_the_companion() -> None:
    async with open_world() as world:
        ann = world.env.create_user("ann_1990", global_name="Ann")
        said = await ann.send_dm("hello")
        [heard] = await world.heard(1)
    assert heard.place.key == f"discord:dm:{ann.id}"
    assert (heard.message_id, heard.text, heard.time) == (str(said.id), "hello", said.created_at)
    assert (heard.speaker.id, heard.speaker.name) == (f"discord:{ann.id}", "Ann")
    assert heard.to_bot
    assert not heard.to_other
    assert heard.place_name == ""


async def test_in_a_channel_a_mention_is_for_the_companion_and_other_talk_is_not() -> None:
    async with open_world() as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"), nick="Annie")
        bob = home.add_member(world.env.create_user("bob", global_name="Bobby"))
        assert world.companion.user is not None
        await ann.send(kitchen, "soup is ready")
        await ann.send(kitchen, f"{world.companion.user.mention} do you like soup?")
        await ann.send(kitchen, f"{bob.mention} come and eat")
        await ann.send(kitchen, f"<@{bob.id}> and <@{world.companion.user.id}>, both of you")
        talk, question, call, both = await world.heard(4)
    assert talk.place.key == f"discord:channel:{home.id}/{kitchen.id}"
    assert talk.place_name == "#kitchen in Home"
    assert [said.to_bot for said in (talk, question, call, both)] == [False, True, False, True]
    assert [said.to_other for said in (talk, question, call, both)] == [False, False, True, False]
    assert question.text == "@Monica do you like soup?"
    assert call.text == "@Bobby come and eat"
    assert talk.speaker.name == "Annie"


async def test_a_reply_names_what_it_answers_and_whose_words_they_are() -> None:
    async with open_world() as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        bob = home.add_member(world.env.create_user("bob"))
        first = await ann.send(kitchen, "the soup is salty")
        await bob.send(kitchen, "is it?", reply_to=first)
        channel = world.companion.get_channel(kitchen.id)
        assert isinstance(channel, discord.TextChannel)
        mine = await channel.send("I cannot taste.")
        await bob.send(kitchen, "poor you", reply_to=mine)
        await ann.send(kitchen, "I meant the salt", reply_to=first)
        _, asked, pitied, herself = await world.heard(4)
    assert (asked.reply_to, asked.to_bot, asked.to_other) == (str(first.id), False, True)
    assert (pitied.reply_to, pitied.to_bot, pitied.to_other) == (str(mine.id), True, False)
    assert (herself.reply_to, herself.to_bot, herself.to_other) == (str(first.id), False, False)


async def test_a_thread_is_a_place_of_its_own() -> None:
    async with open_world() as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        channel = world.companion.get_channel(kitchen.id)
        assert isinstance(channel, discord.TextChannel)
        await channel.create_thread(name="soup", type=discord.ChannelType.public_thread)
        [thread] = kitchen.threads
        await ann.send(thread, "more salt")
        [heard] = await world.heard(1)
    assert heard.place.key == f"discord:channel:{home.id}/{kitchen.id}/{thread.id}"
    assert heard.place.parent is not None
    assert heard.place.parent.key == f"discord:channel:{home.id}/{kitchen.id}"
    assert heard.place_name == "soup in #kitchen in Home"


async def test_a_renamed_person_keeps_their_id() -> None:
    async with open_world() as world:
        home, office = world.env.create_guild("Home"), world.env.create_guild("Office")
        ann = world.env.create_user("ann", global_name="Ann")
        at_home, at_work = home.add_member(ann, nick="Mum"), office.add_member(ann)
        await at_home.send(home.create_text_channel("kitchen"), "hi")
        await at_work.send(office.create_text_channel("desk"), "hi")
        first, second = await world.heard(2)
    assert (first.speaker.name, second.speaker.name) == ("Mum", "Ann")
    assert first.speaker.id == second.speaker.id


async def test_bots_webhooks_and_notices_are_not_heard() -> None:
    async with open_world() as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        robot = home.add_member(world.env.create_user("robot", bot=True))
        await robot.send(kitchen, "beep")
        await home.create_webhook(kitchen).send("pushed")
        home.create_system_message(kitchen, MessageType.NEW_MEMBER, author=ann)
        channel = world.companion.get_channel(kitchen.id)
        assert isinstance(channel, discord.TextChannel)
        await channel.send("my own words")
        await ann.send(kitchen, "a person")
        [heard] = await world.heard(1)
    assert heard.text == "a person"


async def test_edits_and_deletions_reach_the_core_after_their_message() -> None:
    async with open_world() as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        said = await ann.send(kitchen, "I like tea")
        await ann.edit(said, f"I like coffee, {kitchen.mention}")
        await ann.delete(said)
        other = await ann.send(kitchen, "one")
        another = await ann.send(kitchen, "two")
        channel = world.companion.get_channel(kitchen.id)
        assert isinstance(channel, discord.TextChannel)
        world.env.backend.bulk_delete_messages(kitchen.id, [other.id, another.id])
        await eventually(lambda: len(world.ear.deletions) == 2)
    assert world.ear.edits == [(str(said.id), "I like coffee, #kitchen")]
    assert world.ear.deletions == [(str(said.id),), (str(other.id), str(another.id))]


async def test_what_is_no_text_is_said_in_words() -> None:
    async with open_world() as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        await ann.send(kitchen, "look", attachments=[("beach.jpg", b"x"), ("talk.pdf", b"x")])
        first = await ann.send(kitchen, "see you at eight <:cat:123456789012345678>")
        await ann.forward(first, kitchen)
        photo, _, forwarded = await world.heard(3)
    assert photo.text == "look\n[photo: beach.jpg]\n[file: talk.pdf]"
    assert forwarded.text == "[forwarded message: see you at eight :cat:]"
    assert forwarded.reply_to is None


async def test_a_forward_is_marked_as_somebody_else_s_words_whole_and_with_its_files() -> None:
    long = "I love tea and I live in Leeds. " * 5
    async with open_world() as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        shown = await ann.send(kitchen, long, attachments=[("beach.jpg", b"x")])
        await ann.forward(shown, kitchen)
        wordless = await ann.send(kitchen, "", attachments=[("beach.jpg", b"x")])
        await ann.forward(wordless, kitchen)
        _, both, _, photo = await world.heard(4)
    assert both.text == f"[photo: beach.jpg]\n[forwarded message: {long.strip()}]"
    assert photo.text == "[photo: beach.jpg]"
    assert both.quoting is photo.quoting is None


async def test_a_message_that_could_not_be_stored_is_tried_again() -> None:
    ear = Ear(failing=1)
    async with open_world(ear) as world:
        await world.env.create_user("ann").send_dm("hello")
        [heard] = await world.heard(1)
    assert heard.place.kind is PlaceKind.DM


@pytest.mark.parametrize("stays_broken", [False, True])
async def test_presence_never_passes_a_message_that_was_not_stored(stays_broken: bool) -> None:
    ear = Ear()
    async with open_world(ear) as world:
        await world.env.advance_time(3600)
        ear.failing = 3 if stays_broken else 0
        said = await world.env.create_user("ann").send_dm("hello")
        await eventually(lambda: bool(ear.heard) or not ear.failing)
        await world.env.advance_time(3600)
        await world.env.create_user("bob").send_dm("hi")
        await world.heard(1 if stays_broken else 2)
    assert ear.seen is not None
    assert (ear.seen > said.created_at) is not stays_broken
