"""How often something is allowed."""

from datetime import UTC, datetime, timedelta

import pytest

from adapters import pace
from adapters.pace import Pace
from bot.clock import ManualClock


def test_so_many_are_allowed_in_any_minute_for_each() -> None:
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    commands = Pace(clock, 2)
    assert [commands.allows("ann") for _ in range(3)] == [True, True, False]
    assert commands.allows("bob")
    clock.advance(timedelta(seconds=59))
    assert not commands.allows("ann")
    clock.advance(timedelta(seconds=1))
    assert [commands.allows("ann") for _ in range(3)] == [True, True, False]


def test_whoever_is_calm_is_forgotten_and_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "KEPT", 3)
    clock = ManualClock(datetime(2026, 3, 1, tzinfo=UTC))
    commands = Pace(clock, 1)
    for name in "abcd":
        assert commands.allows(name)
        clock.advance(timedelta(seconds=20))
    assert [commands.allows(name) for name in "bcd"] == [True, False, False]
    assert len(commands._times) < 4
