"""The line of happenings: order, lanes that wait, and what is surely handed over. No Discord in sight."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import cast
from unittest.mock import create_autospec

import discord
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord import intake as lines
from adapters.discord.intake import Deleted, Edited, Happening, Intake, Said
from bot.errors import StorageAway

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)


def said(minute: int) -> Said:
    """A message of a minute past noon."""
    message = create_autospec(discord.Message, instance=True, spec_set=True)
    message.id = minute
    message.created_at = NOON + timedelta(minutes=minute)
    return Said(cast("discord.Message", message))


class Desk:
    """Takes what comes."""

    def __init__(self) -> None:
        self.taken: list[Happening] = []

    async def deal(self, happening: Happening) -> None:
        """Keeps it."""
        await asyncio.sleep(0)
        self.taken.append(happening)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("put"), st.sampled_from("abc")),
            st.tuples(st.just("hold"), st.sampled_from(["", "a", "ab"])),
            st.tuples(st.just("hold all"), st.just("")),
            st.tuples(st.just("release"), st.sampled_from("abc")),
        ),
        max_size=40,
    )
)
def test_whatever_is_held_back_each_lane_keeps_its_order_and_nothing_is_lost(steps: list[tuple[str, str]]) -> None:
    desk, put = Desk(), list[tuple[str, Deleted]]()
    intake = Intake(desk.deal)
    for step, (what, lane) in enumerate(steps):
        match what:
            case "put":
                put.append((lane, Deleted((step,))))
                intake.put(*put[-1])
            case "hold":
                intake.hold_only(frozenset(lane))
            case "hold all":
                intake.hold_all()
            case _:
                intake.release(lane)
    assert asyncio.run(intake.finish(60))
    for lane in "abc":
        expected = [happening for of, happening in put if of == lane]
        assert [happening for happening in desk.taken if happening in expected] == expected
    assert len(desk.taken) == len(put)


async def test_what_was_missed_comes_before_what_was_said_later_in_its_lane_and_after_what_was_said_before() -> None:
    desk = Desk()
    intake = Intake(desk.deal)
    intake.hold_all()
    first, second, third = said(1), said(2), said(3)
    edited = Edited(third.message)
    for happening in (first, third, edited):
        intake.put("a", happening)
    intake.put_missed("a", second.message)
    intake.hold_only(frozenset({"a"}))
    intake.release("a")
    await intake.finish(60)
    assert desk.taken == [first, Said(second.message, missed=True), third, edited]
    assert intake.latest == third.message.created_at


async def test_nothing_is_surely_seen_past_what_still_waits() -> None:
    intake = Intake(Desk().deal)
    later = NOON + timedelta(hours=1)
    assert intake.surely_until(later) == later
    intake.put("a", said(5))
    intake.hold_only(frozenset({"b"}))
    intake.put("b", said(3))
    assert intake.surely_until(later) == NOON + timedelta(minutes=3)
    await intake.finish(60)
    assert intake.surely_until(later) == later


async def test_one_event_that_nobody_foresaw_does_not_stop_the_next() -> None:
    desk = Desk()

    async def deal(happening: Happening) -> None:
        if happening == Deleted((1,)):
            raise ValueError("what is this?")
        await desk.deal(happening)

    intake = Intake(deal)
    intake.put("a", Deleted((1,)))
    intake.put("a", Deleted((2,)))
    await intake.finish(60)
    assert desk.taken == [Deleted((2,))]


async def test_a_line_that_is_too_long_leaves_the_newest_for_the_next_catch_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adapters.discord.intake.LONGEST_LINE", 2)
    desk = Desk()
    intake = Intake(desk.deal)
    for minute in (1, 2, 3):
        intake.put("a", said(minute))
    await intake.finish(60)
    assert len(desk.taken) == 2
    assert intake.surely_until(NOON + timedelta(hours=1)) == NOON + timedelta(minutes=3)
    intake.forget_losses()
    assert intake.surely_until(NOON + timedelta(hours=1)) == NOON + timedelta(hours=1)


async def test_while_the_database_is_away_what_came_first_stays_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "AWAY_S", 0.0)
    desk, away = Desk(), iter(range(len(lines.TRIES_S) + 3))

    async def deal(happening: Happening) -> None:
        if happening == first and next(away, None) is not None:
            raise StorageAway("It restarts.")
        await desk.deal(happening)

    intake, first, second = Intake(deal), said(1), said(2)
    for happening in (first, second):
        intake.put("hall", happening)
    assert await intake.finish(10)
    assert desk.taken == [first, second]
