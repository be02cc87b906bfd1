"""Runs the adapters beside the background work, and stops everything in order.

A platform that cannot be used ends alone: its sentence is reported, and the others go on. One that fails in a way that
nobody foresaw is begun again after a pause.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field

import structlog

from bot.errors import AdapterStopped, HelloAgainError
from bot.ports import Adapter, Core
from bot.texts.commands import RUNNING

PAUSES_S = (5.0, 30.0, 120.0, 300.0)
"""Seconds before an adapter that failed is begun again; the last one for ever after."""

_log = structlog.get_logger(__name__)


@dataclass(kw_only=True, eq=False, repr=False)
class Serving:
    """One run of the program.

    `beside`: what runs as long as any adapter does. `finish`: ends the conversations under way, while the adapters can
    still send. `told` hears the sentence of every platform that cannot be used. Without `pauses_s` an adapter that
    fails is not begun again: its error comes out. `states` is kept true: platform → how its adapter is, in words.
    """

    core: Core
    beside: Sequence[tuple[str, Callable[[], Awaitable[None]]]]
    finish: Callable[[], Awaitable[None]]
    told: Callable[[str], None]
    states: MutableMapping[str, str]
    pauses_s: Sequence[float]
    _stopped: list[str] = field(default_factory=list, init=False)

    async def run(self, adapters: Sequence[Adapter], stop: asyncio.Event) -> None:
        """Runs the adapters until the last of them has ended, or `stop` is set.

        Raises AdapterStopped when none of them could be used. An error with a sentence for people comes out as itself,
        not in a group.
        """
        try:
            async with asyncio.TaskGroup() as group:
                beside = [group.create_task(awaited(work()), name=name) for name, work in self.beside]
                platforms = [
                    group.create_task(self._kept_running(adapter), name=f"adapter {adapter.platform}")
                    for adapter in adapters
                ]
                asked_to_stop = group.create_task(awaited(stop.wait()), name="the wish to stop")
                await _first_of(asked_to_stop, platforms)
                await self.finish()
                for task in (*platforms, *beside, asked_to_stop):
                    task.cancel()
        except BaseExceptionGroup as raised:
            for error in _leaves(raised):
                if isinstance(error, HelloAgainError):
                    raise error from raised
            raise
        if self._stopped and len(self._stopped) == len(adapters):
            raise AdapterStopped("No platform is left to serve.")

    async def _kept_running(self, adapter: Adapter) -> None:
        failures = 0
        while True:
            self.states[adapter.platform] = RUNNING
            try:
                await adapter.run(self.core)
            except AdapterStopped as error:
                self._stopped.append(adapter.platform)
                self.states[adapter.platform] = "cannot be used"
                self.told(str(error))
                return
            except Exception:  # edge: one adapter loop; the others go on, and it is begun again
                if not self.pauses_s:
                    raise
                _log.exception("an adapter failed and is begun again", platform=adapter.platform)
                self.states[adapter.platform] = "failed, and is begun again"
            else:
                self.states[adapter.platform] = "ended"
                return
            await asyncio.sleep(self.pauses_s[min(failures, len(self.pauses_s) - 1)])
            failures += 1


async def _first_of(stop: asyncio.Task[None], platforms: Sequence[asyncio.Task[None]]) -> None:
    """Waits until `stop` is done or all platforms are."""
    running = set(platforms)
    while running and not stop.done():
        done, _ = await asyncio.wait({stop, *running}, return_when=asyncio.FIRST_COMPLETED)
        running -= done


async def awaited(work: Awaitable[object]) -> None:
    """`work` as a coroutine, which tasks ask for."""
    await work


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for error in group.exceptions:
        if isinstance(error, BaseExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


async def in_time(work: Awaitable[object], seconds: float) -> bool:
    """Does the work; False when it was cut off after so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            await work
    except TimeoutError:
        return False
    return True
