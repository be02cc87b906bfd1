"""Several platforms at once: one that cannot be used leaves the others alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from bot.app.serving import Serving
from bot.errors import AdapterStopped, StorageError
from bot.ports import Adapter, Core

CORE = cast("Core", object())


@dataclass
class Platform:
    """An adapter whose runs end as `ends` says, one after the other; then it runs until it is cancelled."""

    platform: str
    ends: list[Exception | None] = field(default_factory=list)
    runs: int = 0
    started: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: bool = False
    messenger: Any = None

    async def run(self, core: Core) -> None:
        """One run."""
        self.runs += 1
        self.started.set()
        if self.ends:
            ending = self.ends.pop(0)
            if ending is not None:
                raise ending
            return
        try:
            await asyncio.Event().wait()
        finally:
            self.cancelled = True


@dataclass
class World:
    """What happened around a run."""

    said: list[str] = field(default_factory=list)
    finished: list[bool] = field(default_factory=list)
    beside_ended: bool = False
    states: dict[str, str] = field(default_factory=dict)

    async def beside(self) -> None:
        """Background work."""
        try:
            await asyncio.Event().wait()
        finally:
            self.beside_ended = True

    def serving(self, platforms: list[Platform], beside: Callable[[], Awaitable[None]] | None = None) -> Serving:
        """The part under test."""

        async def finish() -> None:
            self.finished.append(any(platform.cancelled for platform in platforms))

        work = [("work", beside or self.beside)]
        return Serving(
            core=CORE, beside=work, finish=finish, told=self.said.append, states=self.states, pauses_s=(0.0,)
        )


async def run(world: World, platforms: list[Platform], stop: asyncio.Event) -> None:
    await world.serving(platforms).run(cast("list[Adapter]", platforms), stop)


async def test_a_platform_that_cannot_be_used_says_why_and_leaves_the_other_running() -> None:
    world, stop = World(), asyncio.Event()
    broken, good = Platform("discord", [AdapterStopped("The token is wrong.")]), Platform("telegram")
    task = asyncio.create_task(run(world, [broken, good], stop))
    await good.started.wait()
    await asyncio.sleep(0)
    assert world.said == ["The token is wrong."]
    assert world.states == {"discord": "cannot be used", "telegram": "running"}
    assert not task.done()
    stop.set()
    await task
    assert good.cancelled
    assert world.beside_ended


async def test_when_no_platform_can_be_used_the_program_ends_with_an_error() -> None:
    world = World()
    stopped = [Platform(name, [AdapterStopped(f"{name} is off.")]) for name in ("discord", "telegram")]
    with pytest.raises(AdapterStopped):
        await run(world, stopped, asyncio.Event())
    assert sorted(world.said) == ["discord is off.", "telegram is off."]


async def test_conversations_end_before_the_platforms_let_go() -> None:
    world, stop = World(), asyncio.Event()
    platform = Platform("discord")
    task = asyncio.create_task(run(world, [platform], stop))
    await platform.started.wait()
    stop.set()
    await task
    assert world.finished == [False]
    assert platform.cancelled


async def test_a_platform_that_fails_unforeseen_is_begun_again() -> None:
    world = World()
    platform = Platform("discord", [RuntimeError("boom"), RuntimeError("boom"), None])
    await run(world, [platform], asyncio.Event())
    assert platform.runs == 3
    assert world.said == []


async def test_without_pauses_the_error_of_an_adapter_comes_out() -> None:
    async def finish() -> None:
        """Nothing to end."""

    serving = Serving(core=CORE, beside=[], finish=finish, told=print, states={}, pauses_s=())
    with pytest.raises(StorageError, match="full"):
        await serving.run(
            cast("list[Adapter]", [Platform("console", [StorageError("The disk is full.")])]), asyncio.Event()
        )


async def test_an_error_of_the_work_beside_comes_out_as_itself() -> None:
    async def broken() -> None:
        raise StorageError("The disk is gone.")

    world = World()
    platform = Platform("discord")
    with pytest.raises(StorageError, match="The disk is gone"):
        await world.serving([platform], broken).run(cast("list[Adapter]", [platform]), asyncio.Event())
    assert platform.cancelled
