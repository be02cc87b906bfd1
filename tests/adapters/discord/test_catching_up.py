"""What was said while the companion was away, on a simulated Discord."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from adapters.discord.catching_up import CatchUp
from adapters.discord.intake import Intake
from bot.domain import Place, Speaker, Utterance
from tests.adapters.discord.world import Ear, World, channel, dm, eventually, open_world


def say(world: World, of: Any, person: Any, *texts: str) -> list[int]:
    """Says things without waiting for the companion, which may be away."""
    return [world.env.backend.create_message(of.id, person.id, text).id for text in texts]


async def test_the_first_connection_reads_no_history() -> None:
    ear = Ear()
    async with open_world(ear) as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        ear.seen = None
        await world.restart(lambda: say(world, kitchen, ann, "before you came"))
        await ann.send(kitchen, "now you are here")
        [heard] = await world.heard(1)
    assert heard.text == "now you are here"
    assert ear.seen is not None


async def test_after_a_restart_what_was_missed_is_heard_in_order_and_before_what_comes() -> None:
    ear = Ear()
    async with open_world(ear) as world:
        home = world.env.create_guild("Home")
        kitchen, cellar = home.create_text_channel("kitchen"), home.create_text_channel("cellar")
        ann = home.add_member(world.env.create_user("ann"), nick="Annie")
        bob = world.env.create_user("bob")
        await ann.send(kitchen, "one")
        await bob.send_dm("uno")
        await world.heard(2)
        ear.dms = [dm(bob)]

        def away() -> None:
            say(world, kitchen, ann, "two", "three")
            say(world, cellar, ann, "wine?")
            say(world, bob.dm_channel, bob, "due")

        await world.restart(away)
        await ann.send(kitchen, "four")
        heard = await world.heard(7)
    assert [said.text for said in heard if said.place.ref.endswith(f"/{kitchen.id}")] == ["one", "two", "three", "four"]
    assert [said.text for said in heard if said.place == dm(bob)] == ["uno", "due"]
    assert {said.speaker.name for said in heard if said.speaker.id == f"discord:{ann.id}"} == {"Annie"}


async def test_the_latest_are_caught_up_when_there_are_too_many() -> None:
    ear = Ear()
    async with open_world(ear, overrides={"discord__catch_up_messages": 2}) as world:
        home = world.env.create_guild("Home")
        ear.servers.append(str(home.id))  # so it says no hello there
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))
        await world.restart(lambda: say(world, kitchen, ann, "one", "two", "three"))
        heard = await world.heard(2)
    assert [said.text for said in heard] == ["two", "three"]


async def test_what_is_too_old_is_left_alone() -> None:
    ear = Ear()
    async with open_world(ear, overrides={"discord__catch_up_hours": 1.0}) as world:
        home = world.env.create_guild("Home")
        kitchen = home.create_text_channel("kitchen")
        ann = home.add_member(world.env.create_user("ann"))

        def away() -> None:
            say(world, kitchen, ann, "long ago")
            world.env.backend.advance_clock(3 * 3600)
            say(world, kitchen, ann, "just now")

        await world.restart(away)
        [heard] = await world.heard(1)
    assert heard.text == "just now"


async def test_a_channel_that_may_not_be_read_does_not_stop_the_others() -> None:
    ear = Ear()
    async with open_world(ear) as world:
        home = world.env.create_guild("Home")
        kitchen, cellar = home.create_text_channel("kitchen"), home.create_text_channel("cellar")
        ann = home.add_member(world.env.create_user("ann"))
        world.env.inject_error("GET", f"/channels/{cellar.id}/messages", status=403, code=50001, times=None)

        def away() -> None:
            say(world, cellar, ann, "secret")
            say(world, kitchen, ann, "soup")

        await world.restart(away)
        [heard] = await world.heard(1)
        await ann.send(cellar, "live")
        await world.heard(2)
    assert heard.text == "soup"


@pytest.mark.parametrize("readable", [True, False])
async def test_presence_moves_only_when_all_was_caught_up(readable: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.discord.catching_up.PAUSES_S", (0.0, 0.0))
    ear = Ear()
    async with open_world(ear) as world:
        home = world.env.create_guild("Home")
        kitchen, cellar = home.create_text_channel("kitchen"), home.create_text_channel("cellar")
        ann = home.add_member(world.env.create_user("ann"))
        before = ear.seen
        assert before is not None
        if not readable:
            world.env.inject_error("GET", f"/channels/{cellar.id}/messages", status=503, times=None)

        def away() -> None:
            world.env.backend.advance_clock(600)
            say(world, cellar, ann, "wine?")

        await world.restart(away)
        await ann.send(kitchen, "hi")
        await eventually(lambda: "hi" in {said.text for said in ear.heard})
    assert ear.seen is not None
    assert (ear.seen - before > timedelta(seconds=60)) is readable


async def test_only_the_latest_dms_are_looked_into() -> None:
    ear = Ear()
    async with open_world(ear) as world:
        now = world.env.now()
        people = [Speaker(f"discord:{number}", "someone") for number in range(1, 121)]
        ear.dms = [Place.parse(f"discord:dm:{number}") for number in range(1, 121)]
        ear.heard = [
            Utterance(place, str(days), who, "hello", now - timedelta(days=days))
            for days, (place, who) in enumerate(zip(ear.dms, people, strict=True))
        ]
        companion = world.companion
        intake = Intake(companion._deal)
        reading = CatchUp(companion, ear, intake, companion.settings.discord, companion.person_gone, intake.release)
        recent = await reading.missed(now, now)
        ear.heard.clear()
        timeless = await reading.missed(now, now)
    assert [found.lane for found in recent.channels] == [f"dm {number}" for number in range(1, 31)]
    assert [found.lane for found in timeless.channels] == [f"dm {number}" for number in range(1, 101)]


async def test_a_channel_that_is_off_is_not_read() -> None:
    ear = Ear()
    async with open_world(ear) as world:
        home = world.env.create_guild("Home")
        kitchen, cellar = home.create_text_channel("kitchen"), home.create_text_channel("cellar")
        ann = home.add_member(world.env.create_user("ann"))
        ear.off = {channel(cellar, home)}

        def away() -> None:
            say(world, cellar, ann, "secret")
            say(world, kitchen, ann, "soup")

        await world.restart(away)
        [heard] = await world.heard(1)
        asked = [request.path for request in world.env.http_requests]
    assert heard.text == "soup"
    assert not [path for path in asked if f"{cellar.id}/messages" in path]
