"""Commands that are typed as plain messages, over real sockets: what is done, what is told, and what is no talk."""

from __future__ import annotations

from functools import partial

from adapters.pace import COMMANDS_PER_MINUTE
from bot.domain import Answer, Call, Choice, File
from bot.texts import platforms as texts
from bot.texts.translating import translated
from tests.adapters.discord.test_surroundings import place
from tests.adapters.discord.wire import connected
from tests.adapters.discord.world import Ear, dm, eventually
from tests.platform.discord_client import Home


def answered(home: Home, message_id: int) -> bool:
    return home.server.replies(home.dm)[-1].reference == message_id


def has_heard(ear: Ear, text: str) -> bool:
    return ear.heard[-1].text == text


async def test_in_private_a_typed_command_is_done_and_is_no_talk(home: Home) -> None:
    look = Choice("Look", Call("memory list"))
    ear = Ear(answer=lambda call, _asker: Answer(f"This is {call.command}.", choices=((look,),)))
    async with connected(home, ear):
        for text in ("/help", "/memory list", "/memory search the cat", "/hlep", "  /Status "):
            said = await home.server.say(home.ann, home.dm, text)
            await home.server.until(lambda: home.server.replies(home.dm)[-1:])
            await eventually(partial(answered, home, said.id))
        await home.server.say(home.ann, home.dm, "I said /help, or/and nothing. /home/ann is no command.")
        await home.server.say(home.ann, home.dm, "/gen are you ok")
        await eventually(lambda: len(ear.heard) == 2)
        pressed = await home.server.press(home.ann, home.server.replies(home.dm)[0], "Look")
        await home.server.answer(pressed)
    calls = [call for call, _ in ear.calls]
    assert calls == [
        Call("help"),
        Call("memory list"),
        Call("memory search", (("words", "the cat"),)),
        Call("hlep"),
        Call("status"),
        Call("memory list"),
    ]
    assert {asker.place for _, asker in ear.calls} == {dm(home.ann)}
    talk = ["I said /help, or/and nothing. /home/ann is no command.", "/gen are you ok"]
    assert [one.text for one in ear.heard] == talk


async def test_in_a_channel_who_mentions_it_is_told_how_and_nothing_is_done(home: Home) -> None:
    ear = Ear()
    async with connected(home, ear):
        await home.server.say(home.ann, home.kitchen, "/memory list")
        await home.server.say(home.ann, home.kitchen, f"<@{home.server.bot.id}> /memory list")
        await home.server.say(home.ann, home.kitchen, f"<@{home.server.bot.id}> /dance")
        await home.server.until(lambda: home.server.replies(home.kitchen))
        await eventually(lambda: len(ear.heard) == 2)
    [told] = home.server.replies(home.kitchen)
    assert told.content == texts.CHOOSE_COMMAND.format(command="memory list")
    assert [one.text.split()[-1] for one in ear.heard] == ["list", "/dance"]
    assert {one.place for one in ear.heard} == {place(home.kitchen)}
    assert ear.calls == []


async def test_files_are_handed_over_in_private(home: Home) -> None:
    ear = Ear(answer=lambda _call, _asker: Answer("Here it is.", files=(File("all.txt", b"words"),)))
    async with connected(home, ear):
        await home.server.say(home.ann, home.dm, "/memory export")
        await home.server.until(lambda: len(home.server.replies(home.dm)) == 2)
    assert [(one.name, one.content) for one in home.server.replies(home.dm)[1].attachments] == [("all.txt", b"words")]


async def test_typed_commands_are_counted_with_the_others(home: Home) -> None:
    ear = Ear()
    async with connected(home, ear):
        for _ in range(COMMANDS_PER_MINUTE + 1):
            await home.server.say(home.ann, home.dm, "/about")
        await home.server.until(lambda: len(home.server.replies(home.dm)) == COMMANDS_PER_MINUTE + 1)
    assert len(ear.calls) == COMMANDS_PER_MINUTE
    assert texts.COMMANDS_TOO_FAST in [one.content for one in home.server.replies(home.dm)]


async def test_what_was_typed_while_it_was_away_is_no_talk_either(home: Home) -> None:
    """It says so, once; what it answered before it went is not answered again."""
    ear = Ear()
    async with connected(home, ear):
        await home.server.say(home.ann, home.dm, "Hello.")
        await home.server.say(home.ann, home.dm, "/about")
        await home.server.until(lambda: home.server.replies(home.dm))
        await eventually(lambda: bool(ear.heard))
    await home.server.say(home.ann, home.dm, "/help")
    await home.server.say(home.ann, home.dm, "Are you there?")
    ear.dms = [dm(home.ann)]
    ear.seen = ear.heard[0].time
    for more in ("Once.", "Twice."):
        async with connected(home, ear):
            await home.server.until(lambda: len(home.server.replies(home.dm)) == 2)
            await home.server.say(home.ann, home.dm, more)
            await eventually(partial(has_heard, ear, more))
    assert [one.text for one in ear.heard] == ["Hello.", "Are you there?", "Once.", "Twice."]
    assert [call.command for call, _ in ear.calls] == ["about"]
    assert [one.content for one in home.server.replies(home.dm)] == ["Ann asked about", texts.COMMAND_MISSED]


def test_german_has_the_sentence() -> None:
    assert "Menü" in str(translated(texts.CHOOSE_COMMAND, "de"))
