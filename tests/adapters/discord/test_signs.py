"""Message menus, reactions, forms, greetings and languages, over real sockets: what Discord and the core are told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from adapters.pace import COMMANDS_PER_MINUTE
from bot.domain import Answer, Call, Choice, Sign
from bot.texts.translating import translated
from bot.usecases.catalogue import command_named
from tests.adapters.discord.test_surroundings import place
from tests.adapters.discord.wire import connected
from tests.adapters.discord.world import Ear, dm, eventually, outgoing
from tests.platform.discord_client import Home
from tests.platform.discord_server import Message


@asynccontextmanager
async def ready(home: Home, ear: Ear) -> AsyncIterator[None]:
    """The adapter with its commands told to Discord, and something of the companion's in the DM and in the kitchen."""
    async with connected(home, ear, extensions=("cogs",)) as adapter:
        await home.server.until(lambda: home.server.world.commands)
        for where in (dm(home.ann), place(home.kitchen)):
            async for _ in adapter.messenger.send(outgoing(where, "How are you?", nonce=f"{hash(where):024x}"[-24:])):
                pass
        yield


def of_the_bot(home: Home, *, in_dm: bool = False) -> Message:
    return home.server.replies(home.dm if in_dm else home.kitchen)[-1]


async def test_the_menu_of_a_message_asks_for_that_message(home: Home) -> None:
    ear = Ear()
    async with ready(home, ear):
        said = await home.server.say(home.ann, home.kitchen, "I live in York.")
        for entry in ("Remember this", "Forget this", "Why?"):
            answer = await home.server.answer(await home.server.choose(home.ann, said, entry))
            assert answer.shown_to is home.ann
        await home.server.answer(await home.server.choose(home.bob, said, "Remember this"))
    message = ("message", str(said.id))
    assert [call for call, _ in ear.calls] == [
        Call("memory remember", (("words", "I live in York."), message)),
        Call("memory forget", (message,)),
        Call("memory why", (message,)),
        Call("memory remember", (message,)),  # somebody else's words are not handed over
    ]
    assert {asker.place for _, asker in ear.calls} == {place(home.kitchen)}


async def test_the_four_signs_under_a_message_of_ours_reach_the_core_once_each(home: Home) -> None:
    ear = Ear()
    async with ready(home, ear):
        for emoji in ("👍🏽", "👎", "🔁", "🛑", "🎉"):
            await home.server.react(home.ann, of_the_bot(home), emoji)
            await home.server.react(home.server.bot, of_the_bot(home), emoji)
        said = await home.server.say(home.bob, home.kitchen, "No bot said this.")
        await home.server.react(home.ann, said, "👍")
        await home.server.react(home.ann, of_the_bot(home, in_dm=True), "👍")
        await eventually(lambda: len(ear.reactions) == 5)
    in_kitchen, in_private = [ear.reactions[index] for index in range(4)], ear.reactions[4]
    assert [one.sign for one in in_kitchen] == [Sign.YES, Sign.NO, Sign.AGAIN, Sign.STOP]
    assert {one.asker.place for one in in_kitchen} == {place(home.kitchen)}
    assert {one.message_id for one in in_kitchen} == {str(of_the_bot(home).id)}
    assert len({one.as_message for one in in_kitchen}) == 4
    assert (in_private.asker.place, in_private.asker.speaker.name) == (dm(home.ann), "Ann")


async def test_a_reaction_is_answered_in_private_alone_and_knows_the_buttons(home: Home) -> None:
    agree = Call("privacy consent", (("answer", "yes"),))
    ear = Ear(reaction_answer=Answer("Good, I remember you.", choices=((Choice("Look", Call("memory list")),),)))
    async with connected(home, ear) as adapter:
        for where in (dm(home.ann), place(home.kitchen)):
            async for _ in adapter.messenger.send(outgoing(where, "May I?", choices=((Choice("Yes", agree),),))):
                pass
        await home.server.react(home.ann, of_the_bot(home), "👍")
        await home.server.react(home.ann, of_the_bot(home, in_dm=True), "👍")
        await home.server.until(lambda: len(home.server.replies(home.dm)) == 2)
    assert {one.asker.place: one.offered for one in ear.reactions} == {place(home.kitchen): (), dm(home.ann): (agree,)}
    assert of_the_bot(home, in_dm=True).buttons == {"Look": "memory list"}
    assert len(home.server.replies(home.kitchen)) == 1


async def test_reactions_are_counted_with_commands(home: Home) -> None:
    ear = Ear()
    async with ready(home, ear):
        for _ in range(COMMANDS_PER_MINUTE + 3):
            await home.server.react(home.ann, of_the_bot(home), "👍")
        used = await home.server.slash(home.ann, home.kitchen, "about")
        await home.server.answer(used)
    assert len(ear.reactions) == COMMANDS_PER_MINUTE
    assert ear.calls == []


async def test_what_a_correction_lacks_is_asked_for_in_a_form(home: Home) -> None:
    ear = Ear()
    async with ready(home, ear):
        opened = await home.server.slash(home.ann, home.kitchen, "memory correct", {"entry": "t12"})
        await home.server.until(lambda: opened.form)
        handed_in = await home.server.hand_in(opened, "I live in York.")
        answer = await home.server.answer(handed_in)
        assert answer.shown_to is home.ann
        await home.server.answer(
            await home.server.slash(home.ann, home.dm, "memory correct", {"entry": "t1", "words": "I am well."})
        )
    assert [call for call, _ in ear.calls] == [
        Call("memory correct", (("entry", "t12"), ("words", "I live in York."))),
        Call("memory correct", (("entry", "t1"), ("words", "I am well."))),
    ]


async def test_a_button_that_lacks_words_opens_the_form_too(home: Home) -> None:
    put_right = ((Choice("Correct it", Call("memory correct", (("entry", "t7"),))),),)
    ear = Ear(answer=lambda call, _asker: Answer(call.command, choices=put_right))
    async with ready(home, ear):
        shown = await home.server.answer(await home.server.slash(home.ann, home.dm, "memory list"))
        opened = await home.server.press(home.ann, shown, "Correct it")
        await home.server.until(lambda: opened.form)
        await home.server.answer(await home.server.hand_in(opened, "I live in York."))
    assert ear.calls[-1][0] == Call("memory correct", (("entry", "t7"), ("words", "I live in York.")))


async def test_it_says_hello_on_a_new_server_where_it_may_write_and_offers_to_be_set_up(home: Home) -> None:
    server, ear = home.server, Ear(servers=[str(home.guild.id)])
    async with connected(home, ear):
        garden = server.add_guild("Garden", home.ann)
        server.add_channel(garden, "closed", readable=False)
        first, second = server.add_channel(garden, "first"), server.add_channel(garden, "second")
        await server.invite(garden)
        await server.until(lambda: server.replies(first))
        ear.servers.append(str(garden.id))
        await server.invite(garden)
        shed = server.add_guild("Shed", home.ann)
        server.add_channel(shed, "general")
        rules = server.add_channel(shed, "rules")
        shed.system_channel = rules.id
        await server.invite(shed)
        await server.until(lambda: server.replies(rules))
        pressed = await server.press(home.bob, server.replies(first)[0], "Set me up")
        await server.answer(pressed)
    assert [len(server.replies(one)) for one in (first, second, home.kitchen)] == [1, 0, 0]
    [(call, asker)] = ear.calls
    assert call == Call("channel default")
    assert not asker.may_manage_server


async def test_it_says_hello_at_its_start_where_it_was_added_just_before(home: Home) -> None:
    garden = home.server.add_guild("Garden", home.ann)
    garden.joined = home.server.world.now()
    lawn = home.server.add_channel(garden, "lawn")
    async with connected(home, Ear()):
        await home.server.until(lambda: home.server.replies(lawn))
    assert home.server.replies(home.kitchen) == []


async def test_the_commands_are_told_in_german_and_again_only_when_they_change(home: Home) -> None:
    ear = Ear()
    async with ready(home, ear):
        known = {one["name"]: one for one in home.server.world.commands}
    english = command_named("about")
    assert english is not None
    assert known["about"]["description_localizations"]["de"] == translated(english.help, "de")
    assert known["Why?"]["name_localizations"]["de"] == "Warum?"
    words = next(one for one in known["memory"]["options"] if one["name"] == "search")["options"][0]
    assert words["description_localizations"]["de"] == "Wonach ich suchen soll"
    puts = [one for one in home.server.asked if one.method == "PUT"]
    async with connected(home, ear, extensions=("cogs",)):
        await home.server.until(
            lambda: [one for one in home.server.asked if one.path.endswith("/commands") and one.method == "GET"][1:]
        )
    assert [one for one in home.server.asked if one.method == "PUT"] == puts
