"""Time that is gone through: in the console before a chat begins, and in replays."""

from __future__ import annotations

import io
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest
from rich.console import Console

from adapters.console import PLATFORM, ConsoleAdapter
from bot.app.app import App, open_app
from bot.clock import LeapingClock
from bot.commands import chat
from bot.commands.meantime import Meantime, NotSaid, reasons
from bot.config import load_settings
from bot.domain import Asker, Call, CareWishes, Speaker, Utterance, Why
from bot.llm.scripted import ScriptedEncoder
from bot.texts import checkin as texts
from lab.replay.meantime import reason_counts
from tests.care.checking import CARE
from tests.living import ANN, DM, START, UNASKED, FirstPersonGate, WordTopics, open_core

EXAM = "My chemistry exam is on Friday."
AT_HOME = Speaker(f"{PLATFORM}:ann", "Ann")


@asynccontextmanager
async def at_home(folder: Path, clock: LeapingClock) -> AsyncIterator[tuple[App, ConsoleAdapter, io.StringIO]]:
    """The core with the console as its platform, and what is on the screen."""
    screen = io.StringIO()
    console = Console(file=screen, highlight=False, width=300, soft_wrap=True)
    adapter = ConsoleAdapter(user="Ann", agent_name="Monica", clock=clock, console=console)
    settings = load_settings(None, {}, storage__data_dir=str(folder), **UNASKED, **CARE)
    async with open_app(
        settings,
        clock=clock,
        messengers={PLATFORM: adapter.messenger},
        with_model=False,
        encoder=ScriptedEncoder(),
        topics=WordTopics(),
        gate=FirstPersonGate(),
    ) as app:
        yield app, adapter, screen


async def told(app: App, adapter: ConsoleAdapter, *, on: bool = True) -> None:
    """Ann tells of her exam, and switches check-ins on."""
    message = Utterance(adapter.dm, "1", AT_HOME, EXAM, START, to_bot=False)
    assert await app.receive(message)
    await app.idle()
    if on:
        await app.command(Call("checkin on"), Asker(AT_HOME, adapter.dm))


async def test_the_console_shows_what_came_when_and_why_not_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LeapingClock(START)
    later = START + timedelta(days=7)
    async with at_home(tmp_path, clock) as (app, adapter, screen):
        await told(app, adapter)
        since = await chat.last_said(app, adapter.dm, later)
        assert since == START
        clock.hold_at(since)
        await app.prepare()
        await chat.jump(app, clock, adapter, later, Console(file=screen, highlight=False, width=300))
        luck, how, buttons, *why = screen.getvalue().splitlines()
        assert luck.startswith("Thursday, 5 November, 12:00 — Monica: ")
        assert how.startswith("Saturday, 7 November, 12:00 — Monica: ")
        assert buttons == f"/1 {texts.NOT_NOW}   /2 {texts.LESS_OFTEN}   /3 {texts.STOP}   /4 {texts.WHY}"
        assert len(why) == 1
        assert "12:00, 18:00, 21:00: nothing to say (" in why[0]
        assert later <= clock.now() < later + timedelta(minutes=1)
        monkeypatch.setattr(sys, "stdin", io.StringIO("/4\n"))
        await adapter.run(app)
        assert EXAM in screen.getvalue().partition("/4 ")[2]


async def test_no_time_passes_for_who_has_check_ins_off_or_goes_back(tmp_path: Path) -> None:
    async with at_home(tmp_path, LeapingClock(START)) as (app, adapter, _):
        await told(app, adapter, on=False)
        assert await chat.last_said(app, adapter.dm, START + timedelta(days=7)) is None
        await app.command(Call("checkin on"), Asker(AT_HOME, adapter.dm))
        assert await chat.last_said(app, adapter.dm, START - timedelta(days=7)) is None
        assert await chat.last_said(app, adapter.dm, START + timedelta(days=7)) == START


async def test_where_nobody_knows_the_time_zone_that_is_said(tmp_path: Path) -> None:
    clock = LeapingClock(START)
    async with at_home(tmp_path, clock) as (app, adapter, screen):
        await told(app, adapter)
        wishes = await app.stores.checkins.wishes(AT_HOME.id)
        await app.stores.checkins.choose(CareWishes(AT_HOME.id, on=True, place=wishes.place, zone="Nowhere/Land"))
        clock.hold_at(START)
        await chat.jump(app, clock, adapter, START + timedelta(days=7), Console(file=screen, width=300))
        assert screen.getvalue().startswith("No check-in came: nobody knows your time zone.")


def test_the_zone_of_this_computer_is_a_default(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = load_settings(None, {})
    monkeypatch.setattr(chat, "get_localzone_name", lambda: "Europe/Lisbon")
    assert chat.in_zone_of_here(settings).care.zone == "Europe/Lisbon"
    chosen = load_settings(None, {}, care__zone="Asia/Tokyo")
    assert chat.in_zone_of_here(chosen).care.zone == "Asia/Tokyo"
    for odd in (None, "Nowhere/Land"):
        monkeypatch.setattr(chat, "get_localzone_name", lambda odd=odd: odd)
        assert chat.in_zone_of_here(settings).care.zone == ""


async def test_what_cannot_be_sent_is_looked_at_until_it_is_too_late(tmp_path: Path) -> None:
    async with open_core(tmp_path, overrides={**CARE, "care__writer": "rules", "care__tick_s": 600}) as core:
        await core.say(EXAM, to_bot=False)
        await core.app.command(Call("checkin on"), Asker(ANN, DM))
        core.screen.out_of_reach.add(DM)
        meantime = Meantime(core.app, core.clock, [ANN.id])
        assert await meantime.until(START + timedelta(days=1)) == 0
        assert reason_counts(meantime.silent[ANN.id])[Why.UNREACHABLE.value] >= 1
        assert core.clock.now() == START + timedelta(days=1)


async def test_it_stops_where_as_many_came_as_are_wanted(tmp_path: Path) -> None:
    async with open_core(tmp_path, overrides={**CARE, "care__writer": "rules"}) as core:
        await core.say(EXAM, to_bot=False)
        await core.app.command(Call("checkin on"), Asker(ANN, DM))
        meantime = Meantime(core.app, core.clock, [ANN.id])
        assert await meantime.until(START + timedelta(days=30), first=1) == 1
        assert core.clock.now() == START + timedelta(days=3, hours=3)


def test_reasons_are_told_with_their_times_the_most_frequent_first() -> None:
    noon, night = time(12), time(21)
    silent = {NotSaid(noon, "late"): 1, NotSaid(night, "often enough"): 3, NotSaid(noon, "often enough"): 2}
    assert reasons(Counter(silent)) == ["12:00, 21:00: often enough (5 times)", "12:00: late (once)"]
    assert json.dumps(reason_counts(Counter(silent))) == '{"often enough": 5, "late": 1}'


def test_a_leaping_clock_stands_where_it_is_held_and_runs_from_where_it_is_let_go() -> None:
    clock = LeapingClock(START)
    assert START <= clock.now() < START + timedelta(minutes=1)
    clock.hold_at(START - timedelta(days=3))
    clock.move_to(START - timedelta(days=2))
    clock.move_to(START - timedelta(days=4))
    assert clock.now() == START - timedelta(days=2)
    clock.run_from(START)
    assert clock.now() >= START
    with pytest.raises(ValueError, match="runs"):
        clock.move_to(datetime(2030, 1, 1, tzinfo=UTC))
