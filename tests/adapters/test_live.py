"""A growing reply on its way to a platform: the newest text, not too often, and nothing after the end."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
import structlog

from adapters import live
from adapters.live import Pump, pumping

LONG = 3600.0
SHORT = 0.001


@dataclass
class Platform:
    """Keeps what is put out. `gate` holds a request up until it is opened."""

    put_out: list[str] = field(default_factory=list)
    nudges: int = 0
    gate: asyncio.Event | None = None
    entered: asyncio.Event = field(default_factory=asyncio.Event)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    async def put(self, text: str) -> None:
        self.entered.set()
        if self.gate is not None:
            await self.gate.wait()
        self.put_out.append(text)
        self.changed.set()

    async def nudge(self) -> None:
        self.nudges += 1
        self.changed.set()

    async def until(self, true: Callable[[], bool]) -> None:
        while not true():
            self.changed.clear()
            await self.changed.wait()


async def until_put_out(platform: Platform, text: str) -> None:
    await platform.until(lambda: text in platform.put_out)


async def until_nudged(platform: Platform, times: int) -> None:
    enough = platform.nudges + times
    await platform.until(lambda: platform.nudges >= enough)


async def test_it_nudges_until_something_is_shown() -> None:
    platform = Platform()
    async with pumping(Pump(put=platform.put, every_s=SHORT, nudge=platform.nudge, nudge_s=SHORT)) as pump:
        await until_nudged(platform, 3)
        pump.show("Hello")
        await until_put_out(platform, "Hello")
        assert pump.seen
        before = platform.nudges
        pump.show("Hello you")
        await until_put_out(platform, "Hello you")
        assert platform.nudges == before


async def test_what_is_overtaken_is_not_put_out() -> None:
    platform = Platform(gate=asyncio.Event())
    async with pumping(Pump(put=platform.put, every_s=SHORT, nudge=platform.nudge, nudge_s=LONG)) as pump:
        pump.show("One")
        await platform.entered.wait()
        for text in ("One two", "One two three", "One two three four"):
            pump.show(text)
        assert platform.gate is not None
        platform.gate.set()
        await until_put_out(platform, "One two three four")
    assert platform.put_out == ["One", "One two three four"]


async def test_nothing_new_is_put_out_before_the_pause_is_over() -> None:
    platform = Platform()
    async with pumping(Pump(put=platform.put, every_s=LONG, nudge=platform.nudge, nudge_s=LONG)) as pump:
        pump.show("One")
        await until_put_out(platform, "One")
        pump.show("One two")
        await asyncio.sleep(20 * SHORT)
        assert platform.put_out == ["One"]


async def test_the_same_text_and_no_text_are_not_put_out_again() -> None:
    platform = Platform()
    async with pumping(Pump(put=platform.put, every_s=SHORT, nudge=platform.nudge, nudge_s=LONG)) as pump:
        pump.show("")
        pump.show("One")
        await until_put_out(platform, "One")
        pump.show("One")
        pump.show("")
        pump.show("Two")
        await until_put_out(platform, "Two")
    assert platform.put_out == ["One", "Two"]


async def test_a_request_under_way_is_finished_and_none_begins_after_the_end() -> None:
    platform = Platform(gate=asyncio.Event())
    gate = platform.gate
    assert gate is not None
    async with pumping(Pump(put=platform.put, every_s=SHORT, nudge=platform.nudge, nudge_s=LONG)) as pump:
        pump.show("One")
        await platform.entered.wait()
        pump.show("One two")
        asyncio.get_running_loop().call_later(10 * SHORT, gate.set)
    assert platform.put_out == ["One"]
    pump.show("One two three")
    await asyncio.sleep(10 * SHORT)
    assert platform.put_out == ["One"]


async def test_a_request_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "LAST_REQUEST_S", SHORT)
    platform = Platform(gate=asyncio.Event())
    async with pumping(Pump(put=platform.put, every_s=SHORT, nudge=platform.nudge, nudge_s=LONG)) as pump:
        pump.show("One")
        await platform.entered.wait()
    assert platform.put_out == []
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "growing reply"]


async def test_without_streaming_it_only_nudges() -> None:
    platform = Platform()
    async with pumping(Pump(put=None, every_s=SHORT, nudge=platform.nudge, nudge_s=SHORT)) as pump:
        pump.show("One")
        await until_nudged(platform, 3)
        assert not pump.seen


async def test_the_context_ends_when_its_reply_fails() -> None:
    platform = Platform()

    async def fails() -> None:
        async with pumping(Pump(put=platform.put, every_s=LONG, nudge=platform.nudge, nudge_s=LONG)) as pump:
            pump.show("One")
            await until_put_out(platform, "One")
            raise ValueError("no reply")

    with pytest.raises(ValueError, match="no reply"):
        await fails()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "growing reply"]


async def test_what_showing_raises_is_logged_and_the_reply_goes_on() -> None:
    tried = asyncio.Event()

    async def put(_: str) -> None:
        tried.set()
        raise ValueError("nobody foresaw this")

    platform = Platform()
    with structlog.testing.capture_logs() as logged:
        async with pumping(Pump(put=put, every_s=SHORT, nudge=platform.nudge, nudge_s=LONG)) as pump:
            pump.show("One")
            await tried.wait()
    [line] = logged
    assert line["log_level"] == "error"
    assert str(line["exc_info"]) == "nobody foresaw this"
    assert line["exc_info"].__traceback__ is not None


async def test_a_closed_pump_does_nothing() -> None:
    platform = Platform()
    pump = Pump(put=platform.put, every_s=LONG, nudge=platform.nudge, nudge_s=LONG)
    pump.show("One")
    pump.close()
    await pump.run()
    assert (platform.put_out, platform.nudges, pump.seen) == ([], 0, False)
