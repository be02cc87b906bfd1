"""Servers that Discord tells of late, or not for a while: what is said there meanwhile is heard, once and in order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from unittest.mock import Mock

import pytest

from adapters.discord.absences import LONGEST, Absences
from adapters.discord.catching_up import AT_ONCE
from adapters.discord.intake import Intake
from tests.adapters.discord.wire import begun, connected
from tests.adapters.discord.world import Ear, eventually
from tests.platform.discord_client import Home
from tests.platform.discord_server import Channel, Fault

START = datetime(2026, 11, 25, 12, tzinfo=UTC)
LATEST = "adapters.discord.client.LATE"


def texts(ear: Ear) -> list[str]:
    """What was heard."""
    return [said.text for said in ear.heard]


async def away_after(home: Home, ear: Ear, *said: str) -> None:
    """It hears "one" in the kitchen and ends; then this is said there."""
    async with connected(home, ear):
        await home.server.say(home.ann, home.kitchen, "one")
        await eventually(lambda: texts(ear) == ["one"])
    for text in said:
        await home.server.say(home.bob, home.kitchen, text)


async def test_what_was_said_on_a_server_that_is_told_of_late_is_heard_before_what_comes_then(home: Home) -> None:
    ear = Ear()
    await away_after(home, ear, "two", "three")
    await home.server.begin_outage(home.guild)
    async with connected(home, ear):
        slow = home.server.faults.next("GET", f"/channels/{home.kitchen.id}/messages", Fault.HOLD_BEFORE)
        await home.server.end_outage(home.guild)
        await home.server.say(home.ann, home.kitchen, "four")
        await home.server.say(home.ann, home.dm, "uno")
        await eventually(lambda: texts(ear) == ["one", "uno"])
        slow.release.set()
        await eventually(lambda: len(ear.heard) == 5)
    assert texts(ear) == ["one", "uno", "two", "three", "four"]


async def test_a_server_that_is_never_told_of_is_not_noted_as_seen(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LATEST, timedelta(0))
    ear = Ear()
    await away_after(home, ear, "two")
    await home.server.begin_outage(home.guild)
    async with connected(home, ear):
        await home.server.say(home.ann, home.dm, "uno")
        await eventually(lambda: texts(ear) == ["one", "uno"])
    assert ear.seen is not None
    assert ear.seen <= ear.heard[0].time
    await home.server.end_outage(home.guild)
    async with connected(home, ear):
        await eventually(lambda: texts(ear) == ["one", "uno", "two"])
    assert ear.seen > ear.heard[0].time, "all is seen"


async def test_what_was_said_in_an_outage_is_heard(home: Home) -> None:
    ear = Ear()
    async with connected(home, ear):
        await home.server.say(home.ann, home.kitchen, "one")
        await eventually(lambda: texts(ear) == ["one"])
        await home.server.begin_outage(home.guild)
        await home.server.say(home.bob, home.kitchen, "two")
        await home.server.end_outage(home.guild)
        await home.server.say(home.bob, home.kitchen, "three")
        await eventually(lambda: len(ear.heard) == 3)
    assert texts(ear) == ["one", "two", "three"]


async def test_a_server_whose_history_cannot_be_read_is_not_noted_as_seen(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LATEST, timedelta(0))
    monkeypatch.setattr("adapters.discord.catching_up.PAUSES_S", ())
    ear = Ear()
    await away_after(home, ear, "two")
    await home.server.begin_outage(home.guild)
    async with connected(home, ear):
        home.server.faults.next("GET", f"/channels/{home.kitchen.id}/messages", Fault.UNAVAILABLE)
        await home.server.end_outage(home.guild)
        await home.server.say(home.ann, home.kitchen, "three")
        await eventually(lambda: texts(ear) == ["one", "three"])
    async with connected(home, ear):
        await eventually(lambda: len(ear.heard) == 3)
    assert texts(ear) == ["one", "three", "two"]


def history(channel: Channel) -> str:
    """The path of a channel's history."""
    return f"/channels/{channel.id}/messages"


async def test_a_slow_channel_holds_up_no_other_server_that_comes_back(home: Home) -> None:
    ear, server = Ear(), home.server
    cafe = server.add_guild("Café", home.ann, home.bob)
    bar = server.add_channel(cafe, "bar")
    async with connected(home, ear):
        await server.say(home.ann, home.kitchen, "one")
        await eventually(lambda: texts(ear) == ["one"])
        for guild in (home.guild, cafe):
            await server.begin_outage(guild)
        for channel, text in ((home.kitchen, "two"), (bar, "zwei")):
            await server.say(home.bob, channel, text)
        slow = server.faults.next("GET", history(home.kitchen), Fault.HOLD_BEFORE)
        await server.end_outage(home.guild)
        await slow.reached.wait()
        await server.end_outage(cafe)
        for channel, text in ((bar, "drei"), (home.kitchen, "three")):
            await server.say(home.bob, channel, text)
        await eventually(lambda: texts(ear) == ["one", "zwei", "drei"])
        slow.release.set()
        await eventually(lambda: len(ear.heard) == 5)
    assert texts(ear) == ["one", "zwei", "drei", "two", "three"]


async def test_a_server_that_comes_back_does_not_wait_for_what_the_session_began_with(home: Home) -> None:
    ear, server = Ear(), home.server
    bar = server.add_channel(server.add_guild("Café", home.ann, home.bob), "bar")
    assert bar.guild is not None
    await away_after(home, ear, "two")
    await server.say(home.bob, bar, "zwei")
    slow = server.faults.next("GET", history(home.kitchen), Fault.HOLD_BEFORE)
    await server.begin_outage(bar.guild)
    async with begun(home, ear):
        await slow.reached.wait()
        await server.end_outage(bar.guild)
        await eventually(lambda: texts(ear) == ["one", "zwei"])
        slow.release.set()
        await eventually(lambda: texts(ear) == ["one", "zwei", "two"])


async def test_slow_channels_of_one_server_hold_up_no_other(home: Home) -> None:
    ear, server = Ear(), home.server
    bar = server.add_channel(server.add_guild("Café", home.ann, home.bob), "bar")
    rooms = [home.kitchen, *(server.add_channel(home.guild, f"room {number}") for number in range(AT_ONCE))]
    async with connected(home, ear):
        await server.say(home.ann, home.dm, "uno")
        await eventually(lambda: texts(ear) == ["uno"])
    for room in rooms:
        await server.say(home.bob, room, "two")
    await server.say(home.bob, bar, "zwei")
    slow = [server.faults.next("GET", history(room), Fault.HOLD_BEFORE) for room in rooms]
    async with begun(home, ear):
        await eventually(lambda: texts(ear) == ["uno", "zwei"])
        for one in slow:
            one.release.set()
        await eventually(lambda: texts(ear) == ["uno", "zwei", *["two"] * len(rooms)])


async def test_a_server_that_goes_and_comes_while_it_is_read_is_read_again_and_heard_in_order(home: Home) -> None:
    ear, server = Ear(), home.server
    async with connected(home, ear):
        await server.say(home.ann, home.kitchen, "one")
        await eventually(lambda: texts(ear) == ["one"])
        await server.begin_outage(home.guild)
        await server.say(home.bob, home.kitchen, "two")
        first, second = (server.faults.next("GET", history(home.kitchen), Fault.HOLD_AFTER) for _ in range(2))
        await server.end_outage(home.guild)
        await first.reached.wait()
        await server.begin_outage(home.guild)
        await server.say(home.bob, home.kitchen, "three")
        await server.end_outage(home.guild)
        await server.say(home.bob, home.kitchen, "four")
        await server.say(home.ann, home.dm, "uno")
        await eventually(lambda: texts(ear) == ["one", "uno"])
        first.release.set()
        await second.reached.wait()
        second.release.set()
        await eventually(lambda: "four" in texts(ear))
    once = list(dict.fromkeys(texts(ear)))  # the core knows a message that it has been given already
    assert once == ["one", "uno", "two", "three", "four"]


def guild(number: int, *, unavailable: bool = True) -> Mock:
    """A server without channels."""
    made = Mock(spec_set=["id", "unavailable", "text_channels", "voice_channels", "stage_channels", "threads"])
    made.configure_mock(
        id=number, unavailable=unavailable, text_channels=[], voice_channels=[], stage_channels=[], threads=[]
    )
    return made


def test_one_server_that_never_comes_back_holds_the_note_up_for_an_hour() -> None:
    now = [START]
    absences = Absences(Mock(spec_set=Intake), lambda: now[0], lambda: None)
    absences.begin([guild(1), guild(2, unavailable=False)])
    heard = START - timedelta(hours=5)
    absences.not_heard_since(heard)
    assert absences.surely_until(START) == heard
    now[0] = START + LONGEST
    assert absences.surely_until(now[0]) == now[0]
    assert absences.since(guild(1)) == heard, "it is still read when it comes back"


def test_a_server_that_was_read_counts_as_heard_unless_it_went_away_again() -> None:
    absences = Absences(Mock(spec_set=Intake), lambda: START, lambda: None)
    heard, read, again = START - timedelta(minutes=3), guild(1), guild(2)
    for one in (read, again):
        absences.went(one, heard)
        one.unavailable = False
        absences.came(one)
    assert absences.back == [read, again]
    assert [absences.taken(one) for one in (read, again)] == [frozenset(), frozenset()]
    assert absences.back == []
    assert absences.surely_until(START) == heard, "it is still being read"
    again.unavailable = True
    for one in (read, again):
        absences.over(one, whole=True)
    assert absences.surely_until(START) == heard
    absences.gone(again)
    assert absences.surely_until(START) == START


def test_a_server_that_could_not_be_read_whole_holds_the_note_up_until_the_next_start() -> None:
    now = [START]
    absences = Absences(Mock(spec_set=Intake), lambda: now[0], lambda: None)
    heard, back = START - timedelta(minutes=3), guild(1)
    absences.went(back, heard)
    back.unavailable = False
    absences.came(back)
    absences.taken(back)
    absences.over(back, whole=False)
    now[0] = START + 2 * LONGEST
    assert absences.surely_until(now[0]) == heard


def test_what_was_held_for_a_server_goes_on_when_it_is_away_again() -> None:
    intake = Mock(spec_set=Intake)
    absences = Absences(intake, lambda: START, lambda: None)
    back = guild(1)
    thread = Mock(spec_set=["id"])
    thread.id = 7
    back.threads = [thread]
    absences.went(back, START)
    absences.came(back)
    intake.hold.assert_called_once_with(frozenset({"7"}))
    back.threads = []  # archived meanwhile
    assert absences.lanes == {"7"}
    absences.went(back, START)
    intake.release.assert_called_once_with("7")
    assert not absences.back
