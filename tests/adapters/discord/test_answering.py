"""Commands and buttons on a simulated Discord."""

from __future__ import annotations

from collections.abc import Sequence

import discord
import pytest

from adapters.discord.answering import render
from adapters.pace import COMMANDS_PER_MINUTE
from bot.domain import Answer, Asker, Call, Choice, Speaker
from bot.errors import StorageError
from bot.texts import platforms as texts
from tests.adapters.discord.world import Ear, channel, dm, open_world

COMMANDS = ("tests.adapters.discord.commands_for_tests",)
NEXT = Call("memory list", (("page", "2"),))


def pages(call: Call, asker: Asker) -> Answer:
    """Page 1 with a button to page 2, which has none."""
    if call == NEXT:
        return Answer(f"page 2 for {asker.speaker.name}")
    return Answer(f"page 1 for {asker.speaker.name}", choices=((Choice("Next", NEXT),),))


async def test_a_private_answer_is_for_the_asker_alone() -> None:
    ear = Ear()
    async with open_world(ear, extensions=COMMANDS, overrides={"owners": ()}) as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"), nick="Annie")
        result = await ann.slash(kitchen, "about")
        assert result.ephemeral
        assert result.response is not None
        assert result.response.content == "Annie asked about"
    [(call, asker)] = ear.calls
    assert call == Call("about")
    assert (asker.speaker.id, asker.place, asker.place_name) == (
        f"discord:{ann.id}",
        channel(kitchen, home),
        "#kitchen in Home",
    )
    assert not asker.is_owner
    assert not asker.may_manage


async def test_who_may_manage_and_who_owns() -> None:
    ear = Ear()
    async with open_world(ear, extensions=COMMANDS, overrides={"owners": ("discord:4711",)}) as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        keys = home.create_role("Keys", permissions=discord.Permissions(manage_channels=True))
        ann = home.add_member(world.env.create_user("ann"), roles=[keys])
        await ann.slash(kitchen, "about")
        bob = world.env.create_user("bob")
        await bob.slash("about")
        assert world.companion.application is not None
        assert world.companion.owners == {world.companion.application.owner.id}
    managing, private = (asker for _, asker in ear.calls)
    assert managing.may_manage
    assert private.may_manage
    assert private.place == dm(bob)
    assert not private.is_owner


async def test_who_may_manage_the_whole_server() -> None:
    ear = Ear()
    async with open_world(ear, extensions=COMMANDS) as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        rights = {
            "ann": discord.Permissions(manage_guild=True),
            "bob": discord.Permissions(administrator=True),
            "cem": discord.Permissions(manage_channels=True),
            "dot": discord.Permissions.none(),
        }
        for name, permissions in rights.items():
            role = home.create_role(f"{name}'s", permissions=permissions)
            await home.add_member(world.env.create_user(name), roles=[role]).slash(kitchen, "about")
        await world.env.create_user("eve").slash("about")
    may = {asker.speaker.name: asker.may_manage_server for _, asker in ear.calls}
    assert may == {"ann": True, "bob": True, "cem": False, "dot": False, "eve": False}


async def test_a_button_outlives_a_restart_and_changes_its_own_message() -> None:
    ear = Ear(answer=pages)
    async with open_world(ear, extensions=COMMANDS) as world:
        home = world.env.create_guild("Home")
        ear.servers.append(str(home.id))  # so it says no hello there
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        first = (await ann.slash(kitchen, "list")).response
        assert first is not None
        await world.restart()
        await ann.click(first, label="Next")
        shown = kitchen.history(viewer=ann)
    assert [message.content for message in shown] == ["page 2 for ann"]
    assert shown[0].components == []
    assert [call for call, _ in ear.calls] == [Call("memory list", (("page", ""),)), NEXT]


async def test_a_stranger_who_presses_a_button_gets_their_own_private_answer() -> None:
    ear = Ear(answer=pages)
    async with open_world(ear, extensions=COMMANDS) as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        home.add_member(world.env.create_user("ann"))
        bob = home.add_member(world.env.create_user("bob"))
        room = world.companion.get_channel(kitchen.id)
        assert isinstance(room, discord.TextChannel)
        _, view = render(pages(Call("memory list"), Asker(someone("ann"), channel(kitchen, home))))
        assert view is not None
        public = await room.send("for all to see", view=view)
        result = await bob.click(public, label="Next")
        assert result.ephemeral
        assert result.response is not None
        assert result.response.content == "page 2 for bob"
        assert kitchen.history()[0].content == "for all to see"
    [(_, asker)] = ear.calls
    assert asker.speaker.name == "bob"


async def test_an_answer_for_everybody_is_seen_by_everybody() -> None:
    ear = Ear(answer=lambda call, asker: Answer("I read along from now on.", private=False))
    async with open_world(ear, extensions=COMMANDS) as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        bob = home.add_member(world.env.create_user("bob"))
        await ann.slash(kitchen, "about")
        assert [message.content for message in kitchen.history(viewer=bob)] == ["I read along from now on."]
        assert [message.content for message in kitchen.history(viewer=ann)] == ["I read along from now on."]


async def test_a_long_answer_goes_on_in_follow_ups_with_the_buttons_at_its_end() -> None:
    text = "\n".join(f"- entry {number} " + "word " * 30 for number in range(25))
    choices = ((Choice("Next", NEXT), Choice("The same", NEXT)),)
    ear = Ear(answer=lambda call, asker: Answer(text, choices=choices))
    async with open_world(ear, extensions=COMMANDS) as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        bob = home.add_member(world.env.create_user("bob"))
        await ann.slash(kitchen, "list")
        shown = kitchen.history(viewer=ann)
        assert kitchen.history(viewer=bob) == []
    assert len(shown) == 3
    assert "\n".join(message.content for message in shown).split() == text.split()
    assert [bool(message.components) for message in shown] == [False, False, True]


async def test_a_command_that_fails_says_so() -> None:
    def broken(call: Call, asker: Asker) -> Answer:
        raise StorageError("/secret/path is full")

    async with open_world(Ear(answer=broken), extensions=COMMANDS) as world:
        result = await world.env.create_user("ann").slash("about")
        assert result.response.content == texts.COMMAND_FAILED


async def test_a_button_of_another_time_is_answered_with_a_sentence() -> None:
    ear = Ear()
    async with open_world(ear, extensions=COMMANDS) as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        room = world.companion.get_channel(kitchen.id)
        assert isinstance(room, discord.TextChannel)
        view = discord.ui.View(timeout=None)
        view.add_item(discord.ui.Button(label="Dance", custom_id="dance|now"))
        view.stop()
        result = await ann.click(await room.send("old", view=view), label="Dance")
        assert result.response is not None
        assert result.response.content == texts.BUTTON_TOO_OLD
    assert ear.calls == []


@pytest.mark.parametrize(("changed", "sent"), [(False, 0), (True, 1)])
async def test_commands_are_sent_to_discord_only_when_they_changed(changed: bool, sent: int) -> None:
    async with open_world(extensions=COMMANDS) as world:
        if changed:
            about = world.companion.tree.get_command("about")
            assert isinstance(about, discord.app_commands.Command)
            about.description = "Something else"
            await world.companion.tree.sync()
        before = synced(world.env.http_requests)
        await world.restart()
        after = synced(world.env.http_requests)
    assert after - before == sent


def synced(requests: Sequence[object]) -> int:
    """How often the commands were sent."""
    return sum(getattr(request, "method", "") == "PUT" for request in requests)


def someone(name: str) -> Speaker:
    """A speaker of no platform."""
    return Speaker(f"test:{name}", name)


async def test_who_asks_too_fast_is_asked_to_wait_and_nobody_else_is() -> None:
    ear = Ear(answer=pages)
    async with open_world(ear, extensions=COMMANDS) as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann, bob = (home.add_member(world.env.create_user(name)) for name in ("ann", "bob"))
        first = (await ann.slash(kitchen, "list")).response
        assert first is not None
        for _ in range(COMMANDS_PER_MINUTE - 1):
            await ann.slash(kitchen, "about")
        refused = [await ann.slash(kitchen, "about"), await ann.click(first, label="Next")]
        assert len(ear.calls) == COMMANDS_PER_MINUTE
        for result in refused:
            assert result.ephemeral
            assert result.response is not None
            assert result.response.content == texts.COMMANDS_TOO_FAST
        await bob.slash(kitchen, "about")
        world.env.backend.advance_clock(61)
        await ann.slash(kitchen, "about")
    assert [asker.speaker.name for _, asker in ear.calls[COMMANDS_PER_MINUTE:]] == ["bob", "ann"]
